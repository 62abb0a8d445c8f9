"""Makes the table of prices from what genai-prices publishes: nothing of it is kept in the repository.

The build runs it (scripts/build_data.py). A build without isolation that lacks genai-prices makes clew without prices,
which then says "price unknown" until `clew cost --refresh-prices`.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import runpy
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

TARGET = Path("src/clew/app/cost/prices.json")


def build(root: Path) -> None:
    """Write the table and its licences below `root`. Raises `ImportError` without genai-prices."""
    from genai_prices.data import providers

    target = root / TARGET
    table = runpy.run_path(str(root / "src/clew/core/cost/published.py"))["table"]
    held = importlib.metadata.distribution("genai-prices")
    source = f"genai-prices {held.version} (MIT; prices.LICENSE)"
    text = json.dumps(table([plain(one) for one in providers], source=source), separators=(",", ":"))
    target.write_text(text + "\n", encoding="utf-8")
    for file in held.files or ():
        if file.name.startswith("LICENSE"):
            target.with_suffix(".LICENSE").write_text(file.read_text(encoding="utf-8"), encoding="utf-8")


def plain(value: Any) -> Any:
    """What genai-prices holds as classes, in the shape of the JSON that it publishes."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if dataclasses.is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    elif not isinstance(value, (dict, str, int, float, bool, type(None))):
        value = vars(value) if hasattr(value, "__dict__") else None
    if isinstance(value, dict):
        return {str(name).removesuffix("_"): plain(one) for name, one in value.items() if not str(name).startswith("_")}
    return value
