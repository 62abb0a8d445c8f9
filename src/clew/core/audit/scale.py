"""How the tokens that a client counts follow from those that clew estimates: a factor, and what wraps a tool call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from clew.core.audit.contexts import Response

# Tokenizers of models are within these factors of each other, on code and prose.
_FACTOR: Final = (0.6, 1.9)
_FRAME_MAX: Final = 200.0
_ROUNDS: Final = 6
# An output that is so much less than its words was told before the response was done.
_WHOLE: Final = 0.7


class Scale(NamedTuple):
    """A text that is estimated at n tokens has `factor` * n; a tool call has `frame` tokens around what was sent."""

    factor: float = 1.0
    frame: float = 0.0


class Growth(NamedTuple):
    """From one response to the next: the context grew by `grew`; of that `own` tokens are the output of the first one
    (0 where the client told it too early), `given` is what the rest is estimated at, with `calls` tool calls.
    """

    grew: int
    own: int
    given: int
    calls: int


def growths(responses: Sequence[Response]) -> Iterable[Growth]:
    """The growth up to each response that a context was not made anew for."""
    for before, after in pairwise(responses):
        if not after.starts:
            words = sum(one.tokens for one in after.pieces if one.made and one.group != "thinking")
            rest = sum(one.tokens for one in after.pieces if not one.made)
            thought = sum(one.tokens for one in after.pieces if one.made and one.group == "thinking")
            calls = sum(one.group == "calls" for one in after.pieces)
            own = whole_output(after.before, words)
            grew = after.tokens.context - before.tokens.context
            yield Growth(grew, own, rest if own else rest + words + thought, calls)


def whole_output(output: int, words: int) -> int:
    """The tokens of a response whose words are estimated at `words`; 0 where what the client told is not all of it."""
    return output if output > 10 and output >= _WHOLE * words else 0


def scale_of(found: Iterable[Growth]) -> Scale:
    """The scale that most growths fit: least squares over relative errors, without those that are far off."""
    rows = [(one.grew - one.own, one.given, one.calls) for one in found if one.grew > one.own]
    kept, scale = rows, Scale()
    for _ in range(_ROUNDS):
        scale = _least(kept)
        near = [row for row in rows if _is_near(row, scale)]
        kept = near or rows
    return scale


def _is_near(row: tuple[int, int, int], scale: Scale) -> bool:
    expected = scale.factor * row[1] + scale.frame * row[2]
    return abs(row[0] - expected) < 0.35 * expected + 30


def _least(rows: Sequence[tuple[int, int, int]]) -> Scale:
    weights = [1 / (given + 100) for _, given, _ in rows]
    weighted = list(zip(weights, rows, strict=True))
    aa = sum(w * e * e for w, (_, e, _n) in weighted)
    ab = sum(w * e * n for w, (_, e, n) in weighted)
    bb = sum(w * n * n for w, (_, _e, n) in weighted)
    ad = sum(w * e * d for w, (d, e, _n) in weighted)
    bd = sum(w * n * d for w, (d, _e, n) in weighted)
    area = aa * bb - ab * ab
    if not aa:
        return Scale()
    frame = (aa * bd - ab * ad) / area if area > 1e-6 * aa * max(bb, 1e-9) else 0.0
    frame = min(max(frame, 0.0), _FRAME_MAX)
    factor = (ad - frame * ab) / aa
    return Scale(min(max(factor, _FACTOR[0]), _FACTOR[1]), frame)
