"""Uses: what the records of a session tell of tokens, each response once, with where and for what it was made.

`UsageFold` has the one rule by which lines about a response are one; the index of tokens has the same in SQL. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from clew.core.cost.prices import Tokens
from clew.core.records.transcript import Call, Context, Lineage, Model, Record, Usage


class ResponseUse(NamedTuple):
    """One response. `session`, `cwd` and `model` are "" where nobody said; `tools` are those that it called."""

    time: str
    session: str
    cwd: str
    agent: str
    model: str
    tools: tuple[str, ...]
    tokens: Tokens


class Totals(NamedTuple):
    """Tokens of some responses. `input` is what neither came from the cache nor went into it."""

    responses: int = 0
    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0


class UsageTotals(NamedTuple):
    """What a session used: the `context` of the last call on its main chain in tokens, and totals by model's name, in
    order of first use.
    """

    context: int
    models: dict[str, Totals]

    def total(self) -> Totals:
        """Totals of all models."""
        return Totals(*map(sum, zip(*self.models.values(), strict=True)))


class UsageFold:
    """Adds up the usage of a session's records, in the order of its file, each response once: its last line holds, but
    none with less output than one before (a copy may be cut), and the tools of all its lines.

    `responses` are by their key. `context` is that of the last call on the main chain, in tokens. `session`, `cwd`,
    `model`, `tools` and `family` are what the next record needs to know of those before it: they may be kept, to go on
    later.
    """

    def __init__(
        self, session: str = "", cwd: str = "", model: str = "", tools: Iterable[str] = (), family: str = ""
    ) -> None:
        self.session = session
        self.cwd = cwd
        self.model = model
        self.tools = list(tools)
        self.family = family
        self.responses: dict[str, ResponseUse] = {}
        self.context = 0

    def add(self, records: Iterable[Record], name: str = "") -> None:
        """Count the `Usage` among these; tools that were called since the last one are what it called. `name` is their
        file's, where there are several: it makes keys of places.
        """
        for record in records:
            if isinstance(record, Usage):
                self._count(record, name)
            elif isinstance(record, Call):
                self.tools.append(record.tool)
            elif isinstance(record, Context):
                self.session = record.session or self.session
                self.cwd = record.cwd or self.cwd
            elif isinstance(record, Model):
                self.model = record.name
            elif isinstance(record, Lineage):
                self.family = record.session

    def _count(self, usage: Usage, name: str) -> None:
        at, time, agent, message, request, model, given, written, read, output, long, _ = usage
        if not agent:
            self.context = usage.context
        tools = tuple(dict.fromkeys(self.tools)) if self.tools else ()
        self.tools.clear()
        tokens = Tokens(given, written, long, read, output)
        key = f"{self.family} {message} {request}".lstrip() if message else f" {name} {at}"
        known = self.responses.get(key)
        if known is None:
            self.responses[key] = ResponseUse(time, self.session, self.cwd, agent, model or self.model, tools, tokens)
            return
        self.responses[key] = known._replace(
            tokens=tokens if tokens.output >= known.tokens.output else known.tokens,
            tools=tuple(dict.fromkeys((*known.tools, *tools))) if tools else known.tools,
        )

    def totals(self) -> UsageTotals:
        """What was used up to here."""
        sums: dict[str, Totals] = {}
        for use in self.responses.values():
            tokens = use.tokens
            one = (1, tokens.input, tokens.cache_write, tokens.cache_read, tokens.output)
            sums[use.model] = Totals(*map(int.__add__, sums.get(use.model, Totals()), one))
        return UsageTotals(self.context, sums)

    def total(self) -> Totals:
        """Totals of all models."""
        return self.totals().total()
