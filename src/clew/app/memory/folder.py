"""Folders of memory that others keep: read block by block, and written back in their own form. Files that nothing was
said about stay as they are, to the byte; of the others only the blocks change that were triaged
(docs/reference/memory.md).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.app.intake.source import read_source
from clew.app.memory.pages import INDEX, STRAY, PageEntry, plain, shown
from clew.core.errors import NotFound
from clew.core.state.facts import Fact
from clew.core.text.cleaning import clean, one_line
from clew.core.text.segments import segments
from clew.documents.escaping import active
from clew.ledger.bounds import TEXT_CHARS_MAX, WHY_CHARS_MAX
from clew.workspace.disk import Disk, names

# claude: an index with links, topic files with front matter. codex: a handbook beside a summary. ours: pages of clew's
# own. plain: Markdown files.
Form = Literal["claude", "codex", "ours", "plain"]
FILES_MAX: Final = 300
SUMMARY: Final = "memory_summary.md"
_RAW: Final = "raw_memories.md"
_ITEM: Final = re.compile(r"(\s*)((?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?)(.*)")
_ENTRY: Final = re.compile(r"[-*+] (.*?)(?: ?\[(L-[0-9a-z]{4,16})(?:; [^\]]*)?\]\s*)?")
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

    path: Path
    form: Form
    texts: Mapping[str, str]
    pieces: tuple[FolderPiece, ...]


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


def pieces_of(file: str, text: str) -> Iterator[FolderPiece]:
    """The blocks of a text: a list entry with all that is indented below it, a paragraph, a table; code goes with what
    stands before it; of front matter the description. Headings, rulers and comments are not among them.
    """
    rows = clean(text).split("\n")
    for span in _spans(rows):
        yield from _pieces(file, rows, *span)


def _spans(rows: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The first and the last line of each of these blocks, from 1, and the headings above it."""
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


def entries_of(page: str) -> list[PageEntry]:
    """The entries of a topic's page, ours or anybody's: list entries with what is indented below them."""
    found: list[PageEntry] = []
    rows = page.split("\n")
    for first, last, _ in _spans(rows):
        if (entry := _ENTRY.fullmatch(rows[first - 1])) is not None:
            why = "\n".join(row.removeprefix("  ") for row in rows[first:last]).strip("\n")
            found.append(PageEntry(entry[2] or "", active(entry[1]).strip(), why, first))
    return [one for one in found if one.text]


def strays_of(
    page: str,
    facts: Sequence[Fact],
    ids: Callable[[str], Collection[str]],
    settled: Collection[str],
    *,
    is_ours: bool = False,
) -> list[PageEntry]:
    """The entries of a page that the facts do not say: added by hand, or one of ours that was changed there. Those
    whose words are `settled` (kept somewhere, or dropped) are none. `ids` gives the whole ids that a printed one may
    be. `is_ours`: the page is as clew wrote it, so that only what it carried along counts.
    """
    below = page.partition(f"\n## {STRAY}\n")
    first = below[0].count("\n") + 1 if is_ours else 0
    if is_ours and not below[1]:
        return []
    said = {plain(wording) for one in facts for wording in one.wordings} | {shown(fact) for fact in facts}
    by_id = {fact.id: fact for fact in facts}
    found = []
    for one in entries_of(page):
        words = plain(one.text)
        if one.line <= first or words in said or words in settled:
            continue
        known = [name for name in (ids(one.id) if one.id else ()) if name in by_id]
        found.append(one._replace(id=known[0] if known else ""))
    return found


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


def reworded(piece: FolderPiece, text: str, why: str) -> str:
    """The lines of a piece with other words, in the form that it has."""
    first, *rest = piece.raw.split("\n")
    item = _ITEM.match(first) or _DESCRIPTION.match(first)
    front, hang = (item[1] + item[2], " " * len(item[1] + item[2])) if item else ("", "")
    if why == piece.why:
        return "\n".join([front + text, *rest])
    return "\n".join([front + text, *(f"{hang}{row}".rstrip() for row in why.split("\n") if why)])


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


def _form(texts: Mapping[str, str]) -> Form:
    if SUMMARY in texts or _RAW in texts:
        return "codex"
    if any(text.startswith("---\n") and "\ndescription:" in text[:2000] for text in texts.values()):
        return "claude"
    return "claude" if INDEX in texts else "plain"
