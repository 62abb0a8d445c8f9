"""What came with a repository, and what a person trusts of it, by hashes (docs/reference/trust.md)."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from clew.app.ports import Ports
from clew.app.project.authority import require_person
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.session import ProjectSession
from clew.app.project.settings import PROJECT_FILE, holds_no_setting, parse
from clew.app.project.views import is_written
from clew.app.results import JsonResult
from clew.core.errors import InputError
from clew.core.plan.plan import Plan
from clew.core.plan.recorded import plan_of
from clew.core.settings import SETTINGS, Setting
from clew.core.state.items import Authority
from clew.core.text.cleaning import clean, one_line, shorten
from clew.workspace.atomic import replace
from clew.workspace.disk import Disk, names, read
from clew.workspace.repository import find, resolved

# command: a validation command with what it requires; stack: a command in a stack; program: a setting that names one;
# memory, handoff: documents that a session is given. login: who edits issues, by the server's word; no content.
Sort = Literal["command", "stack", "program", "memory", "handoff", "login"]
FILE_BYTES_MAX: Final = 256 << 10
_FILES_MAX: Final = 500
_DOCUMENTS: Final[tuple[tuple[Sort, str, bool], ...]] = (
    ("memory", ".clew/memory", True),
    ("handoff", ".clew/handoffs", False),
    ("handoff", ".clew/sessions", False),
)
_HANDOFF: Final = ".clew/HANDOFF.md"
_STACKS: Final = ".clew/stacks"
_RUNS: Final = ("run", "command")


class Thing(NamedTuple):
    """One command or document. `name` is how it is called, `place` its file, relative to the project.

    `text` is what a person is shown: the command with all that stands beside it, or the document, cleaned; `hidden`
    characters were left out of it. `sha256` is over the sort and the exact content. `problem` is a clause that says
    why it can be neither shown nor trusted, "" if it can. `run` is the command line itself, "" for a document.
    """

    sort: Sort
    name: str
    place: str
    text: str
    hidden: int
    sha256: str
    problem: str
    run: str = ""


def digest(sort: Sort, content: bytes) -> str:
    """What stands for exactly this content of this sort, in hexadecimal."""
    return sha256(sort.encode() + b"\0" + content).hexdigest()


def command_content(table: Mapping[str, object]) -> bytes:
    """The exact content of a command: its whole table, since every key of it may change what runs."""
    return json.dumps(table, sort_keys=True, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")


def program_content(setting: Setting, program: object) -> bytes:
    """The same for a setting that names a program."""
    return command_content({"run": program, "setting": setting.name})


def untrusted_content(root: Path) -> tuple[Thing, ...]:
    """All of it in the project whose top is `root`: commands first, then documents by path. Documents that clew wrote
    there itself, and nobody changed since, did not come with anything.
    """
    disk = Disk(root)
    location = locate(root)
    found = list(_configured(disk))
    stacks = names(disk, _STACKS, ending=".toml", deep=False, limit=_FILES_MAX)
    found += [thing for path in stacks for thing in _stack(disk, path)]
    documents: list[tuple[Sort, str]] = [("handoff", _HANDOFF)]
    for sort, folder, deep in _DOCUMENTS:
        documents += [(sort, path) for path in names(disk, folder, ending=".md", deep=deep, limit=_FILES_MAX)]
    return (*found, *(thing for sort, path in documents for thing in _document(disk, sort, path, location)))


def _configured(disk: Disk) -> Iterable[Thing]:
    """Validation commands, and settings that name a program."""
    values, problem = _toml(disk, PROJECT_FILE)
    if problem:
        yield _refused("command", PROJECT_FILE, PROJECT_FILE, problem)
    validate = values.get("validate")
    commands = validate.get("commands", []) if isinstance(validate, Mapping) else []
    if not isinstance(commands, list) or (validate is not None and not isinstance(validate, Mapping)):
        yield _refused("command", "validate", PROJECT_FILE, "[[validate.commands]] was expected there")
        return
    for table in commands:
        name = table.get("name") if isinstance(table, Mapping) else None
        run = table.get("run") if isinstance(table, Mapping) else None
        if not isinstance(name, str) or not name or not isinstance(run, str) or not run:
            yield _refused(
                "command", "validate.commands", PROJECT_FILE, "a command there has no name, or nothing to run"
            )
        else:
            yield _command("command", name, PROJECT_FILE, table)
    for setting in SETTINGS:
        group, _, key = setting.name.partition(".")
        table = values.get(group)
        if setting.kind == "program" and setting.project and isinstance(table, Mapping) and key in table:
            named = {"run": table[key], "setting": setting.name}
            yield _command("program", setting.name, PROJECT_FILE, named)


def _stack(disk: Disk, path: str) -> Iterable[Thing]:
    values, problem = _toml(disk, path)
    if problem:
        yield _refused("stack", path, path, problem)
    for number, table in enumerate(_tables_that_run(values), start=1):
        name = table.get("name")
        yield _command("stack", name if isinstance(name, str) and name else f"command {number}", path, table)


def _tables_that_run(values: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Every table at any depth that says what to run."""
    found: list[Mapping[str, object]] = []
    waiting: list[object] = [values]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, Mapping):
            if any(word in value for word in _RUNS):
                found.append(value)
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return found


