"""The review of a hand-off: its entries with the verdicts of their proof, and what a person does to each, one key
each; or all at once, in an editor. Decides; records nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from clew.core.gate.prohibition import forbidden
from clew.core.state.items import Item, Kind
from clew.core.state.orders import OFF_LIMITS
from clew.core.text.cleaning import one_line
from clew.documents.entry import Entry
from clew.documents.grammar import entry_of
from clew.documents.merge import Change, changes
from clew.documents.pairing import normal
from clew.documents.parse import parse
from clew.documents.profiles import Profile
from clew.documents.read_back import parse_own
from clew.documents.render import Document

# ✓ proved by record or disk; “ the user's words; · anchored in the record; ? claimed, and nothing was found for it.
Mark = Literal["✓", "“", "·", "?"]
Deed = Literal["accept", "cut", "edit", "pin"]
# What a key does, and how it is told.
KEYS: Final[Mapping[str, tuple[Deed | str, str]]] = {
    "a": ("accept", "accept it"),
    "c": ("cut", "cut it: it is retracted"),
    "e": ("edit", "edit its words"),
    "p": ("pin", "pin it: no document leaves it out"),
    "g": ("gate", "make a gate of a prohibition: what it names is denied"),
    "u": ("undo", "undo the last"),
    "A": ("rest", "accept all the rest, and make it"),
    "q": ("quit", "leave, and make nothing"),
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
    """What becomes of one item, or (`item` None) of what is added: `text` and `why` are its words then, `fields` what
    else is said of it.
    """

    deed: Literal["cut", "edit", "pin", "add"]
    item: Item | None
    text: str = ""
    why: str = ""
    kind: Kind = "note"
    fields: tuple[tuple[str, str | bool], ...] = ()


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
        return "·", item.evidence or "its names stand in the record"
    return "?", "a claim" if item.provenance == "agent" else "read off by a rule"


class Review:
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
            return self._choose(None if meant == "accept" else Choice(meant, self.row.item))  # type: ignore[arg-type]
        if meant == "gate" and self.row.item.kind == "constraint" and any(forbidden(self.row.item.text)):
            item = self.row.item
            return self._choose(Choice("edit", item, item.text, item.why, fields=(("status", OFF_LIMITS),)))
        return ""

    def edited(self, text: str) -> str:
        """The words that the row is to have; those that it has, or none, accept it."""
        words = one_line(text)
        item = self.row.item
        return self._choose(None if words in ("", item.text) else Choice("edit", item, words, item.why))

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
    by_id = {item.id: item for item in items}
    told = parse_own(after, profile, parse).entries
    found: list[Choice] = []
    done: set[str] = set()
    for change in changes(before.entries, told):
        item = _meant(change.before, by_id) if change.before else None
        if change.before and item is None:
            continue
        made = _choice(change, item)
        if made is not None and (
            item is None or (made.deed, item.id) not in {(one.deed, one.item.id) for one in found if one.item}
        ):
            found.append(made)
        if item is not None:
            done.add(item.id)
    return found


def _meant(entry: Entry, by_id: Mapping[str, Item]) -> Item | None:
    if entry.id:
        return next((item for name, item in by_id.items() if name.startswith(entry.id)), None)
    same = (item for item in by_id.values() if item.kind == entry.kind and normal(item.text) == normal(entry.text))
    return next(same, None)


def _choice(change: Change, item: Item | None) -> Choice | None:
    after = change.after
    if item is None:
        return _added(after) if after is not None else None
    if after is None:
        return Choice("cut", item)
    if change.did == "moved":
        return None
    if change.did == "reworded":
        text, why = _words(change, item)
        return None if (text, why) == (item.text, item.why) else Choice("edit", item, text, why)
    before = change.before
    assert before is not None
    names = {"ticked": ("status", "answer"), "marked": ("locked", "blocking", "owner")}.get(change.did, ())
    fields = tuple((name, getattr(after, name)) for name in names if getattr(after, name) != getattr(before, name))
    return Choice("edit", item, item.text, item.why, fields=fields) if fields else None


def _added(entry: Entry) -> Choice:
    fields = tuple(
        (name, value) for name in ("status", "owner", "locked", "blocking") if (value := getattr(entry, name))
    )
    return Choice("add", None, one_line(entry.text), entry.why, entry.kind, fields)


def _words(change: Change, item: Item) -> tuple[str, str]:
    """The words that an item is to have: of an entry that was cut short, only its front part was seen."""
    before, after = change.before, change.after
    assert before is not None and after is not None
    text = one_line(after.text).removeprefix(f"{item.label}: ") if item.label else one_line(after.text)
    shown = before.text.removeprefix(f"{item.label}: ") if item.label else before.text
    if normal(shown) == normal(text):
        text = item.text
    elif before.cut and item.text.startswith(shown.rstrip("…")):
        text = f"{text.rstrip('…')}{item.text[len(shown.rstrip('…')) :]}"
    why = item.why if after.why == before.why else after.why
    return text, why
