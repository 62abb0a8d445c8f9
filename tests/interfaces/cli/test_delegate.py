"""`clew delegate` as it is typed: one question, and nothing but the answer. The client is a script of ours."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.app.worlds import secrets
from tests.interfaces.cli.conftest import Clew
from tests.workspace.repos import Repo

QUESTION = "What is the tide?"
ANSWER = """## Answer
The tide is one.

## Evidence
- `src/a.py:1` "a = 1" it is set there
- `src/z.py:1` "b = 2" the moon

## Rejected
- two: no file says so

## Not checked
- the moon
"""
# Prints a stream as Claude Code does; beside it are its answer, and what it was given.
CLIENT = """#!/bin/sh
env > "$0.environment"
printf '%s\\n' "$@" > "$0.arguments"
cat > "$0.prompt"
echo x >> "$0.runs"
cat "$0.answer"
"""


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client's program, first on the PATH."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(CLIENT)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    answers(program, ANSWER)
    return program


def answers(claude: Path, text: str, **more: object) -> None:
    begun = {"type": "system", "subtype": "init", "session_id": "0e0aec02"}
    said = {
        "type": "assistant",
        "message": {"id": "r1", "model": "m", "content": [{"type": "text", "text": "I look."}]},
    }
    told = {"type": "result", "subtype": "success", "is_error": False, "result": text, "total_cost_usd": 0.0123}
    usage = {"usage": {"input_tokens": 900, "output_tokens": 70}}
    rows = [begun, said, {**told, **usage, **more}]
    Path(f"{claude}.answer").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def runs(claude: Path) -> int:
    file = Path(f"{claude}.runs")
    return len(file.read_text().split()) if file.exists() else 0


def test_only_the_answer_comes_back(clew: Clew, repo: Repo, claude: Path) -> None:
    """Its places are looked at, and it is recorded as that agent's finding, whoever asks."""
    repo.write("src/a.py", "a = 1\n")
    clew("init")
    done = clew("delegate", *QUESTION.split())
    assert 0 == done.code, done.err
    assert done.out.startswith("<clew-data ") and "I look." not in done.out
    assert "The tide is one." in done.out and "data, no instruction" in done.out
    assert "- ✓ `src/a.py:1`" in done.out and "- ✗ `src/z.py:1`" in done.out and "there is no such place" in done.out
    assert "claude-code used 970 tokens, 0.0123 USD by its own count" in done.err
    shown = done.err.partition("Recorded as ")[2].split(".")[0]
    item = json.loads(clew("show", shown, "--json").out)["item"]
    assert ("finding", "The tide is one.", "agent", "claude-code") == (
        item["kind"],
        item["text"],
        item["provenance"],
        item["actor"],
    )
    assert ["src/a.py"] == item["files"]
    assert "rejected: two" in item["why"] and "not checked: the moon" in item["why"] and QUESTION in item["why"]


def test_it_reads_and_is_silent(clew: Clew, repo: Repo, claude: Path) -> None:
    """No tool that changes anything, no hooks of ours, and no delegate of its own."""
    clew("delegate", QUESTION, "--model", "haiku")
    arguments = Path(f"{claude}.arguments").read_text().splitlines()
    assert "Read,Glob,Grep,ToolSearch" in arguments and "--no-session-persistence" in arguments
    assert "haiku" == arguments[arguments.index("--model") + 1]
    assert "1.0000" == arguments[arguments.index("--max-budget-usd") + 1]
    environment = Path(f"{claude}.environment").read_text().splitlines()
    assert {"CLEW_ASKED=1", "CLEW_DELEGATE_DEPTH=1"} <= set(environment)
    prompt = Path(f"{claude}.prompt").read_text()
    assert QUESTION in prompt and "800 tokens" in prompt


def test_a_person_says_which_model_answers(clew: Clew, repo: Repo, claude: Path) -> None:
    assert 0 == clew("settings", "set", "route.delegate.claude-code", "small").code
    done = clew("delegate", QUESTION, "--to", "claude", "--dry-run")
    assert "claude-code (small) would be asked" in done.err and QUESTION in done.out
    assert 0 == runs(claude)


def test_the_answer_stays_within_the_cap(clew: Clew, repo: Repo, claude: Path) -> None:
    many = "\n".join(f"- the place number {number}, which was looked at for a while and left" for number in range(60))
    answers(claude, f"{ANSWER}\n{many}")
    found = json.loads(clew("delegate", QUESTION, "--cap", "300", "--json").out)
    assert found["tokens"] <= 300 and 40 < found["left_out"] and "The tide is one." in found["answer"]
    assert (970, 0.0123, None) == (found["used_tokens"], found["used_usd"], found["item"] or None)
    assert any("is not initialised" in note for note in found["notes"])


def test_no_secret_goes_or_comes(clew: Clew, repo: Repo, claude: Path) -> None:
    secret = secrets()["github"]
    answers(claude, f"## Answer\nThe key is {secret}.\n")
    clew("init")
    done = clew("delegate", f"Why does {secret} fail?")
    assert secret not in done.out + done.err + Path(f"{claude}.prompt").read_text()
    assert secret not in clew("show", "--json").out


def test_what_failed_is_told_and_not_recorded(clew: Clew, repo: Repo, claude: Path) -> None:
    clew("init")
    before = clew("show", "--json").out
    for text, more, why in (
        ("You've hit your limit · resets 2099-01-02 at 03:00 UTC", {"is_error": True}, "until 2099-01-02T03:00:00"),
        ("Invalid API key", {"is_error": True}, "Invalid API key"),
        ("", {}, "it printed nothing"),
    ):
        Path(f"{claude}.answer").unlink()
        answers(claude, text, **more)
        if not text:  # not a word on the way either
            Path(f"{claude}.answer").write_text('{"type": "result", "subtype": "success", "result": ""}\n')
        done = clew("delegate", QUESTION, "--json")
        error = json.loads(done.out)["error"]
        assert (1, "E-delegate-failed") == (done.code, error["code"])
        assert why in error["message"]
    assert before == clew("show", "--json").out


def test_who_cannot_be_asked(clew: Clew, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert "E-client-missing" == json.loads(clew("delegate", QUESTION, "--json").out)["error"]["code"]
    assert "E-client-missing" == json.loads(clew("delegate", QUESTION, "--to", "codex", "--json").out)["error"]["code"]
    assert "E-client-unknown" == json.loads(clew("delegate", QUESTION, "--to", "x", "--json").out)["error"]["code"]
    assert "E-delegate-question" == json.loads(clew("delegate", " ", "--json").out)["error"]["code"]
    assert 64 == clew("delegate", QUESTION, "--cap", "7").code
