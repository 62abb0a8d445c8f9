"""Pictures of numbers: in signs of a terminal, and on one HTML page drawn as SVG, where all that is told is escaped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final, TypeAlias

from clew.app.egress.output_file import write_page
from clew.core.text.cleaning import clean, one_line
from clew.core.text.page import render_page

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --ink: #27c; --mark: #b60 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem; overflow-wrap: anywhere } figcaption, p { opacity: .8 } figure { margin: 1.5rem 0 }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid var(--line) }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere } tr:last-child.total { font-weight: bold }
svg { display: block; width: 100%; height: auto } td svg { width: 8rem; height: 1.4rem; display: inline-block }
rect, path { fill: var(--ink) } line { stroke: var(--line) } .mark { stroke: var(--mark); stroke-dasharray: 3 3 }
text { font: 12px system-ui, sans-serif; fill: currentColor; opacity: .7 }
"""
_WIDTH: Final = 900
_HEIGHT: Final = 200
# So many steps a curve is drawn with: more could not be told apart.
_STEPS_MAX: Final = 900


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under `heads`; with `bars`, a picture a row stands in a column of its own at the end."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    bars: Sequence[Sequence[float]] = ()
    has_total: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar for each of `values`, from the one called `first` to the one called `last`; the highest is `top`."""

    caption: str
    values: Sequence[float]
    top: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve of `values`, up to what is called `top`, with a line at each of the places `marks`."""

    caption: str
    values: Sequence[float]
    marks: Collection[int]
    top: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    text: str


Block: TypeAlias = Table | Bars | Curve | Words


def page(title: str, blocks: Iterable[Block]) -> str:
    """One self-contained page of `blocks`, from the top to the bottom."""
    return render_page(clean(title), _STYLE, "\n".join(map(_drawn, blocks)))


def save(file: Path, text: str) -> None:
    """Write a page. Raises `InputError` for a file that is not a page of clew's, and where it cannot be written."""
    write_page(file, text)


def _drawn(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Words):
        return f"<p>{_safe(block.text)}</p>"
    inner = _bars(block.values, _WIDTH, _HEIGHT) if isinstance(block, Bars) else _curve(block)
    below = _HEIGHT + 16
    words = f'<text x="0" y="-4">{_safe(block.top)}</text><text x="0" y="{below}">{_safe(block.first)}</text>'
    words += f'<text x="{_WIDTH}" y="{below}" text-anchor="end">{_safe(block.last)}</text>'
    caption = _safe(block.caption)
    svg = f'<svg viewBox="0 -18 {_WIDTH} {_HEIGHT + 38}" role="img"><title>{caption}</title>{inner}{words}</svg>'
    return f"<figure>{svg}<figcaption>{caption}</figcaption></figure>"


def _table(table: Table) -> str:
    heads = "".join(f"<th>{_safe(head)}</th>" for head in table.heads)
    rows = []
    for at, row in enumerate(table.rows):
        cells = "".join(f"<td>{_safe(cell)}</td>" for cell in row)
        if table.bars:
            values = table.bars[at] if at < len(table.bars) else ()
            picture = f'<svg viewBox="0 0 160 24" preserveAspectRatio="none">{_bars(values, 160, 24)}</svg>'
            cells += f"<td>{picture if values else ''}</td>"
        total = ' class="total"' if table.has_total and at == len(table.rows) - 1 else ""
        rows.append(f"<tr{total}>{cells}</tr>")
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _bars(values: Sequence[float], width: int, height: int) -> str:
    top = max(values, default=0.0) or 1.0
    room = width / max(1, len(values))
    found = []
    for at, value in enumerate(values):
        tall = max(1.0, value / top * height) if value > 0 else 0.0
        wide = max(1.0, room * 0.8)
        box = f'x="{at * room:.1f}" y="{height - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}"'
        found.append(f"<rect {box}/>")
    return "".join(found)


def _curve(curve: Curve) -> str:
    count = max(1, len(curve.values))
    steps = min(count, _STEPS_MAX)
    tops = [max(curve.values[at * count // steps : (at + 1) * count // steps], default=0.0) for at in range(steps)]
    top, room = max(tops, default=0.0) or 1.0, _WIDTH / steps
    points = [f"M0,{_HEIGHT}"]
    for at, value in enumerate(tops):
        high = _HEIGHT - value / top * _HEIGHT
        points.append(f"L{at * room:.1f},{high:.1f}L{(at + 1) * room:.1f},{high:.1f}")
    path = f'<path d="{"".join(points)}L{_WIDTH},{_HEIGHT}Z"/>'
    at_marks = (f"{mark / count * _WIDTH:.1f}" for mark in sorted(curve.marks))
    return path + "".join(f'<line class="mark" x1="{x}" x2="{x}" y1="0" y2="{_HEIGHT}"/>' for x in at_marks)


def _safe(text: str) -> str:
    return escape(one_line(clean(text)))


_BARS: Final = "▁▂▃▄▅▆▇█"
_PARTS: Final = " ▏▎▍▌▋▊▉█"
_MARK: Final = "▲"
_NOTHING: Final = "·"


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
