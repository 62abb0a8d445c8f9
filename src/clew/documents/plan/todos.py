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
    tags = (
        {str(name): one for name, one in found.items() if isinstance(one, Mapping)} if isinstance(found, dict) else {}
    )
    tag = _MAIN_TAG if _listed(tags.get(_MAIN_TAG)) else next((name for name, one in tags.items() if _listed(one)), "")
    tasks = _listed(found) or _listed(tags.get(tag))
    if any(_listed(one.get("subtasks")) or one.get("dependencies") for one in tasks):
        others = [f"{name}: {len(_listed(one))} tasks" for name, one in tags.items() if name != tag and _listed(one)]
        return _text_of_tasks(tasks, title if tag in ("", _MAIN_TAG) else tag, others)
    return plan_text(((_words(one), str(one.get("status") or "")) for one in tasks), title) if tasks else None


def plan_text(entries: Iterable[tuple[str, str]], title: str) -> str:
    """The Markdown of a plan of one phase whose steps are to-dos: (text, status)."""
    steps = [
        Step(one_line(text), status in _DONE) for text, status in entries if one_line(text) and status not in _GONE
    ]
    return render(Plan(title, (Phase(1, title, tuple(steps[:STEPS_MAX])),)))


def _text_of_tasks(tasks: list[Mapping[str, Any]], title: str, others: list[str]) -> str:
    """A phase a task, its own tasks the steps; what is put off, and what other tags hold, is told below."""
    put_off = [_words(one) for one in tasks if one.get("status") in _PUT_OFF]
    kept = [one for one in tasks if one.get("status") not in _PUT_OFF]
    labels = {str(one.get("id")) for one in kept}
    phases: list[Phase] = []
    for one in kept:
        is_done, words, label = one.get("status") in _DONE, _words(one), str(one.get("id"))
        parts = _listed(one.get("subtasks"))
        steps = [Step(_words(part), is_done or part.get("status") in _DONE) for part in parts]
        named = one.get("dependencies")
        needs = {str(name) for name in named} & labels if isinstance(named, list) else set()
        phases.append(
            Phase(
                len(phases) + 1, words, tuple(steps) or (Step(words, is_done),),
                label=label if label.isdecimal() else "",
                depends=tuple(sorted(int(name) for name in needs if name.isdecimal())),
            )
        )  # fmt: skip
    text = render(Plan(title, tuple(phases)))
    for heading, rows in (("Deferred", put_off), ("Other tags", others)):
        text += f"\n## {heading}\n\n" + "".join(f"- {one_line(row)}\n" for row in rows) if rows else ""
    return text


def _listed(found: Any) -> list[Mapping[str, Any]]:
    """The tasks with words, that are not given up, of a list or of what holds one under a name for it."""
    if isinstance(found, Mapping):
        found = next((found[name] for name in _LISTS if isinstance(found.get(name), list)), [])
    tasks = [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
    return [one for one in tasks if _words(one) and one.get("status") not in _GONE]


def _words(task: Mapping[str, Any]) -> str:
    return one_line(next((task[name] for name in _TEXTS if isinstance(task.get(name), str)), ""))
