"""Settings as they hold for one project and user, and writing them down (docs/reference/settings.md)."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.app.project.authority import require_person
from clew.app.results import JsonResult
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.settings import (
    SETTINGS,
    Choice,
    Given,
    Setting,
    Settings,
    Source,
    checked,
    from_file,
    from_variables,
    meant,
    nearest,
    resolve,
)
from clew.core.state.items import Authority
from clew.workspace.atomic import alone, replace
from clew.workspace.disk import Disk, read

PROJECT_FILE: Final = ".clew/config.toml"
FILE_BYTES_MAX: Final = 256 << 10

# An agent may do without what sessions are given where it works, and not for all that others do.
_GIVEN: Final = "inject.on"
# Deeds by how a setting's name begins.
_DEEDS: Final = {
    _GIVEN: "given",
    "sync.share": "leave",
    **dict.fromkeys(("budget.", "delegate.budget_", "delegate.depth", "run.contexts", "run.phase_minutes"), "budget"),
}


class SettingsFiles(NamedTuple):
    """Where settings are kept: under `root`, the top of a project, and in the `user` file, whether there or not."""

    root: Path
    user: Path


class SettingRow(JsonResult, frozen=True):
    """A setting with its value and who set it (`core.settings.Resolved`)."""

    name: str
    value: Choice
    source: Source
    place: str
    default: Choice
    sort: str
    unit: str
    expected: str
    meaning: str
    variable: str


class SettingList(JsonResult, frozen=True):
    """All settings, and the files that hold them. `notes` are sentences about what was given and ignored."""

    settings: tuple[SettingRow, ...]
    project_file: Path
    user_file: Path
    notes: tuple[str, ...]


def list_settings(found: Settings, files: SettingsFiles) -> SettingList:
    """What `clew settings --json` prints."""
    rows = (
        SettingRow.of(one.setting, sort=one.setting.kind, value=one.value, source=one.source, place=one.place)
        for one in found.rows
    )
    return SettingList(tuple(rows), files.root / PROJECT_FILE, files.user, found.notes)


class SettingChange(NamedTuple):
    """A setting that was written to `file`; `value` is None where it was taken out. `held` is what holds now (None:
    nothing), which a stronger source may still decide.
    """

    setting: Setting
    value: Choice | None
    file: Path
    held: Choice | None
    source: Source
    place: str


def load(
    files: SettingsFiles,
    environment: Mapping[str, str],
    *,
    trusted: Callable[[Setting, str], bool],
    flags: Mapping[str, Choice] | None = None,
    table: Sequence[Setting] = SETTINGS,
) -> Settings:
    """What holds. `trusted` tells whether a person trusted a program that the project's file names.

    Raises `InputError` for a file that is not TOML or a value that cannot be taken.
    """
    given, notes = from_variables(environment, table)
    given += [Given("flag", name, value, "the command line") for name, value in (flags or {}).items()]
    text, problem = project_text(files.root)
    if problem:
        notes.append(f"{PROJECT_FILE} was ignored: {problem}")
    given += _parsed(text, "project", PROJECT_FILE)
    given += _parsed(_user_text(files.user), "user", str(files.user))
    found = resolve(given, trusted=trusted, table=table)
    return found._replace(notes=(*notes, *found.notes))


def project_text(root: Path) -> tuple[str, str]:
    """The project's file ("" if there is none), and why it is not read, if it is there and is not."""
    looked = read(Disk(root), PROJECT_FILE, limit_bytes=FILE_BYTES_MAX)
    return _decoded(looked.data or b"", PROJECT_FILE), looked.problem


def change(
    files: SettingsFiles,
    name: str,
    text: str | None,
    *,
    project: bool,
    said: Authority,
    reload: Callable[[], Settings],
    table: Sequence[Setting] = SETTINGS,
) -> SettingChange:
    """Write a setting to the user's file, or to the project's; None takes it out. Comments and order of the file stay.

    `said` is what the channel allows: gates, budgets and programs are a person's to set. `reload` gives what holds
    afterwards. Raises `InputError` (value, file), `NotFound` (name), `NotAllowed`.
    """
    setting = meant(name, table)
    if setting is None:
        near = nearest(name, table)
        raise NotFound(
            f"there is no setting {name[:60]}",
            code="E-setting-unknown",
            hint=f"Did you mean {near}?" if near else "`clew settings` lists them.",
        )
    value = checked(setting, text, place="the command line") if text is not None else None
    if (deed := deed_of(setting)) and (setting.name != _GIVEN or (value is False and not project)):
        require_person(said, deed)
    if project and not setting.project:
        raise InputError(
            f"{name} is not a project's to set",
            code="E-setting-value",
            hint="Leave --project out: it then holds for you, in all projects.",
        )
    file = files.root / PROJECT_FILE if project else files.user
    place = PROJECT_FILE if project else str(file)
    try:
        # Many people keep their own settings elsewhere and link to them; a link of the project's was not read.
        target = file if project else file.resolve()
        with alone(target):
            before = project_text(files.root) if project else (_user_text(files.user), "")
            if before[1]:
                raise _file_error(PROJECT_FILE, before[1])
            written = _edited(before[0], setting, value, place=place)
            replace(target, written.encode(), mode=0o644 if project else 0o600)
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", "a loop of links")
        raise _file_error(str(file), f"it cannot be written ({why})") from error
    held = next((row for row in reload().rows if row.setting.name == setting.name), None)
    if held is None:  # one of a family, of which nothing is built in
        return SettingChange(setting, value, file, None, "built-in", "")
    return SettingChange(setting, value, file, held.value, held.source, held.place)


