"""Failures of jest and vitest, from what they print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clew.core.validation.failure import Failure, differing, worded
from clew.core.validation.output import Output, block

_JEST_FILE: Final = re.compile(r"^(?:FAIL|PASS) (?:\S+ )??(\S+\.[cm]?[jt]sx?)(?: \(.*\))?$")
_JEST: Final = re.compile(r"^  ● (.+)$")
_JEST_END: Final = re.compile(r"^  ● |^(?:FAIL|PASS) |^Test Suites: |^Summary of all failing")
_AT: Final = re.compile(r"^\s*(?:at|❯) (?:.*?[( ])?((?:file://)?[\w@/.-][^():]*\.[cm]?[jt]sx?):(\d+)(?::\d+)?\)?$")
_BABEL: Final = re.compile(r"(?:SyntaxError|Error): (\S+?): .*?\((\d+):\d+\)")
_VITEST: Final = re.compile(r"^ ?FAIL  (?:\|\S+\| )?(\S+?\.[cm]?[jt]sx?)(?: > (.+)| \[.*\])?$")
_VITEST_END: Final = re.compile(r"^⎯+|^ ?FAIL  | *Test Files ")
_FILE_AT: Final = re.compile(r"^\s*(?:File: |❯ |╭─\[ ?)(\S+?):(\d+):\d+(?: \])?")
_SUITE: Final = "Test suite failed to run"


def jest(out: Output) -> Failure | None:
    """The first failure that jest prints."""
    file = ""
    for number, line in enumerate(out.lines):
        named = _JEST_FILE.match(line)
        file = named[1] if named else file
        found = _JEST.match(line)
        if not found or not file or found[1].startswith(("Console", "Deprecation")):
            continue
        body = block(out.lines, number + 1, _JEST_END)
        is_suite = found[1] == _SUITE
        frame = _frame(out, body)
        babel = next((one for row in body if (one := _BABEL.search(row))), None)
        if babel and out.own(babel[1]):
            frame = f"{out.own(babel[1])}:{babel[2]}"
        said = _said(body)
        test = file if is_suite else found[1].replace(" › ", " > ")
        # Where the message tells no values the difference does; then the source.
        beside = [row for row in body if re.match(r"^\s*[-+] ", row) and row.strip() not in said][:12]
        excerpt = [row for row in body if re.match(r"^\s*>? ?\d+ \|", row)]
        return Failure("jest", test, "\n".join(said), worded(said), frame, (*beside, *excerpt))
    return None


def _said(body: Sequence[str]) -> list[str]:
    """The message: from the first words to the source or the stack."""
    said: list[str] = []
    for row in body:
        if re.match(r"^\s*(?:at |❯ |>? ?\d+ ?\||\d+\|)", row):
            break
        if row.strip():
            said.append(row.strip())
    return said


def _frame(out: Output, body: Sequence[str]) -> str:
    """The deepest place of the project's own in a stack, which begins with the deepest."""
    for row in body:
        found = _AT.match(row) or _FILE_AT.match(row)
        if found and (path := out.own(found[1])):
            return f"{path}:{found[2]}"
    return ""


def vitest(out: Output) -> Failure | None:
    """The first failure that vitest prints."""
    if not any("⎯" in line for line in out.lines):
        return None
    for number, line in enumerate(out.lines):
        found = _VITEST.match(line)
        if not found:
            continue
        after = number + 1
        while after < len(out.lines) and _VITEST.match(out.lines[after]):
            after += 1  # the same error of several
        body = block(out.lines, after, _VITEST_END)
        said = _said(body)
        plain = [re.sub(r"^(?:\w*Error): ", "", row) for row in said]
        excerpt = [row for row in body if re.match(r"^\s*\d+\|", row)]
        frame = _frame(out, body)
        return Failure(
            "vitest",
            found[2] or found[1],
            "\n".join(said),
            differing(plain) or worded(plain[:1]),
            frame,
            tuple(excerpt),
        )
    return None
