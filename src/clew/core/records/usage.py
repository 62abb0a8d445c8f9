"""Tally of token usage: what the responses of any number of session files used, each response counted once."""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from clew.core.records.transcript import Model, Record, Usage


class Totals(NamedTuple):
    """Tokens of some responses. `input` is what neither came from the cache nor went into it."""

    responses: int
    input: int
    cache_write: int
    cache_read: int
    output: int


# Of one response: model, input, cache_write, cache_read, output.
Snapshot: TypeAlias = tuple[str, int, int, int, int]

NOTHING = Totals(0, 0, 0, 0, 0)


def context_tokens(usage: Usage) -> int:
    """Size of the context that a response was made from, in tokens."""
    return usage.input + usage.cache_write + usage.cache_read


class Tally:
    """Adds up `Usage` records, in the order in which they stand in their files.

    A response is written as several lines with growing numbers, and resumed or forked sessions copy lines into other
    files: so one (message, request) counts once, and its last snapshot wins. Of copies in several files that is the
    one given last; they are alike, except that a copy may be cut before the final snapshot, so a snapshot with less
    output never replaces one with more. A record without a message id counts for itself.
    """

    def __init__(self) -> None:
        self._last: dict[str, Snapshot] = {}
        self._models: dict[str, str] = {}  # one string a name, not one a response
        self._model = ""
        self.context = 0

    def add(self, records: Iterable[Record]) -> None:
        """Count the `Usage` records among these, and note the `Model` ones; others are skipped."""
        for record in records:
            if isinstance(record, Usage):
                self.add_usage(record)
            elif isinstance(record, Model):
                self.note_model(record)

    def note_model(self, model: Model) -> None:
        """Responses from here on that name no model are this one's."""
        self._model = model.name

    def add_usage(self, usage: Usage) -> None:
        """Count one record. `context` becomes that of the last call on the main chain."""
        key = f"{usage.message} {usage.request}" if usage.message else self._nameless()
        name = usage.model or self._model
        model = self._models.setdefault(name, name)
        self._keep(key, (model, usage.input, usage.cache_write, usage.cache_read, usage.output))
        if not usage.agent:
            self.context = context_tokens(usage)

    def snapshots(self) -> dict[str, Snapshot]:
        """What is counted, by response, in plain values: to be kept, or sent to another process. See `merge`."""
        return self._last

    def merge(self, snapshots: dict[str, Snapshot]) -> None:
        """Count another tally's `snapshots` as well; a response known to both counts once."""
        for key, (model, fresh, written, read, output) in snapshots.items():
            mine = self._nameless() if key.startswith(" ") else key
            self._keep(mine, (self._models.setdefault(model, model), fresh, written, read, output))

    def _nameless(self) -> str:
        return f" {len(self._last)}"

    def _keep(self, key: str, snapshot: Snapshot) -> None:
        known = self._last.get(key)
        if known is None or (snapshot[1:] != known[1:] and snapshot[4] >= known[4]):  # the same again is no news
            self._last[key] = snapshot

    def by_model(self) -> dict[str, Totals]:
        """Totals for each model's name, in order of first use."""
        sums: dict[str, list[int]] = {}
        for model, given, written, read, output in self._last.values():
            total = sums.setdefault(model, [0, 0, 0, 0, 0])
            total[0] += 1
            total[1] += given
            total[2] += written
            total[3] += read
            total[4] += output
        return {model: Totals(*total) for model, total in sums.items()}

    def total(self) -> Totals:
        """Totals of all models."""
        total = NOTHING
        for part in self.by_model().values():
            total = _plus(total, part)
        return total


def _plus(one: Totals, other: Totals) -> Totals:
    return Totals(*map(int.__add__, one, other))
