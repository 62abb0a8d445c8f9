"""OpenCode's tools: what a `tool` part means by its input."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from clew.clients import patches
from clew.clients.fields import detail, text
from clew.clients.tools import Meaning, actions_of, ask, delegate, edit, edits, plan, read, run, search, todos
from clew.core.records.transcript import Action, Other


def _patch(fields: dict[str, Any]) -> tuple[Action, ...]:
    """Codex's form of a patch, which the client offers to the models that know it."""
    return patches.edits(text(fields, "patchText")) or (Other(detail(fields)),)


_STATES: Final = {"in_progress": "in_progress", "completed": "completed", "cancelled": "deleted"}
_TOOLS: Final[dict[str, Meaning]] = {
    **dict.fromkeys(("bash", "shell"), run("command", "workdir")),
    "read": read("filePath"),
    "edit": edit("filePath", "oldString", "newString"),
    "multiedit": edits("filePath", "oldString", "newString"),
    "write": edit("filePath", "", "content"),
    **dict.fromkeys(("apply_patch", "patch"), _patch),
    **dict.fromkeys(("grep", "glob"), search("pattern", "path", "include")),
    "list": search("", "path"),
    "plan_exit": plan("plan"),
    "todowrite": todos("todos", "content", states=_STATES),
    "question": ask,
    "task": delegate("description"),
}
# What a call of a tool with this input does. Mostly one action; a patch gives one for each of its places.
actions = partial(actions_of, _TOOLS)
