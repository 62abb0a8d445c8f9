"""State files: which of the records in a JSON or YAML tree are items, by the same words as headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.core.items import Kind
from clew.documents.entry import Lines
from clew.documents.parse import status, vocabulary
from clew.documents.parse.draft import Draft
from clew.documents.parse.inline import is_path
from clew.documents.parse.topics import Topic
from clew.documents.parse.tree import Node

# The key whose value tells a record, in this order.
_TITLES = tuple("title task text content subject headline summary name what item statement claim".split())
# Keys whose value tells a record and what it is.
_TELLING: dict[str, Kind] = {
    "decision": "decision", "question": "question", "risk": "risk", "blocker": "blocker", "finding": "finding",
    "lesson": "learning", "learning": "learning", "gotcha": "learning", "constraint": "constraint",
    "rule": "constraint", "assumption": "assumption", "hypothesis": "hypothesis", "approach": "failed",
    "attempt": "failed", "step": "step", "action": "step", "feature": "step", "story": "step", "todo": "step",
    "phase": "phase", "milestone": "phase", "goal": "goal", "objective": "goal", "issue": "finding",
    "bug": "finding", "file": "file", "path": "file", "command": "validation", "check": "validation",
    "reminder": "reminder", "fact": "finding", "insight": "learning",
}  # fmt: skip
_LAST_TITLES = ("description", "details")
_STATUS = ("status", "state", "progress")
_FLAGS = tuple("done completed complete passes passed finished closed checked implemented".split())
_WHYS = tuple(
    "why rationale reason reasoning because description details impact mitigation error note notes evidence".split()
)
_TYPES = ("type", "kind", "issue_type", "category")
_TYPE_KINDS: dict[str, Kind] = {
    **_TELLING, "epic": "phase", "task": "step", "chore": "step", "bug": "step", "issue": "step", "bugfix": "step",
    "subtask": "step", "refactor": "step", "user_story": "step", "deferral": "deferral", "next": "next",
    "next_step": "next", "failed": "failed", "dead_end": "failed", "failed_approach": "failed",
}  # fmt: skip
# Keys that name no kind here, though they would as headings.
_PLAIN_KEYS = frozenset(
    "status state current context notes note summary details overview version session progress commits type open "
    "checks build ideas output input path issue result time settings configuration config design".split()
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.]+")
_STAMP = re.compile(r"[\d\W]*(?:T[\d:.]+Z?)?|\S+@\S+|https?://\S+|[0-9a-f-]{7,40}")
# What a state file says in words, and how many make it tell something.
_REMARKS = frozenset(("notes", "summary", "remarks"))
# What tells how far all of it is.
_STATES = ("status", "state")
_REMARK_WORDS_MIN = 5
_TASKS = frozenset(("userstories", "user_stories", "stories", "tasks"))
# What these say takes more than a word.
_SAID = frozenset(("constraint", "finding", "decision", "learning", "reminder", "risk", "question"))
_GOAL = Topic("goal")
_FACT = Topic("finding")
_NOW = Topic("next", "pending")


class Records:
    """Goes through trees and files what they tell."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft

    def root(self, node: Node) -> None:
        """A whole file. What it says of itself beside its tasks is the goal."""
        if node.pairs is not None:
            fields = dict(node.pairs)
            if (told := fields.get("description")) and told.is_text and _TASKS.intersection(map(str.lower, fields)):
                self._scalar("description", told, _GOAL, own=True)
            for key in _STATES:
                if (told := fields.get(key)) and told.is_text and told.scalar:
                    self._add("finding", f"{key}: {told.scalar}", told, None)
            self._map(node, None)
        else:
            self._list(node, None)

    def line(self, node: Node) -> None:
        """A line of a JSONL file; one of a log is no item."""
        if node.pairs is not None:
            self._record(node, None, listed=True)

    def _map(self, node: Node, topic: Topic | None) -> None:
        for key, value in node.pairs or ():
            named = _topic(key)
            here = named or topic
            if here and here.kind is None:
                continue
            if value.items is not None:
                self._list(value, here)
            elif value.pairs is not None:
                if not self._record(value, here, listed=False, key=key):
                    self._map(value, here)
            elif here and here.kind:
                self._scalar(key, value, here, own=named is not None)
            elif topic is None and key.lower() in _REMARKS and len((value.scalar or "").split()) >= _REMARK_WORDS_MIN:
                self._scalar(key, value, _FACT, own=True)

    def _list(self, node: Node, topic: Topic | None) -> None:
        for item in node.items or ():
            if item.items is not None:
                self._list(item, topic)
            elif item.pairs is not None:
                if not self._record(item, topic, listed=True):
                    self._map(item, topic)
            elif topic and topic.kind and item.is_text and (" " in (item.scalar or "") or topic.kind not in _SAID):
                mark = status.marked(item.scalar or "")
                kind = "file" if topic.files and is_path(mark.text) else topic.kind
                self._add(kind, mark.text, item, topic, mark.status or topic.status)

    def _scalar(self, key: str, value: Node, topic: Topic, *, own: bool) -> None:
        """A value below a key that names a kind (`own`), or in a map below such a key."""
        kind, text = topic.kind, value.scalar or ""
        if kind is None or text in ("null", "~") or _STAMP.fullmatch(text):
            return
        if not value.is_text:
            if not own and kind in ("constraint", "validation") and text != "false":
                self._add(kind, f"{_words(key)}: {text}", value, topic)
        elif " " in text or (own and kind in ("goal", "next", "phase", "file")):
            self._add(kind, text if own else f"{_words(key)}: {text}", value, topic, topic.status)

    def _record(self, node: Node, topic: Topic | None, *, listed: bool, key: str = "") -> bool:
        """Files a map that tells one item; False if it does not. `key`: what it stands under, if it is not listed."""
        fields = {name.lower(): value for name, value in node.pairs or ()}
        texts = {name: value for name, value in fields.items() if value.scalar and value.is_text}
        how_far = _status(fields)
        title = _title(texts)
        if not listed and not (topic and topic.kind and (how_far or title)):
            return False
        kind = _kind(texts, topic, title, has_status=bool(how_far))
        text = texts[title].scalar if title else _words(key)
        if kind is None or not text:
            return False
        reasons = [name for name in _WHYS if name != title and name in texts]
        # Of a description and a reason both are wanted, of notes and evidence none beside them.
        used = reasons[:2] if len(reasons) > 1 and reasons[1] == "description" else reasons[:1]
        why = " ".join(texts[name].scalar or "" for name in used)
        told = [value for name, value in texts.items() if name == title or name in used]
        index = self._add(kind, text, node, topic, how_far or (topic.status if topic else ""), why)
        if index >= 0:
            self._quoted(index, node, told)
        for name, value in node.pairs or ():
            self._inner(value, _topic(name), kind)
        return True

    def _quoted(self, index: int, node: Node, told: Sequence[Node]) -> None:
        """Which lines of a record its entry quotes: those of the values told, where no other value stands beside."""
        self.draft.told[index] = tuple(Lines(value.first, value.last) for value in told)
        lines = {at for value in told for at in range(value.first, value.last + 1)}
        for value in _texts(node):
            if not any(value is own for own in told) and _tells(value.scalar or ""):
                self.draft.untold.update(lines.intersection(range(value.first, value.last + 1)))

    def _inner(self, value: Node, named: Topic | None, kind: Kind) -> None:
        """A list in a record: the parts of a phase, and of a step those that have a status of their own."""
        if value.items is None or named is None or named.kind is None:
            return
        if kind == "phase":
            self._list(value, named)
            return
        for item in value.items:
            if item.pairs is not None and _status({name.lower(): part for name, part in item.pairs}):
                self._record(item, named, listed=True)

    def _add(self, kind: Kind, text: str, node: Node, topic: Topic | None, how_far: str = "", why: str = "") -> int:
        if kind == "file" and not is_path(text.partition(" ")[0]):
            return -1
        lines = Lines(node.first, node.last)
        return self.draft.add(kind, _literal(text), lines, status=how_far, why=_literal(why), opened=id(topic))


