"""Putting clew into a client: entries into its settings, files of our own beside them, and the start of every hook.

A settings file is read, planned, and read again before the new one takes its place; one that cannot be parsed is left
alone. What is put in is recorded first (`installed`), so that a crash in between leaves nothing that nobody knows of.
Doing it twice is doing it once.
"""

import difflib
import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, Self

import msgspec

from clew.app.results import JsonResult
from clew.clients import splice, splice_toml
from clew.clients.installing import Edited, HookCommand, Parts
from clew.clients.jsonc import BOM, NotJson, parse, plain
from clew.clients.splice import Ours, Spliced, SpliceEntry, SpliceSpan, Unfit, cut
from clew.core.errors import InputError
from clew.workspace.atomic import alone, check_way, delete, replace

RECORD: Final = "installed.json"
_VERSION: Final = 1


class EditedFile(msgspec.Struct, frozen=True):
    """A settings file that entries were put into. `before` and `after` are the SHA-256 of its bytes; `spans` what was
    inserted, at its place in the text after it; `made` the objects and arrays that were made. `existed`: the file was
    there before."""

    existed: bool
    before: str
    after: str
    spans: tuple[SpliceSpan, ...]
    made: tuple[tuple[str, ...], ...]


class Record(msgspec.Struct, frozen=True):
    """By path: `edited` files, the hash of each file that was `placed` whole; and the `folders` that were made."""

    edited: dict[str, EditedFile]
    placed: dict[str, str]
    folders: tuple[str, ...]
    v: int = _VERSION


NOTHING: Final = Record({}, {}, ())


def digest(data: bytes) -> str:
    """The hash by which a file is known again."""
    return hashlib.sha256(data).hexdigest()


def read_record(data: Path) -> Record:
    """The record in the user's data folder. One that cannot be understood is an error, never empty: `InputError`."""
    path = data / RECORD
    try:
        held = path.read_bytes()
        if msgspec.convert(msgspec.json.decode(held, type=dict)["v"], int) > _VERSION:
            raise _unusable(path, "a newer clew wrote it", "Use that version, or a newer one.")
        return msgspec.json.decode(held, type=Record)
    except (FileNotFoundError, NotADirectoryError):
        return NOTHING
    except OSError as error:
        raise _unusable(path, f"it cannot be read ({error.strerror})", "Fix its permissions.") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, RecursionError):
        hint = "Move it away; then clew knows its own entries by what they are, and cannot restore a file to the byte."
        raise _unusable(path, "it is damaged", hint) from None


def write_record(data: Path, record: Record) -> None:
    """Put the record in the place of the one that was there; an empty one takes it away. Raises `InputError`."""
    path = data / RECORD
    try:
        if record == NOTHING:
            delete(path)
        else:
            replace(path, packed(record), mode=0o600)
    except OSError as error:
        raise _unusable(
            path, f"it cannot be written ({error.strerror})", "Fix its permissions, or free room."
        ) from None


def packed(record: Record) -> bytes:
    """The record as its file holds it."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def _unusable(path: Path, why: str, hint: str) -> InputError:
    return InputError(f"the record of what was installed, {path}, cannot be used: {why}", code="E-installed", hint=hint)


SHIM: Final = "clewhook.py"
PACKAGE: Final = "package"
BACKUPS: Final = "backups"
SETTINGS_BYTES_MAX: Final = 64 << 20
_TRIES: Final = 5
# Names no file: Python answers a script that is gone with exit code 2, which clients read as "block". Nor does it
# import anything but what it is there for: `os` alone would cost a sixth of the start. What it finds may be
# damaged, or gone: then it ends in silence.
_START: Final = "import sys,posix;sys.path[:0]=[{data}];sys.excepthook=lambda*_:posix._exit(0);import clewhook"


class Machine(NamedTuple):
    """This machine and user, as hooks will find them. `data`: the user's data folder of clew. `python`: the
    interpreter, as it is called. `packages`: folders that hold clew (the first) and what it needs. `shim`: the file
    that hooks start with, in the package. `temporary`: folders whose contents do not last. `version` is clew's."""

    data: Path
    python: str
    packages: tuple[str, ...]
    shim: Path
    temporary: tuple[Path, ...]
    version: str


