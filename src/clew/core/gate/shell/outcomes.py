"""How each command of a shell line went, by the line's exit status and output."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from clew.core.gate.shell.programs import ANSWERS, LOUD, LOUD_GIT
from clew.core.gate.shell.purposes import CHECKS, git_words
from clew.core.gate.shell.runners import COUNTED, FAILED, MORE, NO_TEST_HERE, NO_TEST_OK, PASSED, RUNNERS, is_passed
from clew.core.gate.shell.walker import Command
from clew.core.gate.shell.words import program
from clew.core.text.cleaning import clean

# vacuous: a test run that ran no test. hidden: neither the exit status nor the output tells.
Outcome = Literal["passed", "failed", "vacuous", "hidden"]

# What runners of tests (True) and other checks print. Any program prints "error" and "ok". Each pattern matches within
# a line; `_WORDS` has, in lower case, what one of stands in every match.
_FAILED = {
    True: rf"\b[1-9]\d* (?:failed|failing|failures?)\b|\b[1-9]\d* errors? in [\d.]+s|{FAILED}",
    False: r"\b[1-9]\d* (?:errors?|problems?|issues?)\b|^BUILD FAILED|^[\w./-]+:\d+(?::\d+)?: error\b",
}
_PASSED = {
    True: rf"\b[1-9]\d* (?:passed|passing)\b|{PASSED}",
    False: r"All checks passed|Success: no issues|no issues found|\b0 (?:issues|errors|problems)\b|BUILD SUCCESS"
    r"|✓ built|\bfiles? (?:already formatted|left unchanged)",
}
# What goes wrong in words of no runner.
_WENT_WRONG = r"^[ \t]*(?:ERROR\b|Traceback|error[:\[]|fatal:|panic:)|exit status [12]\b|[✗✖]"
_WORDS = {
    _FAILED[True]: ("fail", "error"),
    _FAILED[False]: ("error", "problem", "issue", "build failed"),
    _PASSED[True]: ("pass", "ok", "> task"),
    _PASSED[False]: ("passed", "issues", "errors", "problems", "build success", "✓ built", "formatted", "unchanged"),
    _WENT_WRONG: ("error", "traceback", "fatal:", "panic:", "exit status", "✗", "✖"),
    NO_TEST_HERE: ("no test", "running 0"),
}
_LINE = re.compile("|".join(f"(?:{count})" for count, _ in RUNNERS.values()))
_MORE = re.compile(MORE)
_COUNTS = re.compile(r"\d")  # what both have in every match: most lines of an output have none
# Of these words one stands in each line in which a runner counts, in lower case; or it tells how long it took.
_COUNTING = ("ran ", "test", "spec", "total", "executed", "example", "scenario", "skipped", "pass", "fail")
_TOOK = re.compile(r" in \d")
_NO_TEST = re.compile("|".join(f"(?:{none})" for _, none in RUNNERS.values() if none), re.IGNORECASE)
_LINE_CHARS = 500  # no runner closes with a longer one
_KINDS = {word: kind for kind, words in COUNTED.items() for word in words}
# "Passed: 3", "passed=3", "out of 3", "+3"; "3 tests passed". What is of other things (assertions, files) has no kind.
_BEHIND = re.compile(r"\b([a-z]+)(?: run)?(?:\s*[:=]\s*|\s+)(\d{1,9})\b")
_BEFORE = re.compile(r"(?<![\w.%~+-])(?<!of )(\d{1,9})((?: [a-z]+)+)")
_SIGNED = re.compile(r"(\bof|[-+~]) ?(\d{1,9})\b")
_CUT = "\n…\n"  # what a reader leaves in the place of the middle of a long output
_READ_CHARS = 20_000  # so much of an output's beginning, and of its end, is read for such words

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
    return part.joined_by != "|" and (part.purpose != "look" or program(part.words[0]) in ANSWERS)


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
    says = signs(text, is_test=is_test, is_whole=part.joined_by != "|" and _CUT not in text)
    says = says or ("failed" if not checks and _has(_WENT_WRONG, text, 0) else "")
    if says in ("", "vacuous") or (says == "failed" and exit_ok is False):
        return says
    return "" if any(_is_loud(parts, at, is_test=is_test) for at in others) else says


@lru_cache(maxsize=4)
def signs(text: str, *, is_test: bool, is_whole: bool) -> Literal["", "passed", "failed", "vacuous"]:
    """Read an output, once for all that is asked of it. `is_whole`: no pipe or cut may have left out a part of it."""
    if _has(_FAILED[is_test], text):
        return "failed"
    lines = clean(text).split("\n") if is_test else []
    counts = counted(lines) if _may_count(text.lower()) else None
    if counts and counts[1]:
        return "failed"
    if is_test and 0 < text.count(NO_TEST_OK) >= len(re.findall(r"(?m)^ok[ \t]", text)):
        return "vacuous"  # `go test -v` says "ok" of packages in which nothing ran
    if (counts and counts[0]) or _has(_PASSED[is_test], text):
        return "passed"
    if is_test and (
        any(_NO_TEST.fullmatch(one.strip()) for one in lines if len(one) < _LINE_CHARS)
        or (is_whole and (counts or _has(NO_TEST_HERE, text)))
    ):
        return "vacuous"
    return ""


def _may_count(text: str) -> bool:
    """Whether a runner may count its tests in an output, in lower case. Most outputs are long and of something else."""
    return any(map(text.__contains__, _COUNTING)) or _TOOK.search(text) is not None


def counted(lines: Sequence[str]) -> tuple[int, int, int] | None:
    """How many tests ran, failed and were skipped, by the lines in which runners count them, of several runners the
    sum; None where nothing is counted.
    """
    short = [line for line in lines if len(line) < _LINE_CHARS and _COUNTS.search(line)]
    found = [_row(line) for line in short if _LINE.fullmatch(line)]
    if not found:
        return None
    more = [_row(line) for line in short if _MORE.fullmatch(line)]
    failed, skipped = (sum(row[kind] for row in (*found, *more)) for kind in ("failed", "skipped"))
    ran = 0
    for row in found:
        whole = row["passed"] + row["failed"]
        ran += whole if row["passed"] or not row["total"] else row["total"] - row["skipped"]
    return max(0, ran - sum(row["skipped"] for row in more)), failed, skipped


def _row(line: str) -> dict[str, int]:
    """The numbers of a line by what they are of."""
    line = line.lower()
    behind = [(one[1], one[2]) for one in _BEHIND.finditer(line) if one[1] in _KINDS]
    before = [(one[1], one[2]) for one in _SIGNED.finditer(line)]
    for one in _BEFORE.finditer(line):
        known = [word for word in one[2].split()[:2] if word in _KINDS]
        before += [(known[-1], one[1])] if known else []  # "1 tests failed" is of what failed
    row = dict.fromkeys(COUNTED, 0)
    for word, number in behind if len(behind) > len(before) else before:
        kind = _KINDS[word]
        row[kind] = max(row[kind], int(number)) if kind == "total" else row[kind] + int(number)
    return row


def _has(pattern: str, text: str, flags: int = re.IGNORECASE) -> bool:
    """Whether a line of a text matches. A long output has hardly a line with any of the pattern's words."""
    words = _WORDS[pattern]
    if not any(map(text.lower().__contains__, words)):
        return False
    lines = (line for line in text.split("\n") if any(map(line.lower().__contains__, words)))
    return any(re.search(pattern, line, flags) for line in lines)


