"""What is known of a task, as items: what people and agents stated, joined with what rules read off its sessions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from clew.core.state.events import Event
from clew.core.state.extract import Extract
from clew.core.state.fold import fold
from clew.core.state.items import Item, Provenance, State
from clew.core.state.projection import Known, in_turn, known, state_of, with_project
from tests.core.stories import NOWHERE, read_off, said, session_of, stated


def state(events: Sequence[Event], *extracts: Extract) -> State:
    return state_of(fold(events), extracts, nowhere=NOWHERE)


def texts(found: State) -> list[str]:
    return [item.text for item in found.items]


def one(events: Sequence[Event], name: str, *extracts: Extract) -> Known:
    return known(fold(events), extracts)[name]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("item.retracted", {"reason": "nobody calls it"}),
        ("item.superseded", {"by_": "C-9"}),
        ("item.resolved", {"outcome": "not needed"}),
        ("item.edited", {"text": "Change what you like"}),
    ],
)
def test_an_agent_does_not_take_back_what_a_person_said(kind: str, data: dict[str, str]) -> None:
    """A constraint that the next agent may drop constrains nobody."""
    events = [stated("C-1", "Do not change the API", 1, by="human"), said(kind, "C-1", 2, actor="codex", **data)]
    assert ["Do not change the API"] == texts(state(events))
    assert kind == "item.edited" or "codex" in one(events, "C-1").disputed
    assert [] == texts(state([*events, said("item.retracted", "C-1", 3, by="human")]))


@pytest.mark.parametrize("by", ["human", "agent"])
@pytest.mark.parametrize("waits", [{"owner": "Mia"}, {"blocking": True}])
def test_what_waits_for_a_person_is_not_answered_by_an_import(by: Provenance, waits: dict[str, str | bool]) -> None:
    """Work would go on with an answer that the command refuses."""
    asked = stated("Q-1", "May I drop the table?", 1, by=by, **waits)
    claims = [said("item.answered", "Q-1", 2, answer="Yes"), said("item.resolved", "Q-1", 3, outcome="dropped")]
    found = one([asked, *claims], "Q-1")
    assert ("live", "", "agent says it is resolved: dropped") == (found.standing, found.item.answer, found.disputed)
    told = said("item.answered", "Q-1", 4, by="human", answer="No")
    assert "No" == one([asked, *claims, told], "Q-1").item.answer


def test_what_is_locked_is_not_ended_by_an_import() -> None:
    """Nor by the agent that locked it: the command refuses that."""
    locked = stated("D-1", "Use ints", 1, locked=True)
    for ending in ("item.retracted", "item.resolved", "item.superseded"):
        assert ["Use ints"] == texts(state([locked, said(ending, "D-1", 2, by_="D-2")]))
        assert [] == texts(state([locked, said(ending, "D-1", 2, by="human", by_="D-2")]))


def test_a_resolved_question_goes_on_telling_its_answer() -> None:
    """The answer is the decision."""
    events = [
        stated("Q-1", "Which currency?", 1),
        said("item.answered", "Q-1", 2, answer="CHF", by="human"),
        said("item.resolved", "Q-1", 3),
    ]
    assert ["CHF"] == [item.answer for item in state(events).items]


# What rules read off


FOUND = read_off("decision", "Page by offset", 10, session="s1")


def test_what_a_person_says_about_an_inferred_item_beats_a_later_intake() -> None:
    """The same session is read again and again: an edit that does not survive it is lost work."""
    edit = said("item.edited", FOUND.id, 20, by="human", text="Page by cursor", was=FOUND.text)
    session = session_of(FOUND, session="s1", first=9, last=30)
    found = state([edit], session)
    assert [("Page by cursor", "human")] == [(item.text, item.provenance) for item in found.items]
    assert FOUND.place == found.items[0].place
    assert [] == texts(state([edit, said("item.retracted", FOUND.id, 21, by="human")], session))


@pytest.mark.parametrize(
    "about",
    [
        said("item.edited", FOUND.id, 20, by="human", why="rows move", was=FOUND.text),
        said("item.pinned", FOUND.id, 20, by="human", was=FOUND.text),
    ],
    ids=["reason", "pin"],
)
def test_it_survives_when_the_rules_no_longer_find_the_item(about: Event) -> None:
    """Better rules cut a sentence otherwise: what a person said of it may not go with it."""
    assert ["Page by offset"] == texts(state([about], session_of(session="s1", first=9, last=30)))


def test_a_fork_says_everything_once() -> None:
    """A forked session copies the lines of the first: its items are the same ones."""
    fork = session_of(FOUND, read_off("decision", "Sort by date", 40, session="s2"), session="s2", first=9, last=50)
    found = state([], session_of(FOUND, session="s1", first=9, last=30), fork)
    assert ["Page by offset", "Sort by date"] == texts(found)


def test_what_a_headless_run_was_asked_first_endures() -> None:
    """A task that a script began has a goal in the script's second run, too, whosever word it is."""
    first = session_of(read_off("goal", "Fix the cart", 1, session="s1", rank=0), session="s1", first=1, last=5)
    second = session_of(read_off("goal", "Go on", 11, session="s2", rank=0), session="s2", first=11, last=15)
    assert ["Fix the cart", "Go on"] == texts(state([], first, second))


