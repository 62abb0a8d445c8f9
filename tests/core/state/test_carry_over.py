"""What of older sessions still holds, which goal a task has, and what is next."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.state.carry_over import carried, with_title
from clew.core.state.events import Event
from clew.core.state.extract import Extract
from clew.core.state.fold import fold
from clew.core.state.items import Item, Kind, Place, Provenance, State
from clew.core.state.projection import NOWHERE as NO_PLACE
from clew.core.state.projection import known, state_of
from tests.core.stories import NOWHERE, at, read_off, said, session_of, stated
from tests.growth import calls_in_proportion


def state(events: Sequence[Event], *extracts: Extract) -> State:
    return state_of(fold(events), extracts, nowhere=NOWHERE)


def found(
    number: int, kind: Kind, text: str, *, status: str = "", by: Provenance = "verified", rank: int = 6, second: int = 0
) -> Item:
    """Something read off the session with this number."""
    item = read_off(kind, text, 10 * number + second, session=f"s{number}", provenance=by, rank=rank)
    return item._replace(status=status)


def asked(number: int, text: str, *, status: str = "answered", goal: bool = True, second: int = 0) -> Item:
    """A request of the session with this number."""
    return found(number, "goal" if goal else "step", text, status=status, by="human", rank=0, second=second)


def session(number: int, *items: Item) -> Extract:
    """The session with this number."""
    return session_of(*items, session=f"s{number}", first=10 * number, last=10 * number + 9)


def broken_off(extract: Extract, last: int) -> Extract:
    """The same, killed in mid-turn at the second `last`."""
    return extract._replace(origin=extract.origin._replace(ended=False, last_time=at(last)))


def told(found: State, *kinds: Kind) -> list[str]:
    return [f"{item.text} → {item.status}" for item in found.items if item.kind in kinds]


def title(text: str, by: Provenance = "human") -> Item:
    return Item("T-1", "goal", text, "", "", by, (), Place("", NO_PLACE, ""), 0, at(0))


# The goal


def test_a_task_has_the_goal_that_it_began_with() -> None:
    """Each session's first prompt would be a goal for ever."""
    sessions = [session(n, asked(n, text)) for n, text in enumerate(("Fix the cart", "look at it", "Go on, please"), 1)]
    after = state([], *sessions)
    assert ["Fix the cart → answered"] == told(after, "goal")
    assert ["Go on, please → latest answered"] == told(after, "step")


def test_the_goal_that_is_asked_for_again_is_one() -> None:
    """In the same words it is no request beside itself; what came of it is what came of it last."""
    texts = ("Fix the cart", "what is price()?", "Fix the cart")
    sessions = [session(n, asked(n, text, status=f"edited {n}")) for n, text in enumerate(texts, 1)]
    assert ["Fix the cart → edited 3"] == told(state([], *sessions), "goal", "step")


def test_a_session_that_asked_nothing_began_nothing() -> None:
    """The goal of the task is the first real one."""
    after = state([], session(1, found(1, "finding", "It is slow")), session(2, asked(2, "Fix it")), session(3))
    assert ["Fix it → answered"] == told(after, "goal")


def test_a_goal_that_a_person_stated_is_the_only_one() -> None:
    """What was typed into one session is a request."""
    sessions = (
        session(1, asked(1, "look at it")),
        session(2, asked(2, "Go on"), asked(2, "And?", goal=False, second=1)),
    )
    after = state([stated("G-1", "Fix the cart", 5, by="human")], *sessions)
    assert ["Fix the cart → "] == told(after, "goal")
    assert ["Go on → latest answered", "And? → answered"] == told(after, "step")


def test_a_goal_that_a_person_reworded_is_stated() -> None:
    """Else a correction of it would be lost with the next session."""
    first, second = asked(1, "look at it"), asked(2, "Go on")
    edit = said("item.edited", second.id, 25, by="human", text="Fix the cart", was="Go on")
    assert ["Fix the cart → answered"] == told(state([edit], session(1, first), session(2, second)), "goal")


