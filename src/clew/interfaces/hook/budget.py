"""Before a tool call, where somebody set a budget: count what the session used since, and deny when that is too much.

Loaded only where there is a budget. What a person types is never asked here; a denied session can still answer, and
hand over what it has.
"""

from __future__ import annotations

import os
import posix
import time
from collections.abc import Callable
from typing import Any

from clew.core.cost import budget
from clew.core.gate import decision as gate
from clew.core.gate.shell import effects
from clew.core.runtime_dir import CANONICAL
from clew.interfaces.hook import judge, marks
from clew.interfaces.hook.counting import count_use
from clew.interfaces.hook.wire import dialect_of, parsed

_NONE = [0, 0]
# What may be called when nothing more may be used: it records, and starts nothing.
_HANDING_OVER = ("checkpoint", "note", "status", "budget")
_OF_PHASES = ("done", "stop")
_OUR_TOOLS = ("mcp__clew__", "mcp_clew_", "clew_")
_LINE_CHARS_MAX = 4000


def run(event: dict[str, Any], live: str, data: str, out: Callable[[str], object]) -> bool:
    """Answer `PreToolUse`: deny where a budget is used up, else ask the gates; warn where those have nothing to say.
    Whether it denied.
    """
    try:
        verdict, rule, reason = _verdict(event, live, data)
    except Exception:
        judge.run(event, live, out)  # the gates hold whatever is wrong with a budget, of which the shim leaves word
        raise
    if verdict == "deny" and not _hands_over(event):
        return judge.tell(event, live, out, verdict, rule, reason)
    spoke = []

    def say(text: str) -> None:
        spoke.append(True)
        out(text)

    is_denied = judge.run(event, live, say)
    if verdict == "warn" and not spoke:
        judge.tell(event, live, out, verdict, rule, reason)
    return is_denied


def count(event: dict[str, Any], live: str, data: str) -> None:
    """Count what came since the last look: behind the last tool call of a turn nothing else looks."""
    for _ in _held(event, live, data):
        continue


def _verdict(event: dict[str, Any], live: str, data: str) -> tuple[str, str, str]:
    warning, raised = ("", "", ""), None
    for scope, name, limit, label, option, used in _held(event, live, data):
        found = budget.judge(scope, label, option, limit, used, _NONE)
        if found[0] == "deny":
            raised = parsed(marks.read(f"{data}/{budget.SPENT}/{budget.RAISED}")) if raised is None else raised
            found = budget.judge(scope, label, option, limit, used, raised.get(f"{scope}:{name}") or _NONE)
        if found[0] == "deny":
            return found
        warning = found if found[0] and not warning[0] else warning
    return warning


def _held(event: dict[str, Any], live: str, data: str) -> list[tuple[str, str, list[int], str, str, list[int]]]:
    """The budgets that the session is held against: scope, name, limit, label, what the command that raises it calls
    it, and what was used of it. What the session used is counted, and kept for all of them, before any is judged.
    """
    limits, folder = _limits(live), marks.folder_of(event, live)
    says = dialect_of(event.get("client", CANONICAL))
    path = event.get("transcript_path")
    tells = hasattr(says, "spent") or hasattr(says, "used")
    if not limits or not folder or not tells or not isinstance(path, str) or not path.startswith("/"):
        return []
    day, session = time.strftime("%Y-%m-%d"), str(event.get("session_id"))
    task = _task(limits)
    phase = task.get("phase") or {}
    since = {str(one["name"]): str(one.get("since", "")) for one in (task, phase) if one}
    state = count_use(event, folder, says, limits, since, day)
    held = [("session", session, limits["session"], "this session", session[:16], state["session"])]
    held.append(("day", day, limits["day"], "today", "", state["today"]))
    if task:
        short, amount = str(task["short"]), state["scopes"][task["name"]]
        held.append(("task", task["name"], limits["task"], f"task {short} ({task['title']})", short, amount))
    if phase:
        number, amount = str(phase["number"]), state["scopes"][phase["name"]]
        held.append(("phase", phase["name"], phase["limit"], f"phase {number} ({phase['title']})", number, amount))
    return [
        (*row, amount if row[0] == "session" else _shared(f"{data}/{budget.SPENT}/{row[1]}", session, amount))
        for *row, amount in held
    ]


def _limits(live: str) -> dict[str, Any]:
    """The budgets of the place, or of the work tree that it lies in; {} none."""
    holder = marks.holding(live, budget.BUDGET)
    found = parsed(marks.read(f"{holder}/{budget.BUDGET}")) if holder else {}
    return found if found.get("v") == budget.VERSION else {}


def _task(limits: dict[str, Any]) -> dict[str, Any]:
    """The task that the session works for: the one that whoever started it named, else the one that is bound to the
    place; {} none that is known there.
    """
    said = os.environ.get("CLEW_TASK", "")
    wanted = " ".join(said.split()).casefold() or str(limits["bound"]).casefold()
    if not wanted:
        return {}
    prefix = wanted.strip("[]")
    found = [one for one in limits["tasks"] if one["whole"] == wanted]
    found = found or [one for one in limits["tasks"] if one["name"].casefold().startswith((prefix, f"t-{prefix}"))]
    return found[0] if len(found) == 1 else {}


def _shared(folder: str, session: str, own: list[int]) -> list[int]:
    """What all sessions used that count for one thing; `own` is kept as what this one did."""
    marks.write(f"{folder}/{session}", b"%15d %15d %15d %15d\n" % tuple(own), flags=os.O_CREAT)
    total = list(own)
    try:
        names = posix.listdir(folder)
    except OSError:
        return total
    for name in names:
        if name != session:
            found = budget.spent_of(marks.read(f"{folder}/{name}", most=80))
            total = [value + more for value, more in zip(total, found)]  # noqa: B905 - of one length
    return total


def _hands_over(event: dict[str, Any]) -> bool:
    """Whether a call does nothing but record what is there."""
    tool, given = event.get("tool_name"), event.get("tool_input")
    if isinstance(tool, str) and tool.startswith(_OUR_TOOLS):
        return True
    text = given.get("command") if isinstance(given, dict) and tool in gate.SHELLS else None
    if not isinstance(text, str) or "clew" not in text or len(text) > _LINE_CHARS_MAX:
        return False
    line = effects.read(text, str(event.get("cwd") or "/"))
    return bool(line.commands) and not line.writes and not line.rewrites and all(map(_records, line.commands))


def _records(words: list[str]) -> bool:
    name, verb, part = [*words, "", ""][:3]
    is_ours = name.rpartition("/")[2] == "clew"
    return is_ours and (verb in _HANDING_OVER or (verb == "phase" and part in _OF_PHASES))