class SettingsChange(NamedTuple):
    """A file before and after; None where there is none. `settings`: it is somebody's, and we only add to it."""

    path: Path
    before: bytes | None
    after: bytes | None
    settings: bool

    def diff(self, redact: Callable[[str], str]) -> Iterator[str]:
        """The change as a unified diff, lines without their ends; what looks like a secret in them is redacted."""
        before, after = (self._lines(data) for data in (self.before, self.after))
        old, new = (str(self.path) if data is not None else "/dev/null" for data in (self.before, self.after))
        for line in difflib.unified_diff(before, after, old, new, lineterm=""):
            yield redact(line)

    @staticmethod
    def _lines(data: bytes | None) -> list[str]:
        return (data or b"").decode("utf-8", "replace").split("\n") if data else []


class ChangedFile(JsonResult, frozen=True):
    """A file that was made, changed or removed, as `change` says (`SettingsChange`)."""

    path: Path
    change: str

    @classmethod
    def of(cls, source: SettingsChange, /, **more: Any) -> Self:
        """The row of a change."""
        change = "made" if source.before is None else "removed" if source.after is None else "changed"
        return super().of(source, change=change, **more)


class Installation(NamedTuple):
    """What changes, what it leaves in the record, sentences for the person who asked; and `kept`, what changes in the
    user's data: the start of hooks, the record, copies of files from before."""

    changes: tuple[SettingsChange, ...]
    record: Record
    notes: tuple[str, ...]
    kept: tuple[SettingsChange, ...] = ()


def hook_command(machine: Machine) -> HookCommand:
    """How every hook starts: no shell, no site packages, no file that can be missing, no version."""
    start = _START.format(data=ascii(os.fspath(machine.data)))
    return HookCommand(machine.python, ("-I", "-S", "-c", start))


def on_the_path(machine: Machine) -> str:
    """What puts the command `clew` on the PATH of a client, a sentence."""
    here = Path(machine.python).with_name("clew")
    mend = "Install it where programs are looked for (`uv tool install`, `pipx install`)"
    return f"{mend}, or link it: `ln -s {here} ~/.local/bin/`." if here.is_file() else f"{mend}."


def plan_install(machine: Machine, parts: Parts) -> Installation:
    """What `install` would change. Changes nothing. Raises `InputError` for a file that cannot take it."""
    record = read_record(machine.data)
    changes, notes = [], []
    edited, placed = dict(record.edited), dict(record.placed)
    for wanted in parts.edited:
        one, said = _settled(wanted, parts.ours)
        notes += said
        change, row = _edit(one, edited.get(str(one.path)), parts.ours)
        if change is not None:
            changes.append(change)
            edited.pop(str(one.path), None)
            edited |= {str(one.path): row} if row is not None else {}
    for own in parts.placed:
        before = read_file(own.path)
        after = own.text.encode()
        if before not in (None, after) and placed.get(str(own.path)) != digest(before or b""):
            notes.append(f"{own.path} is not as clew made it, and stays as it is.")
            continue
        if before != after:
            changes.append(SettingsChange(own.path, before, after, False))
        placed[str(own.path)] = digest(after)
    folders = dict.fromkeys([*record.folders, *_missing_folders(changes)])
    now = Record(edited, placed, tuple(folders))
    kept = [*_start(machine), *_backups(machine, changes, record)]
    if now != record:
        kept.append(SettingsChange(machine.data / RECORD, _bytes(machine.data / RECORD), packed(now), False))
    return Installation(tuple(changes), now, tuple(notes), tuple(kept))


