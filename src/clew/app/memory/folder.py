"""Folders of memory that others keep: read block by block, and written back in their own form. Files that nothing was
said about stay as they are, to the byte; of the others only the blocks change that were triaged
(docs/reference/memory.md).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.app.intake.source import read_source
from clew.core.errors import NotFound
from clew.core.text.cleaning import clean, one_line
from clew.ledger.bounds import TEXT_CHARS_MAX, WHY_CHARS_MAX
from clew.workspace.disk import Disk
from clew.workspace.inside import names

# claude: an index with links, topic files with front matter. codex: a handbook beside a summary. ours: pages of clew's
# own. plain: Markdown files.
Form = Literal["claude", "codex", "ours", "plain"]
FILES_MAX: Final = 300
INDEX: Final = "MEMORY.md"
SUMMARY: Final = "memory_summary.md"
_RAW: Final = "raw_memories.md"
_ITEM: Final = re.compile(r"(\s*)((?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?)(.*)")
_DESCRIPTION: Final = re.compile(r"()(description:\s+)(.*)")
_HEADING: Final = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_RULER: Final = re.compile(r"\s*(?:[-*_]\s*){3,}$")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_MATTER_LINES_MAX: Final = 60


class Piece(NamedTuple):
    """A block of a file that says something: its lines (`first` to `last`, from 1), as they stand there in `raw`, and
    the headings above them. `text` is its first line without the mark of a list, `why` what stands below.
    """

    file: str
    first: int
    last: int
    raw: str
    heading: str
    text: str
    why: str

    @property
    def source(self) -> str:
        """Where it stands, for people."""
        return f"{self.file}:{self.first}"


class MemoryFolder(NamedTuple):
    """A folder as it was read: the text of each file by its name, and the pieces in their order."""

    path: Path
    form: Form
    texts: Mapping[str, str]
    pieces: tuple[Piece, ...]


def read_folder(path: Path) -> MemoryFolder:
    """The memory in the folder (or the one file) at `path`. Links are not followed. Raises `NotFound`, `InputError`."""
    if path.is_file():
        text = read_source(path, name=path.name).text
        return MemoryFolder(path.parent, "plain", {path.name: text}, tuple(pieces_of(path.name, text)))
    if not path.is_dir():
        raise NotFound(f"there is no folder {path}", code="E-memory-folder", hint="Name a folder of Markdown files.")
    disk = Disk(path)
    texts: dict[str, str] = {}
    for name in (one.lstrip("/") for one in names(disk, "", ending=".md", deep=True, limit=FILES_MAX)):
        texts[name] = read_source(path / name, name=name).text
    if not texts:
        raise NotFound(f"{path} holds no Markdown file", code="E-memory-folder", hint="Name the folder itself.")
    pieces = tuple(piece for name in sorted(texts) for piece in pieces_of(name, texts[name]))
    return MemoryFolder(path, _form(texts), texts, pieces)


def pieces_of(file: str, text: str) -> Iterator[Piece]:
    """The blocks of a text: a list entry with all that is indented below it, a paragraph, a table; code goes with what
    stands before it; of front matter the description. Headings and rulers are not among them.
    """
    rows = clean(text).split("\n")
    above: list[tuple[int, str]] = []
    for number in range(_matter(rows)):
        if _DESCRIPTION.fullmatch(rows[number]):
            yield from _pieces(file, rows, number, number, "")
    for first, last in _blocks(rows):
        found = _HEADING.match(rows[first])
        if found is not None:
            above = [one for one in above if one[0] < len(found[1])]
            above.append((len(found[1]), one_line(found[2])))
            continue
        yield from _pieces(file, rows, first, last, " › ".join(title for _, title in above))


def with_changes(text: str, changes: Mapping[tuple[int, int], str | None]) -> str:
    """`text` with the lines of some pieces (by first and last) in other words, or (None) taken out."""
    rows = text.split("\n")
    for (first, last), new in sorted(changes.items(), reverse=True):
        end = last
        if new is None:
            while first > 1 and not rows[first - 2].strip() and end < len(rows) and not rows[end].strip():
                end += 1  # no two blank lines where there was one
        rows[first - 1 : end] = [] if new is None else new.split("\n")
    return "\n".join(rows)


def reworded(piece: Piece, text: str, why: str) -> str:
    """The lines of a piece with other words, in the form that it has."""
    first, *rest = piece.raw.split("\n")
    item = _ITEM.match(first) or _DESCRIPTION.match(first)
    front, hang = (item[1] + item[2], " " * len(item[1] + item[2])) if item else ("", "")
    if why == piece.why:
        return "\n".join([front + text, *rest])
    return "\n".join([front + text, *(f"{hang}{row}".rstrip() for row in why.split("\n") if why)])


def _blocks(rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last index of each block and of each heading."""
    at = _matter(rows)
    begun = -1
    fence = ""
    blank = False
    indent = 0
    for number in range(at, len(rows)):
        row = rows[number]
        mark = _FENCE.match(row)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not row.strip().strip(fence[0]) else fence
            continue
        if not row.strip():
            blank = True
            continue
        if _HEADING.match(row):
            if begun >= 0:
                yield begun, _end(rows, begun, number)
            yield number, number
            begun, blank = -1, False
            continue
        deep = len(row) - len(row.lstrip())
        goes_on = begun >= 0 and (mark is not None or (deep > indent) or (not blank and not _begins(row, rows[begun])))
        if not goes_on:
            if begun >= 0:
                yield begun, _end(rows, begun, number)
            begun, indent = number, deep
        if mark is not None:
            fence = mark[1]
        blank = False
    if begun >= 0:
        yield begun, _end(rows, begun, len(rows))


