"""`clew init`, then `clew resume` and `clew show` as people type them."""

from __future__ import annotations

import json
import re

from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo


def test_from_init_to_a_task_that_is_gone_on_with(clew: Clew, repo: Repo) -> None:
    """The whole way: nothing of it may need a second command to work."""
    assert 0 == clew("init").code
    assert 0 == clew("task", "new", "Ship the release").code
    assert 0 == clew("note", "constraint", "Never change the public API").code
    code, out, err = clew("resume")
    assert (code, err.count("note: "), "counts from now on" in err) == (0, 1, True)  # the session that went before
    assert "not on a Friday" in out and "Never change the public API" in out

    named = clew("resume", "ship the RELEASE")
    assert (0, out) == (named.code, named.out)
    shape = json.loads(clew("resume", "--json").out)
    assert "Ship the release" == shape["task"]["title"] and shape["checkpoint"] is None
    item = next(one for one in shape["items"] if one["text"] == "Never change the public API")

    assert 0 == clew("checkpoint", "agreed").code
    assert 0 == clew("retract", item["short_id"]).code
    assert "public API" not in clew("resume").out
    assert "Never change the public API" in clew("resume", "--at", "agreed").out

    shown = clew("show", item["short_id"])
    assert (shown.code, shown.err) == (0, "")
    assert re.search(r"^standing retracted", shown.out, re.MULTILINE) and "What was said about it:" in shown.out
    listed = clew("show").out
    assert f"{item['short_id']}  constraint  (retracted) Never change the public API" in listed
    for name in (shape["task"]["id"], json.loads(clew("log", "--json").out)["events"][-1]["subject"]):
        assert 0 == clew("show", name).code


def test_a_task_that_does_not_exist_says_how_to_find_one(clew: Clew, repo: Repo) -> None:
    """A typing mistake is no reason for a guess."""
    clew("init")
    code, out, err = clew("resume", "nonesuch")
    assert (code, out) == (1, "") and "[E-no-task]" in err and "hint: " in err
    assert "[E-no-checkpoint]" in clew("resume", "--at", "nonesuch").err
