"""How a JSON shape is written: indented, and never failing on a text that is no UTF-8."""

from __future__ import annotations

from typing import Any

import msgspec


def dump(shape: dict[str, Any]) -> str:
    """Indented JSON. Paths that are not UTF-8 are said with replacement characters: JSON has no other way."""
    return msgspec.json.format(msgspec.json.encode(_encodable(shape)), indent=2).decode()


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, dict):
        return {key: _encodable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encodable(inner) for inner in value]
    return value
