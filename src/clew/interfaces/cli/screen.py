"""What a person at a terminal sees: tables and colour. What reads a pipe gets plain lines, the same as ever.

Colour never says what no word says; `NO_COLOR` and a dumb terminal are heeded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TextIO, cast

from clew.core.text.cleaning import clean, one_line

# No rule takes anything shorter for a secret.
_SECRET_CHARS_MIN: Final = 8


class _Redacted:
    """A stream of text that lets no secret through: what is printed is what may be kept. Bytes (`buffer`) go as they
    are: what is written so was scanned as it left (docs/reference/secrets.md).
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if len(text) >= _SECRET_CHARS_MIN:
            from clew.secrets import Redactor

            text = Redactor(key=None).redact(text)
        return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def redacted_output() -> Iterator[None]:
    """All that is printed in the block is redacted, wherever it came from: this is the one way to stdout and stderr."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (stream and cast(TextIO, _Redacted(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def is_screen(stream: TextIO | None) -> bool:
    """Whether `stream` (stdout or stderr; None: it is closed) is a terminal that can place and colour text."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def painted(text: str, style: str, stream: TextIO | None) -> str:
    """`text` in the colour `style` where `stream` shows colours."""
    if os.environ.get("NO_COLOR") or not is_screen(stream):
        return text
    import click

    return click.style(text, fg=style, bold=True)


def show_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], plain: Iterable[str], *, styles: Sequence[str] = ()
) -> None:
    """Rows on stdout: as a table with `heads` on a terminal, else the lines of `plain`.

    Cells may be anybody's text: each becomes one clean line. The last column takes what room is left and is cut off
    there; where that is too little, the widest of the others give way. `styles` are rich's, a column each; "" none.
    """
    if not is_screen(sys.stdout):
        for line in plain:
            print(line)
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False, emoji=False, markup=False)
    cells = [[Text(one_line(clean(cell))) for cell in row] for row in rows]
    shown = any(heads)
    table = Table(box=SIMPLE_HEAD if shown else None, show_header=shown, pad_edge=False, show_edge=False)
    wanted = [max([len(head), *(row[at].cell_len for row in cells)]) for at, head in enumerate(heads)]
    gap = _GAP if shown else _GAP_BARE
    for head, width in zip(heads, _widths(wanted, console.width - gap * (len(heads) - 1)), strict=True):
        table.add_column(head, no_wrap=True, overflow="ellipsis", width=width)
    for row in cells:
        for cell, style in zip(row, _padded(styles, len(row)), strict=True):
            cell.style = style
        table.add_row(*row)
    if cells:
        console.print(table)


# What rich sets between two columns, with heads and without.
_GAP: Final = 3
_GAP_BARE: Final = 2
# What the last column has at least, if it needs as much.
_LAST_MIN: Final = 24


def _widths(wanted: Sequence[int], room: int) -> list[int]:
    """A width for each column, all of them in `room` where one cell each has room at all."""
    *widths, last = wanted
    while widths and sum(widths) + min(last, _LAST_MIN) > room and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    return [*widths, max(1, min(last, room - sum(widths)))]


def _padded(styles: Sequence[str], length: int) -> list[str]:
    return [*styles, *[""] * (length - len(styles))][:length]
