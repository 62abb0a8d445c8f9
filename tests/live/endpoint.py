"""A model on loopback that says what a script tells it to say, in the streaming form of Anthropic's Messages API.

    with Endpoint([say("I look.", bash("cat a.py")), say("Done.")]) as endpoint:
        …start the client with ANTHROPIC_BASE_URL=endpoint.url…
    assert "what must have reached the model" in said_to_model(endpoint.main[0])

What the client asks besides (titles, topics: requests that offer no tools) gets harmless text and takes nothing from
the script; its own request for a summary gets `summary`; sub-agents have scripts of their own, found by a word of
their prompt. Every request is kept whole, so that a test can tell what the model really saw.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias

SUMMARISE = "Your task is to create a detailed summary of the"
OUT_OF_SCRIPT = "The script is over."
DEFAULT_SUMMARY = "<analysis>x</analysis><summary>Nothing of note was said.</summary>"


class Call(NamedTuple):
    """A tool call that the model makes."""

    tool: str
    input: Mapping[str, Any]


class Turn(NamedTuple):
    """One answer of the model.

    `tokens` is the usage that it reports for what it was sent. `error` is (status, kind, words) in place of an answer.
    `wait` is called before the answer is sent; what it raises ends the session, and the test where it leaves the model.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: int = 1000
    error: tuple[int, str, str] | None = None
    wait: Callable[[], object] | None = None


class Request(NamedTuple):
    """A request that reached the model: `kind` is main, agent (a sub-agent's), summary, or aside (no tools)."""

    kind: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]


Scripted: TypeAlias = "Turn | Callable[[Request], Turn]"


def say(text: str, *calls: Call, tokens: int = 1000, wait: Callable[[], object] | None = None) -> Turn:
    """The model says something and calls tools."""
    return Turn(text, calls, tokens, wait=wait)


