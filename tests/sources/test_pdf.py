"""PDFs as sources: made by hand here, read by pypdf in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.sources import apart
from clew.sources import pdf as module
from clew.sources.pdf import pages_of
from clew.sources.port import Fetched, SourceContext, SourceError
from clew.sources.registry import source, spec_of


def pdf(pages: Sequence[str], *, title: str = "Tides") -> bytes:
    """A PDF of a line a page (ISO 32000-1, 7.5): objects, their places, and where to begin."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, line in enumerate(pages):
        content = f"BT /F1 12 Tf 72 720 Td ({line}) Tj ET" if line else ""
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    objects.append(f"<< /Title ({title}) >>")
    out, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{one}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    info = len(objects)
    return out + f"trailer\n<< /Size {info + 1} /Root 1 0 R /Info {info} 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()


def fetched(root: Path, file: str = "tides.pdf", **more: Any) -> Fetched:
    table = {"kind": "pdf", "file": file, **more}
    at = SourceContext(root=root, environment={"PATH": os.environ["PATH"]})
    return source("pdf").fetch(spec_of(table, "source 1"), at, table)


def test_each_page_is_a_part(tmp_path: Path) -> None:
    """Those that are asked for; what has no text, or is not there, is said."""
    (tmp_path / "tides.pdf").write_bytes(pdf(["High at nine", "", "Low at three"]))
    found = fetched(tmp_path)
    assert [("High at nine", "tides.pdf, page 1"), ("Low at three", "tides.pdf, page 3")] == [
        (part.text.strip(), part.name) for part in found.parts
    ]
    assert "text of the PDF “Tides” tides.pdf, 2 of 3 pages" == found.provenance
    assert ("Pages without text: 2.",) == found.notes
    some = fetched(tmp_path, pages="3-4")
    assert ["tides.pdf, page 3"] == [part.name for part in some.parts]
    assert ("Pages that are not there, or beyond 2,000: 1.",) == some.notes


@pytest.mark.parametrize("said", ["0", "3-1", "a", "1-9999999", "1;2"])
def test_what_says_no_pages_is_refused(said: str) -> None:
    """Nothing is read then."""
    with pytest.raises(SourceError, match="says no pages"):
        pages_of(said)


def test_what_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing there, outside, no PDF, a broken one, pictures only, no package."""
    (tmp_path / "root").mkdir()
    (tmp_path / "out.pdf").write_bytes(pdf(["secret"]))
    (tmp_path / "root/link.pdf").symlink_to(tmp_path / "out.pdf")
    for name, data in (("text.pdf", b"hello"), ("cut.pdf", pdf(["High"])[:300]), ("scan.pdf", pdf(["", ""]))):
        (tmp_path / "root" / name).write_bytes(data)
    cases = {"none.pdf": "missing", "../out.pdf": "missing", "link.pdf": "missing", "scan.pdf": "missing"}
    for name, code in {**cases, "text.pdf": "failed"}.items():
        with pytest.raises(SourceError) as told:
            fetched(tmp_path / "root", name)
        assert f"E-source-{code}" == told.value.code, name
    monkeypatch.setattr(apart, "find_spec", lambda _: None)
    with pytest.raises(SourceError, match="pypdf"):
        fetched(tmp_path / "root", "scan.pdf")


def test_one_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file can make any reader run for ever."""
    (tmp_path / "tides.pdf").write_bytes(pdf(["High"]))
    monkeypatch.setattr(module, "_TIMEOUT_S", 0.001)
    with pytest.raises(SourceError, match=r"no end after 0\.001 s") as told:
        fetched(tmp_path)
    assert "E-source-large" == told.value.code


def test_one_with_a_password_is_told_so(tmp_path: Path) -> None:
    """Nobody is asked for it."""
    import pypdf

    (tmp_path / "plain.pdf").write_bytes(pdf(["High"]))
    writer = pypdf.PdfWriter(clone_from=tmp_path / "plain.pdf")
    writer.encrypt("word", algorithm="RC4-128")
    writer.write(tmp_path / "tides.pdf")
    with pytest.raises(SourceError, match="locked with a password"):
        fetched(tmp_path)
