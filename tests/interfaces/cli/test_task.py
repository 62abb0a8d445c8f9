"""`clew task …`: each command as it is typed."""

from __future__ import annotations

import json

from tests.app.projects import extract_of, read_item
from tests.interfaces.cli.conftest import Desk


def test_a_day_with_tasks(desk: Desk) -> None:
    """Open, look, switch, close: in the order people do it, each line what they read."""
    ran = desk.ada("task", "new", "Fix", "the tide", "--type", "debug", "--goal", "It is ten")
    tide = ran.out.split()[1].rstrip(":")
    assert ran == (0, f"Opened {tide}: Fix the tide; {desk.shop.top}, branch main, is bound to it\n", ran.err)
    moon = desk.ada("task", "new", "Moon", "--no-bind").out.split()[1].rstrip(":")
    listed = desk.ada("task", "list").out.split("\n")
    assert [row[:9].strip() for row in listed if row] == [moon, f"*  {tide}"]
    shown = desk.ada("task", "show").out
    assert "title    Fix the tide\nstatus   open\ntype     debug\n" in shown
    assert f"bound to {desk.shop.top} (main)\nitems    1 goal\n" in shown
    assert "[E-task-bound]" in desk.ada("task", "bind", moon).err
    assert f"note: Before, it was bound to {tide}: Fix the tide" in desk.ada("task", "switch", moon).err
    assert desk.ada("task", "rename", tide, "Ebb").out == f"{tide} is called Ebb now (it was Fix the tide)\n"
    assert desk.ada("task", "drop", tide, "--why", "no tide").out == f"Dropped {tide}: Ebb (no tide)\n"
    assert desk.ada("task", "reopen", tide).out == f"Opened again {tide}: Ebb\n"
    assert desk.ada("task", "close", "--outcome", "it shines").out == f"Closed {moon}: Moon (it shines)\n"
    assert desk.ada("task", "list").err == "note: 1 other closed or dropped: `clew task list --all`.\n"
    assert "closed" in desk.ada("task", "list", "--all").out
    assert "is bound to no task" in desk.ada("task", "unbind").out


def test_reopening_advises_no_switch_that_is_not_needed(desk: Desk) -> None:
    """A place stays its task's while that is closed: unless another one took it, nothing has to be bound."""
    tide = desk.ada("task", "new", "Tide").out.split()[1].rstrip(":")
    desk.ada("task", "close")
    assert "next: clew resume\n" in desk.ada("task", "reopen", tide).err
    assert "`clew resume` goes on with it" in desk.ada("task", "reopen", tide).err
    desk.ada("task", "close")
    desk.ada("task", "new", "Moon")
    assert f"next: clew task switch {tide}\n" in desk.ada("task", "reopen", tide).err


def test_a_session_is_adopted(desk: Desk) -> None:
    """By the beginning of its id."""
    with desk.shop.desk() as at:
        at.ledger.take_in(extract_of(desk.shop, session="5e551011-7f52"))
    desk.ada("task", "new", "Tide")
    code, out, _ = desk.ada("task", "adopt", "5e55")
    assert (code, out.startswith("Session 5e551011-7f52 counts for T-")) == (0, True)
    assert "session  claude-code 5e551011-7f52" in desk.ada("task", "show").out


def test_sessions_of_no_task_are_listed_and_named(desk: Desk) -> None:
    """A list of what `adopt` takes, and two places that lead to it."""
    assert desk.ada("task", "adopt").err == "note: No session that was imported counts for no task.\n"
    with desk.shop.desk() as at:
        item = read_item("goal", "Ask the\x1b moon", "2026-11-22T01:00:00.000Z", session="s-1")
        at.ledger.take_in(extract_of(desk.shop, item, session="s-1"))
    assert "note: 1 earlier session here counts for no task: `clew task adopt`" in desk.ada("task", "new", "Tide").err
    assert "1 other counts for no task (`clew task adopt` lists them)" in desk.ada("status").out
    ran = desk.bot("task", "adopt")
    assert ran == (0, "s-1  2026-11-22 01:00  Ask the moon\n", "next: clew task adopt SESSION\n")
    [one] = json.loads(desk.bot("task", "adopt", "--json").out)["sessions"]
    assert (one["session"], one["about"], one["client"]) == ("s-1", "Ask the moon", "claude-code")
    assert json.loads(desk.ada("status", "--json").out)["free"] == 1


def test_json_of_each(desk: Desk) -> None:
    """docs/reference/json.md names the fields."""
    new = json.loads(desk.ada("task", "new", "Tide", "--json").out)
    assert (new["changed"], new["item"], new["task"]["title"]) == (True, None, "Tide")
    listed = json.loads(desk.ada("task", "list", "--json").out)
    assert listed == {"tasks": [{**new["task"], "bound": True}], "hidden": 0}
    shown = json.loads(desk.ada("task", "show", "--json").out)
    assert shown == {"task": {**new["task"], "bound": True}, "counts": {}, "sessions": []}
    closed = json.loads(desk.ada("task", "close", "--json").out)
    assert (closed["task"]["status"], closed["next"].split()[:3]) == ("closed", ["clew", "task", "reopen"])


def test_a_dry_run_opens_nothing(desk: Desk) -> None:
    """It says what it would."""
    assert "Dry run" in desk.ada("task", "new", "Tide", "--dry-run").out
    assert desk.shop.events() == []
