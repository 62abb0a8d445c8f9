"""What a document says of the items of a task, as events, under the rules of every other word on an item
(docs/reference/authority.md). Imports, reviews of hand-offs and issues record by this what `documents.reconcile` finds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Final, NamedTuple

from clew.app.project.lookup import FoundItem
from clew.app.project.session import ProjectSession
from clew.app.record.item import weighed
from clew.app.record.verbs import STATUSES, VERBS, is_settled, reserved, unfit
from clew.app.record.verbs import Change as Verb
from clew.core.errors import NotAllowed
from clew.core.state.events import Event, Value
from clew.core.state.extract import Extract
from clew.core.state.fold import Entities
from clew.core.state.items import Item, Kind
from clew.core.state.projection import known
from clew.core.text.cleaning import one_line, shorten
from clew.documents.entry import Entry
from clew.documents.grammar import entry_of
from clew.documents.pairing import normal
from clew.documents.reconcile import EntryChange
from clew.ledger.redaction import TEXT_CHARS_MAX, WHY_CHARS_MAX

WORK: Final[tuple[Kind, ...]] = ("step", "phase")
ENDED: Final = ("done", "dropped")
SAID_CHARS: Final = 60
_PROVES: Final[tuple[Kind, ...]] = ("validation", "file")
_OWNED: Final[tuple[Kind, ...]] = ("question", "risk", "blocker")
_NOTHING: Final = "(no words)"
_ANSWERED_BY: Final = re.compile(r"(?: \(answered by [^()]+, not by a person\))+$")


class Wish(NamedTuple):
    """What a document says has become of an item: the verb, the data of its event, the same in words, and as a command.
    An edit without data cannot be made: only the front of its words stands there.
    """

    verb: Verb
    data: Mapping[str, Value]
    said: str = ""
    command: str = ""


class ItemChanges:
    """What is to be recorded of the items of one task (`events`). `items` are all of them, whatever became of each,
    `shown` their short ids.
    """

    def __init__(self, at: ProjectSession, task: str, entities: Entities, extracts: Sequence[Extract]) -> None:
        self.events: list[Event] = []
        self.items = known(entities, extracts)
        self.shown = at.ledger.shortest(list(self.items))
        self._at = at
        self._task = task
        self._entities = entities
        self._extracts_of: dict[str, list[Extract]] = defaultdict(list)
        for extract in extracts:
            for item in extract.items:
                self._extracts_of[item.id].append(extract)

    def find(self, name: str) -> FoundItem:
        """An item, with no more around it than a change of it needs."""
        entity = self._entities.get(name, ())
        entities = {name: entity} if entity else {}
        extracts = tuple(self._extracts_of.get(name, ()))
        return FoundItem(self.items[name], entity, self._task, self.shown[name], entities, extracts, {})

    def record(self, found: FoundItem, *wishes: Wish, is_person: bool = False) -> str:
        """Record what whoever speaks wishes, all of it or nothing; why not, as a clause, "" if it is recorded."""
        events: list[Event] = []
        for wish in wishes:
            verb = wish.verb
            if VERBS[verb].leaves is not None and is_settled(found, verb):
                continue
            if why := _refusal(found, wish, is_person=is_person):
                return why
            try:
                events += weighed(self._at, found, verb, wish.data)[0]
            except NotAllowed:
                return "a person has decided that before"
            if verb == "restore":
                found = found._replace(entry=found.entry._replace(standing="live"))
        self.events += events
        return ""

    def state(
        self, item: str, entry: Entry, *, key: str, more: Mapping[str, Value], is_person: bool = False
    ) -> tuple[str, str]:
        """As `state_item`; how it ended, and what of its reason had no room."""
        events, ended, rest = state_item(self._at, self._task, item, entry, key=key, more=more, is_person=is_person)
        self.events += events
        return ended, rest


def state_item(
    at: ProjectSession, task: str, item: str, entry: Entry, *, key: str, more: Mapping[str, Value], is_person: bool
) -> tuple[list[Event], str, str]:
    """The events that state a new item, what `entry` answers and how it ended; that, and what of its reason had no
    room. `more` is what else the item holds.
    """
    data, ended, rest = _stated_of(entry)
    if entry.locked and is_person:
        data["locked"] = True
    full: dict[str, Value] = {"item": item, **data, **more}
    events = [at.event("item.stated", full, task=task, key=key)]
    if entry.kind == "question" and (answer := answer_in(entry.answer)):
        said: dict[str, Value] = {"item": item, "answer": answer}
        events.append(at.event("item.answered", said, task=task, key=f"{key}:answered"))
    if ended:
        over: dict[str, Value] = {"item": item, "outcome": "" if ended == "done" else ended, "was": data["text"]}
        events.append(at.event("item.resolved", over, task=task, key=f"{key}:ended"))
    return events, ended, rest


def _refusal(found: FoundItem, wish: Wish, *, is_person: bool) -> str:
    """Why somebody who is a person or not may not do it, as far as the item alone tells."""
    if wish.verb == "edit" and not wish.data:
        return "only the front of its words stood there"
    if unfit(found, wish.verb)[0]:
        return "it is over here"
    if is_person:
        return ""
    if "locked" in wish.data:
        return "only a person locks and unlocks"
    if "text" in wish.data and found.entry.item.provenance == "verified":
        return "a command proved it"
    return reserved(found, wish.verb)


def safe_entry(at: ProjectSession, entry: Entry) -> Entry:
    """The entry with texts that can be kept: markup that is gone now may have hidden a secret."""
    safe = at.safe
    return entry._replace(
        text=safe(entry.text), why=safe(entry.why), status=safe(entry.status), owner=safe(entry.owner),
        answer=safe(entry.answer), label=safe(entry.label),
    )  # fmt: skip


def _stated_of(entry: Entry) -> tuple[dict[str, Value], str, str]:
    """What a new item holds: kind, text and what its kind has besides; how it ended, "" if it has not; and of a reason
    that is too long the rest. A file locks nothing, and proves nothing: of a check it tells that it is to be run.
    """
    text, why, rest = _fitted(one_line(entry.text) or _NOTHING, one_line(entry.why))
    data: dict[str, Value] = {"kind": entry.kind, "text": text, "why": why}
    ended = ""
    if entry.kind == "validation":
        is_failed = entry.status.startswith("failed")
        data["status"] = "failed" if is_failed else "not run"
        if entry.status.startswith(("passed", "done")):
            data["why"] = "; ".join(part for part in ("said to have passed", why) if part)[:WHY_CHARS_MAX]
    elif entry.kind in WORK:
        data["status"] = shorten(one_line(entry.status), SAID_CHARS)
    elif entry.kind in STATUSES:
        data["status"] = entry.status if entry.status in STATUSES[entry.kind] else ""
    elif entry.status in ENDED:
        ended = entry.status
    if entry.kind in _OWNED:
        data["owner"] = shorten(one_line(entry.owner), SAID_CHARS)
    if entry.kind == "question":
        data["blocking"] = entry.blocking
    return {name: value for name, value in data.items() if value}, ended, rest


def _fitted(text: str, why: str) -> tuple[str, str, str]:
    """Text and reason as an item can hold them, and what is left of the reason."""
    if len(text) > TEXT_CHARS_MAX:
        cut = text.rfind(" ", TEXT_CHARS_MAX // 2, TEXT_CHARS_MAX - 2) + 1 or TEXT_CHARS_MAX - 2
        why = f"…{text[cut:]}" + (f" — {why}" if why else "")
        text = text[:cut].rstrip() + "…"
    if len(why) <= WHY_CHARS_MAX:
        return text, why, ""
    cut = why.rfind(" ", WHY_CHARS_MAX // 2, WHY_CHARS_MAX) + 1 or WHY_CHARS_MAX
    return text, why[:cut].rstrip(), why[cut:]


def wish_of(change: EntryChange, item: Item, shown: str) -> Wish | None:
    """What the rewording, ticking or marking of an entry wishes of its item, called `shown`; None for what an item does
    not hold.
    """
    if change.before is None or change.after is None:
        return None
    if change.did == "reworded":
        return _rewording(change, change.before, change.after, item, shown)
    if change.did == "ticked":
        return _tick(change.after, item, shown)
    if change.did == "marked":
        before, after = change.before, change.after
        names = (name for name in ("owner", "blocking", "locked") if getattr(before, name) != getattr(after, name))
        data = {name: getattr(after, name) for name in names}
        if "owner" in data:
            data["owner"] = shorten(one_line(after.owner), SAID_CHARS)
        return Wish("edit", data)
    return None


def _rewording(change: EntryChange, before: Entry, after: Entry, item: Item, shown: str) -> Wish | None:
    text, was = _unlabelled(one_line(after.text), item), _unlabelled(before.text, item)
    if before.cut and item.text.startswith(front := was.rstrip("…")):
        # Its front alone was seen, and is what was reworded.
        text = item.text if normal(text) == normal(was) else f"{text.rstrip('…')}{item.text[len(front) :]}"
    elif (change.of_front or after.cut) and normal(text) not in forms_of(item):
        # What is typed has to be the whole of it: with the front alone the rest would be gone.
        said = f"reworded to {shorten(text, SAID_CHARS)}, but only the front of its words stands there"
        return Wish("edit", {}, said, _typed("show", shown))
    text, why, _ = _fitted(text, one_line(after.why))
    data: dict[str, Value] = {} if normal(text) in forms_of(item) else {"text": text}
    if after.why != before.why and normal(why) not in (normal(item.why), normal(entry_of(item).why)):
        data["why"] = why
    said = "reworded" if "text" in data else f"why: {shorten(why, SAID_CHARS)}"
    words = [text] if "text" in data else []
    reason = ["--why", why] if "why" in data else []
    return Wish("edit", data, said, _typed("edit", shown, *words, *reason)) if data else None


def _tick(after: Entry, item: Item, shown: str) -> Wish | None:
    """How far it is, or that it is over."""
    if item.kind == "question":
        answer = answer_in(after.answer)
        said = f"answered: {shorten(answer, SAID_CHARS)}"
        return Wish("answer", {"answer": answer}, said, _typed("answer", shown, answer)) if answer else None
    said = f"now {after.status}"
    over = _typed("resolve", shown, *([] if after.status == "done" else [after.status]))
    if item.kind == "hypothesis":
        return Wish("edit", {"status": after.status}, said, _typed("edit", shown, "--status", after.status))
    # A request is the user's own; what work brings to an end may be told of it.
    if item.kind in WORK and not (item.is_persons and after.status in ENDED):
        return Wish("edit", {"status": shorten(one_line(after.status), SAID_CHARS) or "pending"}, said, over)
    if after.status not in ENDED or item.kind in _PROVES:
        return None
    return Wish("resolve", {"outcome": "" if after.status == "done" else after.status}, said, over)


def answer_in(text: str) -> str:
    """An answer as it was given, without what the projection says of who gave it: that holds in one ledger only."""
    return _ANSWERED_BY.sub("", one_line(text))[:WHY_CHARS_MAX]


def forms_of(item: Item) -> dict[str, str]:
    """The texts that stand for an item, its own and as documents tell it, by `normal`."""
    told = (item.text, entry_of(item).text, entry_of(item, labelled=False).text)
    return {normal(text): text for text in told}


def _unlabelled(text: str, item: Item) -> str:
    return text.removeprefix(f"{item.label}: ") if item.label else text


def _typed(*words: str) -> str:
    return " ".join(("clew", *map(quote, words)))