def install(machine: Machine, parts: Parts) -> Installation:
    """Put the parts where they belong, and the start of hooks into the user's data; what was changed.

    Raises `InputError` for a file that cannot take it, cannot be written, or that somebody else keeps changing.
    """
    try:
        with alone(machine.data / PACKAGE):
            start = _start(machine)
            for change in start:
                replace(change.path, change.after or b"", mode=0o644)
            for _ in range(_TRIES):
                known = read_record(machine.data)
                planned = plan_install(machine, parts)
                write_record(machine.data, planned.record)
                for copy in _backups(machine, planned.changes, known):
                    replace(copy.path, copy.after or b"", mode=0o600)
                if all(apply(change) for change in planned.changes):
                    return planned._replace(kept=(*start, *planned.kept))
    except OSError as error:
        raise unwritable(Path(error.filename or machine.data), error) from error
    raise _busy(parts)


def apply(change: SettingsChange) -> bool:
    """Make the change, if the file is still as it was when it was planned; whether it was. A link is written through,
    unless it leads out of a project.
    Raises OSError."""
    check_way(change.path)
    target = Path(os.path.realpath(change.path))
    if read_file(target) != change.before:
        return False
    if change.after is None:
        delete(target)
    else:
        replace(target, change.after, mode=0o600 if change.settings else 0o644)
    return True


def backup_of(machine: Machine, path: Path) -> Path:
    """Where the file as it was before the first change is kept."""
    return machine.data / BACKUPS / os.fspath(path).replace(":", "").lstrip("/\\")


