"""The contexts of a session: what came into it before each response, piece by piece, as its records tell. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

from clew.core.cost.prices import Tokens
from clew.core.gate.shell.purposes import split
from clew.core.gate.shell.words import program
from clew.core.records.context_parts import ContextPart, PartSort
from clew.core.records.transcript import (
    Action,
    Call,
    Compaction,
    Delegate,
    Edit,
    Model,
    Prompt,
    Record,
    Reply,
    Result,
    Run,
    Running,
    Summary,
    Thought,
    Usage,
)
from clew.core.records.transcript import Call as ToolCall
from clew.core.text.receipt import OPENING

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


# A picture has at most so many tokens, the schemas that were asked for by name so many a tool, a summary so many.
_MOST: Final[dict[PartSort, int]] = {"image": 5_000, "loaded": 6_000, "summary": 30_000}
_GROUPS: Final[dict[PartSort, Group]] = {
    "system": "system",
    "tools": "tools",
    "rules": "rules",
    "skills": "skills",
    "hook": "hooks",
    "client": "client",
    "image": "images",
    "loaded": "tools",
    "got": "results",
    "kept": "summaries",
    "summary": "summaries",
}
# From so many tokens on a result is looked at for whether anything of it was used later.
LARGE_TOKENS: Final = 1_500
_TERM: Final = re.compile(r"[A-Za-z_][\w./-]{5,60}\w")


class Response(NamedTuple):
    """One response: `pieces` came into the context since the one before it, whose output was `before` tokens. `starts`:
    the context was rebuilt (the first one, or behind a compaction).
    """

    time: str
    model: str
    tokens: Tokens
    pieces: tuple[Piece, ...]
    before: int
    starts: bool


class _Chain:
    """One agent's responses."""

    def __init__(self) -> None:
        self.pending: list[Piece] = []
        self.since = 0  # pieces before this one were there when the last response was told of
        self.keys: dict[str, int] = {}
        self.usages: list[Usage] = []
        self.pieces: list[tuple[Piece, ...]] = []
        self.starts: list[bool] = []
        self.starting = True
        self.told_first = False  # the client tells of the tokens of a response before it tells its words

    def add(self, piece: Piece) -> None:
        if piece.tokens or piece.most:
            self.pending.append(piece)

    def compacted(self) -> None:
        self.pending.clear()
        self.since = 0
        self.starting = True

    def answered(self, key: str, usage: Usage) -> None:
        """A response was told of, or told of again. What the model wrote since the last one is this one's own: it is in
        the next context.
        """
        known = self.keys.get(key)
        if known is not None:
            if usage.output >= self.usages[known].output:
                self.usages[known] = usage
            self.since = len(self.pending)
            return
        made = [at for at in range(self.since, len(self.pending)) if self.pending[at].made]
        if not self.usages:
            self.told_first = not made
        cut = made[0] if made and not self.told_first else len(self.pending)
        self.keys[key] = len(self.usages)
        self.usages.append(usage)
        self.pieces.append(tuple(self.pending[:cut]))
        self.starts.append(self.starting)
        self.pending = self.pending[cut:]
        self.since, self.starting = len(self.pending), False

    def responses(self) -> list[Response]:
        made = []
        for number, usage in enumerate(self.usages):
            tokens = Tokens(usage.input, usage.cache_write, usage.cache_write_long, usage.cache_read, usage.output)
            before = self.usages[number - 1].output if number else 0
            made.append(Response(usage.time, usage.model, tokens, self.pieces[number], before, self.starts[number]))
        return made


