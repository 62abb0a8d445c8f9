"""Codex's tools: what a `function_call`, `custom_tool_call` or `local_shell_call` means, and what an event says of one.

Arguments are the model's own JSON, so any field may be missing or of another type: it is then read as empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from shlex import join
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from clew.clients.fields import DETAIL_CHARS, text
from clew.clients.patches import edits, edits_in_shell
from clew.clients.tools import Meaning, actions_of, ask, delegate, patch, poll, read, todos
from clew.core.records.transcript import Action, Edit, Other, Run, Search

# What a script of the model calls, read off its text: JavaScript that was run by the client, and is not run here.
#
# `tools.NAME(ARGUMENT)` is found outside comments and texts. An argument counts if it is written out: texts (also
# joined ones), numbers, lists, objects, and names that such a text was given to before. Sources: docs/clients/codex.md,
# "Scripts".

_CHARS_MAX: Final = 1 << 20
_DEPTH_MAX: Final = 24
_CALLS_MAX: Final = 500
# So far is looked for the end of a value that is not written out.
_VALUE_CHARS_MAX: Final = 2_000
# Comments and texts are passed over; a text that is not closed ends where no text can go on.
_TEXT: Final = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*(?:`|\Z)"
_SEEN: Final = re.compile(
    rf"//[^\n]*|/\*.*?(?:\*/|\Z)|{_TEXT}"
    r"|(?<![\w.$])tools\s*(?:\?\.|\.)\s*(?P<tool>\w+)\s*\(|\b(?:const|let|var)\s+(?P<name>[\w$]+)\s*=(?!=)",
    re.DOTALL,
)
_SPACE: Final = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_LITERAL: Final = re.compile(rf"(?:String\.raw)?(?:{_TEXT})", re.DOTALL)
_SIGN: Final = re.compile(rf"{_TEXT}|//[^\n]*|/\*.*?(?:\*/|\Z)|[\[\](){{}},]", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER: Final = re.compile(r"-?\d[\d_]*(?:\.\d+)?")
_ESCAPE: Final = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_PLAIN: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_WORDS: Final = {"true": True, "false": False, "null": None, "undefined": None}


class ToolCall(NamedTuple):
    """A call in a script. `argument` is None where it is not written out; fields that are not are left out of it."""

    tool: str
    argument: Any


class _Unknown(Exception):
    """What stands there is no value that is written out."""


def calls_in(script: str) -> list[ToolCall]:
    """The calls of tools in a script, in the order in which they stand. Never raises."""
    return list(islice(_calls(script[:_CHARS_MAX]), _CALLS_MAX))


def _calls(script: str) -> Iterator[ToolCall]:
    known: dict[str, str] = {}
    for seen in _SEEN.finditer(script):
        if seen["tool"]:
            yield ToolCall(seen["tool"], _value_at(script, seen.end(), known))
        elif seen["name"]:
            value = _value_at(script, seen.end(), known)
            if isinstance(value, str):
                known[seen["name"]] = value
            else:
                known.pop(seen["name"], None)


def _value_at(script: str, at: int, known: dict[str, str]) -> Any:
    try:
        return _Values(script, known).value(at, 0)[0]
    except _Unknown:
        return None


class _Values:
    """Reads values. Each method gives what stands at a place and where it ends, or raises `_Unknown`."""

    def __init__(self, script: str, known: dict[str, str]) -> None:
        self._script = script
        self._known = known

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        """A value with what is put behind it: `"a" + "b"`, `["a", "b"].join("\\n")`."""
        found, at = self._one(at, depth)
        while True:
            at = self._skip(at)
            if isinstance(found, list) and self._script.startswith(".join(", at):
                between, at = self._one(at + len(".join("), depth + 1)
                at = self._expect(")", at)
                if not (isinstance(between, str) and all(isinstance(one, str) for one in found)):
                    raise _Unknown
                found = between.join(found)
            elif isinstance(found, str) and self._script.startswith("+", at):
                more, at = self._one(at + 1, depth + 1)
                if not isinstance(more, str):
                    raise _Unknown
                found += more
            elif self._script.startswith((",", ")", "]", "}", ";"), at) or at == len(self._script):
                return found, at
            elif self._script.rfind("\n", 0, at) >= 0 and _WORD.match(self._script, at):
                return found, at  # a statement on the next line
            else:
                raise _Unknown

    def _one(self, at: int, depth: int) -> tuple[Any, int]:
        at = self._skip(at)
        if depth > _DEPTH_MAX or at >= len(self._script):
            raise _Unknown
        if found := _LITERAL.match(self._script, at):
            return _text(found[0]), found.end()
        first = self._script[at]
        if first == "{":
            return self._object(at + 1, depth + 1)
        if first == "[":
            return self._list(at + 1, depth + 1)
        if found := _NUMBER.match(self._script, at):
            digits = found[0].replace("_", "")
            return (float(digits) if "." in digits else int(digits[:18])), found.end()
        if found := _WORD.match(self._script, at):
            if found[0] in _WORDS:
                return _WORDS[found[0]], found.end()
            if found[0] in self._known:
                return self._known[found[0]], found.end()
        raise _Unknown

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        fields: dict[str, Any] = {}
        while not self._script.startswith("}", at := self._skip(at)):
            if found := _LITERAL.match(self._script, at):
                name = _text(found[0])
            elif found := _WORD.match(self._script, at):
                name = found[0]
            else:
                raise _Unknown
            at = self._skip(found.end())
            if self._script.startswith(":", at):
                try:
                    fields[name], at = self.value(at + 1, depth)
                except _Unknown:
                    if depth > 1:
                        raise
                    at = self._past(at)
            elif name in self._known:  # `{cmd}`
                fields[name] = self._known[name]
            at = self._comma(at, "}")
        return fields, at + 1

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        values: list[Any] = []
        while not self._script.startswith("]", at := self._skip(at)):
            value, at = self.value(at, depth)
            values.append(value)
            at = self._comma(at, "]")
        return values, at + 1

    def _past(self, at: int) -> int:
        """Where the value of a field ends that is not written out."""
        depth = 0
        for sign in _SIGN.finditer(self._script, at, at + _VALUE_CHARS_MAX):
            if sign[0] in ("(", "[", "{"):
                depth += 1
            elif depth and sign[0] in (")", "]", "}"):
                depth -= 1
            elif not depth and sign[0] in (",", "}"):
                return sign.start()
        raise _Unknown

    def _comma(self, at: int, closing: str) -> int:
        at = self._skip(at)
        if self._script.startswith(",", at):
            return at + 1
        if self._script.startswith(closing, at):
            return at
        raise _Unknown

    def _expect(self, sign: str, at: int) -> int:
        at = self._skip(at)
        if not self._script.startswith(sign, at):
            raise _Unknown
        return at + len(sign)

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._script, at)
        return found.end() if found is not None else at


def _text(literal: str) -> str:
    """What a text of JavaScript says; what is put into one between back-quotes (`${x}`) stays as it is written."""
    if literal.startswith("String.raw"):
        return literal[len("String.raw") + 1 : -1]
    return _ESCAPE.sub(_unescaped, literal[1:-1]) if "\\" in literal else literal[1:-1]


def _unescaped(found: re.Match[str]) -> str:
    escape = found[1]
    if escape[0] in "ux" and len(escape) > 1:
        number = int(escape.strip("ux{}"), 16)
        return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else "\ufffd"
    return _PLAIN.get(escape, escape)


_decode: Final = msgspec.json.Decoder().decode
_PATCH: Final = "apply_patch"
# Tools that run a script, what of its calls is read, and which of these answer with an exit code.
_SCRIPTS: Final = frozenset(("exec", "functions.exec"))
_CALLED: Final = frozenset(("exec_command", "write_stdin", "update_plan", _PATCH))
_ANSWERED: Final = frozenset(("exec_command", "write_stdin"))
_SHELLS: Final = frozenset(("bash", "zsh", "sh", "dash", "fish", "ksh", "powershell", "pwsh", "cmd", "cmd.exe"))
_SCRIPT_FLAGS: Final = frozenset(("-c", "-lc", "-ic", "-lic", "-Command", "/c"))


def actions(tool: str, arguments: str) -> tuple[Action, ...]:
    """What a function call with this JSON does. Mostly one action; a patch gives one for each of its files."""
    try:
        given = _decode(arguments)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        given = None
    return actions_of(_TOOLS, tool, given)


def custom_actions(tool: str, given: str) -> tuple[Action, ...]:
    """What a custom tool's call with this text does."""
    if tool == _PATCH:
        return edits(given) or (Other(_shortened(given)),)
    return (Other(_shortened(given)),)