@pytest.mark.parametrize(("by", "goals"), [("human", ["Carts → "]), ("agent", ["Fix the cart → answered"])])
def test_a_persons_title_is_the_goal(by: Provenance, goals: list[str]) -> None:
    """And what the session was asked is said with it: a title is short."""
    after = with_title(state([], session(1, asked(1, "Fix the cart"))), title("Carts", by))
    assert goals == told(after, "goal")
    assert ("it began with: Fix the cart" if by == "human" else "") == after.items[0].why
    assert ["Carts"] == [item.text for item in with_title(state([], session(1)), title("Carts", by)).items]


def test_a_stated_goal_says_more_than_the_title() -> None:
    """It was stated beside it."""
    before = state([stated("G-1", "Fix the cart", 5, by="human")], session(1, asked(1, "look at it")))
    assert before == with_title(before, title("Carts"))


# Requests


@pytest.mark.parametrize("status", ["answered", "edited", "committed d7ae388", "reverted", "rebased"])
def test_an_older_request_that_is_over_is_not_told(status: str) -> None:
    """Questions answered long ago would take the place of facts."""
    sessions = (
        session(
            1, asked(1, "Fix the cart"), asked(1, "what is price()?", goal=False, status=f"latest {status}", second=1)
        ),
        session(2, asked(2, "Go on")),
    )
    assert ["Go on → latest answered"] == told(state([], *sessions), "step")


def test_an_older_request_that_came_to_nothing_is_told_until_it_is_settled() -> None:
    """A prompt that a killed client never answered is not done because a later session did something else."""
    request = asked(1, "Write the docs of the fee", goal=False, status="latest open", second=1)
    sessions = [session(1, asked(1, "Fix the cart", status="committed"), request), session(2, asked(2, "Go on"))]
    assert "Write the docs of the fee → open" in told(state([], *sessions), "step")
    other = session(3, asked(3, "Paint it", status="edited"), found(3, "file", "src/page.css", status="edited"))
    assert "Write the docs of the fee → open" in told(state([], *sessions, other), "step")


@pytest.mark.parametrize(
    "settling",
    [
        (asked(3, "And now"), found(3, "file", "pages/docs.md", status="edited", second=1)),
        (asked(3, "And now"), found(3, "step", "Docs of the fee", status="committed", second=1)),
        (asked(3, "Write the docs of the fees", status="committed"),),
        (asked(3, "Write the docs of the fee", status="under way"),),
    ],
    ids=["its file was edited", "a commit is about it", "it was asked for and done", "it was asked for again"],
)
def test_what_settles_an_older_request(settling: tuple[Item, ...]) -> None:
    """What is done, told as open, is done twice."""
    request = asked(1, "Write the docs of the fee", goal=False, status="latest open", second=1)
    sessions = [session(1, asked(1, "Fix the cart", status="committed"), request), session(3, *settling)]
    assert not [line for line in told(state([], *sessions), "step") if line == "Write the docs of the fee → open"]


def test_a_session_that_only_goes_on_takes_up_what_was_open() -> None:
    """ "Continue" after a kill means the request that the kill left."""
    killed = session(1, asked(1, "Fix the cart", status="under way"))
    on = session(2, asked(2, "continue", status="edited"), found(2, "file", "a.py", status="edited", second=1))
    after = state([], killed, on)
    assert ["Fix the cart → "] == told(after, "goal")
    assert not [line for line in told(after, "step") if "Fix" in line]


def test_what_a_killed_session_was_to_do_stays_beside_a_new_goal() -> None:
    """The goal of now is what is worked on now, and it says what the first one was."""
    killed = session(1, asked(1, "Fix the cart", status="under way"))
    other = session(2, asked(2, "Paint the page", status="under way"))
    after = state([], killed, other)
    assert ["Paint the page → under way"] == told(after, "goal")
    assert ["Fix the cart → under way"] == told(after, "step")
    done = session(1, asked(1, "Fix the cart", status="committed"))
    [goal] = [item for item in state([], done, other).items if item.kind == "goal"]
    assert ("Paint the page", "it began with: Fix the cart") == (goal.text, goal.why)


