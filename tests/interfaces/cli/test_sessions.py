"""`clew sessions`: what ran where."""

from __future__ import annotations

import json

from tests.interfaces.cli.conftest import Clew
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo


def test_what_ran_is_told_with_client_and_goal(clew: Clew, repo: Repo) -> None:
    """Given a session that was imported, one looks for it by what was asked of it."""
    clew("init")
    clew("task", "new", "Mind the tide")
    clew("resume")
    code, out, err = clew("sessions")
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert "claude-code" in out and "Make the tide ten, and leave the moon alone" in out
    (one,) = json.loads(clew("sessions", "--json").out)["sessions"]
    assert (one["client"], one["place"], one["grew"]) == ("claude-code", str(repo.top.resolve()), False)
    assert one["stands"] in ("ended", "broke off") and one["task"].startswith("T-")
    assert one["first_time"] <= one["last_time"] != ""


def test_a_session_that_waits_is_listed_too(clew: Clew, repo: Repo) -> None:
    """Given a session since the last intake, the list does not hide it: it is what one goes on from."""
    clew("init")
    Recorder(repo.top, session="b0000000-0000-4000-8000-000000000001").user("Now the moon").reply("Done.").save(
        repo.top.parent / "home"
    )
    shape = json.loads(clew("sessions", "--json").out)
    assert ["unread"] == [one["stands"] for one in shape["sessions"] if one["session"].startswith("b0000000")]
    assert len(shape["sessions"]) == 2


def test_without_a_ledger_records_are_listed(clew: Clew, repo: Repo) -> None:
    """Nobody has to run `clew init` to see what there is; and nothing is written for it."""
    code, out, err = clew("sessions")
    assert (code, out.count("\n")) == (0, 1) and "unread" in out
    assert "No ledger is kept here" in err
    assert not (repo.top / ".clew").exists()
    assert clew("sessions", "--client", "codex") == (
        0,
        "",
        "note: No session of codex ran in this project.\n"
        "note: No ledger is kept here (`clew init`), so nothing more is known of them.\n",
    )


def test_a_client_that_nobody_knows_is_an_error(clew: Clew) -> None:
    """Given a slip of the pen, "no sessions" would be believed."""
    for _ in range(2):
        refused = clew("sessions", "--client", "cladue")
        assert refused.code == 1 and "[E-client-unknown]" in refused.err and "claude-code, codex" in refused.err
        clew("init")
    assert clew("sessions", "--client", "chat").code == 0


def test_the_limit_is_said(clew: Clew, repo: Repo) -> None:
    """A list that ends without a word looks whole."""
    Recorder(repo.top, session="b0000000-0000-4000-8000-000000000001").user("Now the moon").reply("Done.").save(
        repo.top.parent / "home"
    )
    assert "Older ones are not listed" in clew("sessions", "--limit", "1").err
    clew("init")
    assert "note: 1 older session is not listed (`--limit 0` lists all).\n" == clew("sessions", "--limit", "1").err
