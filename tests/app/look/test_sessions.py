"""Sessions listed, one in short, and a place of one that a search found."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.look.sessions import digest, is_place, passage, sessions
from clew.app.project.opening import ProjectHandle
from clew.app.search.index import Filters
from clew.app.search.search import search
from clew.core.errors import InputError, NotFound
from tests.app.hooks.hooked import EARLIER, LATELY, NOW, OTHER, Hooked
from tests.app.projects import World
from tests.app.recorders import Shop
from tests.app.worlds import secrets, snapshot
from tests.recordings.sessions import Recorder


def test_what_waits_is_told_by_its_beginning(tmp_path: Path) -> None:
    """Given sessions that nobody took in yet, to list them costs no reading of them: there may be hundreds."""
    shop = Shop(tmp_path)
    waiting = Recorder(shop.top, session="b0000000-0000-4000-8000-000000000001").user("Now the moon").reply("It is so.")
    waiting.save(shop.home)
    elsewhere = (
        Recorder(tmp_path / "tide-moon", session="b0000000-0000-4000-8000-000000000002").user("Rise").reply("Risen.")
    )
    elsewhere.save(shop.home)
    seen: list[str] = []

    def redact(text: str) -> str:
        seen.append(text)
        return text

    found = sessions(ProjectHandle(shop.ada._replace(redact=redact, redactor=lambda _: redact), shop.top))
    assert [(one.session[-1], one.stands) for one in found.sessions] == [("1", "unread")]
    assert not any("It is so" in text for text in seen)


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
    assert "[main 1234567] Fix the tide" in found.text and "src/a.py" in found.text
    assert f"{world.top}/" not in found.text
    assert NOW == digest(world.by_person).session


def test_a_session_is_named_by_its_id_a_beginning_or_its_file(world: Hooked, tmp_path: Path) -> None:
    """As `clew resume --from` takes it, wherever it ran."""
    path = world.story().save(world.home)
    away = Recorder(tmp_path / "elsewhere", session=OTHER, start=LATELY).user("Another project.").save(world.home)
    by_id, by_beginning, by_path = (digest(world.by_person, session=one) for one in (EARLIER, EARLIER[:8], path))
    assert by_id == by_beginning == by_path
    assert "Another project." in digest(world.by_person, session=away).text
    with pytest.raises(NotFound) as caught:
        digest(world.by_person, session="ffff")
    assert "E-transcript-missing" == caught.value.code
    with pytest.raises(InputError) as ambiguous:
        digest(world.by_person, session="5e55")
    assert "E-session-ambiguous" == ambiguous.value.code


def test_nothing_is_written_by_it(tmp_path: Path) -> None:
    """It works where nobody ran `clew init`, and leaves no trace."""
    world = World(tmp_path, ledger=False)
    Recorder(world.top, session=EARLIER).user("Fix the tide").reply("Done.").save(world.home)
    before = snapshot(world.home, world.top)
    assert EARLIER == digest(world.by_person).session
    assert before == snapshot(world.home, world.top)


def test_no_secret_is_told(world: Hooked) -> None:
    """Neither what somebody typed nor what a tool printed."""
    made = Recorder(world.top, session=EARLIER, start=LATELY)
    for kind, value in secrets().items():
        made.user(f"Use the {kind} key {value}").run("make deploy", f"denied for {value}", code=1)
    made.save(world.home)
    text = digest(world.by_person).text
    assert "make deploy" in text and not [kind for kind, value in secrets().items() if value in text]


def test_a_record_that_holds_nothing_is_said_so(world: Hooked, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"type": "summary", "summary": "x", "leafUuid": "1"}\n')
    with pytest.raises((InputError, NotFound)):
        digest(world.by_person, session=empty)


SESSION = "b0000000-0000-4000-8000-000000000001"


def test_a_find_is_opened_at_its_turn_and_no_further(tmp_path: Path) -> None:
    """Given a session of two turns, the place of the second shows the second, redacted."""
    shop, key = Shop(tmp_path), secrets()["github"]
    session = Recorder(shop.top, session=SESSION).user("Make the tide ten").reply("Done.")
    session.user(f"Now the lighthouse, with {key}").reply("Lit.").user("And the moon?").reply("No.").save(shop.home)
    (hit,) = search(shop.by_person, "lighthouse", filters=Filters()).hits
    found = passage(shop.by_person, f"{SESSION[:8]}@{hit.at}")
    assert ("record", "client", "at", "entries", "more") == found.__struct_fields__
    assert ["sort", "title", "text", "time", "at", "outcome"] == list(found.entries[0].__dataclass_fields__)
    assert [entry.title for entry in found.entries] == ["User", "Agent"] and not found.more
    assert "lighthouse" in found.entries[0].text and key not in found.entries[0].text


def test_what_is_no_place_is_said(tmp_path: Path) -> None:
    """Given a byte behind the end, or no such session, nothing is made up."""
    shop = Shop(tmp_path)
    Recorder(shop.top, session=SESSION).user("Make the tide ten").reply("Done.").save(shop.home)
    with pytest.raises(InputError):
        passage(shop.by_person, f"{SESSION}@99999999")
    with pytest.raises(NotFound):
        passage(shop.by_person, "ffffffff@0")
    assert not is_place("D-abcd") and not is_place("@12") and not is_place("a@b")
