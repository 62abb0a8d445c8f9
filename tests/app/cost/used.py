"""Session files of Claude Code's with tokens in them, for stories about what they cost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from clew.app.cost.prices import KnownPrices
from clew.core.cost.prices import Prices, override
from tests.app.projects import World

MODEL = "claude-tide-1"
KNOWN = KnownPrices(
    Prices([override({MODEL: {"input": 10, "output": 50, "cache_read": 1, "cache_write": 12}})]), "ours"
)


def line(message: str, used: tuple[int, int, int, int], folder: Path | str, **more: Any) -> bytes:
    """A line of the client: `used` are input, written to the cache, read from it, and output."""
    given, written, read, output = used
    tools = [{"type": "tool_use", "id": f"t-{name}", "name": name, "input": {}} for name in more.pop("tools", ())]
    told = {
        "type": "assistant",
        "timestamp": more.pop("time", "2026-11-20T10:00:00.000Z"),
        "sessionId": more.pop("session", "s-1"),
        "cwd": str(folder),
        "requestId": f"req-{message}",
        "uuid": f"u-{message}-{output}",
        "message": {
            "id": message,
            "model": more.pop("model", MODEL),
            "content": [{"type": "text", "text": 'he said "usage": {}'}, *tools],
            "usage": {
                "input_tokens": given,
                "cache_creation_input_tokens": written,
                "cache_read_input_tokens": read,
                "output_tokens": output,
                "cache_creation": {"ephemeral_1h_input_tokens": more.pop("long", 0)},
            },
        },
        **more,
    }
    return json.dumps(told).encode() + b"\n"


def save(world: World, name: str, *lines: bytes, mtime_s: int = 1_000) -> Path:
    """A session file of Claude Code's."""
    path = world.home / ".claude" / "projects" / "-tide" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    os.utime(path, (mtime_s, mtime_s))
    return path
