"""Confirm: whether an agent that was told the goal and the next action can say them. Pure.

What is looked for is kept as hashes, so that neither the file nor a refusal can be copied into an answer.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from clew.core.state.ids import PREFIX_CHARS_MIN
from clew.core.state.items import Item
from clew.core.text.cleaning import clean

# What the text of a payload says when the gate is closed behind it.
REQUEST: Final = (
    'Before you edit anything, say the goal and the next action in your own words: `clew confirm "goal: … next: …"`.'
)
DENIED: Final = "Edits are denied until that fits."
MISSES_MAX: Final = 2
_RAREST: Final = 2
_WORD_CHARS_MIN: Final = 4
_HASH_BYTES: Final = 8
# Longer, nobody reads an answer.
_ANSWER_CHARS_MAX: Final = 20_000
_TOKEN: Final = re.compile(r"[\w./~@-]+")
_SUFFIX: Final = re.compile(r"\.[a-z][a-z0-9]{0,4}$")
_COMMON: Final = frozenset(
    """about after again also because been before being both could does doing done each from goal have here into just
    like make more most must need needs next only other over same should since some such than that their them then
    there these they this those through under until using very want wants well were what when where which while with
    without would your file files code line lines change changes test tests""".split()
)


class ConfirmQuestion(NamedTuple):
    """What an answer has to name: one of `goal` and one of `step` (a file of the next action, or its id); empty where
    there is nothing to ask. All are in lower case.
    """

    goal: tuple[str, ...]
    step: tuple[str, ...]


class ConfirmVerdict(NamedTuple):
    """What an answer lacks. `elsewhere` is a file that it names and that is not the next action's ("" none)."""

    goal: bool
    step: bool
    elsewhere: str

    @property
    def fits(self) -> bool:
        """Whether nothing is missing."""
        return not (self.goal or self.step)

    @property
    def told(self) -> str:
        """What is wrong or missing, as a clause, without what would be right."""
        missing = []
        if self.goal:
            missing.append("it names nothing that only this goal is about")
        if self.step:
            elsewhere = f"; {self.elsewhere} is not where the next action is" if self.elsewhere else ""
            missing.append(f"it names neither the file nor the id of the next action{elsewhere}")
        return " and ".join(missing)


def question(items: Sequence[Item]) -> ConfirmQuestion | None:
    """What to ask of somebody who was given `items`; None if they hold no goal, nor a next action that names a file."""
    goal, step = (
        min((item for item in items if item.kind == kind), key=lambda item: item.rank, default=None)
        for kind in ("goal", "next")
    )
    counts = Counter(token for item in items for token in set(_tokens(f"{item.text} {item.why}")))
    asked = ConfirmQuestion(_rarest(goal, counts), _named(step))
    return asked if any(asked) else None


def _named(step: Item | None) -> tuple[str, ...]:
    """The ways to name a next action: its files, and every beginning of its id that may be shown for it; () where it is
    about no file.
    """
    files = () if step is None else step.files or tuple(token for token in _tokens(step.text) if _is_file(token))
    if step is None or not files:
        return ()
    least = step.id.find("-") + 1 + PREFIX_CHARS_MIN
    ids = {step.id[:end].lower() for end in range(least, len(step.id) + 1)}
    return tuple(sorted(ids | {way for path in files for way in (path.lower(), path.lower().rpartition("/")[2])}))


def kept(asked: ConfirmQuestion, mark: str) -> dict[str, Any]:
    """What a question leaves in the session's folder, as JSON: `mark` is the payload's, and salts the hashes."""
    goal, step = ([_hash(mark, word) for word in words] for words in (asked.goal, asked.step))
    return {"mark": mark, "goal": goal, "step": step, "misses": 0, "open": False}


def judge(state: Mapping[str, Any], answer: str) -> ConfirmVerdict:
    """What `answer` lacks of what `kept` left."""
    said = clean(answer)[:_ANSWER_CHARS_MAX]
    tokens = _tokens(said)
    mark = str(state.get("mark", ""))
    hashes = {_hash(mark, token) for token in {*tokens, *(token.rpartition("/")[2] for token in tokens)}}
    lacks = {}
    for part in ("goal", "step"):
        wanted = state.get(part)
        lacks[part] = isinstance(wanted, list) and bool(wanted) and hashes.isdisjoint(map(str, wanted))
    files = [token for token in tokens if _is_file(token)] if lacks["step"] else []
    return ConfirmVerdict(lacks["goal"], lacks["step"], files[0] if files else "")


def _tokens(text: str) -> list[str]:
    """The words of a text in lower case; what stands between them as names and paths do stays within."""
    found = (token.strip("./~@-").lower() for token in _TOKEN.findall(text))
    return [token for token in found if token]


def _is_file(token: str) -> bool:
    return "/" in token or bool(_SUFFIX.search(token))


def _rarest(item: Item | None, counts: Counter[str]) -> tuple[str, ...]:
    """The words of an item that the fewest others have: names before plain words, then the longest."""
    if item is None:
        return ()
    words = [token for token in dict.fromkeys(_tokens(item.text)) if token not in _COMMON]
    names = [token for token in words if not token.isalpha() or _has_capitals(token, item.text)]
    plain = [token for token in words if token not in names and len(token) >= _WORD_CHARS_MIN]

    def rarest(tokens: list[str]) -> list[str]:
        return sorted(tokens, key=lambda token: (counts[token], -len(token), token))

    return tuple([*rarest(names), *rarest(plain or words)][:_RAREST])


def _has_capitals(token: str, text: str) -> bool:
    """Whether the text writes this word with a capital inside, as names are written."""
    at = text.lower().find(token)
    written = text[at : at + len(token)]
    return at >= 0 and written[1:] != written[1:].lower()


def _hash(mark: str, word: str) -> str:
    return blake2b(word.encode("utf-8", "replace"), key=mark.encode()[:64], digest_size=_HASH_BYTES).hexdigest()
