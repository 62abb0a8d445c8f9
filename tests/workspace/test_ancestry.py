"""Ways by which a command comes, with real processes and terminals: a person's, and those of an agent that tries."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from clew.clients.registry import agents
from clew.core.state.authority import authority
from clew.workspace.ancestry import channel
from tests.growth import costs_at_most
from tests.people import at_terminal, installed, interpreter_called

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="makes its processes for /proc")

_PROBE = """
import json, os, sys
from clew.clients.registry import agents
from clew.core.state.authority import authority
from clew.workspace.ancestry import channel
said = authority(channel(os.environ, agents()))
with open(sys.argv[1] + ".part", "w") as file:
    json.dump(said[:2], file)
os.rename(sys.argv[1] + ".part", sys.argv[1])
"""


class Said(NamedTuple):
    """What the probe found."""

    provenance: str
    reason: str


class Place:
    """A folder with a probe in it, which tells who it thinks it was started by."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        (folder / "probe.py").write_text(_PROBE)

    def probe(self, name: str) -> str:
        """The command line of a probe, for a shell."""
        return shlex.join([sys.executable, str(self.folder / "probe.py"), str(self.folder / name)])

    def script(self, name: str, text: str) -> Path:
        """A file with a program in it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def said(self, name: str, seconds: float = 15) -> Said:
        """What the probe of that name said, once it is there."""
        limit = time.monotonic() + seconds
        while not (self.folder / name).exists():
            assert time.monotonic() < limit, f"no probe ran as {name}"
            time.sleep(0.02)
        return Said(*json.loads((self.folder / name).read_text()))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """One place for all: terminals cost time."""
    return Place(tmp_path_factory.mktemp("ways"))


# What a client does in the terminal where a person started it: now, or later when the client itself has ended.
_AGENTS_WAYS = {
    "a shell": "bash -c {probe}",
    "a login shell": "bash -lc {probe}",
    "an empty environment": "env -i bash -c {probe}",
    "a session of its own": "setsid -w bash -c {probe}",
    "another terminal": "script -qc {probe} /dev/null </dev/null",
    "another terminal without environment": "env -i script -qc {probe} /dev/null </dev/null",
    "a double fork": "sh -c {later} </dev/tty >/dev/tty 2>&1 &",
    "a double fork without environment": "env -i sh -c {later} </dev/tty >/dev/tty 2>&1 &",
    "nohup": "nohup sh -c {later} >/dev/null 2>&1 &",
    "a double fork to another terminal": "CLAUDECODE=1 setsid -f script -qc {later} /dev/null </dev/null >/dev/null",
    "taking the person's terminal": "env -i {thief} {probe} {ended} </dev/tty >/dev/tty 2>&1 &",
}
# Makes itself the one that the terminal listens to, when nobody looks.
_THIEF = """
import os, signal, sys
if os.fork():
    os._exit(0)
