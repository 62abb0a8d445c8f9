"""The commands that check a project: `[[validate.commands]]` in `.clew/config.toml`, and a phase's lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from clew.app.project.settings import PROJECT_FILE, parse, project_text
from clew.core.errors import InputError

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
    rows = table.get("expected", [])
    if isinstance(rows, list):  # a phase's number may be written as a text
        rows = [{**row, "until": _number(row.get("until", 0))} if isinstance(row, Mapping) else row for row in rows]
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


def _number(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def _wrong(why: str) -> InputError:
    return InputError(
        f"{PROJECT_FILE} cannot be used: {why}",
        code="E-validate-config",
        hint="docs/reference/validation.md lists what is allowed there; `clew validate --init` proposes commands.",
    )
