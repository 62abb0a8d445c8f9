"""The commands that check a project: `[[validate.commands]]` in `.clew/config.toml`, and a phase's lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from clew.app.project.settings import PROJECT_FILE, parse, project_text
from clew.core.errors import InputError

TIMEOUT_S: Final = 600
_TIMEOUT_S_MAX: Final = 4 * 3600
_KEYS: Final = frozenset(("name", "run", "requires", "timeout_s", "files", "folder", "quick", "expected"))
_EXPECTED: Final = frozenset(("test", "until", "why"))
FILES: Final = "{files}"


@dataclass(frozen=True, slots=True)
class Expected:
    """A test that is expected to fail, until the phase with the number `until` is done (0: until somebody takes the
    line out), and why.
    """

    test: str
    why: str
    until: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """One command. `requires` is one that must succeed first, "" none. `files` are patterns of what it is about, ()
    everything; in `run` the touched ones stand for `{files}`. `folder` is where it runs, from the top. `quick`: hooks
    may run it. `table` is all that stands in the file, which is what a person trusts; of a phase's line it is empty.
    """

    name: str
    run: str
    requires: str = ""
    timeout_s: int = TIMEOUT_S
    files: tuple[str, ...] = ()
    folder: str = ""
    quick: bool = False
    expected: tuple[Expected, ...] = ()
    table: Mapping[str, Any] = field(default_factory=dict)

    def expects(self, done: Sequence[int]) -> tuple[str, ...]:
        """The tests that are expected to fail now. `done` are the numbers of the phases that are done."""
        return tuple(one.test for one in self.expected if not one.until or one.until not in done)


def configured(root: Path) -> tuple[Check, ...]:
    """The project's commands, in their order. Raises `InputError` for what cannot be understood."""
    text, problem = project_text(root)
    if problem:
        raise _wrong(f"it is not read: {problem}")
    validate = parse(text, PROJECT_FILE).get("validate", {}) if "validate" in text else {}
    if not isinstance(validate, Mapping):
        raise _wrong("[validate] is no table")
    tables = validate.get("commands", [])
    if not isinstance(tables, list) or not all(isinstance(one, Mapping) for one in tables):
        raise _wrong("[[validate.commands]] was expected there")
    checks = tuple(_check(table, number) for number, table in enumerate(tables, start=1))
    names = [one.name for one in checks]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise _wrong(f"two commands are called {twice!r}")
    return checks


def of_phase(lines: Iterable[str], known: Sequence[Check]) -> tuple[Check, ...]:
    """The commands that a phase's lines mean: one of the project's by its name or its line, else the line itself."""
    found: list[Check] = []
    for line in lines:
        words = line.strip().strip("`").strip()
        same = next((one for one in known if words in (one.name, one.run)), None)
        check = same or Check(words, words)
        if words and check not in found:
            found.append(check)
    return tuple(found)


def _check(table: Mapping[str, Any], number: int) -> Check:
    name, run = table.get("name"), table.get("run")
    where = f"command {number}" if not isinstance(name, str) else f"the command {name!r}"
    if not isinstance(name, str) or not name.strip() or not isinstance(run, str) or not run.strip():
        raise _wrong(f"{where} needs a name and a line to run")
    odd = sorted(set(table) - _KEYS)
    if odd:
        raise _wrong(f"{where} has {odd[0]!r}, which is none of {', '.join(sorted(_KEYS))}")
    texts = {key: table.get(key, "") for key in ("requires", "folder")}
    if not all(isinstance(value, str) for value in texts.values()):
        raise _wrong(f"{where}: requires and folder are texts")
    folder = texts["folder"].strip("/")
    if ".." in folder.split("/") or texts["folder"].startswith("/"):
        raise _wrong(f"{where}: its folder lies outside of the project")
    timeout = table.get("timeout_s", TIMEOUT_S)
    if not isinstance(timeout, int) or isinstance(timeout, bool) or not 0 < timeout <= _TIMEOUT_S_MAX:
        raise _wrong(f"{where}: timeout_s is a number of seconds from 1 to {_TIMEOUT_S_MAX}")
    files = table.get("files", [])
    if not isinstance(files, list) or not all(isinstance(one, str) and one for one in files):
        raise _wrong(f"{where}: files is a list of patterns")
    if FILES in run and not files:
        raise _wrong(f"{where} takes {FILES} and does not say which: give it files = [...]")
    quick = table.get("quick", False)
    if not isinstance(quick, bool):
        raise _wrong(f"{where}: quick is true or false")
    expected = tuple(_expected(one, where) for one in _rows(table.get("expected", []), where))
    return Check(
        name.strip(), run.strip(), texts["requires"].strip(), timeout, tuple(files), folder, quick, expected, table
    )


def _rows(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(f"{where}: expected is a list of tables with test, until and why")
    return value


def _expected(row: Any, where: str) -> Expected:
    if not isinstance(row, Mapping) or not set(row) <= _EXPECTED:
        raise _wrong(f"{where}: what is expected to fail has test, why and, if you like, until")
    test, why, until = row.get("test"), row.get("why"), row.get("until", 0)
    if isinstance(until, str) and until.isdecimal():
        until = int(until)
    if not isinstance(test, str) or not test.strip() or not isinstance(why, str) or not why.strip():
        raise _wrong(f"{where}: what is expected to fail needs its test and why it fails")
    if not isinstance(until, int) or isinstance(until, bool) or until < 0:
        raise _wrong(f"{where}: until is the number of a phase")
    return Expected(test.strip(), why.strip(), until)


def _wrong(why: str) -> InputError:
    return InputError(
        f"{PROJECT_FILE} cannot be used: {why}",
        code="E-validate-config",
        hint="docs/reference/validation.md says what may stand there; `clew validate --init` proposes commands.",
    )