def test_a_next_action_outlives_talk_and_what_touches_other_files() -> None:
    """A session that only answered a question would make it forgotten, and so would one about another file."""
    first = session(1, asked(1, "Fix it", status="edited"), found(1, "next", "Round in fee.py", second=1))
    talk = session(2, asked(2, "What is a fee?"), found(2, "finding", "A fee is a price", second=1))
    assert ["Round in fee.py → "] == told(state([], first, talk), "next")
    [begun, following] = first.items
    named = session(1, begun, following._replace(files=("fee.py",)))
    other = session(3, asked(3, "Paint it", status="edited"), found(3, "file", "page.css", status="edited"))
    assert ["Round in fee.py → "] == told(state([], named, other), "reminder")
    assert ["Round in fee.py → "] == told(state([], first, other), "reminder")
    [left] = [item for item in state([], first, other).items if item.kind == "reminder"]
    assert f"still open from {left.time[:10]}" == left.label
    turned = session(3, *other.items, found(3, "next", "Choose the colour", second=2))
    assert [] == told(state([], first, turned), "reminder"), "that session worked on, and says itself what is next"
    touched = session(3, asked(3, "Go on", status="edited"), found(3, "file", "fee.py", status="edited"))
    assert [] == told(state([], named, touched), "next", "reminder")


def test_open_to_dos_hold_until_others_are_made_or_something_is_committed() -> None:
    """Those that a killed session left are what is left to do."""
    todo = found(1, "step", "Round the night fee", status="pending", by="inferred", second=1)
    first = session(1, asked(1, "Fix it", status="under way"), todo)
    assert "Round the night fee → pending" in told(state([], first, session(2, asked(2, "What is it?"))), "step")
    others = found(2, "step", "Paint it", status="pending", by="inferred", second=1)
    committed = found(2, "step", "Fees", status="committed", second=1)
    for item in (others, committed):
        assert "Round the night fee → pending" not in told(state([], first, session(2, item)), "step")


def test_what_the_agent_called_open_holds_until_it_is_settled() -> None:
    """Its last message is the only place where that stands."""
    still = found(1, "step", "Open: daylight saving is not handled yet", by="agent", second=1)
    first = session(1, asked(1, "Add a night tariff", status="edited"), still)
    other = session(2, asked(2, "Paint it", status="committed"), found(2, "step", "Paint", status="committed"))
    assert "Open: daylight saving is not handled yet → " in told(state([], first, other), "step")
    done = session(2, asked(2, "Handle daylight saving", status="edited"))
    assert "Open: daylight saving is not handled yet → " not in told(state([], first, done), "step")


def test_a_file_that_was_edited_and_then_only_read_is_edited() -> None:
    """Else the next session takes the work for nobody's."""
    first, second = (session(n, found(n, "file", "a.py", status=how)) for n, how in ((1, "edited"), (2, "read")))
    assert ["a.py → edited"] == told(state([], first, second), "file")
    third = session(3, found(3, "file", "a.py", status="committed"))
    assert ["a.py → committed"] == told(state([], first, second, third), "file")


def test_what_several_sessions_say_in_the_same_words_is_told_once() -> None:
    """What fails on this machine is found out in each of them."""
    sessions = [session(n, found(n, "finding", "`pytest` fails here; `python -m pytest` works")) for n in (1, 2, 3)]
    after = state([], *sessions)
    assert ["s3"] == [item.place.session for item in after.items]


# Checks


def check(number: int, command: str, status: str, *, second: int = 1) -> Item:
    return found(number, "validation", f"`{command}`", status=status, second=second)


FAILING = session(1, asked(1, "Fix it"), check(1, "pytest -q tests/test_a.py 2>&1", "failed"))
EDITED = found(2, "file", "a.py", status="edited", second=2)


