"""Claude Code itself, without a person at it, against a scripted model, in a home of its own.

The client is the program named by CLEW_CLAUDE, else the pinned version that `installed()` puts into
`.cache/clients` by npm (git ignores that folder).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from tests.live.endpoint import Endpoint

VERSION = "2.1.330"
CACHE = Path(__file__).parents[2] / ".cache" / "clients"
MODEL = "claude-sonnet-4-5"
TOOLS = "Bash,Read,Edit,Write,Agent,Grep,Glob"
MARK = "CLEW_LIVE_TEST"
_OURS = ("CLEW_", "CLAUDE", "ANTHROPIC_", "XDG_", "GIT_", "PYTHON", "VIRTUAL_ENV")


class Missing(Exception):
    """The client is not there and cannot be installed; the words say why."""


def installed() -> Path:
    """The client's program, installed now if it is not there yet. Missing if that cannot be."""
    named = os.environ.get("CLEW_CLAUDE", "")
    if named:
        if not Path(named).is_file():
            raise Missing(f"CLEW_CLAUDE names no file: {named}")
        return Path(named)
    folder = CACHE / f"claude-code-{VERSION}"
    program = folder / "node_modules" / ".bin" / "claude"
    if program.exists():
        return program
    npm = shutil.which("npm")
    if npm is None:
        raise Missing("npm is not installed, and CLEW_CLAUDE names no client")
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    making = CACHE / f"making-{os.getpid()}"
    making.mkdir()
    try:
        package = f"@anthropic-ai/claude-code@{VERSION}"
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(making), package]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise Missing(f"npm could not install {package}: {done.stderr[-500:]}")
        if not folder.exists():
            making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return program


class Ran(NamedTuple):
    """How a run of the client ended: exit code (negative: the signal), its answer as JSON ({} if none), its stderr."""

    code: int
    answer: Mapping[str, Any]
    out: str
    err: str
    seconds: float

    @property
    def session(self) -> str:
        return str(self.answer.get("session_id", ""))


class Told(NamedTuple):
    """What a hook said, to the model or to the person: at which event, and its words."""

    event: str
    text: str


