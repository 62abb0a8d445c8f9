"""The pieces that a context is made of, and the steps (tool calls) that they belong to."""

from typing import Final, Literal, NamedTuple, TypeAlias

from clew.core.records.transcript import Action
from clew.core.records.transcript import Call as ToolCall

# The lines of a bill. base: what was there at the first call and no record holds. unexplained: growth that none does.
Group: TypeAlias = Literal[
    "base",
    "system",
    "rules",
    "mcp",
    "tools",
    "skills",
    "hooks",
    "client",
    "prompts",
    "words",
    "thinking",
    "calls",
    "results",
    "images",
    "summaries",
    "agents",
    "unexplained",
]

MEANINGS: Final[dict[Group, str]] = {
    "base": "system prompt and tool schemas (from the first call)",
    "system": "instructions of the client",
    "rules": "rules files",
    "mcp": "tool schemas of MCP servers",
    "tools": "other tool schemas and lists",
    "skills": "skills",
    "hooks": "what hooks gave",
    "client": "reminders and notes of the client",
    "prompts": "prompts",
    "words": "the model's own words",
    "thinking": "thinking",
    "calls": "what the model sent to tools",
    "results": "what tools gave",
    "images": "images and documents",
    "summaries": "summaries of compactions",
    "agents": "sub-agents",
    "unexplained": "unexplained",
}
# What is there again behind a compaction.
LASTING: Final[frozenset[Group]] = frozenset(("base", "system", "rules", "mcp", "tools", "skills"))


class Piece(NamedTuple):
    """One text in a context. `tokens` is what it is estimated at, before the client's own tokenizer is known.

    `made`: the model wrote it. `most`: nobody can tell its size from the record, and it has at most so many tokens (0:
    `tokens` tells). `step` is the index of the step that it belongs to, -1 none. `turn` counts what the user said.
    """

    group: Group
    name: str
    tokens: int
    made: bool = False
    most: int = 0
    step: int = -1
    turn: int = 0


class BillStep(NamedTuple):
    """A tool call. `name` is how the bill names it: the tool, of a command the program and what it does. `outcome` and
    `exit_code` are as of `Result`, "" while there is none. `terms`: so many words stand in a large result and nowhere
    before it, and the model used `used` of them later.
    """

    agent: str
    call: str
    tool: str
    name: str
    actions: tuple[Action, ...]
    turn: int
    outcome: str = ""
    exit_code: int | None = None
    terms: int = 0
    used: int = 0


def step_of(call: ToolCall, turn: int, name: str) -> BillStep:
    """The step that a call begins."""
    return BillStep(call.agent, call.id, call.tool, name, (call.action,), turn)
