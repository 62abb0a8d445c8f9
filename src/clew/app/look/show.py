"""One item with its evidence: what it says, who said it, what became of it, and the words there in the record; or all
items.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clew.app.intake.place import line_number
from clew.app.intake.session import captured_session
from clew.app.ports import Ports
from clew.app.project import locate
from clew.app.project.output_redaction import safe_errors
from clew.core.errors import InputError, NotFound
from clew.core.state.ids import shortest_prefixes
from clew.core.state.items import Item
from clew.core.state.tasks import Task
from clew.core.state.view import Known, resolves

if TYPE_CHECKING:
    from clew.app.draft.newest import Draft
    from clew.app.look.log import Line
    from clew.app.record.checkpoint import Checkpoint

_CANDIDATES_MAX = 8
_SESSION_CHARS = 8


class Showing(NamedTuple):
    """`items` in the order they were said, `ids` their shortest unique ids. `chosen` is the one asked for.

    `line` is the number (from 1) of the chosen item's line in `transcript`, 0 without one. `transcript` is None where
    no session's record is at hand. With a ledger: `entries` are the items with how they stand, `history` the events
    about the chosen one, `task` the task that they are of (None: none). Where the id was that of a task, a
    checkpoint or a draft there are no items, and `task`, `checkpoint` or `draft` is what was asked for. `names` are the
    shortest ids of these.
    """

    items: tuple[Item, ...] = ()
    ids: tuple[str, ...] = ()
    chosen: Item | None = None
    transcript: Path | None = None
    line: int = 0
    client: str = ""
    entries: tuple[Known, ...] = ()
    history: "tuple[Line, ...]" = ()
    task: Task | None = None
    checkpoint: "Checkpoint | None" = None
    draft: "Draft | None" = None
    names: Mapping[str, str] | None = None


def show(ports: Ports, name: str | None, *, folder: Path, transcript: Path | None = None) -> Showing:
    """The item whose id begins with `name`, or all items if it is None.

    `folder` and `transcript` pick the session as in `resume`; where a ledger is kept and no `transcript` is named, it
    is looked at first, for tasks and checkpoints as well. Raises `NotFound` when nothing has such an id and
    `InputError` when several have.
    """
    with safe_errors(ports.redact):
        if transcript is None and locate(folder).has_ledger:
            from clew.app.look.dossier import dossier  # here: without a ledger nothing of it is needed

            return dossier(ports, name, folder=folder)
        return _show(ports, name, folder, transcript)


def _show(ports: Ports, name: str | None, folder: Path, transcript: Path | None) -> Showing:
    path, captured = captured_session(ports, folder, transcript)
    items = captured.state.items
    shown = shortest_prefixes(item.id for item in items)
    ids = tuple(shown[item.id] for item in items)
    client = captured.state.origin.client
    if name is None:
        return Showing(items, ids, transcript=path, client=client)
    wanted = name.strip().strip("[]")
    names = resolves([item.id for item in items], wanted)
    found = [item for item in items if item.id in names]
    if not found:
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
    return Showing(items, ids, found[0], path, line_number(path, found[0].place.at, ports.readers), client)
