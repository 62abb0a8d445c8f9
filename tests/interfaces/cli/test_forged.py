"""What only a person may do, asked for by those who are none: each way that was tried, with the installed program."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.interfaces.cli.binary import CLEW
from tests.people import at_terminal, installed, interpreter_called, typed
from tests.workspace.repos import Repo

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="makes its processes for /proc"),
    pytest.mark.skipif(not (installed("script") and installed("setsid")), reason="needs the programs of util-linux"),
]

_DEED = ("settings", "set", "gate.offlimits", "off")
# Makes whoever loads it believe that a person sits there.
_BELIEVER = """
import sys
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "clew.workspace.ancestry":
            sys.meta_path.remove(Finder)
            import clew.core.state.authority as ours
            from clew.core.state.items import Authority
            ours.authority = lambda channel: Authority("human", "forged")
sys.meta_path.insert(0, Finder)
"""
# Keeps a shell in a terminal, types there, and does not look at what it is told.
_BLIND = """
import os, pty, sys, time
pid, terminal = pty.fork()
if not pid:
    os.execv("/bin/sh", ["sh", "-i"])
for line in (sys.argv[1], "y", "abcd", "n", ":"):
    time.sleep(1)
    os.write(terminal, line.encode() + b"\\n")
    time.sleep(0.2)
    print(os.read(terminal, 65536).decode(), flush=True)
