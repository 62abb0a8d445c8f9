"""`clew gate`: what holds, who may let a tool pass, and files put back."""

from __future__ import annotations

import json
from pathlib import Path

from clew.app.project.gates import refresh
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import opt_in
from clew.app.tasks.lifecycle import task_new
from tests.interfaces.cli.conftest import Desk


def planned(desk: Desk, home: Path) -> None:
    """A plan waits for approval in the project."""
    opt_in(desk.shop.ada.trust_store.parent, desk.shop.top)
    task_new(ProjectHandle(desk.shop.ada, desk.shop.top), "Refunds")
    with desk.shop.desk() as at:
        at.append([at.event("plan.opened", {"title": "Round refunds"}, task=at.task() or "")])
        refresh(desk.shop.ada, at)


def test_what_holds_is_shown(desk: Desk, home: Path) -> None:
    """To whoever asks; with the plan that waits."""
    planned(desk, home)
    out = desk.ada("gate").out
    assert "plan       deny" in out and "“Round refunds”" in out
    shown = json.loads(desk.bot("gate", "--json").out)
    assert ("deny", "Round refunds", [], []) == (
        shown["levels"]["plan"],
        shown["plan"],
        shown["tools"],
        shown["breaches"],
    )


def test_every_rule_is_listed_with_who_said_it_and_when(desk: Desk, home: Path) -> None:
    """A person who wonders why something is denied finds the id by which it ends."""
    planned(desk, home)
    shop = desk.shop
    shop.note("file", "src/a.py", status="off limits", why="generated")
    shop.note("failed", "Use moment", why="300 KB", guard=("npm i moment",))
    said = shop.noted("constraint", "Don't touch src/b.py, and never push")
    shop.repo.write("src/b.py", "b = 1\n")
    shop.note("constraint", "Amounts are cents", by=shop.bot)
    rules = json.loads(desk.bot("gate", "--json").out)["rules"]
    rows = [(one["level"], one["gate"], one["names"]) for one in rules]
    assert rows == [
        ("deny", "offlimits", ["src/a.py"]),
        ("warn", "guard", ["npm i moment"]),
        ("warn", "guard", ["src/b.py", "git push"]),
        ("told", "", []),
    ]
    assert {"a person"} == {one["by"] for one in rules[:3]} != {rules[3]["by"]}
    assert "Refunds" == rules[0]["task"] and rules[0]["since"].startswith("20")
    assert f"warn  {said[:6]}  src/b.py, git push: Don't touch src/b.py" in desk.ada("gate").out
    code, _, err = desk.bot("gate", "deny", said)
    assert 1 == code and "[E-not-a-person]" in err
    assert "src/b.py, git push denied from now on" in desk.ada("gate", "deny", said).out
    assert "deny" == json.loads(desk.ada("gate", "--json").out)["rules"][0]["level"]
    assert 2 == sum(one["level"] == "deny" for one in json.loads(desk.ada("gate", "--json").out)["rules"])
    assert "only warned of" in desk.ada("gate", "deny", said, "--lift").out
    assert "names" in desk.ada("gate", "deny", shop.noted("constraint", "Be kind")).err


def test_only_a_person_lets_a_tool_pass(desk: Desk, home: Path) -> None:
    """It is asked once: the word is kept with what is trusted."""
    planned(desk, home)
    code, _, err = desk.bot("gate", "allow", "mcp__hub__get_issue")
    assert 1 == code and "[E-not-a-person]" in err
    assert [] == json.loads(desk.ada("gate", "--json").out)["tools"]
    assert 0 == desk.ada("gate", "allow", "mcp__hub__get_issue").code
    assert ["mcp__hub__get_issue"] == json.loads(desk.ada("gate", "--json").out)["tools"]
    assert "passed already" in desk.ada("gate", "allow", "mcp__hub__get_issue").out


def test_files_are_put_back(desk: Desk, home: Path) -> None:
    """By anybody: it only undoes what was done behind the gate, and keeps that beside."""
    planned(desk, home)
    page = desk.shop.top / "src" / "a.py"
    page.write_text("a = 2\n")
    assert "src/a.py: would be put back" in desk.bot("gate", "restore", "--dry-run").out
    assert "src/a.py: put back" in desk.bot("gate", "restore", "src/a.py").out
    assert "a = 1\n" == page.read_text()
    assert "Every watched file is as it was." in desk.bot("gate", "restore").out
