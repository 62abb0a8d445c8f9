"""`clew secrets scan` and what leaves, as people type it."""

from __future__ import annotations

import json

import pytest

from tests.app.worlds import secrets
from tests.interfaces.cli.conftest import Desk

TOKEN = secrets()["github"]


def test_a_scan_of_what_is_kept_says_what_to_do(desk: Desk) -> None:
    """Given nothing secret it ends with 0; given a token in a file of .clew, with 1, and the value is not shown."""
    ran = desk.ada("secrets", "scan")
    assert (ran.code, "Nothing that looks like a secret" in ran.out) == (0, True)
    (desk.shop.top / ".clew/notes.md").write_text(f"it is {TOKEN}\n")
    ran = desk.ada("secrets", "scan")
    assert ran.code == 1 and "notes.md, line 1" in ran.out and "take it out there" in ran.err
    told = json.loads(desk.ada("secrets", "scan", "--json").out)
    assert [(one["role"], one["engine"]) for one in told["found"]] == [("document", "clew")]
    assert TOKEN not in ran.out + ran.err + str(told)


def test_what_is_let_pass_needs_a_way_out(desk: Desk) -> None:
    """`--allow` without `--copy` or `--launch` lets nothing pass, and says so."""
    ran = desk.ada("resume", "--allow", "d19844", "--why", "a fixture")
    assert ran.code == 64 and "--copy" in ran.err


@pytest.mark.parametrize("command", [["export", "all.clew"], ["resume", "--copy"]])
def test_to_let_pass_without_a_reason_is_refused(desk: Desk, command: list[str]) -> None:
    """The reason is kept with the name of who said it: there has to be one."""
    desk.ada("decide", "Ten it is")
    ran = desk.ada(*command, "--allow", "d19844")
    assert ran.code == 1 and "[E-egress-why]" in ran.err


@pytest.mark.parametrize("way", [["--copy"], ["--launch", "claude"]])
def test_what_slipped_in_reaches_neither_clipboard_nor_model(
    desk: Desk, way: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a token that an older clew kept, neither is called; a person lets it pass, and that is kept."""
    called: list[object] = []
    monkeypatch.setattr("pyperclip.copy", called.append)
    monkeypatch.setattr("os.execve", lambda *given: called.append(given))
    desk.ada("task", "new", "Tides")
    with desk.shop.desk() as at:
        data = {"item": at.new_id("D"), "kind": "decision", "text": "x"}
        event = at.event("item.stated", data, task=at.task())
        at.ledger.append([event._replace(data={**data, "text": f"We go on with {TOKEN}"})])
    ran = desk.ada("resume", *way)
    assert ran.code == 1 and "[E-egress-secret]" in ran.err and TOKEN not in ran.out + ran.err
    assert called == []
    if way == ["--copy"]:
        digits = ran.err.partition("--allow ")[2][:6]
        assert desk.ada("resume", "--copy", "--allow", digits, "--why", "a fixture").code == 0
        assert TOKEN in str(called) and "a fixture" in desk.ada("log", "--kind", "secret.allowed").out
