"""When a session is asked for a draft: once where its context crosses a threshold, and, if its person wants that, once
at the end of a turn behind real work. What was asked already stands in the session's live folder
(docs/reference/hooks.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.app.draft.newest import newest
from clew.app.project.runtime_dirs import all_lives, read_small, write_small
from clew.core.runtime_dir import session_folder
from clew.core.state.events import timestamp
from clew.workspace.times import nanoseconds

if TYPE_CHECKING:
    from clew.app.ports import Ports
    from clew.core.state.extract import Extract
    from clew.ledger.port import Ledger
    from clew.sessions.cache import SessionFacts

SECONDS: Final = 20 * 60
TOKENS: Final = 30_000
# The last time that a draft was kept or asked for at a turn's end, and what the session had used by then.
_DONE: Final = "drafted"
# A threshold's line was said: the next checkpoint without a draft is answered with the request.
_WANTED: Final = "draft-wanted"


class Mark(NamedTuple):
    """A point of a session: `time` (RFC 3339 UTC, "" its beginning), and the `tokens` that it had used, 0 unknown."""

    time: str = ""
    tokens: int = 0


class WorkSince(NamedTuple):
    """What a session did since a point: whether it edited or committed anything, in how many seconds, and for how many
    tokens, those from a cache not counted.
    """

    is_real: bool
    seconds: int
    tokens: int

    @property
    def is_worth_a_draft(self) -> bool:
        """Whether a draft would hold enough for what it costs."""
        return self.is_real and (self.seconds >= SECONDS or self.tokens >= TOKENS)


def work_since(facts: SessionFacts, extract: Sequence[Extract], since: Mark) -> WorkSince:
    """What a session did since `since`, by its record and what rules read off it."""
    commits = any(
        item.kind == "step" and item.status == "committed" and item.provenance == "verified" and item.time > since.time
        for one in extract
        for item in one.items
    )
    start, end = nanoseconds(since.time or facts.first), nanoseconds(facts.latest)
    seconds = (end - start) // 1_000_000_000 if start is not None and end is not None else 0
    return WorkSince(facts.edited > since.time or commits, max(0, seconds), max(0, used(facts) - since.tokens))


def used(facts: SessionFacts) -> int:
    """The tokens that a session has used so far, those from a cache not counted."""
    total = facts.usage.total()
    return total.input + total.cache_write + total.output


def last_mark(ledger: Ledger, folder: str, session: str) -> Mark:
    """When a draft of the session was last kept or asked for. `folder` is its live folder, "" none."""
    draft = newest(ledger, session=session)
    known = _read(folder)
    return known._replace(time=max(known.time, draft.time if draft is not None else ""))


def mark(folder: str, now: Mark) -> None:
    """Note that a draft was kept, or asked for."""
    with suppress(OSError):
        write_small(f"{folder}/{_DONE}", f"{now.time} {now.tokens}\n")
    with suppress(OSError):
        Path(folder, _WANTED).unlink()


def note_kept(ports: Ports, session: str, tokens: int) -> None:
    """Note a draft that was just kept of a session which had used so many tokens: nobody is asked for what it holds."""
    for folder in folders_of(ports, session):
        mark(folder, Mark(timestamp(ports.now_ms()), tokens))


def want(folder: str) -> None:
    """Let the session's next checkpoint be answered with the request for a draft."""
    with suppress(OSError):
        write_small(f"{folder}/{_WANTED}", "")


def asked(ports: Ports) -> bool:
    """Whether the session that asks is to be told how to write a draft; it is told once."""
    for folder in folders_of(ports, ports.asking_session):
        with suppress(OSError):
            Path(folder, _WANTED).unlink()
            return True
    return False


def folders_of(ports: Ports, session: str) -> Iterator[str]:
    """The live folders of a session, wherever it was started."""
    for live in all_lives(ports.trust_store.parent) if session else ():
        folder = session_folder(str(live), session)
        if folder and Path(folder).is_dir():
            yield folder


def _read(folder: str) -> Mark:
    try:
        time, _, tokens = read_small(f"{folder}/{_DONE}").strip().partition(" ")
        return Mark(time, int(tokens))
    except (OSError, ValueError):
        return Mark()
