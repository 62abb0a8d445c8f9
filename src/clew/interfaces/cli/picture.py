"""Numbers for a terminal: figures, and pictures of them in its signs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from typing import Final

from clew.core.context.pressure import thousands
from clew.interfaces.cli.screen import is_screen

_BARS: Final = "▁▂▃▄▅▆▇█"
_PARTS: Final = " ▏▎▍▌▋▊▉█"
_MARK: Final = "▲"
_NOTHING: Final = "·"


def figure(tokens: int) -> str:
    """A number of tokens: in short on a terminal (`104k`), whole for a pipe."""
    return thousands(tokens) if is_screen(sys.stdout) else f"{tokens:,}"


def sparkline(values: Sequence[float]) -> str:
    """One sign a value, as high as it is; a dot for nothing."""
    top = max(values, default=0.0)
    steps = (min(len(_BARS) - 1, int(value / top * (len(_BARS) - 1) + 0.5)) if value > 0 else -1 for value in values)
    return "".join(_BARS[step] if step >= 0 else _NOTHING for step in steps)


def bar(share: float, width: int) -> str:
    """A bar as long as the `share` (0 to 1) of `width` cells, in eighths of one; no shorter than one for what is not
    nothing.
    """
    eighths = round(min(1.0, max(0.0, share)) * width * 8)
    eighths = max(eighths, 1) if share > 0 else 0
    return ("█" * (eighths // 8) + _PARTS[eighths % 8]).rstrip()


def joined(values: Sequence[float], most: int) -> list[float]:
    """`values`, of which neighbours are added up so that no more than `most` (at least 1) are left."""
    each = -(-len(values) // most) or 1
    return [sum(values[at : at + each]) for at in range(0, len(values), each)]


def curve(
    values: Sequence[float], marks: Collection[int], *, width: int, height: int, told: Callable[[int], str]
) -> list[str]:
    """The lines of a curve: `values` from left to right on `width` cells and `height` lines, the scale as it is `told`
    on its left, and below it a mark under each of the places `marks`. () where there is no value.
    """
    if not values:
        return []
    columns = min(width, len(values))
    places = [range(at * len(values) // columns, (at + 1) * len(values) // columns) for at in range(columns)]
    tops = [max(values[place] for place in places_of) for places_of in places]
    top = max(tops) or 1
    scale = {height - 1: told(round(top)), 0: told(0), height // 2: told(round(top * (height // 2 + 1) / height))}
    room = max(map(len, scale.values()))
    lines = []
    for row in reversed(range(height)):
        cells = (_cell(value / top * height - row) for value in tops)
        lines.append(f"{scale.get(row, ''):>{room}} ┤{''.join(cells)}".rstrip())
    if marks:
        under = (_MARK if any(mark in place for mark in marks) else " " for place in places)
        lines.append(f"{'':{room}}  {''.join(under)}".rstrip())
    return lines


def _cell(fill: float) -> str:
    """One cell that is filled so far from below."""
    eighths = round(min(1.0, fill) * 8)
    return _BARS[eighths - 1] if eighths > 0 else " "
