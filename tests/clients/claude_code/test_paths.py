"""Where sessions are looked for."""

from __future__ import annotations

from pathlib import Path

from clew.clients.claude_code.paths import ClaudeCodeLocator
from clew.clients.claude_code.spec import slug


def put(root: Path, project: str, *names: str) -> None:
    for name in names:
        path = root / "projects" / project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}\n")


def found(root: Path, folder: str) -> list[str]:
    return sorted(t.session for t in ClaudeCodeLocator(root).sessions_of(Path(folder)))


def test_every_character_but_letters_and_digits_becomes_a_dash() -> None:
    """Dots, underscores and letters of other scripts too; a wrong slug finds nothing and says nothing."""
    assert slug("/home/mira/my_app.v1-2") == "-home-mira-my-app-v1-2"
    assert slug("/srv/café/é") == "-srv-caf---"
    assert slug("/🌊/日x") == "-----x"


def test_sessions_of_a_folder_and_of_those_below_it(tmp_path: Path) -> None:
    """Work in a sub-folder or a worktree below belongs to the project; a neighbour with a longer name does not."""
    put(tmp_path, "-home-mira-app", "one.jsonl", "agent-a1.jsonl", "notes.txt", "one/subagents/agent-b.jsonl")
    put(tmp_path, "-home-mira-app-web", "two.jsonl")
    put(tmp_path, "-home-mira-apple", "three.jsonl")
    put(tmp_path, "-home-mira", "four.jsonl")
    assert found(tmp_path, "/home/mira/app") == ["one", "two"]
    assert found(tmp_path, "/home/mira/app/") == ["one", "two"]
    assert found(tmp_path, "/home/mira") == ["four", "one", "three", "two"]


def test_a_long_path_is_found_by_the_part_that_the_client_keeps(tmp_path: Path) -> None:
    """Over 200 characters the client cuts and adds a hash; without this, deep folders have no memory."""
    folder = "/home/mira/" + "deep/" * 60 + "app"
    put(tmp_path, slug(folder)[:200] + "-on930v", "one.jsonl")
    put(tmp_path, slug(folder)[:199] + "x-on930v", "two.jsonl")
    assert found(tmp_path, folder) == ["one"]


def test_a_short_folder_finds_runs_in_its_deep_sub_folders(tmp_path: Path) -> None:
    """The cut keeps the beginning, which is what is compared."""
    put(tmp_path, slug("/home/mira/app/" + "deep/" * 60)[:200] + "-1x2y3z", "one.jsonl")
    assert found(tmp_path, "/home/mira/app") == ["one"]


def test_a_missing_root_has_no_sessions(tmp_path: Path) -> None:
    """A machine without the client is no error."""
    assert found(tmp_path / "nowhere", "/home/mira/app") == []
