"""The review of a hand-off: its entries with the verdicts of their proof, what a person does to each, one key each or
all at once in an editor, and that recorded under the same rules as all else that is said of an item
(docs/reference/authority.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from clew.app.handoff.made import Did as ReviewDid
from clew.app.handoff.made import ReviewedEntry
from clew.app.importing.item_changes import Wish, safe_entry, state_item, wish_of
from clew.app.project.lookup import find_item
from clew.app.project.session import ProjectSession
from clew.app.record.item import weighed, words_of
from clew.app.record.verbs import reserved, unfit
from clew.core.gate.prohibition import forbidden
from clew.core.state.events import Event, Value
from clew.core.state.ids import identity
from clew.core.state.items import LETTERS, Item
from clew.core.state.orders import OFF_LIMITS
from clew.core.text.cleaning import one_line
from clew.documents.entry import Entry
from clew.documents.grammar import entry_of
from clew.documents.pairing import normal
from clew.documents.parse import parse
from clew.documents.profiles import Profile
from clew.documents.read_back import parse_own
from clew.documents.reconcile import EntryChange, reconcile
from clew.documents.render import Document

# ✓ proved by record or disk; “ the user's words; · anchored in the record; ? claimed, and nothing was found for it.
Mark = Literal["✓", "“", "·", "?"]
Deed = Literal["accept", "cut", "edit", "pin"]
_DID: Final[Mapping[str, ReviewDid]] = {"cut": "cut", "edit": "edited", "pin": "pinned"}
_ASK: Final = "Leave it as it is, or ask the person you work for to review the hand-off: `clew handoff`."
# What a key does, and how it is told.
KEYS: Final[Mapping[str, tuple[Deed | str, str]]] = {
    "a": ("accept", "accept it"),
    "c": ("cut", "cut it: it is retracted"),
    "e": ("edit", "edit its words"),
    "p": ("pin", "pin it: no document leaves it out"),
    "g": ("gate", "make a gate of a prohibition: what it names is denied"),
    "u": ("undo", "undo the last"),
    "A": ("rest", "accept all the rest, and write it"),
    "q": ("quit", "quit, and write nothing"),
    "?": ("help", "these keys"),
}


class Row(NamedTuple):
    """An entry of the hand-off: `item` is what it tells, `heading` where it stands, `proof` what was found for it."""

    number: int
    item: Item
    entry: Entry
    heading: str
    mark: Mark
    proof: str


class Choice(NamedTuple):
    """What becomes of one item by a `wish`, or (`item` None) the `entry` that is added."""

    deed: Literal["cut", "edit", "pin", "add"]
    item: Item | None
    wish: Wish
    entry: Entry = Entry("note", "")


def rows_of(document: Document, items: Sequence[Item], profile: Profile) -> list[Row]:
    """The entries of a document in its order, numbered from 1."""
    by_id = {item.id: item for item in items}
    shown = [by_id[name] for name in document.shown if name in by_id]
    found: list[Row] = []
    for section in profile.sections:
        for item in shown:
            if profile.section_of(item) is section:
                mark, proof = marked(item)
                found.append(Row(len(found) + 1, item, entry_of(item), section.heading, mark, proof))
    return found


def marked(item: Item) -> tuple[Mark, str]:
    """How far an item is proved, and what was found for it."""
    if item.provenance == "human":
        return "“", "the user's words"
    if item.provenance == "verified" or item.verdict == "proved":
        return "✓", item.evidence or "a tool's result in the record"
    if item.verdict == "anchored":
        return "·", item.evidence or "its names occur in the record"
    return "?", "a claim" if item.provenance == "agent" else "read off by a rule"


class ReviewState:
    """A review under way. `at` is the row that the next key is about; digits choose another one."""

    def __init__(self, rows: Sequence[Row]) -> None:
        # What nothing vouches for is asked about first; the rest is mostly accepted in one go.
        self.rows = list(rows)
        self.order = sorted(range(len(rows)), key=lambda index: (rows[index].mark != "?", index))
        self.choices: dict[int, Choice | None] = {}
        self.keys = 0
        self._typed = ""
        self._history: list[int] = []
        self.at = self.order[0] if self.order else -1

    @property
    def row(self) -> Row:
        """The row that the next key is about."""
        return self.rows[self.at]

    @property
    def left(self) -> int:
        """How many rows nothing was said about yet."""
        return len(self.rows) - len(self.choices)

    def press(self, key: str) -> str:
        """What a key asks for: `next`, `chosen`, `edit`, `done`, `quit`, `help`, or "" for one that means nothing."""
        self.keys += 1
        if key.isdigit():
            self._typed += key
            number = int(self._typed)
            if not 1 <= number <= len(self.rows):
                self._typed = ""
                return ""
            self.at = number - 1
            return "chosen"
        self._typed = ""
        meant = KEYS.get(key, ("", ""))[0]
        if meant in ("quit", "help", "edit"):
            return meant
        if meant == "rest":
            return "done"
        if meant == "undo":
            return self._undo()
        if meant in ("accept", "cut", "pin"):
            return self._choose(_CHOICES[meant](self.row.item) if meant in _CHOICES else None)
        if meant == "gate" and self.row.item.kind == "constraint" and any(forbidden(self.row.item.text)):
            return self._choose(Choice("edit", self.row.item, Wish("edit", {"status": OFF_LIMITS})))
        return ""

    def edited(self, text: str) -> str:
        """The words that the row is to have; those that it has, or none, accept it."""
        words = one_line(text)
        item = self.row.item
        return self._choose(None if words in ("", item.text) else Choice("edit", item, Wish("edit", {"text": words})))

    def result(self) -> list[Choice]:
        """What was chosen, in the order of the rows; all else is accepted."""
        return [choice for _, choice in sorted(self.choices.items()) if choice is not None]

    def _choose(self, choice: Choice | None) -> str:
        self.choices[self.at] = choice
        self._history.append(self.at)
        following = next((index for index in self.order if index not in self.choices), -1)
        if following < 0:
            return "done"
        self.at = following
        return "next"

    def _undo(self) -> str:
        if not self._history:
            return ""
        self.at = self._history.pop()
        self.choices.pop(self.at, None)
        return "next"


def edits_in(before: Document, after: str, profile: Profile, items: Sequence[Item]) -> list[Choice]:
    """What somebody did in an editor to a document that tells every entry's id."""
    told = parse_own(after, profile, parse).entries
    found: list[Choice] = []
    for change in reconcile(before.entries, before.entries, told).changes:
        if change.before is None:
            if change.after is not None:
                found.append(Choice("add", None, Wish("edit", {}), change.after))
            continue
        item = _meant(change.before, items)
        choice = _choice(change, item) if item is not None else None
        if choice is not None and choice not in found:  # a pinned item stands there twice
            found.append(choice)
    return found


