"""`clew efficiency`: what is shown."""

from __future__ import annotations

import json

from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo


def test_it_tells_what_came_of_the_tokens(repo: Repo, clew: Clew) -> None:
    """A row a session and the sum."""
    done = clew("efficiency")
    assert 0 == done.code
    rows = [row.split() for row in done.out.splitlines()]
    assert "total" == rows[-1][0] and 7 == len(rows[0])
    told = json.loads(clew("efficiency", "--by", "task", "--json").out)
    assert ("task", 1) == (told["by"], told["total"]["sessions"])
    assert {
        "name",
        "about",
        "sessions",
        "tokens",
        "passes",
        "lines_added",
        "lines",
        "passes_per_1k",
        "lines_per_1k",
        "trend",
    } == set(told["total"])


def test_what_is_wrongly_asked_is_an_error(repo: Repo, clew: Clew) -> None:
    """With the code of a wrong command line."""
    assert 64 == clew("efficiency", "--by", "moon").code
