"""The log: what was recorded, event by event in words, and the items as they were at a checkpoint."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task, newest_first
from clew.app.project.session import ProjectSession
from clew.app.record.checkpoint import find_checkpoint
from clew.app.results import ItemRow, JsonResult
from clew.core.errors import InputError
from clew.core.state.events import KINDS, Data, Event, Recorded, Value, timestamp
from clew.core.state.items import LETTERS, Provenance
from clew.core.state.projection import kind_of_id
from clew.core.text.cleaning import clean, one_line, shorten

LIMIT: Final = 50
_SUBJECT_CHARS: Final = 60
_VALUE_CHARS: Final = 40
_WHO: Final[Mapping[str, str]] = {"human": "person", "verified": "proved", "inferred": "rule"}
_UNITS_MS: Final = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}


class LogLine(JsonResult, frozen=True):
    """One event (`core.state.events.Event`) in `words`. `position` is the order of arrival in the ledger; `subject` the
    id of what it speaks of ("" none), `short_id` its short form.
    """

    position: int
    id: str
    kind: str
    v: int
    subject: str
    short_id: str
    words: str
    actor: str
    provenance: Provenance
    session: str
    task: str
    worktree: str
    said_at: str
    recorded_at: str
    data: Data

    @property
    def by(self) -> str:
        """Who said it: the class in a word, and the name."""
        return f"{_WHO.get(self.provenance, self.provenance)} {self.actor}".rstrip()


class EventLog(JsonResult, frozen=True):
    """Events, the newest last. `more`: there are older ones that the limit left out. `task` "" stands for all."""

    events: tuple[LogLine, ...]
    more: bool
    task: str


class PastItems(JsonResult, frozen=True):
    """The live items of a task as they were at a checkpoint, in the order they were said."""

    checkpoint: str
    name: str
    time: str
    task: str
    items: tuple[ItemRow, ...]


def log(
    project: ProjectHandle,
    *,
    task: str | None = None,
    every: bool = False,
    since: str = "",
    kind: str = "",
    limit: int = LIMIT,
) -> EventLog:
    """What was recorded for a task (named, or bound here, or where there is none for all); the rest as
    `select_events`.
    """
    with project.open(write=False) as at:
        asked = "" if every else find_task(at, task).id if task is not None else at.task()
        found, more = select_events(at, project.ports.now_ms(), asked, since=since, kind=kind, limit=limit)
        return EventLog(tuple(lines(at, found)), more, asked)


def select_events(
    at: ProjectSession, now_ms: int, task: str, *, since: str = "", kind: str = "", limit: int = 0
) -> tuple[list[Recorded], bool]:
    """The events of a task ("" all of the project), oldest first: at most `limit`, the newest ones (0: all of them),
    and whether there are older ones.

    `since` is a time or how long ago; `kind` one of an item, of an event, or its first part. Raises `InputError` for
    one that means nothing.
    """
    start = _time(since, now_ms) if since else ""
    _check_kind(kind)

    def is_meant(event: Event) -> bool:
        ours = not task or event.task == task or (not event.task and event.data.get("task") == task)
        return ours and event.said_at >= start and _is_of(event, kind)

    newest = (one for one in newest_first(at.ledger) if is_meant(one.event))
    found = list(islice(newest, limit or None))
    return found[::-1], next(newest, None) is not None


def log_at(project: ProjectHandle, checkpoint: str, *, task: str | None = None) -> PastItems:
    """The items of the checkpoint's task (or of the one named) as they were when it was taken."""
    with project.open(write=False) as at:
        found = find_checkpoint(at, checkpoint)
        wanted = find_task(at, task).id if task is not None else found.task
        items = live_state(at, wanted, upto=found.seq).items
        shown = at.ledger.shortest([item.id for item in items])
        rows = tuple(ItemRow.of(item, short_id=shown[item.id]) for item in items)
        return PastItems(found.id, found.name, found.time, wanted, rows)