def test_a_check_that_failed_holds_until_it_ran_again() -> None:
    """A session that edits and tests nothing would make it forgotten."""
    idle, edited = session(2, asked(2, "Go on")), session(2, asked(2, "Go on"), EDITED)
    assert ["`pytest -q tests/test_a.py 2>&1` → failed"] == told(state([], FAILING, idle), "validation")
    stale = "`pytest -q tests/test_a.py 2>&1` → failed, before the last edit"
    assert [stale] == told(state([], FAILING, edited), "validation")
    assert [stale] == told(state([], FAILING, edited, session(3, asked(3, "And now"))), "validation")


@pytest.mark.parametrize(
    ("command", "status", "holds"),
    [
        ("pytest -q tests/test_a.py", "passed", False),
        ("pytest tests/test_a.py", "failed", False),
        ("pytest", "passed", False),
        ("pytest tests/test_b.py", "passed", True),
        ("pytest -k half", "passed", True),
        ("ruff check", "passed", True),
        ("pytest tests/test_a.py", "hidden", True),
    ],
)
def test_a_check_is_settled_by_itself_or_by_all_of_it(command: str, status: str, holds: bool) -> None:
    """Another test that passes says nothing about it."""
    after = state([], FAILING, session(2, check(2, command, status), EDITED), session(3))
    assert holds == any("2>&1" in line for line in told(after, "validation"))


def test_a_check_that_passed_holds_until_a_file_was_changed() -> None:
    """A session that only talked would make it forgotten; behind an edit it proves nothing, nor does a hidden one."""
    checked = session(1, check(1, "ruff check", "passed"), check(1, "pytest", "hidden", second=2))
    talk = session(2, asked(2, "What is a fee?"), found(2, "file", "a.py", status="read"))
    assert ["`ruff check` → passed"] == told(state([], checked, talk), "validation")
    assert [] == told(state([], checked, session(2, EDITED), session(3)), "validation")
    again = session(2, check(2, "ruff check", "failed"))
    assert ["`ruff check` → failed"] == told(state([], checked, again), "validation")


# What was said


def test_what_an_agent_found_holds_until_a_file_was_changed() -> None:
    """ "It still crashes" of last week would stand unmarked above "it no longer crashes"."""
    crashes = found(1, "finding", "The parser still crashes on empty input", by="agent", second=1)
    proved = found(1, "finding", "`make` is not found here", second=2)
    lasting: tuple[Kind, ...] = ("decision", "failed", "constraint", "question", "risk")
    kept = [found(1, kind, f"of a {kind}", by="agent", second=5) for kind in lasting]
    first = session(1, crashes, proved, *kept)
    talk = session(2, asked(2, "What is a fee?"), found(2, "file", "a.py", status="read"))
    assert ["The parser still crashes on empty input → ", "`make` is not found here → "] == told(
        state([], first, talk), "finding"
    )
    edited = state([], first, session(2, EDITED), session(3))
    assert ["`make` is not found here → "] == told(edited, "finding")
    assert {f"of a {kind} → " for kind in lasting} == set(told(edited, *lasting))


def test_what_an_agent_found_in_files_holds_until_those_were_changed() -> None:
    """What it said of one part is as true when work went on at another one."""
    named = found(1, "finding", "The loader needs `moon()` in b.py", by="agent")._replace(files=("b.py",))
    assert ["The loader needs `moon()` in b.py → "] == told(state([], session(1, named), session(2, EDITED)), "finding")
    there = found(3, "file", "b.py", status="committed")
    assert [] == told(state([], session(1, named), session(2, EDITED), session(3, there)), "finding")


