"""Matching: which item of a task an entry of a document is, and what the entry says of it that is not known yet."""

import re
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Final, NamedTuple

from clew.app.project.lookup import Found
from clew.app.record.fields import STATUSES
from clew.app.record.verbs import Change
from clew.core.state.events import Value
from clew.core.state.fold import values
from clew.core.state.ids import PREFIX_CHARS_MIN
from clew.core.state.items import Item, Kind
from clew.core.state.projection import NOWHERE, Known
from clew.core.text.cleaning import one_line, shorten
from clew.documents.entry import Entry
from clew.documents.grammar import entry_of
from clew.documents.pairing import Matching, normal
from clew.documents.profiles import stage_of
from clew.ledger.bounds import TEXT_CHARS_MAX, WHY_CHARS_MAX

_OUR_ID: Final = re.compile(rf"[A-Z]-[0-9a-z]{{{PREFIX_CHARS_MIN},}}")
_WORK: Final[tuple[Kind, ...]] = ("step", "phase")
# How far a step is: what a document tells counts if it is further on.
_FAR: Final[Mapping[str, int]] = {"pending": 0, "": 0, "in progress": 1, "blocked": 1, "dropped": 2, "done": 2}
_ENDED: Final = ("done", "dropped")
_OWNED: Final[tuple[Kind, ...]] = ("question", "risk", "blocker")
_SAID_CHARS: Final = 60
_NOTHING: Final = "(no words)"


class Match(NamedTuple):
    """The id of the item that an entry is. `by_id`: the document prints it."""

    item: str
    by_id: bool


class Wish(NamedTuple):
    """What a document says has become of an item: the change, the data of its event, the same in words, and as a
    command.
    """

    change: Change
    data: Mapping[str, Value]
    said: str
    command: str


def matched(entries: Sequence[Entry], items: Mapping[str, Known]) -> dict[int, Match]:
    """Which entries (by index) are items that are known: by the id where one of ours is printed, or a unique beginning,
    else by kind and words (`documents.pairing.normal`), those that count before those that do not.
    """
    order = sorted(items.values(), key=lambda entry: entry.standing != "live")
    old = [entry.item for entry in order]
    printed = [entry if _OUR_ID.fullmatch(entry.id) else entry._replace(id="") for entry in entries]
    by_id = Matching([Entry(item.kind, item.text, id=item.id) for item in old], printed)
    by_id.by_id()
    left = [(at, item) for at, item in enumerate(old) if at not in by_id.pairs]
    forms = [(at, kind, text) for at, item in left for text in _forms(item) for kind in _kinds(item)]
    by_words = Matching([Entry(kind, text) for _, kind, text in forms], [entry._replace(id="") for entry in printed])
    by_words.new_left = dict(by_id.new_left)
    by_words.by_words()
    found = {new: Match(old[form].id, True) for form, new in by_id.pairs.items()}
    return found | {new: Match(old[forms[form][0]].id, False) for form, new in by_words.pairs.items()}


def _forms(item: Item) -> Iterator[str]:
    """The texts that stand for an item: its own, and as documents tell it."""
    told = (item.text, entry_of(item).text, entry_of(item, labelled=False).text)
    yield from {normal(text): text for text in told}.values()


def _kinds(item: Item) -> tuple[Kind, ...]:
    """The kinds that an item is told as: what a session was asked first is the goal of its task, or a request."""
    return ("goal", "step") if item.kind == "goal" and item.place.at != NOWHERE else (item.kind,)


def stated_of(entry: Entry) -> tuple[dict[str, Value], str, str]:
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
    elif entry.kind in _WORK:
        data["status"] = shorten(one_line(entry.status), _SAID_CHARS)
    elif entry.kind in STATUSES:
        data["status"] = entry.status if entry.status in STATUSES[entry.kind] else ""
    elif entry.status in _ENDED:
        ended = entry.status
    if entry.kind in _OWNED:
        data["owner"] = shorten(one_line(entry.owner), _SAID_CHARS)
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


