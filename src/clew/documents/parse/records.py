"""State files: what the values of a JSON tree are, by the keys they stand under, which are headings by other means."""

from __future__ import annotations

import re
from typing import Final

from clew.core.state.items import Kind
from clew.documents.entry import Lines
from clew.documents.parse import status, vocabulary
from clew.documents.parse.context import Head, Place, place, standing
from clew.documents.parse.draft import Draft
from clew.documents.parse.inline import plain
from clew.documents.parse.reader import ENTRIES_MAX
from clew.documents.parse.tree import Node
from clew.documents.parse.vocabulary import Topic

# The key whose value tells a record, in this order.
_TITLES: Final = tuple(
    "title task text content decision question risk blocker finding lesson constraint rule goal step action feature "
    "approach "
    "subject headline summary name what item statement description".split()
)
_WHYS: Final = ("why", "rationale", "reason", "reasoning", "because", "error", "description")
_STATUS: Final = ("status", "state", "progress")
_FLAGS: Final = ("done", "completed", "complete", "passes", "passed", "finished", "checked")
_TYPES: Final = ("type", "kind", "issue_type", "category")
_TYPE_TOPICS: Final[dict[str, Topic]] = {
    "epic": Topic("phase"), "phase": Topic("phase"), "milestone": Topic("phase"),
    **{name: Topic("step") for name in ("task", "chore", "bug", "feature", "story", "step", "subtask", "user_story")},
    "decision": Topic("decision"), "question": Topic("question"), "risk": Topic("risk"), "blocker": Topic("blocker"),
    "constraint": Topic("constraint"), "goal": Topic("goal"), "finding": Topic("finding"),
    "learning": Topic("learning"),
}  # fmt: skip
# States that say that it is not to be done now.
_PUT_OFF: Final = frozenset(("deferred", "postponed", "parked", "someday", "later"))
# Keys that name no kind here, though they would as headings.
_PLAIN_KEYS: Final = frozenset(
    "status state file path type open checks tests plan features issues current_state done".split()
)
# Kinds that a word can tell.
_ONE_WORD: Final = ("file", "goal", "next", "phase")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.]+")
# Numbers, times, addresses, hashes.
_STAMP: Final = re.compile(r"[\d\W]*(?:T[\d:.]+Z?)?|\S+@\S+|https?://\S+|[0-9a-f-]{7,64}|null|true|false")


