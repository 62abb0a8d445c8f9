"""How full a context is, read off the end of a transcript."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.clients.claude_code import dialect
from clew.core.context.context_size import TAIL, TAIL_MAX, last_usage, look
from tests.interfaces.hook.hooks import response

COMPACTED = (
    json.dumps({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"postTokens": 2837}}) + "\n"
)
FILLER = json.dumps({"type": "api-request-blob", "message": {"content": 'about "usage" and "compact_boundary"'}}) + "\n"


def parse(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def told(text: str, *, asked: list[int] | None = None) -> tuple[int, str, int] | None:
    data = text.encode()

    def tail(size: int) -> bytes:
        if asked is not None:
            asked.append(size)
        return data[-size:]

    return look(tail, parse, dialect)


def test_the_newest_response_of_the_main_chain_tells():
    """Input and both sorts of cache are the context; what sub-agents and the client itself say is not."""
    text = response(50_000) + response(60_000, model="claude-opus-4-1")
    text += response(9_000, isSidechain=True) + response(9_000, agentId="a1")
    text += response(9_000, model="<synthetic>") + response(9_000, isApiErrorMessage=True)
    assert (60_000, "claude-opus-4-1", 0) == told(text + FILLER * 20)


def test_a_compaction_begins_anew():
    """What was said before it would claim a full context, and a checkpoint would be asked for that is none of use."""
    assert (2837, "", 0) == told(response(195_000) + COMPACTED + FILLER)
    assert (0, "", 0) == told(response(195_000) + COMPACTED.replace("2837", '"many"'))
    assert (30_000, "claude-sonnet-4-5", 0) == told(response(195_000) + COMPACTED + response(30_000))


@pytest.mark.parametrize("torn", [response(99_000)[:-20], '{"usage": {}}\n', '"usage"\n', '\0\xff"usage"\n'])
def test_a_line_that_is_no_response_is_passed_over(torn: str):
    """The client may be writing at this moment."""
    assert (50_000, "claude-sonnet-4-5", 0) == told(response(50_000) + torn)


def test_nothing_is_said_where_nothing_is_told():
    """A session that has just begun."""
    assert told("") is None
    assert told(FILLER) is None
    assert told(response(0).replace(": -10", ": 0").replace(": 4,", ": 0,").replace(": 6,", ": 0,")) is None


def test_the_cost_does_not_grow_with_the_transcript():
    """It is looked at during tool calls: 40 MB must cost what 1 MB costs."""
    asked: list[int] = []
    assert (50_000, "claude-sonnet-4-5", 0) == told("x" * (40 << 20) + "\n" + response(50_000), asked=asked)
    assert [TAIL] == asked
    asked.clear()
    assert told(response(50_000) + "x" * (40 << 20), asked=asked) is None
    assert TAIL_MAX == asked[-1]
    assert 2 * TAIL_MAX > sum(asked)


def test_further_back_it_is_found_as_long_as_that_is_near():
    """A tool's result of half a megabyte may stand behind the last response."""
    assert (50_000, "claude-sonnet-4-5", 0) == told("early\n" + response(50_000) + "x" * (600 << 10) + "\n")


def test_a_first_line_that_may_be_torn_is_left_out():
    """The end of a line of a sub-agent can look like a line of its own."""
    line = response(50_000).encode()
    assert last_usage(line, whole=True, parse=parse, says=dialect) == (50_000, "claude-sonnet-4-5", 0)
    assert last_usage(line, whole=False, parse=parse, says=dialect) is None