def _command(sort: Sort, name: str, place: str, table: Mapping[str, object]) -> Thing:
    """A command is shown as it stands, so one with characters that cannot be shown is refused."""
    rows = []
    order = sorted(table, key=lambda key: (key == "name", key not in _RUNS, key))
    for key in order:
        value = table[key]
        rows.append(f"{key} = {value if isinstance(value, str) else command_content({'': value}).decode()[5:-1]}")
    raw = "\n".join(rows)
    text = clean(raw)
    problem = "it holds characters that cannot be shown" if text != raw else ""
    run = table.get("run")
    line = run if isinstance(run, str) else ""
    return Thing(sort, clean(name), place, text, 0, digest(sort, command_content(table)), problem, line)


def _document(disk: Disk, sort: Sort, path: str, location: ProjectLocation) -> Iterable[Thing]:
    looked = read(disk, path, limit_bytes=FILE_BYTES_MAX)
    if looked.data is None:
        if looked.problem:
            yield _refused(sort, path, path, looked.problem)
        return
    if is_written(location, path, looked.data):
        return
    try:
        raw = looked.data.decode()
    except UnicodeDecodeError:
        yield _refused(sort, path, path, "it is not UTF-8")
        return
    plain = raw.removeprefix("\ufeff").replace("\r\n", "\n")
    text = clean(raw)
    yield Thing(sort, path, path, text, max(len(plain) - len(text), 0), digest(sort, looked.data), "")


def _toml(disk: Disk, path: str) -> tuple[Mapping[str, object], str]:
    """A TOML file's values, or why there are none."""
    looked = read(disk, path, limit_bytes=FILE_BYTES_MAX)
    if looked.data is None:
        return {}, looked.problem
    try:
        text = looked.data.decode("utf-8-sig")
        return {} if holds_no_setting(text) else parse(text, path), ""
    except UnicodeDecodeError:
        return {}, "it is not UTF-8"
    except InputError as error:
        return {}, error.message.partition("cannot be used: ")[2]


def _refused(sort: Sort, name: str, place: str, problem: str) -> Thing:
    return Thing(sort, name, place, "", 0, "", problem)


_TITLE_CHARS: Final = 60
# Where Claude Code's own planning has the agent write its plan.
_CLIENTS_PLANS: Final = "plans"


def open_plan(ports: Ports, at: ProjectSession, task: str) -> dict[str, Any]:
    """What `gates.json` says of the plan of `task` ("" none), if nothing but reading passes; else {}.

    `title`; `tools` of which a person said that they only read; `commands` that check the project and that a person
    trusted; `own`: folders in which a client keeps plans of its own. Raises `InputError`, `LedgerError`.
    """
    plan = plan_of(at.plan_entities(task), lambda _: Plan()) if task else Plan()
    if not plan.is_planning:
        return {}
    project = project_at(at.location.root)
    trusted = [one.thing for one in standings(ports.trust_store, project) if one.trusted]
    return {
        "title": shorten(one_line(clean(plan.title)), _TITLE_CHARS),
        "tools": sorted(allowed_tools(ports.trust_store, project)),
        "commands": [thing.run for thing in trusted if thing.sort == "command" and thing.run],
        "own": [str(folder.parent / _CLIENTS_PLANS) for folder in ports.session_folders()],
    }


