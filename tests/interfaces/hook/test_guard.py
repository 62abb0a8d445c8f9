"""The hot path's budget, as things that can be counted: modules, system calls, and a generous ratio of times.

The exact figures are `make bench-hooks`'s, on a quiet machine; here is what may not creep in between.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.interfaces.hook.hooks import Hooks, called, installed, prompted, response

ALWAYS = "clew clew.interfaces clew.interfaces.hook clew.interfaces.hook.entry _json clew.core clew.core.records "
ALWAYS += "clew.core.records.seen clew.core.runtime_dir clew.interfaces.hook.marks clew.interfaces.hook.wire"
# What the first step imports beyond a bare interpreter. Nothing of the standard library but the JSON scanner: `os`
# costs a sixth of a start, `re` three quarters.
ALLOWED = {
    "PostToolUse": "",
    "PreToolUse": "clew.interfaces.hook.clues",
    "UserPromptSubmit": "",
    "SubagentStop": "",
    "statusline": "clew.core.context clew.core.context.status_line",
}
# Of one import there are about ten, of a package as many again.
CALLS_MAX = 280


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    """A session in full swing."""
    made = installed(tmp_path)
    made.session.mkdir(parents=True)
    (made.session / "started").touch()
    (made.live / "gates.json").write_text('{"v": 1, "levels": {}, "pressure": {"checkpoint": 100000}}')
    (tmp_path / "transcript.jsonl").write_text(response(1000))
    made.run("PostToolUse", called(made, "Read", {"file_path": str(Path(__file__))}))
    return made


def event(hooks: Hooks, name: str) -> dict[str, object]:
    if name == "UserPromptSubmit":
        return prompted(hooks)
    window = {"workspace": {"project_dir": str(hooks.project)}, "context_window": {"used_percentage": 3}}
    return called(
        hooks, "Read", {"file_path": str(Path(__file__))}, agent_type="plan", last_assistant_message="x", **window
    )


@pytest.mark.parametrize("name", ALLOWED)
def test_what_a_fast_hook_imports(hooks: Hooks, name: str):
    """Every import is paid for at every tool call of every session."""
    found = hooks.imports(name, event(hooks, name))
    assert set() == {*found} - {*ALWAYS.split()} - {*ALLOWED[name].split()}


@pytest.mark.parametrize("client", ["codex", "gemini", "opencode"])
@pytest.mark.parametrize("name", ["PostToolUse", "PreToolUse", "UserPromptSubmit"])
def test_what_it_imports_for_another_client(hooks: Hooks, name: str, client: str):
    """Its dialect, and nothing else."""
    theirs = {"UserPromptSubmit": "BeforeAgent", "PreToolUse": "BeforeTool", "PostToolUse": "AfterTool"}
    given = event(hooks, name) | {"tool_name": {"codex": "Read", "gemini": "read_file", "opencode": "read"}[client]}
    found = hooks._replace(client=client).imports(theirs[name] if client == "gemini" else name, given)
    dialect = {"clew.clients", f"clew.clients.{client}", f"clew.clients.{client}.dialect"}
    assert dialect == {*found} - {*ALWAYS.split()} - {*ALLOWED[name].split()}


def test_what_a_hook_imports_where_nobody_opted_in(hooks: Hooks, tmp_path: Path):
    """There it is the shim alone."""
    elsewhere = Hooks(hooks.data, tmp_path)
    assert {"clewhook"} >= {*elsewhere.imports("PostToolUse", event(hooks, "PostToolUse"))}


def calls(command: Sequence[str], log: Path, **how: object) -> int:
    """The number of system calls of a command."""
    subprocess.run(["strace", "-f", "-o", log, *command], check=True, capture_output=True, **how)  # type: ignore[call-overload]
    return len(log.read_text().splitlines())


@pytest.mark.parametrize("name", [name for name in ALLOWED if name != "PreToolUse"])
def test_the_system_calls_of_a_fast_hook(hooks: Hooks, tmp_path: Path, name: str):
    """Slow disks and virus scanners make each of them dear."""
    log = tmp_path / "calls"
    if shutil.which("strace") is None or subprocess.run(["strace", "-o", log, "true"], capture_output=True).returncode:
        pytest.skip("this system has no strace, or lets nobody use it")
    given = json.dumps(event(hooks, name)).encode()
    hooks.run(name, given)
    bare = calls([sys.executable, "-I", "-S", "-c", "pass"], log, env=hooks.environment())
    ours = calls(hooks.command(name), log, env=hooks.environment(), input=given)
    assert ours - bare < CALLS_MAX


def test_a_fast_hook_is_hardly_slower_than_a_bare_start(hooks: Hooks):
    """The one test that a busy machine may fail: it takes the best of many, and allows twice the bar of the bench."""
    given = event(hooks, "PostToolUse")

    def seconds(command: Sequence[str]) -> float:
        begin = time.perf_counter()
        subprocess.run(command, input=given_bytes, capture_output=True, env=hooks.environment(), check=True)
        return time.perf_counter() - begin

    given_bytes = json.dumps(given).encode()
    bare, ours = [sys.executable, "-I", "-S", "-c", "pass"], hooks.command("PostToolUse")
    ratios = [seconds(ours) / seconds(bare) for _ in range(15)]
    assert statistics.median(ratios) < 2.6
