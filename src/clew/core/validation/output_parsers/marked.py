"""Failures of runners that have no reader of their own: by how they mark a test that failed, what stands below it (or
above), and the places named there. And what runners say where all tests passed and the run did not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from clew.core.gate.shell.runners import failed_test, is_passed
from clew.core.validation.failure import Failure, differing, worded
from clew.core.validation.output import Output

_RUNNER: Final = "test runner"
_BODY_LINES: Final = 60
_LINE_CHARS: Final = 500
_FIRST: Final = re.compile(r"^(\s*)1\) (.+)$")
_NEXT: Final = re.compile(r"^\s*\d+\) |^(?:Finished in|Failed examples:|FAILURES!|ERRORS!|Summary|Ran \d+ )")
_CAPTION: Final = re.compile(r"^(?:Failure|Error|Skipped):$")
_LABELS: Final = ("Message:", "Stack:", "Failure/Error:", "Stack Trace:", "Error Message:", "stdout ───", "stderr ───")
_PLACE: Final = re.compile(
    r"(?P<path>(?:file://)?/?(?:[\w@.+-]+/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,5})"
    r"(?:[\"']?, line |:line |:| line | )(?P<line>\d{1,7})\b"
)
_JAVA: Final = re.compile(r"at (?P<class>[\w.$/]+)\.[\w$<>]+\((?P<path>\w+\.\w+):(?P<line>\d+)\)")
_STACK: Final = re.compile(
    r"^(?:#? ?at |from |in |# \.?/|› |❯ |\(in test file |package:|Stack(?: Trace)?:$|Traceback|File \")|^[>\d]+ *\|"
    r"|^\.?/?[\w./+-]+\.\w+[: ]\d+"
)
_DECORATION: Final = re.compile(r"^[\s│|#]+|[\s│]+$")
# As Maven names a test: `adds(shop.CartTest)  Time elapsed: 0.01 s`, or `shop.CartTest.adds -- Time elapsed: …`.
_TIMED: Final = re.compile(
    r"^(?:\[ERROR\] +)?(?:(?P<name>\w+)(?:\[.*?\])?\((?P<class>[\w.$]+)\)|(?P<whole>[\w.$]+\.\w+)(?:\(\))?)"
    r"\s+(?:-- )?Time elapsed:"
)
_LISTED: Final = re.compile(r"^ +\S+:\d+ +(?:# )?(?:Scenario: )?(.+)$")
_STEP: Final = re.compile(r"^ *(?:ASSERT FAILED|Assertion Failed|AssertionError|Traceback)\b:? ?")
_ERROR: Final = re.compile(r"^[\w.]*\w(?:Error|Exception): ")
_THRESHOLD: Final = re.compile(
    r"^(?:\w+: )?.*\bcoverage\b.*\b(?:threshold|not reached|not met|less than|below|fail-under)\b.*$", re.IGNORECASE
)


def marked(out: Output) -> Failure | None:
    """The first test that is marked as failed."""
    return _numbered(out) or _scenario(out) or _by_mark(out)


def threshold(out: Output) -> Failure | None:
    """A coverage that is too low: no test failed."""
    short = [line for line in out.lines if len(line) < _LINE_CHARS]
    said = [line.strip() for line in short if _THRESHOLD.match(line) and not is_passed(line)]
    return Failure("coverage", "", said[0], (), "", tuple(said[1:])) if said else None


def _numbered(out: Output) -> Failure | None:
    """Of a list of failures behind the run, `1) TEST` with what it said below."""
    lines = out.lines
    at = max((number for number, line in enumerate(lines) if _FIRST.match(line)), default=-1)
    body = _until(lines[at + 1 :], _NEXT)
    if at < 0 or not any(line.strip() for line in body[:3]):
        return None
    found = _FIRST.match(lines[at])
    assert found is not None
    name, body = _name(found[2].strip(), len(found[1]), body)
    return _failure(out, name, body)


def _name(title: str, deep: int, body: list[str]) -> tuple[str, list[str]]:
    """The test's name, which may go on below its number, or stand there alone; and what is below that."""
    if _CAPTION.match(title):
        return body[0].partition(" [")[0].strip().rstrip(":"), body
    titles: list[str] = []
    for line in body:  # each deeper than the one that it goes on from
        if not line.strip() or len(line) - len(line.lstrip()) <= deep:
            break
        deep = len(line) - len(line.lstrip())
        titles.append(line)
    end = next((at for at, line in enumerate(titles) if line.endswith(":") and line.strip() not in _LABELS), -1)
    if title.endswith(":") or end < 0:
        return _clean(title), body
    return " ".join([title, *(line.strip() for line in titles[: end + 1])]).rstrip(":"), body[end + 1 :]


