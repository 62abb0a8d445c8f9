"""Budgets as hooks read them: a small file in the live folder of a place, there only where somebody set one."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from clew.app.ports import Ports
from clew.core.cost.budget import BUDGET, SPENT, VERSION
from clew.core.errors import InputError
from clew.core.settings import Settings
from clew.workspace.atomic import private_folder, replace

SCOPES: Final = ("session", "day")
_CENT: Final = 10_000


def limits(settings: Settings) -> dict[str, list[int]]:
    """What a session and a day may use: tokens and microdollars, 0 no limit."""
    return {
        scope: [settings.number(f"budget.{scope}_tokens"), settings.number(f"budget.{scope}_cents") * _CENT]
        for scope in SCOPES
    }


def keep(ports: Ports, live: Path, settings: Settings) -> None:
    """Write the budgets of a place for its hooks, or take them away. Raises `OSError`."""
    file, held = live / BUDGET, limits(settings)
    if not any(map(any, held.values())):
        file.unlink(missing_ok=True)
        return
    own: dict[str, Any] = {}
    tables: tuple[Path, ...] = ()
    if any(amount[1] for amount in held.values()):
        with suppress(InputError):  # `clew cost` tells of it; without prices of one's own the others hold
            own, tables = ports.price_tables()
    private_folder(ports.trust_store.parent / SPENT)  # that it is there tells hooks to look
    data = {"v": VERSION, **held, "own": own, "tables": [str(path) for path in tables]}
    replace(file, json.dumps(data, separators=(",", ":")).encode(), mode=0o600, durable=False)
