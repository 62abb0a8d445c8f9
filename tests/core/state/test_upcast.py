"""Events of every version that was ever written are read as today's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from clew.core.plan.recorded import plan_of
from clew.core.state.events import KINDS, Data, Event, checked
from clew.core.state.fold import fold, values
from clew.core.state.upcast import STEPS, upcast
from clew.documents.plan.grammar import parse

# One event a line for each kind and version that a release wrote. Lines are added, never changed.
SAMPLES = Path(__file__).parents[2] / "ledger" / "samples" / "events.jsonl"


def samples() -> list[Event]:
    return [Event(**json.loads(line)) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]


def test_there_is_a_sample_of_every_version_of_every_kind() -> None:
    """A shape that is in people's ledgers and in no test breaks unseen."""
    written = {(kind, v) for kind, schema in KINDS.items() for v in range(1, schema.v + 1)}
    assert written <= {(event.kind, event.v) for event in samples()}


def test_every_sample_is_read_in_its_newest_form() -> None:
    """What an old clew wrote can be kept, folded and sent on by this one."""
    for event in samples():
        newest = upcast(checked(event))
        assert KINDS[event.kind].v == newest.v
        assert newest == checked(newest)
        assert event._replace(v=newest.v, data=newest.data) == newest


def test_the_samples_fold_to_what_they_say() -> None:
    """A step that loses a field, or a fold that no longer reads it, shows here."""
    state = fold(upcast(event) for event in samples())
    item = values(state["D-7k2q3m4n5p6q7r8s"])
    assert ("decision", "Rate limits are per user, not per address") == (item["kind"], item["text"])
    assert ("Ja, für alle – 日本語 too", True, False) == (item["answer"], item["redacted"], item["pinned"])
    assert ("Rate limits for the shop", "open") == tuple(
        values(state["T-7k2q3m4n5p6q7r8s"])[name] for name in ("title", "status")
    )


def test_the_plan_in_the_samples_is_done() -> None:
    """Stopped, begun again, and done with a check that passed."""
    [phase] = plan_of(fold(upcast(event) for event in samples()), parse).phases
    told = (phase.status, phase.attempt, phase.budget_tokens, phase.outcome, phase.commit)
    assert ("done", 2, 80_000, "Calls are counted per key", "2e1d") == told


def test_no_step_is_missing_between_two_versions() -> None:
    """An event of version 1 must not stop half way."""
    assert {(kind, v) for kind, schema in KINDS.items() for v in range(1, schema.v)} == set(STEPS)


def test_steps_are_taken_one_after_the_other() -> None:
    """Each step knows only the next version."""

    def renamed(data: Data) -> Data:
        return {"words" if name == "text" else name: value for name, value in data.items()}

    def marked(data: Data) -> Data:
        return {**data, "marked": True}

    steps: Mapping[tuple[str, int], object] = {("item.stated", 1): renamed, ("item.stated", 2): marked}
    (event,) = (one for one in samples() if one.kind == "item.stated")
    newest = upcast(event._replace(data={"text": "x"}), steps)  # type: ignore[arg-type]
    assert (3, {"words": "x", "marked": True}) == (newest.v, newest.data)
    later = event._replace(v=9)
    assert upcast(later, steps) is later  # type: ignore[arg-type]
