"""What a `tool` part says: what its call means by its input, and the whole file contents that it proves, for drift: a
whole read, a write, an edit that kept what came of it. Doubts: docs/clients/opencode.md, "File contents".
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from clew.clients.fields import inner, rows, text
from clew.clients.tools import Meaning, actions_of, ask, delegate, edit, edits, patch, plan, read, run, search, todos
from clew.core.records.transcript import Edit, FileVersion

_STATES: Final = {"in_progress": "in_progress", "completed": "completed", "cancelled": "deleted"}
_TOOLS: Final[dict[str, Meaning]] = {
    **dict.fromkeys(("bash", "shell"), run("command", "workdir")),
    "read": read("filePath"),
    "edit": edit("filePath", "oldString", "newString"),
    "multiedit": edits("filePath", "oldString", "newString"),
    "write": edit("filePath", "", "content"),
    **dict.fromkeys(("apply_patch", "patch"), patch("patchText")),
    **dict.fromkeys(("grep", "glob"), search("pattern", "path", "include")),
    "list": search("", "path"),
    "plan_exit": plan("plan"),
    "todowrite": todos("todos", "content", states=_STATES),
    "question": ask,
    "task": delegate("description"),
}
# What a call of a tool with this input does. Mostly one action; a patch gives one for each of its places.
actions = partial(actions_of, _TOOLS)


_CUT: Final = "(line truncated to "
# What is longer is not followed from edit to edit.
_CONTENT_CHARS_MAX: Final = 1 << 20


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
    elif tool == "apply_patch":
        yield from _patched(metadata)
    if path and isinstance(content, str):
        yield FileVersion(path, content.encode("utf-8", "replace"))


def _patched(metadata: Mapping[str, Any]) -> Iterator[FileVersion]:
    for one in rows(metadata, "files"):
        path, after = text(one, "movePath") or text(one, "filePath"), one.get("after")
        if path and isinstance(after, str) and one.get("type") != "delete":
            yield FileVersion(path, after.encode("utf-8", "replace"))


class KnownFiles:
    """What files hold as a session in the folder `cwd` goes on. The client edits no file that it has not read, or that
    was changed since: so an edit whose words stand once in what was read before proves what came of it.
    """

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._texts: dict[str, str] = {}

    def take(self, part: Mapping[str, Any]) -> str | None:
        """Take in a part. What the file holds after it, if the part is an edit that does not say so itself."""
        state = inner(part, "state")
        if part.get("type") != "tool" or state.get("status") != "completed":
            return None
        found = None
        if part.get("tool") == "edit" and "after" not in inner(state, "metadata"):
            found = self._edited(inner(state, "input"))
        for action in actions(text(part, "tool"), state.get("input")):
            if isinstance(action, Edit):
                self._texts.pop(self._place(action.path), None)
        for version in file_versions(part):
            self._keep(version.path, version.content.decode("utf-8", "replace"))
        if found is not None:
            self._keep(text(inner(state, "input"), "filePath"), found)
        return found

    def _edited(self, given: Mapping[str, Any]) -> str | None:
        before = self._texts.get(self._place(text(given, "filePath")))
        old, new = text(given, "oldString"), text(given, "newString")
        count = before.count(old) if before is not None and old else 0
        if before is None or not count or (count > 1 and given.get("replaceAll") is not True):
            return None
        return before.replace(old, new) if len(before) + count * len(new) <= _CONTENT_CHARS_MAX else None

    def _keep(self, path: str, content: str) -> None:
        if len(content) <= _CONTENT_CHARS_MAX:
            self._texts[self._place(path)] = content

    def _place(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(self._cwd, path))


def _whole(shown: Mapping[str, Any]) -> str | None:
    """What was read, if it is the whole file. The client leaves out the end of the last line, which mostly is there."""
    content, lines = shown.get("text"), shown.get("totalLines")
    if shown.get("type") != "file" or shown.get("truncated") is not False or shown.get("lineStart") != 1:
        return None
    if not isinstance(content, str) or not isinstance(lines, int) or shown.get("lineEnd") != lines or _CUT in content:
        return None
    return content + "\n" if content else content
