"""Bills of sessions that the real clients recorded, and which rules files stood before them."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.audit.audit import read_session, rules_standing
from clew.app.intake.find import reader_for
from clew.core.audit.bill import bill_of
from clew.core.audit.contexts import Contexts
from tests.app.projects import World
from tests.app.worlds import ports

RECORDINGS = Path(__file__).parents[2] / "recordings"
SESSIONS = (
    "claude-code/2.1.330-compaction.jsonl",
    "claude-code/2.1.330-subagent.jsonl",
    "codex/0.169.0-code-mode.jsonl",
    "codex/0.169.0-compaction.jsonl",
    "codex/0.169.0-subagent.jsonl",
    "gemini/0.61.0-story.jsonl",
    "gemini/0.61.0-subagent.jsonl",
    "opencode/1.18.33-export.json",
)


def contexts(home: Path, name: str) -> Contexts:
    path = RECORDINGS / name
    made = ports(home)
    return read_session(made, path, reader_for(path, made.readers), lambda _: None).contexts


@pytest.mark.parametrize("name", SESSIONS)
def test_the_bill_of_a_recorded_session_adds_up(tmp_path: Path, name: str) -> None:
    """Each response once, and what the model called and was given is in it."""
    found = contexts(tmp_path, name)
    bill = bill_of(found.chains(), lambda _: None)
    assert bill.input_tokens > 0
    assert sum(one.carried for one in bill.entries) == pytest.approx(bill.input_tokens, abs=1)
    assert found.steps and any(one.piece.group == "calls" for one in bill.entries)
    assert any(one.piece.group == "prompts" for one in bill.entries)


def test_a_compaction_is_a_new_context(tmp_path: Path) -> None:
    """Given the recording of one, the main chain starts twice, and the summary is in the second."""
    for name in (SESSIONS[0], SESSIONS[3]):
        main = contexts(tmp_path, name).chains()[""]
        starts = [one for one in main if one.starts]
        assert 2 <= len(starts)
        assert any(piece.group == "summaries" for one in starts[1:] for piece in one.pieces)


def test_which_rules_files_stand_before_a_session(tmp_path: Path) -> None:
    """Those of the folder, of those above it up to the top, and the user's own; each client its own names."""
    world = World(tmp_path)
    for name in ("CLAUDE.md", "web/CLAUDE.md", ".claude/rules/a.md", "AGENTS.md", "GEMINI.md", "docs/CLAUDE.md"):
        world.repo.write(name, f"# {name}\n")
    for place in (".claude/CLAUDE.md", ".gemini/GEMINI.md"):
        path = world.home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# Mine\n")

    def names(client: str, cwd: Path) -> list[str]:
        return [one.name for one in rules_standing(world.ports, client, str(cwd))]

    assert ["CLAUDE.md", "web/CLAUDE.md", ".claude/rules/a.md", "~/.claude/CLAUDE.md"] == names(
        "claude-code", world.top / "web"
    )
    assert ["GEMINI.md", "~/.gemini/GEMINI.md"] == names("gemini", world.top)
    assert ["AGENTS.md"] == names("opencode", world.top)
    assert [] == names("codex", world.top) == names("claude-code", world.top / "none")


def test_rules_that_name_each_other_are_read_once(tmp_path: Path) -> None:
    """A repository can bring files that name each other as often as they like."""
    world = World(tmp_path)
    names = [f"r{number}.md" for number in range(40)]
    for name in ("CLAUDE.md", *names):
        world.repo.write(name, "# Rules\n\n" + "".join(f"@./{one}\n@../{world.top.name}/{one}\n" for one in names))
    found = rules_standing(world.ports, "claude-code", str(world.top))
    assert ["CLAUDE.md", *names] == [one.name for one in found]
