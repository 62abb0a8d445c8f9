"""A call that cannot be judged does not run while a gate stands; a broken installation blocks nobody."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.core.gate.decision import find_clues
from clew.core.gate.guards import parse_command
from clew.core.gate.readonly import refusal
from clew.interfaces.hook import clues, judge
from tests.core.gate.test_variants import SAME
from tests.interfaces.hook.hooks import SILENCE, Hooks, called, installed

WRAPPERS = (
    *("timeout 5 ", "nice ", "nice -n 5 ", "stdbuf -oL ", "command ", "env ", "env A=1 ", "exec ", "nohup ", "A=1 "),
    *("setsid ", "ionice -c 2 ", "sudo ", "builtin ", "time ", "time -p "),
)
BRACKETS = (
    ("(", "\n)"),
    ("{ ", "\n}"),
    ("$(", "\n)"),
    ('echo "$(', '\n)"'),
    ("if ", "\nthen :; fi"),
    ("while ", "\ndo break; done"),
)
PIECES = (
    *("x;", "a|", "'", '"', "$(", "`", "((", "<<E\n", "{a,"),
    *("\\", "#\n", "[[ ", "${", ">x ", "& ", "case x in x) ", "\0", "\ud800"),
)


# Guards whose other ways of writing are in `SAME`.
GUARDED = ("npm install moment", "pip install requests", "git push --force", "make deploy", "pytest -n auto")
# Ways to write a file.
FORMS = (
    "echo x > {}", "echo x>{}", "cat a >> {}", "make 2> {}", "make &> {}", "echo x >| {}",
    "cd gen1; echo x > x.py; : {}",
    "printf '%s' \"->\" > './{}'", "echo \">\" >{}", "tee {} < a", "cp a {}", "sed -i s/a/b/ {}", "sed -ne 1p {}",
    "s'ed' -i p {}", "X=-i; sed $X p {}", "sed \"-i\" p {}",
    "sed -n 1p a | tee {}",
    "rm {}",
    "cat {} 2>&1", "git checkout {}", "git log -- {}", "find . -name {} -delete", "find . -name {}", "sort -o {} a",
    "dd of={}", "python -c 'open(1)' > /dev/null {}", "cat > {} <<'E'\nmoment > a\nE", "echo $(cat a > {})",
    "F={}; echo > $F",
)  # fmt: skip


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    made = installed(tmp_path)
    rules(made)
    return made


def rules(hooks: Hooks, **more: Any) -> None:
    """An off-limits file stands."""
    gates = {
        "v": 1, "position": 1, "levels": {"confirm": "off", "stale": "warn", "offlimits": "deny", "guard": "warn"},
        "root": str(hooks.project), "protected": [], "offlimits": [["old.py", "I-4f2k", ""]], "deferred": [],
        "guards": {"commands": {}, "paths": [], "words": []}, "pressure": {}, **more,
    }  # fmt: skip
    (hooks.live / "gates.json").write_text(json.dumps(gates))


def hidden(chance: random.Random, deed: str) -> str:
    """A deed in many wrappers, or deep in brackets."""
    if chance.random() < 0.5:
        return "".join(chance.choices(WRAPPERS, k=chance.choice((1, 30, 600, 3000)))) + deed
    for _ in range(chance.choice((1, 5, 25, 400))):
        opening, closing = chance.choice(BRACKETS)
        deed = f"{opening}{deed}{closing}"
    return deed


def broken(chance: random.Random) -> str:
    """Pieces of syntax, over and over."""
    return "".join(chance.choices(PIECES, k=chance.choice((1, 3)))) * chance.choice((1, 40, 2000, 60_000))


def answer(hooks: Hooks, event: dict[str, Any]) -> str:
    """What the hook says in this process, "" nothing."""
    said: list[str] = []
    judge.run(event, str(hooks.live), said.append)  # type: ignore[arg-type]
    return "".join(said)


def lines(count: int, seed: int) -> Iterator[tuple[str, bool]]:
    """Lines, and whether each writes the off-limits file for sure."""
    chance = random.Random(seed)
    for at in range(count):
        yield (hidden(chance, "rm old.py"), True) if at % 2 else (broken(chance), False)


@pytest.mark.slow
def test_no_line_breaks_the_judge(hooks: Hooks) -> None:
    """Two thousand lines that try to: what hides a deed on an off-limits file is denied, and nothing is raised."""
    for line, writes in lines(2000, seed=39):
        said = answer(hooks, called(hooks, "Bash", {"command": line}))
        assert not writes or '"deny"' in said, line[:200]
        assert "ends in" not in said, (line[:200], said)


@pytest.mark.slow
def test_where_the_first_step_is_silent_the_judge_would_be_silent_too(hooks: Hooks) -> None:
    """Lines of every sort, against rules of every sort."""
    guards = {
        "commands": {}, "paths": [["gen*/x.py", "X-1", ""]],
        "words": [["left-pad", "X-2", "pad"], ["moment", "X-3", ""]],
    }  # fmt: skip
    for at, guard in enumerate(GUARDED):
        words = guard.split()
        name = words[0] if "/" in words[0] else parse_command(words).program
        guards["commands"].setdefault(name, []).append([words, f"X-c{at}", guard])  # type: ignore[call-overload]
    gates: dict[str, Any] = {
        "levels": dict.fromkeys(("confirm", "stale", "offlimits", "guard"), "deny"),
        "protected": [[str(hooks.project / ".clew"), "ours"]], "deferred": [["src/later.py", "D-1", "x"]],
        "forbidden": {"paths": [["label.py", "deny", "C-1", "x"]], "commands": {}}, "guards": guards,
    }  # fmt: skip
    rules(hooks, **gates)
    written = json.loads((hooks.live / "gates.json").read_text())
    (hooks.live / "gates.json").write_text(json.dumps({**written, "clues": find_clues(written)}))
    files = ("old.py", ".clew/x", "src/later.py", "gen1/x.py", "label.py", "free.py", f"{hooks.project}/old.py")
    chance, silent = random.Random(41), 0
    deeds = [line for lines in SAME.values() for part in lines for line in part.split(";")]
    deeds += [form.format(file) for form in FORMS for file in files]
    for at in range(3000):
        deed = chance.choice(deeds)
        line = chance.choice(
            (deed, hidden(chance, deed), f"ls && {deed}", broken(chance)[:300] + deed, f"x='{deed}'; $x")
        )
        event = called(hooks, "Bash", {"command": line})
        if at % 5 == 0:
            text = chance.choice(("import moment", "import 'left-pad'", "a\nleft pad", "x = 1", 'b="moment""s"'))
            event = called(hooks, "Write", {"file_path": str(hooks.project / chance.choice(files)), "content": text})
        if not clues.may_speak(event, str(hooks.live)):
            silent += 1
            assert "" == answer(hooks, event), line
    assert silent > 100


@pytest.mark.slow
def test_while_a_plan_is_open_none_of_them_passes(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")
    rules(hooks, plan={"title": "x", "tools": [], "commands": [], "own": []}, levels={"plan": "deny"})
    for line, writes in lines(400, seed=40):
        said = answer(hooks, called(hooks, "Bash", {"command": line}))
        assert '"deny"' in said if writes or refusal(line) else not said, line[:200]


@pytest.mark.parametrize(
    "given",
    [
        b'{"tool_name":"Bash","tool_input":{"command":"' + b"x" * (65 << 20) + b'"}}',
        b'{"tool_name":"Bash","tool_input":' + b"[" * 200_000,
        b'{"tool_name":"Bash","tool_input":{"command":"ls"}',
        b'{"tool_name":"Bash","tool_input":["ls"]}',
        b'{"tool_name":7,"tool_input":{}}',
        b"\xff\xfe",
    ],
    ids=["large", "deep", "cut off", "a list", "no tool", "no text"],
)
def test_an_event_that_cannot_be_read_is_denied(hooks: Hooks, given: bytes) -> None:
    """Of that size, or of no form; without a gate nobody is asked."""
    said = hooks.run("PreToolUse", given)
    assert (0, "") == (said.code, said.err)
    assert "its input cannot be read" in said.out
    rules(hooks, levels=dict.fromkeys(("confirm", "stale", "offlimits", "guard"), "off"))
    assert SILENCE == hooks.run("PreToolUse", given)


@pytest.mark.parametrize("folder", [None, "src", 7])
def test_an_event_without_a_folder_is_of_the_one_where_the_hook_runs(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch, folder: object
) -> None:
    monkeypatch.chdir(hooks.project)
    event = called(hooks, "Bash", {"command": "rm old.py"}) | {"cwd": folder}
    assert '"deny"' in answer(hooks, event)


def test_a_fault_of_the_judge_denies(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is, and also one that takes too long; but a module that is gone is a broken installation."""
    event = called(hooks, "Bash", {"command": "ls"})

    def fails(error: BaseException) -> None:
        def decide(*_: object) -> None:
            raise error

        monkeypatch.setattr("clew.core.gate.decision.decide", decide)

    def hangs(*_: object) -> None:
        while True:
            pass

    fails(RecursionError())
    assert "it ends in RecursionError" in answer(hooks, event)
    monkeypatch.setattr("clew.core.gate.decision.decide", hangs)
    monkeypatch.setattr(judge, "_SECONDS_MAX", 0.05)
    assert "seconds to read" in answer(hooks, event)
    fails(ModuleNotFoundError())
    with pytest.raises(ModuleNotFoundError):
        answer(hooks, event)


@pytest.mark.parametrize("shell", ["/usr/bin/fish", "/bin/ksh", "/opt/nu", "pwsh"])
def test_a_shell_that_nobody_can_read_is_refused_everything(hooks: Hooks, shell: str) -> None:
    rules(hooks, plan={"title": "x", "tools": [], "commands": ["make test"], "own": []}, levels={"plan": "deny"})
    for name, passes in ((shell, False), ("/bin/bash", True), ("/usr/bin/zsh", True), ("/bin/dash", True)):
        environment = {**hooks.environment(), "PATH": os.environ["PATH"], "SHELL": name}
        said = hooks.run("PreToolUse", called(hooks, "Bash", {"command": "ls"}), environment=environment)
        assert passes == (said == SILENCE), (name, said)
