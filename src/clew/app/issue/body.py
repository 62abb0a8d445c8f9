"""The body of an issue: composed of entries, taken apart again, with what people wrote around them kept as it is. Pure.

A line of ours ends with its item's id in a comment, which readers do not see. What no list of ours holds (paragraphs,
code, tables, headings of others) is *raw*: it stays word for word, below the heading that it stood under. The block at
the end is for programs; readers do not see it either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import msgspec
from msgspec.structs import replace

from clew.core.state.ids import IDENTITY_CHARS, identity
from clew.documents.entry import Entry, Parsed
from clew.documents.grammar import line_of
from clew.documents.parse import parse
from clew.documents.profiles import ISSUE, Section
from clew.documents.read_back import is_nothing, parse_own

# GitHub's own limit of a body, in characters.
BODY_CHARS_MAX: Final = 65_536
SEEN_MAX: Final = 8
LABEL: Final = "clew"

INTRO: Final = (
    "> Kept by `clew`. Tick, reword, add or delete lines as you like: the next `clew issue pull` takes it over. "
    "What stands outside the lists stays as it is."
)
READ_FIRST: Final = "Read first"
_READ_AGAIN: Final = "Assume that any earlier picture of these files is stale: read them again before you go on"
_CUT: Final = "Left out for lack of room: "
_SECTIONS: Final[Mapping[str, Section]] = {section.heading: section for section in ISSUE.sections}
_PINNED: Final = ISSUE.sections[-1].heading
# They stand there also with nothing under them, so that people see where to write.
FIXED: Final = tuple(heading for heading in _SECTIONS if heading not in ("Goal", _PINNED))
_LEFT_OUT: Final = frozenset(ISSUE.left_out)
# Of the kinds that the body does not show, those that say something to the next session.
_TELLING: Final = frozenset(("hypothesis", "assumption", "finding", "learning", "validation"))
_HEADINGS_MIN: Final = 2

# What the template asks for below each heading: comments, which are not seen in the issue and are nobody's words.
ASKED: Final[Mapping[str, str]] = {
    "Goal": "<!-- What is to be true when this is done. -->",
    "Current status": "<!-- One line a phase or step, each with a box: - [ ] Phase 1: what, and how it is proved -->",
    "Decisions locked": "<!-- One line each, with the reason behind a dash: - what we do — why -->",
    "Failed approaches (do not retry)": "<!-- What was tried and why it failed, with the real error. -->",
    "Open risks": "<!-- What may go wrong, and what is open: - question: who decides that? -->",
    "Resume instruction": "<!-- The one next thing, with file and line. What not to forget. -->",
}

_ASKED: Final = frozenset(ASKED.values())
# A damaged one is ours as well.
_BLOCK: Final = re.compile(r"<!-- ?clew:issue\b(.*?)-->", re.DOTALL)
_BLOCK_BYTES_MAX: Final = 16 << 10
_ID: Final = rf"[A-Z]-[0-9a-z]{{4,{IDENTITY_CHARS}}}"
_HIDDEN_ID: Final = re.compile(rf" ?<!-- ?({_ID}) ?-->(?=\s*$)", re.MULTILINE)
_SHOWN_ID: Final = re.compile(rf" \(({_ID})\)$")
# One that nobody closed is none: else the lists behind it would be gone.
_COMMENT: Final = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING: Final = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*$")
_BOX: Final = re.compile(r"\s*[-*+]\s+(?:\(verify first\) )?\[([ xX])\]")
_PHASE: Final = re.compile(r"phase \d", re.IGNORECASE)
_PATH: Final = re.compile(r"- `[^`]+`$")


class HiddenBlock(msgspec.Struct, frozen=True):
    """What the body says to programs.

    `hid` names the issue whatever becomes of its number. `rev` names what was written, `seen` the revisions that it
    was made from, the newest first. `commit` ("" none) and `branch` are where the work stood; `read` are pairs of path
    and blob id ("" not there) of the files to read first. `text` is a digest of all that readers see. `at` is where the
    issue was when it was linked first, "" where it still is there.
    """

    hid: str = msgspec.field(name="id")
    rev: str = ""
    seen: tuple[str, ...] = ()
    commit: str = ""
    branch: str = ""
    read: tuple[tuple[str, str], ...] = ()
    text: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Raw:
    """Words that are nobody's entry, as they stand. `under` is the heading of ours before it, "" above all of them."""

    under: str
    text: str


