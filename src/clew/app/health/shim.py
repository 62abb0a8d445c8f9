"""The start of hooks in the user's data: the shim, and the file that says where the package is."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clew.app.health.finding import HealthFinding, Level, count
from clew.app.install.entries import PACKAGE, SHIM, Machine, hook_command, on_the_path, read_record
from clew.app.project.runtime_dirs import read_small
from clew.clients.configured import Configuration, InstalledHook
from clew.clients.installing import server_command
from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line, shorten
from clew.workspace.process import Finished, LimitExceeded, run

_TIMEOUT_S: Final = 60
# Two seconds are usual: the SDK is imported.
_SLOW_S: Final = 10
_WORDS_CHARS: Final = 160
_CHECK: Final = "server"
_REINSTALL: Final = "Run `clew init` again; if that does not help, reinstall clew."
_TOOLS, _BEYOND = 2, 3
_ASKED: Final[tuple[dict[str, Any], ...]] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "clew-doctor", "version": "0"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": _TOOLS, "method": "tools/list"},
    # Up to here the server answers by itself; this one it hands to the SDK, whatever that says to it.
    {"id": _BEYOND, "method": "resources/list"},
)


def examine_server(machine: Machine, environment: Mapping[str, str], scratch: Path) -> HealthFinding:
    """Whether the server of `machine` starts and lists its tools. `scratch` is a folder for what it is asked; it stands
    in the caller's own. Raises OSError where `scratch` cannot be written.
    """
    command = server_command(hook_command(machine))
    asked = scratch / "asked.jsonl"
    asked.write_text("".join(f"{json.dumps({'jsonrpc': '2.0', **one})}\n" for one in _ASKED))
    begun = time.perf_counter()
    try:
        done = run(
            [command.program, *command.arguments], environment=environment, timeout_s=_TIMEOUT_S, given=str(asked)
        )
    except OSError as error:
        said = f"{command.program} cannot be started: {error.strerror or type(error).__name__}"
        return HealthFinding(_CHECK, "wrong", said, _REINSTALL)
    except LimitExceeded as error:
        return HealthFinding(_CHECK, "wrong", f"the MCP server had to be stopped: {error}", _REINSTALL)
    took_s = time.perf_counter() - begun
    answers = _answers(done.out)
    if _TOOLS not in answers or _BEYOND not in answers:
        return HealthFinding(_CHECK, "wrong", f"the MCP server does not answer{_words(done)}", _REINSTALL)
    tools = _tools(answers[_TOOLS])
    said = f"the MCP server answers, {took_s:.1f} s, and offers {count(tools, 'tool') if tools else 'nothing'} here"
    if took_s > _SLOW_S:
        return HealthFinding(_CHECK, "warn", said, "Is the machine busy? If it goes on, report it with this figure.")
    return HealthFinding(_CHECK, "fine", said)


def _answers(out: bytes) -> dict[Any, dict[str, Any]]:
    """The answers by the number of what was asked."""
    found = {}
    for line in out.splitlines():
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict) and isinstance(told.get("id"), int):
            found[told["id"]] = told
    return found


def _tools(answer: dict[str, Any]) -> int:
    result = answer.get("result")
    tools = result.get("tools") if isinstance(result, dict) else None
    return len(tools) if isinstance(tools, list) else 0


def _words(done: Finished) -> str:
    last = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2]
    told = [f"exit code {done.code}"] if done.code else []
    told += [shorten(one_line(clean(last)), _WORDS_CHARS)] if last else []
    return f" ({': '.join(told)})" if told else ""


# Without these no hook can do anything.
_BYTES_MAX: Final = 1 << 20
_NEEDED: Final = ("shim", "package", "interpreter")
_AGAIN: Final = "Run `clew init` again: it puts that in order."


def examine(machine: Machine, found: Sequence[Configuration], *, opted_in: bool) -> Iterator[HealthFinding]:
    """Whether the installation is whole. `opted_in`: a person let sessions here use clew."""
    hooks = [hook for one in found for hook in one.hooks]
    yield from _record(machine)
    for one in found:
        for problem in one.problems:
            level: Level = "wrong" if problem.hinders else "warn"
            yield HealthFinding("client.settings", level, problem.said, problem.mend)
        yield from _events(one, needed=opted_in and not hooks)
        yield from _foreign(one)
    if not found:
        yield HealthFinding("hooks", "info", "no client was found on this machine", "Install one, and run `clew init`.")
    if hooks or opted_in:
        yield from _shim(machine)
        if (machine.data / SHIM).is_file():  # else the other is most likely gone with it, and one is enough to fix
            yield from _package(machine)
    yield from _interpreter(machine, hooks)


def hinders(findings: Iterable[HealthFinding]) -> str:
    """The check whose finding says why no hook can do anything, "" if none does: then it need not be tried."""
    return next((one.check for one in findings if one.level == "wrong" and one.check in _NEEDED), "")


def on_path(machine: Machine, find_program: Callable[[str], str | None]) -> HealthFinding:
    """Whether a client finds the command `clew`, as far as this PATH is the one that it is started with."""
    found = find_program("clew")
    if found:
        return HealthFinding("path", "fine", f"`clew` on the PATH is {found}")
    said = "`clew` is not on the PATH: slash commands, and what hooks advise, do not work in the client"
    return HealthFinding("path", "warn", said, on_the_path(machine))


def _record(machine: Machine) -> Iterator[HealthFinding]:
    try:
        read_record(machine.data)
    except InputError as error:
        yield HealthFinding("installed", "wrong", error.message, error.hint)


def _events(one: Configuration, *, needed: bool) -> Iterator[HealthFinding]:
    missing = [event for event in one.events if event not in {hook.event for hook in one.hooks}]
    there = len(one.events) - len(missing)
    if not missing:
        yield HealthFinding("hooks", "fine", f"{one.client} has all {there} hooks")
    elif there:
        yield HealthFinding("hooks", "wrong", f"{one.client} has no hook for {', '.join(missing)}", _AGAIN)
    elif needed:
        mend = "Run `clew init`."
        yield HealthFinding("hooks", "wrong", f"{one.client} has none of clew's hooks", mend)
    else:
        yield HealthFinding("hooks", "info", f"{one.client} has none of clew's hooks", "`clew init` puts them in.")
    twice = len(one.hooks) - len({hook.event for hook in one.hooks})
    if twice:
        places = ", ".join(sorted({str(hook.place) for hook in one.hooks}))
        mend = "Take one of the two out."
        yield HealthFinding("hooks.twice", "warn", f"{count(twice, 'hook')} run twice (in {places})", mend)


def _foreign(one: Configuration) -> Iterator[HealthFinding]:
    """Hooks that came with a repository: they are neither tried nor counted, and nobody is told to accept them."""
    for path in one.foreign:
        said = f"{path} has a hook with the name of clew's, and is not a settings file of your own: it was not tried"
        mend = "clew puts no hook there. Look at what it starts before the client runs it, and take it out."
        yield HealthFinding("hooks.foreign", "warn", said, mend)


def _shim(machine: Machine) -> Iterator[HealthFinding]:
    try:
        there = read_small(str(machine.data / SHIM), most=_BYTES_MAX).encode("utf-8", "surrogateescape")
        same = there == machine.shim.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        yield HealthFinding(
            "shim", "wrong", f"{machine.data / SHIM} cannot be read: {why}; so no hook does anything", _AGAIN
        )
        return
    if same:
        yield HealthFinding("shim", "fine", "the file that hooks start with is this clew's")
    else:
        yield HealthFinding("shim", "wrong", f"{machine.data / SHIM} is another version's, or damaged", _AGAIN)


def _package(machine: Machine) -> Iterator[HealthFinding]:
    file = machine.data / PACKAGE
    try:
        told = read_small(str(file), most=_BYTES_MAX).split("\n")[0]
    except OSError as error:
        yield HealthFinding(
            "package", "wrong", f"{file} cannot be read: {error.strerror}; so no hook finds clew", _AGAIN
        )
        return
    if Path(told) == Path(machine.packages[0]):
        yield HealthFinding("package", "fine", f"hooks use the clew in {told}")
    elif (Path(told) / "clew").is_dir():
        yield HealthFinding(
            "package", "warn", f"hooks use another clew, in {told}; this one is in {machine.packages[0]}", _AGAIN
        )
    else:
        yield HealthFinding("package", "wrong", f"hooks look for clew in {told}, where it is not", _AGAIN)


def _interpreter(machine: Machine, hooks: Sequence[InstalledHook]) -> Iterator[HealthFinding]:
    for program in sorted({hook.program for hook in hooks}):
        if not Path(program).is_file():
            yield HealthFinding("interpreter", "wrong", f"{program}, which hooks start, is not there", _AGAIN)
        elif any(Path(program).is_relative_to(place) for place in machine.temporary):
            mend = "Install clew for good (`uv tool install`, `pipx install`) and run `clew init` again."
            yield HealthFinding("interpreter", "warn", f"{program} is in a temporary place", mend)
        else:
            yield HealthFinding("interpreter", "fine", f"hooks start {program}")
