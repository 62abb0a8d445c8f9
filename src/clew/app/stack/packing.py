"""Sources into one text within one budget: who is served first, what is trimmed, what has no room. Pure.

A source has at most its own budget and what is left of the whole; the greater priority is served first, and among equal
ones the earlier. The order in the text is that of the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from clew.core.errors import BudgetError
from clew.core.text.receipt import MARK_CHARS, opening
from clew.documents.stack import block, document, own_words, section_head, title_block
from clew.sources.port import Fetched, SourcePart, Trim

# What stays of a source that is too long: its head, its tail, or an outline of its files. Pure; lines are cut whole
# where one fits.

# No token of o200k has more characters.
_TOKEN_CHARS_MAX: Final = 128
_NAMED_MAX: Final = 3
# A longer line without words is data: a picture in a notebook, minified code. Its beginning tells what it is.
_LINE_CHARS_MAX: Final = 2_000
_WORD_CHARS_MAX: Final = 12
_DATA_CHARS: Final = 60
# Of a line that does not fit so much must, or it tells nothing.
_CHARS_MIN: Final = 40

Count = Callable[[str], int]
# The outline of a part, None where there is none.
Outline = Callable[[SourcePart], str | None]


@dataclass(frozen=True, slots=True)
class Trimmed:
    """`parts` stay, with texts as they are now; `tokens` are those of their blocks. `told` says in a sentence what does
    not stay.
    """

    parts: tuple[SourcePart, ...]
    tokens: int
    told: str


def rendered(part: SourcePart) -> str:
    """The block of a part."""
    return block(part.name, part.text, part.language)


def trimmed(
    parts: Sequence[SourcePart], costs: Sequence[int], policy: Trim, room: int, count: Count, outline: Outline
) -> Trimmed:
    """What fits into `room` tokens of parts that do not all fit; `costs` are the tokens of their blocks."""
    if policy != "outline":
        return _one_end(parts, costs, policy, room, count)
    outlined, prices = [], []
    for part, cost in zip(parts, costs, strict=True):
        text = outline(part)
        short = part if text is None else SourcePart(text, part.name)
        price = cost if text is None else count(rendered(short))
        outlined.append(short if price < cost else part)
        prices.append(min(price, cost))
    used = sum(prices)
    if used > room:
        cut = _one_end(outlined, prices, "head", room, count)
        left = _outlines(cut.parts, parts)
        return Trimmed(cut.parts, cut.tokens, f"{left} {cut.told}".strip())
    for at, (part, cost) in enumerate(zip(parts, costs, strict=True)):
        if used - prices[at] + cost <= room:
            used += cost - prices[at]
            outlined[at] = part
    return Trimmed(tuple(outlined), used, _outlines(outlined, parts))


def _outlines(kept: Sequence[SourcePart], parts: Sequence[SourcePart]) -> str:
    whole = {part.name: part for part in parts}
    names = [part.name for part in kept if part.language == "text" and whole[part.name].text != part.text]
    cut = [name for name in names if whole[name].language != "text"]
    return f"Outlines only, lines with their numbers: {_some(cut)}." if cut else ""


def _one_end(
    parts: Sequence[SourcePart], costs: Sequence[int], end: Literal["head", "tail"], room: int, count: Count
) -> Trimmed:
    rows = list(zip(parts, costs, strict=True))
    if end == "tail":
        rows.reverse()
    kept: dict[int, SourcePart] = {}
    told: list[str] = []
    waiting: list[int] = []
    used, is_cut = 0, False
    for at, (whole, whole_cost) in enumerate(rows):
        part, cost = whole, whole_cost
        if used + cost > room and (shorter := _without_data(part)) is not None:
            part, cost = shorter, count(rendered(shorter))
        if used + cost > room:
            piece = None if is_cut else _cut_lines(part, end, room - used, count)
            if piece is None:
                waiting.append(at)
                continue
            is_cut, (part, gone) = True, piece
            cost = count(rendered(part))
            told.append(_end_told(end, part, gone))
        elif part is not whole:
            told.append(f"Data in long lines{_of(part.name)} is left out.")
        kept[at] = part
        used += cost
    # A line that is too long for all of the room has what those that fit whole leave.
    if waiting and not is_cut and (piece := _cut_line(rows[waiting[0]][0], end, room - used, count)):
        kept[waiting.pop(0)] = piece[0]
        used += count(rendered(piece[0]))
        told.append(_end_told(end, piece[0], piece[1]))
    left = [rows[at][0].name for at in waiting]
    if any(left):
        told.append(f"Left out: {_some(left)}.")
    order = sorted(kept, reverse=end == "tail")
    return Trimmed(tuple(kept[at] for at in order), used, " ".join(told))


def _end_told(end: Literal["head", "tail"], part: SourcePart, gone: str) -> str:
    return f"{'The end' if end == 'head' else 'The beginning'}{_of(part.name)} ({gone}) is left out."


def _without_data(part: SourcePart) -> SourcePart | None:
    """The part with what goes on in long lines without words left out; None where there is no such line."""
    lines = part.text.splitlines(keepends=True)
    short = [_short(line) if len(line) > _LINE_CHARS_MAX else line for line in lines]
    return SourcePart("".join(short), part.name, part.language) if short != lines else None


def _short(line: str) -> str:
    is_data = line.isascii() and len(line) > _WORD_CHARS_MAX * (len(line.split()) + 1)
    end = "\n" if line.endswith("\n") else ""
    return f"{line[:_DATA_CHARS]} [… {len(line) - _DATA_CHARS:,} more characters …]{end}" if is_data else line


def _of(name: str) -> str:
    return f" of {name}" if name else ""


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
    return ", ".join(names[:_NAMED_MAX]) + more


def _cut_lines(
    part: SourcePart, end: Literal["head", "tail"], room: int, count: Count
) -> tuple[SourcePart, str] | None:
    """As many whole lines of one end as fit, and how much is left out; None where none does."""
    if room <= 0:
        return None
    lines = part.text.splitlines(keepends=True)
    near = part.text[: room * _TOKEN_CHARS_MAX] if end == "head" else part.text[-room * _TOKEN_CHARS_MAX :]
    most = min(len(lines) - 1, near.count("\n") + 1)

    def with_lines(number: int) -> SourcePart:
        left = f"[… {len(lines) - number:,} more lines …]\n"
        text = "".join(lines[:number]) + left if end == "head" else left + "".join(lines[-number:])
        return SourcePart(text, part.name, part.language)

    number = _most(1, most, lambda n: count(rendered(with_lines(n))) <= room)
    return (with_lines(number), _count(len(lines) - number, "line")) if number else None


def _cut_line(part: SourcePart, end: Literal["head", "tail"], room: int, count: Count) -> tuple[SourcePart, str] | None:
    """As much of the line at one end as fits, and how much is left out; None where too little does."""
    if room <= 0 or not part.text:
        return None
    lines = part.text.splitlines(keepends=True)
    row = lines[0] if end == "head" else lines[-1]

    def with_chars(number: int) -> SourcePart:
        text = f"{row[:number]} […]\n" if end == "head" else f"[…] {row[-number:].rstrip(chr(10))}\n"
        return SourcePart(text, part.name, part.language)

    most = min(len(row) - 1, room * _TOKEN_CHARS_MAX)
    number = _most(_CHARS_MIN, most, lambda n: count(rendered(with_chars(n))) <= room)
    return (with_chars(number), _count(len(part.text) - number, "character")) if number else None


def _most(least: int, most: int, fits: Callable[[int], bool]) -> int:
    """The greatest number that fits, 0 for none."""
    found = 0
    while least <= most:
        middle = (least + most) // 2
        if fits(middle):
            found, least = middle, middle + 1
        else:
            most = middle - 1
    return found


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


_DELIMITER: Final = opening("0" * MARK_CHARS)
# The mark of a text is known when it is made; of six characters each may be a token.
_MARKS_TOKENS: Final = 2 * MARK_CHARS


class TextCounter(Protocol):
    """`count` counts one text, `measure` those as which parts are told, of which it may know some."""

    def count(self, text: str) -> int: ...

    def measure(self, parts: Sequence[SourcePart], told: Callable[[SourcePart], str]) -> list[int]: ...


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
    return counter.measure(one.fetched.parts, (lambda part: own_words(part.text)) if one.fetched.own else rendered)


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
