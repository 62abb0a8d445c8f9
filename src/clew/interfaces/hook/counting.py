"""What a session used, brought on from the last look: read off its record, or as the client itself tells it.

Loaded only where there is a budget. What an amount is says `core.cost.budget`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from clew.core.cost import budget, pricing
from clew.interfaces.hook import marks
from clew.interfaces.hook.wire import parsed

Response: TypeAlias = tuple[str, str, str, list[int]]

# So much of a record is counted at one tool call: the rest comes at the next one.
_READ_MAX = 64 << 20
_PIECE = 4 << 20
# So many tasks and phases a session counts for.
_SCOPES_MAX = 50
# Lines that follow tell of the same response again, with more; so many last ones of a record are known by name.
_KNOWN_MAX = 8
# Where the records of sub-agents lie in the folder of them.
_AGENTS = ("*.jsonl", "*/*.jsonl", "*/*/*.jsonl")
# Of a moment the part that all tell alike: reports know no more.
_SECOND = len("2026-11-25T10:00:00")


def count_use(
    event: dict[str, Any], folder: str, says: Any, limits: dict[str, Any], scopes: dict[str, str], day: str
) -> dict[str, Any]:
    """What the session with this live `folder` used, with its sub-agents. `scopes` are the task and the phase that it
    works for now, each with the moment from which on a response counts for it ("" any).

    `files`: by path how far it is counted, and its last responses with what those counted for: lines that follow tell
    of them again, with more. `told` is the same of what the client tells. `session`, `today` and those of `scopes` are
    amounts, `prices` those of the models that were met, `model` is the last one that an event named. What a session
    used before it worked for any task counts for its first one.
    """
    state = parsed(marks.read(f"{folder}/{budget.COUNTED}"))
    if state.get("v") != budget.COUNTED_VERSION:
        nothing: dict[str, Any] = {"files": {}, "told": {}, "scopes": {}, "prices": {}, "model": ""}
        amounts = {"session": list(budget.NOTHING), "today": list(budget.NOTHING)}
        state = {"v": budget.COUNTED_VERSION, "day": day, **amounts, **nothing}
    if state["day"] != day:
        state["day"], state["today"] = day, list(budget.NOTHING)
    state["model"] = str(event.get("model") or state["model"])
    midnight = _midnight(day)

    def cost(response: Response) -> list[int]:
        _, moment, name, tokens = response
        given, written, _, read, output = tokens
        price = pricing.price_at(
            _prices(state, limits, name or state["model"]), moment[:10] or day, given + written + read
        )
        total = given + written + read + output
        money, unpriced = (round(pricing.microdollars(price, tokens)), 0) if price else (0, total)
        return [total, money, total - read, unpriced]

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
            if moment[:_SECOND] >= since[:_SECOND]:
                _add(state["scopes"][name], more)
        is_new = True
    if is_new or not state["session"][0]:
        state["scopes"] = dict(list(state["scopes"].items())[-_SCOPES_MAX:])
        marks.replace(f"{folder}/{budget.COUNTED}", json.dumps(state, separators=(",", ":")).encode())
    return state


def _add(amount: list[int], more: list[int]) -> None:
    for at, value in enumerate(more):
        amount[at] += value


def _new(event: dict[str, Any], says: Any, state: dict[str, Any], cost: Any) -> Iterator[tuple[str, list[int]]]:
    """When something was used that is not counted yet, and what."""
    if hasattr(says, "used"):
        for key, since, last, name, tokens in says.used(event):
            moment = last if key in state["told"] else since  # of what was used before the first look nobody knows more
            yield moment, _beyond(state["told"], key, cost((key, last, name, tokens)))
        return
    for file in _files(event, says):
        if file not in state["files"]:
            begins = _own(file, says.OWN) if "agent_id" in event and hasattr(says, "OWN") else 0
            state["files"][file] = [begins, {}]
        yield from _within(file, state["files"][file], says, cost)


def _within(file: str, held: list[Any], says: Any, cost: Any, end: int = 1 << 62) -> Iterator[tuple[str, list[int]]]:
    for response in _responses(file, held, says, end):
        yield response[1], _beyond(held[1], response[0], cost(response))
        if len(held[1]) > _KNOWN_MAX:
            del held[1][next(iter(held[1]))]


def _beyond(known: dict[str, list[int]], key: str, amount: list[int]) -> list[int]:
    """What a response used beyond what is `known` of it: of all that is told of it the most holds."""
    before = known.pop(key, budget.NOTHING)
    known[key] = [*map(max, amount, before)]
    return [value - was for value, was in zip(known[key], before)]  # noqa: B905 - of one length


def _until_now(name: str, since: str, state: dict[str, Any], says: Any, cost: Any) -> list[int]:
    """What of all that is counted counts for a task or a phase that the session is met with for the first time."""
    if not since:
        is_first = not any(other.partition("-")[0] == name.partition("-")[0] for other in state["scopes"])
        return list(state["session"] if is_first else budget.NOTHING)
    total = list(budget.NOTHING)
    for file, (end, _) in state["files"].items():
        for moment, more in _within(file, [0, {}], says, cost, end):
            if moment[:_SECOND] >= since[:_SECOND]:
                _add(total, more)
    return total


def _midnight(day: str) -> str:
    """When a day of this machine begins, as records tell the time."""
    return datetime.fromisoformat(day).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _files(event: dict[str, Any], says: Any) -> Iterator[str]:
    """The record of a session and those of its sub-agents."""
    path = str(event["transcript_path"])
    yield path
    if hasattr(says, "agents"):
        folder = Path(says.agents(path, str(event["session_id"])))
        for pattern in _AGENTS:
            yield from map(str, sorted(folder.glob(pattern)))


def _own(file: str, mark: bytes) -> int:
    """Where in a record the last line with a `mark` begins: what stands before is counted already."""
    end, state = marks.tail(file, _PIECE), marks.state(file)
    at, size = end.rfind(mark), state[1] if state else 0
    return size - len(end) + end.rfind(b"\n", 0, at) + 1 if at >= 0 else size


def _responses(file: str, held: list[Any], says: Any, end: int) -> Iterator[Response]:
    """What whole lines of a file before the byte `end` tell beyond what is counted; `held[0]` moves on with them."""
    state = marks.state(file)
    if state is not None and state[1] < held[0]:
        held[0] = 0
    data = marks.read(file, start=held[0], most=min(_READ_MAX, end - held[0]))
    stop = data.rfind(b"\n") + 1
    at = data.find(says.SPENT, 0, stop)
    while at >= 0:
        start, behind = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        yield from says.spent(parsed(data[start:behind]))
        at = data.find(says.SPENT, behind, stop)
    held[0] += stop


def _prices(state: dict[str, Any], limits: dict[str, Any], model: str) -> Sequence[Any]:
    """The prices of a model: the list is read when the model is met for the first time."""
    known = state["prices"].get(model)
    if known is None:
        tables = [limits["own"], *(parsed(marks.read(path)) for path in limits["tables"])]
        known = state["prices"][model] = pricing.prices_of(tables, model)
    found: Sequence[Any] = known
    return found
