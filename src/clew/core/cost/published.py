"""The price list that genai-prices publishes, made into the small table that `prices.Prices` reads. Imports nothing of
clew: the build asks for it before clew is installed.

Source of the format: `prices/new_data/v2/data.json` of genai-prices, seen in version 0.2.3: providers with `models`, a
model with `match` (clauses) and `prices` (USD for a million tokens; a number, or `base` with `tiers` that hold for the
whole request from `start` tokens of input on), which may be a list of those with a `constraint`.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

VERSION: Final = 1
# Who makes models, then who only serves them: of several that fit a name the first one counts.
_PROVIDERS: Final = (
    "anthropic openai google x-ai deepseek mistral moonshotai zai minimax meta cohere aws groq cerebras".split()
)
_KINDS: Final = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
_MODELS_MAX: Final = 5_000


def table(providers: Iterable[Any], *, source: str) -> dict[str, Any]:
    """`{"v", "source", "models"}`: a model is `[match, prices]`, its match as it is published, and a price `[since,
    above, input, output, cache read, cache write, cache write for an hour]`. What is not understood is left out.

    `since` is a date ("" always), `above` the tokens of input over which it holds.
    """
    by_id = {one.get("id"): one for one in providers if isinstance(one, dict)}
    rows = []
    for name in _PROVIDERS:
        for model in by_id.get(name, {}).get("models") or ():
            match, prices = model.get("match"), list(_prices(model.get("prices")))
            if isinstance(match, dict) and prices:
                rows.append([match, prices])
    return {"v": VERSION, "source": source, "models": rows[:_MODELS_MAX]}


def _prices(given: Any) -> Iterator[list[Any]]:
    if isinstance(given, dict):
        yield from _tiers("", given)
        return
    for one in given if isinstance(given, list) else ():
        constraint = one.get("constraint") or {}
        if constraint and "start_date" not in constraint:
            continue  # by the hour of the day: the price without a constraint is told
        yield from _tiers(str(constraint.get("start_date", "")), one.get("prices") or {})


def _tiers(since: str, prices: dict[str, Any]) -> Iterator[list[Any]]:
    starts = {0}
    for kind in _KINDS:
        value = prices.get(kind)
        if isinstance(value, dict):
            starts.update(int(tier["start"]) for tier in value.get("tiers") or ())
    for start in sorted(starts):
        given, output, read, written, long = (_at(prices.get(kind), start) for kind in _KINDS)
        if given is None or output is None:
            return
        read = given if read is None else read
        written = given if written is None else written
        yield [since, start, given, output, read, written, written if long is None else long]


def _at(value: Any, start: int) -> float | None:
    """A price for requests of more than `start` tokens."""
    if isinstance(value, dict):
        held = value.get("base")
        for tier in value.get("tiers") or ():
            if int(tier["start"]) <= start:
                held = tier["price"]
        value = held
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 else None
