"""The first failure in the output of a run, whoever printed it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from clew.core.gate.shell.outcomes import error_line
from clew.core.gate.shell.runners import is_passed
from clew.core.validation.failure import Failure
from clew.core.validation.output import Output
from clew.core.validation.output_parsers import compiled, compilers, javascript, marked, python

# Those that know tests come before those that know lines of any program, and make, which runs the others, is last.
_READERS: Final = (
    (python.pytest, python.unittest, python.doctest, javascript.jest, javascript.vitest, javascript.node, compiled.go,
     compiled.cargo, compiled.surefire),
    (compilers.eslint, compilers.compiler, marked.marked),
    (python.program, marked.threshold, compilers.make),
)  # fmt: skip
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
    for readers in _READERS:
        for reader in readers:
            found = reader(out)
            if found is not None:
                return found
    return _unknown(out)


def _unknown(out: Output) -> Failure:
    lines = [line for line in out.lines if line.strip()]
    at = next((number for number, line in enumerate(lines) if _BEGINS.search(line) and not is_passed(line)), -1)
    first = lines[at : at + _BLOCK_LINES] if at >= 0 else []
    tail = [line for line in lines[-_TAIL_LINES:] if line not in first]
    return Failure("", "", first[0].strip() if first else error_line("\n".join(lines)), (), "", (*first[1:], *tail))
