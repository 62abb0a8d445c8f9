"""What Claude Code gets: hooks and a skill, slash commands, on request a status line; or all of it as a plugin. Pure,
but for the texts in `assets/`, which are read.

Where the client looks and what it does with it: docs/clients/claude-code.md, "Hooks". Time-outs are in seconds. The
event stands last in each command, so that two hooks differ by it alone.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.clients.claude_code import home_of
from clew.clients.installing import (
    GUARD,
    SHELL,
    SHIM,
    Command,
    Edited,
    Parts,
    Placed,
    is_entry,
    server_command,
    shell_line,
)

CLIENT: Final = "claude-code"
STATUS_LINE: Final = "statusline"
# All but what only reads and is called most (`core/gate/tools.py` has them all): that need not wait for us.
_ASKED: Final = (
    "^(?!(?:Read|Grep|Glob|LS|TodoWrite|TaskCreate|TaskUpdate|TaskList|TaskGet|BashOutput|AskUserQuestion)$)"
)
_ASSETS: Final = Path(__file__).with_name("assets")
_SKILL: Final = "skill.md"


class _Hook(NamedTuple):
    """An event, its time-out, and which of them are asked for (mostly by a tool's name; "" all)."""

    event: str
    timeout_s: int
    matcher: str = ""


# Each time-out is far above what the hook takes: it is there for a machine that hangs. Without one the client would
# cancel the hook of a session's end after a second or two.
_HOOKS: Final = (
    _Hook("SessionStart", 15),
    _Hook("UserPromptSubmit", 10),
    _Hook("PreToolUse", 5, matcher=_ASKED),
    _Hook("PostToolUse", 5),
    _Hook("PostToolUseFailure", 5),
    _Hook("SubagentStop", 5, matcher="^$"),  # no sub-agent: this one has the summary of a compaction
    # After a compaction by hand the client names each hook of this event to the model; after an automatic one none.
    # What a compaction by hand drops is taken in at the session's start behind it.
    _Hook("PreCompact", 15, matcher="auto"),
    _Hook("Stop", 60),
    _Hook("SessionEnd", 10),
)
EVENTS: Final = tuple(hook.event for hook in _HOOKS)


class ClaudeCodeInstaller:
    """Implements `clew.clients.installing.Installer`. `config` is the client's folder, by default `~/.claude`.

    `server` is the file in which the client keeps the user's MCP servers, when it shall get ours; None for not. What
    it gets then stands in a plugin, too.
    """

    name = CLIENT

    def __init__(self, config: Path, *, server: Path | None = None) -> None:
        self._config = config
        self._server = server

    def present(self, find_program: Callable[[str], str | None]) -> bool:
        return self._config.is_dir() or find_program("claude") is not None

    def user(self, command: Command, *, status_line: bool = False) -> Parts:
        from clew.clients.splice import Entry  # here: the hooks' table is read at a session's start

        line = Entry((), "statusLine", {"type": "command", "command": _line(command, STATUS_LINE)})
        hooks = tuple(Entry(("hooks", hook.event), "", _group(hook, command)) for hook in _HOOKS)
        edited = [Edited(self._config / "settings.json", hooks, (line,), asked=status_line, strict=True)]
        if self._server is not None:
            edited.append(Edited(self._server, (Entry(("mcpServers",), "clew", _server(command)),)))
        return Parts(CLIENT, tuple(edited), _texts(self._config, "clew-"), is_ours, _typed("/clew-"))

    def shared(self, root: Path) -> Parts:
        """Texts only: a hook names a place on one machine."""
        return Parts(CLIENT, (), _texts(root / ".claude", "clew-"), is_ours, _typed("/clew-"))

    def plugin(self, folder: Path, command: Command, *, version: str) -> Parts:
        """Its commands are `/clew:resume` and so on."""
        hooks = {"hooks": {hook.event: [_group(hook, command)] for hook in _HOOKS}}
        about = {
            "name": "clew",
            "version": version,
            "description": "Leads the next session of a coding agent back to where the last one stopped.",
        }
        made = (
            Placed(folder / ".claude-plugin" / "plugin.json", json.dumps(about, indent=2) + "\n"),
            Placed(folder / "hooks" / "hooks.json", json.dumps(hooks, indent=2) + "\n"),
            *_texts(folder, ""),
        )
        if self._server is not None:
            servers = {"mcpServers": {"clew": _server(command)}}
            made = (*made, Placed(folder / ".mcp.json", json.dumps(servers, indent=2) + "\n"))
        start = f"Start the client with it: `claude --plugin-dir {folder}`."
        return Parts(CLIENT, (), made, is_ours, _typed("/clew:"), (start,))


def installer(environment: Mapping[str, str], user: Path, *, server: bool) -> ClaudeCodeInstaller:
    """For a user whose home folder is `user`. Servers stand beside the client's folder, or in the one that it was told
    to use instead.
    """
    folder = home_of(environment, user)
    servers = (folder if environment.get("CLAUDE_CONFIG_DIR") else folder.parent) / ".claude.json"
    return ClaudeCodeInstaller(folder, server=servers if server else None)


def is_ours(path: tuple[str, ...], value: Any) -> bool:
    """Whether a value of a settings file is an entry of ours, of this or any other version: as `is_entry`, or a status
    line."""
    if path == ("statusLine",):
        return isinstance(value, dict) and SHIM in str(value.get("command"))
    return is_entry(path, value, servers="mcpServers", is_hook=_is_our_hook)


def _is_our_hook(hook: object) -> bool:
    arguments = hook.get("args") if isinstance(hook, dict) else None
    return isinstance(arguments, list) and any(isinstance(one, str) and SHIM in one for one in arguments)


def _group(hook: _Hook, command: Command) -> dict[str, Any]:
    run: dict[str, Any] = {
        "type": "command",
        "command": SHELL,
        "args": ["-c", GUARD, command.program, *command.arguments, CLIENT, hook.event],
        "timeout": hook.timeout_s,
    }
    return {"matcher": hook.matcher, "hooks": [run]} if hook.matcher else {"hooks": [run]}


def _server(command: Command) -> dict[str, Any]:
    start = server_command(command)
    return {"type": "stdio", "command": start.program, "args": list(start.arguments)}


def _line(command: Command, event: str) -> str:
    """The command as a line for a shell: a status line is the one thing that the client starts with one."""
    return shell_line(command, CLIENT, event)


def _texts(folder: Path, prefix: str) -> tuple[Placed, ...]:
    """The skill and the slash commands, these with `prefix` before their names."""
    return (
        Placed(folder / "skills" / "clew" / "SKILL.md", _asset(_SKILL)),
        *(Placed(folder / "commands" / f"{prefix}{name}.md", _asset(f"{name}.md")) for name in _commands()),
    )


def _typed(prefix: str) -> tuple[str, ...]:
    """What a person types for the skill and the slash commands."""
    skill = f"{prefix}clew" if prefix.endswith(":") else "/clew"
    return (skill, *(f"{prefix}{name}" for name in _commands()))


def _commands() -> list[str]:
    return sorted(path.stem for path in _ASSETS.glob("*.md") if path.name != _SKILL)


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")
