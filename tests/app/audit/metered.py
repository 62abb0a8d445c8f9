"""Sessions of Claude Code whose contexts are known to the token: each text has what clew estimates, a call no frame."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clew.clients.claude_code.spec import slug
from clew.core.text.tokens import estimate
from tests.app.projects import World

MODEL = "claude-tide-1"
BASE = 20_000


class Metered:
    """Writes a session line by line; `context` is how large it is now."""

    def __init__(self, world: World, name: str, *, day: int = 20) -> None:
        self.world = world
        self.name = name
        self.context = BASE
        self.lines: list[dict[str, Any]] = []
        self._told = 0  # of the context so much was in the cache at the last response
        self._calls = 0
        self._day = day

    def user(self, text: str) -> Metered:
        """The user says something."""
        self.context += estimate(text)
        return self._line("user", {"role": "user", "content": text})

    def hidden(self, tokens: int) -> Metered:
        """Something comes in that no record tells of."""
        self.context += tokens
        return self

    def attached(self, **attachment: Any) -> Metered:
        """The client puts something beside."""
        self.lines.append(self._envelope("attachment") | {"attachment": attachment})
        return self

    def call(self, tool: str, result: str = "", *, failed: bool = False, **given: Any) -> Metered:
        """A response calls a tool, and its result comes."""
        self._calls += 1
        name = f"toolu_{self.name}_{self._calls}"
        self._answer([{"type": "tool_use", "id": name, "name": tool, "input": given}])
        self.context += estimate(f"{tool} {json.dumps(given, ensure_ascii=False)}") + estimate(result)
        block = {"type": "tool_result", "tool_use_id": name, "content": result, "is_error": failed}
        return self._line("user", {"role": "user", "content": [block]})

    def reply(self, text: str) -> Metered:
        """A response says something."""
        self._answer([{"type": "text", "text": text}])
        self.context += estimate(text)
        return self

    def save(self) -> Path:
        """The session's file, where the client keeps it."""
        path = self.world.home / ".claude" / "projects" / slug(str(self.world.top)) / f"{self.name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")
        return path

    def _answer(self, content: list[dict[str, Any]]) -> None:
        usage = {
            "input_tokens": 0,
            "cache_creation_input_tokens": self.context - self._told,
            "cache_read_input_tokens": self._told,
            "output_tokens": 1,
        }
        self._told = self.context
        number = len(self.lines)
        message = {"id": f"m-{self.name}-{number}", "model": MODEL, "content": content, "usage": usage}
        self._line("assistant", message)

    def _line(self, kind: str, message: dict[str, Any]) -> Metered:
        self.lines.append(self._envelope(kind) | {"message": message})
        return self

    def _envelope(self, kind: str) -> dict[str, Any]:
        number = len(self.lines)
        return {
            "type": kind,
            "uuid": f"u-{self.name}-{number}",
            "sessionId": self.name,
            "cwd": str(self.world.top),
            "timestamp": f"2026-11-{self._day}T10:{number // 60:02d}:{number % 60:02d}.000Z",
        }


def prose(words: int, about: str = "tide") -> str:
    """So many words, no two alike."""
    return " ".join(f"{about}_number_{number}" for number in range(words))
