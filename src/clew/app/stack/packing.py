"""Sources into one text within one budget: who is served first, what is trimmed, what has no room. Pure.

A source has at most its own budget and what is left of the whole; the greater priority is served first, and among equal
ones the earlier. The order in the text is that of the stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from clew.app.stack.trimming import Outline, rendered, trimmed
from clew.core.errors import BudgetError
from clew.core.text.receipt import MARK_CHARS, opening
from clew.documents.stack import document, own_words, section_head, title_block
from clew.sources.port import Fetched, SourcePart, Trim

_DELIMITER: Final = opening("0" * MARK_CHARS)
# The mark of a text is known when it is made; of six characters each may be a token.
_MARKS_TOKENS: Final = 2 * MARK_CHARS


class TextCounter(Protocol):
    """`count` counts one text, `measure` many, of which it may know some."""

    def count(self, text: str) -> int: ...

    def measure(self, texts: Iterable[str]) -> list[int]: ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """A source that was fetched, its parts as they may stand in a text (`documents.stack.content`)."""

    name: str
    fetched: Fetched
    budget: int = 0
    priority: int = 0
    trim: Trim = "head"


@dataclass(frozen=True, slots=True)
class PackedSection:
    """What of a source is in the text. `whole_tokens` is what all of it would take, `told` what was trimmed ("" none).
    `parts` are what is left; of one that has no room (`is_in` false) there is nothing.
    """

    name: str
    parts: tuple[SourcePart, ...]
    head: str
    tokens: int
    whole_tokens: int
    told: str
    own: bool = False
    is_in: bool = True

    @property
    def text(self) -> str:
        """The section as it stands in the document."""
        return "".join(self.pieces())

    def pieces(self) -> Iterator[str]:
        """The same, part by part."""
        if self.own:
            yield from (own_words(part.text) for part in self.parts)
            return
        yield self.head
        yield from map(rendered, self.parts)


@dataclass(frozen=True, slots=True)
class Packed:
    """The text, in `pieces`, with its tokens, and a section a source, in their order. `title` is the block that it
    begins with.
    """

    pieces: tuple[str, ...]
    tokens: int
    title: str
    sections: tuple[PackedSection, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)


def pack(
    title: str, wanted: Sequence[Wanted], missing: Sequence[str], budget: int, counter: TextCounter, outline: Outline
) -> Packed:
    """All that fits into `budget` tokens; `missing` are sources that could not be had, in words.

    Raises `BudgetError` where nothing fits. The same arguments give the same bytes.
    """
    costs = [_costs(one, counter) for one in wanted]
    names = [one.name for one in wanted]
    delimiters = 2 * counter.count(f"{_DELIMITER}\n") + _MARKS_TOKENS
    heads = [title_block(title, missing, left) for left in ((), names)]
    for head in heads:  # where something has no room, the line that says so needs some itself
        left = budget - delimiters - counter.count(head)
        sections: list[PackedSection | None] = [None] * len(wanted)
        for at in sorted(range(len(wanted)), key=lambda at: (-wanted[at].priority, at)):
            one = wanted[at]
            room = min(left, one.budget) if one.budget else left
            sections[at] = found = _fitted(at + 1, one, costs[at], room, counter, outline)
            left -= found.tokens
        done = [section for section in sections if section is not None]
        out = [section.name for section in done if not section.is_in]
        if not out:
            break
    if not any(section.is_in for section in done) and (wanted or left < 0):
        least = min((section.whole_tokens for section in done), default=0)
        raise BudgetError(
            f"nothing of the stack fits into {budget:,} tokens",
            code="E-stack-budget",
            hint=f"Give it more (`--budget`); its smallest source takes {least:,} and the frame about "
            f"{delimiters + counter.count(heads[0]):,}.",
        )
    return _joined(title, missing, out, done, counter)


def _joined(
    title: str, missing: Sequence[str], out: Sequence[str], done: Sequence[PackedSection], counter: TextCounter
) -> Packed:
    head = title_block(title, missing, out)
    own = [section.text for section in done if section.own and section.is_in]
    pieces = [piece for section in done if not section.own and section.is_in for piece in section.pieces()]
    whole = document(own, [head, *pieces])
    frame = sum(map(counter.count, (whole[len(own)], head, whole[-1])))
    return Packed(whole, frame + sum(section.tokens for section in done), head, tuple(done))


def _costs(one: Wanted, counter: TextCounter) -> list[int]:
    if one.fetched.own:
        return counter.measure(own_words(part.text) for part in one.fetched.parts)
    return counter.measure(map(rendered, one.fetched.parts))


def _fitted(
    number: int, one: Wanted, costs: Sequence[int], room: int, counter: TextCounter, outline: Outline
) -> PackedSection:
    """A source in at most `room` tokens."""
    fetched = one.fetched
    if fetched.own:
        whole = PackedSection(one.name, fetched.parts, "", sum(costs), sum(costs), "", own=True)
        return whole if whole.tokens <= room else _out(whole)
    head = section_head(number, one.name, fetched.provenance, fetched.notes)
    tokens = counter.count(head) + sum(costs)
    whole = PackedSection(one.name, fetched.parts, head, tokens, tokens, "")
    limit = room - (tokens - sum(costs))
    while tokens > room and limit > 0:
        kept = trimmed(fetched.parts, costs, one.trim, limit, counter.count, outline)
        if not kept.parts:
            break
        head = section_head(number, one.name, fetched.provenance, (*fetched.notes, kept.told))
        tokens = counter.count(head) + kept.tokens
        if tokens <= room:
            return replace(whole, parts=kept.parts, head=head, tokens=tokens, told=kept.told)
        limit -= tokens - room  # that it was trimmed has to be told as well
    return whole if tokens <= room else _out(whole)


def _out(section: PackedSection) -> PackedSection:
    return replace(section, parts=(), head="", tokens=0, told="It has no room.", is_in=False)