class Person:
    """Somebody with a home of their own, who has the client. `environment` is added to every run.

    `mark` stands in the environment of everything that is started, so that what is left running can be told.
    """

    def __init__(self, client: Path, home: Path, environment: Mapping[str, str] | None = None) -> None:
        self.client, self.home = client, home
        self.mark = uuid.uuid4().hex
        self.environment = dict(environment or {})
        home.mkdir(parents=True, exist_ok=True)

    def variables(self, endpoint: Endpoint | None = None, **more: str) -> dict[str, str]:
        """The whole environment of a run: nothing of clients, of clew or of git from outside."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        own |= {"HOME": str(self.home), "LC_ALL": "C.UTF-8", MARK: self.mark, "GIT_CONFIG_NOSYSTEM": "1"}
        programs = (Path(sys.executable).parent, self.client.parent)
        own["PATH"] = os.pathsep.join((*map(str, programs), os.environ.get("PATH", os.defpath)))
        if endpoint is not None:
            own |= {
                "ANTHROPIC_BASE_URL": endpoint.url,
                "ANTHROPIC_API_KEY": "dummy",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                "DISABLE_TELEMETRY": "1",
                "DISABLE_ERROR_REPORTING": "1",
            }
        return {**own, **self.environment, **more}

    def start(
        self,
        prompt: str,
        endpoint: Endpoint,
        cwd: Path,
        *options: str,
        stdin: int = subprocess.DEVNULL,
        **environment: str,
    ) -> Session:
        """Start the client in `cwd` with a prompt ("" for none) and go on at once."""
        command = [str(self.client), "-p", *((prompt,) if prompt else ()), "--model", MODEL, "--allowedTools", TOOLS]
        if not any(option.startswith("--output-format") for option in options):
            command += ["--output-format", "json"]
        return Session(
            self,
            subprocess.Popen(
                [*command, *options],
                cwd=cwd,
                env=self.variables(endpoint, **environment),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            ),
        )

    def live(self, endpoint: Endpoint, cwd: Path, *options: str, **environment: str) -> Session:
        """Start a client that takes one prompt after the other (`Session.prompt`) until `Session.end`."""
        streaming = ("--input-format", "stream-json", "--output-format=stream-json", "--verbose")
        return self.start("", endpoint, cwd, *streaming, *options, stdin=subprocess.PIPE, **environment)

    def run(
        self, prompt: str, endpoint: Endpoint, cwd: Path, *options: str, seconds: float = 90, **environment: str
    ) -> Ran:
        """Run the client to its end."""
        with self.start(prompt, endpoint, cwd, *options, **environment) as session:
            return session.end(seconds)

    def clew(
        self, *arguments: str, cwd: Path, code: int | None = 0, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run `clew` as this person (from a program, not at a terminal). `code` None allows every exit."""
        clew = Path(sys.executable).with_name("clew")
        done = subprocess.run(
            [clew, *arguments],
            cwd=cwd,
            env=self.variables(None, **environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert code is None or done.returncode == code, (
            f"clew {arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done

    def transcript(self, session: str) -> Path:
        """The file in which the client records a session."""
        (found,) = (self.home / ".claude" / "projects").glob(f"*/{session}.jsonl")
        return found

    def told(self, session: str) -> list[Told]:
        """What our hooks have said in a session, from the client's record of it, in order."""
        lines = map(json.loads, self.transcript(session).read_text(encoding="utf-8").splitlines())
        said = [line["attachment"] for line in lines if line.get("type") == "attachment"]
        heard = [one for one in said if one["type"] in ("hook_additional_context", "hook_system_message")]
        told = [Told(one["hookEvent"], _words(one["content"])) for one in heard]
        return [one for one in told if one.text.startswith("clew: ")]

    def broken(self) -> list[str]:
        """What failed inside hooks and was not told yet: types and places."""
        return [file.read_text(encoding="utf-8") for file in sorted(self.home.rglob("=clew/broken"))]

    def strays(self) -> dict[int, str]:
        """What runs and was started by this person: command lines by process id. Linux only; {} elsewhere."""
        return dict(_marked(f"{MARK}={self.mark}".encode()))

    def settled(self, seconds: float = 10) -> dict[int, str]:
        """What still runs after `seconds`; returns as soon as nothing does."""
        limit = time.monotonic() + seconds
        while (left := self.strays()) and time.monotonic() < limit:
            time.sleep(0.1)
        return left

    def end_all(self) -> None:
        """Kill what is left of everything that this person started, by id."""
        for pid in self.strays():
            _kill(pid)


class Session:
    """A client that runs. Leaving the block kills what is left of it."""

    def __init__(self, person: Person, process: subprocess.Popen[str]) -> None:
        self.person, self.process = person, process
        self._began = time.monotonic()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        self.process.wait()

    def end(self, seconds: float = 90) -> Ran:
        """Wait for its end, after closing its input."""
        out, err = self.process.communicate(timeout=seconds)
        return Ran(self.process.returncode, _answer(out), out, err, time.monotonic() - self._began)

    def prompt(self, text: str, seconds: float = 90) -> Mapping[str, Any]:
        """Give a client that was started by `live` a prompt, or a command of its own, and wait for its result."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps({"type": "user", "message": {"role": "user", "content": text}}) + "\n")
        stdin.flush()
        limit = threading.Timer(seconds, self.process.kill)
        limit.start()
        try:
            for line in stdout:
                if result := _answer(line):
                    return result
        finally:
            limit.cancel()
        raise AssertionError(f"the client ended without a result for {text!r}")

    def kill(self, with_signal: int = signal.SIGKILL) -> None:
        """Kill the client alone, as a crash would; what it started lives on."""
        os.kill(self.process.pid, with_signal)
        self.process.wait()


def wait_for(path: Path, seconds: float = 60) -> None:
    """Until a file is there."""
    limit = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < limit, f"{path.name} did not appear"
        time.sleep(0.02)


@contextmanager
def somebody(client: Path, home: Path, **environment: str) -> Iterator[Person]:
    """A person for one test; nothing that they started runs on after it."""
    person = Person(client, home, environment)
    try:
        yield person
    finally:
        person.end_all()


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """What a process has started and what that has started: command lines by process id. Linux only."""
    try:
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, children.read_text(encoding="ascii").split()):
                line = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                yield child, line
                yield from descendants(child)
    except OSError:
        return  # it ended meanwhile


def _answer(out: str) -> Mapping[str, Any]:
    """The client's result: the whole output, or the last line of a stream."""
    for text in (out, *reversed(out.splitlines())):
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if isinstance(value, dict) and value.get("type") == "result":
            return value
    return {}


def _words(content: object) -> str:
    return "\n".join(map(str, content)) if isinstance(content, list) else str(content)


def _marked(mark: bytes) -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                if line and int(folder.name) != os.getpid():
                    yield int(folder.name), line
        except OSError:
            continue  # it ended, or is not ours


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


__all__: Sequence[str] = ("Missing", "Person", "Ran", "Session", "descendants", "installed", "somebody", "wait_for")