@dataclass(frozen=True, slots=True)
class Body:
    """A body, taken apart. `entries` are those that a body of ours shows, in their order; `more` says what it does not
    show, and stands in `raws` as well. `untouched`: it is as a program of ours wrote it, to the letter.
    """

    entries: tuple[Entry, ...]
    more: tuple[Entry, ...]
    raws: tuple[Raw, ...]
    block: HiddenBlock | None
    untouched: bool


def marker(hid: str) -> str:
    """By which an issue is found again: it stands in the block."""
    return f'"id":"{hid}"'


def compose(
    entries: Sequence[tuple[Section, Entry]], raws: Sequence[Raw], block: HiddenBlock, *, left_out: int, task: str
) -> str:
    """The body that shows `entries` (each with its section, all with ids), and the block with what follows from that.

    `left_out` items had no room; `task` is how the person asks for them.
    """
    parts = [INTRO, *(raw.text for raw in raws if not raw.under)]
    headings = [*_SECTIONS, READ_FIRST]
    for heading in headings:
        rows = _read_rows(block) if heading == READ_FIRST else _rows(_SECTIONS[heading], entries)
        if rows:
            parts.append(f"## {heading}\n" + "\n".join(rows))
        parts += [raw.text for raw in raws if raw.under == heading]
    if left_out:
        items = "1 item" if left_out == 1 else f"{left_out} items"
        parts.append(f"{_CUT}{items}. `clew resume{f' {task}' if task else ''}` where the ledger is has all of it.")
    text = "\n\n".join(parts)
    digest = _digest(text)
    # The same text a second time is another revision: what it was made from stands in it.
    read_first = (f"{blob} {path}" for path, blob in block.read)
    rev = identity("issue-body", block.hid, text, block.commit, block.branch, *block.seen[:SEEN_MAX], *read_first)
    return f"{text}\n\n{_written(replace(block, rev=rev, text=digest))}\n"


