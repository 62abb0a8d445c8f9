"""`clew init`, whole: the folder becomes a project, its place opts in, and the clients of this user get their hooks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from clew.app.init import Initialised, init, plan
from clew.app.install import Installation, Machine, hook_command, install, on_the_path, plan_install, unwritable
from clew.app.installed import Record, read_record
from clew.app.optin import live_at, opt_in
from clew.app.ports import Ports
from clew.app.told import safe_errors
from clew.clients.installing import Installer, Parts
from clew.core.errors import InputError

Scope = Literal["user", "project"]


class Choices(NamedTuple):
    """What is wanted. `clients` are names, empty for none of them; None: those that this user has.

    `scope` "project" puts into the repository what works on any machine, and nothing into the user's settings.
    `plugin` is a folder (absolute) that gets a plugin instead; `status_line`: one is put where none is.
    """

    clients: tuple[str, ...] | None = None
    scope: Scope = "user"
    status_line: bool = False
    plugin: Path | None = None


class SetUp(NamedTuple):
    """What was done, or would be: the project, what changed for the clients (`clients` are their names), the live
    folder if it was made, sentences for the person, and the slash commands that the clients have now."""

    project: Initialised
    clients: tuple[str, ...]
    installed: tuple[Installation, ...]
    live: Path | None
    notes: tuple[str, ...]
    commands: tuple[str, ...] = ()


def set_up(
    ports: Ports,
    machine: Machine,
    installers: Sequence[Installer],
    folder: Path,
    choices: Choices,
    *,
    find_program: Callable[[str], str | None],
    dry_run: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _left: None,
) -> SetUp:
    """Make `folder` (absolute) a project, and let hooks of this user's clients act in it.

    Whatever would refuse is asked before anything is made. Raises `InputError` and `LedgerError`.
    """
    with safe_errors(ports.redact):
        root = plan(ports, folder).spot.root
        plugin = _plugin(machine, choices)
        chosen = _chosen(installers, choices, find_program, plugin)
        parts = [_parts(one, machine, root, choices, plugin) for one in chosen]
        planned = [plan_install(machine, one) for one in parts]
        live = live_at(machine.data, root) if choices.clients != () else None
        new_live = live if live is not None and not live.exists() else None
        installed: list[Installation] = []

        def founded() -> None:
            installed.extend(install(machine, one) for one in parts)
            if live is not None:
                try:
                    opt_in(machine.data, root)
                except OSError as error:
                    raise unwritable(live, error) from error

        project = init(ports, folder, dry_run=dry_run, progress=progress, founded=founded)
        done = tuple(planned if dry_run else installed)
        said = [note for one in done for note in one.notes]
        said += _notes(machine, choices, chosen, find_program, plugin)
        commands = dict.fromkeys(
            _typed(own.path, plugin) for one in parts for own in one.placed if own.path.suffix == ".md"
        )
        names = tuple(one.name for one in chosen)
        return SetUp(project, names, done, new_live, (*project.notes, *said), tuple(commands))


def _typed(path: Path, plugin: Path | None) -> str:
    """The slash command that a text of ours is: a skill's by its folder, a plugin's behind the plugin's name."""
    name = path.parent.name if path.stem == "SKILL" else path.stem
    return f"/clew:{name}" if plugin else f"/{name}"


def _chosen(
    installers: Sequence[Installer],
    choices: Choices,
    find_program: Callable[[str], str | None],
    plugin: Path | None,
) -> list[Installer]:
    if choices.clients is None:
        return [one for one in installers if plugin or choices.scope == "project" or one.present(find_program)]
    return [one for one in installers if one.name in choices.clients]


def _parts(installer: Installer, machine: Machine, root: Path, choices: Choices, plugin: Path | None) -> Parts:
    if plugin is not None:
        return installer.plugin(plugin, hook_command(machine), version=machine.version)
    if choices.scope == "project":
        return installer.shared(root)
    return installer.user(hook_command(machine), status_line=choices.status_line)


def _plugin(machine: Machine, choices: Choices) -> Path | None:
    """The folder of the plugin that is made or kept up to date: the one that was named; or, where nothing else was
    asked for and no settings have the hooks, the one that was made before.
    """
    if choices.plugin is not None:
        return _plugin_folder(Path(os.path.normpath(choices.plugin)))
    if choices.clients is not None or choices.scope == "project" or choices.status_line:
        return None
    record = read_record(machine.data)
    return next(iter(_plugins(record)), None) if not record.edited else None


def _plugins(record: Record) -> list[Path]:
    """The plugins that were made and are there."""
    return [one for one in record.plugins if (one / ".claude-plugin" / "plugin.json").is_file()]


def _plugin_folder(folder: Path) -> Path:
    """The folder, if a plugin of ours can stand there."""
    try:
        held = {entry.name for entry in folder.iterdir()}
    except FileNotFoundError:
        return folder
    except OSError as error:
        raise unwritable(folder, error) from error
    if held and not (folder / ".claude-plugin" / "plugin.json").is_file():
        raise InputError(
            f"{folder} holds something else already", code="E-plugin-folder", hint="Name a new or an empty folder."
        )
    return folder


def _notes(
    machine: Machine,
    choices: Choices,
    chosen: Sequence[Installer],
    find_program: Callable[[str], str | None],
    plugin: Path | None,
) -> Iterable[str]:
    if not chosen:
        if choices.clients is None:
            yield "No client was found on this machine; run `clew init` again when there is one."
        return
    if choices.scope == "project" and plugin is None:
        yield "Hooks are not put into a repository: they name places on one machine. Each person runs `clew init`."
        return
    record = read_record(machine.data)
    if choices.plugin is not None:
        yield f"Start the client with it: `claude --plugin-dir {plugin}`."
        if record.edited:
            yield (
                "Your settings have the hooks, too, and both would run: `clew uninstall --settings` takes those out, "
                "and leaves the plugin."
            )
    elif plugin is not None:
        yield f"The plugin {plugin} has the hooks; nothing is put into your settings (`--client claude-code` would)."
    elif made := _plugins(record):
        yield f"The plugin {made[0]} has the hooks, too: a client that is started with it would run both."
    if any(_is_below(Path(machine.python), place) for place in machine.temporary):
        yield (
            f"{machine.python} is in a place that is emptied now and then; without it hooks do nothing. "
            "Install clew for good (`uv tool install`, `pipx install`) and run `clew init` again."
        )
    if find_program("clew") is None:
        yield f"`clew` is not on your PATH: the slash commands need it there, hooks do not. {on_the_path(machine)}"


def _is_below(program: Path, place: Path) -> bool:
    """Whether the program is called by a path below `place`; where a link of that name leads is of no matter."""
    return program.is_relative_to(place) or program.parent.resolve().is_relative_to(place.resolve())