os.system("sh " + sys.argv[2] + " </dev/null")
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.setpgid(0, 0)
os.tcsetpgrp(0, os.getpid())
os.execv("/bin/sh", ["sh", "-c", "exec " + sys.argv[1]])
"""


@pytest.fixture(scope="module")
def forged(place: Place) -> dict[str, Said]:
    """A person starts `claude` in a terminal; it tries all of its ways there, and ends."""
    thief = shlex.join([sys.executable, str(place.script("thief.py", _THIEF))])
    ended = place.script("ended.sh", f"while kill -0 $(cat {place.folder}/pid) 2>/dev/null; do sleep 0.05; done\n")
    lines = [f"echo $PPID >{place.folder}/pid"]
    for number, way in enumerate(_AGENTS_WAYS.values()):
        probe = place.probe(f"forged-{number}")
        later = shlex.quote(f"sh {ended} </dev/null; {probe}")
        lines.append(way.format(probe=shlex.quote(probe), later=later, thief=thief, ended=ended))
    ways = place.script("ways.sh", "\n".join(lines) + "\n")
    agent = place.script("agent.py", f"import subprocess\nsubprocess.run(['/bin/bash', {str(ways)!r}])\n")
    claude = interpreter_called("claude", place.folder)
    # The person stays there, so that the terminal is still one for what was left behind.
    files = " ".join(str(place.folder / f"forged-{number}") for number in range(len(_AGENTS_WAYS)))
    stay = place.script("stay.sh", f"for file in {files}; do until [ -e $file ]; do sleep 0.1; done; done\n")
    at_terminal(f"{claude} {agent}\nsh {stay}\nexit\n", folder=place.folder / "forging", seconds=60)
    return {name: place.said(f"forged-{number}") for number, name in enumerate(_AGENTS_WAYS)}


@pytest.mark.skipif(not (installed("script") and installed("setsid")), reason="needs the programs of util-linux")
@pytest.mark.parametrize("way", _AGENTS_WAYS)
def test_an_agent_does_not_pass_for_a_person(way: str, forged: dict[str, Said]) -> None:
    """Approval by the one who asks for it is none."""
    assert forged[way].provenance == "agent", forged[way].reason


@pytest.mark.skipif(not (installed("script") and installed("setsid")), reason="needs the programs of util-linux")
@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("a shell", "below claude"),
        ("an empty environment", "below claude"),
        ("another terminal without environment", "below claude"),
        ("a double fork without environment", "in the background"),
        # The person's shell may take its terminal back in between: then the thief is in the background.
        ("taking the person's terminal", "below claude|cut off|in the background"),
        ("nohup", "input is not the terminal"),
        ("a double fork to another terminal", "CLAUDECODE"),
    ],
)
def test_the_reason_is_the_one_that_holds(way: str, reason: str, forged: dict[str, Said]) -> None:
    """A refusal for the wrong reason is a rule that was not tried."""
    assert any(one in forged[way].reason for one in reason.split("|"))


@pytest.mark.parametrize(
    ("program", "script"),
    [
        ("codex", "agent.py"),
        ("opencode", "agent.py"),
        ("cursor-agent", "agent.py"),
        ("node", "lib/node_modules/@google/gemini-cli/dist/index.js"),
        ("node", "bin/gemini"),
        ("node", "lib/node_modules/@qwen-code/qwen-code/cli.js"),
        ("python", "bin/aider"),
    ],
)
def test_each_client_is_known_by_its_processes(program: str, script: str, tmp_path: Path) -> None:
    """Half of them are scripts: the process is then called as their interpreter."""
    place = Place(tmp_path / "place")
    running = f"import subprocess\nsubprocess.run(['/bin/bash', '-c', {place.probe('out')!r}])\n"
    path = place.script(script, running)
    at_terminal(f"{interpreter_called(program, tmp_path)} {path}\nexit\n", folder=tmp_path / "terminal")
    assert place.said("out").provenance == "agent"
    assert f"below {program}" in place.said("out").reason


# What a person types, with the word in its reason if that is no way of a person's.
_TYPED_WAYS = {
    "plain": ("{probe}", ""),
    "with its output piped on": ("{probe} | cat", ""),
    "with /dev/tty as its input": ("{probe} </dev/tty", ""),
    "in a subshell": ("( {probe} )", ""),
    "in a shell by exec": ("bash --norc -i\nexec sh -i\n{probe}\nexit", ""),
    "in a terminal in the terminal": ("script -qc 'sh -i' /dev/null\n{probe}\nexit", ""),
    "by a script": ("sh {script}", ""),
    "by xargs": ("echo x | xargs {probe}", "input is not the terminal"),
    "with its input piped in": ("yes | {probe}", "input is not the terminal"),
    "in the background": ("{probe} &\nwait", "in the background|input is not the terminal"),
    "with all output elsewhere": ("{probe} >/dev/null 2>&1", "go to the terminal"),
    "with a client's mark": ("CLAUDECODE=1 {probe}", "CLAUDECODE"),
    "with the mark for any agent": ("CLEW_AGENT=1 {probe}", "CLEW_AGENT"),
    "in a client's shell, the marks taken off": (
        "env GEMINI_CLI=1 bash --norc --noprofile -i\nenv -i {probe}\nexit",
        "GEMINI_CLI",
    ),
}


@pytest.fixture(scope="module")
def by_hand(place: Place) -> dict[str, Said]:
    """A person types all of it at one terminal."""
    lines = []
    for number, (way, _) in enumerate(_TYPED_WAYS.values()):
        probe = place.probe(f"typed-{number}")
        lines.append(way.format(probe=probe, script=place.script(f"script-{number}", f"{probe}\ntrue\n")))
    at_terminal("\n".join([*lines, "exit", ""]), folder=place.folder / "typing", seconds=60)
    return {name: place.said(f"typed-{number}") for number, name in enumerate(_TYPED_WAYS)}


@pytest.mark.skipif(not installed("script"), reason="needs `script`")
@pytest.mark.parametrize("way", _TYPED_WAYS)
def test_what_comes_from_a_persons_terminal_is_a_persons(way: str, by_hand: dict[str, Said]) -> None:
    """And what only ran beside it is not."""
    reason = _TYPED_WAYS[way][1]
    assert by_hand[way].provenance == ("agent" if reason else "human"), by_hand[way].reason
    assert any(one in by_hand[way].reason for one in reason.split("|")), by_hand[way].reason


@pytest.mark.skipif(not installed("tmux"), reason="needs tmux")
def test_keys_that_tmux_sends_look_like_typed_ones(tmp_path: Path) -> None:
    """Keys that were sent to a shell there look like typed ones: that cannot be determined apart, and
    docs/reference/authority.md says so.
    """
    place = Place(tmp_path / "place")
    tmux = [installed("tmux"), "-S", str(tmp_path / "socket"), "-f", os.devnull]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm"}

    def run(*words: str) -> None:
        subprocess.run([*tmux, *words], env=environment, check=True, timeout=20, stdin=subprocess.DEVNULL)

    try:
        run("new-session", "-d", "-s", "person", "exec sh -i")
        run("send-keys", "-t", "person:0", place.probe("keys"), "Enter")
        keys = place.said("keys")
    finally:
        subprocess.run([*tmux, "kill-server"], env=environment, check=False, timeout=20)
    assert keys.provenance == "human"


def test_where_nothing_can_be_seen_it_is_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others' processes may be hidden: not to know is not to trust."""

    def hidden(_: psutil.Process) -> None:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil.Process, "parent", hidden)
    seen = channel({}, agents())
    assert (len(seen.processes), seen.complete) == (1, False)
    assert authority(seen).provenance == "agent"


def test_it_costs_next_to_nothing() -> None:
    """It is asked at every command that records something."""
    stat = Path("/proc/self/stat")
    costs_at_most(3, lambda: authority(channel(os.environ, agents())), lambda: [stat.read_text() for _ in range(200)])


def test_what_goes_on_behind_a_hook_is_seen_from_the_process_that_called_it() -> None:
    """That process stays; the hook between them is over."""
    seen, behind = channel({}, agents()), channel({}, agents(), above=os.getppid())
    assert [one.pid for one in behind.processes] == [one.pid for one in seen.processes] and behind.complete
    assert channel({}, agents(), above=1).processes[1].pid == 1
