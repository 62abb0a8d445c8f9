"""Commands that fail in this environment, paired with the variant that works: what each new session finds out again."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from clew.core.text import one_line
from clew.core.tuples import NamedTuple
from clew.distill import commands
from clew.distill.checks import Checks
from clew.distill.commands import Simple
from clew.distill.ran import Ran

_REMEMBERED_MAX = 4
_CHECKS = ("test", "lint", "build")
_NOT_THERE = (
    "command not found", "No module named", "not recognized as", "No such file or directory",
    "executable file not found", "Unknown command",
)  # fmt: skip
# A shell that could not read the line: a slip of the hand, which says nothing of the environment.
_SLIPS = ("unmatched ", "syntax error near", "parse error near", "unexpected EOF while looking", "unterminated quoted")
# How a check that really ran tells that the code, not the command, is wrong.
_FAILED_FIRST = (["FAIL"], ["FAILED"], ["---"])
_FAILED_UNITS = frozenset(
    ["failed", "failing", "failure", "failures", "error", "errors", "problem", "problems", "issue", "issues"]
)


class Fix(NamedTuple):
    """A command that fails in this environment, what it said, and the variant that works.

    For a file that is not where it was looked for, both are paths and `error` is "".
    """

    failing: str
    error: str
    working: str
    event: int


class Fixes:
    """The pairs found so far, and the last failures that are still without one."""

    def __init__(self) -> None:
        self.found: list[Fix] = []
        self._failing: list[Ran] = []

    def take(self, ran: Ran, checks: Checks) -> None:
        """Remember a failing line; when a changed form works with no edit in between, that is a fact.

        The check that never ran because of it is dropped from `checks`.
        """
        if not _acting(ran.parts):
            return
        if not ran.ok:
            self._failing.append(ran)
            del self._failing[:-_REMEMBERED_MAX]
            return
        for position in range(len(self._failing) - 1, -1, -1):
            failing = self._failing[position]
            if failing.ended > ran.began:
                continue  # nobody had seen it fail
            if failing.command != ran.command and _is_variant(failing, ran):
                del self._failing[position:]
                error = commands.error_line(failing.text)
                if error:
                    if not any(slip in error for slip in _SLIPS):
                        one, other = one_line(failing.command), one_line(ran.command)
                        self.found.append(Fix(one, one_line(error), other, failing.event))
                    checks.forget(failing)
                return

    def edited(self) -> None:
        """A file was changed: what works from now on may work because of that."""
        self._failing.clear()


def _is_variant(failing: Ran, working: Ran) -> bool:
    """Whether two lines are two tries at the same thing, of which only the first cannot work here.

    They are when they share most words and the program, or when the first one's program is not there and both have
    the same purpose (two ways to run the tests). The same words again are a flaky command, not another one.
    """
    one, other = _acting(failing.parts), _acting(working.parts)
    first, second = one[0], other[0]
    if "commit" in (first.purpose, second.purpose):
        return False
    not_there = any(words in failing.text for words in _NOT_THERE)
    if first.purpose in _CHECKS:
        if first.purpose == second.purpose and not_there:
            return True
        if _has_result(failing.text):
            return False
    if not not_there and [part.words for part in one] == [part.words for part in other]:
        return False
    mine, theirs = set(first.words), set(second.words)
    if not not_there and _is_another_task(first.words, second.words):
        return False
    shared = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
    return shared >= 0.5 and (first.words[0] == second.words[0] or len(mine & theirs) >= 2)


def _is_another_task(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a program is told to do something else: `go build`, `go vet`; but `npm test`, `npm run test`."""
    if one[0] != other[0] or len(one) < 2 or len(other) < 2:
        return False
    return (
        _TASK.fullmatch(one[1]) is not None
        and _TASK.fullmatch(other[1]) is not None
        and (one[1] not in other and other[1] not in one)
    )


_TASK = re.compile(r"[a-z][a-z-]*")


def _acting(parts: list[Simple]) -> list[Simple]:
    return [part for part in parts if part.purpose != "look"]


@lru_cache(maxsize=_REMEMBERED_MAX)
def _has_result(output: str) -> bool:
    """Whether a check got as far as to say what it found."""
    for line in output.splitlines():
        words = line.split()
        if words[:1] in _FAILED_FIRST:
            return True
        for number, unit in pairwise(words):
            if number.isdecimal() and number != "0" and unit.strip(".,;:()") in _FAILED_UNITS:
                return True
    return False