def test_what_the_user_said_and_what_was_proved_endures() -> None:
    """A rule from the first session holds in the fifth; a commit that is not told is made again."""
    first = session_of(
        read_off("goal", "Always log in UTC", 1, session="s1", provenance="human", rank=4),
        read_off("step", "d7ae388 Log in UTC", 2, session="s1", provenance="verified"),
        read_off("step", "write the docs", 3, session="s1", provenance="inferred"),
        read_off("validation", "`make test`", 4, session="s1"),
        session="s1",
        first=1,
        last=5,
    )
    second = session_of(
        read_off("goal", "Go on", 11, session="s2", provenance="human"), session="s2", first=11, last=15
    )
    assert ["Always log in UTC", "d7ae388 Log in UTC", "Go on"] == texts(state([], first, second))


def test_a_file_is_told_once_as_it_was_left_last() -> None:
    """Who stated something of it comes first."""
    sessions = [
        session_of(
            read_off("file", "cart.py", n, session=f"s{n}")._replace(status=status), session=f"s{n}", first=n, last=n
        )
        for n, status in ((1, "edited"), (2, "committed"))
    ]
    assert ["committed"] == [item.status for item in state([], *sessions).items]
    off = said("item.stated", "I-1", 9, by="human", kind_="file", text="cart.py", status="off limits")
    assert ["off limits"] == [item.status for item in state([off], *sessions).items]


def test_an_agents_next_action_gives_way_to_a_later_one() -> None:
    """A stale next action sends an agent to redo finished work; none at all makes it ask what was said."""
    plan = [stated("N-1", "Write the test", 8)]
    later = session_of(read_off("next", "Write the docs", 12, session="s2"), session="s2", first=11, last=15)
    assert ["Write the test"] == texts(state(plan, session_of(session="s2", first=11, last=15)))
    assert ["Write the docs"] == texts(state(plan, later))


def test_a_persons_next_action_stands_until_the_user_says_otherwise() -> None:
    """A stated value beats an inferred one, unless that quotes later words of the user."""
    plan = [stated("N-1", "Write the test", 8, by="human")]
    agents = read_off("next", "Write the docs", 12, session="s2")
    users: Item = agents._replace(provenance="human")
    assert "Write the test" in texts(state(plan, session_of(agents, session="s2", first=11, last=15)))
    assert ["Write the docs"] == texts(state(plan, session_of(users, session="s2", first=11, last=15)))


def test_what_only_a_file_says_comes_behind() -> None:
    """An import of a hundred entries must not push out what was said here, nor one kind the others."""
    rules = [stated(f"C-{number:02}", f"Rule {number}", 5, by="unattributed") for number in range(12)]
    failed = stated("X-1", "By hand", 5, by="unattributed", why="slow")
    own = [stated("C-own", "The tide is ten", 9), stated("D-own", "Ten it is", 9)]
    ranks = {item.id: item.rank for item in state([*rules, failed, *own]).items}
    assert max(ranks["C-own"], ranks["D-own"]) <= min(ranks[rule.data["item"]] for rule in rules[:3])  # type: ignore[index]
    assert ranks["C-00"] < ranks["X-1"] < ranks["C-11"]


def test_what_a_file_says_is_done_comes_behind_what_it_says_is_to_be_done() -> None:
    """Finished work is history."""
    done, ahead = (
        said("item.stated", f"S-{status}", 1, by="unattributed", kind_="step", text=status, status=status)
        for status in ("done", "pending")
    )
    ranks = {item.status: item.rank for item in state([done, ahead]).items}
    assert ranks["pending"] < ranks["done"]


def test_a_file_does_not_tell_how_a_file_was_left() -> None:
    """A document that mentions it knows less than the session that edited it."""
    mention = said("item.stated", "I-1", 9, by="unattributed", kind_="file", text="src/a.py")
    edited = read_off("file", "src/a.py", 3, session="s")
    assert [item.id for item in state([mention], session_of(edited, session="s", first=1, last=4)).items] == [edited.id]


