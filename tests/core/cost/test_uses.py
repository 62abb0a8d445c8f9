"""Each response counts once."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from clew.core.cost.uses import Totals, UsageFold
from clew.core.records.transcript import Model, Record, Reply, Usage


def used(
    message: str, output: int, *, request: str = "r", model: str = "m1", agent: str = "", context: int = 100
) -> Usage:
    return Usage(0, "", agent, message, request, model, 1, 2, context - 3, output)


def tally(*records: Record) -> UsageFold:
    made = UsageFold()
    made.add([Reply(0, "", "", "hello", "a"), *records])
    return made


def test_models_are_kept_apart_and_responses_without_id_all_count() -> None:
    """Money is counted by model; other clients' records may have no ids."""
    made = tally(used("a", 5), used("b", 6, model="m2"), used("", 7), used("", 8)._replace(at=9))
    assert {"m1": Totals(3, 3, 6, 291, 20), "m2": Totals(1, 1, 2, 97, 6)} == made.totals().models
    assert made.total().responses == 4


def test_a_response_that_names_no_model_is_that_of_the_model_before_it() -> None:
    """And stays so when the client tells its usage again after the model was changed."""
    one, other = Model(0, "", "", "m1"), Model(0, "", "", "m2")
    made = tally(one, used("a", 5, model=""), other, used("a", 5, model=""), used("b", 6, model=""))
    assert {"m1": Totals(1, 1, 2, 97, 5), "m2": Totals(1, 1, 2, 97, 6)} == made.totals().models


def test_the_context_is_that_of_the_last_call_of_the_main_chain() -> None:
    """A sub-agent's small context would say that there is room left."""
    made = tally(used("a", 1, context=900), used("b", 1, agent="x", context=30))
    assert made.context == 900
    assert used("a", 1, context=900).context == 900


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9)), max_size=30), st.integers())
def test_the_order_does_not_matter(parts: list[tuple[str, int]], seed: int) -> None:
    """Files are read in any order."""
    records = [used(name, output) for name, output in parts]
    assert tally(*records).total() == tally(*random.Random(seed).sample(records, len(records))).total()


def test_responses_without_id_of_two_files_are_two() -> None:
    """Though they stand at the same place."""
    made = UsageFold()
    for name, output in (("a.jsonl", 1), ("b.jsonl", 2)):
        made.add([used("", output)], name)
    assert (2, 3) == (made.total().responses, made.total().output)
