"""Somebody with a home of their own who has a client, whichever it is, and the sessions that they run.

A client's driver is a subclass of `Person`: it says where its program comes from, how it is started without a person
at it, and how its answer is read. Several drivers can share one home: then one person has several clients.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from tests.live.endpoint import Endpoint
from tests.people import typed

CACHE = Path(__file__).parents[2] / ".cache" / "clients"
MARK = "CLEW_LIVE_TEST"
_OURS = (
    *("CLEW_", "CLAUDE", "ANTHROPIC_", "CODEX_", "OPENAI_", "GEMINI_", "GOOGLE_", "OPENCODE", "COPILOT_", "LAB_"),
    *("XDG_", "GIT_", "PYTHON", "VIRTUAL_ENV", "GITHUB_"),
)


class Missing(Exception):
    """A client is not there and cannot be installed; the words say why."""


class Package(NamedTuple):
    """A client as npm has it. `variable` names the environment variable that names another program to take."""

    name: str
    version: str
    program: str
    variable: str

    def installed(self) -> Path:
        """The client's program, installed now if it is not there yet. Missing if that cannot be."""
        named = os.environ.get(self.variable, "")
        if named:
            if not Path(named).is_file():
                raise Missing(f"{self.variable} names no file: {named}")
            return Path(named)
        folder = CACHE / f"{self.name.rpartition('/')[2]}-{self.version}"
        program = folder / "node_modules" / ".bin" / self.program
        if not program.exists():
            CACHE.mkdir(parents=True, exist_ok=True)
            (CACHE.parent / ".gitignore").write_text("*\n", encoding="utf-8")
            with (CACHE / "lock").open("w", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # tests run on every core
                if not program.exists():
                    self._install(folder)
        return program

    def _install(self, folder: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise Missing(f"npm is not installed, and {self.variable} names no client")
        making = CACHE / f"making-{self.program}-{os.getpid()}"
        making.mkdir()
        try:
            package = f"{self.name}@{self.version}"
            command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(making), package]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
            if done.returncode:
                raise Missing(f"npm could not install {package}: {done.stderr[-500:]}")
            making.rename(folder)
        finally:
            shutil.rmtree(making, ignore_errors=True)


class Ran(NamedTuple):
    """How a run of the client ended: exit code (negative: the signal), its answer, its output and its stderr.

    `answer` has the keys `session_id` and `result` (the last words), whatever the client calls them; {} if none came.
    """

    code: int
    answer: Mapping[str, Any]
    out: str
    err: str
    seconds: float

    @property
    def session(self) -> str:
        return str(self.answer.get("session_id", ""))


class Compaction(NamedTuple):
    """What brings one about: options of the run, and the usage of the turn before it (None: it comes when a session is
    resumed, before its first request)."""

    options: tuple[str, ...]
    tokens: int | None


class Person:
    """Somebody with a home of their own, who has the client. `environment` is added to every run.

    `mark` stands in the environment of everything that is started, so that what is left running can be told.
    """

    name: ClassVar[str]
    package: ClassVar[Package]

    def __init__(self, client: Path, home: Path, environment: Mapping[str, str] | None = None) -> None:
        self.client, self.home = client, home
        self.mark = uuid.uuid4().hex
        self.environment = dict(environment or {})
        home.mkdir(parents=True, exist_ok=True)
        self.ready()

    # What a driver says of its client.

    def command(self, prompt: str, endpoint: Endpoint, cwd: Path, options: Sequence[str]) -> list[str]:
        """The command line of a run without a person; `options` are the client's own, as a test gives them."""
        raise NotImplementedError

    def ready(self) -> None:
        """Make in the home what every run needs and no variable can say."""

    def own(self, endpoint: Endpoint) -> Mapping[str, str]:
        """The variables that lead the client to the scripted model."""
        raise NotImplementedError

    def seated(self, prompt: str, endpoint: Endpoint, cwd: Path) -> list[str]:
        """The command line of a session at a terminal that begins with a prompt."""
        raise NotImplementedError

    def answer(self, out: str) -> Mapping[str, Any]:
        """What the client printed, as `Ran.answer`."""
        raise NotImplementedError

    def resuming(self, session: str) -> tuple[str, ...]:
        """The options that go on with a session (its id stays)."""
        raise NotImplementedError

    def compacting(self) -> Compaction:
        """What brings a compaction about."""
        raise NotImplementedError

    def record(self, session: str) -> Path:
        """The file in which the client records a session."""
        raise NotImplementedError

    # What is the same for all.

    def variables(self, endpoint: Endpoint | None = None, **more: str) -> dict[str, str]:
        """The whole environment of a run: nothing of clients, of clew, of git or of CI from outside."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(_OURS) and name != "CI"}
        own |= {"HOME": str(self.home), "LC_ALL": "C.UTF-8", MARK: self.mark, "GIT_CONFIG_NOSYSTEM": "1"}
        programs = (Path(sys.executable).parent, self.client.parent)
        own["PATH"] = os.pathsep.join((*map(str, programs), os.environ.get("PATH", os.defpath)))
        if endpoint is not None:
            own |= self.own(endpoint)
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
        return Session(
            self,
            subprocess.Popen(
                self.command(prompt, endpoint, cwd, options),
                cwd=cwd,
                env=self.variables(endpoint, **environment) | {"PWD": str(cwd)},  # OpenCode believes it
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            ),
        )

    def run(
        self, prompt: str, endpoint: Endpoint, cwd: Path, *options: str, seconds: float = 180, **environment: str
    ) -> Ran:
        """Run the client to its end."""
        with self.start(prompt, endpoint, cwd, *options, stdin=subprocess.DEVNULL, **environment) as session:
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
            timeout=180,
        )
        assert code is None or done.returncode == code, (
            f"clew {arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done

    def broken(self) -> list[str]:
        """What failed inside hooks and was not told yet: types and places."""
        return [file.read_text(encoding="utf-8") for file in sorted(self.home.rglob("=clew/broken"))]

    def strays(self) -> dict[int, str]:
        """What runs and was started by this person: command lines by process id. Linux only; {} elsewhere."""
        return dict(_marked(f"{MARK}={self.mark}".encode()))

    def settled(self, seconds: float = 30) -> dict[int, str]:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        self.process.wait()

    def end(self, seconds: float = 180) -> Ran:
        """Wait for its end, after closing its input."""
        out, err = self.process.communicate(timeout=seconds)
        return Ran(self.process.returncode, self.person.answer(out), out, err, time.monotonic() - self._began)

    def kill(self, with_signal: int = signal.SIGKILL) -> None:
        """Kill the client alone, as a crash would; what it started lives on. Some clients are two processes: a script
        that npm has put there, and the program that it starts."""
        packages = str(self.person.client.parent.parent)
        parts = [pid for pid, line in descendants(self.process.pid) if packages in " ".join(line.split(" ")[:3])]
        for pid in (self.process.pid, *parts):
            with suppress(ProcessLookupError):
                os.kill(pid, with_signal)
        self.process.wait()


def wait_for(path: Path, seconds: float = 120) -> None:
    """Until a file is there."""
    limit = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < limit, f"{path.name} did not appear"
        time.sleep(0.02)


Somebody = TypeVar("Somebody", bound=Person)


@contextmanager
def present(person: Somebody) -> Iterator[Somebody]:
    """A person for one test; nothing that they started runs on after it."""
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


def lines_of(out: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects among lines."""
    for line in out.splitlines():
        with suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                yield value


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


def uninstalled(me: Person, project: Path, folder: Path) -> None:
    """The person takes clew out again: at a terminal, since it takes protection away."""
    clew = Path(sys.executable).with_name("clew")
    place = folder / "uninstall"
    done = typed([str(clew), "uninstall"], cwd=project, folder=place, environment=me.variables(None))
    assert done.code == 0, done.out