def test_a_file_does_not_name_the_goal() -> None:
    """It is the heading of every document: the user's own words go first."""
    goal = stated("G-1", "What the file wants", 9, by="unattributed")
    own = read_off("goal", "What I want", 1, session="s", provenance="human", rank=0)
    found = state([goal], session_of(own, session="s", first=1, last=4)).items
    assert [item.id for item in found] == [own.id, "G-1"] and found[0].rank < found[1].rank


def test_what_was_said_in_one_moment_stays_in_the_order_it_was_said() -> None:
    """The steps of a plan come in a batch."""
    steps = [said("item.stated", f"S-{name}", 1, kind_="step", text=name) for name in "cab"]
    batch = [one._replace(id=f"{number:026}") for number, one in enumerate(steps)]
    assert [item.text for item in state(batch).items] == ["c", "a", "b"]


def test_a_word_about_an_inferred_item_goes_where_its_session_goes() -> None:
    """A session that counts for a task from now on brings along what was said about it before."""
    project = fold([said("item.pinned", FOUND.id, 20, was=FOUND.text)])
    session = session_of(FOUND, session="s1", first=9, last=30)
    assert {} == with_project({}, project, [])
    assert project == with_project({}, project, [session])


USERS = read_off("constraint", "Never touch the moon", 10, session="s1", provenance="human")
SAID_BY_USER = session_of(USERS, session="s1", first=9, last=30)


@pytest.mark.parametrize("kind", ["item.edited", "item.retracted", "item.superseded", "item.resolved"])
def test_an_agent_does_not_take_back_what_the_user_said_in_a_prompt(kind: str) -> None:
    """Two plain commands would else erase a user's words: reword them, then take back the agent's own."""
    data = {"text": "The moon may be touched"} if kind == "item.edited" else {"by_": "C-9"}
    events = [said(kind, USERS.id, 20, was=USERS.text, **data), said("item.retracted", USERS.id, 21)]
    found = state(events, SAID_BY_USER)
    assert [("Never touch the moon", "human")] == [(item.text, item.provenance) for item in found.items]


@pytest.mark.parametrize("second", [1, 9])
@pytest.mark.parametrize("field", ["locked", "pinned"])
def test_what_a_person_locked_or_pinned_is_held_fast(field: str, second: int) -> None:
    """Else a lock holds until the next import, whenever the other words claim to be from."""
    hold = (
        said("item.pinned", "D-1", 5, by="human", was="Page by cursor")
        if field == "pinned"
        else said("item.edited", "D-1", 5, by="human", locked=True, was="Page by cursor")
    )
    events = [
        stated("D-1", "Page by cursor", 4),
        hold,
        said("item.edited", "D-1", second, text="Page by offset"),
        said("item.retracted", "D-1", second + 1),
        said("item.restored", "D-1", second + 2),
    ]
    assert ["Page by cursor"] == texts(state(events))


def test_what_a_person_resolved_stays_so() -> None:
    """An agent that brings it back does it again."""
    events = [
        stated("N-1", "Write the test", 1),
        said("item.resolved", "N-1", 2, by="human"),
        said("item.restored", "N-1", 3),
    ]
    assert [] == texts(state(events))


def test_a_forged_reading_does_not_replace_the_users_words() -> None:
    """Anybody can write a bundle: its extracts are foreign, and nobody's class in it is above an agent's."""
    forged = session_of(
        USERS._replace(text="The moon may be touched", provenance="agent"), session="zz", first=90, last=99
    )._replace(rules=-1)
    agents = SAID_BY_USER._replace(items=(USERS._replace(provenance="agent"),))
    for own in (SAID_BY_USER, agents, agents._replace(rules=0)):
        for extracts in ((own, forged), (forged, own)):
            assert "The moon may be touched" not in texts(state([], *extracts))


def test_what_supersedes_may_itself_be_taken_back() -> None:
    """Both gone would leave no decision at all."""
    replaced = [
        stated("D-1", "Page by offset", 1),
        stated("D-2", "Page by cursor", 2),
        said("item.superseded", "D-1", 3, by_="D-2"),
    ]
    assert ["Page by cursor"] == texts(state(replaced))
    assert ["Page by offset"] == texts(state([*replaced, said("item.retracted", "D-2", 4)]))
    circle = [*replaced, said("item.superseded", "D-2", 4, by_="D-1")]
    assert ["Page by cursor"] == texts(state(circle))


