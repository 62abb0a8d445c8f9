"""Whole file contents that a tool call proves, for drift: what the client wrote, or all that it read.

What is known about the fidelity of these texts, and what is not, is in docs/clients/gemini.md, "File contents".
"""

from __future__ import annotations

from typing import Any, Final

from clew.clients.gemini.calls import is_whole_read, path_of

# Drift reads no file that is longer.
_CONTENT_CHARS_MAX: Final = 16 << 20
# What the client puts before or behind a file's text.
_ADDED: Final = ("\n--- Newly Discovered Project Context ---\n", "IMPORTANT: The file content has been truncated.")
_USER_CHANGED: Final = "User modified the `"


def proved(tool: str, arguments: Any, text: str, display: Any) -> tuple[str, str] | None:
    """Path and content that a call which went well proves, None for nothing. `text` is its result without what hooks
    put there, `display` what the user saw of it.
    """
    found: tuple[Any, Any] = ("", None)
    if isinstance(display, dict) and "fileDiff" in display:
        found = display.get("filePath") or path_of(arguments), display.get("newContent")
    elif tool == "write_file" and text.startswith("Successfully ") and _USER_CHANGED not in text:
        found = path_of(arguments), arguments.get("content")
    elif text and is_whole_read(tool, arguments) and display in ("", None) and not any(one in text for one in _ADDED):
        found = path_of(arguments), text
    path, content = found
    if isinstance(path, str) and path and isinstance(content, str) and len(content) <= _CONTENT_CHARS_MAX:
        return path, content
    return None
