"""Compacting a program's conversation: the protocol of `core/context/compaction.py`, driven by a function that
summarises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from clew.app.context.lost import lost
from clew.core.context.compaction import KEEP_LAST, Compacted, Recall, compacting
from clew.core.context.messages import Message, tokens_of
from clew.core.state.items import LETTERS, Item, State
from clew.core.text.tokens import estimate
from clew.documents.grammar import entry_of, line_of
from clew.documents.profiles import Section

# As much as a whole payload: more would undo the compaction.
RECALL_TOKENS_MAX = 1_000
_STILL_TRUE = Section("Still true, from the ledger", ("finding", *LETTERS))


class Remembers(Protocol):
    """What a summary is compared with: an open `clew.Project`, or whatever has a state."""

    def state(self) -> State:
        """The live items."""
        ...


def maybe_compact(
    messages: Sequence[Message],
    threshold: int,
    summarise: Callable[[list[Message], str | None], str],
    focus: str | None = None,
    *,
    keep_last: int = KEEP_LAST,
    count: Callable[[Message], int] = tokens_of,
    pinned: Callable[[Message], bool] | None = None,
    project: Remembers | None = None,
) -> Compacted:
    """The conversation, with its older part summarised if it has more than `threshold` tokens.

    `messages` are in the shape of Anthropic's Messages, OpenAI's Chat Completions or OpenAI's Responses. Above the
    threshold `summarise(older, focus)` gets the older messages (a list that the same API takes) and gives a text, which
    takes their place. These stay as they are: system messages, the first message of the user, what `pinned(message)`
    says, the `keep_last` last messages. Calls are never parted from their results, and where user and assistant took
    turns they go on doing so. With a `project`, what its ledger holds and the summary lost is added.

    `count(message)` gives the tokens of one message (default: clew's estimate). When `summarise` raises or its text is
    of no use, all messages come back as they were, with the `reason`. The same input gives the same bytes.
    """
    steps = compacting(messages, threshold, focus, keep_last=keep_last, count=count, pinned=pinned)
    try:
        request = next(steps)
        while True:
            if isinstance(request, Recall):
                live = without_goal(project.state().items) if project else ()
                request = steps.send(recalled(live, request.summary))
                continue
            try:
                summary = summarise(request.messages, request.focus)
            except Exception as error:
                request = steps.throw(error)
            else:
                request = steps.send(summary)
    except StopIteration as done:
        result: Compacted = done.value
        return result


def without_goal(live: Iterable[Item]) -> tuple[Item, ...]:
    """What a conversation's summary may have lost: not the goal, which the user's first message has, and that stays."""
    return tuple(item for item in live if item.pinned or item.kind != "goal")


def recalled(live: Iterable[Item], summary: str) -> str:
    """Lines that tell again what `summary` lost of the `live` items; "" if it lost nothing.

    Pins, constraints and reminders come first and always, the others by rank while they fit `RECALL_TOKENS_MAX`.
    """
    found = list(lost(live, summary))
    room = RECALL_TOKENS_MAX
    rows: list[str] = []
    for item in sorted(found, key=lambda item: (not _is_due(item), item.rank)):
        row = line_of(entry_of(item), _STILL_TRUE)
        cost = estimate(row) + 1
        if _is_due(item) or cost <= room:
            rows.append(row)
            room -= cost
    return "\n".join([f"## {_STILL_TRUE.heading}", *rows]) if rows else ""


def _is_due(item: Item) -> bool:
    return item.pinned or item.kind in ("constraint", "reminder")
