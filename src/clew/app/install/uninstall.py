"""Taking clew out of clients' folders again: each settings file as it was before, or, if somebody changed it since,
without our entries. Never the ledger, never what is trusted, never a setting of clew.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from clew.app.install.entries import (
    NOTHING,
    PACKAGE,
    SHIM,
    ChangedFile,
    Machine,
    Record,
    SettingsChange,
    apply,
    backup_of,
    digest,
    read_file,
    read_record,
    taken_out,
    unwritable,
    write_record,
)
from clew.app.project.authority import require_person
from clew.app.project.location import locate
from clew.app.project.runtime_dirs import all_lives, lives, opt_out
from clew.app.results import JsonResult
from clew.clients.installing import Parts
from clew.core.errors import ClewError, InputError
from clew.core.state.items import Authority
from clew.workspace.atomic import alone
from clew.workspace.git import Git
from clew.workspace.repository import find, work_trees

_CACHE: Final = "__pycache__"


class UninstallResult(JsonResult, frozen=True):
    """What is told of an `Uninstallation`."""

    changes: tuple[ChangedFile, ...]
    places: tuple[Path, ...]
    stay: tuple[str, ...]
    failed: tuple[str, ...]
    dry_run: bool


class Uninstallation(NamedTuple):
    """What is taken out, or would be with `dry_run`. `changes` of files; `places` are the live folders that go.

    `stay` are what stays and why, a sentence each; `failed` the settings files that our entries are still in, and why.
    """

    changes: tuple[SettingsChange, ...]
    places: tuple[Path, ...]
    stay: tuple[str, ...]
    failed: tuple[str, ...]
    dry_run: bool

    def result(self) -> UninstallResult:
        """What `clew uninstall --json` prints."""
        return UninstallResult.of(self, changes=tuple(map(ChangedFile.of, self.changes)))


def uninstall(
    machine: Machine,
    known: tuple[Parts, ...],
    *,
    said: Authority,
    settings: bool = False,
    dry_run: bool = False,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Uninstallation:
    """Take everything out that was ever put in. `known` are the parts as they would be installed now: what no record
    tells of is found there. With `settings` what hooks need stays. `environment` is where git is found:
    what was put into a repository and is in its last commit stays. `said` is what the channel allows: gates end with
    the hooks, so that it is a person's to do.

    A file that cannot be read or parsed is left alone and named in `failed`, the rest goes on. Raises `InputError` if
    something cannot be written, or the record cannot be used; `NotAllowed`.
    """
    if not dry_run:
        require_person(said, "uninstall", about=lambda: _ends(all_lives(machine.data)))
    try:
        if dry_run:
            planned = _plan(machine, known, read_record(machine.data), settings=settings, environment=environment)
            return planned._replace(dry_run=True)
        if not machine.data.is_dir():
            return Uninstallation((), (), (), (), False)
        with alone(machine.data / PACKAGE):
            record = read_record(machine.data)
            planned = _plan(machine, known, record, settings=settings, environment=environment)
            moved = [str(change.path) for change in planned.changes if not apply(change)]
            failed = (*planned.failed, *(f"{path} was changed at the same moment; run again." for path in moved))
            _forget(machine, record, failed, settings=settings)
            opt_out(machine.data, list(planned.places))
    except OSError as error:
        raise unwritable(Path(error.filename or machine.data), error) from error
    return planned._replace(failed=failed)


def leave_project(machine: Machine, folder: Path, *, said: Authority, dry_run: bool = False) -> Uninstallation:
    """Let no hook do anything any more in the project that `folder` is in, in none of its work trees. Raises
    `InputError` if something cannot be removed, `NotAllowed` for anybody but a person (`said`)."""
    location = locate(folder)
    roots = work_trees(location.repository) if location.repository else [location.root]
    found = lives(machine.data, roots)
    if not dry_run:
        require_person(said, "uninstall", about=lambda: _ends(found))
    try:
        if not dry_run:
            opt_out(machine.data, found)
    except OSError as error:
        raise unwritable(Path(error.filename or machine.data), error) from error
    return Uninstallation((), tuple(found), (), (), dry_run)


def _ends(places: Sequence[Path]) -> str:
    """In which places gates and hooks end, in words."""
    return "\n".join(["Hooks and gates end in:", *map(str, places)]) if places else ""


def _plan(
    machine: Machine, known: tuple[Parts, ...], record: Record, *, settings: bool, environment: Mapping[str, str]
) -> Uninstallation:
    changes: list[SettingsChange] = []
    stay: list[str] = []
    failed: list[str] = []
    ours = {str(edited.path): parts.ours for parts in known for edited in parts.edited}

    def anybody(path: tuple[str, ...], value: object) -> bool:
        """Whether it is an entry of ours for any client: for files of a folder that the client had before."""
        return any(parts.ours(path, value) for parts in known)

    for name in dict.fromkeys([*record.edited, *ours]):
        path, row = Path(name), record.edited.get(name)
        try:
            before = read_file(path)
            after = taken_out(path, before, row, ours.get(name, anybody)) if before is not None else None
        except InputError as error:
            if row is not None:
                failed.append(error.message)
            continue
        if before != after:
            changes.append(SettingsChange(path, before, after, True))
    _plan_placed(known, record, changes, stay, environment)
    if settings:
        return Uninstallation(tuple(changes), (), tuple(stay), tuple(failed), False)
    for path in (machine.data / SHIM, machine.data / PACKAGE):
        if (before := read_file(path)) is not None:
            changes.append(SettingsChange(path, before, None, False))
    return Uninstallation(tuple(changes), tuple(all_lives(machine.data)), tuple(stay), tuple(failed), False)


def _plan_placed(
    known: tuple[Parts, ...],
    record: Record,
    changes: list[SettingsChange],
    stay: list[str],
    environment: Mapping[str, str],
) -> None:
    """Files of our own beside the settings: those that are as they were placed go."""
    users = {str(own.path): digest(own.text.encode()) for parts in known for own in parts.placed}
    placed = {**users, **record.placed}
    committed = _committed([Path(name) for name in placed if name not in users], environment)
    for name, hashed in placed.items():
        path = Path(name)
        before = read_file(path)
        if before is not None and path in committed:
            stay.append(f"{path} is in a commit; it stays (`git rm` takes it out for everybody).")
        elif before is not None and digest(before) == hashed:
            changes.append(SettingsChange(path, before, None, False))
        elif before is not None and name in record.placed:
            stay.append(f"{path} was changed since; it stays.")


def _committed(paths: list[Path], environment: Mapping[str, str]) -> set[Path]:
    """Which of these files are in the last commit of the repository that they are in, as far as git can tell."""
    found: set[Path] = set()
    tops: dict[Path, list[Path]] = {}
    for path in paths:
        repository = find(path.parent) if path.is_file() else None
        if repository is not None and path.is_relative_to(repository.top):
            tops.setdefault(repository.top, []).append(path)
    for top, own in tops.items():
        with suppress(ClewError):
            git = Git.at(top, environment=environment)
            names = git.tracked([path.relative_to(top).as_posix() for path in own]) if git else ()
            found |= {top / name for name in names}
    return found


def _forget(machine: Machine, record: Record, failed: tuple[str, ...], *, settings: bool) -> None:
    """Remove what was kept for this moment: backups of files that are as they were, folders that we made and that are
    empty, the record. What failed is still known afterwards.
    """
    edited = {name: row for name, row in record.edited.items() if any(name in why for why in failed)}
    write_record(machine.data, Record(edited, {}, record.folders) if edited else NOTHING)
    for name in record.edited:
        backup = backup_of(machine, Path(name))
        if read_file(backup) is not None and read_file(backup) == read_file(Path(name)):
            backup.unlink()
            _remove_empty(backup.parent, machine.data)
    for folder in sorted(record.folders, key=len, reverse=True):
        with suppress(OSError):
            Path(folder).rmdir()
    if not settings:
        _remove_cache(machine.data / _CACHE)


def _remove_empty(folder: Path, top: Path) -> None:
    for place in (folder, *folder.parents):
        if place == top:
            return
        try:
            place.rmdir()
        except OSError:
            return


def _remove_cache(folder: Path) -> None:
    """Take away the compiled start of hooks, and nothing else."""
    with suppress(OSError):
        for compiled in folder.glob(f"{Path(SHIM).stem}.*.pyc"):
            compiled.unlink()
        folder.rmdir()
