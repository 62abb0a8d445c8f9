"""`clew doctor`: the screen, the JSON and the exit code."""

from __future__ import annotations

import json

from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo


def test_who_never_ran_init_is_told_what_there_is(repo: Repo, clew: Clew) -> None:
    """Nothing is wrong, and each line that is not fine says what to do."""
    done = clew("doctor")
    assert 0 == done.code
    assert "ok     versions" in done.out
    assert "--     hooks" in done.out
    assert "→ `clew init` puts them in." in done.out
    told = json.loads(clew("doctor", "--json").out)
    assert (str(repo.top.resolve()), False) == (told["root"], told["wrong"])
    assert {"check", "level", "said", "mend"} == set(told["findings"][0])


def test_something_wrong_is_exit_code_1(repo: Repo, clew: Clew) -> None:
    """A script can ask."""
    assert 0 == clew("init", "--client", "none").code
    (repo.top / ".git" / "clew" / "ledger.db").write_bytes(b"no ledger" * 100)
    done = clew("doctor")
    assert 1 == done.code
    assert "WRONG  ledger" in done.out
    assert "1 thing wrong" in done.out
