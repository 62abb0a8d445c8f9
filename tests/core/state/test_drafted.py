"""What a draft changes in the state of its session."""

from __future__ import annotations

from clew.core.state.drafted import with_drafts
from clew.core.state.events import Event
from clew.core.state.extract import Extract
from clew.core.state.fold import fold
from clew.core.state.items import Item, Kind, Origin, Place, Provenance
from clew.core.state.projection import state_of

SESSION = "5b0c1d3e"
NOWHERE = Origin("", "", "/home/dev/till", "main", "", "", True, "")


def item(kind: Kind, text: str, at: int, *, provenance: Provenance = "inferred", status: str = "") -> Item:
    name = f"{kind[0].upper()}-{kind}{at:04d}"
    return Item(name, kind, text, "", status, provenance, (), Place(SESSION, at, text), 20, _time(at))


def claim(kind: Kind, text: str, at: int, *, draft: str = "W-1", session: str = SESSION, status: str = "") -> Item:
    name = f"C-claim{at:04d}{draft[-1]}"
    place = Place(session, -1, "")
    return Item(name, kind, text, "", status, "agent", (), place, 0, _time(at), draft=draft, verdict="anchored")


def extract(*items: Item, session: str = SESSION, last: int = 99) -> Extract:
    origin = Origin("claude-code", session, "/home/dev/till", "main", _time(0), _time(last), True, "")
    return Extract(origin, "T-1", "/home/dev/till", 1, 100, "", items)


def _time(at: int) -> str:
    return f"2026-11-20T10:{at:02d}:00.000Z"


def texts(extracts: list[Extract]) -> list[str]:
    return [one.text for extract in extracts for one in extract.items]


def test_a_draft_takes_the_place_of_sentences_and_leaves_what_tools_say() -> None:
    """Rules would repeat what the agent said better, and the draft could hide what a tool proved."""
    before = extract(
        item("finding", "The remainder goes to the first share", 10),
        item("validation", "`make test`", 11, provenance="verified", status="failed"),
        item("finding", "The last share takes the remainder now", 12),
    )
    found = with_drafts([before], [claim("decision", "The last share takes the remainder", 20)])
    assert ["The last share takes the remainder", "`make test`"] == texts(found)


def test_of_the_last_message_what_the_draft_does_not_say_comes_behind() -> None:
    """A terse hand-off leaves room, and what the agent said at the end is what it would tell."""
    before = extract(
        item("finding", "The remainder goes to the first share", 10),
        item("finding", "Chargebacks need a separate table in ledger.sql", 12),
    )
    found = with_drafts([before], [claim("decision", "The last share takes the remainder", 20)])
    assert ["The last share takes the remainder", "Chargebacks need a separate table in ledger.sql"] == texts(found)


def test_a_persons_hand_off_takes_the_place_of_the_agents() -> None:
    """Both beside one another said everything twice."""
    agents = claim("decision", "Amounts are cents", 20)
    persons = claim("decision", "Amounts are integer cents, as Mia wants", 30, draft="W-2")._replace(provenance="human")
    assert [] == texts(with_drafts([extract()], [agents, persons]))


def test_what_a_proved_claim_says_more_of_a_commit_stays() -> None:
    """ "Pushed" was lost behind the tool's bare line of the commit."""
    commit = item("step", "4f2a1c9 Round the tax", 10, provenance="verified", status="committed")
    said = claim("step", "4f2a1c9 Round the tax: committed, pushed", 20, status="committed")
    proved = said._replace(verdict="proved", provenance="verified")
    assert ["4f2a1c9 Round the tax: committed, pushed"] == texts(with_drafts([extract(commit)], [proved]))
    assert ["4f2a1c9 Round the tax"] == texts(with_drafts([extract(commit)], [said]))


