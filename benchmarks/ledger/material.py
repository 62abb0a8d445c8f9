"""What the benchmarks put into ledgers: events of the size that people and agents record, the same in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator

from clew.core.state.events import KINDS, Data, Event
from clew.core.state.extract import Extract
from clew.core.state.ids import drawn, ulid
from clew.core.state.items import Item, Origin, Place
from clew.ledger.port import Ledger

PROJECT = "01KBZQ5N00CLEWBENCHPR0JECT"
KEY = bytes(range(32))
_START_MS = 1_795_305_600_000
_WORDS = (
    "the rate limiter counts per user and not per address since the proxy hides them all behind one we keep the old "
    "table until every reader has moved because a release may be rolled back within a day or two when it fails"
).split()


class Author:
    """Says things, one millisecond after the other."""

    def __init__(self, seed: int = 1) -> None:
        self._chance = random.Random(seed)
        self._said = 0

    def text(self, words: int = 16) -> str:
        """A sentence of about 80 characters."""
        return " ".join(self._chance.choices(_WORDS, k=words))

    def name(self, letter: str) -> str:
        """A fresh id."""
        return f"{letter}-{drawn(self._chance.randbytes(10))}"

    def event(self, kind: str, task: str, data: Data) -> Event:
        """An event of an agent's."""
        self._said += 1
        ms = self._said
        name = ulid(_START_MS + ms, self._chance.randbytes(10))
        now = f"2026-11-22T{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}Z"
        session = "5b0c1d3e-7f52-4a0e-9c58-3d1f6a2b9e47"
        place = (session, "/home/dev/shop", "claude-code", "agent", "team")
        return Event(name, name, PROJECT, task, *place, now, now, kind, KINDS[kind].v, data)  # type: ignore[arg-type]

    def stated(self, task: str, item: str = "") -> Event:
        """A decision with its reason."""
        data = {"item": item or self.name("D"), "kind": "decision", "text": self.text(), "why": self.text()}
        return self.event("item.stated", task, data)

    def edited(self, task: str, item: str) -> Event:
        """A decision's new text."""
        return self.event("item.edited", task, {"item": item, "text": self.text()})

    def found(self) -> Item:
        """An item that a rule read off a session."""
        self._said += 1
        place = Place("5b0c1d3e-7f52-4a0e-9c58-3d1f6a2b9e47", 1000 * self._said, self.text())
        files = (self._path(),)
        return Item(self.name("F"), "finding", self.text(), "", "", "inferred", files, place, 0, "", self.text(3))

    def extract(self, task: str, *, extent: int, items: list[Item]) -> Extract:
        """What rules read off the first `extent` bytes: they weigh all `items` anew."""
        ranks = self._chance.sample(range(100, 100 + len(items)), len(items))
        ranked = tuple(item._replace(rank=rank) for item, rank in zip(items, ranks, strict=True))
        session, now = "5b0c1d3e-7f52-4a0e-9c58-3d1f6a2b9e47", f"2026-11-22T01:02:03.{extent % 1000:03d}Z"
        origin = Origin("claude-code", session, "/home/dev/shop", "main", "2026-11-22T01:02:03.000Z", now, False, "")
        return Extract(origin, task, "/home/dev/shop", 1, extent, self._blob(), ranked)

    def checkpoints(self, task: str, *, files: int) -> Iterator[Event]:
        """One checkpoint after the other; between two of them a few of the files in play change, and one leaves."""
        blobs = {self._path(): self._blob() for _ in range(files)}
        while True:
            for path in self._chance.sample(sorted(blobs), 5):
                blobs[path] = self._blob()
            del blobs[self._chance.choice(sorted(blobs))]
            while len(blobs) < files:
                blobs[self._path()] = self._blob()
            data = {
                "checkpoint": self.name("K"),
                "name": "",
                "reason": "automatic",
                "head": self._blob(),
                "branch": "feature/rate-limits",
                "root": "/home/dev/shop",
                "files": [f"{blob} {path}" for path, blob in sorted(blobs.items())],
                "context_tokens": self._chance.randrange(200_000),
                "output_tokens": self._chance.randrange(50_000),
            }
            yield self.event("checkpoint.taken", task, data)

    def _blob(self) -> str:
        return self._chance.randbytes(20).hex()

    def _path(self) -> str:
        folder = self._chance.choice(("src/shop", "src/shop/api", "tests", "tests/api", "docs"))
        return f"{folder}/{'_'.join(self._chance.choices(_WORDS, k=2))}_{self._chance.randrange(1000)}.py"


def append(ledger: Ledger, events: Iterator[Event], count: int) -> None:
    """Append `count` events, a thousand at a time."""
    while count > 0:
        batch = [next(events) for _ in range(min(count, 1000))]
        ledger.append(batch)
        count -= len(batch)


def crowd(author: Author, task: str, *, live: int, others: int) -> Iterator[Event]:
    """For ever: one in ten events is of `task` and its `live` items, the rest of `others` more tasks with their own."""
    items = [author.name("D") for _ in range(live)]
    tasks = [author.name("T") for _ in range(others)]
    said = 0
    while True:
        item = items[said % live]
        yield author.stated(task, item) if said < live else author.edited(task, item)
        for number in range(9):
            yield author.stated(tasks[(said * 9 + number) % others])
        said += 1
