"""State files in JSON: what their values are, by the keys they stand under, which are headings by other means."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Final, NamedTuple

from clew.core.state import headings
from clew.core.state.headings import DONE, PENDING, WHY, Topic
from clew.core.state.items import Kind
from clew.documents.entry import Lines
from clew.documents.parse.collector import Collector
from clew.documents.parse.context import Above, Scope, classify, scope_of
from clew.documents.parse.inline import plain, status_of
from clew.documents.parse.reader import ENTRIES_MAX

# Deeper trees are read as text: nothing that people keep state in is nested like that.
DEPTH_MAX: Final = 60
_TOKEN: Final = re.compile(r'[{}\[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}\[\],:"]+', re.DOTALL)
# The key whose value tells a record, in this order.
_TITLES: Final = tuple(
    "title task text content decision question risk blocker finding lesson constraint rule goal step action feature "
    "approach subject headline summary name what item statement description".split()
)
_STATUS: Final = ("status", "state", "progress")
_FLAGS: Final = ("done", "completed", "complete", "passes", "passed", "finished", "checked")
_TYPES: Final = ("type", "kind", "issue_type", "category")
# Kinds that the type of a record, or the name of the key that holds its words, tells.
_TYPED: Final = frozenset(
    ("decision", "question", "risk", "blocker", "constraint", "goal", "finding", "learning", "deferral")
)
_PHASES: Final = ("epic", "phase", "milestone")
_WORK: Final = ("task", "step", "feature", "action")
# Keys that name no kind here, though they would as headings.
_PLAIN_KEYS: Final = frozenset(
    "status state file path type open checks tests plan features issues current_state done".split()
)
# Kinds that a word can tell.
_ONE_WORD: Final = ("file", "goal", "next", "phase")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.]+")
# Numbers, times, addresses, hashes.
_STAMP: Final = re.compile(r"[\d\W]*(?:T[\d:.]+Z?)?|\S+@\S+|https?://\S+|[0-9a-f-]{7,64}|null|true|false")


class JsonNode(NamedTuple):
    """A value and its lines, from 1. One of `pairs` (of a map), `items` (of a list), and `scalar` (numbers and
    booleans in JSON's words) is not None.
    """

    first: int
    last: int
    scalar: str | None = None
    items: tuple[JsonNode, ...] | None = None
    pairs: tuple[tuple[str, JsonNode], ...] | None = None
    is_text: bool = True


def read_json(text: str, first: int = 1) -> JsonNode | None:
    """The tree of a JSON text that begins in line `first`; None if it is none, or nested too deep."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    ends = [match.start() for match in re.finditer("\n", text)]
    # Of each map or list that is open: its first line, its keys (None: a list), its values.
    stack: list[tuple[int, list[str] | None, list[JsonNode]]] = []
    root: JsonNode | None = None
    for match in _TOKEN.finditer(text):
        token, line = match[0], first + bisect_right(ends, match.start() - 1)
        if token in ",:":
            continue
        if token in "{[":
            if len(stack) >= DEPTH_MAX:
                return None
            stack.append((line, [] if token == "{" else None, []))
            continue
        if token in "}]":
            start, keys, values = stack.pop()
            pairs = tuple(zip(keys, values, strict=True)) if keys is not None else None
            node = JsonNode(start, line, items=None if pairs is not None else tuple(values), pairs=pairs)
        elif token[0] == '"':
            value = str(json.loads(token))
            if stack and (keys := stack[-1][1]) is not None and len(keys) == len(stack[-1][2]):
                keys.append(value)
                continue
            node = JsonNode(line, line, scalar=value)
        else:
            node = JsonNode(line, line, scalar=token, is_text=False)
        if stack:
            stack[-1][2].append(node)
        else:
            root = node
    return root


class Records:
    """Goes through trees and files what they tell. What a value that is filed does not tell stays as a note."""

    def __init__(self, found: Collector) -> None:
        self.found = found
        self._left: list[tuple[JsonNode, str]] = []

    def root(self, node: JsonNode) -> None:
        """A whole file: what no entry tells is a note, line by line."""
        self._walk(node, [])
        lines = self.found.lines
        told = bytearray(len(lines) + 2)
        for entry in self.found.entries:
            told[entry.lines.first : entry.lines.last + 1] = b"\1" * (entry.lines.last + 1 - entry.lines.first)
        for value, text in self._left:
            if told[value.first]:  # its line is an entry's, so that it is told in words
                self.found.add("note", plain(text), Lines(value.first, value.last))
        for at, line in enumerate(lines, 1):
            if not told[at] and line.strip():
                self.found.note(Lines(at, at))

    def line(self, node: JsonNode) -> None:
        """A line of a file of such; what it says beside its title stays with it."""
        if not self._record(node, []):
            self.found.note(Lines(node.first, node.last))

    def _walk(self, node: JsonNode, heads: list[Above]) -> None:
        if len(self.found.entries) >= ENTRIES_MAX:
            return
        for key, value in node.pairs or ():
            self._value(value, [*heads, _above(key)])
        for item in node.items or ():
            if not (item.pairs is not None and self._record(item, heads)):
                self._value(item, heads)

    def _value(self, value: JsonNode, heads: list[Above]) -> None:
        if value.scalar is None:
            self._walk(value, heads)
        elif value.is_text and not _STAMP.fullmatch(value.scalar[:200]):
            scope = scope_of(heads)
            if not scope.prefix and " " not in value.scalar and not (scope.topic and scope.topic.kind in _ONE_WORD):
                self._left.append((value, ": ".join([*(head.text for head in heads), value.scalar])))
                return  # a setting, a state, a name: it stays among the lines
            what = classify(scope, value.scalar, "")
            self._put(what.kind, value.scalar, value, what.status, scope)

    def _record(self, node: JsonNode, heads: list[Above]) -> bool:
        """File a map that tells one item; False if it does not."""
        fields = {name.lower(): value for name, value in node.pairs or ()}
        texts = {name: value.scalar for name, value in fields.items() if value.scalar and value.is_text}
        title = next((name for name in _TITLES if name in texts), "")
        if not title:
            return False
        mark, state = _progress(fields)
        own = next((found for name in (state, *_TYPES) if (found := _typed(texts.get(name, "")))), None)
        scope = scope_of(heads)
        if own is not None or (scope.topic is None and not scope.barred and (_typed(title) or title in _WORK)):
            scope = scope_of(heads, own or _typed(title) or Topic("step"))
        if not scope.label and len(heads) > 1:  # "tasks" says nothing; what they are kept under does: a milestone
            scope = scope._replace(label=heads[-2].text)
        what = classify(scope, texts[title], mark)
        reason = next((name for name in (*sorted(WHY), "description") if name in texts and name != title), "")
        told = {title, reason, "id", *_TYPES} | ({state} if what.by_mark or own else set())
        rest = (
            f"{_words(name)}: {text}" for name, text in texts.items()
            if name not in told and not _STAMP.fullmatch(text[:200])
        )  # fmt: skip
        self._put(what.kind, "; ".join((texts[title], *rest)), node, what.status, scope, texts.get(reason, ""))
        under = [*heads, Above(texts[title][:100], closed=True)]
        for name, value in node.pairs or ():
            if value.scalar is None:
                head = _above(name)
                # What a phase holds are steps; what a step holds tells of it, unless it has a state of its own.
                kept = head.topic if head.topic and (what.kind == "phase" or head.topic.turn) else None
                # Records under a key that says nothing of them ("subtasks") are parts of this one.
                is_parts = kept is None and value.items and all(one.pairs is not None for one in value.items)
                self._walk(value, under if is_parts else [*under, head._replace(topic=kept)])
        return True

    def _put(self, kind: Kind, text: str, node: JsonNode, told: str, scope: Scope, why: str = "") -> None:
        text = plain(text.replace("\\n", " "))
        text = f"{scope.prefix}: {text}" if scope.prefix else text
        lines = Lines(node.first, node.last)
        self.found.add(kind, text, lines, told=told, why=plain(why.replace("\\n", " ")), label=scope.label)


def _typed(name: str) -> Topic | None:
    """The kind that a type, or the key of a record's words, tells; of work none, as its state tells more."""
    if name.lower() in _PHASES:
        return Topic("phase")
    named = headings.exact(name.lower()) if name else None
    return named if named is not None and named.kind in _TYPED and not named.turn else None


def _progress(fields: dict[str, JsonNode]) -> tuple[str, str]:
    """The status that a record tells, and the key that tells it; "" none."""
    for name in _STATUS:
        if (value := fields.get(name)) and value.scalar and value.is_text and (found := status_of(value.scalar)):
            return found, name
    for name in _FLAGS:
        if (value := fields.get(name)) and value.scalar in ("true", "false") and not value.is_text:
            return DONE if value.scalar == "true" else PENDING, name
    return "", ""


def _above(key: str) -> Above:
    words = _words(key)
    is_plain = "_".join(words.lower().split()) in _PLAIN_KEYS
    return Above(words, None if is_plain else headings.exact(words))


def _words(key: str) -> str:
    return " ".join(part for part in _CAMEL.split(key) if part)