_VERSION: Final = 1
# Rows of this sort name tools of which a person said that they only read.
_TOOL: Final = "tool"
_STORE_BYTES_MAX: Final = 16 << 20


class TrustedProject(NamedTuple):
    """A project as trust knows it. `root` is where its files are; `key` is the folder that all its work trees share,
    so that a clone elsewhere has to be trusted again, whatever identity it says it has."""

    key: str
    root: Path


class TrustStatus(NamedTuple):
    """A thing, and whether exactly this content of it is trusted."""

    thing: Thing
    trusted: bool


class TrustRow(JsonResult, frozen=True):
    """A thing as it is told (`TrustStatus`)."""

    sort: Sort
    name: str
    place: str
    text: str
    hidden: int
    sha256: str
    trusted: bool
    problem: str


class TrustResult(JsonResult, frozen=True):
    """All that came with a project, and how many things were trusted, or are trusted no more."""

    root: Path
    things: tuple[TrustRow, ...]
    recorded: int
    revoked: int

    @classmethod
    def told(cls, root: Path, found: Iterable[TrustStatus], *, recorded: int = 0, revoked: int = 0) -> TrustResult:
        """What `clew trust --json` prints."""
        rows = tuple(TrustRow.of(one.thing, trusted=one.trusted) for one in found)
        return cls(root, rows, recorded, revoked)


class TrustedLogins(JsonResult, frozen=True):
    """Whose edits of issues on a host count as theirs here."""

    host: str
    logins: tuple[str, ...]


def project_at(root: Path) -> TrustedProject:
    """The project whose top is `root`."""
    repository = find(root)
    return TrustedProject(str(repository.common_dir if repository else resolved(root)), root)


def standings(store: Path, project: TrustedProject) -> tuple[TrustStatus, ...]:
    """All that came with the project. Raises `InputError` if the user's store cannot be used."""
    known = _hashes(_read(store), project.key)
    return tuple(
        TrustStatus(thing, not thing.problem and (thing.sort, thing.sha256) in known)
        for thing in untrusted_content(project.root)
    )


def untrusted(store: Path, project: TrustedProject) -> tuple[Thing, ...]:
    """What nobody trusts, or can: nothing of it is run or given to a session, and one line should name it."""
    return tuple(standing.thing for standing in standings(store, project) if not standing.trusted)


def trusted(store: Path, project: TrustedProject, sort: Sort, content: bytes) -> bool:
    """Whether a person trusted exactly this content. Ask before each use, with the bytes that are used.

    `content` is the whole file of a document, `command_content` of a command.
    """
    return (sort, digest(sort, content)) in _hashes(_read(store), project.key)


def trusted_program(store: Path, project: TrustedProject, setting: Setting, program: str) -> bool:
    """Whether a person trusted that the project's file names this program in this setting."""
    return trusted(store, project, "program", program_content(setting, program))


def trust(
    store: Path, project: TrustedProject, things: Sequence[Thing], *, said: Authority, time: str
) -> tuple[Thing, ...]:
    """Record that `things`, as they were shown, are trusted; those that were not before.

    `said` is what the channel allows. What was trusted earlier stays so: another branch may hold it. A thing
    with a problem is left out. Raises `NotAllowed`, `InputError`.
    """
    logins = all(thing.sort == "login" for thing in things) and bool(things)
    names = "\n".join(f"{thing.name} ({thing.sha256[:12]})" for thing in things if not thing.problem)
    require_person(said, "login" if logins else "content", about=lambda: names)
    content = _read(store)
    known = _hashes(content, project.key)
    new = tuple(thing for thing in things if not thing.problem and (thing.sort, thing.sha256) not in known)
    if new:
        rows = [
            {"sort": thing.sort, "name": thing.name, "place": thing.place, "sha256": thing.sha256, "at": time}
            for thing in new
        ]
        projects = {**content, project.key: [*content.get(project.key, []), *rows]}
        _write(store, projects)
    return new


