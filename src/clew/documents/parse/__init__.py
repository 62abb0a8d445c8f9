"""What people and tools write, read: hand-offs, plans, journals, progress and state files, as entries, notes and
headings. Segments well and guesses modestly: what is not certain is a note. Anything is read, nothing is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clew.core.state import headings
from clew.core.text.cleaning import clean
from clew.core.text.segments import UNSEEN, segments
from clew.documents.entry import Format, Lines, Parsed
from clew.documents.grammar import identified
from clew.documents.parse.collector import Collector
from clew.documents.parse.context import Above
from clew.documents.parse.reader import BlockReader
from clew.documents.parse.records import JsonNode, Records, read_json
from clew.documents.read_back import parse_own, profile_in

# What `clean` takes for the end of a line is none here, so that lines keep their numbers.
_NO_LINE_ENDS: Final = "\x0b\x0c\x85\u2028\u2029"
# They make emoji; `plain` takes them where they stand idle.
_JOINERS: Final = "\u200d\ufe0f"
_JSON_LINES_MAX: Final = 5_000
_NAME_WORDS_MAX: Final = 3
_DATED: Final = (
    r"(?:session[ _])?(?:date|created|updated|modified|timestamp|generated|written|reviewed|verified|amended|as of)"
    r"|last[ _-]?(?:updated?|modified|reviewed|verified|edited|changed)|updated[ _]?(?:at|date)|session"
)
# A heading, or a line that tells a document's date.
_DATE_LINE: Final = re.compile(rf"\s*(?:#|\W{{0,5}}(?:{_DATED})\b)", re.IGNORECASE)
_DATE: Final = re.compile(r"(?<![\d-])20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)")
_FRONT_CHARS: Final = 2000


def parse(text: str, *, name: str = "") -> Parsed:
    """A document taken apart. `name` is the file's name, only a hint. Never fails: what is not understood is a note."""
    original = text.replace("\r\n", "\n").replace("\r", "\n")
    if profile := profile_in(original):
        return _with_ids(parse_own(original, profile, lambda part: _foreign(part, name)))
    return _with_ids(_foreign(original, name))


def _with_ids(parsed: Parsed) -> Parsed:
    return parsed._replace(entries=tuple(map(identified, parsed.entries)))


def _foreign(original: str, name: str) -> Parsed:
    """Somebody else's document."""
    source = _cleaned(original)
    lines = source.split("\n")
    if len(source) != len(original):
        # Lines on which nothing can be seen are not blank for an editor.
        for at, line in enumerate(original.split("\n")):
            if line.strip() and not lines[at].strip():
                lines[at] = UNSEEN
    ending = name.lower().rpartition(".")[2]
    if source.lstrip("\ufeff \t\n")[:1] in ("{", "[") and (read := _data(source, lines, ending)):
        return read
    return _text(lines, name, is_yaml=ending in ("yaml", "yml"))


def _cleaned(text: str) -> str:
    """`clean`, with the lines as they are, and for large texts in which few kinds of characters have to go."""
    odd = [char for char in set(text) if not "\x20" <= char <= "\x7e" and char not in _JOINERS and clean(char) != char]
    for char in odd:
        if char in _NO_LINE_ENDS:
            text = text.replace(char, " ")
    if "\x1b" in odd or "\x9b" in odd or len(odd) > 20:
        # A sequence that nobody closed may not take line ends with it.
        return "\n".join(map(clean, text.split("\n")))
    for char in odd:
        text = text.replace(char, "")
    return text


def _data(source: str, lines: Sequence[str], ending: str) -> Parsed | None:
    """A JSON document or lines of JSON; None if it is neither."""
    found = Collector(lines)
    if ending != "jsonl" and (tree := read_json(source.lstrip("\ufeff"))):
        Records(found).root(tree)
        return _result("json", found, _named(tree))
    told = [at for at, line in enumerate(lines, 1) if line.strip()]
    trees = [read_json(lines[at - 1], at) for at in told[:_JSON_LINES_MAX]]
    maps = [tree for tree in trees if tree is not None and tree.pairs is not None]
    if len(maps) * 2 <= len(trees):
        return None
    records = Records(found)
    for at, tree in zip(told, trees, strict=False):
        if tree is not None and tree.pairs is not None:
            records.line(tree)
        else:
            found.note(Lines(at, at))
    if len(told) > _JSON_LINES_MAX:
        found.note(Lines(told[_JSON_LINES_MAX], len(lines)))
    is_beads = any({"issue_type", "status"} <= {key for key, _ in tree.pairs or ()} for tree in maps)
    return _result("beads" if is_beads else "jsonl", found, "")


def _named(tree: JsonNode) -> str:
    """The title that a tree gives itself."""
    found = {key: value.scalar for key, value in tree.pairs or () if value.scalar and value.is_text}
    return next((found[key] or "" for key in ("title", "name", "project") if key in found), "")


def _text(lines: Sequence[str], name: str, *, is_yaml: bool) -> Parsed:
    found = Collector(lines)
    reader = BlockReader(found, _base(name))
    reader.read(segments(lines, comments=is_yaml))
    return _result("backlog" if reader.is_task else "yaml" if is_yaml else "markdown", found, reader.title)


def _base(name: str) -> Above | None:
    """What a file's name says of lines that stand under no heading: `DECISIONS.md`, `TODO.txt`."""
    stem = re.sub(r"[_\-.]+", " ", name.rpartition("/")[2].rpartition(".")[0])
    named = headings.exact(stem) if stem.count(" ") <= _NAME_WORDS_MAX else None
    # "STATUS.md" says no more of its lines than these do.
    return Above(stem, named, is_title=True) if named and named.kind != "finding" and not named.listed else None


def _result(form: Format, found: Collector, title: str) -> Parsed:
    entries = tuple(sorted(found.entries, key=lambda entry: entry.lines))
    return Parsed(form, title, _newest(found.lines), entries, found.notes(), tuple(found.headings))


def _newest(lines: Sequence[str]) -> str:
    """The newest date in headings and in lines that are about dates; else the newest of the front part, "" none."""
    own, front, chars = "", "", 0
    for line in lines:
        if "20" in line and (found := _DATE.findall(line)):
            if _DATE_LINE.match(line):
                own = max(own, *found)
            elif chars < _FRONT_CHARS:
                front = max(front, *found)
        chars += len(line) + 1
    return own or front
