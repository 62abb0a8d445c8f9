"""What a run of a command comes to, and what several come to together. Pure.

A pass needs an exit code that can tell (nothing in the line hides it), and tests where tests were to run. Failures that
are expected, or were there before, are told apart from new ones only where the output names all that failed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final, Literal, NamedTuple

from clew.core.gate.shell.outcomes import outcome, signs
from clew.core.gate.shell.purposes import CHECKS, only_looks, split
from clew.core.gate.shell.runners import is_passed
from clew.core.validation.first_failure import Tally
from clew.core.validation.output import Output

# known: nothing failed but what failed before the work began. no-test: it ended well and ran no test. hidden: how it
# went cannot be determined from its exit code. skipped: nothing that it is about was touched.
Status = Literal["passed", "failed", "timed-out", "known", "no-test", "hidden", "not-run", "skipped"]
Word = Literal[
    "VALIDATION_OK",
    "TEST_FAILURE",
    "TIMED_OUT",
    "KNOWN_FAILURE",
    "NO_TEST_RAN",
    "NOT_RUN",
    "CHECKS_WEAKENED",
    "STOPPED",
]
# The worst that happened is what counts, in this order.
_WORDS: Final[tuple[tuple[Status, Word], ...]] = (
    ("failed", "TEST_FAILURE"),
    ("timed-out", "TIMED_OUT"),
    ("no-test", "NO_TEST_RAN"),
    ("hidden", "NOT_RUN"),
    ("not-run", "NOT_RUN"),
    ("known", "KNOWN_FAILURE"),
)
EXITS: Final[dict[Word, int]] = {
    "VALIDATION_OK": 0, "TEST_FAILURE": 3, "TIMED_OUT": 3, "KNOWN_FAILURE": 3, "NO_TEST_RAN": 4, "NOT_RUN": 4,
    "CHECKS_WEAKENED": 5, "STOPPED": 6,
}  # fmt: skip
# An echo of the command line names nothing; dots are tests.
_NAMES_TEST: Final = re.compile(
    r"^(?![>$+]).*\b(?:tests?|specs?|examples|scenarios|suites?|assertions?)\b|^[.sx]{2,}", re.I
)


class CheckVerdict(NamedTuple):
    """`status`, and a clause on why it is that ("" plain). Of the tests that failed `new` are those that nobody
    expected and that did not fail before; `expected` failed as was said, `mended` was expected to fail and did not.
    """

    status: Status
    reason: str = ""
    new: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()


def flaw(line: str) -> str:
    """Why a command line can prove nothing by its exit code, as a clause; "" if it can."""
    parts = split(line)
    if not parts:
        return "it runs nothing"
    if only_looks(line):
        return "it only looks, or is told not to fail"
    checks = [number for number, part in enumerate(parts) if part.purpose in CHECKS]
    # A program of the project's own checks, too; it is the last that counts.
    for number in checks or [max(n for n, part in enumerate(parts) if part.purpose != "look")]:
        if outcome(parts, number, "", exit_ok=True) == "hidden":
            return f"what `{parts[number].text}` exits with is hidden by the rest of the line"
    return ""


def judged(
    line: str, code: int, output: str, counts: Tally, *, before: Collection[str] = (), expected: Collection[str] = ()
) -> CheckVerdict:
    """What a run of `line` comes to that ended with `code`. `before`: tests that failed before the work began."""
    failed = counts.ids
    mended = tuple(sorted(one for one in expected if counts.ran and not any(_is(one, name) for name in failed)))
    if code == 0:
        hidden = flaw(line)
        if hidden:
            return CheckVerdict("hidden", hidden)
        said = "vacuous" if counts.ran == 0 else "" if counts.ran else _said(line, output)
        if said == "vacuous":
            skipped = f", and skipped {counts.skipped}" if counts.skipped else ""
            return CheckVerdict("no-test", f"it ran no test{skipped}")
        if said == "unknown":
            return CheckVerdict("hidden", "its output names no test, so nobody can tell whether one ran")
        return CheckVerdict("passed", mended=mended)
    if not counts.known:
        return CheckVerdict("failed", new=failed, mended=mended)
    foreseen = tuple(name for name in failed if any(_is(one, name) for one in expected))
    known = tuple(name for name in failed if name in before and name not in foreseen)
    new = tuple(name for name in failed if name not in foreseen and name not in known)
    if new:
        return CheckVerdict("failed", "", new, known, foreseen, mended)
    if known:
        return CheckVerdict("known", "only what failed before the work began", (), known, foreseen, mended)
    return CheckVerdict("passed", "only what is expected to fail failed", (), (), foreseen, mended)


def _said(line: str, output: str) -> str:
    """What the output of a run without a count says: "vacuous" that no test ran, "unknown" that it is of a command
    that tests and names none.
    """
    purposes = {part.purpose for part in split(line)}
    if not purposes & {"test", "other"}:
        return ""
    rows = [row.strip() for row in Output(output).lines]
    said = signs("\n".join(rows), is_test=True, is_whole=True)
    if said or "test" not in purposes or any(is_passed(row) or _NAMES_TEST.search(row) for row in rows):
        return said
    return "unknown"


def _is(said: str, name: str) -> bool:
    """Whether what somebody wrote names this test: whole, or its end behind a separator."""
    return (
        said == name
        or name.endswith((f"::{said}", f".{said}", f" > {said}", f"/{said}"))
        or name.startswith(f"{said} (")
    )


def word(statuses: Sequence[Status], *, weakened: bool) -> Word:
    """What the runs come to together. Nothing that ran proves nothing."""
    for status, said in _WORDS:
        if status in statuses:
            return said
    if "passed" not in statuses:
        return "NOT_RUN"
    return "CHECKS_WEAKENED" if weakened else "VALIDATION_OK"
