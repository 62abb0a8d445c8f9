"""Prices and what tokens cost at them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.cost.prices import Prices, Tokens, override
from clew.core.cost.published import table

PUBLISHED = [
    {
        "id": "anthropic",
        "models": [
            {
                "match": {"or": [{"starts_with": "claude-x"}, {"equals": "X-Latest"}]},
                "prices": {
                    "input_mtok": {"base": 3, "tiers": [{"start": 200_000, "price": 6}]},
                    "cache_write_mtok": 3.75,
                    "cache_write_1h_mtok": 6,
                    "cache_read_mtok": 0.3,
                    "output_mtok": {"base": 15, "tiers": [{"start": 200_000, "price": 22.5}]},
                },
            },
            {"match": {"contains": "no-price"}, "prices": {}},
        ],
    },
    {
        "id": "google",
        "models": [
            {
                "match": {"and": [{"starts_with": "gem-2"}, {"regex": "^(?!.*-tts)"}]},
                "prices": [
                    {"prices": {"input_mtok": 2, "output_mtok": 4}},
                    {"constraint": {"start_date": "2026-06-01"}, "prices": {"input_mtok": 1, "output_mtok": 2}},
                    {"constraint": {"start_time": "01:00", "end_time": "02:00"}, "prices": {"input_mtok": 9}},
                ],
            }
        ],
    },
]
MILLION = 1_000_000
tokens = st.integers(0, 10**9)


def prices(*own: dict[str, object]) -> Prices:
    """As published, with a person's own before them."""
    return Prices([*own, table(PUBLISHED, source="here")])


def test_each_kind_of_token_has_its_price() -> None:
    """What is read from the cache is cheap, what is kept in it for an hour is dear."""
    used = Tokens(input=10_000, cache_write=20_000, cache_write_long=5_000, cache_read=100_000, output=1_000)
    usd = prices().cost("claude-x-1", used, day="2026-11-25")
    assert usd == pytest.approx((10_000 * 3 + 15_000 * 3.75 + 5_000 * 6 + 100_000 * 0.3 + 1_000 * 15) / MILLION)


@pytest.mark.parametrize(("context", "dollars"), [(200_000, 3), (200_001, 6)])
def test_a_long_request_costs_more_for_all_of_it(context: int, dollars: float) -> None:
    """Over the bound the whole request is dearer, not only what is over it."""
    usd = prices().cost("claude-x-1", Tokens(input=context), day="2026-11-25")
    assert usd == pytest.approx(context * dollars / MILLION)
    assert [200_000] == prices().bounds(["claude-x-1", "nobody"])


@pytest.mark.parametrize(("day", "dollars"), [("2026-05-31", 2), ("2026-06-01", 1)])
def test_a_price_holds_from_its_day_on(day: str, dollars: float) -> None:
    """What was used before a price changed costs what it cost then; an hour's own price is left out."""
    assert prices().cost("gem-2-pro", Tokens(input=MILLION), day=day) == pytest.approx(dollars)


@pytest.mark.parametrize("model", ["X-latest", "vendor/claude-x-9", "claude-x-1[1m]"])
def test_names_as_clients_write_them(model: str) -> None:
    """In any case, behind a vendor's name, with the mark of the long window."""
    assert prices().of(model)


@pytest.mark.parametrize("model", ["", "gem-2-tts", "no-price", "claude"])
def test_an_unknown_model_has_no_price(model: str) -> None:
    """Nothing is guessed."""
    assert prices().cost(model, Tokens(input=1), day="2026-11-25") is None


def test_a_persons_own_price_holds() -> None:
    """And what is not said of the cache costs what the input costs."""
    own = override({"claude-x-1": {"input": 1, "output": 2}})
    known = prices(own)
    assert known.cost("Claude-X-1", Tokens(cache_read=MILLION), day="") == pytest.approx(1)
    assert known.cost("claude-x-2", Tokens(cache_read=MILLION), day="") == pytest.approx(0.3)


@pytest.mark.parametrize("wrong", [3, {"input": 1}, {"input": -1, "output": 1}, {"input": 1, "output": 1, "in": 2}])
def test_a_price_that_cannot_be_is_refused(wrong: object) -> None:
    """With its model's name."""
    with pytest.raises(ValueError, match="m"):
        override({"m": wrong})


@pytest.mark.parametrize("rows", [None, [3], [[{}, []]], [[{"regex": "("}, []]], [["x", [["", 0]]]], [[None, None]]])
def test_a_damaged_table_has_no_prices(rows: object) -> None:
    """It does not end the program."""
    assert () == Prices([{"models": rows}]).of("claude-x")


@given(st.lists(st.builds(Tokens, tokens, tokens, tokens, tokens, tokens), max_size=5))
def test_a_sum_costs_what_its_parts_cost(several: list[Tokens]) -> None:
    """Rows of the index may be added up before they are priced."""
    (price,) = prices(override({"m": {"input": 1.5, "output": 7, "cache_write": 2, "cache_write_long": 2}})).of("m")
    whole = Tokens()
    for one in several:
        whole = whole.plus(one)
    assert price.of(whole) == pytest.approx(sum(map(price.of, several)))
