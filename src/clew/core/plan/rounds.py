"""The rounds of a phase's attempt, as the ledger tells them: how each ended, and what came of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clew.core.plan.next_actions import WORDS, Judged, Round, end_of, spent
from clew.core.plan.plan import Phase, Plan
from clew.core.state.events import Value
from clew.core.state.fold import RUN, Entities, values


def rounds_of(plan: Plan, entities: Entities) -> dict[str, tuple[Round, ...]]:
    """The rounds of each phase's newest attempt, oldest first, by the phase's id."""
    return {one.id: _rounds(one.attempt, values(entities.get(f"%{one.id}", ()))) for one in plan.phases if one.attempt}


def spent_on(phase: Phase, entities: Entities) -> tuple[int, int]:
    """Tokens and cents of all rounds of a phase, whichever attempt they are of."""
    fields = values(entities.get(f"%{phase.id}", ()))
    rounds = [one for attempt in range(1, phase.attempt + 1) for one in _rounds(attempt, fields)]
    return spent(rounds)[:2]


def run_of(entities: Entities) -> tuple[str, str, str]:
    """The task's newest run: its id ("" there was none), what it does or what became of it, until when it waits."""
    fields = values(entities.get(RUN, ()))
    run, word, until = (str(fields.get(name) or "") for name in ("run", "run_word", "run_until"))
    return run, word, until


def _rounds(attempt: int, fields: Mapping[str, Value]) -> tuple[Round, ...]:
    """A round counts from the first one that was begun on, without a gap."""
    found: list[Round] = []
    while f"began.{attempt}.{len(found) + 1}" in fields:
        found.append(_round(attempt, len(found) + 1, fields))
    return tuple(found)


def _round(attempt: int, number: int, fields: Mapping[str, Value]) -> Round:
    told = _texts(fields.get(f"ended.{attempt}.{number}"), 8)
    judged: list[Judged] = []
    while (said := fields.get(f"judged.{len(judged) + 1}.{attempt}.{number}")) is not None:
        word, reason, tree = _texts(said, 3)
        judged.append(Judged(word if word in WORDS else "not-run", reason, tree))
    if f"ended.{attempt}.{number}" not in fields:
        return Round(number, judged=tuple(judged))
    word, reason, cause, until, session, tokens, cents, duration_ms = told
    return Round(
        number, end_of(word), reason, cause, until, session, _number(tokens), _number(cents), _number(duration_ms),
        tuple(judged),
    )  # fmt: skip


def _texts(value: Value, count: int) -> Sequence[str]:
    texts = [str(one) for one in value] if isinstance(value, list) else []
    return [*texts[:count], *[""] * (count - len(texts))]


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0
