"""What counts tokens: exactly where a tokenizer is installed, else by the estimate. Which one is always said."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from clew.core.text.tokens import estimate


class TokenCounter(NamedTuple):
    """`name` says how it counts, as it is told; `count` takes clean text (no lone surrogates). Texts whose pieces are
    cut at a line's end add up: both kinds never count more for the whole than for its parts.
    """

    name: str
    count: Callable[[str], int]


ESTIMATED = TokenCounter("o200k, estimated", estimate)
EXACT_NAME = "o200k, exact"