def deed_of(setting: Setting) -> str:
    """What only a person may do that goes with setting it, one of `authority.DEEDS`; "" if anybody may."""
    if setting.kind in {"gate", "program"}:
        return setting.kind
    return next((deed for prefix, deed in _DEEDS.items() if setting.name.startswith(prefix)), "")


def _parsed(text: str, source: Source, place: str) -> list[Given]:
    if holds_no_setting(text):
        return []
    return from_file(text, parse(text, place), source=source, place=place)


def holds_no_setting(text: str) -> bool:
    """Whether there is nothing but comments and the project's identity: most files, and TOML's parser is dear."""
    rows = [row for row in map(str.strip, text.split("\n")) if row and row[0] != "#"]
    if not rows:
        return True
    return len(rows) == 1 and rows[0].startswith('project = "') and rows[0].endswith('"') and rows[0].count('"') == 2


def parse(text: str, place: str) -> Mapping[str, object]:
    """A TOML file's values. Raises `InputError` with the place of what cannot be understood."""
    import tomllib  # 14 ms on a small machine

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is nested too deeply"
        raise _file_error(place, f"it is not TOML: {why}") from None


def _user_text(file: Path) -> str:
    try:
        with file.open("rb") as open_file:
            data = open_file.read(FILE_BYTES_MAX + 1)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise _file_error(str(file), f"it cannot be read ({error.strerror})") from None
    if len(data) > FILE_BYTES_MAX:
        raise _file_error(str(file), f"it is larger than {FILE_BYTES_MAX >> 10} KiB")
    return _decoded(data, str(file))


def _decoded(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _file_error(place, "it is not UTF-8") from None


def _edited(text: str, setting: Setting, value: Choice | None, *, place: str) -> str:
    """The text of a file with the setting in it, or where `value` is None without it; everything else as it was. Raises
    `NotFound` for one that is to go and is not there.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    parse(text, place)
    *groups, key = setting.keys
    try:
        tables: list[Any] = [tomlkit.parse(text)]
        for group in groups:
            if group not in tables[-1]:
                tables[-1][group] = tomlkit.table()
            tables.append(tables[-1][group])
        if value is not None:
            tables[-1][key] = value
        elif not isinstance(tables[-1], dict) or key not in tables[-1]:
            raise NotFound(
                f"{setting.name} is not set in {place}",
                code="E-setting-unset",
                hint="`clew settings` says where each comes from; `--project` means the project's file.",
            )
        for table, name in reversed(list(zip(tables, setting.keys, strict=True))) if value is None else ():
            del table[name]
            if table:
                break
        written = tomlkit.dumps(tables[0])
    except (TOMLKitError, TypeError, ValueError, RecursionError) as error:
        raise _file_error(place, f"{groups[0]} has a layout that clew cannot add to") from error
    assert value is None or from_file(written, parse(written, place), source="user", place=place)
    return written


def _file_error(place: str, why: str) -> InputError:
    return InputError(
        f"{place} cannot be used: {why}",
        code="E-settings-file",
        hint="Fix the file by hand; docs/reference/settings.md lists what is allowed in it.",
    )


def is_ignored(root: Path, environment: Mapping[str, str]) -> bool:
    """Whether git leaves the project's file out: `.clew/.gitignore`, as `clew init` makes it, names everything there,
    and the file is in no commit (as far as git can tell). `environment` is where git is found.
    """
    from clew.workspace.git import Git

    looked = read(Disk(root), ".clew/.gitignore", limit_bytes=FILE_BYTES_MAX)
    if b"*" not in (looked.data or b"").split():
        return False
    try:
        git = Git.at(root, environment=environment)
        return git is not None and PROJECT_FILE not in git.tracked([PROJECT_FILE])
    except ClewError:  # no commit yet
        return True