def allow_tool(store: Path, project: TrustedProject, tool: str, *, said: Authority, time: str) -> bool:
    """Record that `tool` only reads, so that it passes while a plan is open; whether that is new.

    Raises `NotAllowed`, `InputError`.
    """
    require_person(said, "tool")
    content = _read(store)
    if tool in allowed_tools(store, project):
        return False
    row = {"sort": _TOOL, "name": tool, "place": "", "sha256": "", "at": time}
    _write(store, {**content, project.key: [*content.get(project.key, []), row]})
    return True


def allowed_tools(store: Path, project: TrustedProject) -> frozenset[str]:
    """The tools of which a person said that they only read. Raises `InputError`."""
    return frozenset(row["name"] for row in _read(store).get(project.key, []) if row["sort"] == _TOOL)


def login_thing(host: str, login: str) -> Thing:
    """The editor of issues who has this login on a server; neither tells case."""
    name = f"{host}/{login}".lower()
    return Thing("login", name, "", name, 0, digest("login", name.encode()), "")


def trusted_logins(store: Path, project: TrustedProject, host: str) -> frozenset[str]:
    """The logins on a server whose edits of issues count as a person's here, in lower case."""
    names = (row["name"] for row in _read(store).get(project.key, []) if row["sort"] == "login")
    return frozenset(name.removeprefix(f"{host.lower()}/") for name in names if name.startswith(f"{host.lower()}/"))


def forget_login(store: Path, project: TrustedProject, login: Thing, *, said: Authority) -> bool:
    """Trust a login no more; whether it was trusted. Raises `NotAllowed`, `InputError`."""
    require_person(said, "revoke")
    return bool(_forget(store, project, lambda row: (row["sort"], row["sha256"]) == ("login", login.sha256)))


def kept(store: Path, project: TrustedProject) -> int:
    """How many contents of the project are trusted, those among them that it does not hold any more."""
    return len(_read(store).get(project.key, []))


def revoke(store: Path, project: TrustedProject, *, said: Authority) -> int:
    """Trust nothing of the project any more; how many hashes are gone. Raises `NotAllowed`, `InputError`."""
    require_person(said, "revoke")
    return _forget(store, project, lambda _: True)


def _forget(store: Path, project: TrustedProject, is_gone: Callable[[Mapping[str, str]], bool]) -> int:
    """Take rows of a project out of the store; how many."""
    content = _read(store)
    rows = content.pop(project.key, [])
    left = [row for row in rows if not is_gone(row)]
    if len(left) < len(rows):
        _write(store, {**content, project.key: left} if left else content)
    return len(rows) - len(left)


def _hashes(content: Mapping[str, Sequence[Mapping[str, str]]], key: str) -> frozenset[tuple[str, str]]:
    return frozenset((row["sort"], row["sha256"]) for row in content.get(key, []))


def _read(store: Path) -> dict[str, list[dict[str, str]]]:
    """The store's projects with what is trusted of them. One that cannot be understood is an error, never empty."""
    try:
        with store.open("rb") as file:
            facts = os.fstat(file.fileno())
            if hasattr(os, "getuid") and (facts.st_uid != os.getuid() or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
                raise _unusable(store, "others may write it", "Make it yours alone (mode 600), and look what is in it.")
            data = file.read(_STORE_BYTES_MAX + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise _unusable(store, f"it cannot be read ({error.strerror})", "Fix its permissions.") from None
    try:
        found: Any = json.loads(data)
        if found["v"] > _VERSION:
            raise _unusable(store, "a newer clew wrote it", "Use that version, or a newer one.")
        return {
            str(key): [{name: str(row[name]) for name in ("sort", "name", "place", "sha256", "at")} for row in rows]
            for key, rows in found["projects"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        hint = "Put it right, or move it away: then nothing is trusted, and `clew trust` asks again."
        raise _unusable(store, "it is damaged", hint) from None


def _write(store: Path, projects: Mapping[str, Sequence[Mapping[str, str]]]) -> None:
    text = json.dumps({"v": _VERSION, "projects": projects}, indent=1, sort_keys=True)
    try:
        replace(store, text.encode("utf-8", "replace") + b"\n", mode=0o600)
    except OSError as error:
        raise _unusable(
            store, f"it cannot be written ({error.strerror})", "Fix its permissions, or free some room."
        ) from None


def _unusable(store: Path, why: str, hint: str) -> InputError:
    return InputError(f"the list of what is trusted, {store}, cannot be used: {why}", code="E-trust-store", hint=hint)
