"""What was taken back in a conversation, and what only looks like it: copies of lines, two processes, lost lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.records.transcript import Call, Context, Edit, Prompt, Record, Reply, Result
from clew.distill.session import Session, ToolStep, build
from tests.builders import ROOT


def told(at: int, uid: str, parent: str) -> Context:
    """Where a line stands. Its time is its id, so a copy has the same."""
    return Context(at, uid, "", "s", ROOT, "main", "1", True, uid, parent)


def line(uid: str, parent: str, text: str, *, at: int = 0, by: str = "user") -> list[Record]:
    """One line of a client that links its lines."""
    if by == "agent":
        return [told(at, uid, parent), Reply(at, uid, "", text, uid)]
    return [told(at, uid, parent), Prompt(at, uid, "", text, "typed", uid, parent)]


def story(*lines: tuple[str, str, str] | tuple[str, str, str, str]) -> Session:
    """A session of lines (id, parent, text) of the user's; a fourth word says that the agent speaks."""
    records: list[Record] = []
    for at, one in enumerate(lines):
        records += line(*one[:3], at=at * 100, by=one[3] if len(one) > 3 else "user")  # type: ignore[misc]
    return build(records, client="claude-code")


def said(session: Session) -> list[str]:
    return [event.text for event in session.events if isinstance(event, (Prompt, Reply))]


def test_lines_that_are_written_again_are_told_once() -> None:
    """A client wrote the beginning again on its second compaction: two requests and a prohibition were taken for a way
    gone back from.
    """
    first = [("1", "", "Add a retry"), ("2", "1", "Added.", "agent"), ("3", "2", "Never name the host")]
    told = story(*first, ("4", "3", "Documented.", "agent"), *first[:2], ("5", "", "Rename it"))
    assert said(told) == ["Add a retry", "Added.", "Never name the host", "Documented.", "Rename it"]


def test_calls_that_are_written_again_are_made_once() -> None:
    """A file would count as edited after the check that passed since."""
    call = Call(100, "2", "", "c", "Edit", Edit(f"{ROOT}/a.py", "", "x = 1"))
    done = Result(200, "3", "", "c", "ok", None, "", "", (), "")
    once: list[Record] = [told(100, "2", "1"), call, told(200, "3", "2"), done]
    again = [record._replace(at=record.at + 500) for record in once]
    events = build([*line("1", "", "Add it"), *once, *again], client="claude-code").events
    assert [isinstance(event, ToolStep) for event in events] == [False, True]


def test_two_processes_on_one_session_both_go_on() -> None:
    """The second prompt with the same parent replaced nothing: what follows the first stands behind it."""
    told = story(
        ("1", "", "Accept semicolons"),
        ("2", "1", "Accepted.", "agent"),
        ("3", "2", "Also tabs. Never guess the encoding."),
        ("4", "3", "I sniff only the first line.", "agent"),
        ("5", "2", "Fix the typo"),
        ("6", "5", "Fixed.", "agent"),
        ("7", "4", "Run the tests now"),
    )
    assert said(told)[2:] == ["Also tabs. Never guess the encoding.", "I sniff only the first line.", "Fix the typo",
                              "Fixed.", "Run the tests now"]  # fmt: skip


def test_a_way_that_nothing_follows_was_gone_back_from() -> None:
    """It looks like a request, and is none any more."""
    told = story(
        ("1", "", "Start"),
        ("2", "1", "Use SQLite"),
        ("3", "2", "SQLite it is.", "agent"),
        ("4", "1", "Use Postgres"),
        ("5", "4", "Right.", "agent"),
    )
    assert said(told) == ["Start", "Use Postgres", "Right."]


def test_a_line_that_is_not_there_proves_nothing() -> None:
    """A file that was cut names parents that it does not hold."""
    told = story(("1", "lost", "Use SQLite"), ("2", "1", "Yes.", "agent"), ("3", "lost", "Use Postgres"))
    assert said(told) == ["Use SQLite", "Yes.", "Use Postgres"]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=12), st.randoms(use_true_random=False))
def test_copies_in_any_order_lose_no_words(links: list[tuple[int, int]], chance: object) -> None:
    """Any tree, rings too, and any of its lines again in any order."""
    lines = [(f"{own}", f"{parent}" if parent else "", f"text {own}") for own, parent in links]
    once = said(story(*lines))
    copies = [*lines]
    chance.shuffle(copies)  # type: ignore[attr-defined]
    assert said(story(*lines, *copies)) == once


@given(st.permutations(range(1, 7)))
def test_one_line_after_the_other_is_never_gone_back_from(order: list[int]) -> None:
    """Each prompt answers to the one before: nothing was replaced, in whatever order they were written down."""
    told = story(*((f"{one}", f"{one - 1}" if one > 1 else "", f"text {one}") for one in order))
    assert sorted(said(told)) == [f"text {one}" for one in range(1, 7)]
