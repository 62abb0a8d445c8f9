"""What a payload has to beat, and what an answer key must not reward.

Baselines are cut to the same size as the payload, measured by the same estimator. Controls are texts that know nothing
of what the session was about: when they score, the key is too weak. Pure: records in, text out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from clew.core.records.transcript import Ask, Call, Edit, Plan, Prompt, Read, Record, Reply, Run, Search, Summary
from clew.core.text.tokens import estimate

BAG_SIZE = 60

# A name rather than a word: it has a digit, an inner capital, or one of _ . / - between its characters. Plain words
# are left out: the control asks whether dropping names is enough, and a bag of prose is not what anybody would give.
_TOKEN = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_./-]*[A-Za-z0-9_]")
_NAME = re.compile(r"(?=.*[A-Za-z])(?:.*[0-9_./-]|.*[a-z][A-Z]|[A-Z]+[a-z]+[A-Z])")
_WORD = re.compile(r"\S+")
_HASH = re.compile(r"[0-9a-f-]{12,}")


def conversation(records: Iterable[Record]) -> list[str]:
    """The messages of user and agent in order, without tools and their output."""
    return [
        f"{'User' if isinstance(record, Prompt) else 'Agent'}: {record.text.strip()}"
        for record in records
        if isinstance(record, Prompt | Reply) and record.text.strip()
    ]


def tail(records: Iterable[Record], budget: int) -> str:
    """The last of the conversation that fits `budget` tokens."""
    return _end("\n\n".join(conversation(records)), budget)


def ends(records: Iterable[Record], budget: int) -> str:
    """The first and the last messages: half the budget each; what the first half leaves over goes to the last."""
    messages = conversation(records)
    text = "\n\n".join(messages)
    if estimate(text) <= budget:
        return text
    first = _start(text, budget // 2)
    return f"{first}\n…\n{_end(text[len(first) :], budget - estimate(first) - 4)}"


def summary(records: Iterable[Record], budget: int) -> str | None:
    """The client's own last compaction summary, from its beginning; None where there was no compaction."""
    last = None
    for record in records:
        if isinstance(record, Summary):
            last = record.text
    return None if last is None else _start(last, budget)


def bag_of_identifiers(records: Iterable[Record], size: int = BAG_SIZE) -> str:
    """The `size` most frequent identifiers of the session, the most frequent first, ties by name.

    Counted over what was said and what tools were asked to do, not over their output: there the identifiers that
    matter stand higher, which makes this the harder control.
    """
    counts: Counter[str] = Counter()
    for text in _said_and_called(records):
        counts.update(token for token in _TOKEN.findall(text) if _NAME.match(token) and not _HASH.fullmatch(token))
    ranked = sorted(counts, key=lambda token: (-counts[token], token))
    return " ".join(ranked[:size])


def _said_and_called(records: Iterable[Record]) -> Iterator[str]:
    for record in records:
        if isinstance(record, Prompt | Reply | Summary):
            yield record.text
        elif isinstance(record, Call):
            yield from _called(record)


def _called(call: Call) -> Sequence[str]:
    match call.action:
        case Run(command):
            return (command,)
        case Read(path) | Edit(path):
            return (path,)
        case Search(pattern, path):
            return (pattern, path)
        case Plan(text):
            return (text,)
        case Ask(questions):
            return [question.text for question in questions]
        case _:
            return ()


def _start(text: str, budget: int) -> str:
    """The longest beginning of `text`, cut between words, of at most `budget` tokens."""
    cuts = [0, *(match.end() for match in _WORD.finditer(text))]
    fitting = bisect_right(cuts, budget, key=lambda cut: estimate(text[:cut]))
    return text[: cuts[max(fitting - 1, 0)]]


def _end(text: str, budget: int) -> str:
    """The longest end of `text`, cut between words, of at most `budget` tokens."""
    cuts = [len(text), *(match.start() for match in reversed(list(_WORD.finditer(text))))]
    fitting = bisect_right(cuts, budget, key=lambda cut: estimate(text[cut:]))
    return text[cuts[max(fitting - 1, 0)] :]
