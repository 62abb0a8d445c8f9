"""Before a tool call: what the gate says reaches the client in its own words, once, and never by an exit code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from clew.core.gate.decision import find_clues
from clew.core.runtime_dir import live_folder

from .hooks import SESSION, SILENCE, Hooks, called, installed


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    made = installed(tmp_path)
    rule(made)
    return made


def rule(hooks: Hooks, *, guards: Mapping[str, Any] | None = None, **levels: str) -> None:
    """Write the rules of the place."""
    nothing: dict[str, Any] = {"commands": {}, "paths": [], "words": []}
    gates = {
        "v": 1,
        "position": 1,
        "levels": {"confirm": "off", "stale": "warn", "offlimits": "deny", "guard": "warn", **levels},
        "root": str(hooks.project),
        "protected": [[str(hooks.project / ".clew"), "It is ours."]],
        "offlimits": [["old.py", "I-4f2k", ""]],
        "deferred": [],
        "guards": {**nothing, **(guards or {"words": [["moment", "X-4f2k", "“moment” failed."]]})},
        "forbidden": {"paths": [], "commands": {}},
        "pressure": {},
    }
    write(hooks, gates)


def write(hooks: Hooks, gates: dict[str, Any]) -> None:
    """Write rules as `app/project/gates.py` does: with the words by which the first step of the hook goes."""
    (hooks.live / "gates.json").write_text(json.dumps({**gates, "clues": find_clues(gates)}))


def ask(hooks: Hooks, tool: str, given: Mapping[str, Any], **more: Any) -> dict[str, str]:
    """What the client is told: the fields of its answer but for the event's name. Empty for silence."""
    said = hooks.run("PreToolUse", called(hooks, tool, given), **more)
    assert (0, "") == (said.code, said.err)
    if not said.out:
        return {}
    answer = json.loads(said.out)["hookSpecificOutput"]
    assert "PreToolUse" == answer.pop("hookEventName")
    found: dict[str, str] = answer
    return found


def test_a_denial_is_said_as_the_client_wants_it(hooks: Hooks) -> None:
    """Exit code 2 would block, too, but so would every accident."""
    told = ask(hooks, "Edit", {"file_path": str(hooks.project / "old.py"), "new_string": "x"})
    assert "deny" == told["permissionDecision"]
    assert told["permissionDecisionReason"].startswith("clew: old.py is off limits (I-4f2k).")


def test_what_a_person_forbade_in_words_warns_once_and_denies_where_they_made_a_gate_of_it(hooks: Hooks) -> None:
    """The agent may not have read it, or forgot it."""
    rule(hooks)
    file = hooks.live / "gates.json"
    gates = json.loads(file.read_text())
    said = "“Don't touch label.py” (C-4f2k; the user said so)."
    push = {"git": [[["git", "push"], "C-9z2k", "“Never push”."]]}
    gates["forbidden"] = {"paths": [["label.py", "warn", "C-4f2k", said]], "commands": {"warn": push}}
    write(hooks, gates)
    edit = {"file_path": str(hooks.project / "label.py"), "new_string": "x"}
    assert {"additionalContext": f"clew: label.py: {said}"} == ask(hooks, "Edit", edit)
    assert {} == ask(hooks, "Edit", edit)
    assert {} == ask(hooks, "Bash", {"command": "cat label.py; git status"})
    assert {"additionalContext": "clew: “Never push”."} == ask(hooks, "Bash", {"command": "git push origin main"})
    gates["forbidden"]["paths"][0][1] = "deny"
    write(hooks, gates)
    assert "deny" == ask(hooks, "Bash", {"command": "sed -i s/a/b/ label.py"})["permissionDecision"]


def test_looking_for_a_word_is_not_trying_it_again(hooks: Hooks) -> None:
    """Whoever cleans up after a failed approach has to find what is left of it."""
    rule(hooks, guard="deny")
    assert {} == ask(hooks, "Bash", {"command": "grep -rn moment src | head; git log -S moment"})
    for line in ("npm install moment", "python -c 'import moment'", "echo 'import moment' >> a.js"):
        assert "deny" == ask(hooks, "Bash", {"command": line})["permissionDecision"]


