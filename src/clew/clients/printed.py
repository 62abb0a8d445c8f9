"""What a client printed: lines that are JSON, and values at paths of names in them. Nothing in it is trusted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def line_of(text: str) -> dict[str, Any] | None:
    """The JSON object that a line is, None for any other line."""
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text_at(value: object, *names: str) -> str:
    """The text at a path of names in a value, "" for none."""
    found = _at(value, names)
    return found if isinstance(found, str) else ""


def count_at(value: object, *names: str) -> int:
    """The number at a path of names in a value, 0 for none."""
    found = _at(value, names)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 1 << 53 else 0


def number_at(value: object, *names: str) -> float | None:
    """The number, whole or not, at a path of names in a value, None for none."""
    found = _at(value, names)
    if not isinstance(found, int | float) or isinstance(found, bool):
        return None
    return float(found) if abs(found) < 1 << 53 else None  # nor NaN


def dict_at(value: object, *names: str) -> dict[str, Any]:
    """The object at a path of names in a value, an empty one for none."""
    found = _at(value, names)
    return found if isinstance(found, dict) else {}


def list_at(value: object, *names: str) -> list[Any]:
    """The list at a path of names in a value, an empty one for none."""
    found = _at(value, names)
    return found if isinstance(found, list) else []


def _at(value: object, names: Sequence[str]) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def target_of(given: object) -> str:
    """The file or the command that a tool call is about, by the names that clients give it."""
    if not isinstance(given, dict):
        return ""
    for name in ("command", "file_path", "filePath", "path", "absolute_path", "pattern", "url", "description"):
        if isinstance(value := given.get(name), str):
            return value
    return ""
