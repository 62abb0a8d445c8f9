"""Reconciling: what a person did to a document comes back, and nobody's edit is lost, ours or the person's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given

from clew.core.state.items import Kind
from clew.documents.entry import NOWHERE, Entry, Lines
from clew.documents.pairing import normal
from clew.documents.reconcile import EntryChange, EntryConflict, Reconciliation, reconcile
from tests.documents.versions import Versions, documents, entry, versions

SQLITE = entry("decision", "Use SQLite", "no server", id="D-7k2q")
TESTS = entry("step", "Write the tests", status="pending", id="S-aaaa")
DOCS = entry("step", "Write the docs", status="pending", id="S-bbbb")
PORT = entry("question", "Which port?", blocking=True, id="Q-0a0a")
BASE = (SQLITE, TESTS, DOCS, PORT)


def _with(document: tuple[Entry, ...], before: Entry, *after: Entry) -> tuple[Entry, ...]:
    """The document with these in the place of one."""
    at = document.index(before)
    return (*document[:at], *after, *document[at + 1 :])


def merge(base: Sequence[Entry] | None, ours: Sequence[Entry], theirs: Sequence[Entry]) -> Reconciliation:
    """As `reconcile`, without what only says where an entry stood."""
    found = reconcile(base, ours, theirs)
    return found._replace(changes=tuple(one._replace(at=-1) for one in found.changes), pairs={})


def changes(base: Sequence[Entry], theirs: Sequence[Entry]) -> tuple[EntryChange, ...]:
    """What was done to `base` to have `theirs`."""
    return merge(base, base, theirs).changes


def _none(*entries: Entry, conflicts: tuple[EntryConflict, ...] = ()) -> Reconciliation:
    """These entries, and nothing to record."""
    return Reconciliation(entries, (), conflicts, {})


def _did(merged: Reconciliation) -> list[str]:
    return [change.did for change in merged.changes]


# What a person did


def test_every_thing_that_was_done_is_told() -> None:
    """These become the events: what is not told is not recorded."""
    worded = SQLITE._replace(text="Use SQLite in WAL mode")
    ticked = TESTS._replace(status="done")
    decided = PORT._replace(kind="decision", answer="8080", owner="Ana")
    new = entry("risk", "The disk may fill")
    done = changes(BASE, (worded, ticked, new, decided))
    assert [(change.did, change.before, change.after) for change in done] == [
        ("reworded", SQLITE, worded),
        ("ticked", TESTS, ticked),
        ("added", None, new),
        ("removed", DOCS, None),
        ("ticked", PORT, decided),
        ("moved", PORT, decided),
        ("marked", PORT, decided),
    ]


def test_another_reason_is_a_rewording_and_another_order_is_nothing() -> None:
    """The order is set by the renderer; the reason is half of a decision."""
    because = SQLITE._replace(why="no server to run")
    assert [change.did for change in changes(BASE, (PORT, DOCS, because, TESTS))] == ["reworded"]


def test_what_clew_itself_sets_is_no_change() -> None:
    """Where a line stands, how much of an id is printed, the mark of a changed file: no person did that."""
    same = SQLITE._replace(lines=Lines(7, 7), id="D-7k2q00", verify=True, said="user")
    assert changes([SQLITE], [same]) == ()


def test_a_cut_entry_is_a_change_only_if_its_shown_words_changed() -> None:
    """A line cut for want of room must not cut the decision; who rewords it saw its front part only."""
    shown = entry("decision", "Use SQLite…", id="D-7k2q", cut=True)
    whole = entry("decision", "Use SQLite, since no server is to be run", "seen in May", id="D-7k2q0001")
    assert changes([shown], [shown]) == ()
    assert merge([shown], [whole], [shown]) == _none(whole)

    edited = shown._replace(text="Use DuckDB…")
    (change,) = changes([shown], [edited])
    assert (change.did, change.of_front) == ("reworded", True)
    merged = merge([shown], [whole], [edited])
    assert merged.entries == (whole._replace(text="Use DuckDB…", cut=True),)
    assert [(change.before, change.of_front) for change in merged.changes] == [(whole, True)]
    assert not merged.conflicts


def test_what_is_cut_only_now_was_not_reworded() -> None:
    """A smaller budget shortens lines; that is nobody's edit, so the person's removal counts."""
    now = entry("decision", "Use…", id="D-7k2q", cut=True)
    assert merge([SQLITE], [now], []).entries == ()
    assert merge([SQLITE], [now], [SQLITE._replace(text="Use DuckDB")]).entries[0].text == "Use DuckDB"


# Stories of two


def test_work_on_different_entries_comes_together() -> None:
    """The agent went on while the person read: both have worked, neither waits for the other."""
    risk = entry("risk", "The disk may fill", id="R-1111")
    ours = (*_with(BASE, TESTS, TESTS._replace(status="done")), risk)
    note = entry("reminder", "Tell Ana")
    theirs = _with(_with(BASE, SQLITE, SQLITE._replace(why="no server to run"), note), DOCS)
    merged = merge(BASE, ours, theirs)
    assert merged.entries == (
        *(SQLITE._replace(why="no server to run"), note),
        *(TESTS._replace(status="done"), PORT, risk),
    )
    assert (_did(merged), merged.conflicts) == (["reworded", "added", "removed"], ())


def test_both_change_another_part_of_the_same_entry() -> None:
    """A tick and a rewording do not stand in each other's way, nor do a text and a reason."""
    ours = TESTS._replace(status="done")
    theirs = TESTS._replace(text="Write the tests of the parser")
    assert merge([TESTS], [ours], [theirs]).entries == (theirs._replace(status="done"),)
    ours, theirs = SQLITE._replace(why="no server at all"), SQLITE._replace(text="Use SQLite 3.45")
    merged = merge([SQLITE], [ours], [theirs])
    assert merged.entries == (theirs._replace(why="no server at all"),)
    assert not merged.conflicts


