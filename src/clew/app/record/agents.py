"""Agents: what a program keeps under an agent's id, saved whenever it likes and given back to the next process.

A save is an event. It holds what changed since the save it builds on (`core/state/json_delta.py`), and the whole state
every so often, so that a ledger grows with what changes, and giving back reads few events.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from clew.app.project.session import ProjectSession
from clew.app.record.checkpoint import find_checkpoint
from clew.core.context.messages import plain
from clew.core.errors import InputError, LedgerError, NotFound
from clew.core.state.events import Event
from clew.core.state.json_delta import delta, patch, same
from clew.core.text.cleaning import clean, one_line
from clew.ledger.redaction import safe_event

KIND: Final = "agent.saved"
ID_CHARS_MAX: Final = 200
STATE_BYTES_MAX: Final = 8 * 1024 * 1024
# A state is saved whole when the deltas since the last whole one take as much room as it would, each with its envelope,
# or when so many stand on one another: giving back reads them all.
_CHAIN_MAX: Final = 500
_ENVELOPE_CHARS: Final = 128
# The save that is looked for is mostly the newest event, or close to it.
_LOOK_BACK: Final = 4


class Saved(NamedTuple):
    """What was saved for an agent.

    `id` is the checkpoint's, `name` what it was called ("" nothing), `time` when it was saved. `state` and `messages`
    (None: none were saved) are JSON values, with secrets replaced by placeholders.
    """

    id: str
    agent: str
    name: str
    time: str
    state: Any
    messages: list[Any] | None


class _Save(NamedTuple):
    """One event. `change` is a delta on the save `base`, or where `base` is "" the whole value."""

    seq: int
    id: str
    base: str
    name: str
    time: str
    change: str


class _Last(NamedTuple):
    """What an agent's next save can build on: its value as the program gave it, how many deltas led to it from the
    last whole value, and how many characters they have.
    """

    id: str
    value: Any
    deltas: int
    chars: int


class _Saves:
    """Where in a ledger the saves of each agent are, as far as anybody looked: each event is looked at once."""

    def __init__(self) -> None:
        self._at: dict[str, list[int]] = {}  # by agent, the newest first
        # Events with _after < seq <= _upto were looked at.
        self._after = self._upto = 0

    def of(self, at: ProjectSession, agent: str) -> Iterator[_Save]:
        """The saves of an agent, newest first."""
        ledger, newest = at.ledger, at.ledger.position()
        if not self._upto:
            self._after = self._upto = newest
        for seq, event in ledger.events(kinds=(KIND,), after=self._upto, upto=newest):
            self._at.setdefault(str(event.data.get("agent")), []).insert(0, seq)
        self._upto = newest
        given, step = 0, _LOOK_BACK
        while True:
            for seq in self._at.get(agent, [])[given:]:
                for _, event in ledger.events(after=seq - 1, upto=seq):
                    fields = ("checkpoint", "base", "name", "state")
                    identity, base, name, change = (str(event.data.get(field, "")) for field in fields)
                    yield _Save(seq, identity, base, name, event.said_at, change)
                given += 1
            if not self._after:
                return
            after, step = max(0, self._after - step), step * 4
            older = list(ledger.events(kinds=(KIND,), after=after, upto=self._after))
            self._after = after
            for seq, event in reversed(older):
                self._at.setdefault(str(event.data.get("agent")), []).append(seq)


class Agents:
    """Saves and gives back by agent id in one project. Remembers what it saved, so that the next save is quick."""

    def __init__(self) -> None:
        self._last: dict[str, _Last] = {}
        self._saves = _Saves()

    def save(
        self, at: ProjectSession, agent: str, state: object, *, messages: Sequence[object] | None, name: str, task: str
    ) -> str:
        """See `Project.save`."""
        agent = _agent_id(at, agent)
        value: dict[str, Any] = {"state": _json(state, "state")}
        if messages is not None:
            value["messages"] = _json(list(messages), "messages")
        whole = _written(value)
        if len(whole.encode("utf-8", "surrogatepass")) > STATE_BYTES_MAX:
            raise InputError(
                f"the state of {agent} is larger than {STATE_BYTES_MAX >> 20} MiB",
                code="E-state-large",
                hint="Save less: put large results into files and keep their paths in the state.",
            )
        last = self._last.get(agent) or self._read_last(at, agent)
        newest = next(self._saves.of(at, agent), None)
        if last and newest and newest.id == last.id and not name and same(last.value, value):
            self._last[agent] = last
            return last.id
        checkpoint = at.new_id("K")
        base, change, deltas, chars = "", whole, 0, 0
        if last and last.deltas < _CHAIN_MAX:
            step = _written(delta(last.value, value))
            total = last.chars + len(step) + _ENVELOPE_CHARS
            if total < len(whole):
                base, change, deltas, chars = last.id, step, last.deltas + 1, total
        data = {"agent": agent, "checkpoint": checkpoint, "state": "", "base": base, "name": one_line(clean(name))}
        given = {key: one for key, one in data.items() if one or key == "state"}
        # It may quote prompts and what tools said, so it stays on this machine.
        made = at.event(KIND, given, task=task, visibility="private")
        at.append([_with_state(made, change, at.redact)], _safe_save)
        self._last[agent] = _Last(checkpoint, value, deltas, chars)
        return checkpoint

    def restore(self, project: ProjectSession, agent: str, at: str | None) -> Saved | None:
        """See `Project.restore`."""
        agent = _agent_id(project, agent)
        found = self._find(project, agent, at) if at is not None else next(self._saves.of(project, agent), None)
        if found is None:
            return None
        value, _, _ = _value(self._saves.of(project, agent), agent, found)
        return Saved(found.id, agent, found.name, found.time, value.get("state"), value.get("messages"))

    def _find(self, project: ProjectSession, agent: str, at: str) -> _Save | None:
        """The save that `at` names, else the newest one that was there when the checkpoint `at` was taken."""
        asked = one_line(clean(at))
        prefix = asked.strip("[]").lower()
        named: _Save | None = None
        by_id: list[_Save] = []
        for save in self._saves.of(project, agent):
            if save.name and save.name == asked and named is None:
                named = save
            if prefix.startswith("k-") and save.id.lower().startswith(prefix):
                by_id.append(save)
        if named or len(by_id) == 1:
            return named or by_id[0]
        if by_id:
            raise InputError(
                f"{asked} is the beginning of {len(by_id)} ids",
                code="E-id-ambiguous",
                hint=f"Give more: {', '.join(project.ledger.shortest([save.id for save in by_id[:5]]).values())}",
            )
        seq = find_checkpoint(project, asked).seq
        return next((save for save in self._saves.of(project, agent) if save.seq <= seq), None)

    def _read_last(self, at: ProjectSession, agent: str) -> _Last | None:
        """The newest save as one that another can build on. One that cannot be read is built on by none."""
        newest = next(self._saves.of(at, agent), None)
        if newest is None:
            return None
        try:
            value, deltas, chars = _value(self._saves.of(at, agent), agent, newest)
        except (LedgerError, NotFound):
            return None
        return _Last(newest.id, value, deltas, chars)


def _value(saves: Iterator[_Save], agent: str, found: _Save) -> tuple[dict[str, Any], int, int]:
    """The value of a save, how many deltas led to it, and how many characters they have.

    Raises `NotFound` where a save that it builds on is not in this ledger, `LedgerError` where one cannot be read.
    """
    chain = [found]
    if found.base:
        for save in saves:
            if save.id == chain[-1].base:
                chain.append(save)
                if not save.base:
                    break
    if chain[-1].base:
        raise NotFound(
            f"the save {found.id} of {agent} builds on one that is not in this ledger",
            code="E-state-incomplete",
            hint="Import the rest of the ledger that it came from, or restore an older one (`at=`).",
        )
    *deltas, whole = chain
    try:
        value = json.loads(whole.change)
        for step in reversed(deltas):
            value = patch(value, json.loads(step.change))
        if not isinstance(value, dict):
            raise ValueError("it is not an object")
    except ValueError as error:
        raise LedgerError(
            f"the save {found.id} of {agent} cannot be read: {error}",
            code="E-state-unreadable",
            hint="Restore an older one (`at=`); the event itself is in `clew export`.",
        ) from None
    return value, len(deltas), sum(len(step.change) + _ENVELOPE_CHARS for step in deltas)


def _agent_id(at: ProjectSession, agent: str) -> str:
    tidy = one_line(clean(agent))
    if not tidy or len(tidy) > ID_CHARS_MAX:
        raise InputError(
            f"an agent's id has 1 to {ID_CHARS_MAX} characters, not {len(tidy)}",
            code="E-agent-id",
            hint="Use a name that stays the same from run to run, such as the role of the agent.",
        )
    return at.redact(tidy)


def _json(value: object, what: str) -> Any:
    """`value` as JSON gives it back. In messages the objects of an SDK become what they stand for."""
    try:
        made = json.loads(json.dumps(value, allow_nan=False, default=plain if what == "messages" else None))
        if what == "state" and not same(made, _as_lists(value)):
            raise ValueError("it would come back different: keys have to be texts, and values no subclasses")
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"the {what} cannot be saved: {error}",
            code="E-state-invalid",
            hint="Give what JSON holds: texts, finite numbers, true, false, null, lists, and objects with text keys.",
        ) from None
    return made


def _as_lists(value: object) -> object:
    """`value` with lists for tuples: the one change that JSON makes and nobody minds."""
    if isinstance(value, dict):
        return {name: _as_lists(part) for name, part in value.items()}
    return [_as_lists(part) for part in value] if isinstance(value, (list, tuple)) else value


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _with_state(event: Event, state: str, redact: Callable[[str], str]) -> Event:
    return event._replace(data={**event.data, "state": _safe(redact, state)})


def _safe_save(event: Event, redact: Callable[[str], str]) -> Event:
    """A save as it may be kept: of its state every text by itself."""
    return _with_state(safe_event(_with_state(event, '""', redact), redact), str(event.data["state"]), redact)


def _safe(redact: Callable[[str], str], text: str) -> str:
    """JSON with every secret in it replaced, and nothing else changed: it is still JSON, with the same shape.

    Looked at twice: as one text, and text by text together with the names they stand under, as a program reads it.
    """
    value = _redacted(json.loads(text), "", redact)
    once = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    twice = redact(once)
    if twice != once:
        try:
            json.loads(twice)
        except ValueError:
            return once
    return twice


def _redacted(value: Any, name: str, redact: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {_redacted(key, "", redact): _redacted(part, key, redact) for key, part in value.items()}
    if isinstance(value, list):
        return [_redacted(part, name, redact) for part in value]
    if not isinstance(value, str) or not value:
        return value
    tidy = clean(value)
    safe = redact(tidy)
    if safe != tidy:
        return safe
    # Some values are known for what they are only by their name.
    lead = f"{one_line(clean(name))}: " if name else ""
    told = redact(lead + tidy)
    if told == lead + tidy:
        return value
    return told.removeprefix(lead) if told.startswith(lead) else "[redacted]"
