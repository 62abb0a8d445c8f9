"""What works in which client: found out by a run, and told in docs/clients/README.md."""

from __future__ import annotations

import pytest

from tests.accept import CLIENTS_PAGE, clients_page


@pytest.mark.slow
def test_the_page_says_what_a_run_finds() -> None:
    """A table that is written by hand says what somebody once hoped. `python -m tests.accept` writes it again."""
    page = CLIENTS_PAGE.read_text(encoding="utf-8")
    assert page == clients_page(page)
