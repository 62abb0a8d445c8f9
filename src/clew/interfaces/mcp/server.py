"""`clew mcp`: a JSON-RPC server on stdin and stdout for clew's own tools (docs/reference/mcp.md).

The main thread reads, and answers at once what needs no ledger; one other thread lists and calls tools, in the order in
which they were asked for. What is imported here is imported before the first answer, so it is little.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePath
from queue import Empty, Queue
from threading import Thread
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

from clew import __version__, wiring
from clew.app.ports import TASK_VARIABLE
from clew.app.project import runtime_dirs as places
from clew.app.project.location import locate
from clew.clients.launching import ASKED
from clew.clients.registry import specs
from clew.clients.spec import ClientSpec
from clew.core.errors import Unavailable
from clew.core.runtime_dir import live_folder
from clew.interfaces.hook.full import Near
from clew.interfaces.hook.wire import dialect_of
from clew.interfaces.mcp.pipe import Pipe
from clew.interfaces.mcp.tools import INSTRUCTIONS, PROMPT_TEXT, PROMPTS, listing

# Clients that start a server in the project's folder (each was tried), by their names in the handshake
CLIENTS: Final[Mapping[str, ClientSpec]] = {spec.handshake: spec for spec in specs() if spec.handshake}


def started_in(environment: Mapping[str, str]) -> Path | None:
    """The folder that the client was started in; None if it is gone."""
    variables = (spec.server_place for spec in CLIENTS.values())
    told = next((environment[name] for name in variables if environment.get(name)), "")
    if told:
        return Path(told)
    try:
        return Path.cwd()
    except OSError:
        return None


def is_opted_in(data: Path, folder: Path | None) -> bool:
    """Whether a person ran `clew init` for the work tree of `folder`, or another one of its repository. `data` is the
    user's data folder of clew. Looks; makes nothing.
    """
    if folder is None or not folder.is_absolute():
        return False
    try:
        return places.is_opted_in(str(data), locate(folder))
    except (OSError, ValueError):
        return False


def folders_of(roots: Iterable[str]) -> list[Path]:
    """The folders on this machine among a client's roots (URIs), in their order."""
    found = []
    for uri in roots:
        parts = urlsplit(uri)
        if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path.startswith("/"):
            found.append(Path(unquote(parts.path)))
    return found


def asking_session(
    data: Path, folder: Path, parent: int, client: str, meta: Mapping[str, Any], environment: Mapping[str, str]
) -> str:
    """The id of the session that calls a tool, "" unknown. `client` is its name in the handshake.

    Some send it with each call; the same from any other is somebody's word. Some tell it when they start the server,
    which lives on when the session is cleared: so first the session is looked for whose client is the process that
    started us (`parent`). What another client inherits of such a variable is another session's.
    """
    spec = CLIENTS.get(client)
    told = meta.get("sessionId") if spec and spec.session_in_calls else None
    if isinstance(told, str) and told:
        return told
    live = live_folder(str(data), str(folder))
    started = environment.get(spec.server_session, "") if spec and spec.server_session else ""
    return places.session_of(live, parent) or started


# Whether a person sits at the client that started the server, told by how the client itself was started.
#
# No client tells a server. In a headless run a tool list is text that nobody asked for, as a payload would be.

# A program may be run by another one: node, bun, a wrapper.
_PROGRAM_AT_MAX: Final = 4


class ClientSeen(Protocol):
    """What a program sees of the client that started it: its command line, () unknown, whether a terminal is its input,
    and the program's own environment.
    """

    @property
    def argv(self) -> Sequence[str]: ...
    @property
    def at_terminal(self) -> bool: ...
    @property
    def environment(self) -> Mapping[str, str]: ...


def is_attended(seen: ClientSeen) -> bool:
    """Whether a person sits at the client; True where nothing tells. Claude Code says it in a variable, for others it
    is what their command line says, or the rule that their hooks follow.
    """
    told = seen.environment.get("CLAUDE_CODE_SESSION_ATTENDED", "")
    if told:
        return told != "0"
    client, words = _command(seen.argv)
    if client is None or client.terminal_rule:
        return client is None or bool(dialect_of(client.name).attended({}, seen))
    # Which options take the word behind them as a value only the client knows: so each word may be the command. A
    # person whose value or prompt is such a word sits there without our tools.
    words = words[: words.index("--")] if "--" in words else words
    return not any(word in client.unattended or _asks(word, client.unattended) for word in words)


def _asks(word: str, options: Sequence[str]) -> bool:
    """Whether a word is one of `options`, also with its value in it (`--prompt=x`) or among short ones (`-yp`)."""
    if word.startswith("--"):
        return word.partition("=")[0] in options
    return word.startswith("-") and any(option[1] in word for option in options if option[0] == "-" != option[1])


def _command(argv: Sequence[str]) -> tuple[ClientSpec | None, Sequence[str]]:
    """The client whose program stands in a command line, and what is behind it."""
    for at, word in enumerate(argv[:_PROGRAM_AT_MAX]):
        parts = [part.partition(".")[0] for part in PurePath(word).parts]
        found = [spec for spec in specs() if parts and parts[-1] == spec.program]
        found += [spec for spec in specs() if any(part.startswith(f"{spec.program}-") for part in parts)]
        if found:
            return found[0], argv[at + 1 :]
    return None, ()