def test_telling_of_a_word_and_taking_it_out_is_not_trying_it_again(hooks: Hooks) -> None:
    """The commit that says what is gone, and the command by which it goes, are the cure."""
    rule(hooks, guard="deny")
    for line in (
        "git add -A && git commit -m 'Take moment out'",
        "git commit -m \"$(cat <<'EOF'\nTake moment out\nEOF\n)\" && git push",
        "npm uninstall moment && npm test && git commit -am 'No moment'",
        "pip uninstall -y moment",
        "sed -i 's/moment/dayjs/' src/a.js",
    ):
        assert {} == ask(hooks, "Bash", {"command": line}), line
    for line in (
        "git commit -m moment && npm install moment",
        "sed -i 's/dayjs/moment/' src/a.js",
        "git commit -F - <<EOF > moment.js\nmoment\nEOF",
    ):
        assert "deny" == ask(hooks, "Bash", {"command": line})["permissionDecision"], line


def test_a_warning_is_said_once_a_session(hooks: Hooks) -> None:
    """At every call it would cost more than it tells; other sessions have not heard it."""
    given = {"file_path": str(hooks.project / "a.js"), "content": "import moment"}
    assert {"additionalContext": "clew: “moment” failed."} == ask(hooks, "Write", given)
    assert {} == ask(hooks, "Write", given)
    other = hooks.run("PreToolUse", {**called(hooks, "Write", given), "session_id": "another"})
    assert "moment" in other.out


def test_the_confirm_gate_of_the_session(hooks: Hooks) -> None:
    """Closed behind a payload; the one of another session is another one's."""
    given = {"file_path": str(hooks.project / "a.py"), "content": "x"}
    rule(hooks, confirm="deny")
    assert {} == ask(hooks, "Write", given), "nothing was given to it"
    hooks.session.mkdir(parents=True, exist_ok=True)
    (hooks.session / "confirm").write_text('{"mark": "a1b2c3", "open": false}')
    assert "clew confirm" in ask(hooks, "Write", given)["permissionDecisionReason"]
    assert {} == ask(hooks, "Bash", {"command": "clew confirm 'goal: x next: y'"})
    (hooks.session / "confirm").write_text('{"mark": "a1b2c3", "open": true}')
    assert {} == ask(hooks, "Write", given)


def test_the_environment_of_the_client_tightens_and_never_loosens(hooks: Hooks) -> None:
    """A person may start one session with a stricter gate; nothing that a session sets opens one."""
    given = {"file_path": str(hooks.project / "a.js"), "content": "import moment"}
    strict = {**hooks.environment(), "CLEW_GATE_GUARD": "deny"}
    assert "deny" == ask(hooks, "Write", given, environment=strict)["permissionDecision"]
    lax = {**hooks.environment(), "CLEW_GATE_OFFLIMITS": "off", "CLEW_GATE_GUARD": "perhaps"}
    old = {"file_path": str(hooks.project / "old.py"), "content": "x"}
    assert "deny" == ask(hooks, "Write", old, environment=lax)["permissionDecision"]


def test_a_file_that_somebody_else_changed(hooks: Hooks) -> None:
    """The session edits by what it read; that is not there any more."""
    page = hooks.project / "page.md"
    page.write_text("one")
    os.utime(page, (1_700_000_000, 1_700_000_000))
    given = {"file_path": str(page), "old_string": "one", "new_string": "two"}
    hooks.run("PostToolUse", called(hooks, "Read", {"file_path": str(page)}))
    assert {} == ask(hooks, "Edit", given)
    page.write_text("somebody else's")
    told = ask(hooks, "Edit", given)["additionalContext"]
    assert "page.md was changed by somebody else" in told
    assert {} == ask(hooks, "Edit", given), "it was said"
    page.write_text("and once more")
    assert ask(hooks, "Edit", given), "another change is another warning"
    rule(hooks, stale="deny")
    assert "deny" == ask(hooks, "Edit", given)["permissionDecision"]
    hooks.run("PostToolUse", called(hooks, "Read", {"file_path": str(page)}))
    assert {} == ask(hooks, "Edit", given), "it was read again"


def test_links_are_followed(hooks: Hooks) -> None:
    """The file is the same by whatever name."""
    (hooks.project / ".clew").mkdir()
    (hooks.project / "door").symlink_to(".clew")
    (hooks.project / "loop").symlink_to("loop")
    told = ask(hooks, "Write", {"file_path": str(hooks.project / "door" / "config.toml"), "content": "x"})
    assert "deny" == told["permissionDecision"]
    assert "deny" == ask(hooks, "Bash", {"command": "rm -rf src/../door/"})["permissionDecision"]
    assert {} == ask(hooks, "Write", {"file_path": str(hooks.project / "loop" / "x"), "content": "x"})