def read(text: str) -> Body:
    """A body, taken apart, whoever wrote it. Never fails: what is not understood is raw."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    block, visible = _without_block(text)
    rows = _HIDDEN_ID.sub(r" (\1)", visible).split("\n")
    original = visible.split("\n")
    masked = _masked(original)
    plain = "\n".join("" if at in masked else row for at, row in enumerate(rows, 1))
    known = {heading for at, row in enumerate(rows, 1) if at not in masked and (heading := _own_heading(row))}
    is_ours = block is not None or len(known) >= _HEADINGS_MIN
    parsed = parse_own(plain, ISSUE, _foreign) if is_ours else _foreign(plain)
    under = _under(rows, is_ours=is_ours)
    shown = [
        _ticked(one, rows[one.lines.first - 1])
        for one in parsed.entries
        if one.kind not in _LEFT_OUT or under[one.lines.first] == _PINNED
    ]
    more = [one for one in parsed.entries if one.kind in _TELLING and under[one.lines.first] != _PINNED]
    shown = _nested(shown, original)
    used = {at for one in shown for at in range(one.lines.first, one.lines.last + 1)}
    made = {at for at, row in enumerate(rows, 1) if at not in masked and _is_made(row, under[at])}
    made |= {at for at, row in enumerate(rows, 1) if row.strip() in _ASKED}
    own = {at for at, row in enumerate(rows, 1) if is_ours and at not in masked and _own_heading(row)}
    raws = _raws(original, used=used, skipped=made | own, under=under)
    untouched = block is not None and _digest(visible.strip()) == block.text
    return Body(tuple(shown), tuple(more), tuple(raws), block, untouched)


def speaking(text: str) -> str:
    """What of a body of ours says something, line by line: without ids and digests, which look like anything. Of the
    block the names stay.
    """

    def names(found: re.Match[str]) -> str:
        block = _block_in(found[1].strip())
        told = " ".join((block.branch, *(path for path, _ in block.read))) if block else found[0]
        return told + "\n" * (found[0].count("\n") - told.count("\n"))

    return _BLOCK.sub(names, _HIDDEN_ID.sub("", text))


def _rows(section: Section, entries: Iterable[tuple[Section, Entry]]) -> list[str]:
    rows, depth = [], -1
    for of, entry in entries:
        if of is section:
            depth = min(entry.depth, depth + 1)  # below nothing it stands at the front
            rows.append("  " * depth + _SHOWN_ID.sub(r" <!-- \1 -->", line_of(entry, section)))
    return rows or (["- not recorded"] if section.heading in FIXED else [])


def _read_rows(block: HiddenBlock) -> list[str]:
    if not block.read:
        return []
    at = f" (commit {block.commit[:10]})" if block.commit else ""
    return [f"{_READ_AGAIN}{at}.", "", *(f"- `{path}`" for path, _ in block.read)]


def _written(block: HiddenBlock) -> str:
    told = {"v": 1, **msgspec.to_builtins(replace(block, seen=block.seen[:SEEN_MAX]))}
    if not block.at:
        del told["at"]
    # Nothing in it ends the comment.
    content = msgspec.json.encode(told).decode().replace(">", "\\u003e").replace("<", "\\u003c")
    return f"<!-- clew:issue\n{content}\n-->"


def block_of(text: str) -> HiddenBlock | None:
    """The block of a body."""
    return _without_block(text)[0]


def _without_block(text: str) -> tuple[HiddenBlock | None, str]:
    """The block and the text with blank lines in its place; the last one, if somebody copied it."""
    block = None
    for found in _BLOCK.finditer(text):
        block = _block_in(found[1].strip()) or block
    return block, _BLOCK.sub(lambda found: "\n" * found[0].count("\n"), text)


def _block_in(content: str) -> HiddenBlock | None:
    if len(content) > _BLOCK_BYTES_MAX:
        return None
    try:
        block = msgspec.json.decode(content, type=HiddenBlock)
    except (ValueError, RecursionError):
        return None
    if not re.fullmatch(r"[0-9a-z]{16}", block.hid):
        return None
    commit = block.commit if re.fullmatch(r"[0-9a-f]{40,64}", block.commit) else ""
    return replace(block, commit=commit, seen=block.seen[:SEEN_MAX])


def _digest(text: str) -> str:
    return blake2b(text.strip().encode("utf-8", "replace"), digest_size=10).hexdigest()


def _masked(rows: Sequence[str]) -> set[int]:
    """The numbers of the lines in which no list of ours can be: code, tables, comments over whole lines."""
    masked = {at for first, last, _ in _fences(rows, _own_heading) for at in range(first, last + 1)}
    masked |= {at for at, row in enumerate(rows, 1) if row.lstrip().startswith("|")}
    text = "\n".join(rows)
    for comment in _COMMENT.finditer(text):
        first = text.count("\n", 0, comment.start()) + 1
        last = first + comment[0].count("\n")
        before = rows[first - 1].partition("<!--")[0].strip() if last == first else rows[first - 1].split("<!--")[0]
        if not before.strip():
            masked |= set(range(first, last + 1))
    return masked


def _ticked(entry: Entry, row: str) -> Entry:
    """The entry as its box has it: also of a step that a person said or a command proved, where the grammar goes by
    the words alone. A line that begins with "Phase 2" is one.
    """
    if entry.kind == "step" and not entry.id and _PHASE.match(entry.text):
        entry = entry._replace(kind="phase")
    box = _BOX.match(row) if entry.kind in ("step", "phase") else None
    if box is None or entry.said == "claimed":
        return entry
    if box[1] != " " and entry.said == "user" and entry.status != "done":
        return entry._replace(status="done")
    if box[1] == " " and (entry.said == "proved" or entry.status == "done"):
        return entry._replace(status="pending", said="claimed")
    return entry


def _nested(entries: Sequence[Entry], rows: Sequence[str]) -> list[Entry]:
    """The entries with how deep each is nested below the one before, as GitHub shows lists."""
    found: list[Entry] = []
    open_: list[int] = []
    last = 0
    for entry in entries:
        row = rows[entry.lines.first - 1].expandtabs(4)
        indent = len(row) - len(row.lstrip(" "))
        if any(_HEADING.match(one) for one in rows[last : entry.lines.first - 1]):
            open_ = []
        while open_ and open_[-1] >= indent - 1:
            open_.pop()
        found.append(entry._replace(depth=len(open_)))
        open_.append(indent)
        last = entry.lines.last
    return found


def _fences(rows: Sequence[str], heading: Callable[[str], str]) -> Iterator[tuple[int, int, str]]:
    """Code between fences: its first and last line, and the fence if nobody closed it before the next `heading`."""
    start, fence = 0, ""
    for at, row in enumerate((*rows, ""), 1):
        found = _FENCE.match(row)
        if fence and found and found[1].startswith(fence) and not row[found.end() :].strip():
            yield start, at, ""
            fence = ""
        elif fence and (heading(row) or at > len(rows)):
            yield start, at - 1, fence
            fence = ""
        elif not fence and found:
            start, fence = at, found[1]


def _foreign(text: str) -> Parsed:
    return parse(text, name="issue.md")


def _own_heading(row: str) -> str:
    """The heading of ours that a line is, "" none."""
    found = _HEADING.match(row)
    return found[1] if found and (found[1] in _SECTIONS or found[1] == READ_FIRST) else ""


def _under(rows: Sequence[str], *, is_ours: bool) -> list[str]:
    """For each line (from 1) the heading of ours that it stands under, "" for none; nobody else's is one."""
    under, heading = [""], ""
    for row in rows:
        heading = (_own_heading(row) if is_ours else "") or heading
        under.append(heading)
    return under


