"""The text of a PDF, page by page: read in a process of its own, since a file can make a reader run for ever or take
all memory. `python -m clew.sources.pdf_text` reads one from stdin and writes what is in it to stdout as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.sources.port import SourceError, encodable
from clew.workspace.process import LimitExceeded, run

BYTES_MAX: Final = 50 << 20
PAGES_MAX: Final = 2_000
_TIMEOUT_S: Final = 120.0
_MEMORY_BYTES: Final = 2 << 30
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
    if find_spec("pypdf") is None:
        raise SourceError(
            "text of PDFs needs the package `pypdf`, which is not installed",
            code="E-source-extra",
            hint="Install clew with it, from its checkout: `pipx install '.[pdf]'`, `uv tool install '.[pdf]'`.",
        )
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        given = Path(folder, "given.pdf")
        given.write_bytes(data)
        # Nothing of the folder that we stand in is imported, nor what variables name.
        argv = (sys.executable, "-E", "-P", "-m", __name__, *(str(page) for page in sorted(wanted)))
        kept = {key: value for key, value in environment.items() if key in ("PATH", "HOME", "LANG", "SYSTEMROOT")}
        try:
            done = run(argv, environment=kept, timeout_s=_TIMEOUT_S, given=str(given))
        except LimitExceeded as error:
            raise SourceError(
                f"{name} cannot be read: {error}", code="E-source-large", hint="Name fewer pages of it with `pages`."
            ) from None
    if done.code:
        said = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2][:_TITLE_CHARS]
        raise SourceError(
            f"{name} cannot be read as a PDF: {said or 'its reader was ended'}",
            code="E-source-failed",
            hint="See whether a viewer opens it.",
        )
    found = msgspec.json.decode(done.out, type=Pdf)
    if found.problem:
        raise SourceError(f"{name}: {found.problem}", code="E-source-failed", hint="Save it anew without a password.")
    return found


def _bounded() -> None:
    """What a file makes of this process ends it, and nothing else."""
    if os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


def _read(data: bytes, wanted: Collection[int]) -> dict[str, Any]:
    import pypdf

    reader = pypdf.PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"count": 0, "pages": {}, "problem": "it is locked with a password"}
    count = len(reader.pages)
    numbers = [number for number in (sorted(wanted) or range(1, count + 1)) if number <= count][:PAGES_MAX]
    pages = {number: encodable(reader.pages[number - 1].extract_text()) for number in numbers}
    title = encodable(str((reader.metadata.title if reader.metadata else "") or ""))[:_TITLE_CHARS]
    return {"count": count, "pages": pages, "title": title}


if __name__ == "__main__":
    _bounded()
    try:
        told = _read(sys.stdin.buffer.read(), {int(word) for word in sys.argv[1:]})
    except Exception as error:  # whatever a broken file makes the reader do
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.exit(1)
    sys.stdout.write(json.dumps(told))