def test_what_somebody_stated_on_purpose_holds_behind_an_edit() -> None:
    """A finding that was noted, that a person spoke of, or that a hand-off claims, is no talk in passing."""
    crashes = found(1, "finding", "It crashes on empty input", by="agent")
    note = said("item.stated", "F-1", 5, kind_="finding", text="The disk is slow")
    pin = said("item.pinned", crashes.id, 15, by="human")
    claim = said("item.stated", "F-2", 8, kind_="finding", text="Every row is rounded", draft="R-1")
    after = state([note, claim, pin], session(1, crashes), session(2, EDITED))
    texts = ("It crashes on empty input", "The disk is slow", "Every row is rounded")
    assert {f"{text} → " for text in texts} == set(told(after, "finding"))


@pytest.mark.parametrize("kind", ["constraint", "failed", "decision"])
def test_what_the_user_forbade_refused_or_answered_keeps_its_rank(kind: Kind) -> None:
    """At a small budget an import's lines and newer claims of agents would push it out."""
    told_once, agents = found(1, kind, "by the user", by="human", rank=3), found(1, kind, "by an agent", rank=3)
    files = stated("C-1", "Deploy on Fridays", 5, by="unattributed")
    after = state([files], session(1, told_once, agents._replace(provenance="agent")), *map(session, range(2, 30)))
    assert ["by the user", "Deploy on Fridays", "by an agent"] == [item.text for item in sorted(after.items, key=rank)]


# What is next


GUESS = found(1, "next", "Go on where the record stops", by="inferred", rank=2)


@pytest.mark.parametrize("by", ["human", "agent"])
def test_what_was_said_is_next_stands_before_what_rules_make_of_the_record(by: Provenance) -> None:
    """A statement is known, a guess is not; the guess counts only where work went on after the statement."""
    extract = broken_off(session(1, GUESS), 15)
    nexts = [
        [item.text for item in sorted(state([stated("N-1", "Write the test", when, by=by)], extract).items, key=rank)]
        for when in (16, 14)
    ]
    assert [["Write the test"], ["Write the test", "Go on where the record stops"]] == nexts
    assert ["Write the test"] == told_next([stated("N-1", "Write the test", 14, by=by)], session(1, GUESS))


def rank(item: Item) -> int:
    return item.rank


def told_next(events: Sequence[Event], *extracts: Extract) -> list[str]:
    return [item.text for item in state(events, *extracts).items if item.kind == "next"]


def test_of_several_only_the_last_one_stands() -> None:
    """There is one next action. What an agent says takes nothing from a person."""
    events = [stated("N-1", "One", 1), stated("N-2", "Two", 2), stated("N-3", "Three", 3, by="human")]
    assert ["Three"] == told_next(events)
    assert ["Three", "Four"] == told_next([*events, stated("N-4", "Four", 4)])
    assert ["Two"] == told_next([*events, said("item.resolved", "N-3", 5, by="human")])
    assert ["One", "Three"] == told_next([*events, said("item.pinned", "N-1", 5, by="human")])


# What lasts of older sessions