def lines(at: ProjectSession, found: Sequence[Recorded]) -> Iterator[LogLine]:
    """Events in words, in the order given."""
    texts: dict[str, Mapping[str, str]] = {}
    subjects = [_subject(recorded.event) for recorded in found]
    successors = [str(event.data.get("by", "")) for _, event in found]
    shown = at.ledger.shortest([name for name in dict.fromkeys([*subjects, *successors]) if name])
    titles = {one.id: one.title for one in at.tasks()}
    plans: dict[str, Mapping[str, str]] = {}
    for (seq, event), subject in zip(found, subjects, strict=True):
        about = titles.get(subject, "")
        if event.kind.startswith(("plan.", "phase.", "step.", "validation.")):
            if event.task not in plans:
                plan = at.plan(event.task)
                steps = {step.id: step.text for phase in plan.phases for step in phase.steps}
                plans[event.task] = {"": plan.title, **{phase.id: phase.title for phase in plan.phases}, **steps}
            about = plans[event.task].get(str(event.data.get("step") or event.data.get("phase") or ""), "")
        # An item may belong to another task by now than when this was said of it.
        for task in (event.task, at.ledger.task_of(subject) or "") if kind_of_id(subject) else ():
            if task not in texts:
                texts[task] = {name: entry.item.text for name, entry in at.known(task).items()}
            about = about or texts[task].get(subject, "")
        short, words = shown.get(subject, ""), _words(event, about, shown)
        yield LogLine.of(event, position=seq, subject=subject, short_id=short, words=words)


def _subject(event: Event) -> str:
    """The id of what the event speaks of."""
    first = event.kind.partition(".")[0]
    value = event.data.get({"place": "task", "memory": "item"}.get(first, first))
    named = ("item", "task", "place", "checkpoint", "draft", "memory", "handoff")
    return value if first in named and isinstance(value, str) else ""


def _words(event: Event, about: str, shown: Mapping[str, str]) -> str:
    """What happened. `about` is the text of the item (where the event does not say what it was then), or the title of
    the task; `shown` short ids.
    """
    data = {name: _plain(value) for name, value in event.data.items()}
    said_then = data.get("was", "") if event.kind.startswith("item.") else ""
    subject = shorten(one_line(clean(said_then or about)), _SUBJECT_CHARS)

    def told(deed: str, *more: str) -> str:
        reason = next((data[name] for name in more if data.get(name)), "")
        return deed + (f": {subject}" if subject else "") + (f" ({reason})" if reason else "")

    if event.kind == "item.stated":
        why = f" ({data['why']})" if data.get("why") else ""
        deed = "imported" if data.get("source") else "noted"
        return f"{deed} {data.get('kind', 'item')}: {data.get('text', '')}{why}"
    if event.kind == "item.edited":
        said = [f"reworded: {data['text']}"] if data.get("text") else []
        said += [edit for name in sorted(data) if (edit := _edited(name, event.data[name]))]
        return ", ".join(said) if data.get("text") else f"{', '.join(said)}: {subject}"
    if event.kind == "item.superseded":
        by = data.get("by", "")
        return told(f"superseded by {shown.get(by, by)}", "reason")
    if event.kind == "place.bound":
        where = data.get("worktree", "") + (f" ({data['branch']})" if data.get("branch") else " (any branch)")
        return f"bound {where} to: {subject}" if data.get("task") else f"unbound {where}"
    if event.kind == "draft.written":
        claims = event.data.get("claims")
        entries = len(claims) if isinstance(claims, list) else 0
        return f"wrote a hand-off: {entries} entries ({data.get('source', '')})"
    if event.kind == "gate.breached":
        files = event.data.get("files")
        named = one_line(clean(", ".join(files))) if isinstance(files, list) else "no file named"
        return f"breach of the gate {event.data['gate']}: {shorten(named, _SUBJECT_CHARS)}"
    if event.kind == "handoff.made":
        by = f", reviewed by {data['reviewer']}" if data.get("reviewer") else ", unreviewed"
        return f"made a hand-off ({data.get('profile', '')}{by})"
    deed, *more = _DEEDS.get(event.kind, ("",))
    if "{" in deed:
        source = data.get("told") or data.get("source", "")
        return deed.format_map(defaultdict(str, {**data, "source": source, "about": subject}))
    if deed:
        return told(deed, *more)
    return event.kind if event.kind in KINDS else f"{event.kind} (an event of a newer clew, kept as it is)"


def _edited(name: str, value: Value) -> str:
    """What an edit says of one field, in words; "" for what it is about."""
    if name in ("item", "was", "text"):
        return ""
    if name == "cites":
        return "confirmed for its files as they are"
    if isinstance(value, bool):
        return _SWITCHED.get((name, value), f"{name}: {'yes' if value else 'no'}")
    new = ", ".join(map(_plain, value)) if isinstance(value, list) else one_line(clean(str(value)))
    return f"{name} is now {shorten(new, _VALUE_CHARS)}" if new else f"{name} taken away"


_SWITCHED: Final[Mapping[tuple[str, bool], str]] = {
    ("locked", True): "locked",
    ("locked", False): "unlocked",
    ("blocking", True): "made blocking",
    ("blocking", False): "made not blocking",
}

