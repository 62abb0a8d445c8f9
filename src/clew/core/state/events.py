"""Events: recorded facts, never edited. An envelope that the ledger understands and `data` that the fold does.

Times are RFC 3339 UTC with milliseconds (`2026-11-22T01:02:03.004Z`), so that they compare as texts.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from clew.core.errors import InputError
from clew.core.state.items import Provenance

# team: may leave the machine with a shared ledger; private: quotes of prompts, reads, activity, what rules inferred.
Visibility = Literal["private", "team"]
Scalar: TypeAlias = str | int | float | bool | None
Value: TypeAlias = Scalar | list[str]
Data: TypeAlias = Mapping[str, Value]


class Event(NamedTuple):
    """One fact.

    `id` is a ULID. `key` makes appending idempotent: a ledger keeps the first event with a key; it is the id where a
    repetition cannot happen. `project` is a ULID. `task` is the task that the fact belongs to, "" for the project
    itself (tasks, bindings, items of no task). `session` ("" none) and `actor` (a user's, a client's or an agent's
    name) tell who; `provenance` is decided by the channel, never by the text (docs/reference/authority.md). `said_at`
    is the source's time, never later than `recorded_at`, which is this machine's. `kind` is a stable name such as
    `item.stated`; `v` is the version of its `data`, a flat JSON object.
    """

    id: str
    key: str
    project: str
    task: str
    session: str
    worktree: str
    actor: str
    provenance: Provenance
    visibility: Visibility
    said_at: str
    recorded_at: str
    kind: str
    v: int
    data: Data


class Recorded(NamedTuple):
    """An event as a ledger holds it. `seq` is the order of arrival in that ledger (from 1) and never travels."""

    seq: int
    event: Event


class Schema(NamedTuple):
    """What the data of one kind must and may hold. `v` is the version that is written today."""

    v: int
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    # Activity may be dropped by age and may be lost with the machine's power; every other kind is kept.
    activity: bool = False


# `source` is where it stood in a document that was imported: "HANDOFF.md:12". `draft` is the id of the draft that it is
# a claim of, `verdict` and `evidence` what its proof said (`core/state/draft.py`): clew alone writes them. `topic`: the
# learning is a fact of memory, under that name; `waits`: it was read from a memory folder, and waits to be triaged.
_ITEM: Final = (
    *("why", "status", "files", "owner", "blocking", "locked", "until", "label", "tags", "cites", "guard"),
    *("source", "draft", "verdict", "evidence", "topic", "waits"),
)

# Every kind that this version writes. A kind that is not here came from a newer version: kept, passed on, not folded.
KINDS: Final[Mapping[str, Schema]] = {
    "item.stated": Schema(1, ("item", "kind", "text"), _ITEM),
    # `was` is the text that this is about: it stands in for an inferred item that rules no longer find.
    "item.edited": Schema(1, ("item",), ("text", "was", *_ITEM)),
    "item.resolved": Schema(1, ("item",), ("outcome", "was")),
    "item.answered": Schema(1, ("item", "answer"), ("was",)),
    "item.superseded": Schema(1, ("item", "by"), ("reason", "was")),
    "item.retracted": Schema(1, ("item",), ("reason", "was")),
    "item.restored": Schema(1, ("item",), ("was",)),
    "item.pinned": Schema(1, ("item",), ("was",)),
    "item.unpinned": Schema(1, ("item",), ("was",)),
    # `hashes`: keyed hashes of the values that must not come back.
    "item.redacted": Schema(1, ("item",), ("hashes", "reason")),
    # `thread`: nobody opened it, the sessions of a work tree and branch did.
    "task.opened": Schema(1, ("task", "title"), ("type", "thread")),
    "task.renamed": Schema(1, ("task", "title")),
    # The stack (`.clew/stacks/NAME.toml`) that stands before the task's payload; "" none.
    "task.stacked": Schema(1, ("task", "stack")),
    # Whether the task goes to devices that it did not go to by itself; it says so on this device only.
    "task.shared": Schema(1, ("task", "shared")),
    "task.closed": Schema(1, ("task",), ("outcome",)),
    "task.dropped": Schema(1, ("task",), ("outcome",)),
    "task.reopened": Schema(1, ("task",)),
    # `branch` "" stands for any branch of the work tree. `task` "" unbinds.
    "place.bound": Schema(1, ("worktree", "branch", "task")),
    # `files` are "BLOB PATH" (blob "" for a file that was not there), relative to the root.
    "checkpoint.taken": Schema(
        1,
        ("checkpoint", "name", "reason"),
        ("head", "branch", "root", "files", "context_tokens", "output_tokens", "client", "message"),
    ),
    # An agent's hand-off (`core/state/draft.py`). `claims` is what became of each: JSON objects as texts, with `kind`,
    # `text`, `verdict`, `reason`, and the `item` that was made of it ("" struck). `extent`: bytes of the record then.
    "draft.written": Schema(1, ("draft", "text", "source"), ("client", "model", "extent", "claims", "prompt")),
    # A source of a fact of memory: the id of a learning, or where it was read ("MEMORY.md:12"). `told` names it for
    # people, `text` is its own wording where that differs.
    "memory.joined": Schema(1, ("item", "source"), ("told", "text")),
    # A hand-off as it was made: its text, whether a person reviewed it, and what the review changed: JSON objects as
    # texts; `kept`: how many entries stayed. `sort`: end (of a session) or asked.
    "handoff.made": Schema(
        1,
        ("handoff", "text", "profile"),
        ("sort", "receiver", "reviewer", "draft", "changes", "kept", "goal", "branch"),
    ),
    # A session began with what a hand-off of this work tree told.
    "handoff.used": Schema(1, ("handoff", "session")),
    "journal.noted": Schema(1, ("text",)),
    # A task's plan (`core/plan/`): Markdown as it was given. `phases` are the ids of its phases, in order; `digest`
    # stands for the words that a person approved (`core/plan/plan.py`).
    "plan.opened": Schema(1, ("title",), ("template",)),
    "plan.written": Schema(1, ("text", "phases"), ("title", "source", "client")),
    "plan.approved": Schema(1, ("digest",), ("source",)),
    "plan.reopened": Schema(1, (), ("reason",)),
    "plan.dropped": Schema(1, (), ("reason",)),
    # `attempt` counts from 1. `tree` stands for all that the work tree holds (a git tree); a phase is done on one.
    # `place` names the work tree of its own in which a run carries it out.
    "phase.started": Schema(1, ("phase", "attempt"), ("tree", "head", "checkpoint", "place")),
    "phase.done": Schema(1, ("phase", "attempt", "tree", "outcome"), ("commit", "checkpoint", "spent_tokens")),
    "phase.stopped": Schema(1, ("phase", "attempt", "cause"), ("failure", "checkpoint", "spent_tokens")),
    "phase.reopened": Schema(1, ("phase", "attempt"), ("reason",)),
    "phase.budgeted": Schema(1, ("phase", "budget_tokens"), ("reason",)),
    # What was done in a work tree of its own is in the branch that the run began on.
    "phase.merged": Schema(1, ("phase", "attempt"), ("commit",)),
    # A run carries a plan's phases out (docs/guide/12-runs.md). `word` is what became of it.
    "run.started": Schema(1, ("run",), ("client", "jobs")),
    "run.waits": Schema(1, ("run", "until", "reason"), ("phase",)),
    "run.ended": Schema(1, ("run", "word"), ("reason",)),
    # A client works on an attempt, in one context after the other: `round` counts them from 1. `word` is how it ended
    # (`core/plan/next_actions.py`), `reason` what was said then, `until` when it may go on.
    "work.started": Schema(1, ("phase", "attempt", "round"), ("run", "client", "model", "why")),
    "work.ended": Schema(
        1,
        ("phase", "attempt", "round", "word"),
        ("reason", "cause", "until", "client_session", "spent_tokens", "cents", "duration_ms"),
    ),
    # What was made of a claim that a context ended with: by the checks, or by the person who looked through it.
    "work.judged": Schema(1, ("phase", "attempt", "round", "number", "word"), ("reason", "tree")),
    "step.ticked": Schema(1, ("phase", "step")),
    "step.unticked": Schema(1, ("phase", "step")),
    # One run of all commands of a phase, or ("phase" absent) of the project. `commands` is what became of each: JSON
    # objects as texts. `counted`: somebody claimed to be done, so that a failure uses up the one retry.
    "validation.ran": Schema(
        1, ("tree", "verdict"), ("phase", "attempt", "counted", "commands", "failure", "cause", "duration_ms")
    ),
    # Files that a gate keeps from being changed were changed all the same. `during`: while the tool ran.
    "gate.breached": Schema(1, ("gate", "files"), ("tool", "command", "during")),
    # A program's own state, opaque: JSON text; with `base` what changed since that save (`core/state/json_delta.py`).
    "agent.saved": Schema(1, ("agent", "checkpoint", "state"), ("base", "name")),
    "project.aliased": Schema(1, ("other",)),
    # The issue that holds the task (docs/guide/09-issues.md). `hid` names it in its own text, `at` is its first place.
    "issue.linked": Schema(1, ("hid", "host", "repository", "number"), ("url", "at")),
    # A body of it, in lines: `way` is "pushed" (about to be written) or "pulled" (taken in). `rev` is its revision.
    "issue.base": Schema(
        1, ("hid", "way", "rev", "body"), ("title", "etag", "url", "open", "locked", "labels", "updated", "done")
    ),
    "issue.written": Schema(1, ("hid", "rev"), ("url",)),
    "issue.commented": Schema(1, ("hid", "phase"), ("url",)),
    # A push that could not be sent: it waits.
    "issue.queued": Schema(1, ("hid", "reason")),
    # A person let what looks like a secret leave. `digits` name it as its placeholder does, `where` is its place.
    "secret.allowed": Schema(1, ("digits", "rule", "exit", "why"), ("where",)),
    # Somebody wanted nothing of earlier work in a session: it is not of the task that was bound then.
    "session.set_aside": Schema(1, ("session",)),
    "session.seen": Schema(1, ("client", "session"), ("file", "bytes"), activity=True),
    # What a session was given, by the mark of its data; and whether the session's record shows that it got there.
    "payload.given": Schema(1, ("client", "session", "mark", "tokens", "source"), ("since",), activity=True),
    "payload.seen": Schema(1, ("session", "mark", "delivered"), activity=True),
    # What an audit of a session found (shares of its input, JSON as a text) and advised, to be checked at the next one.
    "session.audited": Schema(1, ("client", "session", "shares"), ("began", "advised"), activity=True),
}


def checked(event: Event) -> Event:
    """`event`, if it can be kept. Raises `InputError`: empty identity, a text that is no time, data that is not flat.

    A kind or a version that this clew does not know passes: it came from a newer one and is carried unchanged.
    """
    if not (event.id and event.key and event.project and event.kind):
        raise _refused(event, "it has no id, key, project or kind")
    if not (_is_time(event.recorded_at) and (event.said_at == event.recorded_at or _is_time(event.said_at))):
        raise _refused(event, "its times are not RFC 3339 UTC with milliseconds")
    if not 0 < event.v < 1 << 63:
        raise _refused(event, "its version is not a version")
    envelope: tuple[Any, ...] = event[:_TEXTS]
    if not _is_text("".join(envelope)):
        raise _refused(event, "its envelope holds half a character")
    for name, value in event.data.items():
        # Most values are plain texts, and this is on the way of every append.
        plain = type(value) is str and value.isascii() and name.isascii()
        if not plain and not (_is_text(name) and _is_value(value)):
            raise _refused(event, f"its data cannot be kept as flat JSON at {ascii(name)[:40]}")
    schema = KINDS.get(event.kind)
    if schema is not None and event.v <= schema.v:
        for name in schema.required:
            if name not in event.data:
                raise _refused(event, f"its data lacks {name}")
        # An item or a task that is named like a place would be folded into it.
        for name in ("item", "task"):
            if str(event.data.get(name, "")).startswith(("@", "=", "%")):
                raise _refused(event, "it is about no item and no task")
    return event


def is_activity(kind: str) -> bool:
    """Whether events of this kind may be dropped by age. Of an unknown kind nothing is dropped."""
    schema = KINDS.get(kind)
    return schema is not None and schema.activity


_TEXTS: Final = Event._fields.index("v")
_DIGITS: Final = str.maketrans("123456789", "000000000")


def _is_text(text: str) -> bool:
    """Whether it can be written as UTF-8: half a surrogate pair cannot."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _is_value(value: Value) -> bool:
    """Whether JSON and every reader of it give it back as it was: no NaN, no integer over 64 bits."""
    if isinstance(value, str):
        return _is_text(value)
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 63
    if isinstance(value, float):
        return value - value == 0
    return isinstance(value, list) and all(isinstance(part, str) and _is_text(part) for part in value)


def timestamp(time_ms: int) -> str:
    """Milliseconds since 1970 as events write times: `2026-11-22T01:02:03.004Z`."""
    return datetime.fromtimestamp(time_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time_ms % 1000:03d}Z"


def _is_time(text: str) -> bool:
    return text.translate(_DIGITS) == "0000-00-00T00:00:00.000Z"


def _refused(event: Event, why: str) -> InputError:
    return InputError(
        f"event {event.id or '(without id)'} of kind {event.kind or '(none)'} cannot be kept: {why}",
        code="E-event-invalid",
        hint="Nothing of its batch was kept; correct the event and append the batch again.",
    )