def script_of(tool: str, given: str) -> str:
    """The script that a call of this tool runs, "" for any other tool. `given` is the script or JSON with it."""
    if tool not in _SCRIPTS:
        return ""
    if not given.startswith("{"):
        return given
    try:
        fields = _decode(given)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return given
    found = (text(fields, name) for name in ("source", "input", "code")) if isinstance(fields, dict) else ()
    return next((script for script in found if script), "")


def scripted_actions(call: str, script: str, *, is_told: bool) -> Iterator[tuple[str, str, Action]]:
    """What a script calls: ids, tools and what they mean. `is_told`: events tell of its calls, but for the plan.

    A command has an id of its own, by its number among the commands and how many there are (`scripted_id`); the others
    share the script's, as the files of a patch do.
    """
    found = [one for one in calls_in(script) if one.tool in _CALLED]
    commands = [one for one in found if one.tool in _ANSWERED]
    for one in found:
        is_command = one.tool in _ANSWERED
        if one.argument is None or (is_told and one.tool != "update_plan"):
            continue
        fields = one.argument if isinstance(one.argument, dict) else {"input": one.argument}
        if is_command and not fields.keys() & {"cmd", "command", "session_id"}:
            continue
        name = (
            scripted_id(call, [other is one for other in commands].index(True), len(commands)) if is_command else call
        )
        for action in _TOOLS[one.tool](fields):
            yield name, one.tool, action


