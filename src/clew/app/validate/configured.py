"""The commands that check a project: `[[validate.commands]]` in `.clew/config.toml`, a phase's lines, and what is
proposed for a project from what it has. Nothing is run here; who wants a command trusts it like any other.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from clew.app.project.location import locate
from clew.app.project.settings import PROJECT_FILE, parse, project_text
from clew.app.results import JsonResult
from clew.core.errors import InputError
from clew.workspace.atomic import alone, make_folder, replace
from clew.workspace.disk import Disk, read

TIMEOUT_S: Final = 600
FILES: Final = "{files}"
_Text = Annotated[str, Meta(pattern=r"\S")]


class Expected(Struct, frozen=True, forbid_unknown_fields=True):
    """A test that is expected to fail, until the phase with the number `until` is done (0: until somebody takes the
    line out), and why.
    """

    test: _Text
    why: _Text
    until: Annotated[int, Meta(ge=0)] = 0


class ConfiguredCheck(Struct, frozen=True, forbid_unknown_fields=True):
    """One command. `requires` is one that must succeed first, "" none. `files` are patterns of what it is about, ()
    everything; in `run` the touched ones stand for `{files}`. `folder` is where it runs, from the top. `quick`: hooks
    may run it. `table` is all that stands in the file, which is what a person trusts; of a phase's line it is empty.
    """

    name: _Text
    run: _Text
    requires: str = ""
    timeout_s: Annotated[int, Meta(ge=1, le=4 * 3600)] = TIMEOUT_S
    files: tuple[Annotated[str, Meta(min_length=1)], ...] = ()
    folder: str = ""
    quick: bool = False
    expected: tuple[Expected, ...] = ()
    table: dict[str, Any] = {}

    def expects(self, done: Sequence[int]) -> tuple[str, ...]:
        """The tests that are expected to fail now. `done` are the numbers of the phases that are done."""
        return tuple(one.test for one in self.expected if not one.until or one.until not in done)


def configured(root: Path) -> tuple[ConfiguredCheck, ...]:
    """The project's commands, in their order. Raises `InputError` for what cannot be understood."""
    text, problem = project_text(root)
    if problem:
        raise _wrong(f"it is not read: {problem}")
    validate = parse(text, PROJECT_FILE).get("validate", {}) if "validate" in text else {}
    if not isinstance(validate, Mapping):
        raise _wrong("[validate] is not a table")
    tables = validate.get("commands", [])
    if not isinstance(tables, list) or not all(isinstance(one, Mapping) for one in tables):
        raise _wrong("[[validate.commands]] was expected there")
    checks = tuple(_check(table, number) for number, table in enumerate(tables, start=1))
    names = [one.name for one in checks]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise _wrong(f"two commands are called {twice!r}")
    return checks


def of_phase(lines: Iterable[str], known: Sequence[ConfiguredCheck]) -> tuple[ConfiguredCheck, ...]:
    """The commands that a phase's lines mean: one of the project's by its name or its line, else the line itself."""
    found: list[ConfiguredCheck] = []
    for line in lines:
        words = line.strip().strip("`").strip()
        same = next((one for one in known if words in (one.name, one.run)), None)
        check = same or ConfiguredCheck(words, words)
        if words and check not in found:
            found.append(check)
    return tuple(found)


def _check(table: Mapping[str, Any], number: int) -> ConfiguredCheck:
    where = f"the command {table['name']!r}" if isinstance(table.get("name"), str) else f"command {number}"
    if "table" in table:
        raise _wrong(f"{where}: Object contains unknown field `table`")
    rows = deepcopy(table.get("expected", []))
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and str(row.get("until")).isdecimal():
            row["until"] = int(row["until"])  # a phase's number may be written as a text
    try:
        check = msgspec.convert({**table, "expected": rows}, ConfiguredCheck)
    except msgspec.ValidationError as error:
        raise _wrong(f"{where}: {error}") from error
    folder = check.folder.strip("/")
    if ".." in folder.split("/") or check.folder.startswith("/"):
        raise _wrong(f"{where}: its folder is outside the project")
    if FILES in check.run and not check.files:
        raise _wrong(f"{where} takes {FILES} and does not say which: give it files = [...]")
    plain = {key: getattr(check, key).strip() for key in ("name", "run", "requires")}
    return msgspec.structs.replace(check, **plain, folder=folder, table=dict(table))


