"""Whose record in short it is, and what of it never comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.look.digest import digest
from clew.app.project.opening import ProjectHandle
from clew.core.errors import InputError, NotFound
from tests.app.hooks.hooked import EARLIER, LATELY, NOW, OTHER, Hooked
from tests.app.projects import World
from tests.app.worlds import secrets, snapshot
from tests.recordings.sessions import Recorder


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path)


def test_without_a_name_it_is_the_newest_that_does_not_ask(world: Hooked) -> None:
    """An agent that asks for what went before does not want its own words."""
    world.story().save(world.home, modified=1_795_000_000)
    world.finished(session=OTHER).save(world.home, modified=1_795_000_100)
    Recorder(world.top, session=NOW, start=LATELY).user("Go on.").save(world.home, modified=1_795_000_200)
    found = digest(ProjectHandle(world.hook(NOW), world.top))
    assert (OTHER, "claude-code") == (found.session, found.client)
    assert "[main 1234567] Fix the tide" in found.document.text and "src/a.py" in found.document.text
    assert f"{world.top}/" not in found.document.text
    assert NOW == digest(ProjectHandle(world.ports, world.top)).session


def test_a_session_is_named_by_its_id_a_beginning_or_its_file(world: Hooked, tmp_path: Path) -> None:
    """As `clew resume --from` takes it, wherever it ran."""
    path = world.story().save(world.home)
    away = Recorder(tmp_path / "elsewhere", session=OTHER, start=LATELY).user("Another project.").save(world.home)
    by_id, by_beginning, by_path = (
        digest(ProjectHandle(world.ports, world.top), session=one) for one in (EARLIER, EARLIER[:8], path)
    )
    assert by_id == by_beginning == by_path
    assert "Another project." in digest(ProjectHandle(world.ports, world.top), session=away).document.text
    with pytest.raises(NotFound) as caught:
        digest(ProjectHandle(world.ports, world.top), session="ffff")
    assert "E-transcript-missing" == caught.value.code
    with pytest.raises(InputError) as ambiguous:
        digest(ProjectHandle(world.ports, world.top), session="5e55")
    assert "E-session-ambiguous" == ambiguous.value.code


def test_nothing_is_written_by_it(tmp_path: Path) -> None:
    """It works where nobody ran `clew init`, and leaves no trace."""
    world = World(tmp_path, ledger=False)
    Recorder(world.top, session=EARLIER).user("Fix the tide").reply("Done.").save(world.home)
    before = snapshot(world.home, world.top)
    assert EARLIER == digest(ProjectHandle(world.ports, world.top)).session
    assert before == snapshot(world.home, world.top)


def test_no_secret_is_told(world: Hooked) -> None:
    """Neither what somebody typed nor what a tool printed."""
    made = Recorder(world.top, session=EARLIER, start=LATELY)
    for kind, value in secrets().items():
        made.user(f"Use the {kind} key {value}").run("make deploy", f"denied for {value}", code=1)
    made.save(world.home)
    text = digest(ProjectHandle(world.ports, world.top)).document.text
    assert "make deploy" in text and not [kind for kind, value in secrets().items() if value in text]


def test_a_record_that_holds_nothing_is_said_so(world: Hooked, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"type": "summary", "summary": "x", "leafUuid": "1"}\n')
    with pytest.raises((InputError, NotFound)):
        digest(ProjectHandle(world.ports, world.top), session=empty)
