"""The protocols in which clients speak to a model, one module each with the same functions.

| module | protocol | client |
| --- | --- | --- |
| `messages` | Anthropic Messages | Claude Code |
| `responses` | OpenAI Responses | Codex |
| `chat` | OpenAI Chat Completions | OpenCode, GitHub Copilot CLI |
| `gemini` | Gemini generateContent | Gemini CLI |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from tests.live.script import Said, Turn


class Reply(NamedTuple):
    """What goes over the line: content type and bytes."""

    kind: str
    data: bytes


class Wire(Protocol):
    """One protocol. A module is one."""

    def asked(self, path: str, body: Mapping[str, Any]) -> bool:
        """Whether a request is one for an answer of the model in this protocol. `path` has no query."""

    def counted(self, path: str, size: int) -> object:
        """The answer (JSON) to a request to count the tokens of `size` bytes; None if it is none."""

    def seen(self, body: Mapping[str, Any]) -> Iterator[Said]:
        """What the model sees of a request."""

    def offers(self, body: Mapping[str, Any]) -> bool:
        """Whether the model may call tools."""

    def summarises(self, body: Mapping[str, Any]) -> bool:
        """Whether this is the client's own request for a summary."""

    def summary(self, text: str) -> str:
        """A summary in the form in which the client asks for one."""

    def injected(self, body: Mapping[str, Any]) -> Iterator[str]:
        """The texts that hooks or plugins have put into the request, in order, without the client's wrapping."""

    def reply(self, turn: Turn, path: str, body: Mapping[str, Any], number: int) -> Reply:
        """The answer, streamed if the client asked for a stream. `number` makes its ids."""

    def refusal(self, kind: str, words: str) -> object:
        """What stands in an answer with an error status."""


def texts(value: object) -> Iterator[str]:
    """Every string in a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)


def joined(value: object) -> str:
    return "\n".join(texts(value))
