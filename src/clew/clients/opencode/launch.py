"""How OpenCode is started. Seen: the real client, `--help`."""

from __future__ import annotations

import json
from typing import Final

from clew.clients.launching import Headless, Launcher, Said, count_at, lines, text_at


def said(out: str) -> Said:
    """What `run --format json` printed: the texts of the answer, or the last error."""
    texts, error = [], ""
    tokens_in = tokens_out = 0
    for one in lines(out):
        kind, part = one.get("type"), one.get("part")
        if kind == "text":
            texts.append(text_at(part, "text"))
        elif kind == "step_finish":
            tokens_in += count_at(part, "tokens", "input") + count_at(part, "tokens", "cache", "read")
            tokens_out += count_at(part, "tokens", "output")
        elif kind == "error":
            error = text_at(one, "error", "data", "message") or text_at(one, "error", "name") or "it failed"
    text = "\n".join(texts)
    error = error or ("" if text else "it said nothing")
    return Said("" if error else text, error, tokens_in, tokens_out)


# In the folder that it runs in, which is ours: no tools.
_CONFIG: Final = json.dumps({"tools": {"*": False}, "share": "disabled"}, separators=(",", ":"))

LAUNCHER: Final = Launcher(
    "opencode",
    "opencode",
    Headless(
        ("run", "--pure", "--format", "json", "--title", "hand-off"),
        "--model",
        said,
        files=(("opencode.json", _CONFIG),),
    ),
    ("--prompt",),
)
