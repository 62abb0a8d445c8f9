"""What a model reads of the tools, and what they take."""

from __future__ import annotations

import json
import time

import pytest

from clew.app.record.verbs import NOTED
from clew.core.errors import InputError
from clew.core.text.tokens import estimate
from clew.interfaces.mcp.tools import CHANGES, INSTRUCTIONS, TOOLS, listing, tool_named


def test_all_tools_together_cost_little() -> None:
    """They are sent with every request of a session; a wordy tool is paid for thousands of times (SPEC C5)."""
    assert len(TOOLS) <= 6
    assert estimate(json.dumps(listing(), separators=(",", ":"))) <= 900
    assert estimate(INSTRUCTIONS) <= 60


def test_every_kind_that_a_person_can_note_can_be_recorded() -> None:
    """A kind that only the command line has would be lost to agents without a shell."""
    record = tool_named("record")
    assert record is not None
    assert (*NOTED, *CHANGES) == record.takes[0].choices


def test_no_tool_is_said_to_destroy() -> None:
    """Codex asks a person before each call of a tool that may destroy or reaches out, and headless it refuses them."""
    for tool in listing():
        hints = tool["annotations"]
        assert hints.get("readOnlyHint") or (hints["destructiveHint"], hints["openWorldHint"]) == (False, False)


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("record", {"text": "x"}, "`kind` is missing"),
        ("record", {"kind": "wish", "text": "x"}, "`kind` is one of: goal, "),
        ("record", {"kind": "decision", "text": "x", "files": "a.py"}, "`files` is a list of texts"),
        ("record", {"kind": "question", "text": "x", "blocking": "yes"}, "`blocking` is true or false"),
        ("record", {"kind": "decision", "text": "x", "locked": True}, "it takes no `locked`"),
        ("resume", {"budget": True}, "`budget` is a whole number"),
    ],
)
def test_what_does_not_fit_is_refused_with_all_that_is_wrong(name: str, given: dict[str, object], why: str) -> None:
    """A model mends its call from the message alone."""
    tool = tool_named(name)
    assert tool is not None
    with pytest.raises(InputError, match="invalid arguments") as caught:
        tool.checked(given)
    assert why in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("given", [{"text": "x" * (8 << 20)}, {"files": ["x" * 1000] * 9000}])
def test_megabytes_are_refused_before_anything_looks_through_them(given: dict[str, object]) -> None:
    """To redact 8 MB takes 17 seconds, and no field keeps as much."""
    tool = tool_named("record")
    assert tool is not None
    began = time.process_time()
    with pytest.raises(InputError, match="of at most 262,144 in one call") as caught:
        tool.checked({"kind": "decision", **given})
    assert f"`{next(iter(given))}`" in caught.value.hint and time.process_time() - began < 0.5


def test_null_stands_for_nothing() -> None:
    """Some models fill in every argument."""
    tool = tool_named("resume")
    assert tool is not None
    assert {} == tool.checked({"task": None, "budget": None})
