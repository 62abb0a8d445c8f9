"""One document, whatever it is written in: which reader reads it, and its title and date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clew.core.text.cleaning import clean
from clew.core.text.segments import UNSEEN, segments
from clew.documents.entry import Lines
from clew.documents.grammar import identified
from clew.documents.parse import vocabulary
from clew.documents.parse.context import Head
from clew.documents.parse.draft import Draft
from clew.documents.parse.reader import Reader
from clew.documents.parse.records import Records
from clew.documents.parse.tree import Node, read_json
from clew.documents.parsed import Format, Parsed
from clew.documents.read_back import parse_own, profile_in

# What `clean` takes for the end of a line is none here, so that lines keep their numbers.
_NO_LINE_ENDS: Final = "\x0b\x0c\x85\u2028\u2029"
# They make emoji; `plain` takes them where they stand idle.
_JOINERS: Final = "\u200d\ufe0f"
_JSON_LINES_MAX: Final = 5_000
_NAME_WORDS_MAX: Final = 3
_KEY: Final = re.compile(r"\s*(?:- )?[\w.-]+:(?:\s|$)")
_LOOKED_AT_LINES: Final = 400
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
    is_yaml = ending in ("yaml", "yml") or (not ending.startswith(("md", "txt", "mark")) and _is_like_yaml(lines))
    return _text(lines, name, is_yaml=is_yaml)


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
    draft = Draft(lines)
    if ending != "jsonl" and (tree := read_json(source.lstrip("\ufeff"))):
        Records(draft).root(tree)
        return _result("json", draft, _named(tree))
    told = [at for at, line in enumerate(lines, 1) if line.strip()]
    first = [read_json(lines[at - 1], at) for at in told[:_JSON_LINES_MAX]]
    if sum(tree is not None and tree.pairs is not None for tree in first) * 2 <= len(first):
        return None
    records = Records(draft)
    is_beads = False
    for at, tree in zip(told, first, strict=False):
        if tree is not None and tree.pairs is not None:
            is_beads = is_beads or {"issue_type", "status"} <= {key for key, _ in tree.pairs}
            records.line(tree)
        else:
            draft.note(Lines(at, at))
    if len(told) > _JSON_LINES_MAX:
        draft.note(Lines(told[_JSON_LINES_MAX], len(lines)))
    return _result("beads" if is_beads else "jsonl", draft, "")


def _named(tree: Node) -> str:
    """The title that a tree gives itself."""
    found = {key: value.scalar for key, value in tree.pairs or () if value.scalar and value.is_text}
    return next((found[key] or "" for key in ("title", "name", "project") if key in found), "")


def _is_like_yaml(lines: Sequence[str]) -> bool:
    """Whether a text without a telling name has keys in every other line, and no heading."""
    told = [line for line in lines[:_LOOKED_AT_LINES] if line.strip()]
    keys = sum(_KEY.match(line) is not None for line in told)
    return len(told) > 2 and keys * 2 > len(told) and not any(line.startswith("#") for line in told)


def _text(lines: Sequence[str], name: str, *, is_yaml: bool) -> Parsed:
    draft = Draft(lines)
    reader = Reader(draft, _base(name))
    reader.read(segments(lines, comments=is_yaml))
    return _result("backlog" if reader.is_task else "yaml" if is_yaml else "markdown", draft, reader.title)


def _base(name: str) -> Head | None:
    """What a file's name says of lines that stand under no heading: `DECISIONS.md`, `TODO.txt`."""
    stem = re.sub(r"[_\-.]+", " ", name.rpartition("/")[2].rpartition(".")[0])
    found = vocabulary.exact(stem) if stem.count(" ") <= _NAME_WORDS_MAX else None
    # "STATUS.md" says no more of its lines than these do.
    is_vague = found is None or found.kind == "finding" or found.listed
    return None if is_vague else Head(stem, found, is_title=True)


def _result(form: Format, draft: Draft, title: str) -> Parsed:
    entries = tuple(sorted(draft.entries, key=lambda entry: entry.lines))
    return Parsed(form, title, _newest(draft.lines), entries, draft.notes(), tuple(draft.headings))


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
