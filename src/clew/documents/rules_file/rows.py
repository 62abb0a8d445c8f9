"""The rows of a block with the lines that they stand in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clew.core.text.segments import Block
from clew.documents.lint.page import Page

_FENCES: Final = ("```", "~~~")


def code_rows(page: Page, block: Block) -> Iterator[tuple[int, str]]:
    """The rows of a block of code, each with its line."""
    first = block.first + page.line(block.first).startswith(_FENCES)
    yield from enumerate(block.text.split("\n"), first)


def text_rows(block: Block) -> Iterator[tuple[int, str]]:
    """The rows of an entry, a paragraph or a row of a table, each with its line."""
    for offset, row in enumerate((block.text or " | ".join(block.cells)).split("\n")):
        yield min(block.first + offset, block.last), row
