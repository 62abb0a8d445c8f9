"""`clew stack`: as it is typed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyperclip
import pytest

from clew import wiring
from clew.app.stack.gather import StackTools
from clew.core.text.tokens import ESTIMATED
from tests.app.worlds import secrets
from tests.interfaces.cli.conftest import Clew, Desk, Ran
from tests.workspace.repos import Repo


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same counts on every machine, and no engine that takes seconds to be made for a new user."""
    monkeypatch.setattr(wiring, "stacks", lambda: StackTools(ESTIMATED, tmp_path / "snippets"))
    monkeypatch.setattr(wiring, "_deep_engine", lambda _: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def stack(clew: Clew, repo: Repo) -> Clew:
    """A stack `tide` with two sources."""
    assert 0 == clew("stack", "new", "tide", "--title", "The tide").code
    assert 0 == clew("stack", "add", "tide", "files", "README.md", "src/*.py", "--budget", "400").code
    assert 0 == clew("stack", "add", "tide", "git-log", "--key", "count=3", "--name", "lately").code
    return clew


def test_a_stack_is_begun_filled_and_emptied(stack: Clew, repo: Repo) -> None:
    """Sources go by number or name."""
    shown = json.loads(stack("stack", "show", "tide", "--json").out)
    assert ["files README.md, src/*.py", "lately"] == [one["name"] for one in shown["sources"]]
    assert {"kind": "git-log", "count": 3, "name": "lately"} == shown["sources"][1]["table"]
    assert "1  -  at most 400, head  files README.md, src/*.py\n" in stack("stack", "show", "tide").out
    assert "1 source left" in stack("stack", "remove", "tide", "lately").out
    assert "E-stack-source" in stack("stack", "remove", "tide", "9").err
    listed = json.loads(stack("stack", "list", "--json").out)["stacks"]
    assert [("tide", "The tide", 1, None)] == [(x["name"], x["title"], x["sources"], x["tokens"]) for x in listed]
    (repo.top / ".clew/stacks/bad.toml").write_text("titel = 3\n")
    assert "bad   cannot be used" in stack("stack", "list").out


def test_a_build_prints_the_text_and_reports_aside(stack: Clew) -> None:
    """What a pipe reads is the text alone."""
    found = stack("stack", "build", "tide")
    assert 0 == found.code
    assert found.out.startswith("<clew-data ") and "# Stack: The tide" in found.out
    assert "files README.md, src/*.py" in found.err
    assert "of 20,000 tokens (o200k, estimated); looked for secrets: clew." in found.err
    assert found.out == stack("stack", "replay", "tide").out
    assert "tokens, 2" in stack("stack", "list").out
    assert "same     lately" in stack("stack", "diff", "tide").out


def test_json_tells_all_of_it(stack: Clew, repo: Repo) -> None:
    """Also beside a file, and of a dry run."""
    told = json.loads(stack("stack", "build", "tide", "--json").out)
    assert ["files README.md, src/*.py", "lately"] == [one["name"] for one in told["sources"]]
    assert ["README.md", "src/a.py", "src/b.py"] == told["sources"][0]["parts"]
    again = json.loads(stack("stack", "replay", "tide", "--json").out)
    assert (told["text"], told["sha256"], told["tokens"]) == (again["text"], again["sha256"], again["tokens"])
    dry = json.loads(stack("stack", "build", "tide", "--dry-run", "--json").out)
    assert (True, "", told["tokens"]) == (dry["dry_run"], dry["text"], dry["tokens"])
    assert told["text"] == _written(stack, repo, "build", "tide", "--json", "-o", "out.md")
    repo.write("src/c.py", "c = 1\n")
    rows = json.loads(stack("stack", "diff", "tide", "--json").out)["sources"]
    assert ["src/c.py"] == rows[0]["added"]


def _written(stack: Clew, repo: Repo, *arguments: str) -> str:
    assert 0 == stack("stack", *arguments).code
    return (repo.top / "out.md").read_text(encoding="utf-8")


def test_the_ways_out(stack: Clew, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """One at a time: file, clipboard, a client."""
    copied: list[str] = []
    monkeypatch.setattr(pyperclip, "copy", copied.append)
    text = stack("stack", "build", "tide").out
    assert text == _written(stack, repo, "build", "tide", "-o", "out.md")
    assert text == _written(stack, repo, "replay", "tide", "-o", "out.md")
    assert "Copied: " in stack("stack", "build", "tide", "--copy").err
    assert [text] == copied
    assert "E-client-unknown" in stack("stack", "build", "tide", "--launch", "nobody").err
    assert 64 == stack("stack", "build", "tide", "--copy", "-o", "x").code
    assert 64 == stack("stack", "build", "tide", "--dry-run", "--copy").code
    assert 64 == stack("stack", "build", "tide", "--set", "x").code
    assert "E-stack-write" in stack("stack", "build", "tide", "-o", "README.md/x").err


def test_a_source_that_fails_has_an_exit_code_of_its_own(stack: Clew) -> None:
    """The text is there all the same."""
    stack("stack", "add", "tide", "command", "echo hi")
    found = stack("stack", "build", "tide")
    assert 3 == found.code
    assert "Missing: command echo hi" in found.out
    assert "[E-source-untrusted]" in found.err
    assert 3 == stack("stack", "build", "tide", "--json").code


def test_no_secret_leaves_by_any_way(stack: Clew, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is printed, written or copied."""
    copied: list[str] = []
    monkeypatch.setattr(pyperclip, "copy", copied.append)
    repo.write("src/k.py", f"K = '{secrets()['stripe']}'\n")
    for way in ((), ("--copy",), ("-o", "out.md"), ("--json",), ("--launch", "claude"), ("--dry-run",)):
        found = stack("stack", "build", "tide", *way)
        assert (1, True) == (found.code, "E-egress-secret" in found.err)
        assert secrets()["stripe"] not in found.out + found.err
    assert [] == copied
    assert not (repo.top / "out.md").exists()
    assert "E-stack-lock" in stack("stack", "replay", "tide").err


def test_a_tasks_stack_stands_before_its_payload(desk: Desk) -> None:
    """Within one budget, unless somebody does without."""
    desk.ada("stack", "new", "tide")
    desk.ada("stack", "add", "tide", "files", "src")
    desk.ada("task", "new", "Tame the tide")
    desk.ada("note", "goal", "Make the tide ten")
    assert "stands before the payload" in desk.ada("stack", "use", "tide").out
    found = desk.ada("resume")
    assert found.out.index("# Stack: tide") < found.out.index("Make the tide ten")
    assert 2 == found.out.count("<clew-data ")
    assert "The stack tide stands before it" in found.err
    both = json.loads(desk.ada("resume", "--budget", "500", "--json").out)
    assert "# Stack: tide" in both["text"] and both["tokens"] <= 500
    assert "# Stack" not in desk.ada("resume", "--no-stack").out
    assert "# Stack" not in desk.ada("resume", "--profile", "handoff").out
    assert "tide" in desk.ada("log").out
    desk.ada("stack", "use", "--none")
    assert "# Stack" not in desk.ada("resume").out
    assert 64 == desk.ada("stack", "use").code


def test_a_stack_is_edited_and_kept_only_if_it_can_be_used(
    stack: Clew, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slip of the hand in the editor costs nothing; what is saved is the file, to the byte."""

    def edit(text: str) -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return stack("stack", "edit", "tide", "-")

    file = repo.top / ".clew/stacks/tide.toml"
    before = file.read_text()
    broken = edit(before + "[[source]]\nkind = 'nothing'\n")
    assert broken.code and "E-" in broken.err and before == file.read_text()
    after = before.replace('name = "lately"\n', 'name = "lately"\nbudget = 77\n')
    assert "Saved the stack tide: 2 sources" in edit(after).out
    assert after == file.read_text()
    assert "Nothing was changed" in edit(after).err
    assert "no terminal to edit in" in stack("stack", "edit", "tide").err
    assert "E-stack-missing" in stack("stack", "edit", "nowhere", "-").err
