"""Compacting a program's conversation: the protocol of `core/context/compaction.py`, driven by a function that
summarises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from clew.core.context.compaction import KEEP_LAST, Compacted, Recall, compacting
from clew.core.context.messages import Message, tokens_of
from clew.core.state.items import LETTERS, Item, State
from clew.core.text.tokens import estimate
from clew.distill.identifiers import content_words
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


# Told again whatever the summary says: a rule, a reminder or a pin half remembered is one broken.
_ALWAYS: Final = frozenset(("constraint", "reminder"))
# What a next step would be wrong without. The rest (files, checks, requests) is on the disk or in the last messages.
COSTLY: Final = frozenset(("goal", "decision", "failed", "deferral", "question", "blocker", "next"))
_TOKEN: Final = re.compile(r"[^\W\d][\w./-]*\w|[^\W\d]")
_SUFFIX: Final = re.compile("[a-z]{1,4}")  # of a file: `refunds.py`, not `Split.largest`
_JOINTS: Final = str.maketrans("", "", "-_")
# A summary tells an item if it holds more than half of its names, and three quarters of names (which count twice) and
# words together. An item without names has only its words. Measured in benchmarks/compactions: where it is not clear an
# item is told again, since a line too many costs a few tokens and a decision too few a day.
_NAMES_SHARE: Final = 0.5
_SHARE: Final = 0.75
_WORDS_SHARE: Final = 0.6
# Of a reason one word in two is enough: it is told in other words more often than what it is the reason of.
_WHY_SHARE: Final = 0.49
# Where a line of a summary has one of these, what it says of a failed approach may be the contrary of what is recorded.
_HOPEFUL: Final = frozenset(("work", "longer", "fix", "solv", "resolv", "succeed", "success", "finish"))
_ENDINGS: Final = ("ing", "ion", "ed", "es", "s", "e")
_STEM_CHARS_MIN: Final = 3


def lost(items: Iterable[Item], summary: str) -> tuple[Item, ...]:
    """The items to be told again beside `summary`, in their order.

    Pins, constraints and reminders always. Goals, decisions, failed approaches, deferrals, open questions, blockers and
    the next action when the summary does not tell them. Text counts; reasons only of failed approaches, which are also
    told again where the summary might say that one works after all. What clew itself made of the record's end (an
    inferred next action) is not told again: the last messages are still there.
    """
    whole = _Told(summary)
    hopeful = [line for line in map(_Told, summary.splitlines()) if not line.stems.isdisjoint(_HOPEFUL)]

    def is_told(item: Item) -> bool:
        if not whole.tells(item.text) or item.kind != "failed":
            return whole.tells(item.text)
        return whole.tells(item.why, _WHY_SHARE) and not any(line.tells(item.text) for line in hopeful)

    return tuple(
        item
        for item in items
        if item.pinned
        or item.kind in _ALWAYS
        or (
            item.kind in COSTLY
            and not item.answer
            and (item.kind, item.provenance) != ("next", "inferred")
            and not is_told(item)
        )
    )


class _Told:
    """A summary or a line of one. `flat` is it without case and joints, `stems` are those of its words."""

    def __init__(self, text: str) -> None:
        self.flat = text.lower().translate(_JOINTS)
        self.stems = {_stem(word) for word in _parts(text)[1]}

    def tells(self, text: str, share: float = _WORDS_SHARE) -> bool:
        """Whether it says what `text` says; of a text without names more than this `share` of its words."""
        names, words = _parts(text)
        found = sum(name.translate(_JOINTS) in self.flat for name in names)
        known = sum(_stem(word) in self.stems for word in words)
        if not names:
            return known > share * len(words) or not words
        return found > _NAMES_SHARE * len(names) and 2 * found + known >= _SHARE * (2 * len(names) + len(words))


def _parts(text: str) -> tuple[set[str], set[str]]:
    """The names and the telling words of a text, in lower case. Of a path and of a dotted name the last part counts."""
    names, words = set[str](), set[str]()
    for token in _TOKEN.findall(text):
        last = token.rpartition("/")[2]
        owner, _, member = last.rpartition(".")
        last = member if owner and not _SUFFIX.fullmatch(member) else last
        for part in last.split("-") if last.islower() and "." not in last and "_" not in last else [last]:
            (words if part.isalpha() and (part.islower() or part[1:].islower()) else names).add(part.lower())
    return {name for name in names if len(name) > 1}, content_words(words)


def _stem(word: str) -> str:
    """A word without its ending, so that "restores" and "restoring" are one."""
    ends = (end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= _STEM_CHARS_MIN)
    end = next(ends, "")
    return word.removesuffix(end)
