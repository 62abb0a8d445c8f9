"""A model on loopback that says what a script tells it to say, to every client in the client's own protocol.

    with Endpoint([say("I look.", bash("cat a.py")), say("Done.")]) as endpoint:
        …start a client with its base URL set to endpoint.url…
    assert "what must have reached the model" in said_to_model(endpoint.main[0])

What the client asks besides (titles, topics: requests that offer no tools) gets harmless text and takes nothing from
the script; its own request for a summary gets `summary`; sub-agents have scripts of their own, found by a word of
their prompt. Every request is kept whole, so that a test can tell what the model really saw.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, takewhile
from types import TracebackType
from typing import Any, Final

from tests.live.protocols import Wire, chat, gemini, messages, responses
from tests.live.script import OUT_OF_SCRIPT, Call, Request, Said, Scripted, Turn, asks, bash, edit, read, say, write

WIRES: Final[tuple[Wire, ...]] = (messages, responses, chat, gemini)
DEFAULT_SUMMARY = "Nothing of note was said."


def too_long() -> Turn:
    """The answer to a request that does not fit: the client compacts and tries again."""
    return Turn(error=(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"))


class Endpoint:
    """The scripted model. `url` is its base URL; `requests` are all that reached it, oldest first.

    `script` is one answer after the other to the main conversation, `agents` maps a word of a sub-agent's prompt to
    the sub-agent's answers, and `asked` a word of a prompt that may come without tools to its answer, however often it
    comes. An answer can be made from the request. After its end the script says OUT_OF_SCRIPT.
    """

    def __init__(
        self,
        script: Iterable[Scripted] = (),
        *,
        summary: str = DEFAULT_SUMMARY,
        agents: Mapping[str, Iterable[Scripted]] | None = None,
        asked: Mapping[str, Scripted] | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.failures: list[BaseException] = []
        self.summary = summary
        self._script = list(script)
        self._agents = {word: list(turns) for word, turns in (agents or {}).items()}
        self._asked = dict(asked or {})
        self._lock = threading.Lock()
        self._ids = count(1)
        endpoint = self

        class Handler(_Handler):
            model = endpoint

        self._handler = Handler
        self._back: threading.Timer | None = None
        self.server: ThreadingHTTPServer | None = self._listening(0)
        self._port = self.server.server_port
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Endpoint:
        assert self.server is not None
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._back is not None:
            self._back.join()
        self._close()
        if error is None and self.failures:
            raise self.failures[0]

    def then(self, *turns: Scripted) -> None:
        """Go on with the script, for the next session at the same model."""
        with self._lock:
            self._script.extend(turns)

    def away(self, seconds: float) -> None:
        """Be gone for so long: nobody listens, and what was asked is not answered. A turn's `wait` may say so."""
        self._close()
        self._back = threading.Timer(seconds, self._return)
        self._back.start()

    def of_kind(self, kind: str) -> list[Request]:
        with self._lock:
            return [request for request in self.requests if request.kind == kind]

    @property
    def main(self) -> list[Request]:
        """What reached the model in main conversations."""
        return self.of_kind("main")

    @property
    def left(self) -> int:
        """Answers of the script that nobody asked for yet."""
        return len(self._script)

    def answer(self, wire: Wire, body: Mapping[str, Any], headers: Mapping[str, str]) -> Turn:
        """The answer to a request, which is kept. Called by the server's threads."""
        seen = tuple(wire.seen(body))
        with self._lock:
            kind, script = self._kind(wire, body, seen)
            request = Request(kind, body, headers, seen, tuple(wire.injected(body)))
            self.requests.append(request)
            if kind == "aside":
                return say("A title")
            if kind == "asked":
                script = [next(turn for word, turn in self._asked.items() if _asks(word, seen))]
            if kind == "summary":
                return say(wire.summary(self.summary))
            scripted = script.pop(0) if script else say(OUT_OF_SCRIPT)
        return scripted if isinstance(scripted, Turn) else scripted(request)

    def _kind(self, wire: Wire, body: Mapping[str, Any], seen: tuple[Said, ...]) -> tuple[str, list[Scripted]]:
        prompt = _prompt(seen)
        if wire.summarises(body):
            return "summary", []
        if any(_asks(word, seen) for word in self._asked):
            return "asked", []
        if not wire.offers(body):
            return "aside", []
        for word, turns in self._agents.items():
            if word in prompt:
                return "agent", turns
        return "main", self._script

    def _listening(self, port: int) -> ThreadingHTTPServer:
        server = ThreadingHTTPServer(("127.0.0.1", port), self._handler)
        server.daemon_threads = True
        return server

    def _close(self) -> None:
        server, self.server = self.server, None
        assert server is not None
        server.shutdown()
        server.server_close()

    def _return(self) -> None:
        self.server = self._listening(self._port)
        self.__enter__()

    def next_id(self) -> int:
        return next(self._ids)


