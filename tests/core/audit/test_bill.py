"""The bill adds up, whatever a client says, and tells what is true where everything is known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.audit.bill import Bill, bill_of
from clew.core.audit.contexts import MEANINGS, Group, Piece, Response
from clew.core.cost.prices import Price, Tokens

PRICE = Price("", 0, 10.0, 50.0, 1.0, 12.5, 20.0)
GROUPS = st.sampled_from([group for group in MEANINGS if group not in ("base", "agents", "unexplained")])
PIECES = st.builds(
    Piece, GROUPS, st.sampled_from(("", "Read", "git diff")), st.integers(0, 3_000), st.booleans(), st.just(0)
) | st.builds(Piece, st.just("images"), st.just("image"), st.just(0), st.just(False), st.integers(1, 5_000))
RESPONSES = st.builds(
    Response,
    st.just("2026-11-20T10:00:00Z"),
    st.just("claude-tide-1"),
    st.builds(Tokens, st.integers(0, 9_000), st.integers(0, 9_000), st.just(0), st.integers(1, 90_000), st.just(5)),
    st.lists(PIECES, max_size=5).map(tuple),
    st.integers(0, 4_000),
    st.booleans(),
)
CHAINS = st.dictionaries(st.sampled_from(("", "agent-1")), st.lists(RESPONSES, min_size=1, max_size=12), min_size=1)


def priced(_response: Response) -> Price:
    return PRICE


@given(CHAINS, st.lists(PIECES.filter(lambda piece: not piece.made), max_size=2))
def test_the_bill_adds_up_whatever_the_record_says(chains: dict[str, list[Response]], standing: list[Piece]) -> None:
    """Given any contexts, its lines are the input tokens and what they cost, and no piece is less than nothing."""
    bill = bill_of(chains, priced, standing=standing)
    tokens = sum(one.tokens.context for responses in chains.values() for one in responses)
    assert tokens == bill.input_tokens
    assert abs(sum(one.carried for one in bill.entries) - tokens) < 1 + tokens / 1e6
    assert all(one.carried >= 0 and one.size >= 0 and one.usd >= -1e-9 for one in bill.entries)
    assert abs(sum(one.usd for one in bill.entries) - bill.usd) < 0.01 + bill.usd / 20
    assert abs(sum(one.peak for one in bill.entries) - bill.peak_tokens) < 1 + tokens / 1e6
    assert -1e-9 <= bill.explained <= 1 + 1e-9


class Client:
    """A client that is known to the token: a text of n tokens by estimate has 1.25 n, a tool call 40 around it."""

    def __init__(self, base: int) -> None:
        self.context = base
        self.responses: list[Response] = []
        self.before = 0

    def answers(self, *pieces: Piece, hidden: int = 0, starts: bool = False, output: int = 0) -> Client:
        """A response behind some pieces, and behind `hidden` tokens that no record tells of."""
        self.context += hidden + sum(round(1.25 * one.tokens) + 40 * (one.group == "calls") for one in pieces)
        tokens = Tokens(0, 0, 0, self.context, output)
        is_first = starts or not self.responses
        self.responses.append(Response("2026-11-20T10:00:00Z", "m", tokens, pieces, self.before, is_first))
        self.before = output
        return self

    def bill(self) -> Bill:
        return bill_of({"": self.responses}, priced)


def call(tokens: int) -> Piece:
    return Piece("calls", "Read", tokens, made=True)


def result(tokens: int, name: str = "Read") -> Piece:
    return Piece("results", name, tokens)


def carried(bill: Bill, group: Group) -> int:
    return round(bill.of(group))


def test_pieces_are_as_large_as_they_are() -> None:
    """Given sizes that a client's own tokenizer makes, the bill finds its factor and all sizes, without an error."""
    client = Client(20_000).answers(Piece("prompts", "typed", 80))
    for size in (400, 1_000, 2_400, 800, 1_600, 3_000):
        client.answers(call(40), result(size))
    bill = client.bill()
    assert (1.25, 40) == (round(bill.scale.factor, 2), round(bill.scale.frame))
    sizes = {one.piece.tokens: round(one.size) for one in bill.entries if one.piece.group == "results"}
    assert {size: round(1.25 * size) for size in sizes} == sizes
    assert carried(bill, "base") == 20_000 * 7
    assert 1 - bill.explained < 1e-6


def test_what_no_record_tells_of_is_unexplained_and_nothing_is_spread() -> None:
    """Given 900 tokens that come in beside the fourth result, they are unexplained in each later response."""
    client = Client(20_000).answers(Piece("prompts", "typed", 80))
    for number, size in enumerate((400, 1_000, 2_400, 800, 1_600, 3_000)):
        client.answers(call(40), result(size), hidden=900 if number == 3 else 0)
    bill = client.bill()
    assert abs(carried(bill, "unexplained") - 3 * 900) < 60
    assert sorted(round(one.size / 1.25) for one in bill.entries if one.piece.group == "results")[0] in range(395, 406)


def test_a_piece_counts_with_each_response_that_it_was_sent_to() -> None:
    """Given a result before the second of four responses, it was sent three times; and a compaction ends that."""
    client = (
        Client(1_000)
        .answers(Piece("prompts", "typed", 80))
        .answers(call(40), result(400))
        .answers(call(8))
        .answers(call(8))
    )
    entry = next(one for one in client.bill().entries if one.piece.group == "results")
    assert (3, 1) == (entry.responses, entry.first)
    assert round(entry.carried) == round(3 * entry.size)
    client.context = 1_000
    client.answers(Piece("summaries", "", 160), starts=True).answers(call(8))
    bill = client.bill()
    assert 3 == next(one for one in bill.entries if one.piece.group == "results").responses
    assert carried(bill, "base") == 1_000 * 6


def test_where_a_context_shrinks_the_oldest_results_went() -> None:
    """Given a client that clears a result without a word, the newer one stays whole."""
    client = Client(5_000).answers(Piece("prompts", "typed", 80)).answers(call(40), result(2_000, "old"))
    client.answers(call(40), result(2_000, "new"))
    client.context -= 2_500
    client.answers(Piece("words", "", 4, made=True))
    old, new = [next(one for one in client.bill().entries if one.piece.name == name) for name in ("old", "new")]
    assert old.held < 60 and new.held > 2_300


def test_cached_tokens_cost_what_cached_tokens_cost() -> None:
    """Given a result written once and read twice, it cost one write and two reads of the cache."""
    prompt = Piece("prompts", "typed", 80)
    first = Response("2026-11-20T10:00:00Z", "m", Tokens(0, 1_000, 0, 0, 5), (prompt,), 0, True)
    second = first._replace(tokens=Tokens(0, 1_000, 0, 1_000, 5), pieces=(result(1_000),), starts=False)
    third = first._replace(tokens=Tokens(0, 0, 0, 2_000, 5), pieces=(), starts=False)
    bill = bill_of({"": [first, second, third]}, priced)
    entry = next(one for one in bill.entries if one.piece.group == "results")
    assert round(entry.size) == 1_000
    assert abs(entry.usd - 1_000 * (12.5 + 1.0) / 1e6) < 1e-6
    assert (0, 0.0) == (bill.again, bill.again_usd)
