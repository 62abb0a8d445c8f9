"""Whole file contents that a part proves, for drift: a whole read, a write, an edit that kept what came of it.

Doubts: docs/clients/opencode.md, "File contents".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.clients.opencode.wire import inner, text
from clew.core.records import FileVersion

_CUT: Final = "(line truncated to "


def file_versions(part: Mapping[str, Any]) -> Iterator[FileVersion]:
    """What a finished call of a tool proves of its file."""
    state = inner(part, "state")
    if part.get("type") != "tool" or state.get("status") != "completed":
        return
    tool, given, metadata = part.get("tool"), inner(state, "input"), inner(state, "metadata")
    path = text(given, "filePath")
    content: object = None
    if tool == "read":
        shown = inner(metadata, "display")
        path, content = text(shown, "path") or path, _whole(shown)
    elif tool == "write":
        content = given.get("content")
    elif tool == "edit":
        content = metadata.get("after")
    if path and isinstance(content, str):
        yield FileVersion(path, content.encode("utf-8", "replace"))


def _whole(shown: Mapping[str, Any]) -> str | None:
    """What was read, if it is the whole file. The client leaves out the end of the last line, which mostly is there."""
    content, lines = shown.get("text"), shown.get("totalLines")
    if shown.get("type") != "file" or shown.get("truncated") is not False or shown.get("lineStart") != 1:
        return None
    if not isinstance(content, str) or not isinstance(lines, int) or shown.get("lineEnd") != lines or _CUT in content:
        return None
    return content + "\n" if content else content
