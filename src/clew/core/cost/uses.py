"""Uses: what the records of a session say of tokens, each response with where and for what it was made, and the one
rule by which lines about a response are one (`merged`; the index has the same in SQL). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clew.core.cost.prices import Tokens
from clew.core.records.transcript import Call, Context, Lineage, Model, Record, Usage


class Use(NamedTuple):
    """One response as one line tells of it: lines with one `key` are one response. `key` is "" where the client gives
    none; then the line's place `at` stands for it. `session`, `cwd` and `model` are "" where nobody said.
    """

    key: str
    at: int
    time: str
    session: str
    cwd: str
    agent: str
    model: str
    tools: tuple[str, ...]
    tokens: Tokens


class Uses:
    """Makes uses of records in the order of their file. What it holds between two records are `session`, `cwd`,
    `model`, `tools` and `family`, which may be kept to go on later.
    """

    def __init__(
        self, session: str = "", cwd: str = "", model: str = "", tools: Iterable[str] = (), family: str = ""
    ) -> None:
        self.session = session
        self.cwd = cwd
        self.model = model
        self.tools = list(tools)
        self.family = family

    def of(self, records: Iterable[Record]) -> Iterator[Use]:
        """A use for every `Usage`; tools that were called since the last one are what it called."""
        for record in records:
            if isinstance(record, Usage):
                tools = tuple(dict.fromkeys(self.tools))
                self.tools.clear()
                yield self._use(record, tools)
            elif isinstance(record, Call):
                self.tools.append(record.tool)
            elif isinstance(record, Context):
                self.session = record.session or self.session
                self.cwd = record.cwd or self.cwd
            elif isinstance(record, Model):
                self.model = record.name
            elif isinstance(record, Lineage):
                self.family = record.session

    def _use(self, usage: Usage, tools: tuple[str, ...]) -> Use:
        return Use(
            f"{self.family} {usage.key}".lstrip() if usage.key else "",
            usage.at,
            usage.time,
            self.session,
            self.cwd,
            usage.agent,
            usage.model or self.model,
            tools,
            Tokens(usage.input, usage.cache_write, usage.cache_write_long, usage.cache_read, usage.output),
        )


def merged(uses: Iterable[Use], into: dict[str, Use], name: str) -> None:
    """Count each response once: its last line holds, but none with less output than one before (a copy may be cut), and
    the tools of all its lines. `name` makes keys of those that have none.
    """
    for use in uses:
        key = use.key or f" {name} {use.at}"
        known = into.get(key)
        if known is None:
            into[key] = use
            continue
        last = use if use.tokens.output >= known.tokens.output else known
        tools = known.tools if not use.tools else tuple(dict.fromkeys((*known.tools, *use.tools)))
        into[key] = known._replace(tokens=last.tokens, tools=tools)


class Totals(NamedTuple):
    """Tokens of some responses. `input` is what neither came from the cache nor went into it."""

    responses: int = 0
    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0


class Tally:
    """Adds up the usage of a session's records, in the order of its file, each response once. `context` is that of the
    last call on the main chain, in tokens.
    """

    def __init__(self) -> None:
        self._uses = Uses()
        self._held: dict[str, Use] = {}
        self.context = 0

    def add(self, records: Iterable[Record], name: str = "") -> None:
        """Count the `Usage` among these. `name` is their file's, where there are several."""
        found = list(records)
        merged(self._uses.of(found), self._held, name)
        chain = [one.context for one in found if isinstance(one, Usage) and not one.agent]
        self.context = chain[-1] if chain else self.context

    def by_model(self) -> dict[str, Totals]:
        """Totals for each model's name, in order of first use."""
        sums: dict[str, Totals] = {}
        for use in self._held.values():
            tokens = use.tokens
            one = (1, tokens.input, tokens.cache_write, tokens.cache_read, tokens.output)
            sums[use.model] = Totals(*map(int.__add__, sums.get(use.model, Totals()), one))
        return sums

    def total(self) -> Totals:
        """Totals of all models."""
        return Totals(*map(sum, zip(*self.by_model().values(), strict=True)))
