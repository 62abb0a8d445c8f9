"""What a person redacted does not come back with the next reading of the record that holds it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from clew.app.project.session import Speaker
from clew.app.project.tombstones import PLACEHOLDER, forgetting, hashes_of, keyed_hash, obeyed, tombstones
from clew.core.state.items import Item, Place, Provenance, new_item
from clew.ledger.memory import MemoryLedger
from tests.app.projects import session_over
from tests.growth import costs_at_most

KEY = b"k" * 32
PROJECT = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def item(text: str, why: str = "") -> Item:
    place = Place("5e551011", 1, "")
    return new_item("decision", text, why=why, client="claude-code", place=place, provenance="agent")


def ledger(*values: str, redacted: str = "D-0000000000000000", by: Provenance = "human") -> MemoryLedger:
    """A ledger in which the item `redacted` was redacted, with hashes of `values`."""
    made = MemoryLedger(PROJECT, key=KEY)
    writer = session_over(made, by=Speaker("mira", by, "", "", ""))
    event = writer.event("item.redacted", {"item": redacted}, task="T-1")
    writer.append([event._replace(data={**event.data, "hashes": hashes_of(KEY, values)})])
    return made


@pytest.mark.parametrize(
    "text",
    [
        "the door code is hunter22-blue",
        "DOOR=hunter22-blue make run",
        'set {"door": "hunter22-blue"} in conf',
        "**hunter22-blue**, as Mira said.",
        "is it `hunter22-blue`?",
        "hunter22-blue",
    ],
)
def test_a_redacted_value_is_known_again_however_it_is_written(text: str) -> None:
    """The record says it in prose, in code and in quotes: one form that slips through brings it all back."""
    stones = tombstones(ledger("hunter22-blue"))
    assert "hunter22" not in forgetting(str, stones)(text)
    assert PLACEHOLDER in forgetting(str, stones)(text)
    assert () == obeyed([item(text)], stones)
    assert () == obeyed([item("The door is blue", why=text)], stones)


def test_a_value_of_several_words_is_known_again() -> None:
    """Passphrases have spaces, and names have two parts."""
    forget = forgetting(str, tombstones(ledger("correct horse battery")))
    assert f"say “{PLACEHOLDER}” at the gate" == forget("say “correct  horse battery” at the gate")
    assert "correct horse staple" == forget("correct horse staple")


def test_what_was_not_redacted_stays() -> None:
    """A tombstone that took its neighbours along would eat the state."""
    stones = tombstones(ledger("hunter22-blue"))
    kept = (item("The door is blue"), item("hunter22-bluebird is another word"))
    assert kept == obeyed(kept, stones)
    assert forgetting(str, stones)("hunter22-bluebird sings") == "hunter22-bluebird sings"


def test_nobody_but_a_person_lays_a_tombstone() -> None:
    """An agent that could redact could hide what the user said (docs/reference/authority.md)."""
    one = item("Never touch the schema")
    stones = tombstones(ledger("schema", redacted=one.id, by="agent"))
    assert (one,) == obeyed([one], stones)
    assert forgetting(str, stones) is str


def test_of_two_values_that_overlap_nothing_is_left() -> None:
    """A name and the sentence that ends in it were both redacted: the rest of the one must not stand there."""
    forget = forgetting(str, tombstones(ledger("ask Zebulon Quixote", "Zebulon Quixote Industries", "Quixote")))
    assert f"please {PLACEHOLDER} first" == forget("please ask Zebulon Quixote Industries first")
    assert f"{PLACEHOLDER}, {PLACEHOLDER}" == forget("Quixote, Zebulon Quixote Industries")


def test_reading_stays_quick_after_many_redactions() -> None:
    """Each redacted text made every later intake a second per megabyte slower, until people left off redacting."""
    words = [f"word{number} of some long text" for number in range(40)]
    text = "some words of a record that is read again and again, as records are " * 7000

    def after(redactions: int) -> Callable[[], object]:
        texts = (" ".join(words[: count + 1]) for count in range(redactions))
        forget = forgetting(str, tombstones(ledger(*texts)))
        assert text == forget(text)
        return lambda: forget(text)

    costs_at_most(4, after(40), after(1))  # it was half a minute


@pytest.mark.parametrize("kept", ["9" * 5000 + ".ab.cde", "0.ab.cde", "x", "3", "3.ab", "-1.ab.cde", "²." + "ab.cde"])
def test_what_is_no_hash_stops_nothing(kept: str) -> None:
    """A bundle that a person trusts may be damaged: no later intake could run."""
    one = item("Ship on Friday")
    made = MemoryLedger(PROJECT, key=KEY)
    writer = session_over(made, by=Speaker("mira", "human", "", "", ""))
    writer.append([writer.event("item.redacted", {"item": "D-0000000000000000", "hashes": [kept]}, task="")])
    stones = tombstones(made)
    assert (one,) == obeyed([one], stones)
    assert "Ship on Friday" == forgetting(str, stones)("Ship on Friday")


def test_a_hash_tells_nothing_without_the_key() -> None:
    """It travels with exports: whoever has it must not be able to test a guess."""
    assert keyed_hash(KEY, "hunter22") != keyed_hash(b"j" * 32, "hunter22")
    assert keyed_hash(KEY, "hunter22") == keyed_hash(KEY, " hunter22\n")
    assert "hunter22" not in keyed_hash(KEY, "hunter22")
    assert [] == hashes_of(KEY, ["", " … "])