def too_long() -> Turn:
    """The answer to a request that does not fit: the client compacts and tries again."""
    return Turn(error=(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"))


def bash(command: str, **more: Any) -> Call:
    return Call("Bash", {"command": command, "description": "scripted command", **more})


def read(path: object) -> Call:
    return Call("Read", {"file_path": str(path)})


def edit(path: object, old: str, new: str) -> Call:
    return Call("Edit", {"file_path": str(path), "old_string": old, "new_string": new})


def write(path: object, content: str) -> Call:
    return Call("Write", {"file_path": str(path), "content": content})


def summary_of(text: str) -> str:
    """A summary in the form that the client asks for."""
    return f"<analysis>x</analysis><summary>{text}</summary>"


class Endpoint:
    """The scripted model. `url` is its base URL; `requests` are all that reached it, oldest first.

    `script` is one answer after the other to the main conversation, `agents` maps a word of a sub-agent's prompt to
    the sub-agent's answers. An answer can be made from the request. After its end the script says OUT_OF_SCRIPT.
    """

    def __init__(
        self,
        script: Iterable[Scripted] = (),
        *,
        summary: str = DEFAULT_SUMMARY,
        agents: Mapping[str, Iterable[Scripted]] | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.failures: list[BaseException] = []
        self.summary = summary
        self._script = list(script)
        self._agents = {word: list(turns) for word, turns in (agents or {}).items()}
        self._lock = threading.Lock()
        self._ids = count(1)
        endpoint = self

        class Handler(_Handler):
            model = endpoint

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Endpoint:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if error is None and self.failures:
            raise self.failures[0]

    def then(self, *turns: Scripted) -> None:
        """Go on with the script, for the next session at the same model."""
        with self._lock:
            self._script.extend(turns)

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

    def answer(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Turn:
        """The answer to a request, which is kept. Called by the server's threads."""
        with self._lock:
            request, script = self._kind(body, headers)
            self.requests.append(request)
            if request.kind == "aside":
                return say("A title")
            if request.kind == "summary":
                return say(self.summary)
            scripted = script.pop(0) if script else say(OUT_OF_SCRIPT)
        return scripted if isinstance(scripted, Turn) else scripted(request)

    def _kind(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[Request, list[Scripted]]:
        if not body.get("tools"):
            return Request("aside", body, headers), []
        messages = [message for message in body["messages"] if message["role"] == "user"]
        if messages and SUMMARISE in "\n".join(_texts(messages[-1]["content"])):
            return Request("summary", body, headers), []
        first = "\n".join(_texts(messages[0]["content"])) if messages else ""
        for word, turns in self._agents.items():
            if word in first:
                return Request("agent", body, headers), turns
        return Request("main", body, headers), self._script

    def next_id(self) -> int:
        return next(self._ids)


def said_to_model(request: Request) -> str:
    """Everything that the model saw of a request: system text, every message, every tool that it is offered."""
    parts = [*_texts(request.body.get("system", "")), *_texts(request.body.get("tools", []))]
    for message in request.body["messages"]:
        parts += _texts(message["content"])
    return "\n".join(parts)


def said_anew(requests: list[Request], index: int) -> str:
    """What stands in a request and did not stand in the one before it (blocks of text that are new)."""
    before = set(_blocks(requests[index - 1])) if index else set()
    return "\n".join(text for text in _blocks(requests[index]) if text not in before)


def reminders(request: Request, event: str) -> list[str]:
    """The texts of our hooks for one event as the model sees them, in order."""
    opening = f"<system-reminder>\n{event} hook additional context: "
    return [
        part.partition("\n</system-reminder>")[0]
        for text in _blocks(request)
        for part in text.split(opening)[1:]
    ]  # fmt: skip


def _blocks(request: Request) -> list[str]:
    return [
        *_texts(request.body.get("system", "")),
        *(text for message in request.body["messages"] for text in _texts(message["content"])),
    ]


def _texts(value: object) -> Iterator[str]:
    """Every string in a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


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
        path = self.path.partition("?")[0]
        try:
            body = json.loads(raw)
        except ValueError:
            return self._json(400, _error("invalid_request_error", "no JSON"))
        if path.endswith("/count_tokens"):
            return self._json(200, {"input_tokens": len(raw) // 4})
        if not path.endswith("/v1/messages"):
            return self._json(200, {})
        turn = self.model.answer(body, {name.lower(): value for name, value in self.headers.items()})
        try:
            if turn.wait is not None:
                turn.wait()
        except BaseException as failure:
            self.model.failures.append(failure)
            return self._json(400, _error("invalid_request_error", "the script failed"))
        if turn.error is not None:
            status, kind, words = turn.error
            return self._json(status, _error(kind, words))
        number = self.model.next_id()
        if body.get("stream"):
            stream = "".join(
                f"event: {data['type']}\ndata: {json.dumps(data)}\n\n" for data in _stream(turn, body, number)
            )
            return self._send(200, stream.encode(), "text/event-stream")
        return self._json(200, _message(turn, body, number))

    def _json(self, status: int, value: object) -> None:
        self._send(status, json.dumps(value).encode())

    def _send(self, status: int, raw: bytes, kind: str = "application/json") -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(raw)))
            self.send_header("request-id", f"req_scripted{self.model.next_id():06}")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(raw)
        except OSError:
            self.close_connection = True  # the client was killed while it waited


def _error(kind: str, words: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": words}}


def _content(turn: Turn, number: int) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    for place, call in enumerate(turn.calls):
        name = f"toolu_scripted{number:05}{place:02}"
        blocks.append({"type": "tool_use", "id": name, "name": call.tool, "input": dict(call.input)})
    return blocks


def _message(turn: Turn, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {
        "id": f"msg_scripted{number:06}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": _content(turn, number),
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": turn.tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 10,
        },
    }


def _stream(turn: Turn, body: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    whole = _message(turn, body, number)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}}
    yield {"type": "message_stop"}
