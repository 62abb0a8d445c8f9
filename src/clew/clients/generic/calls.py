"""What a tool call means, where tools have any names: by the name's words and the arguments' names.

A guess, and a careful one: what is not clear is `Other`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any, Final

from clew.clients.fields import detail
from clew.core.records.transcript import Action, Delegate, Edit, Other, Read, Run, Search

_COMMANDS: Final = ("command", "cmd", "script")
_PATHS: Final = ("file_path", "filePath", "path", "target_file", "filename", "absolute_path")
_REMOVED: Final = ("old_string", "oldString", "old_str", "old_text")
_ADDED: Final = ("new_string", "newString", "new_str", "new_text", "content", "contents", "code_edit", "file_text")
_PATTERNS: Final = ("pattern", "query", "regex", "glob_pattern")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")

# Words in the names of tools.
RUNS: Final = frozenset("bash shell terminal command exec run powershell".split())
READS: Final = frozenset("read view cat open".split())
WRITES: Final = frozenset("write edit replace patch create insert".split())
SEARCHES: Final = frozenset("search grep glob find list ls ripgrep".split())
_DELEGATES: Final = frozenset("task agent subagent delegate".split())


def words(tool: str) -> frozenset[str]:
    """The words that a tool's name is made of, in small letters."""
    return frozenset(word.lower() for word in _WORD.findall(tool))


def action(tool: str, given: Mapping[str, Any]) -> Action:
    """What a call of `tool` with these arguments does."""
    named = words(tool)
    command, path, pattern = (_first(given, names) for names in (_COMMANDS, _PATHS, _PATTERNS))
    if command and (named & RUNS or not path):
        return Run(command)
    if path and named & WRITES:
        return Edit(path, _first(given, _REMOVED), _first(given, _ADDED))
    if path and named & READS:
        return Read(path, 0, 0)
    if pattern and named & SEARCHES:
        return Search(pattern, path)
    if named & _DELEGATES and (prompt := _first(given, ("prompt",))):
        return Delegate(_first(given, ("description", "title")), prompt)
    return Other(detail(given))


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of the arguments that is a text; a command can be a list of words."""
    for name in names:
        value = given.get(name)
        if isinstance(value, str) and value:
            return value
        if name in _COMMANDS and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            is_shell = len(value) > 2 and value[0].endswith("sh") and value[1].startswith("-")
            return value[2] if is_shell else shlex.join(value)
    return ""
