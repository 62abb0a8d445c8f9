"""What the output of a run tells, whoever printed it: the first failure, how many tests ran, and which failed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from clew.core.gate.shell.outcomes import counted, error_line
from clew.core.gate.shell.runners import is_passed
from clew.core.text.cleaning import clean
from clew.core.validation.failure import Failure
from clew.core.validation.output import Output
from clew.core.validation.output_parsers import compiled, compilers, javascript, marked, python


class Runner(NamedTuple):
    """Who prints failures: `read` finds the first one, and a line that `failed` matches names a test that failed."""

    read: Callable[[Output], Failure | None]
    failed: re.Pattern[str] | None = None


# Those that know tests come before those that know lines of any program, and make, which runs the others, is last.
RUNNERS: Final = (
    Runner(python.pytest, re.compile(r"^(?:FAILED|ERROR) (\S+\.py(?:::\S+?(?:\[.*?\])?)?)(?: - .*)?$")),
    Runner(python.unittest, re.compile(r"^(?:FAIL|ERROR): (\S+ \(\S+?\))(?: [\[(].*)?$")),
    Runner(javascript.jest, re.compile(r"^  ● (.+ › .+|[^ ].*)$")),
    Runner(javascript.vitest, re.compile(r"^ ?FAIL  (\S+\.[cm]?[jt]sx?(?: > .+)?)$")),
    Runner(compiled.go),
    Runner(compiled.cargo, re.compile(r"^---- (\S.*) stdout ----$")),
    Runner(compilers.eslint),
    Runner(compilers.compiler),
    Runner(
        marked.marked,
        re.compile(
            r"^\s*not ok \d+ - (.+)$"
            r"|^(?:\[ERROR\] +)?(\w+\([\w.$]+\)|[\w.$]+\.\w+)\s+(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!"
        ),
    ),
    Runner(python.program),
    Runner(marked.threshold),
    Runner(compilers.make),
)
_TAIL_LINES: Final = 12
_BLOCK_LINES: Final = 8
_BEGINS: Final = re.compile(
    r"\b(?:error|fatal|failed|failure|panic|exception|not found|cannot|denied)\b", re.IGNORECASE
)


def first_failure(text: str, *, root: str = "", files: Collection[str] = ()) -> Failure:
    """What went wrong first in the output `text` of a run that failed. `root` is the top of the project, `files` are
    its paths from there: by them a runner that names no folders is understood.

    Where no runner is recognised it is the first block that tells an error, and the end of the output.
    """
    out = Output(text, root=root, files=files)
    found = (runner.read(out) for runner in RUNNERS)
    return next((failure for failure in found if failure is not None), None) or _unknown(out)


def _unknown(out: Output) -> Failure:
    lines = [line for line in out.lines if line.strip()]
    at = next((number for number, line in enumerate(lines) if _BEGINS.search(line) and not is_passed(line)), -1)
    first = lines[at : at + _BLOCK_LINES] if at >= 0 else []
    tail = [line for line in lines[-_TAIL_LINES:] if line not in first]
    return Failure("", "", first[0].strip() if first else error_line("\n".join(lines)), (), "", (*first[1:], *tail))


_GO: Final = re.compile(r"^\s*--- (PASS|FAIL|SKIP): (\S+) \(")


class Tally(NamedTuple):
    """`ran`: tests that were run (skipped ones were not), None where the output does not tell. `ids` are those that
    failed, as the runner names them; `known`: they are all, by the runner's own count.
    """

    ran: int | None
    failed: int
    skipped: int
    ids: tuple[str, ...]
    known: bool


def tally(text: str) -> Tally:
    """The tally of a run with the output `text`. Of several runners in one output the sum."""
    lines = Output(clean(text)).lines
    counts = counted(lines)
    total, failed, skipped = counts or (0, 0, 0)
    told = counts is not None
    go = [found for line in lines if (found := _GO.match(line))]
    if go:
        told = True
        total += sum(found[1] != "SKIP" for found in go)
        skipped += sum(found[1] == "SKIP" for found in go)
        parents = {name[:at] for one in go for name in (one[2],) for at, sign in enumerate(name) if sign == "/"}
        leaves = [one[2] for one in go if one[1] == "FAIL" and one[2] not in parents]
        failed += len(leaves)
    patterns = [runner.failed for runner in RUNNERS if runner.failed]
    named = (found for line in lines for pattern in patterns if (found := pattern.match(line)))
    ids = [found[found.lastindex or 1].strip() for found in named]
    ids = list(dict.fromkeys([*ids, *(leaves if go else ())]))
    return Tally(total if told else None, failed, skipped, tuple(ids), told and failed > 0 and len(ids) == failed)
