"""What a person at a terminal sees: tables, colour, and lines that break between words. What reads a pipe gets plain
lines, the same as ever.

Colour never says what no word says; `NO_COLOR` and a dumb terminal are heeded.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

from clew.core.text.cleaning import clean, one_line

if TYPE_CHECKING:
    from rich.table import Table

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
    sys.stdout, sys.stderr = (stream and cast("TextIO", _Redacted(stream)) for stream in before)
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


class FoldedStream(io.TextIOWrapper):
    """A terminal's stream on which a line that is too long goes on below, at a word, in the column where it stood."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        stream.flush()
        super().__init__(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
        self._stream = stream  # without it the buffer would be closed
        self._is_within = False

    def write(self, text: str) -> int:
        """Write `text`; what goes on behind an unfinished line, such as a prompt, as it is."""
        width = _width(self)
        lines = text.split("\n")
        for at, line in enumerate(lines):
            if _cells(line) > width and not (self._is_within and at == 0):
                lines[at] = "\n".join(folded(line, width, hang=_hang(line, width)))
        self._is_within = bool(lines[-1]) or (self._is_within and len(lines) == 1)
        super().write("\n".join(lines))
        return len(text)


def fold_output() -> None:
    """Let stdout and stderr break lines between words where they are terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and is_screen(stream):
            setattr(sys, name, FoldedStream(stream))


def folded(line: str, width: int, *, hang: int = 0, breaks: bool = False) -> list[str]:
    """`line` in lines of at most `width` cells, broken at spaces, but not within `code` that fits into one; all but the
    first are indented by `hang`. A word that is too long stays whole; with `breaks` it is broken, behind a slash if
    there is one.
    """
    done, now, used = [], "", 0
    for gap, word in _words(line, width - hang):
        for at, part in enumerate(_parts(word, width - hang) if breaks else (word,)):
            glue, cells = ("" if at else gap), _cells(part)
            if now.strip() and used + len(glue) + cells > width:
                done.append(now)
                now, used = " " * hang + part, hang + cells
            else:
                now, used = now + glue + part, used + len(glue) + cells
    return [*done, now]


def show_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, styles: Sequence[str] = (), spare: Sequence[int] = ()
) -> None:
    """Rows on stdout: as a table with `heads` on a terminal (see `table_of`), else in columns without heads."""
    if not is_screen(sys.stdout):
        for line in aligned(rows):
            print(line)
        return
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False, emoji=False, markup=False)
    table = table_of(heads, rows, console.width, styles=styles, spare=spare)
    if table.row_count:
        console.print(table)


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines in columns, for a pipe. Cells may be anybody's text: each becomes clean."""
    cells = [[one_line(clean(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def table_of(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    styles: Sequence[str] = (),
    spare: Sequence[int] = (),
) -> Table:
    """Rows as a table with `heads` that is at most `width` cells wide.

    Cells may be anybody's text: each becomes clean, and goes on below where its column is too narrow; no word is cut.
    Where there is no room for all columns, those of `spare` are left out, the first of them first. `styles` are rich's,
    a column each; "" none.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    is_headed = any(heads)
    cells = [[one_line(clean(cell)) for cell in row] for row in rows]
    columns = [_Column((head, *(row[at] for row in cells))) for at, head in enumerate(heads)]
    gap = _GAP if is_headed else _GAP_BARE
    kept = _kept(columns, width, gap, spare)
    widths = dict(zip(kept, _widths([columns[at] for at in kept], width - gap * (len(kept) - 1)), strict=True))
    table = Table(box=SIMPLE_HEAD if is_headed else None, show_header=is_headed, pad_edge=False, show_edge=False)
    for at in kept:
        table.add_column("\n".join(folded(heads[at], widths[at], breaks=True)), width=widths[at])
    for row in cells:
        lines = {at: "\n".join(folded(row[at], widths[at], breaks=True)) for at in kept}
        table.add_row(*(Text(lines[at], style=styles[at] if at < len(styles) else "") for at in kept))
    return table


# What rich sets between two columns, with heads and without.
_GAP: Final = 3
_GAP_BARE: Final = 2
# A column that needs more cells than this is text: it may become this narrow before another one is left out.
_TEXT_MIN: Final = 24
_ESCAPE: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_WORD: Final = re.compile(r"(\s*)([^\s`]*(?:`[^`]*`[^\s`]*)+|\S+)")
_SLASHES: Final = re.compile(r"[^/]*/|[^/]+")


class _Column:
    """How many cells a column takes: `most` so that nothing folds, `least` so that no word is broken, `fair` so that it
    can be read.
    """

    def __init__(self, cells: Sequence[str]) -> None:
        self.most = max(map(_cells, cells))
        self.least = max(_cells(part) for cell in cells for word in cell.split() or [""] for part in _slashed(word))
        self.fair = max(self.least, min(self.most, _TEXT_MIN))


def _kept(columns: Sequence[_Column], width: int, gap: int, spare: Sequence[int]) -> list[int]:
    kept = list(range(len(columns)))
    for at in (one for one in spare if one < len(columns)):
        if sum(columns[one].fair for one in kept) + gap * (len(kept) - 1) <= width:
            break
        kept.remove(at)
    return kept


def _widths(columns: Sequence[_Column], room: int) -> list[int]:
    """A width for each column, all of them in `room` where one cell each has room at all; the widest give way first."""
    widths = [one.most for one in columns]
    for floors in ([one.fair for one in columns], [one.least for one in columns], [1] * len(columns)):
        while sum(widths) > room:
            wide = [at for at, floor in enumerate(floors) if widths[at] > floor]
            if not wide:
                break
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _words(line: str, width: int) -> Iterable[tuple[str, str]]:
    """The words of a line, each behind the space before it; code in backticks is one word if it has room."""
    for gap, word in _WORD.findall(line):
        if "`" not in word or _cells(word) <= width:
            yield gap, word
        else:
            for at, part in enumerate(re.split(r"(?<=\S)(?=\s)", word)):
                bare = part.lstrip()
                yield (part[: len(part) - len(bare)] if at else gap), bare


def _parts(word: str, width: int) -> Iterable[str]:
    if _cells(word) <= width:
        return (word,)
    from rich.cells import chop_cells

    return (one for part in _slashed(word) for one in (chop_cells(part, width) if _cells(part) > width else (part,)))


def _slashed(word: str) -> list[str]:
    return _SLASHES.findall(word) or [""]


def _cells(text: str) -> int:
    """How many cells of a terminal `text` takes."""
    bare = _ESCAPE.sub("", text) if "\x1b" in text else text
    if bare.isascii():
        return len(bare)
    from rich.cells import cell_len

    return cell_len(bare)


def _hang(line: str, width: int) -> int:
    """Where a line goes on: where its text begins, behind its columns or the mark of a list; the first half counts."""
    bare = _ESCAPE.sub("", line)
    begun = re.match(r"\s*(?:(?:[-*•]|\d+\.) +(?:\[.\] +)?)?(?:.*?\S {2,})*", bare[: width // 2])
    return _cells(begun[0]) if begun else 0


def _width(stream: TextIO) -> int:
    import shutil

    if os.environ.get("COLUMNS", "").isdigit():
        return shutil.get_terminal_size().columns
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80