def _is_made(row: str, under: str) -> bool:
    """Whether a line is one that we set around the entries."""
    told = row.strip()
    if told == INTRO or told.startswith(_CUT):
        return True
    if under == READ_FIRST:
        return told.startswith(_READ_AGAIN) or _PATH.match(told) is not None
    return bool(under) and is_nothing(told)


def _raws(rows: Sequence[str], *, used: set[int], skipped: set[int], under: Sequence[str]) -> list[Raw]:
    """What is in no entry and is not ours, in pieces as it stands together."""
    found: list[Raw] = []
    piece: list[str] = []
    where = ""

    def end(*, before_entry: bool) -> None:
        if before_entry:
            # A heading of somebody's whose entries are told under ours now says nothing any more.
            while piece and (not piece[-1].strip() or _HEADING.match(piece[-1])):
                piece.pop()
        text = "\n".join(piece).strip("\n").rstrip()
        if text.strip():
            # What follows in the body is no code.
            open_fence = "".join(f"\n{fence}" for _, _, fence in _fences(text.split("\n"), lambda _: "") if fence)
            found.append(Raw(where, f"{text}{open_fence}"))
        piece.clear()

    for at, row in enumerate(rows, 1):
        if at in used or at in skipped:
            end(before_entry=at in used)
            continue
        if not piece:
            where = under[at]
        piece.append(row)
    end(before_entry=False)
    return found
