"""Requests: what the words of a user ask for, and what came of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clew.core.state.items import Item
from clew.core.text.cleaning import one_line

LATEST: Final = "latest "
# The label of the line that tells where a session's work stands, as tools proved it.
STATE: Final = "State"
_AGREED: Final = "agreed to, "
# Requests that came to nothing yet.
UNFINISHED: Final = frozenset(("open", "under way", "interrupted", "broken off"))
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
# Words that requests share whatever they are about.
_COMMON: Final = frozenset(
    """that this then them they there their with from into have should would could must when what which where while will
    make made makes please also only just some more file files code test tests fix mend change changes update commit
    add adds added after before want need like sure next step merge main""".split()
)


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


def is_request(item: Item) -> bool:
    """Whether it is something that a user asked for."""
    return item.kind in ("goal", "step") and item.provenance == "human"


def is_state(item: Item) -> bool:
    """Whether an item is the line that tells where the work stood at the end of its session."""
    return item.kind == "step" and item.label == STATE and item.provenance == "verified" and item.place.at >= 0


def request_status(item: Item) -> str:
    """What came of a request, whether it is the latest one or not, and whether it was agreed to first."""
    return item.status.removeprefix(LATEST).removeprefix(_AGREED)


def is_left(item: Item) -> bool:
    """Whether a request, or a to-do, came to nothing yet."""
    return request_status(item) in UNFINISHED or item.status in ("pending", "in_progress", "blocked")


def is_work(item: Item) -> bool:
    """Whether an item tells of work: a file that was changed, a commit, a request for more than an answer."""
    return is_done_work(item) or (is_request(item) and asks_for_work(item.text))


def is_done_work(item: Item) -> bool:
    """Whether an item tells of work that was done, not only asked for."""
    if item.kind == "file":
        return item.status != "read"
    if item.kind == "step" and item.provenance == "verified" and not is_state(item):
        return True
    return is_request(item) and request_status(item).startswith(_WORKED)


def keywords(texts: Iterable[str]) -> set[str]:
    """The words of texts that tell one piece of work from another."""
    words = (word for text in texts for word in _WORD.findall(text.casefold()))
    return {word for word in words if len(word) >= _KEYWORD_CHARS_MIN and word not in _COMMON}


def first_sentence(text: str) -> str:
    """The first sentence of a text, without its end."""
    return _SENTENCE.split(one_line(text), maxsplit=1)[0].rstrip(" .:;,")
