"""Random histories: whatever people and programs do to an issue and when, nothing is lost and nothing is doubled."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.app.issue.histories import STEPS, plain_ports, told

HISTORIES = st.lists(
    st.tuples(st.integers(0, STEPS - 1), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=14
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=HISTORIES)
def test_no_history_loses_or_doubles_anything(home: Path, history: list[tuple[int, int, int]]) -> None:
    """Each edit of a person is there in the end, once; a push or a pull that is run again does nothing."""
    assert told(plain_ports(home), history) == []
