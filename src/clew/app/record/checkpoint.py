"""Checkpoints: named points in the ledger with what else stood there: git's HEAD, files in play, tokens spent.

A checkpoint is one event. The state of that moment is not copied: it is what the ledger folds to up to the event.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, Self

from clew.app.project.lasting import extracts_of
from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import newest_first
from clew.app.project.session import ProjectSession
from clew.app.record.cited import cited_files
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotFound
from clew.core.state.events import Event, Recorded, Value
from clew.core.state.extract import Extract
from clew.core.state.items import Item, State
from clew.core.state.projection import number_of
from clew.core.text.cleaning import clean, one_line, shorten
from clew.ledger.port import Ledger

KIND: Final = "checkpoint.taken"
LAST: Final = "last"
_ID_BEGINS: Final = "k-"
MANUAL: Final = "manual"
NAME_CHARS_MAX: Final = 80
MESSAGE_CHARS_MAX: Final = 200
# So many bytes of the files in play are kept: compressed, two checkpoints then share a page of the ledger.
_FILES_BYTES_MAX: Final = 3000
_CANDIDATES_MAX: Final = 5


class Checkpoint(NamedTuple):
    """One checkpoint as it was taken.

    `seq` is its position in this ledger: state up to it is the state as it was. `reason` is `manual`, `committed`,
    `passed` or `compacted`. `task` "" is the project's own. `head` is a commit ("" none), `branch` "" none. `files`
    are pairs of blob id ("" not there) and path. Tokens are 0 where unknown. `by` is who took it.
    """

    seq: int
    id: str
    name: str
    reason: str
    message: str
    task: str
    time: str
    head: str
    branch: str
    worktree: str
    files: tuple[tuple[str, str], ...]
    context_tokens: int
    output_tokens: int
    session: str
    by: str


class FileBlob(JsonResult, frozen=True):
    """A file and its blob id."""

    path: str
    blob: str


class CheckpointRow(JsonResult, frozen=True):
    """A checkpoint as it is told."""

    id: str
    short_id: str
    name: str
    reason: str
    message: str
    task: str
    time: str
    head: str
    branch: str
    root: str
    files: tuple[FileBlob, ...]
    context_tokens: int
    output_tokens: int
    session: str
    by: str
    position: int

    @classmethod
    def of(cls, source: Checkpoint, /, **more: Any) -> Self:
        """The row of a checkpoint; without a `short_id` it has its whole id."""
        files = tuple(FileBlob(path, blob) for blob, path in source.files)
        own = {"short_id": source.id, "root": source.worktree, "files": files, "position": source.seq}
        return super().of(source, **own | more)


class CheckpointList(JsonResult, frozen=True):
    """Checkpoints, the newest first."""

    checkpoints: tuple[CheckpointRow, ...]


class Spent(NamedTuple):
    """Tokens of a session: the size of its context at the last call, and all that it put out. 0 unknown."""

    client: str = ""
    session: str = ""
    context_tokens: int = 0
    output_tokens: int = 0


class CompactionMark(NamedTuple):
    """A client dropped the context of `session` at the line of its record that begins at byte `at`, at `time`."""

    session: str
    at: int
    time: str


def checkpoints(ledger: Ledger, *, task: str | None = None) -> Iterator[Checkpoint]:
    """The checkpoints of one task ("" those of the project itself; None all), newest first."""
    return map(_checkpoint, newest_first(ledger, (KIND,), task=task))


def last_checkpoint(ledger: Ledger, task: str | None) -> Checkpoint | None:
    """The newest checkpoint of `task` (None: of all)."""
    return next(checkpoints(ledger, task=task), None)


def find_checkpoint(at: ProjectSession, wanted: str) -> Checkpoint:
    """The checkpoint that `wanted` names: `last`, a name, an id or a unique beginning of one.

    Of several with one name the newest is meant, those of the task that is bound here before others; `last` is that
    task's, or where none is bound the newest of all. Raises `NotFound`, and `InputError` for the beginning of several.
    """
    here = at.task()
    asked = one_line(clean(wanted))
    if asked.lower() == LAST:
        found = last_checkpoint(at.ledger, here or None)
    elif (prefix := asked.strip("[]")).lower().startswith(_ID_BEGINS):
        found = _by_id(at, prefix)
    else:
        found = next((one for one in checkpoints(at.ledger, task=here) if one.name == asked), None)
        found = found or next((one for one in checkpoints(at.ledger) if one.name == asked), None)
    if found is None:
        raise _unknown(at, asked, here)
    return found


def _by_id(at: ProjectSession, prefix: str) -> Checkpoint | None:
    ids = set(at.ledger.ids(prefix))
    found: list[Checkpoint] = []
    for one in checkpoints(at.ledger) if ids else ():
        if one.id in ids and all(one.id != other.id for other in found):  # of two copies the one that came last
            found.append(one)
            if len(found) == len(ids):
                break
    if len(found) > 1:
        shown = at.ledger.shortest([one.id for one in found[:_CANDIDATES_MAX]])
        listed = ", ".join(f"{shown[one.id]} ({one.name})" for one in found[:_CANDIDATES_MAX])
        raise InputError(
            f"{prefix} is the beginning of {len(found)} ids", code="E-id-ambiguous", hint=f"Choose one of: {listed}"
        )
    return found[0] if found else None


def take_checkpoint(
    rec: ProjectSession,
    *,
    name: str = "",
    message: str = "",
    spent: Spent | None = None,
    along: Sequence[Event] | None = None,
    task: str | None = None,
) -> Checkpoint:
    """Record a checkpoint of `task` (None: of the one that is bound here, or of the project), and give it back; in one
    append with the events `along` of a draft or a hand-off (None: there is none).

    `seq` is 0 for one that waits in the spool or was only rehearsed. Without a `name` it is made of the branch and the
    time. Without name and message, where a draft's would mark what the session's last one marks, nothing but `along`
    is recorded, and that one is given back. Raises `InputError` for a name that cannot be one.
    """
    event = _event(rec, MANUAL, checked_name(name), message, spent or Spent(), task)
    is_along = along is not None and not (name or message)
    last = last_checkpoint(rec.ledger, event.task) if is_along else None
    along = along or ()
    if last is not None and _marks_the_same(last, _checkpoint(Recorded(0, event))):
        rec.keep(along)
        return last
    rec.keep([*along, event])  # the mark is behind its draft: who looks back at it sees that, too
    newest = last_checkpoint(rec.ledger, event.task)
    taken = _checkpoint(Recorded(0, event))
    return newest if newest is not None and newest.id == taken.id else taken


def _marks_the_same(one: Checkpoint, other: Checkpoint) -> bool:
    """Whether two checkpoints are of one session and say the same of git and of the files that both know."""
    blobs = {path: blob for blob, path in one.files}
    is_same = all(getattr(one, name) == getattr(other, name) for name in ("session", "head", "branch", "worktree"))
    return is_same and all(blobs.get(path, blob) == blob for blob, path in other.files)


def list_checkpoints(project: ProjectHandle) -> CheckpointList:
    """All checkpoints of the project that `folder` is in, newest first."""
    with project.open(write=False) as at:
        every = tuple(checkpoints(at.ledger))
        shown = at.ledger.shortest([one.id for one in every])
    return CheckpointList(tuple(CheckpointRow.of(one, short_id=shown[one.id]) for one in every))


def checkpoint_automatically(
    at: ProjectSession, *, compacted: Sequence[CompactionMark] = (), spent: Callable[[], Spent] = Spent
) -> Checkpoint | None:
    """After intake: take a checkpoint if a session of the task that is bound here committed, passed tests or was
    compacted since the last checkpoint; None if there was nothing of the kind. One for the newest of these, and never
    two for the same.

    Costs a look at the last checkpoint and at the newest extract; `spent` is asked only where one is taken.
    """
    here = at.task()
    extracts = extracts_of(at, here)
    last = last_checkpoint(at.ledger, here)
    causes = _causes(extracts, compacted, after=last.time if last else "")
    if not causes:
        return None
    _, reason, cause = max(causes)
    event = _event(at, reason, "", "", spent())._replace(key=f"checkpoint:{cause}")
    before = at.ledger.position()
    seq = at.append([event])[0]
    # A client whose clock is ahead of ours says the same again and again: its key is known.
    return _checkpoint(Recorded(seq, event)) if seq > before else None


def checked_name(name: str) -> str:
    """`name` as it is kept: one line. Raises `InputError` for one that could not be told from an id or is too long."""
    tidy = one_line(clean(name))
    why = ""
    if tidy.lower() == LAST:
        why = "it stands for the newest one"
    elif tidy.lower().startswith(_ID_BEGINS):
        why = "it looks like an id"
    elif len(tidy) > NAME_CHARS_MAX:
        why = f"it is longer than {NAME_CHARS_MAX} characters"
    if why or (name and not tidy):
        raise InputError(
            f"no checkpoint can be called {tidy[:NAME_CHARS_MAX]!r}: {why or 'it is empty'}",
            code="E-checkpoint-name",
            hint="Give another name, or none: it is then made of the branch and the time.",
        )
    return tidy


def _causes(
    extracts: Sequence[Extract], compacted: Sequence[CompactionMark], *, after: str
) -> list[tuple[str, str, str]]:
    """What happened later than `after` that is worth a checkpoint: (time, reason, what identifies it)."""
    items = [item for extract in extracts[-1:] for item in extract.items]
    found = [(item.time, reason, f"{item.place.session}:{item.id}") for item in items if (reason := _reason(item))]
    found += [(one.time, "compacted", f"{one.session}:{one.at}") for one in compacted]
    return [cause for cause in found if cause[0] > after]


def _reason(item: Item) -> str:
    """`committed`, `passed` or "": for what a checkpoint is taken. Only what a command proved counts."""
    if item.provenance != "verified":
        return ""
    if item.kind == "step" and item.status == "committed":
        return "committed"
    if item.kind == "validation" and item.status == "passed" and _is_test(item.text):
        return "passed"
    return ""


def _is_test(text: str) -> bool:
    from clew.core.gate.shell.purposes import split

    return any(part.purpose == "test" for part in split(text.strip("`")))


def _event(at: ProjectSession, reason: str, name: str, message: str, spent: Spent, task: str | None = None) -> Event:
    here = at.task() if task is None else task
    head = at.location.head
    data: dict[str, Value] = {
        "checkpoint": at.new_id("K"),
        "name": name,
        "reason": reason,
        "head": head.commit if head else "",
        "branch": at.location.branch,
        "files": _files(at, live_state(at, here)),
        "message": shorten(at.redact(one_line(clean(message))), MESSAGE_CHARS_MAX),
        "client": spent.client,
        "context_tokens": spent.context_tokens,
        "output_tokens": spent.output_tokens,
    }
    needed = ("checkpoint", "name", "reason")
    event = at.event(KIND, {key: value for key, value in data.items() if value or key in needed}, task=here)
    made = event.data["name"] or _made_name(at, event.said_at)
    session = event.session or at.redact(clean(spent.session))
    return event._replace(session=session, data={**event.data, "name": made})


def _made_name(at: ProjectSession, time: str) -> str:
    """A name out of the branch and the time, to the minute; a second one of that minute gets a number."""
    minute = time[:16]
    made = at.redact(clean(f"{at.location.branch or 'no-branch'}-{minute[:10]}-{minute[11:].replace(':', '')}"))
    lately = takewhile(lambda one: one.time[:16] >= minute, checkpoints(at.ledger))
    same = sum(one.name == made or one.name.startswith(f"{made}-") for one in lately)
    return f"{made}-{same + 1}" if same else made


def _files(at: ProjectSession, state: State) -> list[str]:
    """ "BLOB PATH" of the files in play, those of the most important items first, as many as there is room for."""
    from clew.workspace.fingerprint import algorithm_of, fingerprint

    algorithm = algorithm_of(at.location.head.commit if at.location.head else "")
    found: list[str] = []
    room = _FILES_BYTES_MAX
    for path in cited_files(state):
        place = at.location.root / path
        print_now = fingerprint(str(place), algorithm=algorithm)
        if print_now is None and _is_there(str(place)):
            continue
        entry = f"{print_now.blob if print_now else ''} {path}"
        room -= len(entry.encode("utf-8", "replace")) + 3
        if room < 0:
            break
        # A name that holds a secret is not kept, and without its name a file cannot be compared.
        if at.redact(clean(entry)) == entry:
            found.append(entry)
    return found


def _is_there(place: str) -> bool:
    try:
        return os.path.lexists(place)
    except ValueError:
        return True


def _checkpoint(recorded: Recorded) -> Checkpoint:
    event, data = recorded.event, recorded.event.data
    files = data.get("files")
    pairs = [entry.partition(" ") for entry in files] if isinstance(files, list) else []
    return Checkpoint(
        recorded.seq,
        str(data.get("checkpoint", "")),
        str(data.get("name", "")),
        str(data.get("reason", "")),
        str(data.get("message", "")),
        event.task,
        event.said_at,
        str(data.get("head", "")),
        str(data.get("branch", "")),
        event.worktree,
        tuple((blob, path) for blob, _, path in pairs if path),
        number_of(data.get("context_tokens")),
        number_of(data.get("output_tokens")),
        event.session,
        event.actor,
    )


def _unknown(at: ProjectSession, asked: str, here: str) -> NotFound:
    import difflib

    names = [one.name for one in checkpoints(at.ledger)]
    near = difflib.get_close_matches(asked, list(dict.fromkeys(names)), _CANDIDATES_MAX, 0.5)
    if not names:
        hint = "`clew checkpoint` takes one."
    elif near and asked.lower() != LAST:
        hint = f"Did you mean {' or '.join(near)}? `clew checkpoint --list` has all."
    else:
        hint = "`clew checkpoint --list` has all."
    what = f"there is no checkpoint {asked or 'without a name'}"
    if asked.lower() == LAST:
        what = f"no checkpoint {'of the task that is bound here ' if here else ''}was taken yet"
    return NotFound(f"{what} in {at.location.root}", code="E-no-checkpoint", hint=hint)
