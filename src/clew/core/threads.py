"""Threads: tasks that nobody had to open. What of a session begins one, whether a session goes on with one, and what it
is called. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clew.core.extract import Extract
from clew.core.items import Item
from clew.core.lasting import UNFINISHED, request_status
from clew.core.text import one_line, shorten

TITLE_CHARS: Final = 80
# What comes of a request that set work going (`Item.status`).
_WORKED: Final = ("committed", "edited", "rebased", "opened", "reverted", "ran")
# Words that greet, thank, or let an agent go on: a request of these alone says nothing about the work.
_EMPTY: Final = frozenset(
    """hi hello hey hallo moin servus hola ciao salut bonjour bonsoir olá oi привет здравствуйте good morning afternoon
    evening day guten tag morgen abend there again all everyone claude codex gemini clew agent yes yep ok okay sure go
    on ahead continue weiter proceed please bitte thanks thank you danke merci gracias test ping you're up ready
    are let's start now next done exit quit clear great perfect nice cool keep going resume and the do it 你好 您好
    こんにちは 안녕하세요""".split()
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUESTION_END: Final = ("?", "？", "؟")
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+")
# "Can you mend it?" asks for work, "can you explain it?" does not.
_POLITE: Final = re.compile(
    r"(?:and |so |hey,? |hi,? )?(?:please|bitte|(?:can|could|would|will) (?:you|we)|kannst du|könntest du)\b"
    r"(?!,? (?:please )?(?:explain|tell|describe|show|say|see|help me understand))",
    re.IGNORECASE,
)
_KEYWORD_CHARS_MIN: Final = 4


def says_nothing(text: str) -> bool:
    """Whether a request only greets, thanks, or lets an agent go on."""
    words = _WORD.findall(text.casefold())
    return text.startswith("/clear") or set(words) <= _EMPTY


def asks_for_work(text: str) -> bool:
    """Whether a request is neither a greeting nor only a question."""
    if says_nothing(text):
        return False
    asked = _SENTENCE.split(one_line(text))
    return not all(one.endswith(_QUESTION_END) and not _POLITE.match(one) for one in asked if one)


def did_work(extract: Extract, *, after: str = "") -> bool:
    """Whether a session changed a file, committed, or was asked for work, `after` that time."""
    return any(_is_work(item) for item in extract.items if item.time > after or not after)


def is_idle(extract: Extract) -> bool:
    """Whether a session holds nothing: no work, no file, no request beyond a greeting."""
    asked = (item for item in extract.items if _is_request(item))
    return not any(_is_work(item) or item.kind == "file" for item in extract.items) and all(
        says_nothing(item.text) for item in asked
    )


def title_of(extracts: Sequence[Extract]) -> str:
    """What a thread of these sessions (the oldest first) is about, "" if none of them tells: the last request that set
    work going and is not done; where all are done, the first.
    """
    goals = [item for one in extracts for item in one.items if item.kind == "goal" and not says_nothing(item.text)]
    asked = [item for item in goals if _is_work(item)] or goals
    if not asked:
        asked = [item for one in extracts for item in one.items if _is_request(item) and asks_for_work(item.text)]
    left = [item for item in asked if request_status(item) in UNFINISHED]
    chosen = left[-1:] or asked[:1]
    return shorten(_first_sentence(chosen[0].text), TITLE_CHARS) if chosen else ""


def is_over(before: Sequence[Extract], after: Extract) -> bool:
    """Whether what the sessions `before` were at is done and committed, and the session `after` begins other work: the
    last of them ended in order and left nothing (no next action, no open request, no file that is not committed), and
    the new one was asked for something that shares no word and no file with it.
    """
    last = before[-1]
    if not (last.origin.ended and committed(last)) or any(map(_is_left, last.items)):
        return False
    if not did_work(after) or not any(_is_request(item) and asks_for_work(item.text) for item in after.items):
        return False
    return _edited(before).isdisjoint(_edited([after])) and _keywords(before).isdisjoint(_keywords([after]))


def committed(extract: Extract) -> bool:
    """Whether a session committed something."""
    return any(item.kind in ("goal", "step") and request_status(item).startswith("committed") for item in extract.items)


def _is_left(item: Item) -> bool:
    """Whether work that is not over left this."""
    if item.kind == "file":
        return item.status == "edited"
    if item.kind == "question":
        return not item.answer
    if item.kind in ("goal", "step"):
        return request_status(item) in UNFINISHED or item.status in ("pending", "in_progress", "blocked")
    return item.kind in ("next", "blocker")


def _is_request(item: Item) -> bool:
    return item.kind in ("goal", "step") and item.provenance == "human"


def _is_work(item: Item) -> bool:
    if item.kind == "file":
        return item.status != "read"
    if item.kind == "step" and item.provenance == "verified":
        return True
    return _is_request(item) and (request_status(item).startswith(_WORKED) or asks_for_work(item.text))


def _edited(extracts: Sequence[Extract]) -> set[str]:
    items = (item for one in extracts for item in one.items)
    return {item.text for item in items if item.kind == "file" and item.status != "read"}


def _keywords(extracts: Sequence[Extract]) -> set[str]:
    asked = (item.text for one in extracts for item in one.items if _is_request(item))
    words = (word for text in asked for word in _WORD.findall(text.casefold()))
    return {word for word in words if len(word) >= _KEYWORD_CHARS_MIN and word not in _COMMON}


# Words that requests share whatever they are about.
_COMMON: Final = frozenset(
    """that this then them they there their with from into have should would could must when what which where while will
    make made makes please also only just some more file files code test tests fix mend change changes update commit
    add adds added after before want need like sure""".split()
)


def _first_sentence(text: str) -> str:
    return _SENTENCE.split(one_line(text), maxsplit=1)[0].rstrip(" .:;,")
