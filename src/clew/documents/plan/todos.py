"""Lists of tasks in JSON as a plan: Codex's `update_plan`, Claude Code's and OpenCode's to-dos, Task Master's tasks.

A list whose tasks have tasks of their own, or name others that they depend on, is a plan with a phase a task. Task
Master keeps such a list under a tag, `{"master": {"tasks": […], "metadata": {…}}}`, and older ones without. Source: its
`.taskmaster/tasks/tasks.json` as people keep it in public repositories.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from clew.core.plan.plan import Phase, Plan, Step
from clew.core.text.cleaning import one_line
from clew.documents.plan.grammar import STEPS_MAX, render

_LISTS: Final = ("plan", "todos", "steps", "tasks", "items")
_TEXTS: Final = ("step", "content", "text", "title", "subject", "description")
_DONE: Final = frozenset(("completed", "complete", "done"))
_PUT_OFF: Final = frozenset(("deferred", "postponed"))
_MAIN_TAG: Final = "master"
_GONE: Final = frozenset(("deleted", "cancelled", "canceled"))


def text_of_todos(source: str, title: str = "To do") -> str | None:
    """The Markdown of a plan whose steps are a JSON list of to-dos or tasks; None where `source` is none."""
    if source.lstrip()[:1] not in ("{", "["):
        return None
    try:
        found = json.loads(source)
    except (ValueError, RecursionError):
        return None
    tag, others = "", []
    if isinstance(found, Mapping) and not any(isinstance(found.get(name), list) for name in _LISTS):
        tags = {str(name): one for name, one in found.items() if _listed(one)}
        tag = _MAIN_TAG if _MAIN_TAG in tags else next(iter(tags), "")
        others = [f"{name}: {len(_listed(one))} tasks" for name, one in tags.items() if name != tag]
        found = tags.get(tag, found)
    tasks = _listed(found)
    if any(_parts(one) or one.get("dependencies") for one in tasks):
        return _text_of_tasks(tasks, title if tag in ("", _MAIN_TAG) else tag, others)
    entries = [(words, str(one.get("status") or "")) for one in tasks if (words := _words(one))]
    return plan_text(entries, title) if entries else None


def plan_text(entries: Iterable[tuple[str, str]], title: str) -> str:
    """The Markdown of a plan of one phase whose steps are to-dos: (text, status)."""
    steps = [
        Step(one_line(text), status in _DONE) for text, status in entries if one_line(text) and status not in _GONE
    ]
    return render(Plan(title, (Phase(1, title, tuple(steps[:STEPS_MAX])),)))


def _text_of_tasks(tasks: list[Mapping[str, Any]], title: str, others: list[str]) -> str:
    """A phase a task, its own tasks the steps; what is put off, and what other tags hold, is told below."""
    phases: list[Phase] = []
    put_off: list[str] = []
    kept = [one for one in tasks if _words(one) and one.get("status") not in _GONE]
    labels = {_label(one) for one in kept if one.get("status") not in _PUT_OFF}
    for one in kept:
        words, is_done = _words(one), one.get("status") in _DONE
        if one.get("status") in _PUT_OFF:
            put_off.append(words)
            continue
        parts = [part for part in _parts(one) if _words(part) and part.get("status") not in _GONE]
        steps = [Step(_words(part), is_done or part.get("status") in _DONE) for part in parts]
        named = one.get("dependencies")
        needs = [str(name) for name in named if str(name).isdecimal()] if isinstance(named, list) else []
        phases.append(
            Phase(
                len(phases) + 1, words, tuple(steps) or (Step(words, is_done),), label=_label(one),
                depends=tuple(int(name) for name in needs if name in labels),
            )
        )  # fmt: skip
    text = render(Plan(title, tuple(phases)))
    for heading, rows in (("Deferred", put_off), ("Other tags", others)):
        text += f"\n## {heading}\n\n" + "".join(f"- {one_line(row)}\n" for row in rows) if rows else ""
    return text


def _label(task: Mapping[str, Any]) -> str:
    number = str(task.get("id") or "")
    return number if number.isdecimal() else ""


def _listed(found: Any) -> list[Mapping[str, Any]]:
    """The tasks of a list, or of what holds one under a name for it."""
    if isinstance(found, Mapping):
        found = next((found[name] for name in _LISTS if isinstance(found.get(name), list)), [])
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _parts(task: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = task.get("subtasks")
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _words(task: Mapping[str, Any]) -> str:
    return one_line(next((task[name] for name in _TEXTS if isinstance(task.get(name), str)), ""))