def test_both_reword_the_same_entry() -> None:
    """Ours stays under its id; theirs stands beside it, and somebody is told to choose."""
    ours = SQLITE._replace(text="Use SQLite in WAL mode")
    theirs = SQLITE._replace(text="Use SQLite, one file a project", why="", lines=Lines(3, 3))
    merged = merge(BASE, _with(BASE, SQLITE, ours), _with(BASE, SQLITE, theirs))
    beside = theirs._replace(id="", lines=NOWHERE)
    assert merged.entries == _with(BASE, SQLITE, ours, beside)
    assert merged.conflicts == (EntryConflict("reworded", ours, theirs, "both"),)
    assert [(change.did, change.after) for change in merged.changes] == [("added", beside)]


def test_both_do_the_same() -> None:
    """Twice the same rewording, addition, tick and removal is once."""
    changed = (
        *(SQLITE._replace(text="Use SQLite 3.45"), TESTS._replace(status="done")),
        *(PORT, entry("risk", "The disk may fill")),
    )
    assert merge(BASE, changed, changed) == _none(*changed)


def test_the_same_rewording_but_for_its_last_dot_is_the_same() -> None:
    """A conflict about a dot would teach people to pass over conflicts."""
    ours, theirs = SQLITE._replace(text="Use DuckDB"), SQLITE._replace(text="use DuckDB.")
    assert merge([SQLITE], [ours], [theirs]) == _none(ours)


def test_of_two_ticks_the_persons_counts() -> None:
    """The agent said done, the person says blocked: the person has looked."""
    ours, theirs = TESTS._replace(status="done"), TESTS._replace(status="blocked")
    merged = merge([TESTS], [ours], [theirs])
    assert merged.entries == (theirs,)
    assert merged.conflicts == (EntryConflict("ticked", ours, theirs, "theirs"),)
    assert merge([TESTS], [TESTS], [theirs]).conflicts == merge([TESTS], [ours], [TESTS]).conflicts == ()


def test_an_answer_stands_against_none() -> None:
    """Who has taken the old answer away while we gave a new one has not refused the new one."""
    asked = PORT._replace(answer="80")
    ours, theirs = PORT._replace(answer="8080"), PORT
    merged = merge([asked], [ours], [theirs])
    assert merged.entries == (ours,)
    assert merged.conflicts == (EntryConflict("ticked", ours, theirs, "ours"),)


@pytest.mark.parametrize("changed", [{"text": "Write the tests first"}, {"status": "done"}, {"kind": "next"}])
def test_what_one_changed_the_other_cannot_remove(changed: dict[str, str]) -> None:
    """A removal says that nothing there is worth keeping; the other did not know the change. Both ways."""
    edited = TESTS._replace(**changed)  # type: ignore[arg-type]
    merged = merge(BASE, _with(BASE, TESTS, edited), _with(BASE, TESTS))
    assert merged.entries == _with(BASE, TESTS, edited)
    assert (merged.changes, merged.conflicts) == ((), (EntryConflict("removed", edited, None, "ours"),))

    merged = merge(BASE, _with(BASE, TESTS), _with(BASE, TESTS, edited))
    assert merged.entries == _with(BASE, TESTS, edited)
    assert (_did(merged), merged.conflicts) == (["added"], (EntryConflict("removed", None, edited, "theirs"),))


