"""The body of an issue: what is composed is read back, and what people wrote around it stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.app.issue.body import BODY_CHARS_MAX, Body, HiddenBlock, Raw, compose, marker, read
from clew.app.issue.content import body_of, held_of
from clew.app.project.session import Speaker
from clew.core.errors import InputError
from clew.core.state.items import Item, Kind, Origin, Place, State
from clew.core.state.tasks import Task
from clew.documents.entry import NOWHERE, Entry
from clew.documents.profiles import ISSUE, Section
from clew.documents.render import View, render
from clew.ledger.memory import MemoryLedger
from tests.app.projects import session_over
from tests.documents.states import views

_BLOCK = HiddenBlock("0123456789abcdef", commit="a" * 40, branch="main", read=(("src/a.py", "b" * 40),))
_NOTHING = Body((), (), (), None, untouched=False)


def _entries(*items: Item) -> list[tuple[Section, Entry]]:
    state = State(Origin("", "", "", "", "", "", True, ""), items)
    by = {item.id: item for item in items}
    found = render(View(state, None, None, {name: name for name in by}), ISSUE, 1_000_000, with_ids=True).entries
    return [(section, one) for one in found if (section := ISSUE.section_of(by[one.id])) is not None]


def _item(name: str, kind: Kind, text: str, status: str = "", why: str = "") -> Item:
    return Item(
        name.ljust(18, "0"), kind, text, why, status, "agent", (), Place("", -1, ""), 3, "2026-11-25T10:00:00.000Z"
    )


def _plain(entries: list[Entry] | tuple[Entry, ...]) -> list[Entry]:
    return [one._replace(lines=NOWHERE) for one in entries]


_SOME = (
    _item("G-1", "goal", "Ship it"),
    _item("P-1", "phase", "Parser", "done"),
    _item("P-2", "phase", "Wiring", "in progress"),
    _item("D-1", "decision", "Cents", why="floats lose one"),
    _item("R-1", "risk", "It may fail"),
)


def test_what_is_composed_is_read_back() -> None:
    """Entries, block, and that nobody touched it."""
    entries = _entries(*_SOME)
    text = compose(entries, [], _BLOCK, left_out=0, task="")
    found = read(text)
    assert _plain(found.entries) == _plain([one for _, one in entries])
    assert (found.raws, found.more, found.untouched) == ((), (), True)
    assert found.block is not None and (found.block.hid, found.block.read) == (_BLOCK.hid, _BLOCK.read)
    assert marker(_BLOCK.hid) in text
    assert compose(entries, found.raws, found.block, left_out=0, task="") == text


@given(view=views())
def test_whatever_is_held_is_read_back(view: View) -> None:
    """For any items, in any words: text that looks like our own marks included."""
    told = [one._replace(provenance="agent", label="", pinned=False) for one in view.state.items]
    items = [one._replace(id=f"{one.id[:2]}{at:016d}") for at, one in enumerate(told)]
    entries = _entries(*[one for one in items if one.kind not in ISSUE.left_out])
    text = compose(entries, [], _BLOCK, left_out=0, task="")
    assert _plain(read(text).entries) == _plain([one for _, one in entries])


@given(words=st.text(alphabet="ab -*#`|<>\n![x]()_~", max_size=200))
def test_whatever_people_write_stays_or_is_an_entry(words: str) -> None:
    """Composed again from what was read, nothing of it is gone, and a second time nothing changes."""
    entries = _entries(*_SOME)
    text = compose(entries, [Raw("Goal", "Some words.")], _BLOCK, left_out=0, task="").replace("Some words.", words)
    found = read(text)
    block = found.block or _BLOCK
    again = compose(entries, found.raws, block, left_out=0, task="")
    second = read(again)
    said = "".join(raw.text for raw in found.raws) + "".join(one.text + one.why + one.answer for one in found.entries)
    assert all(sign in said or sign.lower() in said for sign in {one for one in words if one in "ab"})
    assert compose(entries, second.raws, block, left_out=0, task="") == again


def test_code_tables_and_comments_are_no_entries() -> None:
    """A log with a list in it is a log."""
    text = compose(_entries(*_SOME), [], _BLOCK, left_out=0, task="")
    log = "```\n- [ ] no step\n```\n\n| a | b |\n|---|---|\n\n<!-- a hint\n- [ ] no step either -->"
    found = read(text.replace("## Decisions locked", f"{log}\n\n## Decisions locked"))
    assert len(found.entries) == len(_SOME)
    assert [raw.text for raw in found.raws] == [log]
    assert [raw.under for raw in found.raws] == ["Current status"]


def test_an_issue_of_anybodys_is_read() -> None:
    """A checklist and a heading; what is no list stays where it is."""
    found = read(
        "It fails since Monday.\n\n## Tasks\n- [x] T001 Write a test\n- [ ] T002 Fix it\n\n## Screens\n![a](b)\n"
    )
    assert [(one.kind, one.status) for one in found.entries] == [("step", "done"), ("step", "pending")]
    assert [raw.text for raw in found.raws] == ["It fails since Monday.", "## Screens\n![a](b)"]
    assert (found.block, found.untouched) == (None, False)


def test_a_form_that_was_filled_in_is_read() -> None:
    """GitHub's forms make headings of the third level."""
    found = read("### Goal\n\n- Fix it\n\n### Open risks\n\n- it is late\n\n### Notes of mine\n\nAsk Bea.\n")
    assert [(one.kind, one.text) for one in found.entries] == [("goal", "Fix it"), ("risk", "it is late")]
    assert [raw.text for raw in found.raws] == ["### Notes of mine\n\nAsk Bea."]