"""
_FED = "(sleep 1; echo {deed}; sleep 2; echo y; echo abcd; echo n; sleep 1; echo exit; echo exit; sleep 1) |"

_CUT = "env -i HOME=$HOME PATH=$PATH setsid -f "

# Lines for an agent's shell without any mark. {deed} is the command, {there} a folder with what they need.
_WAYS = {
    "plainly": "{deed}",
    "script -qc": "script -qc {quoted} /dev/null </dev/null",
    "env -i": "env -i HOME=$HOME {deed}",
    "setsid": "setsid -w {deed}",
    "setsid in a terminal": "setsid -w script -qc {quoted} /dev/null </dev/null",
    "nohup": "nohup {deed}",
    "a double fork, as at does": "env -i HOME=$HOME setsid -f sh -c {quoted} </dev/null",
    "a double fork to a terminal": "env -i HOME=$HOME setsid -f script -qc {quoted} /dev/null </dev/null",
    "an alias": "bash -ic {alias}",
    "a function": "f() {{ {deed}; }}; f",
    "a terminal that is fed": _FED + _CUT + "script -qc 'sh -i' /dev/null",
    "a program that types": _CUT + "{there}/bin/python {there}/blind.py {quoted}",
    "sitecustomize": "PYTHONPATH={there}/code {deed}",
    "sitecustomize in a terminal": "PYTHONPATH={there}/code script -qc {quoted} /dev/null </dev/null",
    "usercustomize": "PYTHONUSERBASE={there}/base {deed}",
}


class Forged(NamedTuple):
    """What is left of a way: all that was said, and whether the gate is still as it was."""

    said: str
    holds: bool


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Forged]:
    """All ways, each for a user of its own, side by side: they mostly wait."""
    there = tmp_path_factory.mktemp("forged")
    base = there / f"base/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    for folder in (there / "code", base):
        folder.mkdir(parents=True)
    (base / "usercustomize.py").write_text(_BELIEVER)
    (there / "code" / "sitecustomize.py").write_text(_BELIEVER)
    (there / "blind.py").write_text(_BLIND)
    interpreter_called("python", there)
    started, repo = [], Repo(there / "tide")
    for number, line in enumerate(_WAYS.values()):
        home = there / f"home-{number}"
        home.mkdir()
        deed = shlex.join([str(CLEW), *_DEED])
        told = shlex.quote(deed) if line.startswith("(") else deed
        alias = shlex.quote(f"shopt -s expand_aliases\nalias c={shlex.quote(deed)}\nc")
        text = line.format(deed=told, quoted=shlex.quote(deed), there=there, alias=alias)
        clean = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "TERM": "dumb", "LANG": "C.UTF-8"}
        with (home / "said").open("wb") as said:
            started.append(
                subprocess.Popen(
                    ["/bin/sh", "-c", text],
                    cwd=repo.top,
                    env=clean,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                )
            )
    for process in started:
        process.wait(60)
    time.sleep(5)  # what was cut off goes on for so long
    return {name: _found(there / f"home-{number}") for number, name in enumerate(_WAYS)}


def _found(home: Path) -> Forged:
    return Forged((home / "said").read_text(errors="replace"), _is_as_it_was(home))


def _is_as_it_was(home: Path) -> bool:
    """Whether the gate is still as it was."""
    file = home / ".config/clew/config.toml"
    return not file.exists() or "off" not in file.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("way", _WAYS)
def test_no_line_of_a_shell_switches_a_gate_off(way: str, forged: dict[str, Forged]) -> None:
    """Approval by the one who asks for it is none."""
    assert forged[way].holds, forged[way].said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("a terminal that is fed", "the code that the terminal showed was not typed"),
        ("a program that types", "the code that the terminal showed was not typed"),
        ("sitecustomize", "without a terminal"),
    ],
)
def test_each_fails_for_what_is_wrong_with_it(way: str, reason: str, forged: dict[str, Forged]) -> None:
    """A refusal for another reason is a rule that was not tried."""
    assert reason in " ".join(forged[way].said.split())  # a terminal folds lines
    assert "[E-not-a-person]" in forged[way].said


@pytest.fixture
def tide(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "tide")


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [False, True])
def test_a_person_types_the_code_and_who_does_not_see_it_cannot(tide: Repo, tmp_path: Path, hidden: bool) -> None:
    """It stands on the terminal alone, not in what the command prints."""
    home = tmp_path / "home"
    home.mkdir()
    line = f"{shlex.join([str(CLEW), *_DEED])} 2>{tmp_path}/errors"
    out = at_terminal(
        f"cd {tide.top}\n{line}\nexit\n", folder=tmp_path / "t1", environment={"HOME": str(home)}, code_is_hidden=hidden
    )
    assert "Only a person may change a gate. Type" in out
    errors = (tmp_path / "errors").read_text()
    assert "Type" not in errors.partition("hint:")[0]
    assert ("[E-not-a-person]" in errors) is hidden
    assert _is_as_it_was(home) is hidden


@pytest.mark.slow
def test_yes_stands_for_no_code(tide: Repo, tmp_path: Path) -> None:
    """It saves a person the questions; a script that says it has nobody to type the code."""
    tide.write(".clew/HANDOFF.md", "Goal: the tide\n")
    home = tmp_path / "home"
    home.mkdir()
    command = [str(CLEW), "trust", "--yes"]
    place = {"cwd": tide.top, "environment": {"HOME": str(home)}}
    no = typed(command, folder=tmp_path / "t1", code_is_hidden=True, **place)  # type: ignore[arg-type]
    assert (no.code, "[E-not-a-person]" in no.out) == (1, True)
    assert not list(home.rglob("trust.json"))
    yes = typed(command, folder=tmp_path / "t2", **place)  # type: ignore[arg-type]
    assert (yes.code, "Trusted: 1 of 1" in yes.out) == (0, True)


@pytest.mark.slow
def test_a_persons_own_python_variables_are_not_heeded(tide: Repo, tmp_path: Path) -> None:
    """Many export PYTHONPATH for their own programs: that code is not run, and the command is still theirs."""
    home, code = tmp_path / "home", tmp_path / "code"
    for folder in (home, code):
        folder.mkdir()
    (code / "sitecustomize.py").write_text("import clew.core.settings as ours\nours.SETTINGS = ()\n")
    ran = typed(
        [str(CLEW), *_DEED],
        cwd=tide.top,
        folder=tmp_path / "t1",
        environment={"HOME": str(home), "PYTHONPATH": str(code)},
    )
    assert ran.code == 0, ran.out
    assert not _is_as_it_was(home)
