"""A server as clients start it: a process of its own, spoken to line by line."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from clew.app.project.runtime_dirs import opt_in
from clew.clients.installing import HookCommand, server_command
from tests.app.recorders import Shop

CLIENT = {"name": "codex-mcp-client", "version": "0.169.0"}


class Place:
    """A project of somebody's, `shop`, in which they opted in, and a folder where they did not."""

    def __init__(self, folder: Path) -> None:
        self.shop = Shop(folder)
        self.data = self.shop.home / ".local" / "share" / "clew"
        opt_in(self.data, self.shop.top)
        self.foreign = folder / "foreign"
        self.foreign.mkdir()

    @property
    def command(self) -> list[str]:
        """What `clew init` writes into clients' settings."""
        start = server_command(HookCommand(sys.executable, ()))
        return [start.program, *start.arguments]

    def environment(self, **more: str) -> dict[str, str]:
        """As little as Codex hands on."""
        return {"HOME": str(self.shop.home), "PATH": os.environ.get("PATH", os.defpath), **more}


class Server:
    """A server that runs. What it says is read with a limit; leaving the block ends it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._held = b""

    def write(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def send(self, method: str, number: int | str | None = None, /, **params: Any) -> None:
        """Send a message; with a number it is a request."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        self.write(json.dumps({**message, **({"id": number} if number is not None else {})}).encode() + b"\n")

    def heard(self, seconds: float = 60) -> dict[str, Any]:
        """The next message."""
        assert self.process.stdout is not None
        limit = time.monotonic() + seconds
        while b"\n" not in self._held:
            left = limit - time.monotonic()
            assert left > 0, "the server says nothing"
            if select.select([self.process.stdout], [], [], left)[0]:
                block = os.read(self.process.stdout.fileno(), 1 << 16)
                assert block, "the server has closed its end"
                self._held += block
        line, _, self._held = self._held.partition(b"\n")
        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    def asked(self, method: str, number: int | str, /, **params: Any) -> Any:
        """The result of a request."""
        self.send(method, number, **params)
        answer = self.heard()
        assert number == answer["id"]
        return answer["result"]

    def shake_hands(self, *, about: Mapping[str, str] = CLIENT, able: Mapping[str, Any] | None = None) -> Any:
        """The handshake; what the server says of itself."""
        said = self.asked(
            "initialize", "hello", protocolVersion="2025-06-18", capabilities=able or {}, clientInfo=dict(about)
        )
        self.send("notifications/initialized")
        return said

    def call(self, name: str, number: int = 7, /, **given: Any) -> tuple[bool, str]:
        """Whether a tool failed, and its text."""
        result = self.asked("tools/call", number, name=name, arguments=given)
        (content,) = result["content"]
        return bool(result["isError"]), str(content["text"])

    def end(self, seconds: float = 20) -> tuple[int, bytes]:
        """Close its input; its exit code and what it said on stderr."""
        assert self.process.stdin is not None and self.process.stderr is not None
        self.process.stdin.close()
        return self.process.wait(seconds), self.process.stderr.read()


@contextmanager
def serving(
    place: Place,
    folder: Path | None = None,
    *,
    options: Sequence[str] = (),
    command: Sequence[str] = (),
    **environment: str,
) -> Iterator[Server]:
    """A server for a client that was started in `folder` (default: the project); `options` are the interpreter's,
    `command` is another one than what `clew init` writes.
    """
    program, *arguments = command or place.command
    process = subprocess.Popen(
        [program, *options, *arguments],
        cwd=folder or place.shop.top,
        env=place.environment(**environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield Server(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
