"""`clew record`: a session's record in short on stdout."""

from __future__ import annotations

import json

from clew.core.text.tokens import estimate
from tests.interfaces.cli.conftest import Clew
from tests.recordings.sessions import ID
from tests.workspace.repos import Repo


def test_the_last_session_is_printed_within_the_budget(clew: Clew, repo: Repo) -> None:
    """Given a session of this project, nobody has to name it, nor run `clew init`."""
    code, out, err = clew("record")
    assert (0, "") == (code, err)
    assert "user: Make the tide ten, and leave the moon alone\n" in out
    assert "user, refusing `git push`: not on a Friday\n" in out
    assert out == clew("record", ID[:8]).out == clew("record", ID, "--budget", "6000").out
    assert not (repo.top / ".clew").exists()


def test_the_same_as_json(clew: Clew, repo: Repo) -> None:
    told = json.loads(clew("record", "--json").out)
    assert ("claude-code", ID, 0) == (told["client"], told["session"], told["left_out"])
    assert told["file"].endswith(f"{ID}.jsonl")
    assert told["text"] == clew("record").out and told["tokens"] == estimate(told["text"]) and told["lines"] > 3


def test_what_cannot_be_done_is_said(clew: Clew, repo: Repo) -> None:
    """A budget that holds nothing, a session that is not there, a pipe."""
    assert "[E-budget-small]" in clew("record", "--budget", "20").err
    assert "[E-transcript-missing]" in clew("record", "ffff").err
    assert 64 == clew("record", "-").code