def test_a_word_in_the_task_does_not_hide_the_projects_item() -> None:
    """Both streams speak of one item."""
    project = fold([stated("C-1", "Keep the API", 1, by="human")])
    task = fold([said("item.resolved", "C-1", 2)])
    assert ["Keep the API"] == texts(state_of(with_project(task, project, []), [], nowhere=NOWHERE))


@pytest.mark.parametrize("by", ["item.stated", "item.pinned"])
def test_a_backdated_word_ends_nothing(by: str) -> None:
    """A bundle and the spool say themselves when something was said."""
    early = stated("C-1", "Keep the API", 5, by="human" if by == "item.stated" else "agent")
    hold = [said("item.pinned", "C-1", 6, by="human", was="Keep the API")] if by == "item.pinned" else []
    assert ["Keep the API"] == texts(state([early, *hold, said("item.retracted", "C-1", 1)]))


def test_a_person_rewords_and_the_reason_stays() -> None:
    """What an agent gave as the reason is still the reason."""
    events = [
        stated("D-1", "Page by cursor", 1, why="rows move"),
        said("item.edited", "D-1", 2, by="human", text="Page by a cursor"),
    ]
    assert [("Page by a cursor", "rows move")] == [(item.text, item.why) for item in state(events).items]


def test_agents_pins_do_not_fill_the_document() -> None:
    """One long pin that came with a bundle would let no document be made, and an agent cannot take it off."""
    many = [
        event
        for n in range(9)
        for event in (stated(f"D-{n}", f"Decision {n}", n), said("item.pinned", f"D-{n}", 20 + n))
    ]
    long = [stated("C-1", "a" * 301, 40), said("item.pinned", "C-1", 41), stated("C-2", "b" * 301, 42)]
    long.append(said("item.pinned", "C-2", 43, by="human"))
    pinned = [item.id for item in state([*many, *long]).items if item.pinned]
    assert ["C-2", "D-0", "D-1", "D-2", "D-3", "D-4"] == sorted(pinned)


def test_an_answer_of_a_person_stays_under_its_question() -> None:
    """“No, never” under another question is the opposite."""
    events = [
        stated("Q-1", "May I drop the table?", 1),
        said("item.answered", "Q-1", 2, by="human", answer="No, never", was="May I drop the table?"),
        said("item.edited", "Q-1", 3, text="Shall I keep it from being dropped?"),
        said("item.retracted", "Q-1", 4),
    ]
    assert [("May I drop the table?", "No, never")] == [(item.text, item.answer) for item in state(events).items]


@pytest.mark.parametrize("second", [1, 9])
def test_a_persons_constraint_gets_no_reason_from_others(second: int) -> None:
    """“Until Monday, the user lifted it” is nobody's to add."""
    events = [
        stated("C-1", "Keep the API", 5, by="human"),
        said("item.edited", "C-1", second, why="lifted on Monday", until="2020-01-02"),
    ]
    assert [("Keep the API", "")] == [(item.text, item.why) for item in state(events).items]


def test_what_only_agents_spoke_of_and_no_rule_finds_is_gone() -> None:
    """Else an ignored rewording of a user's words comes to life when the rules miss them once."""
    assert [] == texts(state([said("item.edited", USERS.id, 20, text="The moon may be touched", was=USERS.text)]))


def test_a_session_that_others_tell_of_does_not_say_where_the_work_stands() -> None:
    """Whatever end it names: anybody can write a bundle. What a person wanted next would be gone from the document."""
    wanted = read_off("next", "Then fix the tide", 10, session="s1", provenance="human")
    began = read_off("goal", "Fix the tide", 9, session="s1", provenance="human", rank=0)
    own = session_of(began, wanted, session="s1", first=9, last=20)
    aims = read_off("goal", "Fix the moon", 1, session="zz", rank=0)
    foreign = session_of(aims, session="zz", first=1, last=99)._replace(rules=-1)
    found = state([], own, foreign)
    assert "s1" == found.origin.session
    assert {"Then fix the tide", "Fix the tide"} <= set(texts(found))
    assert ["zz"] == [extract.origin.session for extract in in_turn([foreign])]


def test_a_session_that_lost_a_word_to_redaction_stays_the_newest() -> None:
    """It has the rules 0 until it is read again, and where its record is gone for ever."""
    older = session_of(read_off("next", "Dig", 2, session="s1"), session="s1", first=1, last=5)
    left = read_off("next", "Fix the tide", 10, session="s2", provenance="inferred")  # the goal was redacted
    purged = session_of(left, session="s2", first=9, last=20)._replace(rules=0)
    assert "s2" == state([], older, purged).origin.session
