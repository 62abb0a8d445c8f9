"""Rules files linted in a real repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.app.audit.rules_lint import Rules, is_rules_file, linted_rules
from tests.app.worlds import ports
from tests.workspace.repos import Repo

RULES = """\
# Rules

- Never commit secrets.
- Read `src/a.py` and `src/lost.py` first.

## Checks

```sh
npm run test
npm run missing
make test
make nothing
just fmt
just nope
python scripts/lost.py
./scripts/run.sh
```
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "tide")
    made.write("src/a.py", "a = 1\n")
    made.write("scripts/run.sh", "true\n")
    made.write("package.json", json.dumps({"scripts": {"test": "vitest"}}))
    made.write("Makefile", "SRC := src\n.PHONY: test\ntest: build\n\tpytest\nbuild:\n\ttrue\n")
    made.write("justfile", "alias f := fmt\n\nfmt *ARGS:\n    ruff format\n")
    return made


def linted(repo: Repo, *names: str, **asked: object) -> Rules:
    home = repo.top.parent / "home"
    home.mkdir(exist_ok=True)
    return linted_rules(ports(home), repo.top, names, **asked)  # type: ignore[arg-type]


def told(found: Rules) -> list[tuple[str, str]]:
    return [(each.rule, each.message) for one in found.files for each in one.findings]


def test_what_is_dead(repo: Repo) -> None:
    """Given rules that name what is there and what is not, each dead thing is told once."""
    repo.write("AGENTS.md", RULES)
    found = linted(repo)
    assert [
        ("dead-path", "src/lost.py does not exist"),
        ("dead-command", "no package.json has the script missing"),
        ("dead-command", "make has no target nothing"),
        ("dead-command", "just has no recipe nope"),
        ("dead-command", "scripts/lost.py does not exist"),
    ] == told(found)
    assert ("AGENTS.md", True) == (found.files[0].file, found.files[0].tokens > 50)


def test_where_nobody_can_list_the_targets_the_rule_is_silent(repo: Repo) -> None:
    """A Makefile that includes others, or has pattern rules, may make anything."""
    repo.write("AGENTS.md", RULES)
    repo.write("Makefile", "include more.mk\ntest:\n\ttrue\n")
    repo.write("justfile", "import 'more.just'\nfmt:\n    true\n")
    repo.write("scripts/lost.py", "")
    assert ["no package.json has the script missing"] == [
        said for rule, said in told(linted(repo)) if rule == "dead-command"
    ]


def test_all_rules_files_of_a_project_are_found(repo: Repo) -> None:
    """By name, wherever they lie; a file that was deleted and not committed is none."""
    for name in (
        "CLAUDE.md",
        "web/AGENTS.md",
        ".cursor/rules/style.mdc",
        ".github/copilot-instructions.md",
        "GEMINI.md",
    ):
        repo.write(name, "# Rules\n\n- Never push.\n")
    repo.write("docs/gemini.md", "about a client")
    repo.commit("rules")
    (repo.top / "GEMINI.md").unlink()
    names = [one.file for one in linted(repo).files]
    assert [".cursor/rules/style.mdc", ".github/copilot-instructions.md", "CLAUDE.md", "web/AGENTS.md"] == names
    assert is_rules_file("a/.claude/rules/x.md") and not is_rules_file("rules/x.md")


def test_what_git_ignores_is_sent_all_the_same(repo: Repo) -> None:
    """A file of one's own, and a folder for rules that is ignored whole; not what lies in folders of packages."""
    repo.write(".gitignore", "CLAUDE.local.md\n.claude/\nnode_modules/\n")
    for name in ("CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/own.md", "node_modules/x/CLAUDE.md"):
        repo.write(name, "# Rules\n\nSee `src/lost.py`.\n")
    repo.commit("ignored")
    found = linted(repo)
    assert [one.file for one in found.files] == [".claude/CLAUDE.md", ".claude/rules/own.md", "CLAUDE.local.md"]
    assert [rule for rule, _ in told(found)] == ["dead-path"] * 3


def test_a_link_is_the_file_that_it_leads_to(repo: Repo) -> None:
    repo.write("AGENTS.md", "# Rules\n\nNever edit `src/lost.py`.\n\n@docs/none.md\n")
    (repo.top / "CLAUDE.md").symlink_to("AGENTS.md")
    repo.commit("a link")
    found = linted(repo)
    assert [one.file for one in found.files] == ["AGENTS.md"]
    assert [rule for rule, _ in told(found)] == ["dead-path", "dead-import"]


def test_what_is_imported_is_part_of_the_rules(repo: Repo) -> None:
    """It counts to their length once, however files name each other, and what is dead in it is told."""
    repo.write("CLAUDE.md", "# Rules\n\nNever push.\n\nRun `make test`.\n\n@docs/a.md\n")
    repo.write("docs/a.md", "Tides come and go.\n\n@b.md\n\n@gone.md\n")
    repo.write("docs/b.md", "@a.md\n\n" + "A wave has a height and a length of its own.\n" * 300)
    repo.commit("imports")
    found = linted(repo)
    assert [one.file for one in found.files] == ["CLAUDE.md", "docs/a.md", "docs/b.md"]
    rules = {one.file: [each.rule for each in one.findings] for one in found.files}
    assert rules["docs/a.md"] == ["dead-import"] and "too-long" in rules["CLAUDE.md"]
    (long,) = (said for rule, said in told(found) if rule == "too-long")
    assert "imported (docs/a.md, docs/b.md)" in long
    assert "too-long" not in {rule for rule, _ in told(linted(repo, budget_tokens=100_000))}


def test_a_file_that_cannot_be_read_stops_no_other(repo: Repo) -> None:
    """It has its problem."""
    repo.write("AGENTS.md", RULES)
    first, second = linted(repo, "nothing.md", "AGENTS.md").files
    assert first.error is not None and first.error.code
    assert second.error is None and second.findings


def test_outside_of_a_repository_paths_are_not_looked_up(tmp_path: Path) -> None:
    """What can be told without a tree is told."""
    folder = tmp_path / "tide"
    folder.mkdir()
    (folder / "AGENTS.md").write_text(RULES + "\n" + "word " * 3_000)
    made = linted_rules(ports(tmp_path)._replace(environment={"PATH": "/nowhere"}), folder, ())
    assert {"too-long"} == {rule for rule, _ in told(made)}
    assert any("Outside of a git repository" in note for note in made.notes)
