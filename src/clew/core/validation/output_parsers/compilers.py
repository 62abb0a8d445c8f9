"""Errors of compilers and linters: one form for all that name a file and a line. And make's own words."""

from __future__ import annotations

import re
from typing import Final

from clew.core.validation.failure import Failure
from clew.core.validation.output import Output

# path:line[:column]: error …, path(line,column): error …, path:line:column - error …, [ERROR] path:[line,column] …
_ERROR: Final = re.compile(
    r"^(?P<path>[^\s:()\[\]][^:()\[\]]*?\.\w+)\((?P<line>\d+),\d+\): (?P<said>(?:fatal )?error\b.*)$"
    r"|^(?P<path2>[^\s:][^:]*?):(?P<line2>\d+)(?::\d+)?(?::| -) (?P<said2>(?:fatal )?error\b.*)$"
    r"|^\[ERROR\] (?P<path3>/?[^:\[\]]+\.\w+):\[(?P<line3>\d+),\d+\] (?P<said3>.+)$",
    re.IGNORECASE,
)
_CODED: Final = re.compile(r"^([^\s:][^:]*?\.\w+):(\d+):\d+: ([A-Z]+\d{2,4}\b.*)$")
_GO_BUILD: Final = re.compile(r"^(?:vet: )?(\S+\.go):(\d+):\d+: (.+)$")
_ARROW: Final = re.compile(r"^\s*-+> ?(\S+?):(\d+):\d+$")
_HEAD: Final = re.compile(r"^(?:error(?:\[\w+\])?: .+|[A-Z]+\d{2,4} (?:\[\*\] )?\S.*)$")
_ESLINT: Final = re.compile(r"^\s+(\d+):\d+\s+error\s+(.+?)(?:\s{2,}(\S+))?$")
_LINK: Final = re.compile(r"undefined reference to |ld returned \d+ exit status|undefined symbol")
_C_ASSERT: Final = re.compile(r"^[^\s:]+: (\S+?):(\d+): .*?(Assertion [`'].* failed\.)$")
_MAKE: Final = re.compile(r"^(?:(\S+?):(\d+): \*\*\* (.+)|g?make(?:\[\d+\])?: \*\*\* (.+))$")
_RECIPE: Final = re.compile(r"\[(\S+?):(\d+): .*\] Error \d+|\[.*\] Error \d+")


def compiler(out: Output) -> Failure | None:
    """The first error of a compiler, with the lines that it shows below."""
    for number, line in enumerate(out.lines):
        found = _ERROR.match(line)
        if found:
            path = found["path"] or found["path2"] or found["path3"]
            at = found["line"] or found["line2"] or found["line3"]
            said = found["said"] or found["said2"] or found["said3"]
            return _error(out, number, path, at, said)
        coded = _CODED.match(line)
        if coded:
            return _error(out, number, coded[1], coded[2], coded[3])
        built = _GO_BUILD.match(line)
        if built and any(row.startswith("# ") for row in out.lines[max(0, number - 30) : number]):  # a package
            return _error(out, number, built[1], built[2], built[3])
        arrow = _ARROW.match(line)
        if arrow and number and _HEAD.match(out.lines[number - 1]):
            return _error(out, number, arrow[1], arrow[2], out.lines[number - 1])
        assertion = _C_ASSERT.match(line)
        if assertion:
            return _error(out, number, assertion[1], assertion[2], assertion[3])
    return None


def _error(out: Output, number: int, path: str, line: str, said: str) -> Failure:
    folder = _entered(out, number)
    own = out.own(f"{folder}/{path}" if folder and not path.startswith("/") else path)
    own = out.find(own) if own and "/" not in own else own
    return Failure("", "", said.strip(), (), f"{own}:{line}" if own else "", tuple(out.lines[number + 1 : number + 7]))


def _entered(out: Output, number: int) -> str:
    """The folder that make is in at a line, "" the first one."""
    inside: list[str] = []
    for line in out.lines[:number]:
        found = re.match(r"^g?make(?:\[\d+\])?: (Entering|Leaving) directory [`'](.+)'$", line)
        if found and found[1] == "Entering":
            inside.append(found[2])
        elif found and inside:
            inside.pop()
    return inside[-1] if inside else ""


def eslint(out: Output) -> Failure | None:
    """The first error (no warning) that eslint prints."""
    path = ""
    for number, line in enumerate(out.lines):
        if line and not line[0].isspace() and re.match(r"^(?:/|[A-Za-z]:\\|\.?[\w@.-]+/|[\w@.-]+\.\w+$)", line):
            path = line.strip()
        found = _ESLINT.match(line)
        if found and path and out.own(path):
            said = f"{found[2]}  {found[3] or ''}".strip()
            return Failure(
                "eslint", "", said, (), f"{out.own(path)}:{found[1]}", tuple(out.lines[number + 1 : number + 3])
            )
    return None


def make(out: Output) -> Failure | None:
    """What make says itself, where no program that it ran says more; with the lines before it."""
    for number, line in enumerate(out.lines):
        found = _MAKE.match(line)
        if not found:
            continue
        said, frame = found[3] or found[4], ""
        if found[1] and out.own(found[1]):
            frame = f"{out.own(found[1])}:{found[2]}"
        recipe = _RECIPE.search(said)
        if recipe and recipe[1]:
            frame = f"{out.own(recipe[1])}:{recipe[2]}" if out.own(recipe[1]) else ""
        before = [row for row in out.lines[max(0, number - 12) : number] if row.strip()]
        linked = [row for row in before if _LINK.search(row)]
        told = linked[:1] or (
            [row for row in before if re.search(r"error|not found|No such|denied", row, re.IGNORECASE)][:1]
            if recipe
            else []
        )
        return Failure("make", "", "\n".join([*told, said]), (), frame, tuple(before))
    return None
