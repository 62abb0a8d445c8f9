"""Whether what checks the work was made weaker in a change. Pure: files before and after go in, findings come out.

What cannot be determined (a language that is not read, an expected value that changed with the code) is said, and is no
finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from clew.core.validation.weakened.change import FileChange, WeakenedCheck
from clew.core.validation.weakened.pairs import compared
from clew.core.validation.weakened.runs import told

__all__ = ["FileChange", "Weakened", "WeakenedCheck", "weakened"]

_CHARS_MAX: Final = 400_000


class Weakened(NamedTuple):
    """`findings` by file and line; `untold` are sentences on what was not judged, without their full stop."""

    findings: tuple[WeakenedCheck, ...]
    untold: tuple[str, ...]


def weakened(changes: Sequence[FileChange]) -> Weakened:
    """What of this change has the checks of a project ask less."""
    small = [one for one in changes if max(len(one.before or ""), len(one.after or "")) <= _CHARS_MAX]
    untold = [f"{one.path} is too large to be compared" for one in changes if one not in small]
    pairs = compared(small)
    findings = {*pairs.findings, *told(small)}
    return Weakened(tuple(sorted(findings, key=lambda one: one[1:])), (*pairs.untold, *untold))
