"""What tokens cost: the one walk over price lists, for hooks and reports. Pure, and imports nothing.

A list is what `published.table` makes: `{"models": [[match, prices], …]}`. A price is `(since, above, input, output,
cache read, cache write, cache write for an hour)`: USD for a million tokens, which are microdollars for one, from the
day `since` ("" always) and for responses to more than `above` tokens. Tokens are `(input, cache write, of that for an
hour, cache read, output)`.
"""

import re

TYPE_CHECKING = False  # `typing` would cost a hook more than all it does here
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    Row: TypeAlias = tuple[str, int, float, float, float, float, float]

# A model's name can end in marks that say how it was asked. By what the model's name begins with: how many times the
# usual price that costs. Where no row fits the price is unknown. The vendor's list of prices says so, as of 2026-11.
_MARKS: "dict[str, tuple[tuple[str, float], ...]]" = {
    "[1m]": (("", 1),),
    "[fast]": (("claude-opus-4-6", 6), ("claude-opus-4-7", 6), ("claude-opus-4-8", 2)),
    "[us]": (("claude-", 1.1),),
}


def prices_of(tables: "Iterable[Mapping[str, Any]]", model: str) -> "tuple[Row, ...]":
    """All prices of a model, by day and size, from the strongest table that has any; () unknown. What is malformed in a
    table is passed over.
    """
    lists = [table.get("models") for table in tables]
    for name, factor, is_marked in _names(model):
        for rows in lists:
            for row in rows if isinstance(rows, list) else ():
                try:
                    match, prices = row
                    # A mark is no part of a name that a row fits by its beginning.
                    if match.get("equals", "").lower() == name if is_marked else fits(match, name):
                        return tuple(_row(price, factor) for price in prices)
                except (TypeError, ValueError, AttributeError):
                    continue
    return ()


def price_at(prices: "Sequence[Row]", day: str, context: int) -> "Row | None":
    """The price of a response on a `day` (2026-11-25) to `context` tokens; None unknown."""
    held = None
    for one in prices:
        if one[0] <= day and (context > one[1] or not one[1]) and (held is None or one[:2] >= held[:2]):
            held = one
    return held


def microdollars(price: "Row", tokens: "Sequence[int]") -> float:
    """What these tokens cost at a price."""
    given, written, long, read, output = tokens
    long = min(long, written)
    _, _, of_given, of_output, of_read, of_written, of_long = price
    return given * of_given + output * of_output + read * of_read + (written - long) * of_written + long * of_long


def fits(match: "Mapping[str, Any]", model: str) -> bool:
    """Whether a model's name (in small letters) fits, as the price list says it: one clause, or several of which one or
    all must fit. Raises `TypeError` or `AttributeError` for what is no such thing.
    """
    for clause, wanted in match.items():
        if clause in ("or", "and"):
            found = (fits(one, model) for one in wanted)
            return any(found) if clause == "or" else all(found)
        if clause == "regex":
            try:
                return re.search(wanted, model) is not None
            except re.error:
                return False
        text = wanted.lower()
        return (
            (clause == "equals" and model == text)
            or (clause == "starts_with" and model.startswith(text))
            or (clause == "ends_with" and model.endswith(text))
            or (clause == "contains" and text in model)
        )
    return False


def _names(model: str) -> "Iterator[tuple[str, float, bool]]":
    """The names that a model may stand under, the likeliest first: as it is and without a vendor, with its marks and
    without; how many times that price it costs; and whether marks are left in it.
    """
    name, factor = model.strip().lower(), 1.0
    while name:
        mark = name[name.rfind("[") :] if name.endswith("]") else ""
        plain, is_marked = name.rpartition("/")[2], mark in _MARKS
        for way in dict.fromkeys((name, plain)):
            yield way, factor, is_marked
        times = next((times for begins, times in _MARKS.get(mark, ()) if plain.startswith(begins)), None)
        if times is None:
            return
        name, factor = name[: -len(mark)], factor * times


def _row(price: "Sequence[Any]", factor: float) -> "Row":
    since, above, *dollars = price
    given, output, read, written, long = (float(value) * factor for value in dollars)
    return str(since), int(above), given, output, read, written, long
