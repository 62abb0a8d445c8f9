"""The doctor: whether clew works for this user and in this project, found out by trying (docs/reference/doctor.md).

Nothing of anybody's is changed: hooks are run in a place made for it, which is removed again.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from clew.app.context.window import settings_files
from clew.app.health import hooks, shim, storage
from clew.app.health.finding import HealthFinding, count
from clew.app.hooks.receipts import receipts
from clew.app.install.entries import Machine
from clew.app.intake.find import found_in, project_at, reader_at, unread
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.redaction import redacted_name
from clew.app.project.runtime_dirs import lives
from clew.app.results import JsonResult
from clew.clients.configured import ClientConfig, Configuration, InstalledHook
from clew.clients.places import PACKED, file_of
from clew.clients.port import Transcript
from clew.core.errors import ClewError, InputError
from clew.core.records.transcript import Context
from clew.core.state.events import timestamp
from clew.core.text.cleaning import clean, one_line
from clew.ledger.sqlite.connection import engine
from clew.sessions.log import SessionLog
from clew.workspace.process import LimitExceeded, run
from clew.workspace.repository import work_trees

_GIT_LEAST: Final = (2, 31)
_UNREAD: Final = "Hooks of that client still work; name another session with `--from`, or use a newer clew."
_VERSION_BYTES: Final = 1 << 20


class Examination(JsonResult, frozen=True):
    """All findings, those about the machine first. `wrong`: something does not work."""

    wrong: bool
    root: Path
    findings: tuple[HealthFinding, ...]


def doctor(
    project: ProjectHandle,
    machine: Machine,
    clients: Sequence[ClientConfig],
    *,
    find_program: Callable[[str], str | None],
    serves: bool = False,
) -> Examination:
    """All that `examined` finds, and the root of the project that `folder` (absolute) is in."""
    found = tuple(examined(project, machine, clients, find_program=find_program, serves=serves))
    return Examination(any(one.level == "wrong" for one in found), locate(project.folder).root, found)


def examined(
    project: ProjectHandle,
    machine: Machine,
    clients: Sequence[ClientConfig],
    *,
    find_program: Callable[[str], str | None],
    serves: bool = False,
) -> Iterator[HealthFinding]:
    """Examine this machine, and the project that `folder` (absolute) is in; each finding as soon as it is known, the
    versions first. Raises nothing of clew's.

    `serves`: the MCP server can run here, so clients were told of it.
    """
    found = _findings(project.ports, machine, clients, locate(project.folder), find_program, serves=serves)
    return (_plain(project.ports, one) for one in found)


def _findings(
    ports: Ports,
    machine: Machine,
    clients: Sequence[ClientConfig],
    location: ProjectLocation,
    find_program: Callable[[str], str | None],
    *,
    serves: bool,
) -> Iterator[HealthFinding]:
    yield _versions(machine)
    files = _files(ports, location)
    found = [configuration(one, location.root, ports.environment) for one in clients]
    places = lives(machine.data, work_trees(location.repository) if location.repository else [location.root])
    yield from _newest(ports, files)
    yield from (HealthFinding("client.sessions", "warn", one, _UNREAD) for one in unread(ports.locators))
    yield from _git(ports, find_program)
    begun = list(shim.examine(machine, found, opted_in=bool(places)))
    yield from begun
    if places or any(one.hooks for one in found):
        yield shim.on_path(machine, find_program)
    if (cause := shim.hinders(begun)) and any(one.hooks for one in found):
        yield HealthFinding("hooks.tried", "info", f"the hooks were not tried because of `{cause}`")
    yield from _tried(ports, machine, clients, () if cause else found, serves and any(one.hooks for one in found))
    yield from _project(ports, location, places)
    if places:
        for one in found:
            yield from hooks.examine_heard(places, files, one, now_s=ports.now_ms() / 1000)
        yield from hooks.broken(places)
    yield from _kept(ports, machine, location, found, files, places)


def configuration(client: ClientConfig, root: Path, environment: Mapping[str, str]) -> Configuration:
    """What holds for the client in the project at `root`."""
    return client.read(settings_files(client, root), environment)


def losses(project: ProjectHandle, clients: Sequence[ClientConfig]) -> Iterator[str]:
    """For each client that will delete sessions of this project the day on which it begins, and how to keep them, a
    sentence or two; nothing where copies are kept.
    """
    location = locate(project.folder)
    if project.ports.settings(location.root).on("archive.on"):
        return
    files, today = _files(project.ports, location), timestamp(project.ports.now_ms())[:10]
    for one in clients:
        if day := storage.day_of_loss(configuration(one, location.root, project.ports.environment), files):
            number = count(sum(file.client == one.name and file.size > 0 for file in files), "session")
            when = f"on {day}" if day > today else "at its next start"
            yield f"{one.name} deletes the oldest of {number} here {when}. {storage.ARCHIVE}"


def _versions(machine: Machine) -> HealthFinding:
    python = ".".join(map(str, sys.version_info[:3]))
    return HealthFinding("versions", "fine", f"clew {machine.version}, Python {python}, SQLite {engine()}")


def _newest(ports: Ports, files: Sequence[Transcript]) -> Iterator[HealthFinding]:
    packed = sum(file_of(one.path).suffix == PACKED for one in files)
    if packed:
        told = f"{count(packed, 'session')} here {'is' if packed == 1 else 'are'} compressed by the client ({PACKED})"
        yield HealthFinding("client.sessions", "fine", f"{told}, and read all the same")
    for one in files:
        version = _client_version(ports, one)
        if version:
            yield HealthFinding("client", "fine", f"the newest session here was written by {one.client} {version}")
            return


def _client_version(ports: Ports, file: Transcript) -> str:
    """The version that a session file names in its beginning."""
    reader = reader_at(file.path, ports.readers, client=file.client)
    try:
        records = SessionLog(file.path, reader, until_bytes=_VERSION_BYTES) if reader else ()
        return next((one.version for one in records if isinstance(one, Context) and one.version), "")
    except OSError:
        return ""


def _git(ports: Ports, find_program: Callable[[str], str | None]) -> Iterator[HealthFinding]:
    program = find_program("git")
    if program is None or not Path(program).is_absolute():
        mend = "Install git; without it clew knows nothing of commits and branches."
        yield HealthFinding("git", "warn", "git was not found", mend)
        return
    try:
        done = run([program, "--version"], environment=dict(ports.environment), timeout_s=10)
    except (OSError, LimitExceeded) as error:
        yield HealthFinding("git", "warn", f"git does not run: {error}", "Fix or reinstall git.")
        return
    words = done.out.decode("utf-8", "replace").split()
    told = words[2] if len(words) > 2 else "of an unknown version"
    numbers = tuple(int(part) for part in told.split(".")[:2] if part.isdigit())
    if numbers and numbers < _GIT_LEAST:
        mend = (
            "Install git 2.31 or newer: with an older one clew cannot be sure that it runs no program of a repository."
        )
        yield HealthFinding("git", "wrong", f"git {told} is too old", mend)
    else:
        yield HealthFinding("git", "fine", f"git {told}")


def _tried(
    ports: Ports, machine: Machine, clients: Sequence[ClientConfig], found: Sequence[Configuration], serves: bool
) -> Iterator[HealthFinding]:
    """Findings about the hooks of each client, and about the server, tried side by side: a processor each at most."""
    by_name = {one.name: one for one in clients}
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        tries = [pool.submit(_hooks_of, ports, machine, by_name[one.client], one.hooks) for one in found if one.hooks]
        tries += [pool.submit(_server, ports, machine, clients)] * serves
        for one in tries:
            yield from one.result()


def _hooks_of(
    ports: Ports, machine: Machine, client: ClientConfig, installed: Sequence[InstalledHook]
) -> tuple[HealthFinding, ...]:
    try:
        # A hook that was tried may still be at work behind its client's back.
        with tempfile.TemporaryDirectory(prefix="clew-doctor-", ignore_cleanup_errors=True) as scratch:
            return tuple(hooks.tried(ports, machine.data, client, installed, Path(scratch).resolve()))
    except (ClewError, OSError) as error:
        return (hooks.refusal(error),)


def _server(ports: Ports, machine: Machine, clients: Sequence[ClientConfig]) -> tuple[HealthFinding, ...]:
    inherited = {
        name: value for name, value in ports.environment.items() if not any(one.is_own(name) for one in clients)
    }
    try:
        with tempfile.TemporaryDirectory(prefix="clew-doctor-") as scratch:
            return (shim.examine_server(machine, inherited, Path(scratch)),)
    except OSError as error:
        said = f"the MCP server could not be tried: {error.strerror or type(error).__name__}"
        return (HealthFinding("server", "wrong", said, "See that there is room."),)


def _project(ports: Ports, location: ProjectLocation, places: Sequence[Path]) -> Iterator[HealthFinding]:
    if not location.has_ledger:
        yield HealthFinding("project", "info", f"{location.root} is not initialised", "`clew init` makes it a project.")
    elif not places:
        mend = "Run `clew init` here, if sessions should use it."
        yield HealthFinding("project", "info", f"{location.root} is initialised, but hooks do nothing here", mend)
    else:
        yield HealthFinding("project", "fine", f"{location.root} is initialised, and hooks work here")
    try:
        for note in ports.settings(location.root).notes:
            yield HealthFinding("settings", "warn", note, "`clew settings` shows what holds.")
    except InputError as error:
        yield HealthFinding("settings", "wrong", error.message, error.hint)


def _kept(
    ports: Ports,
    machine: Machine,
    location: ProjectLocation,
    found: Sequence[Configuration],
    files: Sequence[Transcript],
    places: Sequence[Path],
) -> Iterator[HealthFinding]:
    """Findings about what is kept: the ledger, receipts, rights, room, and how long the client keeps its own."""
    waiting: frozenset[str] = frozenset()
    if location.has_ledger:
        try:
            with open_project(ports, location.root, write=False) as at:
                yield from storage.sound(at.ledger, location.ledger)
                told = hooks.delivered([(one.source, one.delivered) for one in receipts(at)])
                if told:
                    yield told
                waiting = frozenset(item.session for item in Sessions(ports, at).waiting())
                yield from storage.gates(places, at.ledger.position())
        except ClewError as error:
            yield HealthFinding("ledger", "wrong", f"{error.message} [{error.code}]", error.hint)
        yield from storage.writable([location.ledger, *([machine.data, *places] if places else [])])
        yield from storage.waiting(location.spool)
    yield from storage.live(places)
    yield from storage.whole(ports, location)
    held = [location.ledger, location.ledger.parent] if location.repository else [location.ledger]
    yield from storage.private([*held, machine.data, *places, ports.trust_store])
    yield from storage.room([location.ledger.parent, machine.data])
    archived = ports.settings(location.root).on("archive.on")
    yield from storage.retention(found, files, waiting, now_s=ports.now_ms() / 1000, archived=archived)


def _files(ports: Ports, location: ProjectLocation) -> list[Transcript]:
    """The session files of the project, newest first."""
    found = found_in(ports.locators, project_at(location.root))
    return sorted(found, key=lambda item: (-item.modified_ns, str(item.path)))


def _plain(ports: Ports, one: HealthFinding) -> HealthFinding:
    """A finding with texts that can be shown: paths and what programs said may hold anything."""
    said, mend = (redacted_name(one_line(clean(text)), ports.redact) for text in (one.said, one.mend))
    return one._replace(said=said, mend=mend)
