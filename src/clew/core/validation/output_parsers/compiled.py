"""Failures of go test and cargo test, from what they print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from clew.core.validation.failure import Failure, worded
from clew.core.validation.output import Output, block

_GO: Final = re.compile(r"^(\s*)--- FAIL: (\S+) \([\d.]+s\)$")
_GO_PLACE: Final = re.compile(r"^\s+(\S+\.go):(\d+): ?(.*)$")
_GO_PACKAGE: Final = re.compile(r"^FAIL\t(\S+)")
_GO_PANIC: Final = re.compile(r"^\s*panic: (.+?)(?: \[recovered.*\])?$")
_GO_STACK: Final = re.compile(r"^\t(\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?$")
# nextest marks a test, and shows what it printed indented below it.
_CARGO: Final = re.compile(
    r"^---- (\S.*) stdout ----$|^ +(?:FAIL|TIMEOUT|ABORT|SIG\w+) \[[^]]*\] (?:\([^)]*\) )?\S+ (\S+)$"
)
_CARGO_END: Final = re.compile(r"^---- \S.* stdout ----$|^failures:$|^ +(?:PASS|FAIL|SLOW|LEAK|Canceling|Summary) \[?")
_NOTE: Final = re.compile(r"^\s*(?:note: (?:run with|Some details)|stack backtrace:|--- STDERR)")
_PANICKED: Final = re.compile(r"^\s*thread '.*?'(?: \(\d+\))? panicked at (?:'(.*)', )?(\S+?):(\d+):\d+:?$")


def go(out: Output) -> Failure | None:
    """The first failing test that `go test` prints; the innermost of nested ones."""
    lines = out.lines
    at = next((number for number, line in enumerate(lines) if _GO.match(line)), -1)
    panic = next((number for number, line in enumerate(lines) if line.startswith("panic: test timed out after")), -1)
    if panic >= 0 and (at < 0 or panic < at):
        return _timed_out(out, panic)
    if at < 0:
        return None
    found = _GO.match(lines[at])
    while at + 1 < len(lines) and (inner := _GO.match(lines[at + 1])):
        at, found = at + 1, inner
    assert found is not None
    test = found[2]
    package = next((one[1] for line in lines[at:] if (one := _GO_PACKAGE.match(line))), "")
    body = _indented(lines, at)
    if not body or not any(_GO_PLACE.match(line) for line in body):
        # With `-v` what a test prints comes before its end.
        start = max((number for number in range(at) if lines[number] == f"=== RUN   {test}"), default=at)
        body = [line for line in lines[start + 1 : at] if not line.startswith("=== ")] or body
    if at + 1 < len(lines) and (broke := _GO_PANIC.match(lines[at + 1])):
        return _panicked(out, at + 1, test, broke[1])
    said: list[str] = []
    frame = ""
    for line in body:
        place = _GO_PLACE.match(line)
        if place and said:
            break
        if place:
            frame = f"{out.find(place[1], package)}:{place[2]}"
            said = [place[3]] if place[3].strip() else []
        elif frame:
            said.append(line.strip())
    said = [line for line in said if line.strip()] or list(takewhile(lambda line: line != "FAIL", lines[at + 1 :]))
    return Failure("go test", test, "\n".join(said), worded(said), frame, tuple(body))


def _indented(lines: Sequence[str], at: int) -> list[str]:
    """What is printed below a `--- FAIL`, up to the next line that stands no deeper."""
    deep = len(lines[at]) - len(lines[at].lstrip())
    found: list[str] = []
    for line in lines[at + 1 :]:
        if (line.strip() and len(line) - len(line.lstrip()) <= deep) or line.lstrip().startswith("--- "):
            break
        found.append(line)
    return found


def _panicked(out: Output, at: int, test: str, said: str) -> Failure:
    stack = out.lines[at:]
    own = [(found[1], found[2]) for line in stack if (found := _GO_STACK.match(line)) and out.own(found[1])]
    frame = f"{out.own(own[0][0])}:{own[0][1]}" if own else ""
    return Failure("go test", test, f"panic: {said}", (), frame, tuple(stack[1:12]))


def _timed_out(out: Output, at: int) -> Failure:
    """A test that hangs: of the goroutines the one that stands in the project's own code."""
    lines = out.lines[at:]
    named = next((line.split()[0] for line in lines[1:6] if re.match(r"^\t+Test\S+ \(", line)), "")
    for number, line in enumerate(lines):
        found = _GO_STACK.match(line)
        if found and out.own(found[1]) and found[1] != "_testmain.go":
            inside = re.search(r"\.(Test\w+)[.(]", " ".join(lines[number - 1 : number]))
            test = named or (inside[1] if inside else "")
            return Failure("go test", test, lines[0].strip(), (), f"{out.own(found[1])}:{found[2]}", ())
    return Failure("go test", named, lines[0].strip())


def cargo(out: Output) -> Failure | None:
    """The first failing test that cargo prints."""
    for number, line in enumerate(out.lines):
        found = _CARGO.match(line)
        if not found:
            continue
        body = block(out.lines, number + 1, _CARGO_END)
        place = next(((at, one) for at, row in enumerate(body) if (one := _PANICKED.match(row))), None)
        said, frame = [row for row in body if row.strip()], ""
        if place:
            at, one = place
            path = out.own(one[2])
            frame = f"{path}:{one[3]}" if path else ""
            said = [one[1]] if one[1] else list(takewhile(lambda row: not _NOTE.match(row), body[at + 1 :]))
            frame = "" if " (line " in (found[1] or "") else frame  # of a doc test it is not a line of the file
        said = [row.rstrip() for row in said if row.strip() and not _NOTE.match(row)]
        return Failure("cargo test", found[1] or found[2], "\n".join(said), worded(said), frame, tuple(body))
    return None