def _wrong(why: str) -> InputError:
    return InputError(
        f"{PROJECT_FILE} cannot be used: {why}",
        code="E-validate-config",
        hint="docs/reference/validation.md lists what is allowed there; `clew validate --init` proposes commands.",
    )


_FILE_BYTES_MAX: Final = 1 << 20
_TARGETS: Final = ("test", "check", "lint", "typecheck")
_SCRIPTS: Final = ("test", "typecheck", "type-check", "lint", "check", "build")
_QUICK: Final = ("lint", "typecheck", "type-check")
_MANAGERS: Final = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun"))
# What npm puts into a new package.json, which checks nothing.
_NO_TEST: Final = "no test specified"


class Proposed(JsonResult, frozen=True):
    """One command, why it is proposed, and whether hooks may run it."""

    name: str
    run: str
    why: str
    quick: bool = False


class Proposal(JsonResult, frozen=True):
    """What may be added to the project's file. `diff` is how it would change, "" where there is nothing new. `written`:
    it was.
    """

    file: Path
    commands: tuple[Proposed, ...]
    diff: str
    written: bool = False


def propose(folder: Path, *, write: bool) -> Proposal:
    """The commands that the project at `folder` has and its file does not name, written there if told to. Raises
    `InputError` for a file that cannot be used.
    """
    root = locate(folder).root
    text, problem = project_text(root)
    if problem:
        raise InputError(f"{PROJECT_FILE} cannot be used: {problem}", code="E-settings-file", hint="Fix it by hand.")
    known = configured(root)
    names, lines = {one.name for one in known}, {one.run for one in known}
    found = tuple(one for one in _found(Disk(root)) if one.name not in names and one.run not in lines)
    after = _with(text, found)
    parse(after, PROJECT_FILE)
    rows = difflib.unified_diff(
        text.splitlines(), after.splitlines(), f"a/{PROJECT_FILE}", f"b/{PROJECT_FILE}", lineterm=""
    )
    diff = "\n".join(rows)
    file = root / PROJECT_FILE
    if not write or not found:
        return Proposal(file, found, diff)
    try:
        make_folder(file.parent)
        with alone(file):
            if project_text(root)[0] != text:
                raise InputError(f"{PROJECT_FILE} was changed meanwhile", code="E-settings-file", hint="Run it again.")
            replace(file, after.encode(), mode=0o644)
    except OSError as error:
        why = f"it cannot be written ({error.strerror})"
        raise InputError(
            f"{PROJECT_FILE} cannot be used: {why}", code="E-settings-file", hint="Fix its permissions."
        ) from error
    return Proposal(file, found, diff, written=True)


def commands_of(root: Path) -> tuple[Proposed, ...]:
    """The commands that check the project at `root`: those that its file names, else those that are found."""
    named = tuple(Proposed(one.name, one.run, f"a command of {PROJECT_FILE}") for one in configured(root))
    return named or tuple(_found(Disk(root)))


def _with(text: str, found: tuple[Proposed, ...]) -> str:
    """The file with the commands at its end."""
    parts = [text.rstrip("\n") + "\n" if text.strip() else ""]
    for one in found:
        rows = ["[[validate.commands]]", f"name = {_quoted(one.name)}", f"run = {_quoted(one.run)}  # {one.why}"]
        parts.append("\n".join([*rows, *(["quick = true"] if one.quick else [])]) + "\n")
    return "\n".join(part for part in parts if part) if found else text


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _found(disk: Disk) -> Iterator[Proposed]:
    """Everything that is found, by its name once: what a person wrote for this comes first."""
    seen: set[str] = set()
    sources = (_makefile, _npm, _python, _go, _cargo, _maven, _gradle)
    for source in sources:
        found = [one for one in source(disk) if _kind(one.name) not in seen]
        yield from found
        seen |= {_kind(one.name) for one in found}


def _kind(name: str) -> str:
    return {"type-check": "typecheck", "check": "test"}.get(name, name)