# Protocol versions that begin with a handshake, and the one whose requests each say who asks.
VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS: Final = "2026-07-28"
_ABOUT: Final = {"name": "clew", "version": __version__}
_KEY: Final = "io.modelcontextprotocol/"
_NO_METHOD, _BAD_PARAMS, _FAULT = -32601, -32602, -32603
# How long a client that closed its end is still given answers: a call takes at most what an intake may.
_ANSWERED_S: Final = 15.0
_ROOTS_S: Final = 3.0
_CLIENT_CHARS: Final = 40
# Half a character (a surrogate), which JSON can write and UTF-8 cannot.
_ESCAPED_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_HALF: Final = re.compile("[\ud800-\udfff]")


class Client(NamedTuple):
    """Who is connected, in its own words; `has_roots`: it can be asked which folders are open in it."""

    name: str = ""
    has_roots: bool = False


class ToolRequest(NamedTuple):
    """What the client wants of the tools; `number` is None for a notification."""

    number: str | int | None
    method: str
    params: Mapping[str, Any]


def run(environment: Mapping[str, str] = os.environ) -> None:
    """Serve the client on stdin and stdout until it is gone. Raises `Unavailable`: there is no stdin."""
    if sys.stdin is None:
        raise Unavailable("there is no stdin to read from", code="E-no-mcp", hint="Clients start it.")
    server = Server(Pipe(), environment)
    # Clients interrupt a server to end it. Python's own way would wait for the thread that waits for the client.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    server.serve()


