"""From what people made of an issue to what is recorded: three-way, item by item, each change in its author's name.

What the fold would ignore (a person's word stands against it), and what was changed here as well, is no change: it
becomes a question to a person, with both texts. Decides only; nothing is kept here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

from clew.app.importing.matching import reworded, stated_of
from clew.app.importing.scraps import joined, scraps_of, words_of
from clew.app.issue.authors import UNKNOWN, Author, Version, author_of, author_of_text, least
from clew.app.issue.body import Body
from clew.app.issue.content import Held
from clew.app.issue.planned import PlanEdits, is_planned
from clew.app.project import ProjectSession
from clew.app.project.lookup import Found
from clew.app.record.item import weighed
from clew.app.record.verbs import Change as Deed
from clew.app.record.verbs import is_settled, reserved, unfit
from clew.core.errors import ClewError, InputError
from clew.core.state.events import Event, Value
from clew.core.state.extract import Extract
from clew.core.state.ids import IDENTITY_CHARS, identity
from clew.core.state.items import LETTERS, Authority, Kind
from clew.core.state.projection import Known, kind_of_id
from clew.core.text.cleaning import one_line, shorten
from clew.documents.entry import Entry, Lines
from clew.documents.merge import Change, Conflict, Did, Merged, merge
from clew.documents.pairing import normal
from clew.documents.parsed import Note

_TEXT_CHARS: Final = 600
_WHY_CHARS: Final = 15_000
_SAID_CHARS: Final = 80
_WORK: Final[tuple[Kind, ...]] = ("step", "phase")
_ID_CHARS: Final = IDENTITY_CHARS + 2
_FOUND: Final = Authority("agent", "a program compared the issue with what is known here")
_ENDS: Final = ("done", "dropped")
# From so many deleted lines on, if they are more than half, somebody may have emptied the text by mistake.
_WIPED_MIN: Final = 5


@dataclass(frozen=True, slots=True)
class Took:
    """What became of one thing that was done in the issue. `did` "asked": it became a question; "note": words around
    the lists. `by` is the author's login, "" unknown.
    """

    did: Did | Literal["asked", "note"]
    kind: Kind
    text: str
    item: str
    by: str


@dataclass(slots=True)
class Plan:
    """What is to be recorded (`events`), and the same for people (`took`). `done`: phases that were ticked there."""

    events: list[Event] = field(default_factory=list)
    took: list[Took] = field(default_factory=list)
    done: list[str] = field(default_factory=list)


def plan(
    at: ProjectSession, held: Held, base: Body, theirs: Body, *, versions: Sequence[Version], seed: str, named: str
) -> Plan:
    """What people did in the issue since `base`, to be recorded in the task. `versions` are the edits since then, the
    oldest first; `named` is the issue as people call it. From `seed` follow the ids of what they added.
    """
    made = _Merging(at, held, versions, seed, named)
    merged = merge(base.entries, held.ours, theirs.entries)
    made.conflicts(merged)
    made.changes(base, merged)
    made.planned()
    made.words(base, theirs)
    return made.plan


class _Merging:
    def __init__(self, at: ProjectSession, held: Held, versions: Sequence[Version], seed: str, named: str) -> None:
        self.plan = Plan()
        self._at = at
        self._held = held
        self._versions = versions
        self._seed = seed
        self._named = named
        self._speaker = at.speaker
        self._shown = at.ledger.shortest(list(held.known))
        self._extracts_of: dict[str, list[Extract]] = {}
        for extract in held.extracts:
            for item in extract.items:
                self._extracts_of.setdefault(item.id, []).append(extract)
        self._asked: set[str] = set()
        self._new: set[str] = set()
        self._times: dict[tuple[Kind, str], int] = {}
        self._edits: list[tuple[Change, Author]] = []  # of lines of the task's plan
        self._aside: list[Entry] = []  # what stands beside ours in the merged document, and is asked about instead

    # What both did

    def conflicts(self, merged: Merged) -> None:
        """Ask about what was changed here and there."""
        for one in merged.conflicts:
            author = self._author_of_conflict(one)
            if one.stands == "both" and one.theirs is not None:
                self._aside.append(one.theirs)
            if one.about == "removed" and one.ours is None and one.theirs is not None:
                self._aside.append(one.theirs)
            self._ask(one.about, one.ours, one.theirs, author, "it was changed here and there")

    def _author_of_conflict(self, one: Conflict) -> Author:
        did: Did = "removed" if one.theirs is None else "reworded" if one.about == "removed" else one.about
        change = Change(did, one.ours, one.theirs) if one.theirs is not None else Change(did, one.ours, None)
        return author_of(change, self._versions)

    # What they did

    def changes(self, base: Body, merged: Merged) -> None:
        """Take each change, or ask about it. That most of the text is gone is one thing, and asked about as one."""
        removed = [one for one in merged.changes if one.did == "removed"]
        is_wiped = len(removed) >= _WIPED_MIN and 2 * len(removed) > len(base.entries)
        if is_wiped:
            self._ask_wiped(len(removed), author_of(removed[0], self._versions))
        for change in merged.changes:
            if is_wiped and change.did == "removed":
                continue
            if change.did == "added":
                assert change.after is not None
                if not self._is_aside(change.after):
                    self._add(change.after, self._author_of_added(change))
                continue
            assert change.before is not None
            author = author_of(change, self._versions)
            if not change.before.id:
                self._of_title(change, author)
            else:
                self._change(change, change.before, author)

    def _ask_wiped(self, count: int, author: Author) -> None:
        here = f"{count} lines"
        entry = Entry("note", here)
        self._ask("removed", entry, None, author, "most of the text was deleted at once; what is meant is deleted here")

    def _is_aside(self, entry: Entry) -> bool:
        words = (entry.kind, normal(entry.text), entry.why)
        return any((one.kind, normal(one.text), one.why) == words for one in self._aside)

    def _author_of_added(self, change: Change) -> Author:
        assert change.after is not None
        rest: tuple[Did, ...] = ("ticked", "marked")
        states = [author_of(Change(did, change.after, change.after), self._versions) for did in rest]
        return least(author_of(change, self._versions), *states)

    def _of_title(self, change: Change, author: Author) -> None:
        """The goal that stands for the task's title is no item: other words are a goal."""
        if change.did in ("reworded", "moved") and change.after is not None:
            self._add(change.after._replace(id=""), author)

    def _change(self, change: Change, before: Entry, author: Author) -> None:
        item = self._item_of(before)
        if is_planned(self._held.plan, item):
            self._edits.append((change, author))
            return
        if item not in self._held.known:
            return  # nobody stated it: it cannot be changed
        found = self._found(item)
        deeds, cannot = self._deeds(change, found, author)
        events: list[Event] = []
        for deed, data in deeds:
            cannot = cannot or self._refusal(found, deed, data, author, events)
        if cannot:
            self._ask(change.did, before, change.after, author, cannot)
            return
        if not deeds:
            return
        self.plan.events += events
        self._put(change.did, change.after or before, item, author)
        if change.did == "ticked" and change.after and change.after.status == "done" and before.kind == "phase":
            self.plan.done.append(item)

    def _deeds(
        self, change: Change, found: Found, author: Author
    ) -> tuple[list[tuple[Deed, Mapping[str, Value]]], str]:
        """What a change is in verbs, and why it cannot be one, "" if it can."""
        after = change.after
        if after is None:
            return [("retract", {"reason": f"deleted in {self._named}"})], ""
        if change.did == "reworded":
            wish = reworded(after._replace(cut=change.of_front), found.entry.item, found.shown)
            return ([("edit", wish.data)], "") if wish.data else ([], _cut(change))
        if change.did == "ticked":
            return self._tick(after, found)
        if change.did == "marked":
            return self._mark(change, after, author)
        return self._move(after, found, author), ""

    def _tick(self, after: Entry, found: Found) -> tuple[list[tuple[Deed, Mapping[str, Value]]], str]:
        kind = found.entry.item.kind
        if kind == "question":
            return ([("answer", {"answer": one_line(after.answer)})], "") if after.answer else ([], "it takes it back")
        if kind not in _WORK:
            return [], ""
        if after.status in _ENDS and found.entry.item.is_persons:
            outcome = "" if after.status == "done" else after.status
            return [("resolve", {"outcome": outcome})], ""
        again: list[tuple[Deed, Mapping[str, Value]]] = [("restore", {})] if found.entry.standing == "resolved" else []
        return [*again, ("edit", {"status": shorten(one_line(after.status), _SAID_CHARS) or "pending"})], ""

    def _mark(self, change: Change, after: Entry, author: Author) -> tuple[list[tuple[Deed, Mapping[str, Value]]], str]:
        assert change.before is not None
        data: dict[str, Value] = {}
        if after.owner != change.before.owner:
            data["owner"] = shorten(one_line(after.owner), _SAID_CHARS)
        if after.blocking != change.before.blocking:
            data["blocking"] = after.blocking
        if after.locked != change.before.locked:
            if not author.is_trusted:
                return [], "only a person locks and unlocks"
            data["locked"] = after.locked
        return [("edit", data)], ""

    def _move(self, after: Entry, found: Found, author: Author) -> list[tuple[Deed, Mapping[str, Value]]]:
        """It is another kind of thing: the item that says so takes the place of this one."""
        new = f"{LETTERS[after.kind]}-{identity('issue-moved', self._seed, found.id, after.kind)}"
        if new not in self._held.known and new not in self._new:
            self._state(new, after, author)
        return [("supersede", {"by": new, "reason": f"moved in {self._named}"})]

    def _refusal(self, found: Found, deed: Deed, data: Mapping[str, Value], author: Author, events: list[Event]) -> str:
        """Why a change is not made, "" once its events are among `events`."""
        if is_settled(found, deed) and deed != "edit":
            return ""
        against, _ = unfit(found, deed)
        if against:
            return "it is over here"
        why = reserved(found, deed)
        if why and not author.is_trusted:
            return why
        try:
            with self._as(author):
                events += weighed(self._at, found, deed, data)[0]
        except ClewError as problem:
            return "" if isinstance(problem, InputError) and problem.code == "E-item-state" else "a person said it"
        return ""

    # What is new

    def _add(self, entry: Entry, author: Author) -> None:
        words = (entry.kind, normal(entry.text))
        if words == ("goal", normal(self._held.task.title)) and not entry.id:
            return  # the title says so
        time = self._times[words] = self._times.get(words, -1) + 1
        own = identity("issue", self._seed, *words, str(time))
        item = self._free_id(entry) or f"{LETTERS[entry.kind]}-{own}"
        there = self._held.known.get(item)
        if there is not None and there.standing != "live" and entry.id:
            self._bring_back(entry, there, author)
            return
        if there is not None or item in self._new:
            return
        self._state(item, entry, author)
        self._put("added", entry, item, author)
        if entry.kind == "phase" and entry.status == "done":
            self.plan.done.append(item)

    def _bring_back(self, entry: Entry, there: Known, author: Author) -> None:
        """A line that ended here stands in the issue again: somebody wants it."""
        found = self._found(there.item.id)
        events: list[Event] = []
        cannot = self._refusal(found, "restore", {}, author, events)
        if not cannot and normal(entry.text) != normal(there.item.text):
            live = found._replace(entry=there._replace(standing="live"))
            cannot = self._refusal(live, "edit", reworded(entry, there.item, found.shown).data, author, events)
        if cannot:
            self._ask("added", None, entry, author, f"it was {there.standing} here: {cannot}")
            return
        self.plan.events += events
        self._put("added", entry, there.item.id, author)

    def _free_id(self, entry: Entry) -> str:
        """The id that a line brings from another ledger; "" where it brings none, or one of another task here."""
        if len(entry.id) != _ID_CHARS or kind_of_id(entry.id) != entry.kind:
            return ""
        is_elsewhere = entry.id not in self._held.known and self._at.ledger.task_of(entry.id) is not None
        return "" if is_elsewhere else entry.id

    def _state(self, item: str, entry: Entry, author: Author) -> None:
        """State an item, and that it ended if the line says so."""
        data, ended, rest = stated_of(entry)
        if rest:
            data["why"] = f"{str(data.get('why', ''))[:_WHY_CHARS]}…"
        if entry.locked and author.is_trusted:
            data["locked"] = True
        self._new.add(item)
        task, events = self._held.task.id, self.plan.events
        with self._as(author):
            full: dict[str, Value] = {"item": item, **data, "source": self._named}
            events.append(self._at.event("item.stated", full, task=task, key=f"issue:{item}"))
            if entry.answer:
                told: dict[str, Value] = {"item": item, "answer": one_line(entry.answer)[:_WHY_CHARS]}
                events.append(self._at.event("item.answered", told, task=task))
            if ended:
                over: dict[str, Value] = {"item": item, "outcome": "" if ended == "done" else ended}
                events.append(self._at.event("item.resolved", over, task=task))

    def planned(self) -> None:
        """Take what was done to lines of the plan: ticks, and words where they may be changed; all else is asked."""
        made = PlanEdits(self._at, self._held)
        for change, author in self._edits:
            assert change.before is not None
            with self._as(author):
                why = made.take(change, is_person=author.is_trusted)
            if why:
                self._ask(change.did, change.before, change.after, author, why)
            else:
                self._put(change.did, change.after or change.before, change.before.id, author)
        writers = [author for change, author in self._edits if change.did in ("reworded", "removed")]
        with self._as(least(*writers) if writers else UNKNOWN):
            self.plan.events += made.events()

    @contextmanager
    def _as(self, author: Author) -> Iterator[None]:
        """What is recorded inside is the author's word."""
        self._at.speaker = self._speaker.by(author.authority)._replace(actor=author.login or self._speaker.actor)
        try:
            yield
        finally:
            self._at.speaker = self._speaker

    def words(self, base: Body, theirs: Body) -> None:
        """Keep what stands around the lists, for whoever goes on without seeing the issue."""
        before, now = self._notes(base), self._notes(theirs)
        for item, entry in now.items():
            if item not in self._held.known and item not in self._new:
                author = author_of_text(one_line(entry.text), self._versions)
                self._state(item, entry, author)
                self._put("note", entry, item, author)
        for item, entry in before.items():
            there = self._held.known.get(item)
            if item in now or there is None or there.standing != "live":
                continue
            author = author_of_text(one_line(entry.text), self._versions, gone=True)
            events: list[Event] = []
            data: Mapping[str, Value] = {"reason": f"deleted in {self._named}"}
            if not self._refusal(self._found(item), "retract", data, author, events):
                self.plan.events += events
                self._put("removed", entry, item, author)

    def _notes(self, body: Body) -> dict[str, Entry]:
        """What a body says besides its lists, by the id that it has as an item."""
        entries = {self._id_of("issue", one.kind, normal(one.text)): one for one in body.more}
        told = {normal(one.text) for one in body.more}
        rows = [(raw, _without(raw.text, told)) for raw in body.raws]
        notes = [Note(text, raw.under, Lines(1, text.count("\n") + 1)) for raw, text in rows]
        for scrap in joined([one for note in notes for one in scraps_of([note])]):
            item = self._id_of("issue-words", "note", words_of(scrap.text))
            why = scrap.rest if scrap.rest.strip() else ""
            entries[item] = Entry("note", scrap.first, why)
        return entries

    def _id_of(self, what: str, kind: Kind, words: str) -> str:
        return f"{LETTERS[kind]}-{identity(what, self._seed, kind, words)}"

    # What a person has to say

    def _ask(self, did: Did, ours: Entry | None, theirs: Entry | None, author: Author, why: str) -> None:
        """A question with both texts, once for the same two."""
        meant = ours or theirs
        assert meant is not None
        item = self._item_of(meant)
        here, there = _told(ours), _told(theirs)
        name = question_id(self._seed, item, did, ours, theirs)
        if name in self._held.known or name in self._asked:
            return
        self._asked.add(name)
        shown = self._shown.get(item, "")
        about = f" of {shown}" if shown else ""
        by = f" ({author.login})" if author.login else ""
        short = (shorten(here, _TEXT_CHARS), shorten(there, _TEXT_CHARS))
        text = f'Which holds{about}? Here "{short[0]}"; in {self._named}{by} "{short[1]}"'
        data: dict[str, Value] = {"item": name, "kind": "question", "text": text, "owner": self._owner()}
        data["why"] = why
        if short != (here, there):
            data["why"] = shorten(f'{why}. Here "{here}"; there "{there}"', _WHY_CHARS)
        self._at.speaker = self._speaker.by(_FOUND)
        try:
            event = self._at.event("item.stated", data, task=self._held.task.id, key=f"issue:{name}")
        finally:
            self._at.speaker = self._speaker
        self.plan.events.append(event)
        self._put("asked", replace_text(meant, text), name, author)

    def _owner(self) -> str:
        return self._speaker.actor or "the user"

    def _found(self, name: str) -> Found:
        entity = self._held.entities.get(name, ())
        entry: Known = self._held.known[name]
        entities = {name: entity} if entity else {}
        extracts = tuple(self._extracts_of.get(name, ()))
        return Found(entry, entity, self._held.task.id, self._shown[name], entities, extracts, {})

    def _item_of(self, entry: Entry) -> str:
        """The whole id of the item that an entry is of."""
        if entry.id in self._held.known or not entry.id:
            return entry.id
        return next((name for name in self._held.known if name.startswith(entry.id)), entry.id)

    def _put(self, did: Did | Literal["asked", "note"], entry: Entry, item: str, author: Author) -> None:
        self.plan.took.append(Took(did, entry.kind, entry.text, item, author.login))


