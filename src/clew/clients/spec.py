"""What is known of a client as data: one `ClientSpec` a family, in the module `spec` of its folder.

Where a client keeps its things, what it is told to start, by what it is known: whoever asks that, asks here. What takes
code stands in the family's other modules (`clew.clients.registry`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

# From an environment and a user's home folder to a path.
Finder: TypeAlias = Callable[[Mapping[str, str], Path], Path]


class ClientFolder(NamedTuple):
    """The folder `below` the one that `variable` names, or the one at `default` from the user's home folder on."""

    variable: str
    default: str = ""
    below: str = ""

    def at(self, environment: Mapping[str, str], user: Path) -> Path:
        """The folder for a user whose home folder is `user`."""
        return Path(environment.get(self.variable) or user / self.default) / self.below


class Hook(NamedTuple):
    """An event that gets a hook, the seconds that the client waits for it, and which of them are asked for (mostly by a
    tool's name; "" all). Each time-out is far above what the hook takes: it is there for a machine that hangs.
    """

    event: str
    timeout_s: int
    matcher: str = ""


class ClientSpec(NamedTuple):
    """A client family. `name` is clew's name of it, `title` its own, `program` starts it; `home` is the folder of the
    user's own settings, `sessions` the one in which sessions lie: a client that was never used has no such folder.

    `settings` are the files that say which hooks run, from `home` on, and `project_settings` those from a project's top
    on; what a later one says wins. `hooks` are the events that a whole installation has a hook for, `always` those of
    them that no session is without. `shell_hooks`: a hook is a line for a shell; else a program and its arguments.
    `folder` is the client's folder in a project.

    `variables` move what it keeps. `asking` is the variable that it sets in what it starts: the session that asks is
    not the one to go on from; `anonymous`: it tells only that the client runs a command, and not which session does.
    `marks` are other variables that it sets for what it starts and that nobody sets for himself.
    `place` is set for hooks to where the client was started. `own_variables` are beginnings of those that it sets or
    heeds, which a trial of its hooks must not have of the caller.

    `plugin_mark` is the file by which it knows a plugin, in parts; () it has no plugins that are folders.

    `handshake` is what it calls itself to an MCP server; `servers` is where it keeps servers: the key of the table,
    `server_files` from `server_home` on, which is `home` unless told, and `project_servers` from a project's top on.
    `session_in_calls`: it names its session with each call; `server_session`, `server_place`: the variables in which it
    tells a server its session and where it was started. `wants_prompt`: it shows its person an error where a server
    offers nothing at all.

    `rules` are the rules files that it reads, from a folder up to the top of its repository; `rules_folder` holds more
    of them, from the top on; `own_rules` is the user's own below `home`. `rules_recorded`: its record holds them.

    `unattended` are options and commands of its command line that need nobody; `terminal_rule`: a person sits there as
    the family's `dialect.attended` says of the command line.

    `memory` is the folder of the memory that it writes itself, for a main work tree; `memory_is_users`: it holds for
    all projects.
    """

    name: str
    title: str
    program: str
    home: Finder
    sessions: Finder
    folder: str
    settings: tuple[str, ...] = ()
    project_settings: tuple[str, ...] = ()
    hooks: tuple[Hook, ...] = ()
    always: tuple[str, ...] = ("SessionStart", "UserPromptSubmit")
    shell_hooks: bool = True
    variables: tuple[str, ...] = ()
    asking: str = ""
    anonymous: bool = False
    marks: tuple[str, ...] = ()
    place: str = "CLEW_PLACE"
    own_variables: tuple[str, ...] = ()
    plugin_mark: tuple[str, ...] = ()
    handshake: str = ""
    servers: str = ""
    server_files: tuple[str, ...] = ()
    server_home: Finder | None = None
    project_servers: tuple[str, ...] = ()
    session_in_calls: bool = False
    server_session: str = ""
    server_place: str = ""
    wants_prompt: bool = False
    rules: tuple[str, ...] = ()
    rules_folder: str = ""
    own_rules: str = ""
    rules_recorded: bool = False
    unattended: tuple[str, ...] = ()
    terminal_rule: bool = False
    memory: Callable[[Path, Path], Path] | None = None
    memory_is_users: bool = False

    @property
    def events(self) -> tuple[str, ...]:
        """The events that a whole installation has a hook for."""
        return tuple(hook.event for hook in self.hooks)

    def settings_of(self, home: Path, project: Path) -> tuple[Path, ...]:
        """The files that decide which hooks run in `project`, if the client's folder is `home`."""
        return (*(home / name for name in self.settings), *(project / name for name in self.project_settings))

    def servers_of(self, environment: Mapping[str, str], user: Path) -> tuple[Path, ...]:
        """The files in which the client keeps the user's MCP servers."""
        folder = (self.server_home or self.home)(environment, user)
        return tuple(folder / name for name in self.server_files)
