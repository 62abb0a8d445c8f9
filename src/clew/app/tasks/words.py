"""Words that go along: what was said of an item counts in the task that its session, or its work tree, counts for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b
from typing import Final

from clew.app.project.session import ProjectSession
from clew.core.state.events import Event
from clew.core.state.extract import Extract, owning_tasks
from clew.core.state.fold import FOLDED_KINDS
from clew.core.state.projection import Known, holds_everywhere

_KINDS: Final = frozenset(kind for kind in FOLDED_KINDS if kind.startswith("item."))


def words_along(at: ProjectSession, extract: Extract, task: str) -> list[Event]:
    """What was said about the items of a session in its task, said in `task` as well (`words_from`)."""
    return words_from(at, extract.task, task, {item.id for item in extract.items})


def words_from(at: ProjectSession, source: str, task: str, names: Collection[str] | None = None) -> list[Event]:
    """What was said in the task `source` ("" none) about the items `names` (None: about any), said in `task` as well;
    what is said there already is left out. It is the same word of the same speaker at the same time; only the task is
    another.
    """
    words = (event for event in _words(at) if event.task == source and (names is None or _item(event) in names))
    return _said_in(at, task, words)


def strays(at: ProjectSession) -> list[Event]:
    """What was said about items in tasks where no session has them, said in the tasks of the sessions that do: of two
    ledgers that were put together one had let the session count for another task. Reads the ledger from its beginning.

    A person's words follow no foreign extract, and nobody else's statement keeps them from following.
    """
    spoken: dict[bool, set[str]] = {True: set(), False: set()}  # by a person, by others
    stated: dict[bool, set[str]] = {True: set(), False: set()}
    for event in _words(at):
        is_persons = event.provenance == "human"
        spoken[is_persons].add(_item(event))
        if event.kind == "item.stated":
            stated[is_persons].add(_item(event))
    # What was stated is where it was stated.
    strayed = {True: spoken[True] - stated[True], False: spoken[False] - stated[True] - stated[False]}
    there: dict[bool, dict[str, set[str]]] = {True: {}, False: {}}
    for session in at.ledger.taken() if strayed[True] or strayed[False] else ():
        for persons, names in strayed.items():
            found = owning_tasks(at.ledger.extracts(session=session), foreign=not persons)
            for name in names.intersection(found):
                there[persons].setdefault(name, set()).update(found[name])
    lost: dict[str, list[Event]] = {}
    for event in _words(at):
        tasks = there[event.provenance == "human"].get(_item(event), set())
        for task in tasks if event.task not in tasks else ():
            lost.setdefault(task, []).append(event)
    return [copy for task in sorted(lost) for copy in _said_in(at, task, lost[task])]


def _words(at: ProjectSession) -> Iterator[Event]:
    """What was said about items, by arrival."""
    return (recorded.event for recorded in at.ledger.events(kinds=_KINDS))


def _item(event: Event) -> str:
    return str(event.data.get("item", ""))


def _said_in(at: ProjectSession, task: str, words: Iterable[Event]) -> list[Event]:
    there = {_word(event) for _, event in at.ledger.events(task=task)}
    copies = []
    for event in words:
        if _word(event) in there:
            continue
        there.add(_word(event))
        # By its key: an agent's copy of it, or an altered one, has the same id.
        told = blake2b(event.key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        copy = at.event(event.kind, event.data, task=task, key=f"adopted:{task}:{told}")
        same = ("session", "actor", "provenance", "visibility", "said_at", "v")
        copies.append(copy._replace(**{name: getattr(event, name) for name in same}))
    return copies


def _word(event: Event) -> tuple[str, ...]:
    """What makes an event the word it is, whatever task and ledger it stands in."""
    data = repr(sorted(event.data.items()))
    return event.kind, data, event.said_at, event.provenance, event.actor, event.session


def unassigned_items(at: ProjectSession) -> dict[str, Known]:
    """The items, by id, that were stated in this work tree for no task, are not taken back, and count in no task: a
    decision or a constraint of no task holds in every one, so it is none of them.
    """
    own = at.speaker.worktree
    here = {
        str(event.data.get("item", ""))
        for _, event in at.ledger.events(task="", kinds=("item.stated",))
        if event.worktree in (own, at.place.worktree)
    }
    names = {name for name in here if not holds_everywhere(name)}
    known = at.known("") if names else {}
    return {name: one for name, one in known.items() if name in names and one.standing in ("live", "resolved")}


def taken_along(at: ProjectSession, task: str, *, but: Collection[str] = ()) -> list[Event]:
    """The events by which the loose items belong to `task`, which is being opened: what was said of them, by the same
    speakers at the same times. `but` are kinds that stay where they are. Tells how many they are.
    """
    names = {name for name, entry in unassigned_items(at).items() if entry.item.kind not in but}
    events = words_from(at, "", task, names) if names else []
    if events:
        items, go = ("item", "goes") if len(names) == 1 else ("items", "go")
        at.note(f"{len(names):,} {items} of no task that stood here {go} along (not with --empty).")
    return events
