"""Looking on at a run: `clew run --status` and `--watch`, and what runs tell programs."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from clew.app.results import to_json
from clew.app.run.board import Board, board
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cli.here import find_project, present
from clew.interfaces.cli.screen import is_screen, show_table, table_of

if TYPE_CHECKING:
    from rich.console import RenderableType

_EVERY_S = 1.0
_OVER = ("done", "halted", "none")


def show(*, as_json: bool) -> None:
    """How the run stands, once."""
    present(_board(), as_json, _show)


def _show(found: Board) -> None:
    print(_head(found))
    show_table(_HEADS, _rows(found), map("  ".join, _rows(found)), styles=_STYLES, spare=_SPARE)


def watched(*, as_json: bool) -> None:
    """The same, renewed until the run is over; lines on a pipe, whenever something changed."""
    if as_json or not is_screen(sys.stdout):
        _followed(as_json=as_json)
        return

    console = Console(highlight=False, emoji=False, markup=False)
    found = _board()
    with Live(_drawn(found, console.width), console=console, refresh_per_second=2) as live:
        while found.word not in _OVER:
            time.sleep(_EVERY_S)
            found = _board()
            live.update(_drawn(found, console.width))


def _followed(*, as_json: bool) -> None:
    last = ""
    while True:
        found = _board()
        lines = [_head(found), *map("  ".join, _rows(found))]
        now = to_json(found, indent=-1) if as_json else "\n".join(lines)
        if now != last:
            print(now, flush=True)
            last = now
        if found.word in _OVER:
            return
        time.sleep(_EVERY_S)


def _board() -> Board:
    return board(find_project())


_HEADS = ("phase", "status", "attempt", "tokens", "cost", "title", "last")
_STYLES = ("", "cyan", "", "", "", "bold")
# The columns that a narrow terminal goes without.
_SPARE = (2, 4, 3)


def _head(found: Board) -> str:
    done = sum(one.status == "done" for one in found.phases)
    words = {
        "runs": f"is under way (process {found.process})",
        "waits": f"waits until {found.until}: {found.why}",
        "gone": "was cut off; `clew run` goes on",
        "done": "is done",
        "halted": "needs a person; `clew run --dry-run` says for what",
        "none": "was not begun; `clew run` begins it",
    }
    cost = f", {found.tokens:,} tokens" if found.tokens else ""
    cost += f", ${found.cents / 100:.2f}" if found.cents else ""
    return one_line(clean(f"{found.title}: {done} of {len(found.phases)} phases{cost}; the run {words[found.word]}"))


def _rows(found: Board) -> list[tuple[str, ...]]:
    pulses = {one.phase: one for one in found.working}
    rows: list[tuple[str, ...]] = []
    for one in found.phases:
        pulse = pulses.get(one.number)
        tokens = one.tokens + (pulse.tokens if pulse else 0)
        cents = one.cents + (pulse.cents if pulse else 0)
        last = pulse.act if pulse else one.why
        rows.append(
            (
                str(one.number),
                "working" if pulse else one.status,
                str(one.attempt or ""),
                f"{tokens:,}" if tokens else "",
                f"${cents / 100:.2f}" if cents else "",
                shorten(one_line(clean(one.title)), 40),
                one_line(clean(last)),
            )
        )
    return rows


def _drawn(found: Board, width: int) -> RenderableType:
    table = table_of(_HEADS, _rows(found), width, styles=_STYLES, spare=_SPARE)
    return Group(Text(_head(found), style="bold"), table)