def test_a_reason_taken_away_does_not_stand_against_a_new_one() -> None:
    """Nothing is to stand beside the entry: it would say the same with less."""
    ours, theirs = SQLITE._replace(why="no server at all"), SQLITE._replace(why="")
    assert merge([SQLITE], [ours], [theirs]) == _none(
        ours, conflicts=(EntryConflict("reworded", ours, theirs, "ours"),)
    )
    merged = merge([SQLITE], [theirs], [ours])
    assert (merged.entries, merged.conflicts) == ((ours,), (EntryConflict("reworded", theirs, ours, "theirs"),))


def test_what_the_person_never_saw_is_not_removed() -> None:
    """Left out for want of room, or added by somebody else since: it is in ours, and was not in what they edited."""
    left_out = entry("finding", "The cache is cold", id="F-1111")
    merged = merge([SQLITE], (SQLITE, left_out), [])
    assert (merged.entries, _did(merged), merged.conflicts) == ((left_out,), ["removed"], ())


def test_an_addition_follows_the_entry_that_it_followed() -> None:
    """A step between two others belongs there; ours keep their own order and their own additions."""
    first, between, last = entry("goal", "Ship"), entry("step", "Measure"), entry("reminder", "Tell Ana")
    ours = (SQLITE, DOCS, entry("step", "Review"), TESTS)
    theirs = (first, SQLITE, TESTS, between, DOCS, last)
    assert merge([SQLITE, TESTS, DOCS], ours, theirs).entries == (
        *(first, SQLITE, DOCS, last),
        *(entry("step", "Review"), TESTS, between),
    )


def test_a_copied_line_is_a_new_entry_without_the_id() -> None:
    """People copy a line with its id to write the next one. Two entries with one id would overwrite each other."""
    theirs = _with(BASE, TESTS, TESTS, TESTS._replace(text="Buy some milk"))
    merged = merge(BASE, BASE, theirs)
    copy = TESTS._replace(text="Buy some milk", id="")
    assert merged.entries == _with(BASE, TESTS, TESTS, copy)

    since = entry("finding", "The cache is cold", id="S-aaaa99")  # its id begins like that of the copied line
    merged = merge(BASE, (*BASE, since), theirs)
    assert merged.entries == (*_with(BASE, TESTS, TESTS, copy), since)


def test_a_line_brought_from_another_document_meets_its_own_entry() -> None:
    """It was not in what the person edited, so there is no base: the id says that it is the same."""
    known = entry("risk", "The disk may fill", id="R-1111")
    brought = known._replace(id="R-11", status="open")
    assert merge(BASE, (*BASE, known), (*BASE, brought)).entries == (*BASE, known._replace(status="open"))
    other = brought._replace(text="It may burn")
    merged = merge([], [known], [other])
    assert merged.entries == (known._replace(status="open"), other._replace(id=""))
    assert [conflict.stands for conflict in merged.conflicts] == ["both"]


def test_entries_without_ids_are_followed_by_their_words() -> None:
    """Most lines print none: reworded, ticked and moved, they are still the same."""
    bare = tuple(one._replace(id="") for one in BASE)
    theirs = (bare[0]._replace(text="Use SQLite here"), bare[1]._replace(status="done"), bare[3]._replace(kind="risk"))
    merged = merge(bare, bare, theirs)
    assert (merged.entries, _did(merged)) == (theirs, ["reworded", "ticked", "removed", "moved"])


def test_without_a_base_words_and_ids_say_which_is_which_and_nothing_is_removed() -> None:
    """Nobody knows what somebody else's file was made from: what it lacks was not taken out, and what is like an entry
    may be another.
    """
    theirs = (
        TESTS._replace(id="", status="done"),
        entry("step", "Write the doc"),
        SQLITE._replace(text="Use DuckDB", why=""),
    )
    found = reconcile(None, BASE, theirs)
    assert [(one.did, one.at) for one in found.changes] == [("reworded", 2), ("ticked", 0), ("added", 1)]
    assert (found.pairs, found.conflicts) == ({0: 1, 2: 0}, ())
    assert {DOCS, PORT} < set(found.entries)


# Any documents


@given(documents(), documents())
def test_who_did_nothing_changes_nothing(base: tuple[Entry, ...], ours: tuple[Entry, ...]) -> None:
    """A review that is closed without an edit must not touch what happened meanwhile."""
    assert merge(base, ours, base) == _none(*_placeless(ours))
    assert changes(base, base) == ()


