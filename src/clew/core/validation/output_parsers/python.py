"""Failures of pytest, of unittest, and of a plain Python program, from what they print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from clew.core.validation.failure import Failure, compared, worded
from clew.core.validation.output import Output, block

_SECTION: Final = re.compile(r"^=+ (?:FAILURES|ERRORS) =+$")
_HEADER: Final = re.compile(r"^[_―]{3,} (.+?) [_―]{3,}$")
_END: Final = re.compile(r"^(?:=+ .* =+|[_―]{3,} .+ [_―]{3,}|-+ Captured .* -+)$")
_PLACE: Final = re.compile(r"^(\S[^:]*?\.pyx?):(\d+):(?: (.*))?$|^(/\S+\.py):(\d+)$")
_FILE: Final = re.compile(r'^\s*(?:E\s+)?File "([^"]+)", line (\d+)')
_SUMMARY: Final = re.compile(r"^(?:FAILED|ERROR) (\S+?(?:\[.*?\])?)(?: - .*)?$")
_SUMMARY_HEAD: Final = re.compile(r"^=+ short test summary info =+$")
_HUNG: Final = re.compile(r"\+{9,} Timeout \+{9,}$")
_SAID_LITTLE: Final = re.compile(r"^(?:\[XPASS.*)?$")
_EXAMPLE: Final = re.compile(r"^(?:Expected(?: nothing)?:|UNEXPECTED EXCEPTION: .*)$")
_CHAIN: Final = re.compile(r"^\s*(?:During handling of the above|The above exception was the direct cause)")
_ERROR: Final = re.compile(
    r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Failed|Bad\w*)|[A-Za-z_][\w.]*)(?::|$)"
)
_UNIT: Final = re.compile(
    r"^(?:FAIL|ERROR): (\S+)(?: \((.+?)\))?(?: [\[(].*)?$|^(?:Failure|Error) in (\S+)$|^\[(?:FAIL|ERROR)\]$"
)
_RULE: Final = re.compile(r"[=-]{60,}$")
_TRACEBACK: Final = "Traceback (most recent call last):"
_ONE_LINE: Final = re.compile(r"^(/\S+?|[\w./-]+\.py):(\d+): (.+)$")


def pytest(out: Output) -> Failure | None:
    """The first failure that pytest prints: by its blocks, else (`--tb=no`, `--tb=line`) by its summary."""
    lines = out.lines
    start = next((number for number, line in enumerate(lines) if _SECTION.match(line)), -1)
    if start < 0:  # pytest-sugar tells each as it comes
        start = next((number - 1 for number, line in enumerate(lines) if line.startswith("―――") and number), -1)
    hung = next((number for number, line in enumerate(lines) if _HUNG.search(line)), -1)
    if hung >= 0 and start < 0:
        return _hung(out, hung)
    # A test may print such lines, too: they count behind the summary's heading, or where there is none.
    summary = max((number for number, line in enumerate(lines) if _SUMMARY_HEAD.match(line)), default=start)
    ends = lines[max(summary, 0) :]
    ids = [found[1] for line in ends if (found := _SUMMARY.match(line)) and re.search(r"::|\.py$|/", found[1])]
    if start < 0:
        said = [_said_of(ids[0], ends)] if ids else []
        has_session = any(re.match(r"^=+ (?:test session starts|short test summary info) =+$", line) for line in lines)
        return Failure("pytest", ids[0], said[0], _values(said)) if ids and has_session else None
    header = next((number for number in range(start + 1, len(lines)) if _HEADER.match(lines[number])), -1)
    if header < 0:
        return _by_line(out, start, ids)
    name = _HEADER.match(lines[header])
    assert name is not None
    body = block(lines, header + 1, _END)
    frame, said, source = _read(out, body)
    test = _named(name[1], ids, frame)
    if _SAID_LITTLE.match("".join(said)):  # as of an expected failure that passed, or a worker that is gone
        plain = [line for line in body if line.strip() and not line[0].isspace()]
        said = [line for line in (_said_of(test, ends), *plain) if line][:3]
    example = [line for line in body if _EXAMPLE.match(line)]
    if example:
        said = body[body.index(example[0]) :][:6]
    values = worded(list(said)) if example else _values(said)
    return Failure("pytest", test, "\n".join(said), values, frame, tuple(source))


def _hung(out: Output, at: int) -> Failure:
    """A run that was ended by its time-out: of the stack the last place in the project's own code."""
    test = frame = ""
    for line in out.lines[at:]:
        found = _FILE.match(line)
        if found and (path := out.own(found[1])):
            frame, test = f"{path}:{found[2]}", f"{path}::{line.rpartition(' in ')[2].strip()}"
    limit = next((line for line in out.lines if line.startswith("timeout: ")), "timeout")
    return Failure("pytest", test, f"Timeout ({limit.partition(': ')[2]})", (), frame, tuple(out.lines[-8:]))


def _said_of(name: str, lines: Sequence[str]) -> str:
    return next(
        (line.partition(" - ")[2] for line in lines if line.startswith((f"FAILED {name}", f"ERROR {name}"))), ""
    )


def _by_line(out: Output, start: int, ids: Sequence[str]) -> Failure | None:
    """`--tb=line`: a line for each failure."""
    for line in out.lines[start + 1 :]:
        found = _ONE_LINE.match(line)
        if found:
            path = out.own(found[1])
            said = found[3].removeprefix("AssertionError: ")
            return Failure("pytest", ids[0] if ids else "", said, _values([said]), f"{path}:{found[2]}" if path else "")
    return None