class Contexts:
    """Takes the lines of a session's files in their order. `estimate` counts the tokens of a text. `has_inputs`: the
    reader tells what was sent to calls (`ContextPart`), so that a call needs no estimate of its own.
    """

    def __init__(self, estimate: Callable[[str], int], *, has_inputs: bool) -> None:
        self._estimate = estimate
        self._has_inputs = has_inputs
        self._chains: dict[str, _Chain] = {}
        self._calls: dict[str, int] = {}
        self._inputs: set[str] = set()
        self._outputs: set[str] = set()  # of the line that is taken
        self._model = ""
        self._seen: set[str] = set()
        self._open: dict[str, int] = {}  # words that stand in one large result only, by its step
        self.steps: list[BillStep] = []
        self.titles: dict[str, str] = {}  # the beginning of what a sub-agent was told
        self.turns = 0

    def take(self, records: Iterable[Record], parts: Iterable[ContextPart], *, agent: str = "") -> None:
        """Take one line. What stands on no sub-agent's chain is of `agent`."""
        used = []
        parts = list(parts)
        self._outputs = {part.name for part in parts if part.sort == "output"}
        for record in records:
            whose = record.agent or agent
            if isinstance(record, Usage):
                used.append((whose, record))
            elif isinstance(record, Model):
                self._model = record.name
            elif isinstance(record, Compaction):
                if record.trigger != "micro":
                    self._chain(whose).compacted()
            else:
                self._record(record, whose)
        for part in parts:
            self._part(part, part.agent or agent)
        for whose, usage in used:
            if usage.input + usage.cache_write + usage.cache_read:
                key = f"{usage.message} {usage.request}" if usage.message else f"@{usage.at}"
                self._chain(whose).answered(key, usage._replace(model=usage.model or self._model))

    def chains(self) -> dict[str, list[Response]]:
        """The responses of each agent, the main chain's ("") first."""
        return {agent: self._chains[agent].responses() for agent in sorted(self._chains) if self._chains[agent].usages}

    def _chain(self, agent: str) -> _Chain:
        return self._chains.setdefault(agent, _Chain())

    def _add(self, agent: str, group: Group, name: str, text: str, *, made: bool = False, step: int = -1) -> None:
        tokens = self._estimate(text)
        if not agent and group == "results" and step >= 0 and tokens >= LARGE_TOKENS:
            self._large(step, text)
        self._terms(text, made=made)
        self._chain(agent).add(Piece(group, name, tokens, made, 0, step, self.turns))

    def _record(self, record: Record, agent: str) -> None:
        if isinstance(record, Prompt):
            if agent:
                self.titles.setdefault(agent, record.text[:200])
            else:
                self.turns += 1
            self._add(agent, "prompts", record.source, record.text)
        elif isinstance(record, Reply):
            self._add(agent, "words", "", record.text, made=True)
        elif isinstance(record, Thought):
            self._add(agent, "thinking", "", record.text, made=True)
        elif isinstance(record, Summary):
            self._add(agent, "summaries", "", record.text)
        elif isinstance(record, Call):
            self._call(record._replace(agent=agent))
        elif isinstance(record, Result):
            self._result(record, agent)
        elif isinstance(record, Running) and record.call not in self._outputs:
            self._got(agent, record.call, record.text)

    def _call(self, call: Call) -> None:
        step = self._calls.get(call.id)
        if step is None:
            self._calls[call.id] = len(self.steps)
            self.steps.append(step_of(call, self.turns, step_name(call)))
        else:
            known = self.steps[step]
            self.steps[step] = known._replace(actions=(*known.actions, call.action))
        if not self._has_inputs:
            self._add(call.agent, "calls", step_name(call), _said(call), made=True, step=self._calls[call.id])

    def _result(self, record: Result, agent: str) -> None:
        step = self._calls.get(record.call)
        if step is not None:
            self.steps[step] = self.steps[step]._replace(outcome=record.outcome, exit_code=record.exit_code)
        if record.call not in self._outputs:
            self._got(agent, record.call, record.text + record.reason)

    def _got(self, agent: str, call: str, text: str) -> None:
        """A result came. What a script of the model got is not shown to it."""
        step = self._calls.get(call, -1)
        if self._has_inputs and call not in self._inputs:
            return
        self._add(agent, "results", self.steps[step].name if step >= 0 else "", text, step=step)

    def _part(self, part: ContextPart, agent: str) -> None:
        if part.sort == "input":
            step = self._calls.get(part.name, -1)
            self._inputs.add(part.name)
            self._add(agent, "calls", self.steps[step].name if step >= 0 else "", part.text, made=True, step=step)
        elif part.sort == "output":
            self._got(agent, part.name, part.text)
        elif part.sort == "made":
            self._add(agent, "calls" if part.name else "words", part.name, part.text, made=True)
        elif part.sort == "hook":
            self._add(agent, "hooks", "clew" if OPENING in part.text else f"others: {part.name}", part.text)
        elif most := _MOST.get(part.sort, 0):
            if not part.text:
                self._chain(agent).add(Piece(_GROUPS[part.sort], part.name, 0, False, most, -1, self.turns))
        else:
            self._add(agent, _GROUPS[part.sort], part.name, part.text)

    def _large(self, step: int, text: str) -> None:
        """Note the words of a large result that nobody said before, to see whether they are used."""
        fresh = set(_TERM.findall(text)) - self._seen
        for term in fresh:
            self._open[term] = step
        self.steps[step] = self.steps[step]._replace(terms=max(1, len(fresh)))

    def _terms(self, text: str, *, made: bool) -> None:
        terms = set(_TERM.findall(text))
        for term in terms & self._open.keys() if made else ():
            step = self._open.pop(term)
            self.steps[step] = self.steps[step]._replace(used=self.steps[step].used + 1)
        self._seen |= terms


def _said(call: Call) -> str:
    """About what was sent to a call, of a client that does not tell."""
    action = call.action
    if isinstance(action, Edit):
        return f"{action.path} {action.removed} {action.added}"
    return action.command if isinstance(action, Run) else " ".join(map(str, action))
