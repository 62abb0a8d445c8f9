"""What a session used, brought on from the last look: read off its record, or as the client itself tells it.

Loaded only where there is a budget. An amount is `[tokens, microdollars, fresh tokens]` (`core.cost.budget`).
"""

import posix
import time

from clew.core.cost import budget
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import parsed, quoted

TYPE_CHECKING = False  # `typing` would cost more than all that is done here
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from clew.interfaces.hook.wire import Event

    Response: TypeAlias = tuple[str, str, str, list[int]]

# So much of a record is counted at one tool call: the rest comes at the next one.
_READ_MAX = 64 << 20
_PIECE = 4 << 20
# So many tasks and phases a session counts for.
_SCOPES_MAX = 50


def counted(
    event: "Event", folder: str, says: "Any", limits: "dict[str, Any]", scopes: "dict[str, str]", day: str
) -> "dict[str, Any]":
    """What the session with this live `folder` used, with its sub-agents. `scopes` are the task and the phase that it
    works for now, each with the moment from which on a response counts for it ("" any).

    `files`: by path how far it is counted, and its last response with what that counted for: lines that follow tell of
    it again, with more. `told` is the same of what the client tells. `session`, `today` and those of `scopes` are
    amounts, `prices` those of the models that were met. What a session used before it worked for any task counts for
    its first one.
    """
    state = parsed(marks.read(f"{folder}/{budget.COUNTED}"))
    if state.get("v") != budget.VERSION:
        nothing: dict[str, Any] = {"files": {}, "told": {}, "scopes": {}, "prices": {}}
        state = {"v": budget.VERSION, "day": day, "session": [0, 0, 0], "today": [0, 0, 0], **nothing}
    if state["day"] != day:
        state["day"], state["today"] = day, [0, 0, 0]
    midnight, model = _midnight(day), str(event.get("model") or "")

    def cost(response: "Response") -> list[int]:
        _, _, name, (given, written, long, read, output) = response
        prices = _prices(state, limits, name or model)
        money = budget.microdollars(prices, day, [given, written, long, read, output])
        return [given + written + read + output, money, given + written + output]

    is_new = False
    for name, since in scopes.items():
        if name not in state["scopes"]:
            state["scopes"][name] = _until_now(name, since, state, says, cost)
            is_new = True
    for moment, more in _new(event, says, state, cost):
        _add(state["session"], more)
        if moment >= midnight:
            _add(state["today"], more)
        for name, since in scopes.items():
            if moment >= since:
                _add(state["scopes"][name], more)
        is_new = True
    if is_new or not state["session"][0]:
        state["scopes"] = dict(list(state["scopes"].items())[-_SCOPES_MAX:])
        _keep(f"{folder}/{budget.COUNTED}", state)
    return state


def _add(amount: "list[int]", more: "list[int]") -> None:
    for at, value in enumerate(more):
        amount[at] += value


def _new(event: "Event", says: "Any", state: "dict[str, Any]", cost: "Any") -> "Iterator[tuple[str, list[int]]]":
    """When something was used that is not counted yet, and what."""
    if hasattr(says, "used"):
        for key, since, last, name, tokens in says.used(event):
            amount = cost((key, last, name, tokens))
            moment = last if key in state["told"] else since  # of what was used before the first look nobody knows more
            before = state["told"].get(key) or [0, 0, 0]
            state["told"][key] = amount
            yield moment, [max(0, value - was) for value, was in zip(amount, before)]  # noqa: B905 - of three each
        return
    for file in _files(event, says):
        if file not in state["files"]:
            begins = _own(file, says.OWN) if "agent_id" in event and hasattr(says, "OWN") else 0
            state["files"][file] = [begins, "", 0, 0, 0]
        yield from _within(file, state["files"][file], says, cost)


def _within(
    file: str, held: "list[Any]", says: "Any", cost: "Any", end: int = 1 << 62
) -> "Iterator[tuple[str, list[int]]]":
    for response in _responses(file, held, says, end):
        amount = cost(response)
        before = held[2:] if held[1] == response[0] else [0, 0, 0]
        held[1:] = [response[0], *map(max, amount, before)]
        yield response[1], [max(0, value - was) for value, was in zip(amount, before)]  # noqa: B905 - of three each


