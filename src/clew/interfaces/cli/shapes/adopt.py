"""The part of `clew init --adopt --json` that tells what was found. Documented in docs/json.md."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from clew.app.adopt import Adopted, Offers


def adopt_shape(found: Offers, done: Adopted | None) -> list[dict[str, Any]]:
    """Each file that was found."""
    taken: Collection[str] = {reading.name for reading in done.taken.readings} if done and done.taken else ()
    return [
        {
            "name": one.name,
            "sort": one.sort,
            "bytes": one.size,
            "brought": one.brought,
            "new": dict(one.new),
            "problem": one.problem,
            "taken": one.name in taken,
        }
        for one in found.found
    ]
