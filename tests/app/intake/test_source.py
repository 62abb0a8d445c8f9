"""Sources: whatever encoding a text file is in, and what is none is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.intake.source import BYTES_MAX, is_bundle, read_source
from clew.core.errors import InputError

TEXT = "# Übergabe\n\n- Zehn – „so ist es“\n"


@pytest.mark.parametrize(
    ("codec", "told"), [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8"), ("utf-16", "UTF-16"), ("cp1252", "Latin-1")]
)
def test_a_text_is_read_in_the_encoding_it_has(tmp_path: Path, codec: str, told: str) -> None:
    """Editors on Windows write three of the four."""
    file = tmp_path / "h.md"
    file.write_bytes(TEXT.encode(codec))
    source = read_source(file, root=tmp_path.resolve())
    assert (source.name, source.text, source.encoding) == ("h.md", TEXT, told)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a\0b", "a NUL at byte 1"),
        (b"\x89PNG\r\n\x1a\n", "control character 0x1a"),
        (b"\xff\xfea", "goes on as something else"),
        (b"ok \x81\x8d", "not UTF-8 (from byte 3 on)"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    """A picture would become a hundred notes. The message tells what was tried."""
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_source(tmp_path / "x")
    assert caught.value.code == "E-import-not-text" and why in caught.value.message


def test_what_cannot_be_read_or_is_too_large_is_refused(tmp_path: Path) -> None:
    """A folder, a file that is not there, a log of a gigabyte."""
    (tmp_path / "big").write_bytes(b"a" * (BYTES_MAX + 1))
    for name, code in (("none", "unreadable"), (".", "unreadable"), ("big", "too-large")):
        with pytest.raises(InputError) as caught:
            read_source(tmp_path / name)
        assert caught.value.code == f"E-import-{code}" and caught.value.hint


def test_a_file_outside_of_the_project_keeps_its_whole_name(tmp_path: Path) -> None:
    """Else nobody finds it again."""
    (tmp_path / "p").mkdir()
    (tmp_path / "h.md").write_text("x")
    assert read_source(tmp_path / "h.md", root=tmp_path / "p").name == str(tmp_path / "h.md")


def test_a_bundle_is_told_by_its_beginning(tmp_path: Path) -> None:
    """A JSON state file of somebody else's is a document."""
    (tmp_path / "a").write_bytes(b'{"clew_bundle":1}')
    (tmp_path / "b").write_bytes(b'{"tasks":[]}')
    assert [is_bundle(tmp_path / name) for name in ("a", "b", "c")] == [True, False, False]