def scripted_id(call: str, number: int, count: int) -> str:
    """The id of the `number`-th (from 0) of `count` commands of the script `call`."""
    return f"{call}:{number + 1}/{count}"


def shell_actions(action: Any) -> tuple[Action, ...]:
    """What a `local_shell_call` with this `action` does."""
    fields: dict[str, Any] = action if isinstance(action, dict) else {}
    return _ran(fields.get("command"), text(fields, "working_directory"))


def command_actions(command: Any, folder: str) -> tuple[Action, ...]:
    """What a command did that ran in `folder` (a path or a file URI), as the event of its end tells it."""
    return _ran(command, local(folder))


def changes(told: Any) -> tuple[Edit, ...]:
    """What a patch did that was applied, as the event of its end tells it:
    `{PATH: {type: add | delete, content} or {type: update, unified_diff, move_path}}`.
    """
    found: list[Edit] = []
    for path, change in told.items() if isinstance(told, dict) else ():
        if isinstance(path, str) and isinstance(change, dict):
            found += _changed(path, change)
    return tuple(found)


def local(path: str) -> str:
    """The path that a file URI names; any other text as it is."""
    if not path.startswith("file://"):
        return path

    return unquote(urlsplit(path).path)


def _changed(path: str, change: dict[str, Any]) -> Iterator[Edit]:
    content, target = text(change, "content"), text(change, "move_path")
    if change.get("type") == "add":
        yield Edit(path, "", content)
    elif change.get("type") == "delete":
        yield Edit(path, content, "", deletes=True)
    else:
        if target:
            yield Edit(path, "", "", deletes=True)
        lines = [line for line in text(change, "unified_diff").split("\n") if line]
        removed, added = ("\n".join(line[1:] for line in lines if line[0] in sort) for sort in ("- ", "+ "))
        yield Edit(target or path, removed, added)


def _shell(fields: dict[str, Any]) -> tuple[Action, ...]:
    return _ran(fields.get("command", fields.get("cmd")), text(fields, "workdir"))


def _ran(command: Any, folder: str) -> tuple[Action, ...]:
    """A command as one text, or as the words of one; words that hand a script to a shell are that script."""
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        if len(words) == 3 and words[1] in _SCRIPT_FLAGS and words[0].rpartition("/")[2] in _SHELLS:
            command = words[2]
        elif len(words) == 2 and words[0] == _PATCH:
            return edits(words[1], _folder(folder)) or (Run(_joined(words), folder),)
        else:
            command = _joined(words)
    elif not isinstance(command, str):
        return (Run(""),)
    return edits_in_shell(command, _folder(folder)) or (Run(command, folder),)


def _joined(words: list[str]) -> str:
    return join(words)


def _folder(folder: str) -> str:
    return folder if folder.startswith("/") else ""


def _search(fields: dict[str, Any]) -> tuple[Action, ...]:
    path = text(fields, "path", "dir_path")
    return (Search(text(fields, "pattern") or "*", path or text(fields, "include")),)


def _shortened(text: str) -> str:
    return " ".join(text[: 2 * DETAIL_CHARS].split())[:DETAIL_CHARS]


_READ: Final = read("file_path", "path")
_TOOLS: Final[dict[str, Meaning]] = {
    "exec_command": _shell,
    "shell": _shell,
    "shell_command": _shell,
    "local_shell": _shell,
    "container.exec": _shell,
    _PATCH: patch("input", "patch"),
    "update_plan": todos("plan", "step"),
    "read_file": _READ,
    "view_image": _READ,
    "grep_files": _search,
    "list_dir": _search,
    "request_user_input": ask,
    "spawn_agent": delegate("task_name", "agent_type", prompt=("message", "prompt")),
    # What is typed into a command is a look at it, too: the answer may tell its end.
    "write_stdin": poll("session_id"),
}
