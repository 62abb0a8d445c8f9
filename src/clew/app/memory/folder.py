"""Folders of memory that others keep, read block by block; nothing in them changes (docs/reference/memory.md)."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.intake.source import read_source
from clew.app.memory.store import Scope, open_memory
from clew.app.memory.triage import item_id, read_item
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.core.errors import NotFound
from clew.core.state.events import Event
from clew.core.text.cleaning import clean, one_line, shorten
from clew.core.text.segments import segments
from clew.ledger.redaction import TEXT_CHARS_MAX, WHY_CHARS_MAX
from clew.workspace.disk import Disk, names

FILES_MAX: Final = 300
_LABEL_CHARS: Final = 120
_ITEM: Final = re.compile(r"(\s*)((?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?)(.*)")
_DESCRIPTION: Final = re.compile(r"()(description:\s+)(.*)")


class FolderPiece(NamedTuple):
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

    texts: Mapping[str, str]
    pieces: tuple[FolderPiece, ...]


def read_folder(path: Path) -> MemoryFolder:
    """The memory in the folder (or the one file) at `path`. Links are not followed. Raises `NotFound`, `InputError`."""
    if path.is_file():
        text = read_source(path, name=path.name).text
        return MemoryFolder({path.name: text}, tuple(pieces_of(path.name, text)))
    if not path.is_dir():
        raise NotFound(f"there is no folder {path}", code="E-memory-folder", hint="Name a folder of Markdown files.")
    disk = Disk(path)
    texts: dict[str, str] = {}
    for name in (one.lstrip("/") for one in names(disk, "", ending=".md", deep=True, limit=FILES_MAX)):
        texts[name] = read_source(path / name, name=name).text
    if not texts:
        raise NotFound(f"{path} holds no Markdown file", code="E-memory-folder", hint="Name the folder itself.")
    pieces = tuple(piece for name in sorted(texts) for piece in pieces_of(name, texts[name]))
    return MemoryFolder(texts, pieces)


def pieces_of(file: str, text: str) -> Iterator[FolderPiece]:
    """The blocks of a text: a list entry with all that is indented below it, a paragraph, a table; code goes with what
    stands before it; of front matter the description. Headings, rulers and comments are not among them.
    """
    rows = clean(text).split("\n")
    for span in spans(rows):
        yield from _pieces(file, rows, *span)


def spans(rows: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The first and the last line of each of the blocks that `pieces_of` gives, from 1, and the headings above it."""
    above: list[tuple[int, str]] = []
    first = last = 0
    before = ""
    for block in segments(rows):
        goes_on = first and (
            block.form == "code"
            or (block.form in ("item", "text", "row") and block.level > (block.form == "item"))
            or (block.form in ("text", "row") and block.form == before and block.first == last + 1)
        )
        if not goes_on:
            if first:
                yield first, last, " › ".join(title for _, title in above)
            first = block.first if block.form in ("item", "text", "row", "code") else 0
        last, before = block.last, block.form
        if block.form == "heading":
            above = [*(one for one in above if one[0] < block.level), (block.level, one_line(block.text))]
        elif block.form == "matter":
            described = (at for at in range(block.first, block.last + 1) if _DESCRIPTION.fullmatch(rows[at - 1]))
            yield from ((at, at, "") for at in described)
    if first:
        yield first, last, " › ".join(title for _, title in above)


def _pieces(file: str, rows: Sequence[str], first: int, last: int, heading: str) -> Iterator[FolderPiece]:
    """The lines `first` to `last` (from 1) as a piece; what is too long for an item as several."""
    while first <= last:
        end, chars = first, 0
        while end < last and chars + len(rows[end]) < WHY_CHARS_MAX // 2:
            chars += len(rows[end]) + 1
            end += 1
        text, why = _told(rows[first - 1 : end])
        if text:
            yield FolderPiece(file, first, end, "\n".join(rows[first - 1 : end]), heading, text, why)
        first = end + 1


def _told(rows: Sequence[str]) -> tuple[str, str]:
    item = _ITEM.match(rows[0]) or _DESCRIPTION.match(rows[0])
    text = one_line(item[3] if item else rows[0])
    rest = textwrap.dedent("\n".join(rows[1:])).strip("\n")
    if len(text) > TEXT_CHARS_MAX:
        cut = text.rfind(" ", TEXT_CHARS_MAX // 2, TEXT_CHARS_MAX - 2)
        cut = cut if cut > 0 else TEXT_CHARS_MAX - 2
        text, rest = text[:cut].rstrip() + "…", "\n".join(part for part in (f"…{text[cut:].lstrip()}", rest) if part)
    return text, rest


class FolderImport(JsonResult, frozen=True):
    """What reading a folder did: how many pieces are new, known already (waiting, kept or dropped), and of how many
    files.
    """

    folder: Path
    new: int
    known: int
    files: int


def import_folder(project: ProjectHandle, scope: Scope, path: Path, name: str = "") -> FolderImport:
    """Let every piece of the memory in a folder wait for triage, but for those that did before. `name` is how its files
    are called in sources ("" as they are). Nothing in the folder changes. Raises as `read_folder`.
    """
    with open_memory(project, scope, write=True) as memory:
        at = memory.at
        folder = read_folder(path)
        known = at.ledger.fold("").entities
        events: dict[str, Event] = {}
        for piece in folder.pieces:
            item = item_id(piece.file, piece.raw.strip())
            if item not in known and item not in events:
                source = f"{name}:{piece.source}" if name else piece.source
                heading = at.safe(shorten(piece.heading, _LABEL_CHARS))
                words = at.safe(piece.text), at.safe_lines(piece.why)
                events[item] = read_item(at, item, *words, source, heading)
        at.keep(list(events.values()))
    return FolderImport(path, len(events), len(folder.pieces) - len(events), len(folder.texts))