_THINGS = ("shelf", "ladder and lamp", "the shelf", "page of the fee", "go on")
_FILES = ("src/shelf.py", "src/fee.py", "")
_SORTS: tuple[tuple[Kind, str, Provenance], ...] = (
    ("goal", "open", "human"), ("goal", "committed", "human"), ("step", "latest open", "human"),
    ("step", "answered", "human"), ("step", "committed", "verified"), ("step", "pending", "agent"),
    ("file", "edited", "verified"), ("file", "read", "verified"), ("next", "", "agent"), ("next", "", "inferred"),
    ("validation", "failed", "verified"), ("validation", "passed", "verified"), ("decision", "", "human"),
    ("finding", "", "agent"), ("constraint", "", "human"),
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> list[Extract]:
    """Sessions that left whatever sessions leave."""
    made = []
    for number in range(1, draw(st.integers(2, 9)) + 1):
        items = []
        sorts = draw(
            st.lists(st.sampled_from(_SORTS), max_size=5, unique_by=lambda one: one[:1] if one[0] == "goal" else one)
        )
        for second, (kind, status, by) in enumerate(sorts):
            path, thing = draw(st.sampled_from(_FILES)), draw(st.sampled_from(_THINGS))
            item = found(number, kind, path or "x" if kind == "file" else thing, status=status, by=by, second=second)
            items.append(item._replace(files=(path,) if path else ()))
        made.append(session(number, *items))
    return made


@st.composite
def drafts(draw: st.DrawFn, all_of: list[Extract]) -> list[Event]:
    """What the drafts of some of these sessions claim: none what another one does."""
    made = []
    for number in draw(st.sets(st.integers(1, len(all_of)))):
        for claim in draw(st.sets(st.sampled_from("DNXQ"), max_size=3)):
            text = f"{draw(st.sampled_from(_THINGS))} with one{number}, two{number} and three{number}"
            second = 10 * number + draw(st.integers(1, 9))
            event = stated(f"{claim}-{number}", text, second, draft=f"W-{number}")
            made.append(event._replace(session=f"s{number}"))
    return made


@given(histories(), st.data())
def test_what_lasts_of_older_sessions_is_all_that_a_state_takes_of_them(all_of: list[Extract], data: st.DataObject):
    """However often it was brought up to date."""
    events = data.draw(drafts(all_of))
    claims = [one.item for one in known(fold(events), all_of).values() if one.item.draft]
    first = data.draw(st.integers(0, len(all_of) - 1))
    last = data.draw(st.integers(first, len(all_of) - 1))
    older = carried([*carried(all_of[:first], claims), *all_of[first:last]], claims)
    assert carried(all_of[:last], claims) == older
    assert state(events, *all_of) == state(events, *older, *all_of[last:])


def test_of_what_is_alike_the_nearest_is_told_and_the_rest_counted() -> None:
    """A task of years has more decisions than any document has room for."""
    sessions = [session(n, found(n, "decision", f"Decided {n}", by="agent")) for n in range(1, 9)]
    part = state_of({}, sessions, nowhere=NOWHERE, most=3)
    assert [f"Decided {n}" for n in (5, 6, 7, 8)] == [item.text for item in part.items]
    assert [("decision", 4)] == [(item.kind, count) for item, count in part.more]
    assert part.items == state([], *sessions).items[4:]


# How it grows


def test_what_is_left_is_held_against_all_that_was_done_at_once() -> None:
    """A thread of years has thousands of sessions: each asks for something and does something else, in words of its own
    and in words that all share.
    """

    def made(count: int) -> list[Extract]:
        return [
            session(
                n,
                asked(n, f"Fix shelf{n} of the cellar beside ladder{n} and lamp{n}", status="open"),
                found(n, "file", f"src/part{n}.py", status="edited", second=1),
                found(n, "step", f"Paint door{n} of the cellar, window{n}, gate{n}", status="committed", second=2),
                found(n, "next", f"Sweep cellar{n}, attic{n} and yard{n}", by="agent", second=3),
                found(n, "validation", f"`pytest tests/{n}`", status="failed", second=4),
            )
            for n in range(1, count + 1)
        ]

    calls_in_proportion(made, lambda extracts: state([], *extracts), 40)


@pytest.mark.parametrize(
    ("left", "is_settled"),
    [
        ("Fix shelf, ladder, lamp and hook", True),
        ("Fix shelf, ladder, lamp, hook and barrel", False),
        ("shelf", True),
        ("Fix the door", False),
    ],
)
def test_half_of_the_words_in_one_piece_of_work_settle_a_request(left: str, is_settled: bool) -> None:
    """Words that are spread over several pieces of work prove nothing."""
    done = ("shelf and ladder", "lamp and barrel", "ladder and lamp")
    steps = [found(2, "step", text, status="committed", second=n) for n, text in enumerate(done)]
    first = session(1, asked(1, left, status="open", goal=False))
    after = state([], first, session(2, asked(2, "What else?"), *steps), session(3, asked(3, "Is it?")))
    assert is_settled is not any(item.text == left for item in after.items)
