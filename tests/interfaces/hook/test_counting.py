"""A hook counts and prices a record as `clew cost` does."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.codex.reader import CodexReader
from clew.clients.gemini.reader import GeminiReader
from clew.clients.lines import read_file
from clew.core.cost.prices import Prices
from clew.core.cost.uses import UsageFold
from clew.interfaces.hook.counting import count_use

RECORDINGS = Path(__file__).parents[2] / "recordings"
READERS = {"claude-code": ClaudeCodeReader(), "codex": CodexReader(), "gemini": GeminiReader()}
RECORDS = [
    (client, path)
    for client in READERS
    for path in sorted((RECORDINGS / client).rglob("*.jsonl"))
    if path.parent.name != "headless"
]


@pytest.mark.parametrize(("client", "path"), RECORDS, ids=lambda one: getattr(one, "name", one))
def test_a_record_is_counted_as_its_reader_counts_it(client: str, path: Path, tmp_path: Path) -> None:
    """Two ways to read one record must not part: budgets go by one, reports by the other."""
    fold = UsageFold()
    for batch in read_file(path, READERS[client]):
        fold.add(batch.records)
    told = [use.tokens for use in fold.responses.values()]
    says = importlib.import_module(f"clew.clients.{client.replace('-', '_')}.dialect")
    event = {"transcript_path": str(path), "session_id": "none"}
    state = count_use(event, str(tmp_path), says, {"own": {}, "tables": []}, {}, "2026-11-25")
    total = sum(one.total for one in told)
    assert [total, 0, total - sum(one.cache_read for one in told), total] == state["session"]


def told(message: str, output: int, **usage: Any) -> dict[str, Any]:
    """A line of Claude Code's about a response to a hundred tokens."""
    used = {"input_tokens": 100, "cache_read_input_tokens": 1000, "output_tokens": output, **usage}
    about = {"id": message, "model": "claude-tide-1", "content": [], "usage": used}
    return {
        "type": "assistant",
        "timestamp": "2026-11-25T10:00:00Z",
        "sessionId": "s",
        "requestId": "r",
        "message": about,
    }


def test_advisors_and_fast_answers_are_priced_as_they_are_paid_for(tmp_path: Path) -> None:
    """Given lines that grow, an advisor of another model that is asked twice and a fast answer, hook and report agree
    to the token and the microdollar; and what is told of a response again counts once.
    """
    asked = {"type": "advisor_message", "model": "claude-opus-4-6", "input_tokens": 5000, "output_tokens": 70}
    own = {"type": "message", "input_tokens": 100, "output_tokens": 9}
    lines = [
        told("m1", 1, iterations=[asked]),
        told("m1", 9, iterations=[asked, own, {**asked, "output_tokens": 80}]),
        told("m1", 9, iterations=[asked, own, {**asked, "output_tokens": 80}]),
        told("m2", 50, iterations=None)
        | {"message": {**told("m2", 50, speed="fast")["message"], "model": "claude-opus-4-6"}},
    ]
    record = tmp_path / "record.jsonl"
    record.write_text("".join(json.dumps(one) + "\n" for one in lines))
    table = {
        "models": [[{"starts_with": name}, [["", 0, 10, 50, 1, 12, 20]]] for name in ("claude-tide", "claude-opus-4-6")]
    }
    fold = UsageFold()
    for batch in read_file(record, READERS["claude-code"]):
        fold.add(batch.records)
    prices = Prices([table])
    paid = {use.model: prices.cost(use.model, use.tokens, day="2026-11-25") for use in fold.responses.values()}
    assert {"claude-tide-1", "claude-opus-4-6", "claude-opus-4-6[fast]"} == {*paid}
    assert paid["claude-opus-4-6[fast]"] == pytest.approx(6 * (100 * 10 + 1000 + 50 * 50) / 1e6)
    says = importlib.import_module("clew.clients.claude_code.dialect")
    event = {"transcript_path": str(record), "session_id": "none"}
    state = count_use(event, str(tmp_path), says, {"own": table, "tables": []}, {}, "2026-11-25")
    total = sum(use.tokens.total for use in fold.responses.values())
    usd = sum(prices.cost(use.model, use.tokens, day="2026-11-25") or 0 for use in fold.responses.values())
    assert [total, round(usd * 1e6), total - 2000, 0] == state["session"]
    assert (100 + 1000 + 9) + 5070 + 5080 + (100 + 1000 + 50) == total
