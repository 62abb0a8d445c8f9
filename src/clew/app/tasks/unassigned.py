"""Loose items: what was noted or imported in a work tree for no task. A task that is opened there takes them along."""

from __future__ import annotations

from collections.abc import Collection

from clew.app.project import ProjectSession
from clew.app.tasks.words import words_of
from clew.core.state.events import Event
from clew.core.state.projection import Known, holds_everywhere


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
    if not names:
        return {}
    return {
        name: entry for name, entry in at.known("").items() if name in names and entry.standing in ("live", "resolved")
    }


def taken_along(at: ProjectSession, task: str, *, but: Collection[str] = ()) -> list[Event]:
    """The events by which the loose items belong to `task`, which is being opened: what was said of them, by the same
    speakers at the same times. `but` are kinds that stay where they are. Tells how many they are.
    """
    names = {name for name, entry in unassigned_items(at).items() if entry.item.kind not in but}
    events = words_of(at, names, task) if names else []
    if events:
        items, go = ("item", "goes") if len(names) == 1 else ("items", "go")
        at.note(f"{len(names):,} {items} of no task that stood here {go} along (not with --empty).")
    return events


def unassigned_words(at: ProjectSession, task: str) -> list[Event]:
    """The events by which all loose items belong to `task`."""
    names = set(unassigned_items(at))
    return words_of(at, names, task) if names else []