@given(documents(), documents())
def test_against_nothing_new_the_persons_document_stands(base: tuple[Entry, ...], theirs: tuple[Entry, ...]) -> None:
    """Whatever they made of it, up to a wholly other text: without an edit of ours there is nothing to weigh."""
    merged = merge(base, base, theirs)
    assert sorted(map(_said, merged.entries)) == sorted(map(_said, theirs))
    assert not merged.conflicts


@given(documents(), documents(), documents())
def test_any_three_documents_keep_what_is_new(
    base: tuple[Entry, ...], ours: tuple[Entry, ...], theirs: tuple[Entry, ...]
) -> None:
    """Also of documents that have little to do with each other."""
    merged = merge(base, ours, theirs)
    known = {normal(one.text) for one in base}
    assert {normal(one.text) for one in (*ours, *theirs)} - known <= _texts(merged)
    assert merged == merge(base, ours, theirs)


@given(versions())
def test_nobodys_edit_is_lost(of: Versions) -> None:
    """Each text, reason and answer that either of them wrote is in the merged document or in a conflict."""
    merged = merge(of.base, of.ours, of.theirs)
    assert {normal(one.text) for one in (*of.ours, *of.theirs) if one.text not in of.written} <= _texts(merged)
    held = (*merged.entries, *_disputed(merged))
    pairs = {one.id: one for one in of.base if one.id}
    for mine in of.theirs:
        was = pairs.get(mine.id)
        if was and was.text == mine.text:
            assert mine.why == was.why or mine.why in {one.why for one in held}
            assert mine.answer == was.answer or mine.answer in {one.answer for one in held}


@given(versions())
def test_only_what_was_in_base_is_removed(of: Versions) -> None:
    """What an entry of ours is gone for stood in what the person saw, and not in what they left."""
    merged = merge(of.base, of.ours, of.theirs)
    kept = {(one.id, one.kind, one.text) for one in merged.entries}
    for change in merged.changes:
        if change.did == "removed":
            assert change.before in of.ours
            assert change.before is not None
            assert change.before.text in of.written
            assert change.before.text not in {one.text for one in of.theirs}
    fresh = [one for one in of.ours if one.text not in of.written and "maybe" not in one.text]
    assert all((one.id, one.kind, one.text) in kept for one in fresh if "surely" not in one.text)


@given(versions())
def test_merging_again_changes_nothing(of: Versions) -> None:
    """A pull that was killed before it noted its base is done again: nothing may come twice."""
    once = merge(of.base, of.ours, of.theirs)
    again = merge(of.base, once.entries, of.theirs)
    assert (again.entries, again.changes) == (once.entries, ())


@given(versions())
def test_the_changes_lead_from_ours_to_the_merged_document(of: Versions) -> None:
    """The caller records the changes and renders again: it must come to the same."""
    merged = merge(of.base, of.ours, of.theirs)
    befores = {change.before: change.after for change in merged.changes if change.before}
    made = [befores.get(one, one) for one in of.ours]
    added = [change.after for change in merged.changes if change.did == "added"]
    assert sorted(_placeless(tuple(one for one in (*made, *added) if one))) == sorted(merged.entries)


def _placeless(document: tuple[Entry, ...]) -> tuple[Entry, ...]:
    return tuple(one._replace(lines=NOWHERE) for one in document)


def _said(one: Entry) -> Entry:
    """What of an entry a person can change."""
    return one._replace(id="", said="claimed", verify=False, cut=False, lines=NOWHERE)


def _disputed(merged: Reconciliation) -> list[Entry]:
    return [side for conflict in merged.conflicts for side in (conflict.ours, conflict.theirs) if side]


def _texts(merged: Reconciliation) -> set[str]:
    return {normal(one.text) for one in (*merged.entries, *_disputed(merged))}


KINDS: tuple[Kind, ...] = ("step", "finding")


def test_two_thousand_entries_merge_in_seconds() -> None:
    """An issue body holds some hundred, a state file of another tool thousands; each was touched by both here."""
    base = [entry(KINDS[n % 2], f"entry {n} of the long list says {n * 7919 % 1009} things") for n in range(2000)]
    ours = [one._replace(text=f"{one.text} for us") for one in base]
    theirs = [one._replace(status="done") for one in base]
    merged = merge(base, ours, theirs)
    assert merged.entries == tuple(one._replace(status="done") for one in ours)
