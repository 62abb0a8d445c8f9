"""Deltas: what is patched is the newer value, exactly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.json_delta import delta, patch, same

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=20,
)


@given(VALUES, VALUES)
def test_a_delta_makes_the_newer_value(old: Any, new: Any) -> None:
    """A state that comes back different from what was saved is a state that was lost. 1, 1.0 and true are three."""
    before = json.dumps(old)
    change = json.loads(json.dumps(delta(old, new)))
    assert same(new, patch(old, change))
    assert before == json.dumps(old)


def test_a_delta_holds_what_is_new() -> None:
    """Saving a conversation after each turn costs the turn, not the conversation."""
    old = {"messages": [{"text": "a"}, {"text": "b"}], "step": 1, "done": False}
    new = {"messages": [{"text": "a"}, {"text": "b"}, {"text": "c"}], "step": 2}
    assert ["*", {"messages": ["+", 2, [{"text": "c"}]], "step": ["=", 2]}, ["done"]] == delta(old, new)


@pytest.mark.parametrize("change", [[], ["?"], ["+", 9, []], ["+", 1], ["*", {}, []], {"=": 1}, None])
def test_what_is_no_delta_is_an_error(change: Any) -> None:
    """A damaged save must not come back as something else."""
    with pytest.raises(ValueError, match="no delta"):
        patch([1], change)
