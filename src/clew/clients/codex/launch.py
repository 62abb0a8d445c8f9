"""How Codex is started. Seen: the real client, `--help`."""

from __future__ import annotations

from typing import Any, Final

from clew.clients.launching import Headless, Launcher, Said, count_at, lines, text_at


def said(out: str) -> Said:
    """What `exec --json` printed: the last message of the agent, or the last error."""
    text = error = ""
    usage: dict[str, Any] = {}
    for one in lines(out):
        kind, item = one.get("type"), one.get("item")
        if kind == "item.completed" and text_at(item, "type") == "agent_message":
            text = text_at(item, "text")
        elif kind == "turn.failed":
            error = text_at(one, "error", "message") or "the turn failed"
        elif kind == "error":
            error = text_at(one, "message") or error
        elif kind == "turn.completed":
            usage, error = one, ""
    error = "" if text and not error else error or "it said nothing"
    return Said(
        "" if error else text,
        error,
        count_at(usage, "usage", "input_tokens"),
        count_at(usage, "usage", "output_tokens"),
    )


# What has tools of its own, or runs programs. Some models keep a tool for patches; the sandbox lets it change nothing.
_OFF: Final = "hooks shell_tool unified_exec apps plugins multi_agent image_generation view_image goals".split()

LAUNCHER: Final = Launcher(
    "codex",
    "codex",
    Headless(
        (
            *("exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only"),
            *(word for name in _OFF for word in ("--disable", name)),
            *("-c", 'web_search="disabled"', "-c", 'approval_policy="never"'),
        ),
        "--model",
        said,
        fork=("fork", "{}"),
        last=("-",),
    ),
)