class Server:
    """The connection to one client."""

    def __init__(self, pipe: Pipe, environment: Mapping[str, str]) -> None:
        self._pipe = pipe
        self._environment = environment
        self._parent = os.getppid()
        self._data = wiring.user_folder(environment, "data")
        self._started_in = started_in(environment)
        self._is_wanted = cache(lambda: _is_wanted(environment))
        self._client = Client()
        self._prompts: tuple[dict[str, Any], ...] = ()
        self._requests: Queue[ToolRequest | None] = Queue()
        # Requests to be answered: one that is cancelled is not.
        self._open: set[str | int] = set()
        # The client's roots, None: to be asked for; the number of that question; answers to questions.
        self._roots: list[Path] | None = None
        self._questions = 0
        self._answers: Queue[dict[str, Any]] = Queue()

    def serve(self) -> None:
        """Answer until the client closes its end or is gone; what was asked before is answered then."""
        worker = Thread(target=self._work, daemon=True)
        worker.start()
        while (line := self._pipe.line()) is not None and not self._pipe.gone:
            self._hear(line)
        self._requests.put(None)
        limit = time.monotonic() + _ANSWERED_S
        while worker.is_alive() and not self._pipe.gone and time.monotonic() < limit:
            worker.join(0.1)

    def _hear(self, line: bytes) -> None:
        """Take one message in. What is none gets no answer."""
        message = _parsed(line)
        method, number, params = message.get("method"), message.get("id"), message.get("params") or {}
        if not isinstance(method, str):
            self._answers.put(message)
        elif isinstance(number, bool) or not isinstance(number, str | int):
            self._notice(method, params)
        elif not isinstance(params, dict):
            self._send(number, error=(_BAD_PARAMS, "Invalid request parameters", ""))
        elif method in ("tools/list", "tools/call"):
            self._open.add(number)
            self._requests.put(ToolRequest(number, method, params))
        elif (result := self._result(method, params)) is not None:
            self._send(number, result)
        else:
            self._send(number, error=(_NO_METHOD, "Method not found", method))

    def _notice(self, method: str, params: Any) -> None:
        """Take in what wants no answer."""
        if method == "notifications/roots/list_changed":
            self._requests.put(ToolRequest(None, method, {}))
        elif method == "notifications/cancelled" and isinstance(params, dict):
            number = params.get("requestId")
            self._open -= {number} if isinstance(number, (str, int)) else set()

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """The result of a request that is answered at once; None: there is no such method."""
        if method == "initialize":
            return self._shake_hands(params)
        if method == "ping":
            return {}
        if method == "prompts/list" and self._prompts:
            return {"prompts": list(self._prompts)}
        if method == "prompts/get" and self._prompts:
            return {"messages": [{"role": "user", "content": {"type": "text", "text": PROMPT_TEXT}}]}
        return None

    def _shake_hands(self, params: dict[str, Any]) -> dict[str, Any]:
        self._client = _client(params.get("clientInfo"), params.get("capabilities"))
        offers = self._acts_in(self._started_in)
        known = CLIENTS.get(self._client.name)
        # It shows its person an error where a server offers nothing at all; of a prompt the model hears nothing.
        if not offers and known is not None and known.wants_prompt:
            self._prompts = PROMPTS
        version = params.get("protocolVersion")
        kinds = ("tools", "prompts") if self._prompts else ("tools",)
        result: dict[str, Any] = {
            "protocolVersion": version if version in VERSIONS else VERSIONS[-1],
            "capabilities": {kind: {"listChanged": False} for kind in kinds},
            "serverInfo": _ABOUT,
        }
        # Who has to be asked where it stands may stand elsewhere, and instructions cannot be taken back.
        if offers and not self._client.has_roots:
            result["instructions"] = INSTRUCTIONS
        return result

    def _work(self) -> None:
        """List and call tools, one request after the other: each call has the ledger to itself, as a command has."""
        while (request := self._requests.get()) is not None:
            if request.number is None:
                self._roots = None
            elif request.number in self._open:
                self._settle(request.number, request)

    def _settle(self, number: str | int, request: ToolRequest) -> None:
        about = request.params.get("_meta")
        meta: dict[str, Any] = about if isinstance(about, dict) else {}
        is_stateless = meta.get(f"{_KEY}protocolVersion") == STATELESS
        client = _client(meta.get(f"{_KEY}clientInfo"), None) if is_stateless else self._client
        result: dict[str, Any] | None = None
        error = (_BAD_PARAMS, "Invalid request parameters", "")
        try:
            result = self._call(client, request.params, meta) if request.method == "tools/call" else self._list(client)
        except Exception as fault:  # its words may be anybody's
            error = (_FAULT, f"internal error: {type(fault).__name__}", "")
        if is_stateless and result is not None:
            result |= {"resultType": "complete", "_meta": {f"{_KEY}serverInfo": _ABOUT}}
            result |= {"cacheScope": "private", "ttlMs": 0} if request.method == "tools/list" else {}
        if number in self._open:
            self._open.discard(number)
            self._send(number, result, error=error)

    def _list(self, client: Client) -> dict[str, Any]:
        return {"tools": listing() if self._folder(client) is not None else []}

    def _call(self, client: Client, params: Mapping[str, Any], meta: Mapping[str, Any]) -> dict[str, Any] | None:
        """The result of calling a tool; None for what is no call."""
        name, given = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or not isinstance(given, dict | None):
            return None
        from clew.interfaces.mcp.handlers import Caller, call  # here: clients wait for the list of tools, not for this

        folder, session = self._folder(client), ""
        if folder is not None:
            session = asking_session(self._data, folder, self._parent, client.name, meta, self._environment)
        known = CLIENTS.get(client.name)
        by = Caller((known.name if known is not None else client.name)[:_CLIENT_CHARS], session, folder)
        reply = call(wiring.ports(self._environment), by, name, given or {})
        return {"content": [{"type": "text", "text": reply.text}], "isError": reply.failed}

    def _folder(self, client: Client) -> Path | None:
        """The folder of the project that is served, None where clew may not act: of the client's roots the first one
        where it may, if it has roots and is none that starts us in the project's folder; else where it was started.
        """
        if client.has_roots:
            if self._roots is None:
                self._roots = self._ask_roots()
            if self._roots:
                return next(filter(self._acts_in, self._roots), None)
        return self._started_in if self._acts_in(self._started_in) else None

    def _ask_roots(self) -> list[Path]:
        """The folders that the client says are open in it; none if it does not answer, or in another way."""
        self._questions += 1
        number, limit = f"roots-{self._questions}", time.monotonic() + _ROOTS_S
        self._pipe.write(_line({"id": number, "method": "roots/list"}))
        with suppress(Empty, KeyError, TypeError):
            while (answer := self._answers.get(timeout=max(0.0, limit - time.monotonic()))).get("id") != number:
                pass
            return folders_of(str(root["uri"]) for root in answer["result"]["roots"])
        return []

    def _acts_in(self, folder: Path | None) -> bool:
        return is_opted_in(self._data, folder) and self._is_wanted()

    def _send(self, number: object, result: Mapping[str, Any] | None = None, *, error: Any = None) -> None:
        """Answer with a result, or else with an error: its code, its message, and the data to it ("" none)."""
        if result is not None:
            self._pipe.write(_line({"id": number, "result": result}))
            return
        code, message, data = error
        told = {"code": code, "message": message, **({"data": data} if data else {})}
        self._pipe.write(_line({"id": number, "error": told}))


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n"


def _parsed(line: bytes) -> dict[str, Any]:
    """The message in a line, with U+FFFD in place of what is not UTF-8 and of each half of a character; {} for none."""
    text = line.decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        message = json.loads(text)
        if _ESCAPED_HALF.search(text):
            message = json.loads(_HALF.sub("\ufffd", json.dumps(message, ensure_ascii=False)))
        if isinstance(message, dict) and message.get("jsonrpc") == "2.0":
            return message
    return {}


def _client(about: object, able: object) -> Client:
    """A client by its own words. One that starts us in the project's folder is not asked for roots."""
    name = str(about.get("name", "")) if isinstance(about, dict) else ""
    return Client(name, isinstance(able, dict) and able.get("roots") is not None and name not in CLIENTS)


def _is_wanted(environment: Mapping[str, str]) -> bool:
    """Whether somebody sits at the client, or said which task a run without anybody is for."""
    if environment.get(ASKED):  # clew itself runs the client
        return False
    if environment.get(TASK_VARIABLE, "").strip():
        return True
    return is_attended(Near(environment))
