"""Rules proposed for a project: what its files tell, what persons said, and nothing that exists already."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.audit.rules_init import propose_rules
from clew.app.audit.rules_lint import linted_rules
from clew.core.errors import NotAllowed
from tests.app.projects import World, state_item


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.repo.write("package.json", json.dumps({"scripts": {"test": "vitest run", "lint": "eslint ."}}))
    made.repo.write("pnpm-lock.yaml", "")
    made.repo.write("tests/test_a.py", "")
    made.repo.write(".prettierrc", "{}")
    return made


def test_a_new_file_in_the_order_that_helps(world: World) -> None:
    """Given no rules file, AGENTS.md is proposed: constraints, changes, this project's checks, style."""
    with world.desk() as at:
        state_item(at, "constraint", "Never round a price down")
    found = propose_rules(world.by_person, write=False)
    assert (world.top / "AGENTS.md", False) == (found.file, found.written)
    assert ("Hard constraints", "How changes are made", "Checks", "Style") == found.added
    lines = [line[1:] for line in found.diff.split("\n") if line.startswith("+") and not line.startswith("+++")]
    told = "\n".join(lines)
    assert told.index("- Never round a price down") < told.index("- Never weaken") < told.index("`tests/`")
    assert told.index("`tests/`") < told.index("pnpm test\npnpm run lint") < told.index("`prettier`")
    assert "`pnpm-lock.yaml`" in told
    assert not (world.top / "AGENTS.md").exists()
    assert any("@AGENTS.md" in note for note in found.notes)


def test_it_is_written_for_a_person_only_and_passes_its_own_lint(world: World) -> None:
    """An agent is refused and nothing is written; twice is once."""
    with pytest.raises(NotAllowed, match="write rules for agents"):
        propose_rules(world.by_agent, write=True)
    assert not (world.top / "AGENTS.md").exists()
    assert propose_rules(world.by_person, write=True).written
    assert [] == [each for one in linted_rules(world.ports, world.top, ()).files for each in one.findings]
    again = propose_rules(world.by_person, write=True)
    assert ("", (), False) == (again.diff, again.added, again.written)


def test_of_a_file_that_is_there_only_what_it_lacks(world: World) -> None:
    """Hard constraints go in front of its first section, the rest behind; no line of it is changed."""
    source = "# Tide\r\n\r\nAn app.\r\n\r\n## Style\r\n\r\n- Use tabs, never spaces.\r\n"
    path = world.top / "CLAUDE.md"
    path.write_bytes(source.encode())
    found = propose_rules(world.by_person, write=True)
    assert (path, True) == (found.file, found.written)
    assert ("Hard constraints", "How changes are made", "Checks") == found.added
    after = path.read_bytes().decode()
    assert after.replace("\r\n", "").count("\n") == 0
    assert (
        after.index("An app.") < after.index("## Hard constraints") < after.index("## Style") < after.index("## Checks")
    )
    assert all(line in after.split("\r\n") for line in source.split("\r\n"))
    assert not any(line.startswith("-") and not line.startswith("---") for line in found.diff.split("\n"))


def test_a_file_without_sections(world: World) -> None:
    """A heading of ours is not glued to its last line."""
    (world.top / "AGENTS.md").write_text("# Tide\n\n- Use tabs.\n")
    propose_rules(world.by_person, write=True)
    text = (world.top / "AGENTS.md").read_text()
    assert text.startswith("# Tide\n\n- Use tabs.\n\n## Hard constraints\n\n- ") and "\n\n\n" not in text


def test_a_file_that_only_points_at_another_is_followed(world: World) -> None:
    """But not out of the project."""
    (world.top / "CLAUDE.md").write_text("@AGENTS.md\n")
    assert world.top / "AGENTS.md" == propose_rules(world.by_person, write=False).file
    (world.top / "CLAUDE.md").write_text("@../AGENTS.md\n")
    assert world.top / "CLAUDE.md" == propose_rules(world.by_person, write=False).file


def test_a_project_without_checks(tmp_path: Path) -> None:
    """Nothing is made up."""
    world = World(tmp_path, ledger=False)
    found = propose_rules(world.by_person, write=False)
    assert "Checks" not in found.added
    assert any("No command was found" in note for note in found.notes)