class Records:
    """Goes through trees and files what they tell. What a value that is filed does not tell stays as a note."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._left: list[tuple[Node, str]] = []

    def root(self, node: Node) -> None:
        """A whole file."""
        self._walk(node, [])
        self._rest()

    def line(self, node: Node) -> None:
        """A line of a file of such; what it says beside its title stays with it."""
        if not self._record(node, []):
            self.draft.note(Lines(node.first, node.last))

    def _rest(self) -> None:
        """What no entry tells, line by line, as notes."""
        lines = self.draft.lines
        told = bytearray(len(lines) + 2)
        for entry in self.draft.entries:
            told[entry.lines.first : entry.lines.last + 1] = b"\1" * (entry.lines.last + 1 - entry.lines.first)
        for value, text in self._left:
            if told[value.first]:  # its line is an entry's, so that it is told in words
                self.draft.add("note", plain(text), Lines(value.first, value.last))
        start = 0
        for at in range(1, len(lines) + 2):
            if at <= len(lines) and not told[at]:
                start = start or at
            elif start:
                if any(map(str.strip, lines[start - 1 : at - 1])):
                    self.draft.note(Lines(start, at - 1))
                start = 0

    def _walk(self, node: Node, heads: list[Head]) -> None:
        if len(self.draft.entries) >= ENTRIES_MAX:
            return
        if node.pairs is not None:
            for key, value in node.pairs:
                self._walk_in(value, [*heads, _head(key)])
        for item in node.items or ():
            if not (item.pairs is not None and self._record(item, heads)):
                self._walk_in(item, heads)

    def _walk_in(self, value: Node, heads: list[Head]) -> None:
        if value.scalar is None:
            self._walk(value, heads)
        elif value.is_text and not _STAMP.fullmatch(value.scalar[:200]):
            at = place(heads)
            if not at.prefix and " " not in value.scalar and not (at.topic and at.topic.kind in _ONE_WORD):
                self._left.append((value, ": ".join([*(head.text for head in heads), value.scalar])))
                return  # a setting, a state, a name: it stays among the lines
            what = standing(at, value.scalar, "")
            self._put(what.kind, value.scalar, value, what.status, at)

    def _record(self, node: Node, heads: list[Head]) -> bool:
        """Files a map that tells one item; False if it does not."""
        fields = {name.lower(): value for name, value in node.pairs or ()}
        texts = {name: value.scalar for name, value in fields.items() if value.scalar and value.is_text}
        title = next((name for name in _TITLES if name in texts), "")
        if not title:
            return False
        mark, said = _how_far(fields)
        own = next((_TYPE_TOPICS[name] for key in _TYPES if (name := texts.get(key, "").lower()) in _TYPE_TOPICS), None)
        put_off = any(texts.get(name, "").lower() in _PUT_OFF for name in said)
        own = Topic("deferral") if put_off else own
        at = place(heads)
        if own is not None or (at.topic is None and not at.barred and title in _TYPE_TOPICS):
            at = place(heads, own or _TYPE_TOPICS[title])
        if not at.label and len(heads) > 1:  # "tasks" says nothing; what they are kept under does: a tag, a milestone
            at = at._replace(label=heads[-2].text)
        what = standing(at, texts[title], mark)
        reasons = [name for name in _WHYS if name != title and name in texts][:1]
        told = {title, *reasons, *(said if what.by_mark or put_off else ()), *_TYPES}
        rest = "; ".join(
            f"{_words(name)}: {told_text}" for name, told_text in texts.items()
            if name not in told and not _STAMP.fullmatch(told_text[:200]) and name != "id"
        )  # fmt: skip
        text = "; ".join(part for part in (texts[title], rest) if part)
        why = texts[reasons[0]] if reasons else ""
        self._put(what.kind, text, node, what.status, at, why)
        parts = [value for _, value in node.pairs or () if value.scalar is None]
        if parts:
            is_phase = what.kind == "phase"
            under = [*heads, Head(texts[title][:100], closed=True)]
            for name, value in node.pairs or ():
                head = _head(name)
                # What a phase holds are steps; what a step holds tells of it, unless it has a state of its own.
                kept = head.topic if head.topic and (is_phase or head.topic.turn) else None
                if value.scalar is None:
                    # Records under a key that says nothing of them ("subtasks") are parts of this one.
                    is_parts = kept is None and value.items and all(one.pairs is not None for one in value.items)
                    self._walk(value, under if is_parts else [*under, head._replace(topic=kept)])
        return True

    def _put(self, kind: Kind, text: str, node: Node, told: str, at: Place, why: str = "") -> None:
        text = plain(text.replace("\\n", " "))
        text = f"{at.prefix}: {text}" if at.prefix else text
        lines = Lines(node.first, node.last)
        self.draft.add(kind, text, lines, told=told, why=plain(why.replace("\\n", " ")), label=at.label)


def _how_far(fields: dict[str, Node]) -> tuple[str, tuple[str, ...]]:
    """The status that a record tells, and the keys that tell it."""
    for name in _STATUS:
        if (value := fields.get(name)) and value.scalar and value.is_text and (found := status.of_word(value.scalar)):
            return found, (name,)
    for name in _FLAGS:
        if (value := fields.get(name)) and value.scalar in ("true", "false") and not value.is_text:
            return status.DONE if value.scalar == "true" else status.PENDING, (name,)
    return "", ()


def _head(key: str) -> Head:
    words = _words(key)
    plain_key = "_".join(words.lower().split()) in _PLAIN_KEYS
    return Head(words, None if plain_key else vocabulary.exact(words))


def _words(key: str) -> str:
    return " ".join(part for part in _CAMEL.split(key) if part)