def test_a_session_that_was_started_in_a_folder_below(hooks: Hooks) -> None:
    """It has marks of its own, and the work tree's rules."""
    below = hooks.project / "src"
    below.mkdir()
    live = Path(live_folder(str(hooks.data), str(below)))
    live.mkdir(parents=True)
    (live / "root").write_text(f"{hooks.project}\n")
    environment = {**hooks.environment(), "CLAUDE_PROJECT_DIR": str(below)}
    given = {"file_path": str(hooks.project / "a.js"), "content": "import moment"}
    assert "moment" in ask(hooks, "Write", given, environment=environment)["additionalContext"]
    assert (live / "sessions" / SESSION / "warned-X-4f2k").exists()
    event = called(hooks, "Bash", {"command": "rm ../old.py"}, cwd=str(below))
    assert "old.py is off limits" in hooks.run("PreToolUse", event, environment=environment).out


@pytest.mark.parametrize(
    "broken", ["{", "[]", "{}", '{"v": 2}', '{"v": 1}', '{"v": 1, "levels": [], "root": 3}', "\x00"]
)
def test_rules_that_cannot_be_read_block_nobody(hooks: Hooks, broken: str) -> None:
    """clew is broken, not the agent's work: the call goes ahead, and the next prompt tells the person."""
    (hooks.live / "gates.json").write_text(broken)
    assert SILENCE == hooks.run("PreToolUse", called(hooks, "Bash", {"command": "rm -rf .clew"}))
    assert "clues.py" in (hooks.live / "broken").read_text()


@pytest.mark.parametrize(
    "given", [{}, {"command": 3}, {"command": "\x00" * 9 + "\ud800"}, {"command": "rm " + "[" * 9999}]
)
def test_any_input_is_answered(hooks: Hooks, given: Mapping[str, Any]) -> None:
    """Models send what nobody thought of."""
    assert SILENCE == hooks.run("PreToolUse", called(hooks, "Bash", given))
    assert not (hooks.live / "broken").exists()


def test_a_call_that_no_rule_is_about_loads_no_judge(hooks: Hooks) -> None:
    """Nearly every call is none; where one could be, ordinary code is asked."""

    def asks(tool: str, given: Mapping[str, Any]) -> bool:
        return "clew.interfaces.hook.judge" in hooks.imports("PreToolUse", called(hooks, tool, given))

    page = str(hooks.project / "a.py")
    for line in ("cd src && pytest -q 2>&1 | tail -5", "git commit -m 'x'; sed -n 1,4p a.py", "echo x >> src/out.txt"):
        assert not asks("Bash", {"command": line}), line
    assert not asks("Write", {"file_path": page, "content": "x"})
    assert asks("Write", {"file_path": page, "content": "import moment"})
    assert asks("Bash", {"command": "rm -r build"})


def test_while_a_plan_is_open_only_reading_passes(hooks: Hooks) -> None:
    """Tools of every sort; what a client keeps of its own planning is no edit of the work tree."""
    rule(hooks, plan="deny")
    gates = json.loads((hooks.live / "gates.json").read_text())
    own = {"title": "Round refunds", "tools": ["mcp__hub__get"], "commands": ["make test"], "own": ["/home/dev/plans"]}
    (hooks.live / "gates.json").write_text(json.dumps({**gates, "plan": own}))
    page = str(hooks.project / "a.py")
    denied = {
        "Write": {"file_path": page, "content": "x"},
        "NotebookEdit": {"notebook_path": page, "new_source": "x"},
        "apply_patch": {"command": f"*** Begin Patch\n*** Add File: {page}\n+x\n*** End Patch"},
        "mcp__hub__put": {"x": 1},
        "CronCreate": {},
        "Bash": {"command": "python -c 1"},
    }
    for tool, given in denied.items():
        told = ask(hooks, tool, given)
        assert "deny" == told["permissionDecision"], tool
        assert "approves the plan “Round refunds” only reading passes" in told["permissionDecisionReason"]
    passing: dict[str, dict[str, Any]] = {
        "Read": {"file_path": page},
        "Agent": {"prompt": "look"},
        "mcp__hub__get": {},
        "mcp__clew__record": {"text": "x"},
        "Write": {"file_path": "/home/dev/plans/refunds.md", "content": "x"},
    }
    for tool, given in passing.items():
        assert {} == ask(hooks, tool, given), tool
    for line in ("ls; git log -1", "make test", "make test 2>&1 | tail"):
        assert {} == ask(hooks, "Bash", {"command": line}), line
    rule(hooks, plan="off")
    assert {} == ask(hooks, "Bash", {"command": "python -c 1"})


def test_calls_that_are_sent_together_hear_it_once(hooks: Hooks) -> None:
    """Hooks of one session run at the same time."""
    given = {"file_path": str(hooks.project / "a.js"), "content": "import moment"}
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: ask(hooks, "Write", given), range(6)))
    assert 1 == sum(map(bool, said))
