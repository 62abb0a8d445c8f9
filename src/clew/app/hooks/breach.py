"""Behind a tool: what is watched was changed. Agent and person are told, with the way to put it back; it is recorded.

A gate reads what a tool would do, and cannot see everything; this sees what was done (`app/project/watch.py`).
"""

from __future__ import annotations

import difflib
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from clew.app.ports import Ports, runtime_dir
from clew.app.project.location import locate
from clew.app.project.opening import open_project
from clew.app.project.runtime_dirs import read_small
from clew.app.project.session import ProjectSession
from clew.app.project.watch import WatchedChange, changes
from clew.core.records.hook_events import SILENCE, Answer, HookEvent
from clew.core.runtime_dir import GATES, GATES_VERSION
from clew.core.text.cleaning import shorten

# A change that the file system stamps this much before the tool began may still be the tool's: its clock is coarse.
_TICK_NS: Final = 20_000_000
_FILES_SHOWN: Final = 5
_DIFF_LINES: Final = 30
_LINE_CHARS: Final = 160
_COMMAND_CHARS: Final = 120
_FILES_KEPT: Final = 50


def breached(ports: Ports, event: HookEvent, live: str) -> Answer:
    """What is said of what changed behind the tool of `event`; silence where all holds what it held.

    Raises `ClewError`, `OSError`.
    """
    location = locate(Path(event.folder))
    place = runtime_dir(ports, location.root) or live
    gates = _gates(place)
    if not gates:
        return SILENCE
    found = changes(ports, location, Path(place), gates)
    if not found:
        return SILENCE
    during = all(not one.ctime_ns or one.ctime_ns >= event.began_ns - _TICK_NS for one in found)
    with open_project(ports, Path(event.folder), write=True) as at:
        command = shorten(at.safe(event.command), _COMMAND_CHARS) if event.command else event.tool
        plan = gates.get("plan")
        data = {
            "gate": "plan" if plan else "offlimits",
            "files": [at.safe(one.path) for one in found[:_FILES_KEPT]],
            "tool": at.safe(event.tool),
            "command": command,
            "during": during,
        }
        if at.refusal is None:  # else it is told all the same
            at.append([at.event("gate.breached", data, task=str(gates.get("task", "")), visibility="private")])
        return _told(at, found, command, during=during, title=str(plan["title"]) if plan else "")


def _gates(place: str) -> dict[str, Any]:
    try:
        found = json.loads(read_small(f"{place}/{GATES}", most=4 << 20))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("v") == GATES_VERSION else {}


def _told(at: ProjectSession, found: Sequence[WatchedChange], command: str, *, during: bool, title: str) -> Answer:
    paths = [one.path for one in found]
    names = ", ".join(at.safe(path) for path in paths[:_FILES_SHOWN])
    names += f" and {len(paths) - _FILES_SHOWN} more" if len(paths) > _FILES_SHOWN else ""
    why = f"while the plan “{title}” waits for approval" if title else "and they are off limits"
    whose = f"`{command}` changed" if during else "Somebody else, or something that was left running, changed"
    head = f"clew: {whose} files, {why}: {names}."
    known = [one for one in found if one.known]
    back = (
        f"`clew gate restore {shlex.join(at.safe(one.path) for one in known)}` puts back what they held."
        if known
        else ""
    )
    lost = [at.safe(one.path) for one in found if not one.known]
    back += f" Too large to have been kept: {', '.join(lost[:_FILES_SHOWN])}." if lost else ""
    ask = (
        "Put it back, or tell the person you work for." if during else "Tell the person you work for before you go on."
    )
    diff = _diffs(at, found)
    context = "\n".join(part for part in (f"{head} {ask}", back.strip(), diff) if part)
    return Answer(context=context, message=f"{head} {back}".strip())


def _diffs(at: ProjectSession, found: Sequence[WatchedChange]) -> str:
    """What changed, as a diff of so many lines."""
    lines: list[str] = []
    for one in found:
        lines += _diff(at, one)
        if len(lines) > _DIFF_LINES:
            return "\n".join([*lines[:_DIFF_LINES], "(the rest is left out)"])
    return "\n".join(lines)


def _diff(at: ProjectSession, one: WatchedChange) -> list[str]:
    path = at.safe(one.path)
    if not one.known:
        return [f"{path}: changed"]
    if one.before == one.after:
        return [f"{path}: its rights changed"]
    before, after = (_lines(at, content) for content in (one.before, one.after))
    if before is None or after is None or before == after:
        return [f"{path}: {len(one.before or b'')} bytes before, {len(one.after or b'')} now"]
    rows = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="", n=1)
    return [row[:_LINE_CHARS] for row in rows]


def _lines(at: ProjectSession, content: bytes | None) -> list[str] | None:
    """The lines of a text, None for what is none. They are safe before they are compared: the signs of a diff, and a
    cut, would hide a secret from the rules.
    """
    if content is None:
        return []
    if b"\0" in content:
        return None
    return at.safe_lines(content.decode("utf-8", "replace")).splitlines()
