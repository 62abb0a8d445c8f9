"""Commands that fail: noted behind the tool, named before the third try."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.interfaces.hook.hooks import SILENCE, Hooks, called, installed
from tests.interfaces.hook.test_before import ask, rule

OUTPUT = (
    "Exit code 1\nE       assert 3 == 4\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed in 0.{}s\n"
)


@pytest.fixture
def hooks(tmp_path: Any) -> Hooks:
    made = installed(tmp_path)
    rule(made, repeat="warn")
    return made


def fails(hooks: Hooks, command: str, output: str = OUTPUT) -> None:
    event = called(hooks, "Bash", {"command": command}, error=output, is_interrupt=False)
    assert SILENCE == hooks.run("PostToolUseFailure", event)


def ran(hooks: Hooks, tool: str, given: Mapping[str, Any], **more: Any) -> None:
    assert SILENCE == hooks.run("PostToolUse", called(hooks, tool, given, **more))


def test_the_third_try_is_named_before_it_runs(hooks: Hooks) -> None:
    """In other words, behind a pipe; and it is not named once something else was changed."""
    page = hooks.project / "cart.py"
    page.write_text("x")
    fails(hooks, "pytest -q")
    assert {} == ask(hooks, "Bash", {"command": "pytest -q"})
    ran(hooks, "Edit", {"file_path": str(page), "old_string": "x", "new_string": "y"})
    fails(hooks, "python -m pytest tests/test_cart.py -x", OUTPUT.replace("0.{}", "12.4"))
    said = ask(hooks, "Bash", {"command": "cd . && pytest -k total 2>&1 | tail -3"})["additionalContext"]
    assert "`pytest` failed 2 times in the same way" in said and "assert 3 == 4" in said and "cart.py" in said
    assert {} == ask(hooks, "Bash", {"command": "pytest"}), "it was said"
    rule(hooks, repeat="deny")
    assert "deny" == ask(hooks, "Bash", {"command": "pytest"})["permissionDecision"]
    assert {} == ask(hooks, "Bash", {"command": "cat cart.py; git diff"})
    ran(hooks, "Write", {"file_path": str(hooks.project / "tax.py"), "content": "z"})
    assert {} == ask(hooks, "Bash", {"command": "pytest"})


def test_a_call_that_a_gate_denied_is_no_failure(hooks: Hooks) -> None:
    """It never ran: neither is it noted, nor can it have changed files."""
    for _ in range(3):
        fails(hooks, "pytest", "PreToolUse:Bash hook error: clew: no commands while planning; pytest FAILED - error")
    assert not (hooks.live / "failures").exists()
    assert {} == ask(hooks, "Bash", {"command": "pytest"})


def test_what_passed_again_is_forgotten(hooks: Hooks) -> None:
    """A failure of last week says nothing of today's."""
    fails(hooks, "pytest")
    fails(hooks, "pytest")
    ran(hooks, "Bash", {"command": "pytest -q"}, tool_response={"stdout": "3 passed in 0.1s\n", "stderr": ""})
    assert {} == ask(hooks, "Bash", {"command": "pytest"})


def test_a_failure_that_only_the_output_tells(hooks: Hooks) -> None:
    """The exit code is that of `tail`."""
    for _ in range(2):
        ran(hooks, "Bash", {"command": "pytest | tail -3"}, tool_response={"stdout": OUTPUT, "stderr": ""})
    assert "failed 2 times" in ask(hooks, "Bash", {"command": "pytest | tail"})["additionalContext"]


def test_looking_at_an_error_is_no_failure(hooks: Hooks) -> None:
    """A log that is read holds errors of others; a search that finds nothing leaves with 1."""
    for _ in range(3):
        ran(hooks, "Bash", {"command": "cat run.log | head"}, tool_response={"stdout": OUTPUT, "stderr": ""})
        fails(hooks, "grep -rn total src", "Exit code 1")
    assert not (hooks.live / "failures").exists()
    fails(hooks, "pytest", "interrupted")
    event = called(hooks, "Bash", {"command": "pytest"}, error=OUTPUT, is_interrupt=True)
    hooks.run("PostToolUseFailure", event)
    assert {} == ask(hooks, "Bash", {"command": "pytest"})


def test_no_secret_of_an_output_is_kept(hooks: Hooks) -> None:
    """The list is read out to models later."""
    key = "ghp_" + "a8F3kQ9zLm2Xw7Rt5Vb1Nc6Yd4Hs0Jp3Gq8T"
    for _ in range(3):
        fails(hooks, "python load.py", f"Exit code 1\nValueError: bad token {key}\n")
    assert key.encode() not in (hooks.live / "failures").read_bytes()
    assert key not in json.dumps(ask(hooks, "Bash", {"command": "python load.py"}))


def test_other_clients_tell_it_in_their_words(hooks: Hooks) -> None:
    """Gemini CLI writes the exit code into the text; Codex leaves it out."""
    text = "Output: KeyError: 'vat'\nExit Code: 1\nProcess Group PGID: 7"
    for _ in range(2):
        event = called(hooks, "Bash", {"command": "python load.py"}, tool_response={"llmContent": text})
        hooks.run("PostToolUse", event)
    assert "KeyError" in ask(hooks, "Bash", {"command": "python load.py"})["additionalContext"]