# What an event is called, then the fields of which the first that there is gives the reason; or all of it, with fields.
_DEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "item.answered": ("answered: {answer} ({about})",),
    "task.opened": ("opened the task: {title}",),
    "task.renamed": ("renamed the task: {title}",),
    "checkpoint.taken": ("took the checkpoint {name}",),
    "memory.joined": ("joined to a fact of memory: {source} ({about})",),
    "journal.noted": ("journal: {text}",),
    "item.resolved": ("resolved", "outcome"),
    "item.retracted": ("retracted", "reason"),
    "item.restored": ("restored",),
    "item.pinned": ("pinned",),
    "item.unpinned": ("unpinned",),
    "item.redacted": ("redacted", "reason"),
    "task.stacked": ("named the task's stack", "stack"),
    "task.shared": ("said whether the task is shared",),
    "task.closed": ("closed the task", "outcome"),
    "task.dropped": ("dropped the task", "outcome"),
    "task.reopened": ("opened the task again",),
    "validation.ran": ("ran the checks", "verdict"),
    "plan.opened": ("opened planning",),
    "plan.written": ("wrote the plan", "source"),
    "plan.approved": ("approved the plan", "source"),
    "plan.reopened": ("opened planning again", "reason"),
    "plan.dropped": ("dropped the plan", "reason"),
    "phase.started": ("began the phase",),
    "phase.done": ("finished the phase", "outcome"),
    "phase.stopped": ("stopped the phase", "cause"),
    "phase.reopened": ("opened the phase again", "reason"),
    "phase.budgeted": ("gave the phase another budget", "reason"),
    "phase.merged": ("merged the phase's branch", "commit"),
    "run.started": ("began a run", "client"),
    "run.waits": ("let the run wait", "reason"),
    "run.ended": ("ended the run", "reason"),
    "work.started": ("began to work on the phase", "client"),
    "work.ended": ("stopped working on the phase", "word"),
    "work.judged": ("judged the work", "word"),
    "step.ticked": ("ticked a step",),
    "step.unticked": ("took a step's tick off",),
    "issue.linked": ("linked the task with an issue", "url"),
    "issue.base": ("kept the issue's text",),
    "issue.written": ("wrote the issue", "url"),
    "issue.commented": ("told the issue of a phase", "url"),
    "issue.queued": ("left a push of the issue waiting", "reason"),
    "secret.allowed": ("let what looks like a secret leave", "why"),
    "agent.saved": ("saved an agent's state",),
    "handoff.used": ("a session picked up a hand-off",),
    "project.aliased": ("joined another project's ledger",),
    "session.seen": ("saw a session",),
    "session.audited": ("audited a session",),
    "session.set_aside": ("set a session aside",),
    "payload.given": ("gave a session what was left", "source"),
    "payload.seen": ("looked whether it was delivered", "delivered"),
}


def _plain(value: Value) -> str:
    return one_line(clean(value)) if isinstance(value, str) else ""


def _is_of(event: Event, kind: str) -> bool:
    if not kind:
        schema = KINDS.get(event.kind)
        return schema is None or not schema.activity
    item = event.data.get("item")
    if isinstance(item, str) and kind_of_id(item) == kind:
        return True
    # A kind of items that has the name of a kind of events stands for both.
    return kind in (event.kind, event.kind.partition(".")[0])


def _check_kind(kind: str) -> None:
    names = {*LETTERS, *KINDS, *(name.partition(".")[0] for name in KINDS), ""}
    if kind not in names and "." not in kind:  # a newer clew may have written others
        raise InputError(
            f"{clean(kind)} is neither a kind of items nor of events",
            code="E-log-filter",
            hint=f"Kinds of items: {', '.join(LETTERS)}. Of events: item, task, place, checkpoint, draft, or "
            "item.retracted …",
        )


def _time(text: str, now_ms: int) -> str:
    """A moment as events write it: RFC 3339, a date (its beginning in UTC), or how long ago (`90m`, `12h`, `3d`)."""
    number, unit = text[:-1], text[-1:]
    if number.isascii() and number.isdigit() and unit in _UNITS_MS and len(number) < 8:
        return timestamp(max(0, now_ms - int(number) * _UNITS_MS[unit]))
    try:
        found = datetime.fromisoformat(text)
        moment = found if found.tzinfo else found.replace(tzinfo=UTC)
        return timestamp(max(0, int(moment.timestamp() * 1000)))
    except (ValueError, OverflowError):
        raise InputError(
            f"{clean(text)} is not a time",
            code="E-log-filter",
            hint="Say a date (2026-11-22), a time (2026-11-22T09:00Z), or how long ago: 90m, 12h, 3d, 2w.",
        ) from None
