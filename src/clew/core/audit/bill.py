"""The bill of a session: the input tokens of all its responses, told by what stood in the context at each of them.

How large the context was, the client counted. How much each piece took of that is measured by how it grew: what came in
between two responses shares the growth between them. What no piece explains is said to be unexplained; nothing is
spread over the rest. docs/reference/audit.md tells more. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from clew.core.audit.contexts import LASTING, Group, Piece, Response
from clew.core.cost.prices import Price

# Tokenizers of models are within these factors of each other, on code and prose.
_FACTOR: Final = (0.6, 1.9)
_FRAME_MAX: Final = 200.0
_ROUNDS: Final = 6
# An output that is so much less than its words was told before the response was done.
_WHOLE: Final = 0.7


class Scale(NamedTuple):
    """A text that is estimated at n tokens has `factor` * n; a tool call has `frame` tokens around what was sent."""

    factor: float = 1.0
    frame: float = 0.0


class Growth(NamedTuple):
    """From one response to the next: the context grew by `grew`; of that `own` tokens are the output of the first one
    (0 where the client told it too early), `given` is what the rest is estimated at, with `calls` tool calls.
    """

    grew: int
    own: int
    given: int
    calls: int


def growths(responses: Sequence[Response]) -> Iterable[Growth]:
    """The growth up to each response that a context was not rebuilt for."""
    for before, after in pairwise(responses):
        if not after.starts:
            words = sum(one.tokens for one in after.pieces if one.made and one.group != "thinking")
            rest = sum(one.tokens for one in after.pieces if not one.made)
            thought = sum(one.tokens for one in after.pieces if one.made and one.group == "thinking")
            calls = sum(one.group == "calls" for one in after.pieces)
            own = whole_output(after.before, words)
            grew = after.tokens.context - before.tokens.context
            yield Growth(grew, own, rest if own else rest + words + thought, calls)


def whole_output(output: int, words: int) -> int:
    """The tokens of a response whose words are estimated at `words`; 0 where what the client told is not all of it."""
    return output if output > 10 and output >= _WHOLE * words else 0


def scale_of(found: Iterable[Growth]) -> Scale:
    """The scale that most growths fit: least squares over relative errors, without those that are far off."""
    rows = [(one.grew - one.own, one.given, one.calls) for one in found if one.grew > one.own]
    kept, scale = rows, Scale()
    for _ in range(_ROUNDS):
        scale = _least(kept)
        near = [row for row in rows if _is_near(row, scale)]
        kept = near or rows
    return scale


def _is_near(row: tuple[int, int, int], scale: Scale) -> bool:
    expected = scale.factor * row[1] + scale.frame * row[2]
    return abs(row[0] - expected) < 0.35 * expected + 30


def _least(rows: Sequence[tuple[int, int, int]]) -> Scale:
    weights = [1 / (given + 100) for _, given, _ in rows]
    weighted = list(zip(weights, rows, strict=True))
    aa = sum(w * e * e for w, (_, e, _n) in weighted)
    ab = sum(w * e * n for w, (_, e, n) in weighted)
    bb = sum(w * n * n for w, (_, _e, n) in weighted)
    ad = sum(w * e * d for w, (d, e, _n) in weighted)
    bd = sum(w * n * d for w, (d, _e, n) in weighted)
    area = aa * bb - ab * ab
    if not aa:
        return Scale()
    frame = (aa * bd - ab * ad) / area if area > 1e-6 * aa * max(bb, 1e-9) else 0.0
    frame = min(max(frame, 0.0), _FRAME_MAX)
    factor = (ad - frame * ab) / aa
    return Scale(min(max(factor, _FACTOR[0]), _FACTOR[1]), frame)


# The price of one response, None where it is unknown.
PriceOf = Callable[[Response], "Price | None"]
# A sub-agent's context that is less than so much of the one before it is another sub-agent's.
_ANOTHER: Final = 0.5
# By so much less than expected did the context grow if the client dropped what was thought in earlier turns.
_DROPPED: Final = (0.15, 50)


class BillEntry:
    """A piece in the bill. `size` is its tokens when it came in, before the response number `first` of its agent;
    `carried` those of all responses that it was sent to, `responses` of them; `usd` what that cost, as far as prices
    are known; `peak` what it took when the context was fullest.
    """

    __slots__ = ("_held", "_since", "agent", "carried", "first", "peak", "piece", "responses", "size", "usd")

    def __init__(self, piece: Piece, size: float, agent: str) -> None:
        self.piece = piece
        self.agent = agent
        self.size = size
        self.carried = 0.0
        self.first = 0
        self.usd = 0.0
        self.responses = 0
        self.peak = 0.0
        self._held = size
        self._since = 0

    @property
    def group(self) -> Group:
        """The line of the bill that it counts for."""
        return "agents" if self.agent and self.piece.group != "unexplained" else self.piece.group

    @property
    def held(self) -> float:
        """What it takes of the context now."""
        return self._held

    def enter(self, at: int, rate: float) -> None:
        """It was sent for the first time, to response `at`, at `rate` USD a token."""
        self.first = at
        self.carried, self.usd, self.responses, self._since = self._held, self._held * rate, 1, at + 1

    def settle(self, at: int, rates: Sequence[float]) -> None:
        """Count the responses before `at` that it was sent to. `rates` are sums of the USD a token before each."""
        if at > self._since:
            self.carried += self._held * (at - self._since)
            self.usd += self._held * (rates[at] - rates[self._since])
            self.responses += at - self._since if self._held else 0
            self._since = at

    def fit(self, size: float) -> None:
        """It is of that size, as is known before it was sent."""
        self.size = self._held = size

    def shrink(self, by: float) -> float:
        """Take so much off it (settled before); what could not be taken off is given back."""
        taken = min(by, self._held)
        self._held -= taken
        return by - taken


class Bill(NamedTuple):
    """The bill. `entries` are all pieces; their `carried` add up to `input_tokens`. `responses` and `peak_tokens` are
    of the main chain. `unpriced` are tokens whose price is unknown. `again` are tokens that had been sent before
    and were not in the cache any more; `again_usd` what that cost beyond what the cache would have.
    `scale` is that of the main chain.
    """

    entries: tuple[BillEntry, ...]
    input_tokens: int
    responses: int
    peak_tokens: int
    usd: float
    unpriced: int
    again: int
    again_usd: float
    scale: Scale

    def of(self, group: Group) -> float:
        """The tokens of a line."""
        return sum(one.carried for one in self.entries if one.group == group)

    @property
    def explained(self) -> float:
        """The share of the input tokens that pieces explain, 0 to 1."""
        return 1 - self.of("unexplained") / self.input_tokens if self.input_tokens else 1.0


def bill_of(chains: Mapping[str, Sequence[Response]], price_of: PriceOf, *, standing: Iterable[Piece] = ()) -> Bill:
    """The bill of a session with these responses by agent ("" the main chain). `standing` is what is known to be in the
    main chain's first context and stands in no record; the rest of that context is the base.
    """
    entries: list[BillEntry] = []
    total, usd, unpriced, again, again_usd = 0, 0.0, 0, 0, 0.0
    main = chains.get("", ())
    own_scale = scale_of(growths(main))
    for agent, responses in chains.items():
        found = list(growths(responses))
        chain = _BillChain(agent, own_scale if len(found) < 5 else scale_of(found), entries)
        peak = max(range(len(responses)), key=lambda at: responses[at].tokens.context) if not agent else -1
        for at, response in enumerate(responses):
            price = price_of(response)
            chain.take(at, response, price, tuple(standing) if not (agent or at) else ())
            if at == peak:
                chain.mark_peak()
            total += response.tokens.context
            if price is None:
                unpriced += response.tokens.context
            else:
                usd += price.of(response.tokens._replace(output=0))
        chain.close(len(responses))
        again, again_usd = again + round(chain.again), again_usd + chain.again_usd
    peak_tokens = max((one.tokens.context for one in main), default=0)
    return Bill(tuple(entries), total, len(main), peak_tokens, usd, unpriced, again, again_usd, own_scale)


class _BillChain:
    """The context of one agent, from response to response."""

    def __init__(self, agent: str, scale: Scale, entries: list[BillEntry]) -> None:
        self._agent = agent
        self._scale = scale
        self._entries = entries
        self._live: list[BillEntry] = []
        self._context = 0
        self._rates = [0.0]
        self._at = 0
        self.again = 0.0
        self.again_usd = 0.0

    def take(self, at: int, response: Response, price: Price | None, standing: Sequence[Piece]) -> None:
        """One response: what came in, what was dropped, and what each token of it cost."""
        self._at = at
        context = response.tokens.context
        is_another = bool(self._agent) and at > 0 and context < _ANOTHER * self._context
        if at == 0 or is_another:
            self._drop(self._live)
            new = self._first(response, context, standing)
        elif response.starts:
            self._drop([one for one in self._live if one.piece.group not in LASTING])
            new = self._grown(response, context - sum(one.held for one in self._live))
        else:
            new = self._grown(response, context - self._context)
        self._live = [one for one in self._live if one.held] + new
        self._entries.extend(new)
        self._context = context
        self._pay(new, response, price)

    def mark_peak(self) -> None:
        """The context is at its fullest now."""
        for one in self._live:
            one.peak = one.held

    def close(self, at: int) -> None:
        """There are no more responses."""
        for one in self._live:
            one.settle(at, self._rates)

    def _pay(self, new: list[BillEntry], response: Response, price: Price | None) -> None:
        """What came in is paid as what was not cached, as far as that goes; what stood there before shares the rest."""
        tokens = response.tokens
        came = sum(one.held for one in new)
        uncached = tokens.input + tokens.cache_write
        again = max(0.0, uncached - came) if self._at and not response.starts and tokens.cache_read + uncached else 0.0
        self.again += again
        fresh, rest = 0.0, 0.0
        if price is not None:
            paid = price.of(tokens._replace(output=0))
            cached = price.cache_read / 1_000_000
            dear = (paid - cached * tokens.cache_read) / uncached if uncached else cached
            fresh = dear if came <= uncached else (dear * uncached + cached * (came - uncached)) / came
            rest = max(0.0, paid - came * fresh) / (tokens.context - came) if tokens.context - came > 1e-6 else 0.0
            self.again_usd += again * max(0.0, dear - cached)
        self._rates.append(self._rates[-1] + rest)
        for one in new:
            one.enter(self._at, fresh)

    def _entry(self, piece: Piece, size: float) -> BillEntry:
        return BillEntry(piece, size, self._agent)

    def _first(self, response: Response, context: int, standing: Sequence[Piece]) -> list[BillEntry]:
        """The base is what no piece of the first context tells."""
        new = [self._entry(one, self._expected(one)) for one in (*standing, *response.pieces)]
        rest = context - sum(one.size for one in new)
        if rest < 0:
            return self._fitted(new, context)
        elastic = [one for one in new if one.piece.most]
        return [self._entry(Piece("base", "", 0), rest), *(one for one in new if one not in elastic)]

    def _grown(self, response: Response, grew: float) -> list[BillEntry]:
        """What came in shares what the context grew by."""
        new = self._own(response) + [self._entry(one, self._expected(one)) for one in response.pieces if not one.made]
        expected = sum(one.size for one in new)
        if expected > grew:
            return self._fitted(new, expected - self._made_room(expected - grew, grew, response))
        rest = grew - expected
        for one in new:
            if one.piece.most and rest > 0:
                part = min(rest, one.piece.most)
                one.fit(part)
                rest -= part
        if rest > 1e-3:
            new.append(self._entry(Piece("unexplained", "", 0, turn=_turn(response)), rest))
        return new

    def _made_room(self, lacking: float, grew: float, response: Response) -> float:
        """Take off what the client must have dropped, since the context grew by so much less than what came in: what
        was thought in earlier turns; where it shrank also the oldest results. How much is still lacking.
        """
        slack = _DROPPED[0] * (grew + lacking) + _DROPPED[1]
        if grew < 0 or (lacking > slack and any(one.group == "prompts" for one in response.pieces)):
            lacking = self._take_off(lacking, lambda one: one.piece.group == "thinking")
        if grew < 0:
            lacking = self._take_off(lacking, lambda one: one.piece.group == "unexplained")
            lacking = self._take_off(lacking, lambda one: one.piece.group == "results")
            lacking = self._take_off(lacking, lambda one: one.piece.group != "base")
            lacking = self._take_off(lacking, lambda _one: True)
        return lacking

    def _own(self, response: Response) -> list[BillEntry]:
        """What the model wrote, as large as its client says that it was; what is more than its words was thought."""
        made = [self._entry(one, self._expected(one)) for one in response.pieces if one.made]
        words = sum(one.tokens for one in response.pieces if one.made and one.group != "thinking")
        output = whole_output(response.before, words)
        size = sum(one.size for one in made)
        if output and size < output:
            made.append(self._entry(Piece("thinking", "", 0, made=True, turn=_turn(response)), output - size))
        return made

    def _expected(self, piece: Piece) -> float:
        frame = self._scale.frame if piece.group == "calls" else 0.0
        return self._scale.factor * piece.tokens + frame

    def _fitted(self, new: list[BillEntry], room: float) -> list[BillEntry]:
        """The entries made smaller, so that all have room."""
        size = sum(one.size for one in new)
        for one in new:
            one.fit(one.size * max(0.0, room) / size if size else 0.0)
        return new

    def _take_off(self, tokens: float, which: Callable[[BillEntry], bool]) -> float:
        """Take so many tokens off what stands in the context, the oldest first; how many could not be taken off."""
        for one in self._live:
            if tokens <= 0:
                break
            if one.held and which(one):
                one.settle(self._at, self._rates)
                tokens = one.shrink(tokens)
        return max(0.0, tokens)

    def _drop(self, gone: Iterable[BillEntry]) -> None:
        for one in gone:
            one.settle(self._at, self._rates)
            one.shrink(one.held)


def _turn(response: Response) -> int:
    return response.pieces[-1].turn if response.pieces else 0
