"""One item with its evidence: what it says, who said it, what became of it, and the words there in the record."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clew.app.desk import has_ledger, spot_at
from clew.app.excerpt import around
from clew.app.place import line_number
from clew.app.ports import Ports
from clew.app.session import captured_session
from clew.app.told import redact_error
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.ids import shortest_prefixes
from clew.core.items import Item
from clew.core.tasks import Task
from clew.core.text import clean, one_line
from clew.core.view import NOWHERE, Known

if TYPE_CHECKING:
    from clew.app.checkpoint import Checkpoint
    from clew.app.log import Line

_EXCERPT_CHARS = 1200
_CANDIDATES_MAX = 8
_SESSION_CHARS = 8


class Showing(NamedTuple):
    """`items` in the order they were said, `ids` their shortest unique ids. `chosen` is the one asked for.

    `line` is the number (from 1) of the chosen item's line in `transcript`, 0 without one. `transcript` is None where
    no session's record is at hand. With a ledger: `entries` are the items with how they stand, `history` the events
    about the chosen one, `task` the task that they are of (None: none). Where the id was that of a task or of a
    checkpoint there are no items, and `task` or `checkpoint` is what was asked for. `names` are the shortest ids of the
    two.
    """

    items: tuple[Item, ...]
    ids: tuple[str, ...]
    chosen: Item | None
    transcript: Path | None
    line: int
    client: str
    entries: tuple[Known, ...] = ()
    history: tuple[Line, ...] = ()
    task: Task | None = None
    checkpoint: Checkpoint | None = None
    names: Mapping[str, str] | None = None

    @property
    def report(self) -> str:
        """What was asked for, for people; "" for the list of all items."""
        if self.chosen is not None:
            return self._item(self.chosen)
        if self.checkpoint is not None:
            return _table(_checkpoint_rows(self.checkpoint, self.task))
        return _table(_task_rows(self.task)) if self.task is not None and not self.items else ""

    def _item(self, item: Item) -> str:
        entry = self.entries[0] if self.entries else None
        rows = [
            ("id", item.id),
            ("kind", item.kind),
            ("text", f"{item.label}: {item.text}" if item.label else item.text),
            ("why", item.why),
            ("status", item.status),
            ("answer", item.answer),
            ("standing", _standing(entry) if entry is not None else ""),
            ("said by", _said_by(item)),
            ("when", item.time),
            ("files", ", ".join(item.files)),
            ("task", self.task.title if self.task is not None else ""),
        ]
        if item.place.at != NOWHERE:
            rows.append(("record", f"{self.client} session {item.place.session}".strip()))
            where = f"{self.transcript}:{self.line}" if self.transcript else f"byte {item.place.at}; its file is gone"
            rows.append(("place", where))
        elif item.place.session:
            rows.append(("session", item.place.session))
        return _table(rows) + _words(item) + _told(self.history)


def _table(rows: list[tuple[str, str]]) -> str:
    return "".join(f"{name:<8} {one_line(clean(text))}\n" for name, text in rows if text)


def _words(item: Item) -> str:
    quote = clean(item.place.quote).strip()
    if not quote:
        return ""
    heading = "The words there:"
    if len(quote) > _EXCERPT_CHARS:
        quote = around(quote, item.text, _EXCERPT_CHARS)
        heading = "Of the words there (`--json` has all):"
    words = "\n".join(f"  | {line}" for line in quote.split("\n"))
    return f"\n{heading}\n{words}\n"


def _told(history: tuple[Line, ...]) -> str:
    if not history:
        return ""
    rows = [
        f"  {line.event.said_at[:19].replace('T', ' ')}  {one_line(clean(line.words))}"
        f"  [{one_line(clean(f'{_WHO[line.event.provenance]} {line.event.actor}'))}]"
        for line in history
    ]
    return "\n".join(["\nWhat was said about it:", *rows, ""])


_WHO = {
    "human": "person",
    "verified": "proved",
    "agent": "agent",
    "inferred": "rule",
    "unattributed": "unattributed",
}


def _standing(entry: Known) -> str:
    pinned = ", pinned" if entry.item.pinned else ""
    because = f": {entry.because}" if entry.because else ""
    by = " by" if entry.standing == "superseded" else ""
    return f"{entry.standing}{by} {entry.because}".strip() if by else f"{entry.standing}{because}{pinned}"


def _said_by(item: Item) -> str:
    if item.actor:
        return f"{item.actor} ({_STATED_BY[item.provenance]})"
    return _SAID_BY[item.provenance]


_SAID_BY = {
    "human": "the user",
    "verified": "a command's outcome",
    "agent": "the agent (a claim)",
    "inferred": "a rule of clew's",
    "unattributed": "nobody known",
}
_STATED_BY = {
    "human": "a person",
    "verified": "a command's outcome",
    "agent": "an agent's claim",
    "inferred": "a rule of clew's",
    "unattributed": "nobody known",
}


def _task_rows(task: Task) -> list[tuple[str, str]]:
    places = ", ".join(f"{place.worktree} ({place.branch or 'any branch'})" for place in task.places)
    return [
        ("id", task.id),
        ("task", task.title),
        ("type", task.type),
        ("status", f"{task.status}: {task.outcome}" if task.outcome else task.status),
        ("opened", task.opened_at),
        ("changed", task.changed_at),
        ("bound to", places),
    ]


def _checkpoint_rows(checkpoint: Checkpoint, task: Task | None) -> list[tuple[str, str]]:
    tokens = f"{checkpoint.context_tokens:,} in context, {checkpoint.output_tokens:,} out"
    return [
        ("id", checkpoint.id),
        ("name", checkpoint.name),
        ("reason", checkpoint.reason),
        ("message", checkpoint.message),
        ("taken", f"{checkpoint.time} by {checkpoint.by}" if checkpoint.by else checkpoint.time),
        ("task", task.title if task is not None else ""),
        ("branch", checkpoint.branch),
        ("commit", checkpoint.head),
        ("files", ", ".join(path for _, path in checkpoint.files)),
        ("tokens", tokens if checkpoint.context_tokens or checkpoint.output_tokens else ""),
    ]


def show(ports: Ports, name: str | None, *, folder: Path, transcript: Path | None = None) -> Showing:
    """The item whose id begins with `name`, or all items if it is None.

    `folder` and `transcript` pick the session as in `resume`; where a ledger is kept and no `transcript` is named, it
    is looked at first, for tasks and checkpoints as well. Raises `NotFound` when nothing has such an id and
    `InputError` when several have.
    """
    try:
        if transcript is None and has_ledger(spot_at(folder)):
            from clew.app.dossier import dossier  # here: without a ledger nothing of it is needed

            return dossier(ports, name, folder=folder)
        return _show(ports, name, folder, transcript)
    except ClewError as error:
        redact_error(error, ports.redact)
        raise


def _show(ports: Ports, name: str | None, folder: Path, transcript: Path | None) -> Showing:
    path, captured = captured_session(ports, folder, transcript)
    items = captured.state.items
    shown = shortest_prefixes(item.id for item in items)
    ids = tuple(shown[item.id] for item in items)
    client = captured.state.origin.client
    if name is None:
        return Showing(items, ids, None, path, 0, client)
    wanted = name.strip().strip("[]")
    found = [item for item in items if item.id.lower().startswith(wanted.lower())]
    if not wanted or not found:
        raise NotFound(
            f"no item of session {captured.state.origin.session[:_SESSION_CHARS]} ({path}) has the id "
            f"{wanted or 'that was given: it is empty'}",
            code="E-no-item",
            hint="`clew show` lists its items. For a document of another session give that session: --from FILE or ID.",
        )
    if len(found) > 1:
        listed = ", ".join(shown[item.id] for item in found[:_CANDIDATES_MAX])
        raise InputError(
            f"{name} is the beginning of {len(found)} ids", code="E-id-ambiguous", hint=f"Say one of: {listed}"
        )
    return Showing(items, ids, found[0], path, line_number(path, found[0].place.at), client)
