"""How Gemini CLI is started. Seen: the real client, `--help`."""

from __future__ import annotations

import json
from typing import Final

from clew.clients.launching import Headless, Launcher, Said, count_at, lines, text_at


def said(out: str) -> Said:
    """What `-o json` printed."""
    found = next(lines(out), None)
    if found is None:
        return Said(error="it printed no answer")
    text, error = text_at(found, "response"), text_at(found, "error", "message")
    models = found.get("stats", {}).get("models") if isinstance(found.get("stats"), dict) else None
    used = models.values() if isinstance(models, dict) else ()
    return Said(
        "" if error else text,
        error or ("" if text else "it said nothing"),
        sum(count_at(one, "tokens", "prompt") for one in used),
        sum(count_at(one, "tokens", "candidates") for one in used),
    )


# In the folder that it runs in, which is ours: no tools, no hooks, no servers.
_SETTINGS: Final = json.dumps(
    {"tools": {"core": ["none"]}, "hooksConfig": {"enabled": False}, "mcp": {"allowed": []}}, separators=(",", ":")
)

LAUNCHER: Final = Launcher(
    "gemini",
    "gemini",
    Headless(
        ("-o", "json", "--approval-mode", "default", "--skip-trust", "-e", "none"),
        "--model",
        said,
        last=("-p", ""),
        files=((".gemini/settings.json", _SETTINGS),),
    ),
    ("--prompt-interactive",),
)
