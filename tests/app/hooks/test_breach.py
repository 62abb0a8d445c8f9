"""What was changed behind a gate is told, recorded, and can be put back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clew.app.hooks.breach import breached
from clew.app.project.gate_state import gate_state, put_back
from clew.app.project.gates import refresh
from clew.app.project.opening import ProjectHandle
from clew.app.record.note import NewNote, note
from clew.app.tasks.lifecycle import task_new
from clew.core.records.hook_events import SILENCE, Answer, HookEvent
from clew.core.runtime_dir import live_folder
from tests.app.hooks.hooked import NOW, Hooked


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path)


def live(world: Hooked) -> Path:
    return Path(live_folder(str(world.data), str(world.top)))


def plan(world: Hooked, kind: str = "plan.opened") -> None:
    """A plan waits for approval, or does no longer."""
    world.clock.tick()
    with world.desk() as at:
        task = at.task() or ""
        data = {"title": "Round refunds"} if kind == "plan.opened" else {"digest": ""}
        at.append([at.event(kind, data, task=task)])
        refresh(world.ports, at)


def planning(world: Hooked) -> None:
    task_new(ProjectHandle(world.ports, world.top), "Refunds")
    plan(world)


def off_limits(world: Hooked, path: str) -> None:
    note(ProjectHandle(world.ports, world.top), NewNote("file", path, status="off limits", why="frozen"))


def behind(world: Hooked, command: str, *, began_ns: int = 1) -> Answer:
    """What the hook behind a command says."""
    event = HookEvent(
        "claude-code", "after_tool", NOW, folder=str(world.top), tool="Bash", command=command, began_ns=began_ns
    )
    return breached(world.hook(NOW), event, str(live(world)))


def test_a_change_while_a_plan_is_open_is_told_and_put_back(world: Hooked) -> None:
    """The gate could not see it; the files say it."""
    (world.top / "notes.md").write_text("mine\n")
    planning(world)
    assert SILENCE == behind(world, "ls")
    (world.top / "src" / "a.py").write_text("a = 2\n")
    (world.top / "new.py").write_text("n\n")
    (world.top / "notes.md").unlink()
    said = behind(world, "python magic.py")
    assert "`python magic.py` changed files, while the plan “Round refunds” waits for approval" in said.context
    assert "-a = 1" in said.context and "+a = 2" in said.context
    assert "clew gate restore new.py notes.md src/a.py" in said.message
    assert SILENCE == behind(world, "ls"), "it was told"
    found = gate_state(world.ports, world.top)
    assert ("Round refunds", ("new.py", "notes.md", "src/a.py")) == (found.plan, found.changed)
    assert ("plan", "python magic.py", True) == (
        found.breaches[0].gate,
        found.breaches[0].command,
        found.breaches[0].during,
    )
    with world.desk(write=False) as at:
        put_back(world.ports, at.location, [], dry_run=True)
        assert (world.top / "new.py").exists()
        put_back(world.ports, at.location, [], dry_run=False)
    assert "a = 1\n" == (world.top / "src" / "a.py").read_text()
    assert ("mine\n", False) == ((world.top / "notes.md").read_text(), (world.top / "new.py").exists())
    assert () == gate_state(world.ports, world.top).changed


def test_what_holds_the_same_is_no_change(world: Hooked) -> None:
    """A touch, and a file that is written again with what it held, change nothing."""
    planning(world)
    page = world.top / "src" / "a.py"
    os.utime(page, (1, 1))
    assert SILENCE == behind(world, "touch")
    text = page.read_text()
    page.unlink()
    page.write_text(text)
    assert SILENCE == behind(world, "rewrite")
    page.chmod(0o755)
    assert "its rights changed" in behind(world, "chmod").context


def test_what_git_ignores_is_nobodys_work(world: Hooked) -> None:
    """A test run that passes leaves caches."""
    (world.top / ".gitignore").write_text(".cache/\n*.log\n")
    planning(world)
    (world.top / ".cache").mkdir()
    (world.top / ".cache" / "x").write_text("x")
    (world.top / "run.log").write_text("x")
    assert SILENCE == behind(world, "make test")


def test_a_commit_is_seen_as_well(world: Hooked) -> None:
    """Where the branch stands is a part of the work tree's state."""
    planning(world)
    world.repo.git("commit", "--allow-empty", "-qm", "sneaked in")
    assert "refs/heads" in behind(world, "python commit.py").context


def test_only_off_limits_files_are_watched_without_a_plan(world: Hooked) -> None:
    """All else is what sessions are for."""
    off_limits(world, "src/a.py")
    (world.top / "free.py").write_text("x\n")
    assert SILENCE == behind(world, "python free.py")
    (world.top / "src" / "a.py").write_text("a = 3\n")
    said = behind(world, "python edit.py")
    assert "they are off limits: src/a.py" in said.context
    assert "clew gate restore src/a.py" in said.message


