"""A hook counts and prices a record as `clew cost` does, with none of its parts."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.codex.reader import CodexReader
from clew.clients.files import read_file
from clew.clients.gemini.reader import GeminiReader
from clew.core.cost import budget
from clew.core.cost.prices import Prices, Tokens
from clew.core.cost.uses import Use, Uses, merged
from clew.interfaces.hook.counting import counted

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
    uses, found = Uses(), dict[str, Use]()
    for batch in read_file(path, READERS[client]):
        merged(uses.of(batch.records), found, "")
    told = [use.tokens for use in found.values()]
    says = importlib.import_module(f"clew.clients.{client.replace('-', '_')}.dialect")
    event = {"transcript_path": str(path), "session_id": "none"}
    state = counted(event, str(tmp_path), says, {"own": {}, "tables": []}, {}, "2026-11-25")
    assert [sum(one.total for one in told), 0, sum(one.total - one.cache_read for one in told)] == state["session"]


amounts = st.integers(0, 2_000_000)
days = st.sampled_from(["", "2026-01-01", "2026-06-01"])
costs = st.integers(0, 80)


@given(
    tokens=st.builds(Tokens, amounts, amounts, amounts, amounts, amounts),
    rows=st.lists(
        st.tuples(days, st.sampled_from([0, 200_000, 1_000_000]), *[costs] * 5),
        max_size=5,
        unique_by=lambda row: row[:2],
    ),
    day=st.sampled_from(["2025-12-31", "2026-01-01", "2026-11-25"]),
)
def test_a_response_costs_what_a_report_says(tokens: Tokens, rows: list[tuple[object, ...]], day: str) -> None:
    """By day and size, to the microdollar."""
    table = {"models": [[{"equals": "m"}, [list(row) for row in rows]]]}
    cost = Prices([table]).cost("m", tokens, day=day) if rows else None
    assert round((cost or 0) * 1_000_000) == budget.microdollars(budget.prices_of([table], "m"), day, tokens)