def _meant(entry: Entry, items: Sequence[Item]) -> Item | None:
    if entry.id:
        return next((item for item in items if item.id.startswith(entry.id)), None)
    return next((one for one in items if one.kind == entry.kind and normal(one.text) == normal(entry.text)), None)


def _choice(change: EntryChange, item: Item) -> Choice | None:
    if change.after is None:
        return _cut(item)
    wish = wish_of(change, item, "")
    return Choice("edit", item, wish) if wish is not None else None


def _cut(item: Item) -> Choice:
    return Choice("cut", item, Wish("retract", {"reason": "cut in the review of a hand-off"}))


_CHOICES: Final[Mapping[str, Callable[[Item], Choice]]] = {
    "cut": _cut,
    "pin": lambda item: Choice("pin", item, Wish("pin", {})),
}


def apply_review(at: ProjectSession, choices: Sequence[Choice], task: str) -> tuple[list[Event], list[ReviewedEntry]]:
    """The events of a review, said by whoever reviewed, and what it changed in words. Nothing is kept yet.

    What is locked, pinned or a person's own only a person changes, and shows it once for all of it. Raises
    `NotAllowed`; what cannot be changed as it stands is noted and left.
    """
    found = [(one, find_item(at, one.item.id)) for one in choices if one.item is not None]
    why = [f"{there.shown}: {reason}" for one, there in found if (reason := reserved(there, one.wish.verb))]
    if why:
        about = words_of(at, [there for _, there in found])
        at.require_person("review", f"change what the review changes ({'; '.join(why)})", _ASK, about=about)
    events: list[Event] = []
    told: list[ReviewedEntry] = []
    for one, there in found:
        against, _ = unfit(there, one.wish.verb)
        text = there.entry.item.text
        if against:
            at.note(f"{against}: it was left as it is.")
        elif one.deed != "edit" and one.item is not None and one.item.text != text:
            at.note(f"{there.shown} was reworded while it was reviewed: it was left as it is.")
        else:
            data = {name: _safe(at, value) for name, value in one.wish.data.items()}
            events += weighed(at, there, one.wish.verb, data)[0]
            words = "" if one.deed == "cut" else str(data.get("text", text))
            told.append(ReviewedEntry(_DID[one.deed], there.id, text, words))
    for one in choices:
        if one.item is None and one.entry.text:
            entry = safe_entry(at, one.entry)
            said = (at.ledger.key.hex(), task, at.speaker.provenance, entry.kind, one_line(one.entry.text))
            name = f"{LETTERS[entry.kind]}-{identity('review', *said)}"
            events += state_item(at, task, name, entry, key=f"review:{name}", more={}, is_person=at.is_person)[0]
            told.append(ReviewedEntry("added", name, "", one_line(one.entry.text)))
    return events, told


def _safe(at: ProjectSession, value: Value) -> Value:
    return at.safe_lines(value) if isinstance(value, str) else value
