"""Threads on the command line: `clew init` is all that somebody has to run."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Clew
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo


@pytest.fixture
def shop(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A project in which nothing ran yet; we stand in it."""
    assert home.is_dir()
    made = Repo(tmp_path / "shop")
    made.write("src/fee.py", "fee = 1\n")
    made.commit("Begin")
    monkeypatch.chdir(made.top)
    return made


def ran(shop: Repo, number: int, ask: str, *, days_ago: float, reply: str, branch: str = "main") -> None:
    """A session that edited a file, some days ago."""
    start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - days_ago * 86_400))
    made = Recorder(shop.top, session=f"5e5510{number}0-0000-4000-8000-000000000001", start=start, branch=branch)
    made.user(ask).edit("src/fee.py", "fee = 1", f"fee = {number}", original="fee = 1\n").reply(reply)
    made.save(shop.top.parent / "home")


def three(clew: Clew, shop: Repo) -> None:
    """Three sessions after `clew init` alone, each taken in before the next one began."""
    clew("init")
    ran(
        shop,
        1,
        "Raise the fee. Never touch the invoices.",
        days_ago=3,
        reply="Decision: keep `night()`; the tests need it.",
    )
    clew("resume")
    ran(shop, 2, "Raise the fee at night as well", days_ago=2, reply="Raised at night.")
    clew("resume")
    ran(
        shop,
        3,
        "Round the fee",
        days_ago=1,
        reply="We decided to round to ten cents in `src/fee.py`, because coins need it.",
    )


def titles(clew: Clew, *options: str) -> list[str]:
    return [one["title"] for one in json.loads(clew("task", "list", *options, "--json").out)["tasks"]]


def test_after_init_alone_sessions_add_up(clew: Clew, shop: Repo) -> None:
    """What the first one decided and was forbidden is what the fourth one needs."""
    three(clew, shop)
    done = clew("resume")
    assert done.code == 0
    for words in ("night()", "invoices", "round to ten cents"):
        assert words in done.out
    assert ["Raise the fee"] == titles(clew)
    (row,) = clew("task", "list").out.splitlines()
    assert row.startswith("*  T-") and row.endswith("Raise the fee")
    assert "Raise the fee" in clew("status").out
    assert all(row.strip().endswith(("fee", "well", "invoices.")) for row in clew("sessions").out.splitlines())


def test_a_persons_name_survives_and_so_do_split_and_join(clew: Clew, shop: Repo) -> None:
    """What a person says of a thread is not said over by what sessions do."""
    three(clew, shop)
    clew("resume")
    thread = json.loads(clew("task", "list", "--json").out)["tasks"][0]
    assert thread["thread"] is True
    assert clew("task", "rename", thread["short_id"], "Fees").code == 0
    ran(shop, 4, "Lower the fee", days_ago=0.5, reply="Lowered.")
    clew("resume")
    assert ["Fees"] == titles(clew)
    assert clew("task", "split", "5e551020", "--title", "Night", "--dry-run").code == 0
    done = clew("task", "split", "5e551020", "--title", "Night")
    assert (done.code, "Night" in done.out) == (0, True)
    assert {"Fees", "Night"} == set(titles(clew))
    assert "Raised at night" not in clew("resume").out
    assert clew("task", "join", "Fees", "Night").code == 0
    assert ["Fees"] == titles(clew)
    assert {"Fees", "Night"} == set(titles(clew, "--all"))
    sessions = json.loads(clew("task", "show", "Fees", "--json").out)["sessions"]
    assert len(sessions) == 4


def test_what_ended_says_why(clew: Clew, shop: Repo) -> None:
    """Else it looks lost."""
    shop.git("checkout", "-q", "-b", "fee")
    clew("init")
    ran(shop, 1, "Raise the fee", days_ago=1, reply="Half of it.", branch="fee")
    clew("resume")
    shop.git("checkout", "-q", "main")
    shop.git("branch", "-D", "fee")
    told = clew("resume").err
    assert "has ended: its branch fee is gone" in told and "clew task reopen T-" in told
    assert [] == titles(clew)
    assert "Raise the fee (its branch fee is gone)" in clew("task", "list", "--all").out