def read_file(path: Path) -> bytes | None:
    """The bytes of a file, None if there is none. Raises `InputError` for one that cannot be read."""
    if path.exists() and not path.is_file():
        raise refused(path, "it is not a file")  # a pipe would keep us waiting for ever
    try:
        with path.open("rb") as file:
            data = file.read(SETTINGS_BYTES_MAX + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise refused(path, f"it cannot be read ({error.strerror})") from error
    if len(data) > SETTINGS_BYTES_MAX:
        raise refused(path, "it is larger than any settings are")
    return data


def settings_text(path: Path, data: bytes | None) -> str:
    """The bytes of a settings file as text. Raises `InputError`."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise refused(path, "it is not UTF-8") from None


class _Splicing(Protocol):
    """How entries get into a text and out of it again: `clew.clients.splice` and its like."""

    def insert(self, text: str, entries: Sequence[SpliceEntry]) -> Spliced: ...

    def holds(self, text: str, entries: Sequence[SpliceEntry], ours: Ours) -> bool: ...

    def without(self, text: str, spans: Sequence[SpliceSpan], made: Collection[tuple[str, ...]], ours: Ours) -> str: ...


def _splicing(path: Path) -> _Splicing:
    """What the language of a settings file asks for. All are JSON but for those that are called TOML."""
    if path.suffix != ".toml":
        return splice
    return splice_toml


def taken_out(path: Path, data: bytes, row: EditedFile | None, ours: Ours) -> bytes | None:
    """The file as it is without our entries; None if it is to go, for we made it and nothing of anybody's is in it.

    Where it stands as we left it this is the file from before, to the byte. Raises `InputError`.
    """
    if row and digest(data) == row.before:
        return data if row.existed else None
    text = settings_text(path, data)
    try:
        if row and digest(data) == row.after:
            before = cut(text, row.spans).encode()
            return before if row.existed else None
        shorter = _splicing(path).without(text, row.spans if row else (), row.made if row else (), ours)
    except (NotJson, Unfit) as error:
        raise refused(path, str(error)) from None
    if row and not row.existed and "".join(shorter.split()) in ("", "{}"):
        return None
    return shorter.encode()


def refused(path: Path, why: str) -> InputError:
    """The error for a settings file that stays as it is."""
    hint = "Nothing was changed in it. Fix it and run again; `--client none` does without."
    return InputError(f"{path} cannot be used: {why}", code="E-client-settings", hint=hint)


def unwritable(path: Path, error: OSError) -> InputError:
    """The error for a file that cannot be written."""
    why = error.strerror or type(error).__name__
    hint = "Check its rights and the room on its disk, and run again."
    return InputError(f"{path} cannot be written: {why}", code="E-client-readonly", hint=hint)


def _busy(parts: Parts) -> InputError:
    names = ", ".join(str(one.path) for one in parts.edited)
    hint = "End what writes it (a client that is starting?) and run again."
    return InputError(f"{names} was changed by somebody at the same moment", code="E-client-busy", hint=hint)


def _settled(one: Edited, ours: Ours) -> tuple[Edited, list[str]]:
    """The file with those extras among its entries that it gets, and what is to be said of it."""
    if not (one.extras or one.strict):
        return one, []
    text = settings_text(one.path, read_file(one.path))
    try:
        node = parse(text)
        value = {} if node is None else plain(text, node)
    except NotJson as error:
        raise refused(one.path, str(error)) from None
    notes, entries = [], list(one.entries)
    for extra in one.extras:
        there = value.get(extra.key) if isinstance(value, dict) else None
        if (there is None and one.asked) or ours((extra.key,), there):
            entries.append(extra)
        elif one.asked:
            notes.append(f"{one.path} has a `{extra.key}` already; it stays.")
    if one.strict and text.strip() and not _is_strict(text):
        raise InputError(
            f"{one.path} has comments or trailing commas, and the client reads nothing of such a file",
            code="E-client-comments",
            hint="Take them out and run again.",
        )
    return one._replace(entries=tuple(entries)), notes


def _is_strict(text: str) -> bool:
    try:
        json.loads(text.removeprefix(BOM))
    except ValueError:
        return False
    return True


def _edit(one: Edited, row: EditedFile | None, ours: Ours) -> tuple[SettingsChange | None, EditedFile | None]:
    """The change that puts the entries into a settings file, None if they stand there, and the record's row of it; None
    where it gets no entries.
    """
    data = read_file(one.path)
    text = settings_text(one.path, data)
    try:
        way = _splicing(one.path)
        if way.holds(text, one.entries, ours):
            return None, row
        clean = b"" if data is None else taken_out(one.path, data, row, ours)
        if not one.entries:  # nothing of ours belongs there any more
            return SettingsChange(one.path, data, clean, True) if clean != (data or b"") else None, None
        spliced = way.insert((clean or b"").decode(), one.entries)
    except (NotJson, Unfit) as error:
        raise refused(one.path, str(error)) from None
    existed = data is not None and clean is not None
    after = spliced.text.encode()
    made = dict.fromkeys([*(row.made if row else ()), *spliced.made])
    return (
        SettingsChange(one.path, data, after, True),
        EditedFile(existed, digest(clean or b""), digest(after), spliced.spans, tuple(made)),
    )


def _missing_folders(changes: list[SettingsChange]) -> Iterator[str]:
    """The folders that writing makes, outer ones first."""
    for change in changes:
        missing = [place for place in change.path.parents if not os.path.lexists(place)]
        yield from (str(place) for place in reversed(missing))


def _backups(machine: Machine, changes: Iterable[SettingsChange], known: Record) -> list[SettingsChange]:
    """Copies that are made of a person's files, each as it was before the first change since it had nothing of ours."""
    copies = []
    for change in changes:
        backup = backup_of(machine, change.path)
        first = str(change.path) not in known.edited or not backup.exists()
        if change.settings and change.before is not None and first:
            copies.append(SettingsChange(backup, _bytes(backup), change.before, False))
    return copies


def _start(machine: Machine) -> list[SettingsChange]:
    """What is to change in the user's data before hooks can run: what they start with, and where the packages are."""
    folders = "".join(f"{folder}\n" for folder in machine.packages).encode("utf-8", "surrogateescape")
    wanted = {machine.data / PACKAGE: folders, machine.data / SHIM: machine.shim.read_bytes()}
    found = [SettingsChange(path, _bytes(path), data, False) for path, data in wanted.items()]
    return [change for change in found if change.before != change.after]


def _bytes(path: Path) -> bytes | None:
    """What a file of ours holds; None if there is none, or it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None
