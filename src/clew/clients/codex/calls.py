"""Codex's tools: what a `function_call`, `custom_tool_call` or `local_shell_call` means, and what an event says of one.

Arguments are the model's own JSON, so any field may be missing or of another type: it is then read as empty.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
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
# joined ones), numbers, lists, objects, and names that such a text was given to before. Written with Python's words it
# is what Python's own parser reads. Sources: docs/clients/codex.md, "Scripts".

_CHARS_MAX: Final = 1 << 20
_CALLS_MAX: Final = 500
# So much text is looked through for the ends of arguments; of a value that nothing ends so much is taken.
_SEARCHED_CHARS_MAX: Final = 2 << 20
_VALUE_CHARS_MAX: Final = 2_000
_TEXT: Final = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*(?:`|\Z)"
_COMMENT: Final = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_SEEN: Final = re.compile(
    rf"{_COMMENT}|{_TEXT}"
    r"|(?<![\w.$])tools\s*(?:\?\.|\.)\s*(?P<tool>\w+)\s*\(|\b(?:const|let|var)\s+(?P<name>[\w$]+)\s*=(?!=)",
    re.DOTALL,
)
# A statement ends with its line where the next one begins with a word.
_SIGN: Final = re.compile(rf"{_COMMENT}|{_TEXT}|(?P<sign>[\[\](){{}},;]|\n(?=\s*[A-Za-z_$]))", re.DOTALL)
# What Python writes in another way: comments, texts, names of fields, and some words.
_FOREIGN: Final = re.compile(
    rf"(?P<comment>{_COMMENT})|(?P<text>(?:String\.raw)?(?:{_TEXT}))|(?P<field>[A-Za-z_$][\w$]*)(?=\s*:)"
    r"|\b(?P<word>true|false|null|undefined)\b",
    re.DOTALL,
)
_WORDS: Final = {"true": "True", "false": "False", "null": "None", "undefined": "None"}
_ESCAPE: Final = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_PLAIN: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}


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
    left = _SEARCHED_CHARS_MAX
    for seen in _SEEN.finditer(script):
        if not seen.lastgroup:
            continue
        text, end = _expression(script, seen.end(), is_statement=not seen["tool"])
        left -= end - seen.end()
        if left < 0:
            return
        value = _argument(text, known)
        if seen["tool"]:
            yield ToolCall(seen["tool"], value)
        else:
            known.pop(seen["name"], None)
            known |= {seen["name"]: value} if isinstance(value, str) else {}


def _expression(script: str, start: int, *, is_statement: bool = False) -> tuple[str, int]:
    """What stands from `start` up to the end of an argument, a field or a statement, "" where that is not found; and
    how far was looked.
    """
    ends, depth = ((";", "\n", ",") if is_statement else (",",)), 0
    for found in _SIGN.finditer(script, start):
        sign = found["sign"] or ""
        depth += (sign in ("(", "[", "{")) - (sign in (")", "]", "}"))
        if depth < 0 or (depth == 0 and sign in ends):
            return script[start : found.start()], found.end()
    return "" if depth else script[start : start + _VALUE_CHARS_MAX], len(script)


def _argument(text: str, known: dict[str, str]) -> Any:
    """A value; of an object the fields that are written out; None for anything else."""
    bare = text.strip()
    try:
        if not (bare.startswith("{") and bare.endswith("}")):
            return _value(bare, known)
        fields: dict[str, Any] = {}
        start = 1
        while start < len(bare):
            piece, start = _expression(bare, start)
            with suppress(_Unknown):
                fields |= _value(f"{{{piece}}}" if ":" in piece else f"{{{piece}: {piece}}}", known)
        return fields
    except _Unknown:
        return None


def _value(text: str, known: dict[str, str]) -> Any:
    try:
        with warnings.catch_warnings(action="ignore"):  # of a number such as `1if`
            tree = ast.parse(f"({_FOREIGN.sub(_in_python, text)})", mode="eval")
        return _evaluated(tree.body, known)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _Unknown from None


def _in_python(found: re.Match[str]) -> str:
    if found["comment"]:
        return " "
    if found["word"]:
        return _WORDS[found["word"]]
    return repr(_text(found["text"]) if found["text"] else found["field"])


def _evaluated(node: ast.expr, known: dict[str, str]) -> Any:
    match node:
        case ast.Constant(str() | int() | float() | None as value):
            return value
        case ast.Name(name) if name in known:
            return known[name]
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
        case ast.List(elements):
            return [_evaluated(one, known) for one in elements]
        case ast.Dict(names, values):
            pairs = zip(names, values, strict=True)
            return {_evaluated(name, known): _evaluated(value, known) for name, value in pairs if name is not None}
        case ast.BinOp(left, ast.Add(), right):
            parts = [_evaluated(left, known), _evaluated(right, known)]
            return _joined_texts("", parts)
        case ast.Call(ast.Attribute(ast.List() as listed, "join"), [between]):
            return _joined_texts(_evaluated(between, known), _evaluated(listed, known))
    raise _Unknown


def _joined_texts(between: Any, parts: list[Any]) -> str:
    if not all(isinstance(one, str) for one in (between, *parts)):
        raise _Unknown
    return str(between).join(parts)


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
