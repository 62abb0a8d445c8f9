"""What OpenCode writes: fields of its JSON, of which one that is missing or of another type is read as empty.

Names are the client's own. Format: docs/clients/opencode.md, seen in 1.18.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NUMBER_MAX = 1 << 53


def text(fields: Mapping[str, Any], name: str) -> str:
    """A string, else ""."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def number(fields: Mapping[str, Any], name: str) -> int:
    """A whole number above 0, else 0. Models send numbers as strings at times."""
    value = fields.get(name)
    if isinstance(value, str) and len(value) < 10 and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _NUMBER_MAX else 0


def inner(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object, else {}."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def rows(fields: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects in an array, else []."""
    value = fields.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
