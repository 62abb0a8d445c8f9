"""Three versions of a document for the tests of pairing and merging: one rendered, the state now, a person's."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

from clew.core.state.ids import shortest_prefixes
from clew.core.state.items import Kind
from clew.documents.entry import Entry, Lines

KINDS: tuple[Kind, ...] = ("decision", "step", "question")
# Sentences that share no words, so that a reworded one is like itself only; the second half is for what is added.
SENTENCES = (
    "Use SQLite because no server runs",
    "Parser must accept every broken heading",
    "Ask Ana about quarterly invoice rounding",
    "Keep public signatures unchanged until June",
    "Retry failed: lock timed out twice",
    "Migrate billing tables before Friday noon",
    "Delete legacy importer after release",
    "Cache warmup takes forty seconds",
    "Rename worker queues per region",
    "Document environment variables for ops",
)
WORDS = ("use", "sqlite", "parser", "ask", "ana", "**Use**", "Parser.")
IDS = ("D-7k2q0001", "D-7k2q0002", "D-7k3a0001", "S-aaaa0001", "S-bbbb0001", "Q-0a0a0001")
PRINTED = shortest_prefixes(IDS)


class Versions(NamedTuple):
    """`written`: all texts of `base`, in full where it shows the front part only."""

    base: tuple[Entry, ...]
    ours: tuple[Entry, ...]
    theirs: tuple[Entry, ...]
    written: frozenset[str]


def entry(kind: Kind, text: str, why: str = "", **fields: Any) -> Entry:
    return Entry(kind, text, why, **fields)


def documents() -> st.SearchStrategy[tuple[Entry, ...]]:
    """Any documents: entries that repeat each other, are alike, or print ids (each at most once) as they like."""
    return st.lists(
        st.tuples(_entries(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)), _maybe_id),
        max_size=6,
        unique_by=lambda drawn: drawn[1] or object(),
    ).map(lambda drawn: tuple(made._replace(id=printed) for made, printed in drawn))


_maybe_id = st.just("") | st.sampled_from(IDS)


def _entries(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Entry]:
    fields = {
        "kind": st.sampled_from(KINDS),
        "text": texts,
        "why": st.sampled_from(("", "it is quick", "it is proved")),
        "status": st.sampled_from(("", "pending", "done")),
        "said": st.sampled_from(("user", "claimed")),
        "verify": st.booleans(),
        "locked": st.booleans(),
        "owner": st.sampled_from(("", "Ana", "Bo")),
        "answer": st.sampled_from(("", "yes", "no")),
        "lines": st.sampled_from((Lines(0, 0), Lines(3, 4))),
    }
    return st.fixed_dictionaries(fields).map(lambda drawn: Entry(**drawn))


@st.composite
def versions(draw: st.DrawFn) -> Versions:
    """A document and what two made of it, who each keep, change, remove, move and add entries.

    Ours knows all ids or none; base prints some of them, and those entries cut; theirs may lose one or copy its line.
    """
    with_ids = draw(st.booleans())
    count = draw(st.integers(0, 5))
    whole = [draw(_entries(st.just(SENTENCES[index]))) for index in range(count)]
    base, ours, theirs = [], [], []
    fresh = iter(draw(st.permutations(SENTENCES[5:])))
    for index, original in enumerate(whole):
        known = original._replace(id=IDS[index] if with_ids else "")
        shown = known._replace(id=PRINTED[known.id] if known.id and draw(st.booleans()) else "")
        if shown.id and draw(st.booleans()):
            shown = shown._replace(text=original.text.rpartition(" ")[0] + "…", why="", cut=True)
        base.append(shown)
        ours += _edited(draw, known, fresh, is_person=False)
        theirs += _edited(draw, shown, fresh, is_person=True)
    written = frozenset(made.text for made in (*whole, *base))
    return Versions(tuple(base), tuple(ours), tuple(theirs), written)


def _edited(draw: st.DrawFn, of: Entry, fresh: Any, *, is_person: bool) -> list[Entry]:
    """What becomes of an entry: none, itself, changed, and what is added behind it."""
    act = draw(st.sampled_from(("keep", "keep", "change", "change", "remove", "add")))
    result = [of] if act != "remove" else []
    if act == "change":
        for name in draw(st.sets(st.sampled_from(("text", "why", "status", "kind", "locked", "owner", "answer")))):
            result = [_changed(draw, result[0], name)]
        if is_person and draw(st.integers(0, 4)) == 0:
            result = [result[0]._replace(id="", cut=False)]
    if act == "add" and (text := next(fresh, "")):
        added = draw(_entries(st.just(text)))
        new_id = of.id if is_person else (f"{of.id[:6]}new{of.id[-1]}" if of.id else "")
        result.append(added._replace(id=new_id))
    return result


def _changed(draw: st.DrawFn, of: Entry, name: str) -> Entry:
    if name == "text":
        first, _, rest = of.text.partition(" ")
        return of._replace(text=f"{first} {draw(st.sampled_from(('maybe', 'surely')))} {rest}")
    other = draw(_entries(st.just("")))
    return of._replace(**{name: getattr(other, name)})
