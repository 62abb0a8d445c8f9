"""How Claude Code is started. Seen: docs/clients/claude-code.md, and the real client."""

from __future__ import annotations

from typing import Final

from clew.clients.launching import Headless, Launcher, Said, count_at, lines, text_at


def said(out: str) -> Said:
    """What `--output-format json` printed."""
    found = next((one for one in lines(out) if one.get("type") == "result"), None)
    if found is None:
        return Said(error="it printed no result")
    text, cost = text_at(found, "result"), found.get("total_cost_usd")
    failed = found.get("is_error") is True or not text
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Said(
        "" if failed else text,
        (text or text_at(found, "subtype") or "it said nothing") if failed else "",
        sum(count_at(found, "usage", name) for name in names),
        count_at(found, "usage", "output_tokens"),
        float(cost) if isinstance(cost, int | float) else -1.0,
    )


LAUNCHER: Final = Launcher(
    "claude-code",
    "claude",
    Headless(
        (
            *("-p", "--output-format", "json", "--max-turns", "1", "--tools", "", "--strict-mcp-config"),
            *("--disable-slash-commands", "--no-session-persistence", "--settings", '{"disableAllHooks":true}'),
        ),
        "--model",
        said,
        fork=("--resume", "{}", "--fork-session"),
        environment=(("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "8000"),),
    ),
)
