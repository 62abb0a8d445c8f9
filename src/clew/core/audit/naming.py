"""How a bill names a tool call: by its tool, a shell command by its program and what that is told to do."""

from __future__ import annotations

import re
from typing import Final

from clew.core.gate.shell.purposes import split
from clew.core.gate.shell.words import program
from clew.core.records.transcript import Call, Delegate, Run

# Programs whose first word is a verb.
_VERBS: Final = frozenset(
    """git gh go cargo npm pnpm yarn bun npx uv pip poetry make just docker kubectl terraform dotnet gradle mvn mise
    brew apt apt-get python python3 node deno ruby bundle rails composer php""".split()
)
# What stands before the command that is meant.
_BEFORE: Final = frozenset(("cd", "export", "source", ".", "set", "echo", "sleep", "true", "pushd"))
_WORD: Final = re.compile(r"[a-z][\w:.-]{0,24}")


def step_name(call: Call) -> str:
    """`git diff`, `grep`, `Read`; of a sub-agent `agent: its title`."""
    action = call.action
    if isinstance(action, Run):
        return command_name(action.command)
    if isinstance(action, Delegate):
        return f"{call.tool}: {action.title}" if action.title else call.tool
    return call.tool


def command_name(line: str) -> str:
    """The name of the first command of a shell line that does something."""
    parts = [part for part in split(line[:4_000]) if part.words]
    meant = next((part for part in parts if program(part.words[0]) not in _BEFORE), parts[0] if parts else None)
    if meant is None:
        return "shell"
    head = program(meant.words[0])
    if head not in _VERBS:
        return head[:40]
    words = meant.words[1:]
    if head == "git" and words[:1] == ("-C",):
        words = words[2:]
    verb = next((word for word in words if not word.startswith("-")), "")
    if verb == "run" and len(words) > 1 and _WORD.fullmatch(words[1]):
        verb = f"run {words[1]}"
    return f"{head} {verb}" if _WORD.fullmatch(verb.partition(" ")[0]) else head
