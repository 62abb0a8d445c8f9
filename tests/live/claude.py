"""Claude Code itself, without a person at it, against a scripted model, in a home of its own.

The client is the program named by CLEW_CLAUDE, else the pinned version that npm puts into `.cache/clients` (git
ignores that folder).
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.live import people
from tests.live.endpoint import Endpoint
from tests.live.people import Compaction, Missing, Package, Ran, descendants, wait_for

VERSION = "2.1.330"
MODEL = "claude-sonnet-4-5"
TOOLS = "Bash,Read,Edit,Write,Agent,Grep,Glob"
PACKAGE = Package("@anthropic-ai/claude-code", VERSION, "claude", "CLEW_CLAUDE")


def installed() -> Path:
    """The client's program, installed now if it is not there yet. Missing if that cannot be."""
    return PACKAGE.installed()


class Told(NamedTuple):
    """What a hook said, to the model or to the person: at which event, and its words."""

    event: str
    text: str


class Person(people.Person):
    """Somebody who has Claude Code."""

    name = "claude-code"
    package = PACKAGE

    def command(self, prompt: str, endpoint: Endpoint, cwd: Path, options: Sequence[str]) -> list[str]:
        command = [str(self.client), "-p", *((prompt,) if prompt else ()), "--model", MODEL]
        command += ["--allowedTools", f"{TOOLS},mcp__clew"]
        if not any(option.startswith("--output-format") for option in options):
            command += ["--output-format", "json"]
        return [*command, *options]

    def own(self, endpoint: Endpoint) -> Mapping[str, str]:
        return {
            "ANTHROPIC_BASE_URL": endpoint.url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }

    def answer(self, out: str) -> Mapping[str, Any]:
        return _answer(out)

    def resuming(self, session: str) -> tuple[str, ...]:
        return "--resume", session

    def compacting(self) -> Compaction:
        return Compaction(("--autocompact", "100000"), 150_000)

    def record(self, session: str) -> Path:
        return self.transcript(session)

    def live(self, endpoint: Endpoint, cwd: Path, *options: str, **environment: str) -> Live:
        """Start a client that takes one prompt after the other (`Session.prompt`) until `Session.end`."""
        streaming = ("--input-format", "stream-json", "--output-format=stream-json", "--verbose")
        started = self.start("", endpoint, cwd, *streaming, *options, stdin=subprocess.PIPE, **environment)
        return Live(self, started.process)

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


class Live(people.Session):
    """A client that takes one prompt after the other."""

    def prompt(self, text: str, seconds: float = 180) -> Mapping[str, Any]:
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


@contextmanager
def somebody(client: Path, home: Path, **environment: str) -> Iterator[Person]:
    """A person for one test; nothing that they started runs on after it."""
    person = Person(client, home, environment)
    with people.present(person):
        yield person


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


Session = people.Session

__all__: Sequence[str] = ("Missing", "Person", "Ran", "Session", "descendants", "installed", "somebody", "wait_for")
