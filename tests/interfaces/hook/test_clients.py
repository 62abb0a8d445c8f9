"""The hooks of the other clients: the same work behind their own words. Run as a client runs them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from clew.core.records.seen import known
from clew.core.runtime_dir import GATES_VERSION, live_folder
from tests.core.gate.test_decision import rules
from tests.interfaces.hook.hooks import SESSION, SILENCE, Hooks, Said, installed

PATCH = "*** Begin Patch\n*** Update File: src/fine.py\n@@\n-a\n+b\n*** Delete File: src/legacy/z.py\n*** End Patch"
# What each client calls an event, and a tool with what it is given.
NAMES = {
    "codex": {},
    "copilot": {},
    "gemini": {"UserPromptSubmit": "BeforeAgent", "PreToolUse": "BeforeTool", "PostToolUse": "AfterTool"},
    "opencode": {},
}
WRITE = {
    "codex": ("apply_patch", lambda path: {"command": f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch"}),
    "copilot": ("Write", lambda path: {"path": path, "file_text": "x"}),
    "gemini": ("write_file", lambda path: {"file_path": path, "content": "x"}),
    "opencode": ("write", lambda path: {"filePath": path, "content": "x"}),
}
SHELL = {"codex": "Bash", "copilot": "Bash", "gemini": "run_shell_command", "opencode": "bash"}
CLIENTS = tuple(NAMES)


def of(client: str, folder: Path) -> Hooks:
    """An opted-in project with gates, and a session in full swing."""
    hooks = installed(folder)._replace(client=client)
    hooks.session.mkdir(parents=True)
    (hooks.session / "started").touch()
    gates = {"v": GATES_VERSION, **rules(levels={"guard": "deny"}), "root": str(hooks.project), "protected": []}
    (hooks.live / "gates.json").write_text(json.dumps({**gates, "pressure": {"checkpoint": 100_000}}))
    (hooks.project / "src").mkdir()
    return hooks


@pytest.fixture(params=CLIENTS)
def hooks(request: pytest.FixtureRequest, tmp_path: Path) -> Hooks:
    return of(request.param, tmp_path)


@pytest.fixture
def codex(tmp_path: Path) -> Hooks:
    return of("codex", tmp_path)


@pytest.fixture
def gemini(tmp_path: Path) -> Hooks:
    return of("gemini", tmp_path)


def run(hooks: Hooks, name: str, **fields: Any) -> Said:
    """The hook for the canonical event `name`, in the client's words."""
    path = str(hooks.project.parent / "record.jsonl")
    event = {"session_id": SESSION, "transcript_path": path, "cwd": str(hooks.project), **fields}
    return hooks.run(NAMES[hooks.client].get(name, name), event)


def write(hooks: Hooks, name: str, path: object) -> Said:
    """The hook around a tool that writes a file."""
    tool, given = WRITE[hooks.client]
    return run(hooks, name, tool_name=tool, tool_input=given(str(path)))


def shell(hooks: Hooks, name: str, command: str, **fields: Any) -> Said:
    return run(hooks, name, tool_name=SHELL[hooks.client], tool_input={"command": command}, **fields)


def told(said: Said) -> str:
    """Why a tool was denied, in the client's form."""
    assert (0, "") == (said.code, said.err)
    out = json.loads(said.out)
    if out.keys() == {"decision", "reason"}:
        assert "deny" == out["decision"]
        return str(out["reason"])
    found = out.get("hookSpecificOutput", out)
    assert "deny" == found["permissionDecision"] and (found is out or ["hookSpecificOutput"] == list(out))
    return str(found["permissionDecisionReason"])


def seen(hooks: Hooks) -> tuple[dict[str, bool], list[tuple[int, int]]]:
    """The files of the session, whether it wrote them, and its commands."""
    files, shells = known((hooks.session / "seen").read_bytes())
    return {path: state[2] for path, state in files.items()}, shells


def test_a_tool_that_a_gate_denies_is_denied_in_the_client_s_own_words(hooks: Hooks) -> None:
    """An answer in another client's form is no answer: the file would be written."""
    assert "no legacy" in told(write(hooks, "PreToolUse", "src/legacy/z.py"))
    assert SILENCE == write(hooks, "PreToolUse", "src/fine.py")
    assert "no legacy" in told(shell(hooks, "PreToolUse", "echo x > src/legacy/z.py"))


def test_what_was_read_and_written_is_noted(hooks: Hooks) -> None:
    """Else the session's own work counts as somebody else's."""
    file = hooks.project / "src" / "fine.py"
    file.write_text("x")
    assert SILENCE == write(hooks, "PostToolUse", file)
    assert {str(file): True} == seen(hooks)[0]
    client = hooks.client
    own = NAMES[client].get("PostToolUse", "PostToolUse")
    assert (hooks.live / "beats" / f"{client}-{own}").exists()


