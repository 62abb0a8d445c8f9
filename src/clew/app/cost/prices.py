"""Where prices come from: a person's own, then what was refreshed, then the table that clew was built with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.core.cost import published
from clew.core.cost.prices import Prices, override
from clew.core.errors import InputError, Unavailable
from clew.workspace.atomic import replace

TABLE_NAME: Final = "prices.json"
# Where genai-prices publishes its data; asked for by `--refresh-prices` alone.
URL: Final = "https://raw.githubusercontent.com/pydantic/genai-prices/refs/heads/main/prices/new_data/v2/data.json"
_BYTES_MAX: Final = 32 << 20
_TIMEOUT_S: Final = 20
_FEWEST: Final = 20


class KnownPrices(NamedTuple):
    """Prices, and the sentence that tells where they come from ("" nobody gave any)."""

    prices: Prices
    source: str


def known_prices(own: Mapping[str, Any], tables: Sequence[Path]) -> KnownPrices:
    """The prices that hold for a user with these of the `own` and these `tables`, the strongest first."""
    held = [table for table in map(_table, tables) if table]
    said = [f"{len(own['models'])} of your own" if own.get("models") else "", *(str(one["source"]) for one in held[:1])]
    return KnownPrices(Prices([own, *held]), ", ".join(filter(None, said)))


def table_files(data: Path) -> tuple[Path, ...]:
    """The files of price lists for a user whose data lie in `data`: what was refreshed, then what clew came with."""
    refreshed = data / TABLE_NAME
    return (*([refreshed] if refreshed.is_file() else []), Path(__file__).with_name(TABLE_NAME))


def refresh(data: Path, url: str = URL) -> str:
    """Get the newest price list and keep it; where it came from, with the number of models.

    Raises `Unavailable` where it cannot be had, or is not what was expected: then what was there stays.
    """
    import urllib.request  # here: only who asks for it goes to the network

    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:
            text = answer.read(_BYTES_MAX + 1)
        found = json.loads(text)
        made = published.table(found if isinstance(found, list) else [], source=url)
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise _not_had(url, str(error) or type(error).__name__) from error
    if len(made["models"]) < _FEWEST:
        raise _not_had(url, "it holds no price list that clew understands")
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace(data / TABLE_NAME, json.dumps(made, separators=(",", ":")).encode(), mode=0o600, durable=False)
    return f"{len(made['models'])} models from {url}"


def _not_had(url: str, why: str) -> Unavailable:
    return Unavailable(
        f"the price list at {url} is not available: {why}",
        code="E-prices",
        hint="The previous prices stay in use. Put your own into [prices] of your config.toml if you need others.",
    )


def own_prices(config: Path) -> dict[str, Any]:
    """The table of a user's own prices, from `[prices."MODEL"]` in the settings file `config`.

    Raises `InputError` for prices there that cannot be used.
    """
    text = _text(config)
    if not text:
        return override({})
    import tomllib  # here: most have no prices of their own

    try:
        found = tomllib.loads(text).get("prices", {})
    except ValueError as error:
        raise InputError(f"{config} is not TOML: {error}", code="E-settings-file", hint="Fix that line.") from error
    try:
        return override(found if isinstance(found, dict) else {"": None})
    except ValueError as error:
        raise InputError(
            f"{config}: prices.{error} cannot be used",
            code="E-price-value",
            hint="A model takes `input` and `output`, and if you like `cache_read`, `cache_write`, `cache_write_long`:"
            " USD for a million tokens.",
        ) from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _table(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and found.get("v") == published.VERSION else {}