def _begins(row: str, above: str) -> bool:
    """Whether a line begins a block of its own right below another one: an entry, or a line behind a ruler."""
    return _ITEM.match(row) is not None or _RULER.match(row) is not None or _RULER.match(above) is not None


def _end(rows: Sequence[str], first: int, behind: int) -> int:
    last = behind - 1
    while last > first and not rows[last].strip():
        last -= 1
    return last


def _matter(rows: Sequence[str]) -> int:
    """The index of the first line behind the front matter."""
    if not rows or rows[0].rstrip() != "---":
        return 0
    return next((at + 1 for at in range(1, min(len(rows), _MATTER_LINES_MAX)) if rows[at].rstrip() == "---"), 0)


def _pieces(file: str, rows: Sequence[str], first: int, last: int, heading: str) -> Iterator[Piece]:
    """A block as a piece; one that is too long for an item as several, cut between lines."""
    if _RULER.match(rows[first]) and first == last:
        return
    start = first
    while start <= last:
        end, chars = start, 0
        while end < last and chars + len(rows[end + 1]) < WHY_CHARS_MAX // 2:
            end += 1
            chars += len(rows[end]) + 1
        raw = "\n".join(rows[start : end + 1])
        text, why = _told(rows[start : end + 1])
        if text:
            yield Piece(file, start + 1, end + 1, raw, heading, text, why)
        start = end + 1


def _told(rows: Sequence[str]) -> tuple[str, str]:
    item = _ITEM.match(rows[0]) or _DESCRIPTION.match(rows[0])
    text = one_line(item[3] if item else rows[0])
    rest = textwrap.dedent("\n".join(rows[1:])).strip("\n")
    if len(text) > TEXT_CHARS_MAX:
        cut = text.rfind(" ", TEXT_CHARS_MAX // 2, TEXT_CHARS_MAX - 2)
        cut = cut if cut > 0 else TEXT_CHARS_MAX - 2
        text, rest = text[:cut].rstrip() + "…", "\n".join(part for part in (f"…{text[cut:].lstrip()}", rest) if part)
    return text, rest


def _form(texts: Mapping[str, str]) -> Form:
    if SUMMARY in texts or _RAW in texts:
        return "codex"
    if any(text.startswith("---\n") and "\ndescription:" in text[:2000] for text in texts.values()):
        return "claude"
    return "claude" if INDEX in texts else "plain"
