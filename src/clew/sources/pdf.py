"""The text of a PDF in the project, a part a page; it is read in a process of its own, `python -m clew.sources.pdf`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import msgspec

from clew.core.text.cleaning import clean, one_line
from clew.sources.apart import read_apart, serve
from clew.sources.port import Fetched, SourceContext, SourceError, SourceKind, SourcePart, Spec, encodable
from clew.workspace.disk import Disk
from clew.workspace.disk import clean as plain_path
from clew.workspace.fingerprint import read

BYTES_MAX: Final = 50 << 20
PAGES_MAX: Final = 2_000
_TIMEOUT_S: Final = 120.0
_TITLE_CHARS: Final = 200
_PAGES: Final = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?")
_NAMED_MAX: Final = 10


class PdfFile(Spec, frozen=True):
    """`file` is a path from the project's top. `pages` are numbers and ranges (`1-3, 7`), "" all."""

    file: str
    pages: str = ""


def fetch(spec: PdfFile, context: SourceContext, _: Mapping[str, Any]) -> Fetched:
    """Its pages, in their order. Raises `SourceError`: it is not there, too large, locked, or has no text."""
    wanted = pages_of(spec.pages)
    path = plain_path(spec.file)
    place = Disk(context.root).locate(path) if path else None
    data = read(place, limit_bytes=BYTES_MAX) if place is not None else None
    if data is None:
        raise SourceError(
            f"there is no file {spec.file} of at most {BYTES_MAX >> 20} MiB in the project",
            code="E-source-missing",
            hint="Name it from the project's top; what is outside is not read.",
        )
    context.at(spec.file)
    found = read_pdf(data, spec.file, wanted, context.environment)
    return from_pages(found, spec.file, spec.file, wanted)


def from_pages(found: Pdf, name: str, where: str, wanted: frozenset[int]) -> Fetched:
    """What was read as parts. Raises `SourceError` where no page has text."""
    parts = tuple(SourcePart(text, f"{name}, page {n}") for n, text in found.pages.items() if text.strip())
    if not parts:
        raise SourceError(
            f"{name} has no text on {'these' if wanted else 'its'} pages",
            code="E-source-missing",
            hint=f"It has {found.count} pages. If they are pictures of text, it has to be read by OCR first.",
        )
    silent = [str(n) for n, text in found.pages.items() if not text.strip()]
    notes = [f"Pages without text: {', '.join(silent[:_NAMED_MAX])}{' …' if len(silent) > _NAMED_MAX else ''}."]
    left = (len(wanted) or found.count) - len(found.pages)
    told = (
        *(notes if silent else ()),
        *((f"Pages that are not there, or beyond {PAGES_MAX:,}: {left}.",) * (left > 0)),
    )
    said = one_line(clean(found.title))
    title = f" “{said}”" if said else ""
    return Fetched(parts, f"text of the PDF{title} {where}, {len(parts)} of {found.count} pages", told)


@dataclass(frozen=True, slots=True)
class Pdf:
    """`pages` are the texts of those that were asked for, by number from 1; `count` how many there are."""

    count: int
    pages: Mapping[int, str]
    title: str = ""
    problem: str = ""


def read_pdf(data: bytes, name: str, wanted: Collection[int], environment: Mapping[str, str]) -> Pdf:
    """The text of the pages that are wanted (none: all). `name` is what messages call it. Raises `SourceError`."""
    words = [str(page) for page in sorted(wanted)]
    told = read_apart(
        __name__, data, words, needs="pypdf", extra="pdf", name=name, environment=environment, timeout_s=_TIMEOUT_S
    )
    found = msgspec.convert(told, Pdf, strict=False)
    if found.problem:
        raise SourceError(f"{name}: {found.problem}", code="E-source-failed", hint="Save it again without a password.")
    return found


def _read_pages(data: bytes, words: Sequence[str]) -> dict[str, Any]:
    import pypdf

    reader = pypdf.PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"count": 0, "pages": {}, "problem": "it is locked with a password"}
    count = len(reader.pages)
    wanted = sorted(map(int, words)) or range(1, count + 1)
    numbers = [number for number in wanted if number <= count][:PAGES_MAX]
    pages = {number: encodable(reader.pages[number - 1].extract_text()) for number in numbers}
    title = encodable(str((reader.metadata.title if reader.metadata else "") or ""))[:_TITLE_CHARS]
    return {"count": count, "pages": pages, "title": title}


def pages_of(text: str) -> frozenset[int]:
    """The numbers that `1-3, 7` says. Raises `SourceError`."""
    found: set[int] = set()
    for piece in filter(None, map(str.strip, text.split(","))):
        match = _PAGES.fullmatch(piece)
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else 0
        if not 0 < first <= last or last - first >= PAGES_MAX:
            raise SourceError(
                f"{piece!r} says no pages", code="E-source-missing", hint="Say numbers and ranges: `pages = '1-3, 7'`."
            )
        found.update(range(first, last + 1))
    return frozenset(found)


SOURCE: Final = SourceKind("pdf", "the text of a PDF", PdfFile, "file", fetch)

if __name__ == "__main__":
    serve(_read_pages)