def _title(texts: dict[str, Node]) -> str:
    """The key whose value tells a record, "" if none does."""
    telling = [name for name in texts if name in _TELLING and " " in (texts[name].scalar or "").strip()]
    return next((name for name in (*_TITLES, *telling, *_TELLING, *_LAST_TITLES) if name in texts), "")


def _kind(texts: dict[str, Node], topic: Topic | None, title: str, *, has_status: bool) -> Kind | None:
    """What a record is: by the list it stands in, else by its type, the key that tells it, or by having a status."""
    types = [(texts[name].scalar or "").lower() for name in _TYPES if name in texts]
    of_type = next((_TYPE_KINDS[name] for name in types if name in _TYPE_KINDS), None)
    if topic and topic.kind and not (topic.kind == "step" and of_type == "phase"):
        return topic.kind
    return of_type or _TELLING.get(title) or ("step" if has_status and title and title != "name" else None)


def _status(fields: dict[str, Node]) -> str:
    for name in _STATUS:
        if (value := fields.get(name)) and value.scalar and value.is_text and (found := status.of_word(value.scalar)):
            return found
    for name in _FLAGS:
        if (value := fields.get(name)) and value.scalar in ("true", "false") and not value.is_text:
            return status.DONE if value.scalar == "true" else status.PENDING
    return ""


def _tells(text: str) -> bool:
    """Whether a note is to keep a text that no entry tells: all but ids, times, states and kinds."""
    return not (_STAMP.fullmatch(text) or status.of_word(text) or text.lower() in _TYPE_KINDS)


def _texts(node: Node) -> Iterator[Node]:
    """All texts of a tree."""
    if node.is_text and node.scalar:
        yield node
    for part in (*(node.items or ()), *(value for _, value in node.pairs or ())):
        yield from _texts(part)


def _literal(text: str) -> str:
    """A string that holds the two characters of a line break, as hand-written JSON often does."""
    return text.replace("\\n", " ")


def _words(key: str) -> str:
    return " ".join(part for part in _CAMEL.split(key) if part)


def _topic(key: str) -> Topic | None:
    """What a key names, only as a whole."""
    words = _words(key)
    if words.lower() == "now":
        return _NOW
    if "_".join(words.lower().split()) in _PLAIN_KEYS:
        return None
    found = vocabulary.exact(words)
    return None if found is None or found.soft else found