def _named(header: str, ids: Sequence[str], frame: str) -> str:
    """The id that a block's header stands for."""
    header = re.sub(r"^ERROR (?:at (?:setup|teardown) of|collecting) |^\[doctest\] ", "", header)
    ends = (header, header.replace(".", "::"))
    for name in ids:
        if name.endswith(ends) or name.startswith(f"{header}::"):
            return name
    path = frame.rpartition(":")[0]
    return f"{path}::{header.replace('.', '::')}" if path and "/" not in header and "::" not in header else header


def _read(out: Output, body: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """The frame, what was said, and the source lines about it, of the last traceback of a block."""
    if any("Exception Group Traceback" in line for line in body):
        body = [re.sub(r"^  [+|] ?", "", line) for line in body]
    last = max((number for number, line in enumerate(body) if _CHAIN.match(line)), default=-1)
    body = body[last + 1 :]
    frame = ""
    for line in body:
        found = _PLACE.match(line)
        if found:
            path, number = found[1] or found[4], found[2] or found[5]
        else:
            inner = _FILE.match(line)
            path, number = (inner[1], inner[2]) if inner else ("", "")
        if path and out.own(path):
            frame = f"{out.own(path)}:{number}"
    said = [line[1:].strip() if line[1:2] == " " else line[1:] for line in body if re.match(r"^E(?:\s|$)", line)]
    said = _sense(said) or _last_error(body)
    source = [line for line in body if line.startswith((">", "E"))]
    return frame, said, source


def _sense(said: Sequence[str]) -> list[str]:
    """What pytest says, without the source lines that come before a syntax error's name."""
    for number, line in enumerate(said):
        if line.startswith("File ") and any(_ERROR.match(later) for later in said[number + 1 :]):
            return [later for later in said[number + 1 :] if _ERROR.match(later)]
    return [line for line in said if line]


def _last_error(body: Sequence[str]) -> list[str]:
    """The end of a traceback as Python prints it: the error, with the lines of its message."""
    at = max((number for number, line in enumerate(body) if re.match(r"^[A-Za-z_][\w.]*(?::|$)", line)), default=-1)
    return [line for line in body[at:] if line.strip()] if at >= 0 else []


def _values(said: Sequence[str]) -> tuple[str, ...]:
    """Of pytest's `assert LEFT == RIGHT`, on whichever line it stands."""
    for line in said:
        text = line.removeprefix("AssertionError: ")
        if text.startswith("assert "):
            return compared(text.removeprefix("assert "))
    return ()


def unittest(out: Output) -> Failure | None:
    """The first failure that unittest prints."""
    lines = out.lines
    for number, line in enumerate(lines):
        found = _UNIT.match(line)
        if found and number and (found[3] or _RULE.search(lines[number - 1])):
            body: list[str] = []
            rules = 0
            for later in lines[number + 1 :]:
                rules += bool(_RULE.match(later))
                if rules > 1 or (rules and later.startswith("=" * 60)):
                    break
                body.append(later)
            test = found[3] or (_unit_name(found[1], found[2] or found[1]) if found[1] else "")
            if not test:  # trial names it below
                body = [row for row in takewhile(lambda row: not _RULE.match(row), body) if row.strip()]
                test = body.pop() if body else ""
            frame, said, source = _traceback(out, body)
            return Failure("unittest", test, "\n".join(said), _differ(said), frame, tuple(source))
    return None


def _unit_name(name: str, where: str) -> str:
    where = where.removeprefix("unittest.loader._FailedTest").lstrip(".") or name
    return where if where.endswith(name) or name.startswith(("setUp", "tearDown")) else f"{where}.{name}"


def _traceback(out: Output, body: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """Frame, error and frames' lines of the last traceback in `body`."""
    start = max((number for number, line in enumerate(body) if line.strip() == _TRACEBACK), default=-1)
    body = body[start + 1 :]
    places = [(number, found) for number, line in enumerate(body) if (found := _FILE.match(line))]
    frame, source = "", []
    for number, found in places:
        if out.own(found[1]):
            frame = f"{out.own(found[1])}:{found[2]}"
            source = list(body[number : number + 2])
    last = places[-1][0] if places else -1
    said: list[str] = []
    for line in body[last + 1 :]:
        if not said and not re.match(r"^[A-Za-z_][\w.]*(?::|$)", line):
            continue
        said.append(line)
    return frame, [line for line in said if line.strip() and not _RULE.match(line)], source


def _differ(said: Sequence[str]) -> tuple[str, ...]:
    """Of `AssertionError: Lists differ: [1] != [2]`; a message of the test's own stands behind ` : `."""
    error, _, text = said[0].partition(": ") if said else ("", "", "")
    if not error.endswith(("AssertionError", "FailTest")):
        return ()
    text = re.sub(r"^\w+ differ: |^Tuples differ: ", "", text)
    found = compared(text)
    return (found[0], found[1].partition(" : ")[0].strip()) if found else ()


def program(out: Output) -> Failure | None:
    """A Python program that ended with an error."""
    if not any(line.strip() == _TRACEBACK for line in out.lines):
        return None
    first = next(number for number, line in enumerate(out.lines) if line.strip() == _TRACEBACK)
    body = out.lines[first:]
    ends = next((number for number, line in enumerate(body[1:], start=1) if line and not line[0].isspace()), len(body))
    while any(_CHAIN.match(line) for line in body[ends : ends + 4]):
        later = next((n for n, line in enumerate(body) if n > ends and line.strip() == _TRACEBACK), -1)
        if later < 0:
            break
        ends = next((n for n, line in enumerate(body) if n > later and line and not line[0].isspace()), len(body))
    frame, said, source = _traceback(out, body[: ends + 4])
    return Failure("python", "", said[0] if said else "", (), frame, tuple(source)) if said else None
