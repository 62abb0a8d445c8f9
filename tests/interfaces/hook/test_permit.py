"""The hook of one run: what begins as it may, and what only reads; nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = "/home/dev/till"


def asked(event: object, *more: str, mode: str = "edit", raw: str | None = None) -> str:
    """The reason for which a tool is denied, "" if it may run."""
    done = subprocess.run(
        [sys.executable, "-E", "-P", "-m", "clew.interfaces.hook.permit", ROOT, mode, *more],
        input=json.dumps(event) if raw is None else raw,
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    )
    assert "" == done.stderr
    if not done.stdout:
        return ""
    told = json.loads(done.stdout)["hookSpecificOutput"]
    assert ("PreToolUse", "deny") == (told["hookEventName"], told["permissionDecision"])
    return str(told["permissionDecisionReason"])


def line(command: str, cwd: str = ROOT) -> dict[str, object]:
    return {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": cwd}


BEGINNINGS = ("python3 -m pytest", "make test")


@pytest.mark.parametrize(
    "command", ["make test", "cat a.py | head -5", "git log --oneline && python3 -m pytest", "cd sub && make test"]
)
def test_what_may_run_runs(command: str) -> None:
    assert "" == asked(line(command), *BEGINNINGS)


@pytest.mark.parametrize(
    "command",
    [
        "make",
        "python3 -m pytest && touch both.txt",
        "python3 -m pytest $(touch made.txt)",
        "python3 -m pytest > made.txt",
        "cd / && make test",
        "sh -c 'make test; rm -rf x'",
        "apply_patch <<'EOF'\n*** Begin Patch\nEOF",
    ],
)
def test_what_may_not_run_does_not(command: str) -> None:
    assert "not allowed in this run" in asked(line(command), *BEGINNINGS)


def test_edits_and_servers_are_asked_about() -> None:
    patch = {"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch"}}
    assert "" == asked(patch)
    assert "changes no file" in asked(patch, mode="read")
    tool = {"tool_name": "mcp__clew__record", "tool_input": {}}
    assert "the server clew is not allowed" in asked(tool)


@pytest.mark.parametrize(
    "raw", ["", "[]", "{", "null", '{"tool_name": "Bash"}', '{"tool_name": "Bash", "tool_input": {}}']
)
def test_what_cannot_be_read_is_denied(raw: str) -> None:
    assert asked(None, raw=raw)
