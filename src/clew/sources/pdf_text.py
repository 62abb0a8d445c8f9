"""The text of a PDF, page by page, read in a process of its own: `python -m clew.sources.pdf_text`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import msgspec

from clew.sources.apart import read_apart, serve
from clew.sources.port import SourceError, encodable

BYTES_MAX: Final = 50 << 20
PAGES_MAX: Final = 2_000
_TIMEOUT_S: Final = 120.0
_TITLE_CHARS: Final = 200


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
        raise SourceError(f"{name}: {found.problem}", code="E-source-failed", hint="Save it anew without a password.")
    return found


def _read(data: bytes, words: Sequence[str]) -> dict[str, Any]:
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


if __name__ == "__main__":
    serve(_read)
