"""Fields of the JSON that clients write, of which one that is missing or of another type is read as empty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from clew.core.records.transcript import Question


def line_of(text: str) -> dict[str, Any] | None:
    """The JSON object that a line is, None for any other line."""
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def target_of(given: object) -> str:
    """The file or the command that a tool call is about, by the names that clients give it."""
    if not isinstance(given, dict):
        return ""
    for name in ("command", "file_path", "filePath", "path", "absolute_path", "pattern", "url", "description"):
        if isinstance(value := given.get(name), str):
            return value
    return ""


DETAIL_CHARS: Final = 200
_NUMBER_MAX: Final = 1 << 53


def text(fields: Mapping[str, Any], *names: str) -> str:
    """The first of the members that is a text and not empty, else ""."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def number(fields: Mapping[str, Any], name: str) -> int:
    """A whole number above 0, else 0. Models send numbers as strings at times, and 5 as 5.0."""
    value = fields.get(name)
    if isinstance(value, str) and len(value) < 10 and value.isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _NUMBER_MAX else 0


def amount(fields: Mapping[str, Any], name: str) -> float | None:
    """A number, whole or not, None for none."""
    value = fields.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if abs(value) < _NUMBER_MAX else None  # nor NaN


def inner(fields: Any, *names: str) -> dict[str, Any]:
    """The object at a path of names, else {}."""
    for name in names:
        fields = fields.get(name) if isinstance(fields, Mapping) else None
    return fields if isinstance(fields, dict) else {}


def rows(fields: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects in an array, else []."""
    value = fields.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def detail(fields: Any) -> str:
    """The first short texts of a tool's arguments on one line, for people; "" for arguments that are no object."""
    if not isinstance(fields, dict):
        return ""
    parts = [" ".join(value[: 2 * DETAIL_CHARS].split()) for value in fields.values() if isinstance(value, str)]
    return " · ".join(part for part in parts if part)[:DETAIL_CHARS]


def questions(fields: Mapping[str, Any]) -> tuple[Question, ...]:
    """The questions that a tool puts to the user, with the answers that it offers."""
    return tuple(
        Question(
            text(item, "question", "header"),
            tuple(label for option in rows(item, "options") if (label := text(option, "label"))),
        )
        for item in rows(fields, "questions")
    )


def joined(content: Any) -> str:
    """The texts in a list of pieces, a line each; of what is none its kind in brackets."""
    parts: list[str] = []
    for piece in content if isinstance(content, list) else ():
        kind, words = (piece.get("type"), piece.get("text")) if isinstance(piece, dict) else (None, piece)
        if isinstance(words, str):
            parts.append(words)
        elif isinstance(kind, str):
            parts.append(f"[{kind.removeprefix('input_')}]")
    return "\n".join(parts)


def labels(value: Any) -> str:
    """An answer of the user: a text, or the labels that were chosen."""
    if isinstance(value, str):
        return value
    return ", ".join(item for item in value if isinstance(item, str)) if isinstance(value, list) else ""
