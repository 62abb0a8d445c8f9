"""Going on in a client: what is started, and by which way the payload gets to it."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.install.entries import Machine
from clew.app.phase.route import routed
from clew.app.ports import TASK_VARIABLE
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import lives, tops
from clew.clients.configured import ClientConfig
from clew.clients.launching import Launcher
from clew.core.errors import InputError, NotFound
from clew.core.plan.plan import Route
from clew.core.text.cleaning import clean, one_line
from clew.core.text.receipt import as_prompt, changed_throughout

# What clients put a file for, Claude Code any file of the user's. Gemini CLI takes one for a file in the midst of a
# word, too, and whatever is behind it but a space or a line's end.
REFERENCES: Final = re.compile(r"@(?=[^ \n])")


class Launch(NamedTuple):
    """What to start: the path of the program, its arguments, and what its environment has beside the caller's.

    `by_hook`: the client's own hooks put the payload before the model; else it is the first prompt, in which a space
    stands behind every `@`: clients put a file in the place of `@path`, and the payload holds words of anybody's.
    `route`: the model that it is started with, and why.
    """

    program: str
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    by_hook: bool
    route: Route


def known_launcher(launchers: Mapping[str, Launcher], client: str) -> Launcher:
    """The launcher of a client, by its name or that of its program (`claude`). Raises `InputError`: none has it."""
    for one in launchers.values():
        if client == one.program:
            return one
    if client not in launchers:
        names = ", ".join(launchers)
        raise InputError(
            f"no client is called {one_line(clean(client))}", code="E-client-unknown", hint=f"clew knows: {names}."
        )
    return launchers[client]


def launch(
    project: ProjectHandle,
    machine: Machine,
    launcher: Launcher,
    client: ClientConfig,
    *,
    task: str,
    text: str,
    find_program: Callable[[str], str | None],
) -> Launch:
    """How to go on in `folder` (absolute) with the client of `launcher`: with the payload of `task` (its id, "" none)
    if a hook of ours brings it, else with `text`.

    `find_program` gives the path of a program, None for none. Raises `NotFound` where the client is not installed, or
    is found in the folder at hand only: a repository could bring a program of that name.
    """
    program = program_of(launcher, find_program)
    way = routed(project, launcher.client, task=task or None)
    if (
        task
        and hooks_bring(project, machine, client)
        and project.ports.settings(locate(project.folder).root).on("inject.on")
    ):
        return Launch(program, launcher.arguments("", way.model), ((TASK_VARIABLE, task),), True, way)
    prompt = as_prompt(changed_throughout(text, partial(REFERENCES.sub, "@ ")))
    return Launch(program, launcher.arguments(prompt, way.model), (), False, way)


def program_of(launcher: Launcher, find_program: Callable[[str], str | None]) -> str:
    """The path of the client's program. Raises `NotFound` as `launch`."""
    program = find_program(launcher.program)
    if program is None or not Path(program).is_absolute():
        where = "" if program is None else f" but for {one_line(clean(program))}, which is not named by a whole path"
        raise NotFound(
            f"{launcher.client} is not installed: there is no program {launcher.program} on the PATH{where}",
            code="E-client-missing",
            hint="Install it, or put the text before any agent by hand: `clew resume --copy`.",
        )
    return program


def hooks_bring(project: ProjectHandle, machine: Machine, client: ClientConfig) -> bool:
    """Whether hooks of ours run in the client here, as far as its settings tell."""
    from clew.app.health.doctor import configuration  # here: it looks at everything, and most want to know less

    location = locate(project.folder)
    found = configuration(client, location.root, project.ports.environment)
    hindered = any(problem.hinders for problem in found.problems)
    return bool(found.hooks) and not hindered and bool(lives(machine.data, tops(location)))