def wishes(entry: Entry, found: Found, *, by_id: bool) -> list[Wish]:
    """What `entry` says of the item that is not so here. Who reworded a line left its id there: without one
    (`by_id`) other words would be another item. What is over here stays so.
    """
    if found.entry.standing != "live":
        return []
    item, name = found.entry.item, found.shown
    told: list[Wish] = []
    if by_id and not _says_the_same(entry, item):
        told.append(reworded(entry, item, name))
    elif entry.why and not item.why and not entry.cut and item.provenance in ("agent", "unattributed"):
        why = one_line(entry.why)[:WHY_CHARS_MAX]
        told.append(Wish("edit", {"why": why}, f"why: {shorten(why, _SAID_CHARS)}", _typed("edit", name, "--why", why)))
    if item.kind == "question" and entry.answer:
        answer = one_line(entry.answer)[:WHY_CHARS_MAX]
        known = (str(values(found.entry.heard).get("answer", "")), item.answer, entry_of(item).answer)
        if normal(answer) not in map(normal, known):
            said = f"answered: {shorten(answer, _SAID_CHARS)}"
            told.append(Wish("answer", {"answer": answer}, said, _typed("answer", name, answer)))
    elif wish := _status_wish(entry, item, name):
        told.append(wish)
    return told


def _says_the_same(entry: Entry, item: Item) -> bool:
    """Whether the words are those of the item, however much of them stands in the reason; of a cut one the front."""
    text = normal(entry.text)
    forms = [normal(form) for form in _forms(item)]
    if entry.cut:
        return any(form.startswith(text) for form in forms)
    whole = _words(entry.text, entry.why)
    if whole in (_words(item.text, item.why), _words(item.text)):
        return True
    return text in forms and (not entry.why or normal(entry.why) in (normal(item.why), normal(entry_of(item).why)))


def _words(*texts: str) -> list[str]:
    return re.findall(r"\w+", " ".join(texts).casefold())


def reworded(entry: Entry, item: Item, name: str) -> Wish:
    """That the item is to say what `entry` does; without data where only the front of its words stands there."""
    text = one_line(entry.text).removeprefix(f"{item.label}: ") if item.label else one_line(entry.text)
    if entry.cut:
        # What is typed has to be the whole of it: with the front alone the rest would be gone.
        said = f"reworded to {shorten(text, _SAID_CHARS)}, but only the front of its words stands there"
        return Wish("edit", {}, said, _typed("show", name))
    text, why, _ = _fitted(text, one_line(entry.why))
    data: dict[str, Value] = {} if normal(text) in map(normal, _forms(item)) else {"text": text}
    if why and normal(why) not in (normal(item.why), normal(entry_of(item).why)):
        data["why"] = why
    words = [text] if "text" in data else []
    reason = ["--why", why] if "why" in data else []
    said = "reworded" if words else f"why: {shorten(why, _SAID_CHARS)}"
    return Wish("edit", data, said, _typed("edit", name, *words, *reason))


def _status_wish(entry: Entry, item: Item, name: str) -> Wish | None:
    """How far it is, or that it is over, if the document knows more."""
    if item.kind in _WORK:
        now = stage_of(item)
        if entry.status not in _FAR or _FAR[entry.status] <= _FAR.get(now, 0) or entry.status == now:
            return None
        outcome = [] if entry.status == "done" else [entry.status]
        typed = _typed("resolve", name, *outcome)
        if not item.is_persons:
            return Wish("edit", {"status": entry.status}, f"now {entry.status}", typed)
        if entry.status not in _ENDED:
            return None  # a request is the user's own; what work brings to an end may be told of it
        return Wish("resolve", {"outcome": "".join(outcome)}, f"now {entry.status}", typed)
    if item.kind == "hypothesis":
        if entry.status != "eliminated" or stage_of(item) == "eliminated":
            return None
        return Wish("edit", {"status": "eliminated"}, "now eliminated", _typed("edit", name, "--status", "eliminated"))
    if entry.status not in _ENDED or item.kind in ("validation", "file"):
        return None
    outcome = [] if entry.status == "done" else [entry.status]
    said = f"now {entry.status}"
    return Wish("resolve", {"outcome": "".join(outcome)}, said, _typed("resolve", name, *outcome))


def _typed(*words: str) -> str:
    return " ".join(("clew", *map(quote, words)))
