"""Hand-offs as the ledger has them: made by a person or at a session's end, and picked up by the next session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from clew.app.project.location import PROJECT_FOLDER
from clew.app.project.reading import newest_first
from clew.app.project.session import ProjectSession
from clew.app.results import JsonResult
from clew.core.state.events import Event, Value
from clew.core.state.ids import identity

MADE: Final = "handoff.made"
USED: Final = "handoff.used"
LETTER: Final = "Y"
# Where the newest one lies in the work tree.
LATEST: Final = f"{PROJECT_FOLDER}/HANDOFF.md"
# end: at the end of a session, unreviewed. asked: somebody asked for it.
Sort = Literal["end", "asked"]
Did = Literal["cut", "edited", "pinned", "added"]


class ReviewedEntry(NamedTuple):
    """What a review did to one entry: its item, its words before ("" added) and after ("" cut)."""

    did: Did
    item: str
    before: str
    after: str


class Handoff(JsonResult, frozen=True):
    """A hand-off as it was made. `by` made it, `reviewer` looked through it ("" nobody); `draft` is the id of the draft
    that it began with ("" rules alone), `changes` how it differs from that, `kept` how many entries stayed. `branch` is
    where, `session` the one that ended with it or asked for it, `time` when (RFC 3339 UTC). `short_id` is its short id,
    "" where nobody asked for it.
    """

    id: str
    short_id: str
    profile: str
    sort: str
    receiver: str
    reviewer: str
    draft: str
    changes: tuple[ReviewedEntry, ...]
    kept: int
    goal: str
    task: str
    branch: str
    session: str
    by: str
    time: str
    text: str


class Use(NamedTuple):
    """A session that picked a hand-off up, and when."""

    session: str
    time: str


def handoffs(at: ProjectSession, *, worktree: str | None = None) -> Iterator[Handoff]:
    """The hand-offs of one work tree (None: of all), the newest first, each once."""
    seen = set()
    for recorded in newest_first(at.ledger, (MADE,)):
        made = handoff_of(recorded.event)
        if made.id not in seen and worktree in (None, recorded.event.worktree):
            seen.add(made.id)
            yield made


def uses(at: ProjectSession) -> dict[str, Use]:
    """By which session each hand-off was picked up first."""
    found: dict[str, Use] = {}
    for recorded in at.ledger.events(kinds=(USED,)):
        event = recorded.event
        found.setdefault(str(event.data.get("handoff", "")), Use(str(event.data.get("session", "")), event.said_at))
    return found


def made_event(
    at: ProjectSession,
    text: str,
    *,
    profile: str,
    sort: Sort,
    task: str,
    receiver: str = "",
    reviewer: str = "",
    draft: str = "",
    changes: Sequence[ReviewedEntry] = (),
    kept: int = 0,
    goal: str = "",
    session: str = "",
) -> Event:
    """The event by which a hand-off is kept. The same text at the end of the same session is one. It quotes prompts, so
    that it stays on this machine unless it is for somebody.
    """
    who = (at.ledger.key.hex(), session, sort, text) if sort == "end" else (at.new_id(LETTER),)
    name = f"{LETTER}-{identity('handoff', *who)}"
    data: dict[str, Value] = {"handoff": name, "text": text, "profile": profile, "sort": sort}
    more: dict[str, Value] = {
        "receiver": receiver,
        "reviewer": reviewer,
        "draft": draft,
        "changes": [json.dumps(one._asdict(), ensure_ascii=False) for one in changes],
        "kept": kept,
        "goal": goal,
        "branch": at.location.branch,
    }
    data.update((field, value) for field, value in more.items() if value)
    event = at.event(MADE, data, task=task, key=f"handoff:{name}", visibility="team" if receiver else "private")
    return event._replace(session=session) if session else event


def used_event(at: ProjectSession, handoff: str, session: str) -> Event:
    """The event that says who picked a hand-off up."""
    data: dict[str, Value] = {"handoff": handoff, "session": session}
    return at.event(USED, data, task="", key=f"handoff-used:{handoff}:{session}", visibility="private")


def handoff_of(event: Event) -> Handoff:
    """The hand-off that an event tells."""
    data = event.data
    names = ("text", "profile", "sort", "receiver", "reviewer", "draft", "goal", "branch")
    texts = {name: value if isinstance(value := data.get(name), str) else "" for name in names}
    rows, kept = data.get("changes"), data.get("kept")
    return Handoff(
        id=str(data.get("handoff", "")),
        short_id="",
        changes=tuple(one for row in rows if (one := _changed(row))) if isinstance(rows, list) else (),
        kept=kept if isinstance(kept, int) else 0,
        task=event.task,
        session=event.session,
        by=event.actor,
        time=event.said_at,
        **texts,
    )


def _changed(row: str) -> ReviewedEntry | None:
    """A change as it was kept; None for another program's row that cannot be read."""
    try:
        given = json.loads(row)
        return ReviewedEntry(given["did"], str(given["item"]), str(given["before"]), str(given["after"]))
    except (ValueError, KeyError, TypeError):
        return None
