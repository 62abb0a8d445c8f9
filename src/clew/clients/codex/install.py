"""What Codex gets: hooks, skills that the user calls by name, and on request the MCP server. Pure, but for the texts of
the skills, which are read.

Where the client looks and what it does with it: docs/clients/codex.md, "Hooks". Time-outs are in seconds. It runs no
hook before the user has accepted it, and asks anew for one whose command has changed: so nothing in a command is of a
version, and no time-out is changed without need.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.clients.codex import home_of
from clew.clients.installing import (
    SHELL,
    Command,
    Edited,
    Parts,
    Placed,
    is_entry,
    is_shell_hook,
    server_command,
    shell_line,
)
from clew.clients.registry import facts
from clew.clients.splice import Entry
from clew.clients.texts import ARGUMENTS, slash_commands

CLIENT: Final = "codex"
SERVERS: Final = "mcp_servers"
# A server gets no variable but a few of the system's own, and these: they say where clew and the clients keep things,
# and which task a run is for.
_VARIABLES: Final = tuple(sorted(("CLEW_TASK", *(name for names in facts("VARIABLES").values() for name in names))))
_ACCEPT: Final = (
    "Codex runs no hook that you have not accepted. At its next start it says that hooks need review: look at those of "
    "clew under `/hooks` and accept them (`Trust all and continue` takes those of the repository as well). Until then, "
    "and in `codex exec` without a word, it skips them; `clew doctor` tells which."
)
_WORDS: Final = "(the words that the user wrote behind the skill's name)"


class _Hook(NamedTuple):
    """An event and its time-out."""

    event: str
    timeout_s: int


# What the client makes of a longer one.
TIMEOUTS_S_MAX: Final = {"SessionEnd": 3}
# Each time-out is far above what the hook takes: it is there for a machine that hangs. Without one the client would
# kill the hook of a session's end after a second.
_HOOKS: Final = (
    _Hook("SessionStart", 15),
    _Hook("UserPromptSubmit", 10),
    _Hook("PreToolUse", 5),
    _Hook("PostToolUse", 5),
    _Hook("PreCompact", 15),
    _Hook("Stop", 60),
    _Hook("SessionEnd", 3),
)
EVENTS: Final = tuple(hook.event for hook in _HOOKS)


class CodexInstaller:
    """Implements `clew.clients.installing.Installer`. `home` is the client's folder, by default `~/.codex`.

    `server`: the client shall get our MCP server.
    """

    name = CLIENT

    def __init__(self, home: Path, *, server: bool = False) -> None:
        self._home = home
        self._server = server

    def present(self, find_program: Callable[[str], str | None]) -> bool:
        return self._home.is_dir() or find_program("codex") is not None

    def user(self, command: Command, *, status_line: bool = False) -> Parts:  # noqa: ARG002 - the client has none
        hooks = tuple(Entry(("hooks", hook.event), "", _group(hook, command)) for hook in _HOOKS)
        edited = [Edited(self._home / "hooks.json", hooks, strict=True)]
        if self._server:
            edited.append(Edited(self._home / "config.toml", (Entry((SERVERS,), "clew", _server(command)),)))
        return Parts(CLIENT, tuple(edited), tuple(_skills(self._home)), is_ours, _typed(), (_ACCEPT,))

    def shared(self, root: Path) -> Parts:
        """Skills only: a hook names a place on one machine."""
        return Parts(CLIENT, (), tuple(_skills(root / ".codex")), is_ours, _typed())

    def plugin(self, folder: Path, command: Command, *, version: str) -> Parts:  # noqa: ARG002
        """Nothing: the client takes plugins from a marketplace only."""
        return Parts(CLIENT, (), (), is_ours)


def installer(environment: Mapping[str, str], user: Path, *, server: bool) -> CodexInstaller:
    """For a user whose home folder is `user`."""
    return CodexInstaller(home_of(environment, user), server=server)


# The server, where the program is there and finds clew; else one without tools. Only what every shell has is used. "$1"
# is the program, "$@" starts the server.
_ANSWERS: Final = """\
if [ -x "$1" ] && "$1" -E -P -c 'import clew' 2>/dev/null; then exec "$@"; fi
while IFS= read -r l; do
  i=${l#*\\"id\\":}; i=${i%%[,\\}]*}; v=${l#*\\"protocolVersion\\":\\"}; v=${v%%\\"*}
  r='{"tools":[]}'
  case $l in
    *'"initialize"'*) s='{"name":"clew","version":"0"}'
      r="{\\"protocolVersion\\":\\"$v\\",\\"capabilities\\":{\\"tools\\":{}},\\"serverInfo\\":$s}" ;;
    *'"ping"'*) r='{}' ;;
    *'"id":'*) ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$i" "$r"
done"""


def is_ours(path: tuple[str, ...], value: Any) -> bool:
    """Whether a value of a settings file is an entry of ours, of this or any other version: see `is_entry`."""
    return is_entry(path, value, servers=SERVERS, is_hook=is_shell_hook)


def _group(hook: _Hook, command: Command) -> dict[str, Any]:
    run: dict[str, Any] = {
        "type": "command",
        "command": shell_line(command, CLIENT, hook.event),
        "timeout": hook.timeout_s,
    }
    return {"hooks": [run]}


def _server(command: Command) -> dict[str, Any]:
    """`required`: the first request waits until the server is ready, or its tools would be missing in the session. But
    then the client does not start where the server does not answer, so that a shell answers where clew is gone.
    """
    start = server_command(command)
    return {
        "command": SHELL,
        "args": ["-c", _ANSWERS, "clew", start.program, *start.arguments],
        "env_vars": list(_VARIABLES),
        "required": True,
    }


def _skills(folder: Path) -> Iterator[Placed]:
    """Our commands as skills that only the user calls: the model is told of none."""
    for one in slash_commands():
        place = folder / "skills" / f"clew-{one.name}"
        front = f"---\nname: clew-{one.name}\ndescription: {one.description}\n---\n\n"
        yield Placed(place / "SKILL.md", front + one.text.replace(ARGUMENTS, _WORDS))
        yield Placed(place / "agents" / "openai.yaml", "policy:\n  allow_implicit_invocation: false\n")


def _typed() -> tuple[str, ...]:
    return tuple(f"$clew-{one.name}" for one in slash_commands())
