"""What went wrong first in a run of a project's checks. Texts are as the runner printed them: untrusted."""

from __future__ import annotations

from typing import NamedTuple

from clew.core.text.tokens import estimate

TOKENS_MAX = 400
_LINE_CHARS = 240
_TEST_CHARS = 200
_VALUE_CHARS = 160
_SAID_LINES = 6


class Failure(NamedTuple):
    """The first failure of a run.

    `runner` is who printed it ("" nobody that is known). `test` is the test as its runner takes it ("" it was none:
    a compiler's error, a broken build). `message` is the assertion or the error. `values` are the two that were
    compared, in the order of the assertion, () where it tells none. `frame` is "path:line" of the deepest place in the
    project's own code, "" unknown. `excerpt` is what stood around it.
    """

    runner: str
    test: str
    message: str
    values: tuple[str, ...] = ()
    frame: str = ""
    excerpt: tuple[str, ...] = ()


def told(failure: Failure, *, budget: int = TOKENS_MAX) -> tuple[str, ...]:
    """The failure in lines that have at most `budget` tokens: what failed, where, what it said, the values, and as much
    of the excerpt as there is room for.
    """
    said = [_cut(line, _LINE_CHARS) for line in failure.message.splitlines() if line.strip()]
    lines = [_cut(part, _TEST_CHARS) for part in (failure.test, failure.frame and f"at {failure.frame}") if part]
    lines += said[:_SAID_LINES]
    shown = "\n".join(said)
    values = [_cut(value, _VALUE_CHARS) for value in failure.values]
    if values and not all(value in shown for value in failure.values):
        lines += [f"left:  {values[0]}", f"right: {values[-1]}"]
    while len(lines) > 1 and estimate("\n".join(lines)) > budget:
        lines.pop()
    if estimate("\n".join(lines)) > budget:
        lines = [_cut(lines[0], budget)]
    known = {line.strip() for line in lines}
    for line in failure.excerpt:
        row = f"  {_cut(line.rstrip(), _LINE_CHARS)}"
        bare = line.lstrip().removeprefix("E ").removeprefix("E\t").strip()
        if bare and bare not in known:
            if estimate("\n".join([*lines, row])) > budget:
                break
            lines.append(row)
    return tuple(lines)


def _cut(text: str, chars: int) -> str:
    """At most `chars` characters, with the middle left out: both ends of a value tell it."""
    text = text.replace("\n", "\\n")
    if len(text) <= chars:
        return text
    head = (chars - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (chars - 1 - head) :]}"
