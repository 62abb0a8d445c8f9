"""The work that the stories tell of: a till whose refunds are off by a cent, and what an agent finds out about it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from clew.interfaces.mcp.tools import INSTRUCTIONS
from tests.live.people import Person
from tests.live.script import Call, Request, Scripted, bash, edit, read, say

TASK = "Refunds of split orders"
PROMPT = "Refunds of split orders are off by a cent: make the parts of share() add up to the total."
DECISION = "Amounts stay whole cents"
WHY_DECIDED = "floats lose one in a hundred refunds"
DEAD_END = "Rounding every part by itself"
WHY_FAILED = "the parts add up to a cent too much"
NEXT = "Give the rest of the division to the first parts in refunds.py"
OLD, NEW = "[total // parts] * parts", "[round(total / parts)] * parts"


def opted_in(me: Person, project: Path) -> str:
    """`clew init` for the client and a task that is bound here, as a person would; the task's title."""
    me.clew("init", "--client", me.name, cwd=project)
    me.clew("task", "new", TASK, cwd=project)
    return TASK


def noted(command: str, text: str, why: str = "", *more: str) -> Call:
    """The agent records something by the command that it was told of."""
    return bash(shlex.join(["clew", command, text, *(("--why", why) if why else ()), *more]))


def works_on_refunds(project: Path, inside: Path) -> list[Scripted]:
    """A session that decides, fails, knows what to do next, edits refunds.py, and then runs something that does not
    end: `inside` is made when it runs."""
    path = project / "refunds.py"
    return [
        say("I look at it.", read(path)),
        say("First what is settled.", noted("decide", DECISION, WHY_DECIDED)),
        say("I try to round each part.", edit(path, OLD, NEW)),
        say("That was wrong.", noted("reject", DEAD_END, WHY_FAILED, "--file", "refunds.py"), noted("next", NEXT)),
        say("Now the tests.", bash(f"touch {shlex.quote(str(inside))}; sleep 300")),
    ]


def changed_by_somebody(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8") + "\n\ndef cents(amount):\n    return amount\n", encoding="utf-8")


def holds_what_was_known(said: str) -> None:
    """Goal, decision, dead end with its reason, next action, and the changed file as one to look at first."""
    assert "off by a cent" in section(said, "Goal")
    decisions = section(said, "Decisions")
    assert DECISION in decisions and WHY_DECIDED in decisions
    failed = section(said, "Failed approaches")
    assert f"(verify first) {DEAD_END}" in failed and WHY_FAILED in failed  # it cites the file
    assert NEXT in section(said, "Next action")
    assert "- refunds.py" in section(said, "Read first")
    assert "- refunds.py" in section(said, "Files in play")  # it was edited
    assert "- refunds.py: changed" in section(said, "Changed on disk since")


def besides_our_server(request: Request) -> str:
    """What the model saw, without what the client says by itself of an MCP server: tools, their names, instructions."""
    told = "\n".join(said.text for said in request.seen if said.role != "tools")
    return re.sub(r"mcp__clew__\w+|## clew\n", "", told).replace(INSTRUCTIONS, "")


def section(text: str, heading: str) -> str:
    """What stands under the headings that begin with `heading`, up to the next heading."""
    found = [part.partition("\n")[2] for part in ("\n" + text).split("\n## ")[1:] if part.startswith(heading)]
    return "\n".join(part.partition("\n</clew-data")[0] for part in found)