@pytest.mark.parametrize("damage", ["", "{", '{"v":1,"id":"no id"}', '{"v":1,"read":7}'])
def test_a_damaged_block_is_none_and_is_not_kept(damage: str) -> None:
    """Whoever breaks it loses nothing: the next push writes it again."""
    text = compose(_entries(*_SOME), [], _BLOCK, left_out=0, task="")
    broken = text.partition("<!-- clew:issue")[0] + f"<!-- clew:issue\n{damage}\n-->\n"
    found = read(broken)
    assert (found.block, found.raws, len(found.entries)) == (None, (), len(_SOME))


def test_what_is_in_the_block_does_not_end_its_comment() -> None:
    """A branch may be called anything."""
    text = compose([], [], HiddenBlock("0123456789abcdef", branch="a-->b<!--"), left_out=0, task="")
    assert text.count("-->") == 1
    found = read(text).block
    assert found is not None and found.branch == "a-->b<!--"


def _held(count: int, text: str):  # type: ignore[no-untyped-def]

    at = session_over(
        MemoryLedger(project="01J00000000000000000000001", key=b"k" * 32), by=Speaker("a", "agent", "", "", "")
    )
    task = at.new_id("T")
    at.append([at.event("task.opened", {"task": task, "title": "Tides"}, task="")])
    at.append(
        [
            at.event("item.stated", {"item": f"S-{n:016d}", "kind": "step", "text": f"{n} {text}"}, task=task)
            for n in range(count)
        ]
    )
    found = Task(task, "Tides", "", "open", "", "", "", ())
    entities = at.stated(task)
    return held_of(found, entities, (), private=frozenset(), inferred=False, at=at)


def test_a_body_is_never_longer_than_it_may_be_and_says_what_is_cut() -> None:
    """Two thousand steps of a line each do not fit."""
    text, left_out = body_of(_held(2000, "word " * 20), _NOTHING, _BLOCK, task="T-1")
    assert len(text) <= BODY_CHARS_MAX
    assert len(text) > BODY_CHARS_MAX // 2
    assert left_out > 0
    assert f"Left out for lack of room: {left_out} items. `clew resume T-1` where the ledger is has all of it." in text
    assert read(text).raws == ()


def test_what_others_wrote_is_not_cut_for_ours() -> None:
    """It is said instead."""
    theirs = Body((), (), (Raw("", "x" * BODY_CHARS_MAX),), None, untouched=False)
    with pytest.raises(InputError, match="leaves no room") as caught:
        body_of(_held(3, "step"), theirs, _BLOCK, task="")
    assert caught.value.code == "E-issue-full"
