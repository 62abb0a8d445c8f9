"""What came with a repository and would be run or given to a session: commands and documents in `.clew`.

Reads; runs nothing, follows no link out of the project. Who trusts it is `app/project/trust.py`'s business.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.app.project.location import ProjectLocation, locate
from clew.app.project.settings import PROJECT_FILE, parse
from clew.app.project.views import is_written
from clew.core.errors import InputError
from clew.core.settings import SETTINGS, Setting
from clew.core.text.cleaning import clean
from clew.workspace.disk import Disk
from clew.workspace.inside import names, read

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
    import json

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
        if setting.kind == "program" and isinstance(table, Mapping) and key in table:
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
        return parse(looked.data.decode("utf-8-sig"), path), ""
    except UnicodeDecodeError:
        return {}, "it is not UTF-8"
    except InputError as error:
        return {}, error.message.partition("cannot be used: ")[2]


def _refused(sort: Sort, name: str, place: str, problem: str) -> Thing:
    return Thing(sort, name, place, "", 0, "", problem)