def test_a_pattern_and_a_folder_that_are_off_limits(world: Hooked) -> None:
    """Also what did not exist yet."""
    off_limits(world, "vendor/*")
    off_limits(world, "*.lock")
    (world.top / "vendor").mkdir()
    (world.top / "vendor" / "x.js").write_text("x")
    (world.top / "web.lock").write_text("x")
    (world.top / "other.js").write_text("x")
    said = behind(world, "npm install")
    assert "vendor/x.js" in said.context and "web.lock" in said.context and "other.js" not in said.context


def test_what_changed_between_two_calls_is_not_the_tools(world: Hooked) -> None:
    """Somebody else, or something left running: told, and not laid at this command's door."""
    planning(world)
    (world.top / "src" / "a.py").write_text("a = 2\n")
    changed_ns = (world.top / "src" / "a.py").stat().st_ctime_ns
    said = behind(world, "ls", began_ns=changed_ns + 1_000_000_000)
    assert "Somebody else, or something that was left running" in said.context
    assert not gate_state(world.ports, world.top).breaches[0].during


def test_a_file_that_is_not_watched_is_nobodys_to_put_back(world: Hooked) -> None:
    """Of it nobody knows what it held: naming it must not take it away."""
    off_limits(world, "src/a.py")
    (world.top / "free.py").write_text("x\n")
    outside = world.top.parent / "mine.txt"
    outside.write_text("mine\n")
    with world.desk(write=False) as at:
        assert () == put_back(world.ports, at.location, ["free.py", str(outside), "../mine.txt"], dry_run=False)
    assert ("x\n", "mine\n") == ((world.top / "free.py").read_text(), outside.read_text())


def test_what_is_put_back_takes_nothing_with_it(world: Hooked) -> None:
    """What stood there is kept, whatever its size, and outlives the watch."""
    planning(world)
    large = "x" * (2 << 20)
    (world.top / "report.txt").write_text(large)
    (world.top / "src" / "a.py").write_text("a = 2\n")
    with world.desk(write=False) as at:
        put_back(world.ports, at.location, [], dry_run=False)
    plan(world, "plan.dropped")
    assert ["a = 2\n", large] == sorted(one.read_text() for one in (live(world) / "replaced").iterdir())


def test_links_and_large_files_that_are_committed_are_as_they_were(world: Hooked) -> None:
    """Nothing is told of them, and nothing is put in their place; a link that was changed is a link again."""
    (world.top / "large.bin").write_bytes(b"x" * (2 << 20))
    (world.top / "link").symlink_to("src/a.py")
    world.repo.git("add", "large.bin", "link")
    world.repo.git("commit", "-qm", "more")
    planning(world)
    assert () == gate_state(world.ports, world.top).changed
    (world.top / "link").unlink()
    (world.top / "link").write_text("no link\n")
    with world.desk(write=False) as at:
        put_back(world.ports, at.location, [], dry_run=False)
    assert "src/a.py" == str((world.top / "link").readlink())


def test_a_key_of_several_lines_in_what_changed_is_not_told(world: Hooked) -> None:
    """The signs of a diff and its cuts must not hide from the rules what a file holds."""
    (world.top / "id.pem").write_text("none\n")
    planning(world)
    body = [f"MIIEpAIBAAKCAQEA{number}x9Kq7Lm2Zt5Wb8Nc4Yd6Hs1Jp3Gr0TfVuEo" for number in range(4)]
    (world.top / "id.pem").write_text(
        "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *body, "-----END RSA PRIVATE KEY-----\n"])
    )
    key = "ghp_" + "a8F3kQ9zLm2Xw7Rt5Vb1Nc6Yd4Hs0Jp3Gq8T"
    (world.top / "src" / "a.py").write_text(f"{'x = 1; ' * 20}token = '{key}'\n")
    said = behind(world, "python keys.py")
    assert "id.pem" in said.context
    assert not any(line in said.context for line in body) and key[:12] not in said.context


def test_the_watch_ends_with_the_plan(world: Hooked) -> None:
    """What was kept goes with it."""
    planning(world)
    assert (live(world) / "watch").exists()
    plan(world, "plan.dropped")
    assert not (live(world) / "watch").exists() and not (live(world) / "kept").exists()
    (world.top / "src" / "a.py").write_text("a = 2\n")
    assert SILENCE == behind(world, "make")


def test_only_a_person_ends_it(world: Hooked) -> None:
    """An agent's word on a plan's approval leaves the gate as it is."""
    planning(world)
    for kind in ("plan.approved", "plan.dropped"):
        world.ports, person = world.as_agent, world.ports
        plan(world, kind)
        world.ports = person
        assert "plan" in json.loads((live(world) / "gates.json").read_bytes())
