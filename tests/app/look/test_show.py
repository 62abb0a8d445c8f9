"""Every line of a payload can be traced to the words it was read off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.app.look.show import Showing, show
from clew.app.project.opening import ProjectHandle
from clew.app.resume.payload import resume
from clew.core.errors import InputError, NotFound
from clew.interfaces.show_text import show_text
from tests.app.worlds import ports
from tests.recordings.sessions import Recorder


@pytest.fixture
def session(tmp_path: Path) -> Path:
    story = Recorder("/home/mira/tide").user("Make the tide ten, and leave the moon alone")
    for number in range(16):
        story.user(f"Never touch part {number} of the moon, it holds number {number}")
        story.write(f"src/part{number}.py", f"def part_{number}():\n    pass\n")
        story.reply(
            f"Part {number} is written: `part_{number}` in src/part{number}.py, because you said so: the loader must "
            f"find it there, since `loader_{number}` looks at names only and never at what is inside of a file."
        )
    return story.write_to(tmp_path / "session.jsonl")


def shown(session: Path, name: str | None = None) -> Showing:
    return show(ProjectHandle(ports(session.parent), session.parent), name, transcript=session)


def test_every_item_is_shown_by_the_id_that_is_printed_and_by_any_longer_one(session: Path) -> None:
    """An id in a payload that finds nothing is worse than none."""
    listed = shown(session)
    assert len(listed.items) > 15
    for item in listed.items:
        short = item.short_id
        assert item == shown(session, short).item
        assert item == shown(session, short + item.id[len(short) : len(short) + 3]).item


@pytest.mark.parametrize("dress", ["{}", "[{}]", " {} ", "{upper}"])
def test_ids_are_taken_as_people_copy_them(dress: str, session: Path) -> None:
    """With the brackets that stand around them, in capitals as somebody read them out."""
    item = shown(session).items[0]
    assert item == shown(session, dress.format(item.id, upper=item.id.upper())).item


def test_an_ambiguous_beginning_lists_the_candidates(session: Path) -> None:
    """The hint alone is enough to go on."""
    listed = shown(session)
    with pytest.raises(InputError) as caught:
        shown(session, "I-")
    assert caught.value.code == "E-id-ambiguous"
    texts = {f"{item.short_id} ({item.text})" for item in listed.items}
    candidates = caught.value.hint.partition(": ")[2].split(", ")
    assert candidates
    assert set(candidates) <= texts
    assert all(candidate.startswith("I-") for candidate in candidates)


@pytest.mark.parametrize("name", ["", "  ", "[]", "Q-zzzz", "nonsense", "D-é\x1b[31m"])
def test_an_id_that_is_none_says_how_to_find_one(name: str, session: Path) -> None:
    """A typing mistake is no reason for a guess."""
    with pytest.raises(NotFound) as caught:
        shown(session, name)
    assert caught.value.code == "E-no-item"
    assert "clew show" in caught.value.hint
    assert f"session 5e551011 ({session})" in caught.value.message
    assert "--from" in caught.value.hint


def test_the_report_leads_to_the_line_in_the_record(session: Path) -> None:
    """`file:line` can be opened; the words there are the item's own."""
    lines = session.read_bytes().split(b"\n")
    for item in shown(session).items:
        found = shown(session, item.id)
        assert f"place    {session}:{found.line}" in show_text(found)
        line = lines[found.line - 1].decode()
        _, quotes, first_line = item.text.partition("(): pass` put in")[0].partition(": `")  # of a short edit
        probe = first_line if quotes else item.text.removeprefix("Never ").split("→")[0][:30]
        assert item.label == "State" or item.kind in ("file", "next") or probe[:20] in line, (item, line)


def test_the_report_says_who_said_it(session: Path) -> None:
    """A claim of the agent must not look like a wish of the user."""
    listed = shown(session)
    for provenance, words in (("human", "the user"), ("agent", "the agent (a claim)")):
        item = next(one for one in listed.items if one.provenance == provenance)
        assert words in show_text(shown(session, item.id))


def test_words_that_were_cut_say_where_the_rest_is(tmp_path: Path) -> None:
    """A sentence that ends in "…" would be taken for all that stands there."""
    fill = "The loader is slow because of the proxy. " * 60
    story = Recorder("/home/mira/tide").user("Make the tide ten").reply(f"Decision: keep `moon()`. {fill}")
    path = story.user("Short one").write_to(tmp_path / "session.jsonl")
    reports = [show_text(shown(path, item.id)) for item in shown(path).items]
    assert any("(`--json` has all)" in report for report in reports)
    assert all(("(`--json` has all)" in report) == ("The words there:" not in report) for report in reports)


def test_ids_in_the_payload_are_those_of_show(session: Path) -> None:
    """Both make their short ids from the same items."""
    printed = set()
    for budget in range(180, 700, 40):
        found = resume(ProjectHandle(ports(session.parent), session.parent), transcript=session, budget_tokens=budget)
        printed.update(re.findall(r"\[([A-Z]-[0-9a-z]+)\]", found.document.text))
    assert printed
    for short in printed:
        assert shown(session, short).item is not None