def question_id(seed: str, item: str, did: Did, ours: Entry | None, theirs: Entry | None) -> str:
    """The id of the question which of the two holds."""
    return f"Q-{identity('issue-question', seed, item, did, _told(ours), _told(theirs))}"


def carried(held: Held, theirs: Body, seed: str) -> list[Entry]:
    """Lines of the issue that ended here while somebody wants them there, and about which a person is asked: until that
    is answered they stay where they are.
    """
    found = []
    for entry in theirs.entries:
        there = held.known.get(entry.id)
        if there is None or there.standing == "live" or entry.id in held.items:
            continue
        asked = held.known.get(question_id(seed, entry.id, "added", None, entry))
        if asked is not None and asked.standing == "live" and not asked.item.answer:
            found.append(entry)
    return found


def replace_text(entry: Entry, text: str) -> Entry:
    """A question about an entry, as an entry."""
    return entry._replace(kind="question", text=text)


def _cut(change: Change) -> str:
    return "only the front of its words stood there" if change.of_front else ""


def _without(text: str, told: set[str]) -> str:
    """The text without list entries that are told as items."""
    rows = [row for row in text.split("\n") if not _says(row, told)]
    return "\n".join(rows)


def _says(row: str, told: set[str]) -> bool:
    plain = normal(row.strip().lstrip("-*+").strip())
    return bool(plain) and any(plain.startswith(one) for one in told)


def _told(entry: Entry | None) -> str:
    """What an entry says, for a question about it."""
    if entry is None:
        return "(deleted)"
    state = ", ".join(
        part
        for part in (
            entry.status,
            "locked" if entry.locked else "",
            "blocking" if entry.blocking else "",
            f"ask {entry.owner}" if entry.owner else "",
        )
        if part
    )
    text = entry.text + (f" -- {entry.why}" if entry.why else "") + (f" -> {entry.answer}" if entry.answer else "")
    return one_line(f"{text} [{entry.kind}{', ' + state if state else ''}]").replace('"', "'")
