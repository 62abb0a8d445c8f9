"""Uses: what the records of a session say of tokens, each response with where and for what it was made. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clew.core.cost.prices import Tokens
from clew.core.records.transcript import Call, Context, Family, Model, Record, Usage


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
            elif isinstance(record, Family):
                self.family = record.session

    def _use(self, usage: Usage, tools: tuple[str, ...]) -> Use:
        return Use(
            f"{self.family} {usage.message} {usage.request}".lstrip() if usage.message else "",
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