def _until_now(name: str, since: str, state: "dict[str, Any]", says: "Any", cost: "Any") -> "list[int]":
    """What of all that is counted counts for a task or a phase that the session is met with for the first time."""
    if not since:
        is_first = not any(other.partition("-")[0] == name.partition("-")[0] for other in state["scopes"])
        return list(state["session"]) if is_first else [0, 0, 0]
    total = [0, 0, 0]
    for file, (end, *_) in state["files"].items():
        for moment, more in _within(file, [0, "", 0, 0, 0], says, cost, end):
            if moment >= since:
                _add(total, more)
    return total


def _midnight(day: str) -> str:
    """When a day of this machine begins, as records tell the time."""
    year, month, number = map(int, day.split("-"))  # `strptime` would import half of the standard library
    began = time.mktime((year, month, number, 0, 0, 0, 0, 0, -1))
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(began))


def _files(event: "Event", says: "Any") -> "Iterator[str]":
    """The record of a session and those of its sub-agents."""
    path = str(event["transcript_path"])
    yield path
    folder = says.agents(path, str(event["session_id"])) if hasattr(says, "agents") else ""
    try:
        names = posix.listdir(folder) if folder else []
    except OSError:
        return
    for name in sorted(names):
        if name.endswith(".jsonl"):
            yield f"{folder}/{name}"


def _own(file: str, mark: bytes) -> int:
    """Where in a record the last line with a `mark` begins: what stands before is counted already."""
    try:
        size = posix.stat(file).st_size
    except OSError:
        return 0
    end = marks.tail(file, _PIECE)
    at = end.rfind(mark)
    return size - len(end) + end.rfind(b"\n", 0, at) + 1 if at >= 0 else size


def _responses(file: str, held: "list[Any]", says: "Any", end: int) -> "Iterator[Response]":
    """What whole lines of a file before the byte `end` tell beyond what is counted; `held[0]` moves on with them."""
    try:
        descriptor = posix.open(file, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)
    except OSError:
        return
    try:
        if posix.fstat(descriptor).st_size < held[0]:
            held[0] = 0
        posix.lseek(descriptor, held[0], 0)
        rest, read, most = b"", 0, min(_READ_MAX, end - held[0])
        while read < most and (piece := posix.read(descriptor, min(_PIECE, most - read))):
            read += len(piece)
            data = rest + piece
            stop = data.rfind(b"\n") + 1
            rest = data[stop:]
            yield from _told(data, stop, says)
            held[0] += stop
    except OSError:
        return
    finally:
        posix.close(descriptor)


def _told(data: bytes, end: int, says: "Any") -> "Iterator[Response]":
    at = data.find(says.SPENT, 0, end)
    while at >= 0:
        start, stop = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        found = says.spent(parsed(data[start:stop]))
        if found is not None:
            yield found
        at = data.find(says.SPENT, stop, end)


def _prices(state: "dict[str, Any]", limits: "dict[str, Any]", model: str) -> "list[list[Any]]":
    """The prices of a model: the list is read when the model is met for the first time."""
    if not limits.get("tables"):
        return []
    known = state["prices"].get(model)
    if known is None:
        tables = [limits["own"], *(parsed(marks.read(path)) for path in limits["tables"])]
        known = state["prices"][model] = budget.prices_of(tables, model)
    found: list[list[Any]] = known
    return found


def _keep(path: str, state: "dict[str, Any]") -> None:
    """Hooks of one session run at the same time: each leaves a whole file."""
    made = f"{path}.{posix.getpid()}"
    marks.write(made, _json(state).encode("utf-8", "replace"), flags=posix.O_CREAT | posix.O_TRUNC)
    try:
        posix.rename(made, path)
    except OSError:
        return


def _json(value: object) -> str:
    """Plain values as JSON; `json` would cost as much as all the rest."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(str(name))}:{_json(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json, value)) + "]"
    return quoted(value) if isinstance(value, str) else repr(value)
