"""Codex's tools: what a `function_call`, `custom_tool_call` or `local_shell_call` means, and what an event says of one.

Arguments are the model's own JSON, so any field may be missing or of another type: it is then read as empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.clients.codex.script import calls_in
from clew.clients.fields import DETAIL_CHARS, detail, text
from clew.clients.patches import edits, edits_in_shell
from clew.clients.tools import Meaning, actions_of, ask, delegate, read, todos
from clew.core.records.transcript import Action, Edit, Other, Poll, Run, Search

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
    from urllib.parse import unquote, urlsplit  # here: most sessions have none

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
    from shlex import join  # here: models hand nearly all commands to a shell

    return join(words)


def _folder(folder: str) -> str:
    return folder if folder.startswith("/") else ""


def _patch(fields: dict[str, Any]) -> tuple[Action, ...]:
    patch = text(fields, "input", "patch")
    return edits(patch) or (Other(_shortened(patch)),)


def _search(fields: dict[str, Any]) -> tuple[Action, ...]:
    path = text(fields, "path", "dir_path")
    return (Search(text(fields, "pattern") or "*", path or text(fields, "include")),)


def _shortened(text: str) -> str:
    return " ".join(text[: 2 * DETAIL_CHARS].split())[:DETAIL_CHARS]


def _poll(fields: dict[str, Any]) -> tuple[Action, ...]:
    """What is typed into a command is a look at it, too: the answer may tell its end."""
    process = fields.get("session_id")
    return (Poll(str(process)),) if isinstance(process, (int, str)) else (Other(detail(fields)),)


_READ: Final = read("file_path", "path")
_TOOLS: Final[dict[str, Meaning]] = {
    "exec_command": _shell,
    "shell": _shell,
    "shell_command": _shell,
    "local_shell": _shell,
    "container.exec": _shell,
    _PATCH: _patch,
    "update_plan": todos("plan", "step"),
    "read_file": _READ,
    "view_image": _READ,
    "grep_files": _search,
    "list_dir": _search,
    "request_user_input": ask,
    "spawn_agent": delegate("task_name", "agent_type", prompt=("message", "prompt")),
    "write_stdin": _poll,
}