def test_what_a_draft_counts_is_told_with_the_check() -> None:
    """ "131 passed" tells whether the whole suite ran; the tool's line is only the command."""
    check = item("validation", "`make test`", 10, provenance="verified", status="passed")
    said = claim("validation", "`make test`: 131 passed, after the last edit", 20, status="passed")
    (found,) = with_drafts([extract(check)], [said])
    assert [("`make test`", "131 passed, after the last edit")] == [(one.text, one.why) for one in found.items]


def test_what_was_asked_and_done_since_stands_beside_the_draft() -> None:
    """A draft that hides what came after it sends the next session back to work that is done."""
    later = extract(
        item("step", "Round the tax as well", 30, provenance="human", status="latest edited"),
        item("step", "4f2a1c9 Round the tax", 31, provenance="verified", status="committed"),
        item("next", "Tell Mia about the rounding", 32),
    )
    found = with_drafts([later], [claim("next", "Round the shares in till/refunds.py", 20)])
    assert ["Round the tax as well", "4f2a1c9 Round the tax", "Tell Mia about the rounding"] == texts(found)


def test_a_farewell_behind_the_draft_is_no_news() -> None:
    """ "I saved the checkpoint" would push out what the draft says is next."""
    later = extract(item("next", "The checkpoint was saved", 21))
    found = with_drafts([later], [claim("next", "Round the shares in till/refunds.py", 20)])
    assert ["Round the shares in till/refunds.py"] == texts(found)


def test_what_a_newer_draft_says_again_is_told_once() -> None:
    """An agent that was given the last hand-off repeats what still holds in words of its own."""
    old = claim("decision", "Amounts are integer cents in till/refunds.py", 10, session="old")
    new = claim("decision", "In till/refunds.py amounts are integer cents, never floats", 50)
    found = with_drafts([extract(session="old", last=20), extract()], [old, new])
    assert ["In till/refunds.py amounts are integer cents, never floats"] == texts(found)


def test_a_check_that_ran_since_replaces_the_claim() -> None:
    """A red check in a draft is not red any more when it passed afterwards."""
    later = extract(item("validation", "`make test`", 30, provenance="verified", status="passed"))
    found = with_drafts([later], [claim("validation", "make test", 20, status="failed")])
    assert ["`make test`"] == texts(found)


def test_what_a_tool_proved_is_told_by_the_tool() -> None:
    """ "Passed: pytest: passed before the commit" says it twice, and the tool knows it better."""
    check = item("validation", "`make test`", 10, provenance="verified", status="passed")
    touched = item("file", "till/refunds.py", 11, provenance="verified", status="edited")
    said = claim("validation", "`make test`: passed before the commit", 20, status="passed")
    found = with_drafts([extract(check, touched)], [said, claim("next", "Go on in till/refunds.py", 20)])
    assert ["Go on in till/refunds.py", "`make test`", "till/refunds.py"] == texts(found)


def test_a_draft_of_a_session_without_a_record_is_not_lost() -> None:
    """The transcript may be gone, or not read yet."""
    found = with_drafts([extract(session="old", last=10)], [claim("decision", "Amounts are cents", 40, session="new")])
    assert ["Amounts are cents"] == texts(found)


def test_a_claim_that_a_person_resolved_is_gone_from_the_state() -> None:
    """Claims are items: what can be said of items holds for them."""
    events = [
        _event(1, "item.stated", {"item": "Q-1234", "kind": "question", "text": "Which currency?", "draft": "W-1"}),
        _event(2, "item.stated", {"item": "D-1234", "kind": "decision", "text": "Cents", "draft": "W-1"}),
        _event(3, "item.resolved", {"item": "Q-1234", "outcome": "EUR"})._replace(provenance="human"),
    ]
    state = state_of(fold(events), [extract()], nowhere=NOWHERE)
    assert ["Cents"] == [one.text for one in state.items]


def _event(at: int, kind: str, data: dict[str, object]) -> Event:
    return Event(
        f"01E{at:04d}", f"k{at}", "P", "T-1", SESSION, "/home/dev/till", "claude-code", "agent", "private", _time(at),
        _time(at), kind, 1, data,  # type: ignore[arg-type]
    )  # fmt: skip
