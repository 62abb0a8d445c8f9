"""The hook of one run: what a client may do headless, where the client knows no rule for that itself.

    python -m clew.interfaces.hook.permit FOLDER {edit|read} [BEGINNING]…

It reads the event of a tool that is about to run (Claude Code's form) from stdin and prints an answer where the tool
is denied: an edit without `edit`, a tool of an MCP server, a shell line in which a command neither only reads
(`core/gate/readonly.py`) nor begins with the words of a BEGINNING. What it cannot read it denies. It leaves with 0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from clew.core.gate import readonly
from clew.interfaces.hook import which


def refusal(event: dict[str, Any], root: str, *, edits: bool, beginnings: Sequence[Sequence[str]]) -> str:
    """Why the tool of an event may not run, as a clause; "" if it may."""
    tool, given = event.get("tool_name"), event.get("tool_input")
    if not isinstance(tool, str) or not isinstance(given, dict):
        return "nobody can tell what it would do"
    if tool.startswith("mcp__"):
        return f"the server {tool.split('__')[1]} is not allowed in this run"
    command = given.get("command")
    if tool != "Bash":
        return "" if edits else "this run changes no file"
    if not isinstance(command, str):
        return "nobody can tell what it would run"
    is_inside = _is_below(str(event.get("cwd")), root)

    def trusts(words: list[str], folders: list[str]) -> bool:
        """Commands that begin with certain words may run inside of the folder, whatever follows."""
        went = [folder if folder[:1] == "/" else f"{root}/{folder}" for folder in folders]
        stays = is_inside and all(_is_below(folder, root) for folder in went)
        return stays and any(words[: len(beginning)] == list(beginning) for beginning in beginnings)

    return which.strange_shell() or readonly.refusal(command, lambda name: which.impostor(name, root), trusts)


def _is_below(folder: str, root: str) -> bool:
    """Whether a folder is `root` or in it, from wherever in there one goes; a plain path is meant."""
    plain = not set(folder) & set(f"~*?[{{ {readonly.SOME}{readonly.ANYTHING}") and ".." not in folder
    return plain and "/-" not in folder and "/+" not in folder and f"{folder}/".startswith(f"{root}/")


def main(arguments: Sequence[str]) -> None:
    """See the module."""
    root, mode, *beginnings = arguments
    try:
        event = json.load(sys.stdin)
    except (ValueError, RecursionError):
        event = {}
    try:
        why = refusal(
            event if isinstance(event, dict) else {},
            root,
            edits=mode == "edit",
            beginnings=[one.split() for one in beginnings],
        )
    except Exception as error:  # a client lets a tool run whose hook fails
        why = f"nobody can tell what it would do ({type(error).__name__})"
    if why:
        told = {"permissionDecision": "deny", "permissionDecisionReason": f"It is not allowed in this run: {why}."}
        sys.stdout.write(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **told}}))


if __name__ == "__main__":
    main(sys.argv[1:])
