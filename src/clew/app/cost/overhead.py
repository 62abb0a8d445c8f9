"""What clew itself cost: what it gave to sessions, and the hand-offs that it had written. Reads the ledger only."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.results import JsonResult
from clew.core.errors import NotFound
from clew.core.text.tokens import estimate


class GivenText(NamedTuple):
    """How often something was given, and the tokens of it all."""

    source: str
    times: int
    tokens: int


class Overhead(JsonResult, frozen=True):
    """`given`: the most first. Hand-offs are those that agents wrote when they were asked."""

    given: tuple[GivenText, ...]
    given_tokens: int
    sessions: int
    drafts: int
    draft_tokens: int


def overhead(project: ProjectHandle) -> Overhead:
    """What clew gave and had written in the project that `folder` is in. Raises `NotFound` where no ledger is kept."""
    if not locate(project.folder).has_ledger:
        raise NotFound(
            "clew is not initialised here, so it gave nothing to any session",
            code="E-no-ledger",
            hint="Run `clew init`.",
        )
    times: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    sessions: set[str] = set()
    drafts = written = 0
    with project.open(write=False) as at:
        for recorded in at.ledger.events(kinds=("payload.given", "draft.written")):
            data = recorded.event.data
            if recorded.event.kind == "draft.written":
                drafts += 1
                written += estimate(str(data.get("text", "")))
                continue
            source, size = str(data.get("source", "")), data.get("tokens")
            times[source] += 1
            tokens[source] += size if isinstance(size, int) else 0
            sessions.add(str(data.get("session", "")))
    rows = tuple(GivenText(source, times[source], total) for source, total in tokens.most_common())
    return Overhead(rows, sum(tokens.values()), len(sessions), drafts, written)
