"""To-do lists of clients as a plan: Codex's `update_plan`, Claude Code's and OpenCode's to-dos, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from clew.core.plan.plan import Phase, Plan, Step
from clew.core.text.cleaning import one_line
from clew.documents.plan.grammar import STEPS_MAX, render

_LISTS: Final = ("plan", "todos", "steps", "tasks", "items")
_TEXTS: Final = ("step", "content", "text", "title", "subject", "description")
_DONE: Final = frozenset(("completed", "complete", "done"))
_GONE: Final = frozenset(("deleted", "cancelled", "canceled"))


def text_of_todos(source: str, title: str = "To do") -> str | None:
    """The Markdown of a plan whose steps are a JSON list of to-dos; None where `source` is none."""
    if source.lstrip()[:1] not in ("{", "["):
        return None
    try:
        found = json.loads(source)
    except (ValueError, RecursionError):
        return None
    entries = list(_entries(found))
    return plan_text(entries, title) if entries else None


def plan_text(entries: Iterable[tuple[str, str]], title: str) -> str:
    """The Markdown of a plan of one phase whose steps are to-dos: (text, status)."""
    steps = [
        Step(one_line(text), status in _DONE) for text, status in entries if one_line(text) and status not in _GONE
    ]
    return render(Plan(title, (Phase(1, title, tuple(steps[:STEPS_MAX])),)))


def _entries(found: Any) -> Iterator[tuple[str, str]]:
    if isinstance(found, Mapping):
        found = next((found[name] for name in _LISTS if isinstance(found.get(name), list)), [])
    for one in found if isinstance(found, list) else ():
        if isinstance(one, Mapping):
            text = next((one[name] for name in _TEXTS if isinstance(one.get(name), str)), "")
            if text:
                yield text, str(one.get("status") or "")
