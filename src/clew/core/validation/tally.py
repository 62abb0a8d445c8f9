"""How many tests a run ran, and which failed: by the runners' own closing lines."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.core.gate.shell.outcomes import counted
from clew.core.text.cleaning import clean
from clew.core.validation.first_failure import RUNNERS
from clew.core.validation.output import Output

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
    ids = [found[1].strip() for line in lines for pattern in patterns if (found := pattern.match(line))]
    ids = list(dict.fromkeys([*ids, *(leaves if go else ())]))
    return Tally(total if told else None, failed, skipped, tuple(ids), told and failed > 0 and len(ids) == failed)
