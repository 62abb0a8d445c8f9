"""Pictures of numbers as SVG, each with its words as a text alternative. Everything that is told is escaped."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from markupsafe import Markup, escape

from clew.core.text.cleaning import clean, one_line

_WIDTH: Final = 900
_HEIGHT: Final = 200
# So many steps a curve is drawn with: more could not be told apart.
_STEPS_MAX: Final = 450
_BAR_MAX: Final = 60.0
_SMALL_STEPS_MAX: Final = 40
_METER: Final = (200, 10)
_PHASE: Final = (120, 34, 8)
_PHASES_A_ROW: Final = 7


def curve(values: Sequence[float], marks: Collection[int], caption: str, *, top: str, first: str, last: str) -> Markup:
    """A curve of `values`, up to what is called `top`, with a line at each of the places `marks`."""
    return _framed(_curve(values, marks, _WIDTH, _HEIGHT, _STEPS_MAX), caption, top, first, last)


def small_curve(values: Sequence[float], marks: Collection[int], caption: str) -> Markup:
    """The same in the room of a row."""
    return _picture("small", "0 0 160 24", caption, _curve(values, marks, 160, 24, _SMALL_STEPS_MAX))


def bars(values: Sequence[float], caption: str, *, top: str, first: str, last: str) -> Markup:
    """A bar for each of `values`; the highest is called `top`."""
    return _framed(_bars(values, _WIDTH, _HEIGHT), caption, top, first, last)


def small_bars(values: Sequence[float], caption: str) -> Markup:
    """The same in the room of a table's cell."""
    return _picture("small", "0 0 160 24", caption, _bars(values, 160, 24))


def meter(used: float, most: float, caption: str) -> Markup:
    """How much of a budget is used: a bar in a frame, over which it does not go."""
    part = min(1.0, used / most) if most > 0 else 0.0
    return _bar(part, "full" if part >= 1 else "high" if part >= 0.8 else "fill", caption)


def share(part: float, caption: str) -> Markup:
    """How large a part (0 to 1) of a whole is: a bar that no budget bounds."""
    return _bar(min(1.0, part), "fill", caption)


def board(phases: Sequence[tuple[int, str, str]], caption: str) -> Markup:
    """The phases of a plan (number, status, title) in their order; colour and word tell how each stands."""
    width, height, gap = _PHASE
    inner = ""
    for at, (number, status, title) in enumerate(phases):
        x, y = (at % _PHASES_A_ROW) * (width + gap), (at // _PHASES_A_ROW) * (height + gap)
        inner += (
            f'<g class="{_safe(status)}"><title>{_safe(f"{number}. {title}: {status}")}</title>'
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>'
            f'<text x="{x + width / 2:.0f}" y="{y + 22}" text-anchor="middle">{number} {_safe(status)}</text></g>'
        )
    rows = max(1, -(-len(phases) // _PHASES_A_ROW))
    wide = max(1, min(len(phases), _PHASES_A_ROW)) * (width + gap) - gap
    high = rows * (height + gap) - gap
    return _picture("board", f"0 0 {wide} {high}", caption, inner, size=f' width="{wide}" height="{high}"')


def _bar(part: float, state: str, caption: str) -> Markup:
    width, height = _METER
    inner = f'<rect class="room" width="{width}" height="{height}" rx="5"/>'
    if part > 0:
        inner += f'<rect class="{state}" width="{max(4.0, part * width):.0f}" height="{height}" rx="5"/>'
    return _picture("meter", f"0 0 {width} {height}", caption, inner)


def _framed(inner: str, caption: str, top: str, first: str, last: str) -> Markup:
    below = _HEIGHT + 18
    words = f'<text x="0" y="-6">{_safe(top)}</text><text x="0" y="{below}">{_safe(first)}</text>'
    words += f'<text x="{_WIDTH}" y="{below}" text-anchor="end">{_safe(last)}</text>'
    picture = _picture("chart", f"0 -22 {_WIDTH} {_HEIGHT + 44}", caption, inner + words)
    return Markup(f"<figure>{picture}<figcaption>{_safe(caption)}</figcaption></figure>")


def _picture(kind: str, box: str, caption: str, inner: str, *, size: str = "") -> Markup:
    even = ' preserveAspectRatio="none"' if kind == "small" else ""
    head = f'<svg class="{kind}" viewBox="{box}"{size}{even} role="img"><title>{_safe(caption)}</title>'
    return Markup(f"{head}{inner}</svg>")


def _curve(values: Sequence[float], marks: Collection[int], width: int, height: int, most_steps: int) -> str:
    count = max(1, len(values))
    steps = min(count, most_steps)
    tops = [max(values[at * count // steps : (at + 1) * count // steps], default=0.0) for at in range(steps)]
    most, room = max(tops, default=0.0) or 1.0, width / steps
    points = [f"M0,{height}"]
    for at, value in enumerate(tops):
        points.append(f"L{at * room:.0f},{height - value / most * height:.0f}H{(at + 1) * room:.0f}")
    inner = f'<path d="{"".join(points)}V{height}Z"/>'
    for mark in sorted(marks):
        x = f"{mark / count * width:.0f}"
        inner += f'<line class="mark" x1="{x}" x2="{x}" y1="0" y2="{height}"/>'
    return inner


def _bars(values: Sequence[float], width: int, height: int) -> str:
    most = max(values, default=0.0) or 1.0
    room = width / max(1, len(values))
    found = []
    for at, value in enumerate(values):
        tall = max(1.0, value / most * height) if value > 0 else 0.0
        wide = max(1.0, min(room * 0.8, _BAR_MAX))
        box = f'x="{at * room:.1f}" y="{height - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}"'
        found.append(f"<rect {box}/>")
    return "".join(found)


def _safe(text: str) -> str:
    return str(escape(one_line(clean(text))))