def _clean(title: str) -> str:
    """A name without rules behind it and, as Playwright tells it, without the browser and the place before it."""
    if java := _TIMED.match(title):
        return f"{java['class']}.{java['name']}" if java["class"] else java["whole"]
    title = re.sub(r"\s+[─=-]{2,}$", "", title).rstrip(":")
    parts = title.split(" › ")
    behind = next((number for number, part in enumerate(parts[:2], 1) if _PLACE.search(part)), 0)
    return " › ".join(parts[behind:] or parts)


def _scenario(out: Output) -> Failure | None:
    """Of behave and Cucumber, which list them at the end; a step tells what failed, and where it is defined."""
    heading = next((number for number, line in enumerate(out.lines) if line.startswith("Failing scenarios:")), -1)
    listed = _LISTED.match("".join(out.lines[heading + 1 : heading + 2])) if heading >= 0 else None
    at = next((number for number, line in enumerate(out.lines) if _STEP.match(line)), -1)
    if not listed or at < 1:
        return None
    body = [out.lines[at].strip(), *takewhile(str.strip, out.lines[at + 1 : at + 20])]
    step = _frame(out, [out.lines[at - 1].rpartition("# ")[2]])
    return Failure(_RUNNER, listed[1], "\n".join(body), worded([_STEP.sub("", body[0])]), _frame(out, body) or step)


def _by_mark(out: Output) -> Failure | None:
    lines = out.lines
    marks = [(number, name) for number, line in enumerate(lines) if (name := failed_test(line))]
    if not marks:
        return None
    at, name = marks[0]
    below = _until(lines[at + 1 :], None)
    if not _tells(below):
        above = lines[max(0, at - _BODY_LINES) : at]
        start = max((number for number, line in enumerate(above) if is_passed(line) or failed_test(line)), default=-1)
        above = above[start + 1 :]
        again = next((number for number in range(at + 1, len(lines)) if _names_again(lines, number, name)), -1)
        below = _until(lines[again + 1 :], None) if again >= 0 else above if _tells(above) else below
    return _failure(out, _clean(name), below if _tells(below) else [lines[at], *below])


def _names_again(lines: Sequence[str], number: int, name: str) -> bool:
    """Whether a line names the test once more, with something below it."""
    bare = lines[number].strip().partition(" => ")[0]
    return len(bare) > 3 and name.startswith(bare) and _tells(_until(lines[number + 1 :], None))


def _tells(body: Sequence[str]) -> bool:
    """Whether it holds more than the closing lines of a run."""
    return any(_PLACE.search(row) or worded([row]) or _ERROR.match(row) for row in map(_bare, body))


def _until(lines: Sequence[str], end: re.Pattern[str] | None) -> list[str]:
    """The lines up to the next test, or to `end`."""
    found = []
    for line in lines[:_BODY_LINES]:
        if end.match(line) if end else is_passed(line) or failed_test(line):
            break
        found.append(line)
    return found


def _failure(out: Output, name: str, body: Sequence[str]) -> Failure:
    rows = [_bare(line) for line in body]
    said = [row for row in takewhile(lambda row: not _STACK.match(row) or row == name, rows) if row]
    said = [row for row in said if row not in (*_LABELS, "---", "...", name) and set(row) - set("-=─_*+ ")]
    said = said or [row for row in rows if row and not _STACK.match(row)]
    values = differing(rows) or worded([row for row in rows if row])
    return Failure(_RUNNER, name, "\n".join(said), values, _frame(out, rows), tuple(body))


def _bare(line: str) -> str:
    return _DECORATION.sub("", line[:_LINE_CHARS].replace("webpack:///", ""))


def _frame(out: Output, rows: Sequence[str]) -> str:
    """The deepest place of the project's own. A traceback of Python ends with the deepest, any other begins with it."""
    places = []
    for row in (row for row in rows if not row.startswith("location:")):  # of TAP, where the test stands
        java = _JAVA.search(row)
        for found in [java] if java else _PLACE.finditer(row):
            path = out.own(found["path"]) if found else ""
            path = out.find(path) if path and "/" not in path else path
            if path and found and ("/" in path or not java):
                places.append(f"{path}:{found['line']}")
    is_python = any(row.startswith('File "') for row in rows)
    return places[-1 if is_python else 0] if places else ""
