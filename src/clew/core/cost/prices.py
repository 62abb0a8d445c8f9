"""Prices of models in USD for a million tokens, and what tokens cost at them. Pure.

A name that no row fits has no price: nothing is guessed, and who asks is told so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from clew.core.cost.pricing import microdollars, price_at, prices_of


class Tokens(NamedTuple):
    """Tokens of some responses. `input` is what neither came from the cache nor went into it; of `cache_write` so many
    as `cache_write_long` are kept for an hour, which costs more.
    """

    input: int = 0
    cache_write: int = 0
    cache_write_long: int = 0
    cache_read: int = 0
    output: int = 0

    @property
    def context(self) -> int:
        """What went in."""
        return self.input + self.cache_write + self.cache_read

    @property
    def total(self) -> int:
        """What went in and came out."""
        return self.input + self.cache_write + self.cache_read + self.output

    def plus(self, other: Tokens) -> Tokens:
        """The sum of both."""
        return Tokens(*map(int.__add__, self, other))


class Price(NamedTuple):
    """USD for a million tokens of each kind, from the day `since` ("" always) on and for responses to more than `above`
    tokens: a row of `pricing`.
    """

    since: str
    above: int
    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_long: float

    def of(self, tokens: Tokens) -> float:
        """USD."""
        return microdollars(self, tokens) / 1_000_000


class Prices:
    """Price lists, the strongest first: tables as `published.table` makes them. What is malformed is passed over."""

    def __init__(self, tables: Iterable[Mapping[str, Any]]) -> None:
        self._tables = list(tables)
        self._found: dict[str, tuple[Price, ...]] = {}

    def of(self, model: str) -> tuple[Price, ...]:
        """All prices of a model, by day and size; () unknown."""
        if model not in self._found:
            self._found[model] = tuple(Price(*row) for row in prices_of(self._tables, model))
        return self._found[model]

    def bounds(self, models: Iterable[str]) -> list[int]:
        """From more than how many tokens on a request to one of these models costs more a token, rising."""
        return sorted({one.above for model in models for one in self.of(model) if one.above})

    def price(self, model: str, *, day: str, context: int) -> Price | None:
        """The price of one response of `model` on a `day` (2026-11-25) to `context` tokens; None: unknown."""
        found = price_at(self.of(model), day, context)
        return None if found is None else Price(*found)

    def cost(self, model: str, tokens: Tokens, *, day: str) -> float | None:
        """USD for one response; None where the model's price is unknown."""
        price = self.price(model, day=day, context=tokens.context)
        return None if price is None else price.of(tokens)


def override(names: Mapping[str, Any]) -> dict[str, Any]:
    """The table that a person's own prices make: by the model's name `input`, `output` and, where they differ,
    `cache_read`, `cache_write` and `cache_write_long`. Raises `ValueError` with the name of what is wrong.
    """
    rows = []
    for model, given in names.items():
        if not isinstance(given, Mapping):
            raise ValueError(model)
        held = {}
        for kind in ("input", "output", "cache_read", "cache_write", "cache_write_long"):
            value = given.get(kind)
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0):
                raise ValueError(f"{model}.{kind}")
            held[kind] = value
        if held["input"] is None or held["output"] is None or set(given) - set(held):
            raise ValueError(model)
        written = held["input"] if held["cache_write"] is None else held["cache_write"]
        read = held["input"] if held["cache_read"] is None else held["cache_read"]
        long = written if held["cache_write_long"] is None else held["cache_write_long"]
        rows.append([{"equals": model}, [["", 0, held["input"], held["output"], read, written, long]]])
    return {"models": rows}