def test_a_command_leaves_its_time_also_where_the_client_does_not_tell_it(hooks: Hooks) -> None:
    """What it changed meanwhile was not changed from outside."""
    begin = time.time_ns()
    assert SILENCE == shell(hooks, "PreToolUse", "make")
    assert SILENCE == shell(hooks, "PreToolUse", "make other")
    more = {"duration_ms": (time.time_ns() - begin) // 1_000_000 + 1} if hooks.client == "opencode" else {}
    assert SILENCE == shell(hooks, "PostToolUse", "make", **more)
    [(start, end)] = seen(hooks)[1]
    assert begin - 50_000_000 < start < end
    assert end - start > 10_000_000, "two interpreters were started in between"


def test_an_event_of_nobody_s_and_garbage_are_met_with_silence(hooks: Hooks) -> None:
    """Whatever the client sends: exit code 0 and not a byte. But a tool whose call cannot be read does not run while a
    gate stands.
    """
    for given in (b"", b"[]", b"{", b'{"session_id": 7}', b"\0" * 100, b'{"tool_input": {"command": [[]]}}'):
        for name in ("PostToolUse", "UserPromptSubmit", "NoSuchEvent"):
            assert SILENCE == hooks.run(NAMES[hooks.client].get(name, name), given)
        said = hooks.run(NAMES[hooks.client].get("PreToolUse", "PreToolUse"), given)
        assert (0, bool(given)) == (said.code, "nobody can tell what this call would do" in said.out)
    assert SILENCE == hooks._replace(client="no-such-client").run("PreToolUse", b"{}", environment={"CLEW_PLACE": "/"})


def test_a_patch_of_several_files(codex: Hooks) -> None:
    """The second file is as much off limits as the first; and what it takes away was not taken away from outside."""
    assert "no legacy" in told(run(codex, "PreToolUse", tool_name="apply_patch", tool_input={"command": PATCH}))
    fine = codex.project / "src" / "fine.py"
    fine.write_text("b")
    run(codex, "PostToolUse", tool_name="apply_patch", tool_input={"command": PATCH})
    files, shells = seen(codex)
    assert ({str(fine): True}, 1) == (files, len(shells))


def test_a_patch_within_a_command(codex: Hooks) -> None:
    """No hook comes after it: so what it is about to change is expected before."""
    assert "no legacy" in told(shell(codex, "PreToolUse", f"cd . && apply_patch <<'EOF'\n{PATCH}\nEOF\n"))
    assert SILENCE == shell(codex, "PreToolUse", f"apply_patch <<'EOF'\n{PATCH.replace('legacy', 'new')}\nEOF\n")
    [(start, end)] = seen(codex)[1]
    assert start < time.time_ns() < end


def test_a_warning_waits_for_the_hook_behind_the_tool(gemini: Hooks) -> None:
    """What Gemini CLI is told before a tool does not get to the model."""
    assert SILENCE == write(gemini, "PreToolUse", "src/late.py")
    said = write(gemini, "PostToolUse", "src/late.py")
    context = json.loads(said.out)["hookSpecificOutput"]
    assert "AfterTool" == context["hookEventName"] and "put off on purpose" in context["additionalContext"]
    assert SILENCE == write(gemini, "PostToolUse", "src/late.py")


def test_the_context_is_known_as_each_client_tells_it(hooks: Hooks) -> None:
    """A threshold that nobody notices is advice that never comes."""
    filler = json.dumps({"type": "x", "text": "y" * (40 << 10)}) + "\n"
    usage = {"last_token_usage": {"total_tokens": 50_000}, "model_context_window": 190_000}
    told = {
        "codex": json.dumps({"type": "event_msg", "payload": {"type": "token_count", "info": usage}}),
        "copilot": json.dumps(
            {
                "type": "session.usage_record",
                "data": {"usage": {"inputTokens": 50_000, "model": "sonnet", "maxPromptTokens": 168_000}},
            }
        ),
        "gemini": json.dumps({"type": "gemini", "tokens": {"input": 50_000}, "model": "gemini-2.5-pro"}),
        "opencode": "",
    }[hooks.client]
    (hooks.project.parent / "record.jsonl").write_text(filler + told + "\n")
    own = {"tokens": 50_000, "model": "scripted", "window": 190_000} if hooks.client == "opencode" else {}
    assert SILENCE == shell(hooks, "PostToolUse", "ls", **own, **({"model": "gpt"} if hooks.client == "codex" else {}))
    _, tokens, model, window = (hooks.session / "pulse").read_text().split()
    wanted = {
        "codex": ("gpt", "190000"),
        "copilot": ("sonnet", "168000"),
        "gemini": ("gemini-2.5-pro", "0"),
        "opencode": ("scripted", "190000"),
    }
    assert ("50000", *wanted[hooks.client]) == (tokens, model, window)


def test_the_place_is_where_the_hook_runs_if_nobody_says_it(codex: Hooks, tmp_path: Path) -> None:
    """Codex sets no variable; and one of ours that is empty says nothing."""
    fine = codex.project / "src" / "fine.py"
    fine.write_text("b")
    elsewhere = codex._replace(project=tmp_path)
    assert SILENCE == write(elsewhere, "PostToolUse", fine)
    assert not (codex.session / "seen").exists()
    event = {"session_id": SESSION, "tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": str(codex.project)}
    assert SILENCE == codex.run("PostToolUse", event, environment={**codex.environment(), "CLEW_PLACE": ""})
    assert (codex.session / "seen").exists()
    assert live_folder(str(codex.data), os.path.realpath(codex.project)) == str(codex.live)
