"""`clew doctor`: the screen, the JSON and the exit code."""

from __future__ import annotations

import json
from contextlib import closing

import apsw

from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo


def test_who_never_ran_init_is_told_what_there_is(repo: Repo, clew: Clew) -> None:
    """Nothing is wrong, each line that is not fine says what to do, and of what is fine the number is enough."""
    done = clew("doctor")
    assert 0 == done.code
    assert "ok     versions" in done.out
    assert "--     hooks" in done.out
    assert "→ `clew init` puts them in." in done.out
    assert "more check" in done.out and "ok     git" not in done.out
    assert "ok     git" in clew("doctor", "-v").out
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


def test_a_damaged_row_is_told_and_repaired(repo: Repo, clew: Clew) -> None:
    """One byte of one event changed; every command failed, and the doctor said that the ledger is whole."""
    assert 0 == clew("init", "--client", "none").code
    for text in ("Amounts are cents", "Shares add up", "No floats"):
        assert 0 == clew("decide", text).code
    ledger = repo.top / ".git" / "clew" / "ledger.db"
    with closing(apsw.Connection(str(ledger))) as connection:
        connection.execute("UPDATE event SET data = '{' WHERE data LIKE '%Shares add up%'")
    shown = clew("resume")
    assert "Amounts are cents" in shown.out and "No floats" in shown.out
    assert "clew doctor --repair" in shown.err
    assert "cannot be read" in clew("doctor").out
    assert "Nothing was changed" in clew("doctor", "--repair", "--dry-run").out
    done = clew("doctor", "--repair")
    assert 1 == done.code
    assert "lost  event " in done.out
    assert len(list(ledger.parent.glob("ledger.db.damaged-*[0-9]"))) == 1
    again = clew("doctor", "--repair")
    assert (0, True) == (again.code, "nothing to repair" in again.out)
    assert "damaged" not in clew("resume").err
