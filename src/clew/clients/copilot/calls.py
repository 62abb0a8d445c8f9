"""GitHub Copilot CLI's tools: what a call means. Names and arguments: docs/clients/copilot.md, "Tools"."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from clew.clients import patches
from clew.clients.fields import detail, inner, text
from clew.clients.tools import Meaning, actions_of, delegate, edit, plan, run, search
from clew.core.records.transcript import Action, Ask, Other, Poll, Question, Read


def _view(fields: dict[str, Any]) -> tuple[Action, ...]:
    """`view_range`: the first line and the last, which is -1 for the end."""
    span = fields.get("view_range")
    first, last = span if isinstance(span, list) and len(span) == 2 else (0, 0)
    whole = [value if type(value) is int and value > 0 else 0 for value in (first, last)]
    return (Read(text(fields, "path"), *whole),)


def _patch(fields: dict[str, Any]) -> tuple[Action, ...]:
    """Codex's form of a patch, which the client offers to the models that know it."""
    return patches.edits(text(fields, "input")) or (Other(detail(fields)),)


def _ask(fields: dict[str, Any]) -> tuple[Action, ...]:
    """A form: the fields of its schema may have a list of values to choose from. Older: a question with choices."""
    properties = inner(inner(fields, "requestedSchema"), "properties")
    lists = [fields.get("choices"), *(inner(properties, name).get("enum") for name in properties)]
    labels = tuple(label for one in lists if isinstance(one, list) for label in one if isinstance(label, str))
    return (Ask((Question(text(fields, "message", "question"), labels),)),)


def _poll(fields: dict[str, Any]) -> tuple[Action, ...]:
    return (Poll(str(fields.get("shellId", ""))),)


_TOOLS: Final[dict[str, Meaning]] = {
    **dict.fromkeys(("bash", "powershell"), run("command")),
    **dict.fromkeys(("read_bash", "write_bash", "read_powershell", "write_powershell"), _poll),
    "view": _view,
    "edit": edit("path", "old_str", "new_str"),
    "create": edit("path", "", "file_text"),
    "apply_patch": _patch,
    **dict.fromkeys(("grep", "rg", "glob"), search("pattern", "path", "paths", "glob")),
    "task": delegate("description", "name"),
    "ask_user": _ask,
    "exit_plan_mode": plan("summary"),
}
# What a call of a tool with these arguments does. Mostly one action; a patch gives one for each of its places.
actions = partial(actions_of, _TOOLS)
