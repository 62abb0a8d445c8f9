"""Compacting against a ledger: what the summary lost of it comes back."""

from __future__ import annotations

from typing import Any

import clew
from clew.app.context.compact import RECALL_TOKENS_MAX, maybe_compact, recalled
from clew.core.state.items import Item, Kind, Origin, Place, State
from clew.core.text.tokens import estimate

TALK: list[dict[str, Any]] = [
    {"role": role, "content": f"{turn}: " + "we go on with the refunds " * 40}
    for turn in range(8)
    for role in ("user", "assistant")
]


def item(kind: Kind, text: str, *, rank: int = 3, why: str = "", pinned: bool = False) -> Item:
    return Item(f"D-{text}", kind, text, why, "", "agent", (), Place("", -1, ""), rank, "", pinned=pinned)


class Live:
    """A project that has these items."""

    def __init__(self, *items: Item) -> None:
        self._items = items

    def state(self) -> State:
        return State(Origin("", "", "", "", "", "", True, ""), self._items)


def test_what_the_summary_lost_is_said_again_and_nothing_else() -> None:
    """The summary forgot a dead end: without the ledger the next turn would try it again."""
    live = Live(
        item("failed", "math.ceil on a float share", why="the total is off by a cent"),
        item("decision", "Amounts are integer cents"),
        item("constraint", "The signature of split() stays"),
    )
    done = maybe_compact(TALK, 500, lambda older, focus: "Amounts are integer cents now.", project=live)
    assert [
        "## Still true, from the ledger",
        "- constraint: The signature of split() stays",
        "- failed: math.ceil on a float share — the total is off by a cent",
    ] == done.recalled.splitlines()
    assert any(done.recalled in one["content"] for one in done.messages)


def test_nothing_is_asked_of_the_ledger_before_there_is_a_summary() -> None:
    """Below the threshold, and when summarising failed, a ledger that is busy cannot disturb."""

    class Busy(Live):
        def state(self) -> State:
            raise AssertionError("asked")

    def fails(older: list[Any], focus: str | None) -> str:
        raise RuntimeError("overloaded")

    assert not maybe_compact(TALK, 10**6, fails, project=Busy()).was_compacted
    done = maybe_compact(TALK, 500, fails, project=Busy())
    assert ("summary-failed", "overloaded", TALK) == (done.reason, str(done.error), done.messages)


def test_recalling_has_a_limit_but_for_what_must_be_told() -> None:
    """A thousand decisions would undo the compaction; a constraint is told at any price."""
    many = [item("decision", f"Decision {n} about part_{n} of the work", rank=n) for n in range(300)]
    rule = item("constraint", "No network in tests", rank=999)
    text = recalled([*many, rule], "Nothing.")
    assert estimate(text) <= RECALL_TOKENS_MAX + 20
    assert "- constraint: No network in tests" == text.splitlines()[1] and "part_0 " in text and "part_299" not in text


def test_from_the_front_door() -> None:
    """The form in which programs call it."""
    asked: list[str | None] = []

    def summarise(older: list[dict[str, Any]], focus: str | None) -> str:
        asked.append(focus)
        return f"{len(older)} messages about refunds."

    done = clew.maybe_compact(TALK, 1500, summarise, "what was decided", keep_last=4)
    assert (True, 11, ["what was decided"]) == (done.was_compacted, done.replaced, asked)
    assert done.messages[0] == TALK[0] and done.messages[-4:] == TALK[-4:]
    assert done.before_tokens > 1500 >= done.after_tokens
