"""Events of every version that was ever written are read as today's."""

from __future__ import annotations

import json
from pathlib import Path

from clew.core.plan.recorded import plan_of
from clew.core.state.events import KINDS, Event, checked
from clew.core.state.fold import fold, values
from clew.documents.plan.grammar import parse

# One event a line for each kind and version that a release wrote. Lines are added, never changed.
SAMPLES = Path(__file__).parents[2] / "ledger" / "samples" / "events.jsonl"


def samples() -> list[Event]:
    return [Event(**json.loads(line)) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]


def test_there_is_a_sample_of_every_version_of_every_kind() -> None:
    """A shape that is in people's ledgers and in no test breaks unseen."""
    written = {(kind, v) for kind, schema in KINDS.items() for v in range(1, schema.v + 1)}
    assert written <= {(event.kind, event.v) for event in samples()}


def test_every_sample_can_be_kept() -> None:
    """What an old clew wrote is sent on by this one."""
    assert samples() == [checked(event) for event in samples()]


def test_the_samples_fold_to_what_they_say() -> None:
    """A step that loses a field, or a fold that no longer reads it, shows here."""
    state = fold(samples())
    item = values(state["D-7k2q3m4n5p6q7r8s"])
    assert ("decision", "Rate limits are per user, not per address") == (item["kind"], item["text"])
    assert ("Ja, für alle – 日本語 too", True, False) == (item["answer"], item["redacted"], item["pinned"])
    assert ("Rate limits for the shop", "open") == tuple(
        values(state["T-7k2q3m4n5p6q7r8s"])[name] for name in ("title", "status")
    )


def test_the_plan_in_the_samples_is_done() -> None:
    """Stopped, begun again, and done with a check that passed."""
    [phase] = plan_of(fold(samples()), parse).phases
    told = (phase.status, phase.attempt, phase.budget_tokens, phase.outcome, phase.commit)
    assert ("done", 2, 80_000, "Calls are counted per key", "2e1d") == told
