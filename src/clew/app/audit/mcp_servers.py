"""What the tools of the MCP servers cost that a client is told to start: each is started, asked for its tools, ended.

Asked for with `clew audit --mcp` only: it runs what the settings name. Those of the user's own settings count; what a
file of the project names is run for a person alone, since anybody may have written it.
"""

from __future__ import annotations

import json
import queue
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, TypeAlias

from clew.app.context.window import regular_bytes
from clew.app.ports import Ports
from clew.app.project.authority import require_person
from clew.clients.fields import inner, text
from clew.clients.jsonc import parse, plain
from clew.clients.registry import spec_of
from clew.core.text.cleaning import clean, one_line, shorten
from clew.core.text.tokens import estimate
from clew.workspace.streaming import converse

TIMEOUT_S: Final = 15
_BYTES_MAX: Final = 8 << 20
_SERVERS_MAX: Final = 40
_LIST: Final = 2
_HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "clew-audit", "version": "0"},
}


# What a server answered, in its order; None behind the last one.
Answers: TypeAlias = "queue.SimpleQueue[dict[str, Any] | None]"


class McpServer(NamedTuple):
    """A server that is started with `command`; `place` is the file that says so, `is_own` one of the user's own."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    place: Path
    is_own: bool


class Measured(NamedTuple):
    """What a server offers: `tokens` of the schemas of its `tools`. `problem` is why it could not be asked, ""."""

    name: str
    tools: int
    tokens: int
    problem: str = ""


def servers(ports: Ports, client: str, root: Path) -> list[McpServer]:
    """The servers over stdio that the settings of `client` name in the project at `root`; later files win."""
    user = Path(ports.environment.get("HOME") or Path.home())
    spec = spec_of(client)
    places = [(path, True) for path in spec.servers_of(ports.environment, user)] if spec else []
    places += [(root / name, False) for name in spec.project_servers] if spec else []
    found: dict[str, McpServer] = {}
    for place, is_own in places:
        for name, row in _rows(place, root):
            command = row.get("command")
            words = command if isinstance(command, list) else [command, *(row.get("args") or ())]
            if not all(isinstance(one, str) and one for one in words) or row.get("enabled") is False:
                continue
            given = {**inner(row, "env"), **inner(row, "environment")}
            environment = {key: value for key, value in given.items() if isinstance(value, str)}
            found[name] = McpServer(name, tuple(words), environment, place, is_own)
    return list(found.values())[:_SERVERS_MAX]


def measure(
    ports: Ports, found: list[McpServer], root: Path, tell: Callable[[str], None], timeout_s: float = TIMEOUT_S
) -> list[Measured]:
    """Ask each of the servers, one after the other. Raises `NotAllowed` where a file of the project names one and
    nobody but a person may have it run.
    """
    foreign = [one for one in found if not one.is_own]
    if foreign:
        lines = "\n".join(f"{one.name}: {' '.join(one.command)}" for one in foreign)
        deed = f"start the MCP server {foreign[0].name}, which {foreign[0].place} names"
        require_person(ports.channel(), "server", deed, about=lambda: lines)
    made = []
    for one in found:
        tell(one.name)
        made.append(_asked(one, {**ports.environment, **one.environment}, root, timeout_s))
    return made


def _rows(place: Path, root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    data = regular_bytes(place)
    values: Any = {}
    with suppress(ValueError, RecursionError):  # whoever owns it will hear of it from its client
        if data:
            words = data.decode()
            node = None if place.suffix == ".toml" else parse(words)
            values = tomllib.loads(words) if node is None else plain(words, node)
    for held in (values, inner(inner(values, "projects"), str(root))) if isinstance(values, dict) else ():
        for table in ("mcpServers", "mcp_servers", "mcp"):
            for name, row in inner(held, table).items():
                if isinstance(row, dict) and not text(row, "url", "httpUrl"):
                    yield name, row


def _asked(server: McpServer, environment: Mapping[str, str], root: Path, timeout_s: float) -> Measured:
    answers: Answers = queue.SimpleQueue()
    answer: dict[str, Any] = {}
    deadline = time.monotonic() + timeout_s
    try:
        with converse(server.command, environment=environment, folder=root, ends=True) as (sink, source):
            threading.Thread(target=_listen, args=(source, answers), daemon=True).start()
            with suppress(OSError):  # it ended while it was spoken to
                _send(sink, {"id": 1, "method": "initialize", "params": _HELLO})
                answer = _answer(answers, 1, deadline)
                if "result" in answer:
                    answer = {}
                    _send(sink, {"method": "notifications/initialized"})
                    _send(sink, {"id": _LIST, "method": "tools/list"})
                    answer = _answer(answers, _LIST, deadline)
    except OSError as error:
        return Measured(server.name, 0, 0, f"it cannot be started: {error.strerror or type(error).__name__}")
    tools = inner(answer, "result").get("tools")
    if not isinstance(tools, list):
        said = shorten(one_line(clean(text(inner(answer, "error"), "message"))), 160)
        return Measured(server.name, 0, 0, said or f"it did not answer in {timeout_s:.0f} s")
    return Measured(server.name, len(tools), sum(estimate(_schema(one)) for one in tools))


def _schema(tool: Any) -> str:
    """What of a tool reaches the model."""
    told = (
        {key: tool[key] for key in ("name", "description", "inputSchema") if key in tool}
        if isinstance(tool, dict)
        else {}
    )
    return json.dumps(told, ensure_ascii=False)


def _send(sink: IO[bytes], message: dict[str, Any]) -> None:
    sink.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    sink.flush()


def _listen(source: IO[bytes], answers: Answers) -> None:
    held = 0
    with suppress(OSError, ValueError):  # the pipe is closed under it
        while held < _BYTES_MAX and (line := source.readline(_BYTES_MAX)):
            held += len(line)
            with suppress(ValueError, RecursionError):
                told = json.loads(line)
                if isinstance(told, dict) and ("result" in told or "error" in told):
                    answers.put(told)
    answers.put(None)


def _answer(answers: Answers, wanted: int, deadline: float) -> dict[str, Any]:
    """The answer to a request, {} if there is none in time."""
    while (left := deadline - time.monotonic()) > 0:
        try:
            told = answers.get(timeout=left)
        except queue.Empty:
            break
        if told is None:
            break
        if told.get("id") == wanted:
            return told
    return {}
