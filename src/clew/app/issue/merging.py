"""From what people made of an issue to what is recorded: three-way, item by item, each change in its author's name.

What the fold would ignore (a person's word stands against it), and what was changed here as well, is no change: it
becomes a question to a person, with both texts. Decides only; nothing is kept here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

from clew.app.importing.item_changes import ItemChanges, Wish, wish_of
from clew.app.importing.scraps import joined, scraps_of
from clew.app.issue.authors import Author, IssueVersion, author_of, author_of_text, least
from clew.app.issue.body import Body
from clew.app.issue.content import Held
from clew.app.plan.where import facts_as_events
from clew.app.project.lookup import FoundItem
from clew.app.project.session import ProjectSession
from clew.core.plan.phase_machine import PhaseRefusal, Reopen, Tick, transition
from clew.core.plan.plan import Phase
from clew.core.state.events import Event
from clew.core.state.ids import IDENTITY_CHARS, identity
from clew.core.state.items import LETTERS, Authority, Kind
from clew.core.state.projection import kind_of_id
from clew.core.text.cleaning import one_line, shorten
from clew.documents.entry import Entry, Lines, ParsedNote
from clew.documents.grammar import entry_of
from clew.documents.pairing import normal
from clew.documents.reconcile import Did, EntryChange, Reconciliation, reconcile

_OF_STATE: Final[tuple[Did, ...]] = ("ticked", "marked")
_TEXT_CHARS: Final = 600
_WHY_CHARS: Final = 15_000
_ID_CHARS: Final = IDENTITY_CHARS + 2
_FOUND: Final = Authority("agent", "a program compared the issue with what is known here")
# From so many deleted lines on, if they are more than half, somebody may have emptied the text by mistake.
_WIPED_MIN: Final = 5
_WIPED: Final = "most of the text was deleted at once; what is meant is deleted here"


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
class IssueChanges:
    """What is to be recorded (`events`), and the same for people (`took`). `done`: phases that were ticked there."""

    events: list[Event] = field(default_factory=list)
    took: list[Took] = field(default_factory=list)
    done: list[str] = field(default_factory=list)


def plan(
    at: ProjectSession, held: Held, base: Body, theirs: Body, *, versions: Sequence[IssueVersion], seed: str, named: str
) -> IssueChanges:
    """What people did in the issue since `base`, to be recorded in the task. `versions` are the edits since then, the
    oldest first; `named` is the issue as people call it. From `seed` follow the ids of what they added.
    """
    made = _Merging(at, held, versions, seed, named)
    merged = reconcile(base.entries, held.ours, theirs.entries)
    made.conflicts(merged)
    made.changes(base, merged)
    made.words(base, theirs)
    return made.plan


class _Merging:
    def __init__(self, at: ProjectSession, held: Held, versions: Sequence[IssueVersion], seed: str, named: str) -> None:
        self._at = at
        self._held = held
        self._versions = versions
        self._seed = seed
        self._named = named
        self._speaker = at.speaker
        self._items = ItemChanges(at, held.task.id, held.entities, held.extracts)
        self.plan = IssueChanges(self._items.events)
        self._new: set[str] = set()  # items and questions
        self._times: dict[tuple[Kind, str], int] = {}
        # The phase that each line of the task's plan is of, by the line's id.
        self._phases = {
            one: phase for phase in held.plan.phases for one in (phase.id, *(step.id for step in phase.steps))
        }
        self._aside: list[Entry] = []  # what stands beside ours in the merged document, and is asked about instead

    # What both did

    def conflicts(self, merged: Reconciliation) -> None:
        """Ask about what was changed here and there."""
        for one in merged.conflicts:
            did: Did = "removed" if one.theirs is None else "reworded" if one.about == "removed" else one.about
            author = author_of(EntryChange(did, one.ours, one.theirs), self._versions)
            if one.theirs is not None and (one.stands == "both" or one.ours is None):
                self._aside.append(one.theirs)
            self._ask(one.about, one.ours, one.theirs, author, "it was changed here and there")

    # What they did

    def changes(self, base: Body, merged: Reconciliation) -> None:
        """Take each change, or ask about it. That most of the text is gone is one thing, and asked about as one."""
        removed = [one for one in merged.changes if one.did == "removed"]
        is_wiped = len(removed) >= _WIPED_MIN and 2 * len(removed) > len(base.entries)
        if is_wiped:
            author, lines = author_of(removed[0], self._versions), Entry("note", f"{len(removed)} lines")
            self._ask("removed", lines, None, author, _WIPED)
        for change in merged.changes:
            author = author_of(change, self._versions)
            if change.before is None:
                if change.after is not None and _words(change.after) not in map(_words, self._aside):
                    said = (EntryChange(did, change.after, change.after) for did in _OF_STATE)
                    self._add(change.after, least(author, *(author_of(one, self._versions) for one in said)))
            elif change.did == "removed" and is_wiped:
                continue
            elif change.before.id:
                self._change(change, change.before, author)
            elif change.did in ("reworded", "moved") and change.after is not None:
                # The goal that stands for the task's title is no item: other words are a goal.
                self._add(change.after._replace(id=""), author)

    def _change(self, change: EntryChange, before: Entry, author: Author) -> None:
        item = self._item_of(before)
        if (phase := self._phases.get(item)) is not None:
            self._of_plan(change, phase, item, author)
            return
        if item not in self._held.known:
            return  # nobody stated it: it cannot be changed
        found = self._items.find(item)
        if change.did == "ticked" and before.kind == "question" and change.after and not change.after.answer:
            self._ask(change.did, before, change.after, author, "it takes it back")
            return
        wishes = self._wishes(change, found, author)
        is_done = change.did == "ticked" and change.after is not None and change.after.status == "done"
        if wishes and self._recorded(found, wishes, author, change) and is_done and before.kind == "phase":
            self.plan.done.append(item)

    def _wishes(self, change: EntryChange, found: FoundItem, author: Author) -> list[Wish]:
        """What a change is in verbs; [] for one that an item does not hold."""
        if change.after is None:
            return [Wish("retract", {"reason": f"deleted in {self._named}"})]
        if change.did == "moved":  # the item of another kind takes the place of this one
            kind = change.after.kind
            new = f"{LETTERS[kind]}-{identity('issue-moved', self._seed, found.id, kind)}"
            if new not in self._held.known and new not in self._new:
                self._state(new, change.after, author)
            return [Wish("supersede", {"by": new, "reason": f"moved in {self._named}"})]
        wish = wish_of(change, found.entry.item, found.shown)
        if wish is None:
            return []
        is_back = found.entry.standing == "resolved" and change.did == "ticked" and wish.verb == "edit"
        return [Wish("restore", {}), wish] if is_back else [wish]

    def _recorded(
        self, found: FoundItem, wishes: Sequence[Wish], author: Author, change: EntryChange, but: str = ""
    ) -> bool:
        """Whether what the author wishes was recorded; else it was asked about."""
        with self._as(author):
            cannot = self._items.record(found, *wishes, is_person=author.is_trusted)
        if cannot:
            self._ask(change.did, change.before, change.after, author, but + cannot)
        elif meant := change.after or change.before:
            self._put(change.did, meant, found.id, author)
        return not cannot

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
            # A line that ended here stands in the issue again: somebody wants it.
            found = self._items.find(item)
            wishes = [Wish("restore", {})]
            change = EntryChange("reworded", entry_of(there.item), entry)
            if normal(entry.text) != normal(there.item.text) and (wish := wish_of(change, there.item, found.shown)):
                wishes.append(wish)
            self._recorded(found, wishes, author, EntryChange("added", None, entry), f"it was {there.standing} here: ")
        elif there is None and item not in self._new:
            self._state(item, entry, author)
            self._put("added", entry, item, author)
            if entry.kind == "phase" and entry.status == "done":
                self.plan.done.append(item)

    def _free_id(self, entry: Entry) -> str:
        """The id that a line brings from another ledger; "" where it brings none, or one of another task here."""
        if len(entry.id) != _ID_CHARS or kind_of_id(entry.id) != entry.kind:
            return ""
        is_elsewhere = entry.id not in self._held.known and self._at.ledger.task_of(entry.id) is not None
        return "" if is_elsewhere else entry.id

    def _state(self, item: str, entry: Entry, author: Author) -> None:
        self._new.add(item)
        entry = entry._replace(why=shorten(one_line(entry.why), _WHY_CHARS))
        with self._as(author):
            more = {"source": self._named}
            self._items.state(item, entry, key=f"issue:{item}", more=more, is_person=author.is_trusted)

    def _of_plan(self, change: EntryChange, phase: Phase, name: str, author: Author) -> None:
        """Take the tick of a line of the task's plan; all else is asked about, since the plan has a text of its own."""
        meant = change.after or change.before
        assert meant is not None
        if change.did != "ticked" or change.after is None:
            why = "it is a line of the plan: `clew plan edit`"
        else:
            with self._as(author):
                why = self._tick(phase, name, is_done=meant.status == "done", is_person=author.is_trusted)
        if why:
            self._ask(change.did, change.before, change.after, author, why)
        else:
            self._put(change.did, meant, name, author)

    def _tick(self, phase: Phase, name: str, *, is_done: bool, is_person: bool) -> str:
        """Tick or untick a step or a phase; why not, "" if it was. A phase is done when its checks passed."""
        if name != phase.id:
            said = transition(self._held.plan, Tick(phase.id, name, is_done))
        elif is_done:
            return "a phase is done when its checks passed: `clew phase done`"
        elif not is_person:
            return "only a person opens a phase again"
        else:
            said = transition(self._held.plan, Reopen(phase.id, "unticked in the issue"))
        if isinstance(said, PhaseRefusal):
            return said.why
        self.plan.events += facts_as_events(self._at, said, task=self._held.task.id)
        return ""

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
            wish = Wish("retract", {"reason": f"deleted in {self._named}"})
            with self._as(author):
                cannot = self._items.record(self._items.find(item), wish, is_person=author.is_trusted)
            if not cannot:
                self._put("removed", entry, item, author)

    def _notes(self, body: Body) -> dict[str, Entry]:
        """What a body says besides its lists, by the id that it has as an item."""
        entries = {self._id_of("issue", one.kind, normal(one.text)): one for one in body.more}
        told = {normal(one.text) for one in body.more}
        rows = [(raw, _without(raw.text, told)) for raw in body.raws]
        notes = [ParsedNote(text, raw.under, Lines(1, text.count("\n") + 1)) for raw, text in rows]
        for scrap in joined(scraps_of(notes)):
            item = self._id_of("issue-words", "note", one_line(scrap.text))
            entries[item] = Entry("note", *scrap.parts)
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
        if name in self._held.known or name in self._new:
            return
        self._new.add(name)
        shown = self._items.shown.get(item, "")
        about = f" of {shown}" if shown else ""
        by = f" ({author.login})" if author.login else ""
        short = (shorten(here, _TEXT_CHARS), shorten(there, _TEXT_CHARS))
        text = f'Which holds{about}? Here "{short[0]}"; in {self._named}{by} "{short[1]}"'
        if short != (here, there):
            why = shorten(f'{why}. Here "{here}"; there "{there}"', _WHY_CHARS)
        question = Entry("question", text, why, owner=self._speaker.actor or "the user")
        self._at.speaker = self._speaker.by(_FOUND)
        try:
            self._items.state(name, question, key=f"issue:{name}", more={})
        finally:
            self._at.speaker = self._speaker
        self._put("asked", meant._replace(kind="question", text=text), name, author)

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


def _words(entry: Entry) -> tuple[str, str, str]:
    return entry.kind, normal(entry.text), entry.why


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
