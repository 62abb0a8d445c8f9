"""One document, whatever it is written in: which reader reads it, and what is left over becomes notes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.core.text import clean
from clew.documents.entry import Lines
from clew.documents.grammar import identified
from clew.documents.own import parse_own, profile_in
from clew.documents.parse import stamps, vocabulary
from clew.documents.parse.context import Context
from clew.documents.parse.draft import Draft
from clew.documents.parse.genre import genre
from clew.documents.parse.heads import is_call
from clew.documents.parse.labels import LEVEL
from clew.documents.parse.markdown import Block, blocks
from clew.documents.parse.records import Records
from clew.documents.parse.rest import Rest
from clew.documents.parse.state import Genre, State
from clew.documents.parse.topics import RULE
from clew.documents.parse.tree import Node, read_json, read_yaml
from clew.documents.parse.walk import walk
from clew.documents.parsed import Format, Parsed

_DATE = re.compile(r"20(?<![\d-]20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)")
_FRONT_CHARS = 2000
# What `clean` takes for the end of a line is none here, so that lines keep their numbers.
_NO_LINE_ENDS = "\x0b\x0c\x85\u2028\u2029"
# They make emoji; `plain` takes them where they stand idle.
_JOINERS = "\u200d\ufe0f"


def parse(text: str, *, name: str = "") -> Parsed:
    """A document taken apart. `name` is the file's name, only a hint. Never fails: what is not understood is a note."""
    original = text.replace("\r\n", "\n").replace("\r", "\n")
    if profile := profile_in(original):
        return parse_own(original, profile, lambda part: _with_ids(_foreign(part, name)))
    return _with_ids(_foreign(original, name))


def _with_ids(parsed: Parsed) -> Parsed:
    return parsed._replace(entries=tuple(map(identified, parsed.entries)))


def _foreign(original: str, name: str) -> Parsed:
    """Somebody else's document."""
    source = _cleaned(original)
    lines = source.split("\n")
    if len(source) != len(original):
        # Lines on which nothing can be seen are not blank for an editor.
        unseen = {at for at, line in enumerate(original.split("\n"), 1) if line.strip() and not lines[at - 1].strip()}
        return _read(source, lines, name, unseen)
    return _read(source, lines, name, set())


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


def _read(source: str, lines: Sequence[str], name: str, unseen: set[int]) -> Parsed:
    ending = name.lower().rpartition(".")[2]
    if (front := source.lstrip("\ufeff \t\n")[:1]) in ("{", "[") and (read := _data(source, lines, ending, unseen)):
        return read
    if (
        ending in ("yaml", "yml") or (not ending.startswith(("md", "txt", "mark")) and _is_like_yaml(source, front))
    ) and (trees := read_yaml(source)):
        draft = Draft()
        for tree in trees:
            Records(draft).root(tree)
        return _result("yaml", lines, draft, "", unseen)
    return _markdown(lines, name, unseen)


def _data(source: str, lines: Sequence[str], ending: str, unseen: set[int]) -> Parsed | None:
    """A JSON document or lines of JSON; None if it is neither."""
    draft = Draft()
    if ending != "jsonl" and (tree := read_json(source.lstrip("\ufeff"))):
        Records(draft).root(tree)
        return _result("json", lines, draft, _named(tree), unseen)
    trees = [read_json(line, at) if line.strip() else None for at, line in enumerate(lines, 1)]
    told = sum(bool(line.strip()) for line in lines)
    if sum(tree is not None and tree.pairs is not None for tree in trees) * 2 <= told:
        return None
    records = Records(draft)
    beads = False
    for tree in trees:
        if tree is not None and tree.pairs is not None:
            beads = beads or {"issue_type", "status"} <= {key for key, _ in tree.pairs}
            records.line(tree)
    return _result("beads" if beads else "jsonl", lines, draft, "", unseen)


def _named(tree: Node) -> str:
    """The title that a tree gives itself."""
    found = {key: value.scalar for key, value in tree.pairs or () if value.scalar and value.is_text}
    return next((found[key] or "" for key in ("title", "name", "project") if key in found), "")


