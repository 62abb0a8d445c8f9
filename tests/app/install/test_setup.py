"""`clew init` as a whole: project, opt-in and clients, or nothing of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clew import wiring
from clew.app.install.entries import Machine
from clew.app.install.setup import Choices, SetUp, set_up
from clew.app.install.uninstall import uninstall
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import all_lives
from clew.core.errors import InputError
from tests.app.projects import PERSON, World
from tests.app.worlds import snapshot


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path, ledger=False)
    (made.home / ".claude").mkdir()
    return made


def machine(world: World) -> Machine:
    return wiring.machine({"HOME": str(world.home)})._replace(python="/opt/clew/bin/python")


def started(world: World, choices: Choices = Choices(), *, dry_run: bool = False, client: bool = False) -> SetUp:  # noqa: B008
    installers = wiring.installers({"HOME": str(world.home)})
    return set_up(
        ProjectHandle(world.ports, world.top, dry_run=dry_run),
        machine(world),
        installers,
        choices,
        find_program=lambda name: "/usr/bin/" + name if name == "clew" or (client and name == "claude") else None,
    )


def test_a_project_a_place_and_hooks(world: World) -> None:
    """After one command every session there is seen."""
    done = started(world)
    assert (done.clients, done.notes) == (("claude-code",), ())
    (live,) = all_lives(machine(world).data)
    assert done.live == live
    assert (live / "root").read_text() == str(world.top)
    assert (live / "gates.json").is_file()
    assert "clewhook" in (world.home / ".claude/settings.json").read_text()
    assert world.repo.git("status", "--porcelain") == ""
    again = started(world)
    assert (again.live, [one.changes for one in again.installed], again.project.made) == (None, [()], ())


def test_settings_that_cannot_be_used_stop_it_before_anything_is_made(world: World) -> None:
    """Half an installation is worse than an error."""
    (world.home / ".claude/settings.json").write_text("{")
    before = snapshot(world.home, world.top)
    with pytest.raises(InputError) as refused:
        started(world)
    assert refused.value.code == "E-client-settings"
    assert snapshot(world.home, world.top) == before


def test_no_client_on_the_machine_is_said(world: World) -> None:
    """The place opts in all the same: a client may come."""
    (world.home / ".claude").rmdir()
    done = started(world)
    assert (done.clients, done.live is not None) == ((), True)
    assert "No client was found" in done.notes[0]
    assert not (world.home / ".claude").exists()
    assert started(world, client=True).clients == ("claude-code",)


def test_a_project_scope_puts_texts_into_the_repository_and_says_what_it_does_not(world: World) -> None:
    """What names a place on one machine is of no use to the others."""
    done = started(world, Choices(scope="project"))
    assert (world.top / ".claude/commands/clew-resume.md").is_file()
    assert not (world.top / ".claude/settings.json").exists()
    assert list((world.home / ".claude").iterdir()) == []
    assert any("one machine" in note for note in done.notes)


def test_texts_that_the_team_has_in_git_stay(world: World) -> None:
    """One person's uninstalling must not delete what everybody has."""
    started(world, Choices(scope="project"))
    world.repo.git("add", "-A")
    world.repo.git("commit", "-qm", "Texts")
    world.repo.git("rm", "-q", "--cached", ".claude/commands/clew-plan.md")
    world.repo.git("commit", "-qm", "But one")
    environment = {"PATH": os.environ["PATH"], "HOME": str(world.home)}
    rehearsed = uninstall(machine(world), (), said=PERSON, dry_run=True, environment=environment)
    done = uninstall(machine(world), (), said=PERSON, environment=environment)
    assert rehearsed.stay == done.stay
    assert len(done.stay) == 6 and all("is in a commit; it stays" in one for one in done.stay)
    assert (world.top / ".claude/skills/clew/SKILL.md").is_file()
    assert not (world.top / ".claude/commands/clew-plan.md").exists()


def test_an_interpreter_that_will_not_last_is_said(world: World) -> None:
    """`uvx clew init` installs hooks whose interpreter the next cleaning takes away."""
    done = set_up(
        ProjectHandle(world.ports, world.top),
        machine(world)._replace(python=str(world.home / ".cache/uv/archive-v0/x/bin/python")),
        wiring.installers({"HOME": str(world.home)}),
        Choices(),
        find_program=lambda _: None,
    )
    assert "is in a temporary place" in done.notes[0]
    assert "not on your PATH" in done.notes[1]


def test_every_client_that_is_there_gets_its_own(world: World) -> None:
    """Given the folders of two clients, both get hooks with one command, and both lose them with one."""
    (world.home / ".gemini").mkdir()
    done = started(world)
    assert done.clients == ("claude-code", "gemini")
    settings = (world.home / ".claude/settings.json", world.home / ".gemini/settings.json")
    assert all(json.loads(path.read_text())["hooks"] for path in settings)
    assert uninstall(machine(world), (), said=PERSON).failed == ()
    assert not any(path.exists() for path in settings)


def test_the_published_plugin_is_seen_and_not_doubled(world: World) -> None:
    """Given a client in which the plugin of the marketplace is on, `clew init` adds the hooks, which it has not, and
    neither commands nor tools; switched off it counts for nothing.
    """
    settings, servers = world.home / ".claude/settings.json", world.home / ".claude.json"
    settings.write_text('{"enabledPlugins": {"clew@clew": true}}')
    done = started(world)
    assert "clewhook" in settings.read_text()
    assert not (world.home / ".claude/commands").exists()
    assert not servers.exists()
    assert "/clew:resume" in done.commands
    assert [note for note in done.notes if note.startswith("The plugin `clew` of claude-code has the commands")]

    settings.write_text(settings.read_text().replace('"clew@clew": true', '"clew@clew": false'))
    assert "/clew-resume" in started(world).commands
    assert (world.home / ".claude/commands/clew-resume.md").is_file()
    assert "clew" in json.loads(servers.read_text())["mcpServers"]

    settings.write_text(settings.read_text().replace('"clew@clew": false', '"clew@clew": true'))
    started(world)
    assert "mcpServers" not in json.loads(servers.read_text() if servers.exists() else "{}")


@pytest.mark.parametrize(
    ("client", "file", "text"),
    [
        ("codex", ".codex/config.toml", '[plugins."clew@clew"]\nenabled = true\n'),
        ("gemini", ".gemini/extensions/clew/gemini-extension.json", "{}"),
    ],
)
def test_each_client_says_so_in_its_own_way(world: World, client: str, file: str, text: str) -> None:
    """Hooks alone go into the settings, by the file in which that client notes an installed plugin."""
    path = world.home / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (one,) = started(world, Choices(clients=(client,))).installed
    assert {change.path.name for change in one.changes} <= {"hooks.json", "settings.json"}
    assert "mcp" not in "".join(path.read_text() for path in world.home.glob(".*/*.[jt]*"))
