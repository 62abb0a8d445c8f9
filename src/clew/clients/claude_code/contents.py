"""Whole file contents that a line proves, for drift: a full read, a write, an edit with its original.

Only what the line itself proves is given. What is known about the fidelity of these texts, and what is not, is in
docs/clients/claude-code.md, "File contents".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from clew.core.records.transcript import FileVersion

# Drift reads no file that is longer; a few short edits that each double the text would ask for terabytes.
_CONTENT_CHARS_MAX: Final = 16 << 20
# So much text is gone over for the edits of one line: a hundred in a file of 500 KB.
_SEARCHED_CHARS_MAX: Final = 48 << 20


def file_versions(line: dict[str, Any]) -> Iterator[FileVersion]:
    """Contents proved by a decoded line, in the order in which they held."""
    result = line.get("toolUseResult") or line.get("tool_use_result")
    if line.get("type") == "user" and isinstance(result, dict):
        yield from _of_result(result)
    attachment = line.get("attachment")
    if isinstance(attachment, dict) and attachment.get("type") == "file":
        content = attachment.get("content")
        if isinstance(content, dict):
            yield from _read(content)


def _of_result(result: dict[str, Any]) -> Iterator[FileVersion]:
    path = result.get("filePath")
    if not isinstance(path, str):
        yield from _read(result)
    elif isinstance(result.get("content"), str) and "structuredPatch" in result and "oldString" not in result:
        yield from _version(path, result["content"])
    elif "oldString" in result:
        yield from _version(path, _edited(result, [result]))
    elif isinstance(result.get("edits"), list):
        yield from _version(path, _multi_edited(result))


def _read(result: dict[str, Any]) -> Iterator[FileVersion]:
    """A read gives the file only if it began at line 1 and went to the last one."""
    file = result.get("file")
    if result.get("type") != "text" or not isinstance(file, dict):
        return
    path, content, lines = file.get("filePath"), file.get("content"), file.get("totalLines")
    if file.get("startLine") != 1 or not isinstance(lines, int) or file.get("numLines") != lines:
        return
    if isinstance(path, str) and isinstance(content, str) and content.count("\n") + 1 == lines:
        yield from _version(path, content)


def _multi_edited(result: dict[str, Any]) -> str | None:
    edits = [
        {
            "oldString": edit.get("old_string"),
            "newString": edit.get("new_string"),
            "replaceAll": edit.get("replace_all"),
        }
        for edit in result["edits"]
        if isinstance(edit, dict)
    ]
    original = "originalFileContents" if "originalFileContents" in result else "originalFile"
    return _edited({**result, "originalFile": result.get(original)}, edits)


def _edited(result: dict[str, Any], edits: list[dict[str, Any]]) -> str | None:
    """The original with its replacements made, or None where it is not certain what the client wrote or too dear.

    `userModified` means that the user changed the edit before accepting it: the strings are then not what was written.
    """
    if result.get("userModified"):
        return None
    text = result.get("originalFile")
    if text is None and edits and edits[0].get("oldString") == "":
        text = ""  # an edit of nothing makes the file
    searched = 0
    for edit in edits:
        old, new = edit.get("oldString"), edit.get("newString")
        if not (isinstance(text, str) and isinstance(old, str) and isinstance(new, str)):
            return None
        searched += len(text)
        if searched > _SEARCHED_CHARS_MAX:
            return None
        text = _replaced(text, old, new, everywhere=bool(edit.get("replaceAll")))
    return text if isinstance(text, str) else None


def _replaced(text: str, old: str, new: str, *, everywhere: bool) -> str | None:
    if old == "":
        return new if text == "" else None
    count = text.count(old)
    if count == 0 or (count > 1 and not everywhere):
        return None
    return text.replace(old, new) if len(text) + count * (len(new) - len(old)) <= _CONTENT_CHARS_MAX else None


def _version(path: str, content: str | None) -> Iterator[FileVersion]:
    if content is not None and path:
        yield FileVersion(path, content.encode("utf-8", "replace"))