def _is_like_yaml(source: str, front: str) -> bool:
    """Whether a text without a telling name has keys in every other line, and no heading."""
    lines = [line for line in source.split("\n", 400)[:400] if line.strip()]
    keys = sum(bool(re.match(r"\s*(?:- )?[\w.-]+:(?:\s|$)", line)) for line in lines)
    return (
        front.isalpha() and len(lines) > 2 and keys * 2 > len(lines) and not any(line.startswith("#") for line in lines)
    )


def _markdown(lines: Sequence[str], name: str, unseen: set[int]) -> Parsed:
    found = blocks(lines)
    draft = Draft()
    is_task = _task(found, draft)
    kind: Genre = "task" if is_task else genre(found)
    base = Context(RULE) if kind == "rules" else _base(name, found)
    walk(State(found, draft, base=base, genre=kind))
    title = next((heading.text for heading in draft.headings if heading.level < LEVEL), "")
    if is_task and draft.entries:
        title = draft.entries[0].text
    return _result("backlog" if is_task else "markdown", lines, draft, title, unseen)


def _base(name: str, found: Sequence[Block]) -> Context:
    """What a file's name says about lines that stand under no heading: `DECISIONS.md`, `TODO.txt`."""
    stem = re.sub(r"[_\-.]+", " ", name.rpartition("/")[2].rpartition(".")[0])
    topic = vocabulary.exact(stem)
    if topic is None and (named := vocabulary.topic(stem)) and named.kind != "reminder":
        # "billing-decisions": what stands in lists.
        topic = named._replace(prose=False)
    if topic and topic.kind in ("step", "next") and _is_other(stem, found):
        topic = None
    if topic and topic.kind == "next" and is_call(stem) and sum(block.form == "heading" for block in found) > 1:
        topic = None
    # "STATUS.md" says no more of its lines than these do.
    says = topic is not None and topic.kind not in (None, "finding") and not topic.soft
    return Context(topic if says else None, titular=True)


def _is_other(stem: str, found: Sequence[Block]) -> bool:
    """Whether a document has a title without a word of its file's name, and sections that are no work."""
    heads = [vocabulary.normal(block.text) for block in found if block.form == "heading"]
    named = [vocabulary.topic(block.text) for block in found if block.form == "heading"][1:]
    return (
        bool(heads)
        and set(heads[0]).isdisjoint(vocabulary.normal(stem))
        and any(topic and topic.kind not in (None, "step", "next", "phase") for topic in named)
    )


def _task(found: Sequence[Block], draft: Draft) -> bool:
    """Whether it is a task file (front matter with an id, a title and a status); its title is the goal."""
    if not found or found[0].form != "matter":
        return False
    trees = read_yaml(found[0].text)
    fields = dict(trees[0].pairs or ()) if trees else {}
    title = fields.get("title")
    if not {"id", "title", "status"} <= set(fields) or title is None or not title.scalar:
        return False
    offset = found[0].first
    draft.add("goal", title.scalar, Lines(title.first + offset, title.last + offset))
    for key, value in fields.items():
        topic = vocabulary.exact(key.replace("_", " "))
        for item in value.items or () if topic and topic.kind == "file" else ():
            if item.scalar:
                draft.add("file", item.scalar, Lines(item.first + offset, item.last + offset))
    return True


def _result(form: Format, lines: Sequence[str], draft: Draft, title: str, unseen: set[int]) -> Parsed:
    headings, notes = Rest(lines, draft, unseen).read()
    entries = tuple(sorted(draft.entries, key=lambda entry: entry.lines))
    return Parsed(form, title, _date("\n".join(lines)), entries, notes, headings)


def _date(source: str) -> str:
    """The newest date in headings and in lines that are about dates; else the newest of the front part."""
    own, front = "", ""
    for match in _DATE.finditer(source):
        start = source.rfind("\n", 0, match.start()) + 1
        if stamps.LINE.match(source, start):
            own = max(own, match[0])
        elif start < _FRONT_CHARS:
            front = max(front, match[0])
    return own or front