def _text(disk: Disk, path: str) -> str:
    data = read(disk, path, limit_bytes=_FILE_BYTES_MAX).data
    return data.decode("utf-8", "replace") if data else ""


def _makefile(disk: Disk) -> Iterator[Proposed]:
    text = _text(disk, "Makefile")
    for name in _TARGETS:
        if re.search(rf"(?m)^{name}[ \t]*:(?!=)", text):
            yield Proposed(name, f"make {name}", "a target of the Makefile", name in _QUICK)


def _npm(disk: Disk) -> Iterator[Proposed]:
    package = _json(_text(disk, "package.json"))
    scripts = package.get("scripts")
    scripts = scripts if isinstance(scripts, Mapping) else {}
    manager = next((name for lock, name in _MANAGERS if _there(disk, lock)), "npm")
    for name in _SCRIPTS:
        line = scripts.get(name)
        if isinstance(line, str) and line.strip() and _NO_TEST not in line:
            run = f"{manager} test" if name == "test" and manager != "bun" else f"{manager} run {name}"
            yield Proposed(name, run, "a script of package.json", name in _QUICK)
    wanted = {**_table(package, "devDependencies"), **_table(package, "dependencies")}
    if "typescript" in wanted and _there(disk, "tsconfig.json") and not {"typecheck", "type-check"} & set(scripts):
        yield Proposed("typecheck", "npx --no-install tsc --noEmit", "typescript and a tsconfig.json", True)
    for name, run in (("vitest", "vitest run"), ("jest", "jest")):
        if name in wanted and "test" not in scripts:
            yield Proposed("test", f"npx --no-install {run}", f"{name} in package.json")


def _python(disk: Disk) -> Iterator[Proposed]:
    project = _toml(_text(disk, "pyproject.toml"))
    tools = _table(project, "tool")
    python = ".venv/bin/python" if (disk.root / ".venv/bin/python").exists() else "python3"
    python = "uv run python" if _there(disk, "uv.lock") else python
    told = (
        _text(disk, "pyproject.toml")
        + _text(disk, "setup.cfg")
        + _text(disk, "tox.ini")
        + _text(disk, "requirements-dev.txt")
    )
    tests = [name for name in ("tests", "test") if (disk.root / name).is_dir()]
    has_tests = any(True for name in tests for _ in (disk.root / name).rglob("test*.py")) or any(
        disk.root.glob("test_*.py")
    )
    if (
        "pytest" in tools
        or _there(disk, "pytest.ini")
        or _there(disk, "conftest.py")
        or (has_tests and "pytest" in told)
    ):
        yield Proposed("test", f"{python} -m pytest -q", "pytest is configured")
    elif has_tests:
        places = f" discover -s {tests[0]}" if tests else ""
        yield Proposed("test", f"{python} -m unittest{places}", "tests, and no other runner")
    if "ruff" in tools or _there(disk, "ruff.toml"):
        yield Proposed("lint", f"{python} -m ruff check .", "ruff is configured", True)
    if "mypy" in tools or _there(disk, "mypy.ini"):
        yield Proposed("typecheck", f"{python} -m mypy .", "mypy is configured")


def _go(disk: Disk) -> Iterator[Proposed]:
    if _there(disk, "go.mod"):
        yield Proposed("test", "go test ./...", "a go.mod")
        yield Proposed("vet", "go vet ./...", "a go.mod", True)


def _cargo(disk: Disk) -> Iterator[Proposed]:
    if _there(disk, "Cargo.toml"):
        yield Proposed("test", "cargo test", "a Cargo.toml")


def _maven(disk: Disk) -> Iterator[Proposed]:
    if _there(disk, "pom.xml"):
        yield Proposed("test", f"{'./mvnw' if _there(disk, 'mvnw') else 'mvn'} -B test", "a pom.xml")


def _gradle(disk: Disk) -> Iterator[Proposed]:
    if _there(disk, "build.gradle") or _there(disk, "build.gradle.kts"):
        yield Proposed("test", f"{'./gradlew' if _there(disk, 'gradlew') else 'gradle'} test", "a build.gradle")


def _there(disk: Disk, path: str) -> bool:
    return (disk.root / path).is_file()


def _table(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = values.get(name)
    return found if isinstance(found, Mapping) else {}


def _json(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
