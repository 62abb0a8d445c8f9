"""What Gemini CLI gets: hooks, slash commands and on request the MCP server; or all of it as an extension. Pure, but
for the texts of the commands, which are read.

Where the client looks and what it does with it: docs/clients/gemini.md, "Hooks". Time-outs are in milliseconds. There
is no hook for a session's start, because what it says makes the user's prompts vanish when the session is resumed, and
none before a compaction, because it fires at every request.
"""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.clients.gemini import home_of
from clew.clients.installing import Command, Edited, Parts, Placed, is_entry, is_shell_hook, server_command, shell_line
from clew.clients.splice import Entry
from clew.clients.texts import ARGUMENTS, slash_commands

CLIENT: Final = "gemini"
# All but what only reads and is called most (`core/gate/tools.py` has them all): that need not wait for us.
_ASKED: Final = "^(?!(?:read_file|read_many_files|list_directory|glob|grep_search|search_file_content|write_todos)$)"


class _Hook(NamedTuple):
    """An event, its time-out, and which tools it is about ("" all)."""

    event: str
    timeout_ms: int
    matcher: str = ""


# Each time-out is far above what the hook takes: it is there for a machine that hangs.
_HOOKS: Final = (
    _Hook("BeforeAgent", 15_000),
    _Hook("BeforeTool", 5_000, matcher=_ASKED),
    _Hook("AfterTool", 5_000),
    _Hook("AfterAgent", 15_000),
    _Hook("SessionEnd", 10_000),
)
EVENTS: Final = tuple(hook.event for hook in _HOOKS)


class GeminiInstaller:
    """Implements `clew.clients.installing.Installer`. `config` is the client's folder, by default `~/.gemini`.

    `server`: the client shall get our MCP server.
    """

    name = CLIENT

    def __init__(self, config: Path, *, server: bool = False) -> None:
        self._config = config
        self._server = server

    def present(self, find_program: Callable[[str], str | None]) -> bool:
        return self._config.is_dir() or find_program("gemini") is not None

    def user(self, command: Command, *, status_line: bool = False) -> Parts:  # noqa: ARG002 - the client has none
        entries = [Entry(("hooks", hook.event), "", _group(hook, command)) for hook in _HOOKS]
        if self._server:
            # Without trust the tools of a server are not even offered to a model that nobody sits at.
            entries.append(Entry(("mcpServers",), "clew", {**_server(command), "trust": True}))
        edited = Edited(self._config / "settings.json", tuple(entries))
        return Parts(CLIENT, (edited,), tuple(_commands(self._config)), is_ours, _typed())

    def shared(self, root: Path) -> Parts:
        """Slash commands only: a hook names a place on one machine."""
        return Parts(CLIENT, (), tuple(_commands(root / ".gemini")), is_ours, _typed())

    def plugin(self, folder: Path, command: Command, *, version: str) -> Parts:
        """An extension. Its commands are those of `user`."""
        about: dict[str, Any] = {
            "name": "clew",
            "version": version,
            "description": "Leads the next session of a coding agent back to where the last one stopped.",
        }
        if self._server:
            about["mcpServers"] = {"clew": _server(command)}
        hooks = {"hooks": {hook.event: [_group(hook, command)] for hook in _HOOKS}}
        made = (
            Placed(folder / "gemini-extension.json", json.dumps(about, indent=2) + "\n"),
            Placed(folder / "hooks" / "hooks.json", json.dumps(hooks, indent=2) + "\n"),
            *_commands(folder),
        )
        link = f"`gemini extensions link {shlex.quote(str(folder))}` makes it known to the client."
        return Parts(CLIENT, (), made, is_ours, _typed(), (link,))


def installer(environment: Mapping[str, str], user: Path, *, server: bool) -> GeminiInstaller:
    """For a user whose home folder is `user`."""
    return GeminiInstaller(home_of(environment, user), server=server)


def is_ours(path: tuple[str, ...], value: Any) -> bool:
    """Whether a value of a settings file is an entry of ours, of this or any other version: see `is_entry`."""
    return is_entry(path, value, servers="mcpServers", is_hook=is_shell_hook)


def _group(hook: _Hook, command: Command) -> dict[str, Any]:
    run = {
        "type": "command",
        "name": "clew",
        "command": shell_line(command, CLIENT, hook.event),
        "timeout": hook.timeout_ms,
    }
    return {"matcher": hook.matcher, "hooks": [run]} if hook.matcher else {"hooks": [run]}


def _server(command: Command) -> dict[str, Any]:
    start = server_command(command)
    return {"command": start.program, "args": list(start.arguments)}


def _typed() -> tuple[str, ...]:
    return tuple(f"/clew-{one.name}" for one in slash_commands())


def _commands(folder: Path) -> Iterator[Placed]:
    """The slash commands. A prompt that is asked for by nobody costs the model nothing."""
    for one in slash_commands():
        prompt = one.text.replace(ARGUMENTS, "{{args}}")
        text = f"description = {json.dumps(one.description, ensure_ascii=False)}\nprompt = '''\n{prompt}'''\n"
        yield Placed(folder / "commands" / f"clew-{one.name}.toml", text)