def _is_loud(parts: Sequence[Command], at: int, *, is_test: bool) -> bool:
    """Whether a command of the line may print what reads like the end of a check."""
    part = parts[at]
    head = program(part.words[0])
    if at and parts[at - 1].joined_by == "|":
        return head not in _HANDING_ON[is_test]
    if head in ("echo", "printf"):
        text = part.text.replace("$?", "")
        prints = any(mark in text for mark in "$%`\\")
        return prints or _has(_FAILED[is_test], text) or _has(_PASSED[is_test], text)
    if head == "git":
        return git_words(part.words)[:1] == () or git_words(part.words)[0] in LOUD_GIT
    return head in LOUD or part.purpose in ("other", "pull-request")


_ERROR_PARTS = (
    "error", "fail", "fatal", "not found", "no such", "denied", "refused", "undefined", "cannot", "can't", "unable",
    "invalid", "unexpected", "panic", "traceback", "missing", "unknown",
)  # fmt: skip


def error_line(text: str) -> str:
    """The line of an output that says best what went wrong, "" if there is none."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "<"))]
    lines = [line for line in lines if not is_passed(line)] or lines
    for line in lines:
        lower = line.lower()
        if any(part in lower for part in _ERROR_PARTS):
            return line
    return lines[-1] if lines else ""