def _asks(word: str, seen: tuple[Said, ...]) -> bool:
    """Whether the word stands in what the user said last, which clients follow with things of their own."""
    return any(word in said.text for said in [one for one in seen if one.role == "user"][-3:])


def _prompt(seen: tuple[Said, ...]) -> str:
    """What stands before the model's first words: the first prompt, and what the client adds to it."""
    return "\n".join(said.text for said in takewhile(lambda said: said.role != "model", seen) if said.role == "user")


def said_to_model(request: Request) -> str:
    """Everything that the model saw of a request: system text, every message, every tool that it is offered."""
    return "\n".join(said.text for said in request.seen)


def said_anew(requests: list[Request], index: int) -> str:
    """What stands in a request and did not stand in the one before it (blocks of text that are new)."""
    before = set(requests[index - 1].seen) if index else set()
    return "\n".join(said.text for said in requests[index].seen if said not in before)


def reminders(request: Request, event: str) -> list[str]:
    """The texts of hooks for one event as Claude Code shows them to the model, in order."""
    opening = f"<system-reminder>\n{event} hook additional context: "
    return [
        part.partition("\n</system-reminder>")[0]
        for said in request.seen
        if said.role != "tools"
        for part in said.text.split(opening)[1:]
    ]


def results(request: Request) -> list[Said]:
    """The results of tools that a request holds, in order."""
    return [said for said in request.seen if said.role == "result"]


class _Handler(BaseHTTPRequestHandler):
    model: Endpoint
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """The requests themselves are the log."""

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        self._json(200, {"data": []})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.server is not self.model.server:  # a connection from before it went away
            self.close_connection = True
            return None
        path = self.path.partition("?")[0]
        try:
            body = json.loads(raw)
        except ValueError:
            return self._json(400, {"error": {"type": "invalid_request_error", "message": "no JSON"}})
        for wire in WIRES:
            if (counted := wire.counted(path, len(raw))) is not None:
                return self._json(200, counted)
            if wire.asked(path, body):
                return self._answer(wire, path, body)
        return self._json(200, {})

    def _answer(self, wire: Wire, path: str, body: Mapping[str, Any]) -> None:
        turn = self.model.answer(wire, body, {name.lower(): value for name, value in self.headers.items()})
        try:
            if turn.wait is not None:
                turn.wait()
        except BaseException as failure:
            self.model.failures.append(failure)
            return self._json(400, wire.refusal("invalid_request_error", "the script failed"))
        if self.server is not self.model.server:
            self.close_connection = True
            return None
        if turn.error is not None and turn.error[0] != 200:
            status, kind, words = turn.error
            refused: Any = wire.refusal(kind, words)
            refused["error"] |= turn.details
            return self._send(status, json.dumps(refused).encode(), headers=turn.headers)
        kind, data = wire.reply(turn, path, body, self.model.next_id())
        return self._send(200, data, kind)

    def _json(self, status: int, value: object) -> None:
        self._send(status, json.dumps(value).encode())

    def _send(
        self, status: int, raw: bytes, kind: str = "application/json", headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(raw)))
            self.send_header("request-id", f"req_scripted{self.model.next_id():06}")
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(raw)
        except OSError:
            self.close_connection = True  # the client was killed while it waited


__all__ = (
    "OUT_OF_SCRIPT",
    "Call",
    "Endpoint",
    "Request",
    "Said",
    "Scripted",
    "Turn",
    "asks",
    "bash",
    "edit",
    "read",
    "reminders",
    "results",
    "said_anew",
    "said_to_model",
    "say",
    "too_long",
    "write",
)
