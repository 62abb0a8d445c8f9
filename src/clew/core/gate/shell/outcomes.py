"""How each command of a shell line went, by the line's exit status and output."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from clew.core.gate.shell.cut import Command
from clew.core.gate.shell.purposes import CHECKS, git_words
from clew.core.gate.shell.words import program

# vacuous: a test run that ran no test. hidden: neither the exit status nor the output tells.
Outcome = Literal["passed", "failed", "vacuous", "hidden"]

# What runners print at their end, of tests (True) and of other checks. Any program prints "error" and "ok".
_FAILED = {
    True: r"\b[1-9]\d* (?:failed|failing|failures?)\b|\b[1-9]\d* errors? in [\d.]+s|test result: FAILED"
    r"|(?-i:^(?:--- )?FAIL(?:ED)?\b|^ERROR:? \S)",
    False: r"\b[1-9]\d* (?:errors?|problems?|issues?)\b|^BUILD FAILED|^[\w./-]+:\d+(?::\d+)?: error\b",
}
_PASSED = {
    True: r"\b[1-9]\d* (?:passed|passing)\b|^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))(?!.*\[no tests)|^OK \([1-9]"
    r"|\b[1-9]\d* (?:tests?|examples|specs|runs)\b.{0,60}\b0 failures|^Ran [1-9]\d* tests? in .{0,40}\n{1,3}OK\b"
    r"|^Tests run: [1-9]\d*, Failures: 0, Errors: 0",
    False: r"All checks passed|Success: no issues|no issues found|\b0 (?:issues|errors|problems)\b|BUILD SUCCESS"
    r"|✓ built|\bfiles? (?:already formatted|left unchanged)",
}
# What goes wrong in words of no runner.
_WENT_WRONG = r"^[ \t]*(?:ERROR\b|Traceback|error[:\[]|fatal:|panic:)|exit status [12]\b|[✗✖]"
# A run that ran nothing; the second tells it of one package of several.
_NO_TEST = (
    r"collected 0 items|/ 0 selected|no tests? (?:ran\b|found|files found|executed)|no examples found"
    r"|error: no tests to run|warning: no tests to run|no test is available|(?:ran|executed) 0 tests|^[ \t]+0 passing"
    r"|^=*[ \t]*\d+ deselected in"
)
_NO_TEST_OK = "warning: no tests to run"
_NO_TEST_HERE = r"\[no tests? (?:to run|files)\]|^running 0 tests"
_CUT = "\n…\n"  # what a reader leaves in the place of the middle of a long output
_READ_CHARS = 20_000  # so much of an output's beginning, and of its end, is read for such words

# Commands that answer by their exit status: what stands behind `grep -q x f &&` may never have run. The other looks
# hardly ever fail.
_ANSWERS = frozenset(
    ["rg", "grep", "egrep", "fgrep", "ag", "ack", "test", "[", "[[", "diff", "cmp", "which", "type", "command", "pgrep",
     "false", "clew"]
)  # fmt: skip
# Looks that print what others wrote. Behind a pipe some hand on the end of what a check prints, and nothing else.
_LOUD = frozenset(
    "rg grep egrep fgrep ag ack cat bat head tail less more sed awk cut sort uniq jq yq diff source . gh".split()
)
_LOUD_GIT = frozenset(["log", "show", "diff", "grep", "blame", "reflog", "shortlog"])
_HANDING_ON = {True: frozenset(["tail", "tee", "cat"]), False: frozenset(["tail", "tee", "cat", "head"])}


def outcome(parts: Sequence[Command], index: int, text: str, *, exit_ok: bool | None) -> Outcome:
    """How the command at `index` went, from the exit status of the whole line (None unknown) and the output.

    "passed" needs a run that ended and an exit of its own which that of the line proves or, behind a pipe or before a
    `;`, a runner's own last words that nothing else in the line can have printed. What goes on in the background, what
    is negated and what may fail without harm (`|| true`) never passed.
    """
    part = parts[index]
    if any(later.joined_by == "&" for later in parts[index:]):
        return "hidden"
    chain = _chain(parts, index)
    said = _said(parts, index, text, exit_ok=exit_ok)
    is_sure = not part.is_masked and not any(parts[at].joined_by == "||" for at in chain[:-1])
    if said == "vacuous":
        return said
    if exit_ok is None or not is_sure or chain[-1] < len(parts) - 1 or part.joined_by == "|":
        return said if said and (is_sure or said == "failed") else "hidden"
    if exit_ok:
        return "passed"
    if not any(_may_fail(parts[at]) for at in chain if at != index):
        return "failed"
    behind = {_said(parts, at, text, exit_ok=exit_ok) for at in chain if at > index}
    if said == "failed":
        return "hidden" if "failed" in behind else said
    return "passed" if said or behind & {"passed", "failed"} else "hidden"


def _chain(parts: Sequence[Command], index: int) -> range:
    """The places of the commands that are put together with the one at `index` by anything but ";" and "&"."""
    first = last = index
    while first and parts[first - 1].joined_by not in (";", "&"):
        first -= 1
    while last < len(parts) - 1 and parts[last].joined_by not in (";", "&"):
        last += 1
    return range(first, last + 1)


def _may_fail(part: Command) -> bool:
    return part.joined_by != "|" and (part.purpose != "look" or program(part.words[0]) in _ANSWERS)


def _said(
    parts: Sequence[Command], index: int, text: str, *, exit_ok: bool | None
) -> Literal["", "passed", "failed", "vacuous"]:
    """What the output says of the check at `index`; "" where it says nothing, or what may be of something else."""
    part = parts[index]
    is_test = part.purpose == "test"
    if not text or part.purpose not in CHECKS:
        return ""
    others = [at for at in range(len(parts)) if at != index]
    checks = [parts[at].purpose == "test" for at in others if parts[at].purpose in CHECKS]
    if is_test in checks:
        return ""
    if len(text) > 2 * _READ_CHARS:
        text = text[:_READ_CHARS] + _CUT + text[-_READ_CHARS:]
    says = _signs(text, is_test=is_test, is_whole=part.joined_by != "|" and _CUT not in text)
    says = says or ("failed" if not checks and _has(_WENT_WRONG, text, 0) else "")
    if says in ("", "vacuous") or (says == "failed" and exit_ok is False):
        return says
    return "" if any(_is_loud(parts, at, is_test=is_test) for at in others) else says


@lru_cache(maxsize=4)
def _signs(text: str, *, is_test: bool, is_whole: bool) -> Literal["", "passed", "failed", "vacuous"]:
    """Read an output, once for all that is asked of it. `is_whole`: no pipe or cut may have left out a part of it."""
    if _has(_FAILED[is_test], text):
        return "failed"
    if is_test and 0 < text.count(_NO_TEST_OK) >= len(re.findall(r"(?m)^ok[ \t]", text)):
        return "vacuous"  # `go test -v` says "ok" of packages in which nothing ran
    if _has(_PASSED[is_test], text):
        return "passed"
    if is_test and (_has(_NO_TEST, text) or (is_whole and _has(_NO_TEST_HERE, text))):
        return "vacuous"
    return ""


def _has(pattern: str, text: str, flags: int = re.IGNORECASE) -> bool:
    return re.search(pattern, text, flags | re.MULTILINE) is not None


def _is_loud(parts: Sequence[Command], at: int, *, is_test: bool) -> bool:
    """Whether a command of the line may print what reads like the end of a check."""
    part = parts[at]
    head = program(part.words[0])
    if at and parts[at - 1].joined_by == "|":
        return head not in _HANDING_ON[is_test]
    if head in ("echo", "printf"):
        text = part.text.replace("$?", "")
        return any(mark in text for mark in "$%`\\") or _has(f"{_FAILED[is_test]}|{_PASSED[is_test]}", text)
    if head == "git":
        return git_words(part.words)[:1] == () or git_words(part.words)[0] in _LOUD_GIT
    return head in _LOUD or part.purpose in ("other", "pull-request")


_ERROR_PARTS = (
    "error", "fail", "fatal", "not found", "no such", "denied", "refused", "undefined", "cannot", "can't", "unable",
    "invalid", "unexpected", "panic", "traceback", "missing", "unknown",
)  # fmt: skip


def error_line(text: str) -> str:
    """The line of an output that says best what went wrong, "" if there is none."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "<"))]
    for line in lines:
        lower = line.lower()
        if any(part in lower for part in _ERROR_PARTS):
            return line
    return lines[-1] if lines else ""
