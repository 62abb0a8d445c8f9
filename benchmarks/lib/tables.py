"""Markdown tables for reports of benchmarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose columns are padded, so that it can also be read as plain text. First column left, others right."""
    cells = [[_escape(cell) for cell in row] for row in (head, *rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(head))]
    rule = [("-" * width if column == 0 else "-" * (width - 1) + ":") for column, width in enumerate(widths)]
    lines = [
        [(cell.ljust if column == 0 else cell.rjust)(widths[column]) for column, cell in enumerate(row)]
        for row in (cells[0], rule, *cells[1:])
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
