"""Which entry is which: a wrong pair hangs a person's tick on another step, a missing one makes two of one."""

from __future__ import annotations

import difflib
from difflib import SequenceMatcher
from itertools import combinations

import pytest

from clew.core.state.items import Kind
from clew.documents.entry import Entry
from clew.documents.pairing import ALIKE_MIN, COMPARED_MAX, matched, normal
from tests.documents.versions import SENTENCES, entry


def _pairs(old: list[Entry], new: list[Entry]) -> list[tuple[int, int]]:
    return sorted(matched(old, new).pairs.items())


# Ids


def test_an_id_decides_whatever_the_words_are() -> None:
    """Who rewords a line leaves its id: without it, the rewording would be another decision."""
    old = [entry("decision", "Use SQLite", id="D-7k2q"), entry("decision", "Use WAL", id="D-9abc")]
    new = [entry("decision", "Use WAL", id="D-7k2q"), entry("decision", "Anything", id="D-9abc")]
    assert _pairs(old, new) == [(0, 0), (1, 1)]


def test_more_or_less_of_an_id_is_the_same_id() -> None:
    """Documents print as much of an id as makes it unique that day."""
    old = [entry("risk", "It may burn", id="R-7k2q00"), entry("risk", "It may drown", id="R-9a")]
    new = [entry("risk", "It drowns", id="R-9abc"), entry("risk", "It burns", id="R-7k2q")]
    assert _pairs(old, new) == [(0, 1), (1, 0)]


def test_the_beginning_of_two_ids_is_none() -> None:
    """Then the words tell, or nothing does: a guess could answer the wrong question."""
    old = [entry("question", "Which port?", id="Q-7k2q01"), entry("question", "Who pays?", id="Q-7k2q02")]
    assert _pairs(old, [entry("question", "Who pays?", id="Q-7k2q")]) == [(1, 0)]
    assert _pairs(old, [entry("question", "What colour is the roof?", id="Q-7k2q")]) == []


def test_an_id_that_has_become_the_beginning_of_two_waits_for_the_words() -> None:
    """It was printed when it was unique; since then another item has come that begins like it."""
    old = [entry("step", "Write the parser", id="S-7k2q")]
    new = [entry("step", "Buy some milk", id="S-7k2q01"), entry("step", "Write the small parser", id="S-7k2q02")]
    assert _pairs(old, new) == [(0, 1)]


def test_two_ids_that_differ_are_two_entries() -> None:
    """Two items with the same words are two all the same."""
    assert _pairs([entry("step", "Run the tests", id="S-aaaa")], [entry("step", "Run the tests", id="S-bbbb")]) == []


def test_of_a_copied_line_the_one_with_the_same_words_keeps_the_id() -> None:
    """People copy a line, with its id, to write the next one."""
    old = [entry("step", "Write the parser", id="S-aaaa")]
    new = [entry("step", "Buy some milk", id="S-aaaa"), entry("step", "Write the parser", id="S-aaaa")]
    assert _pairs(old, new) == [(0, 1)]


# Words


@pytest.mark.parametrize("text", ["use  SQLite.", "**Use** SQLite", "Use `SQLite`!", "_USE SQLITE_ …"])
def test_case_emphasis_space_and_the_last_mark_make_no_other_entry(text: str) -> None:
    """Editors and people set these as they like."""
    assert _pairs([entry("decision", "Use SQLite")], [entry("decision", text)]) == [(0, 0)]


def test_repeated_words_pair_in_order() -> None:
    """A plan says "Run the tests" after each phase."""
    step = entry("step", "Run the tests")
    assert _pairs([step, step], [step, step, step]) == [(0, 0), (1, 1)]


def test_the_same_words_under_another_heading_are_a_move_only_if_nothing_has_that_kind() -> None:
    """A question that was decided goes up to the decisions."""
    old = [entry("question", "SQLite or files"), entry("decision", "Ship in May")]
    new = [entry("decision", "Ship in May"), entry("decision", "SQLite or files")]
    assert _pairs(old, new) == [(0, 1), (1, 0)]
    assert _pairs([entry("step", "a"), entry("risk", "a")], [entry("risk", "a")]) == [(1, 0)]


def test_a_text_of_marks_alone_is_itself() -> None:
    """Two lines of nothing but marks are not the same for having no words."""
    assert normal("***") == "***"
    assert _pairs([entry("step", "...")], [entry("step", "???")]) == []


# Rewordings


def test_reworded_entries_pair_with_what_they_are_most_like() -> None:
    """Also where every line was touched."""
    old = [entry("step", text) for text in SENTENCES]
    new = [entry("step", f"Now {text[0].lower()}{text[1:]} again") for text in reversed(SENTENCES)]
    last = len(SENTENCES) - 1
    assert _pairs(old, new) == [(index, last - index) for index in range(last + 1)]


def test_a_typo_in_one_of_two_words_is_a_rewording() -> None:
    """By words alone, half of the text would be new."""
    assert _pairs([entry("risk", "databse schmea")], [entry("risk", "database schema")]) == [(0, 0)]


@pytest.mark.parametrize(("kind", "text"), [("risk", "Use SQLite for the store"), ("decision", "Ship it on Friday")])
def test_neither_another_kind_nor_other_words_are_a_rewording(kind: Kind, text: str) -> None:
    """One who removes a decision and adds a risk has not reworded it."""
    assert _pairs([entry("decision", "Use PostgreSQL for the store")], [entry(kind, text)]) == []


def test_what_is_compared_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two documents of thousands of lines that have nothing in common must not take minutes."""
    compared = []

    class Counting(SequenceMatcher[str]):
        def quick_ratio(self) -> float:
            compared.append(1)
            return super().quick_ratio()

    monkeypatch.setattr(difflib, "SequenceMatcher", Counting)
    old = [entry("step", f"old {index} " + "word " * 10) for index in range(2000)]
    new = [entry("step", f"new {index} " + "term " * 10) for index in range(2000)]
    assert _pairs(old, new) == []
    assert 0 < len(compared) <= COMPARED_MAX


def test_beyond_the_bound_entries_pair_where_they_stand() -> None:
    """A spelling run over a document of 1,000 lines leaves them at their places."""
    old = [entry("step", f"colour the {index:04}th house behind its own fence number {index}") for index in range(1000)]
    new = [one._replace(text=one.text.replace("colour", "color")) for one in old]
    assert _pairs(old, new) == [(index, index) for index in range(1000)]


# Any documents


def test_the_sentences_of_these_tests_are_not_alike() -> None:
    """The properties of merging stand on it."""
    for one, other in combinations(SENTENCES, 2):
        assert SequenceMatcher(None, one, other, autojunk=False).ratio() < ALIKE_MIN
