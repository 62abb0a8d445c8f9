"""A hand-off comes in: its entries are proved, what stands is stated, what does not is told; in one append."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.draft.newest import find_draft, newest
from clew.app.look.show import show
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.resume.catchup import TakenCheckpoint, checkpoint
from clew.core.errors import ClewError, InputError, LedgerError, NotFound
from clew.core.state.events import Event
from tests.app.hooks.hooked import EARLIER, LATELY, NOW, Hooked
from tests.app.projects import open_task
from tests.app.worlds import secrets
from tests.recordings.sessions import Recorder

KEPT = "Keep `moon()` in src/a.py"
TRUE = "- Keep `moon()` in src/a.py, because the loader needs it"
CHECK = "- `pytest tests/test_a.py` failed"
LIE = "- Everything was pushed to origin"
DRAFT = f"""## Goal
- Fix the tide in src/a.py

## Decisions
{TRUE}

## State
{LIE}

## Checks
{CHECK}
"""


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    world = Hooked(tmp_path)
    world.story().save(world.home)
    return world


def hand_in(
    world: Hooked, text: str = DRAFT, *, ports: Ports | None = None, session: str = EARLIER, **more: str
) -> TakenCheckpoint:
    world.clock.tick()
    given = ports or world.hook(session)
    return checkpoint(
        ProjectHandle(given, world.top, bool(more.pop("dry_run", False))), draft=text, source="tool", **more
    )


def events(world: Hooked, *kinds: str) -> list[Event]:
    with world.desk(write=False) as at:
        return [one.event for one in at.ledger.events(kinds=kinds or None)]


def test_what_stands_is_stated_and_what_does_not_is_told(world: Hooked) -> None:
    """A lie in a hand-off would be the next session's truth; and who wrote it can fix it only while it is there."""
    taken = hand_in(world)
    assert taken.draft is not None
    [struck] = [one for one in taken.draft.claims if not one.stands]
    assert "Everything was pushed to origin" == struck.text and struck.reason
    said = taken.answer
    assert f"Kept the draft {taken.draft.short_id}: 3 of 4 entries stand" in said[0]
    assert any("pushed to origin" in line and struck.reason in line for line in said)
    stated = events(world, "item.stated")
    assert {"Fix the tide in src/a.py", KEPT, CHECK[2:]} == {event.data["text"] for event in stated}
    assert {taken.draft.id} == {event.data["draft"] for event in stated}
    assert all(event.data["verdict"] in ("proved", "anchored") and event.data["evidence"] for event in stated)


def test_it_is_the_sessions_word_and_of_its_task(world: Hooked) -> None:
    """So that it takes the place of what rules read off that session, and no other's."""
    with world.desk() as at:
        task = open_task(at, "Fix the tide")
    hand_in(world)
    found = events(world, "draft.written", "item.stated")
    assert {(EARLIER, task)} == {(event.session, event.task) for event in found}
    [written] = events(world, "draft.written")
    assert "private" == written.visibility, "it is all that a model wrote"
    assert {"agent", "verified"} >= {event.provenance for event in found}
    proved = [event for event in found if event.data.get("verdict") == "proved" and event.data["kind"] == "validation"]
    assert proved and all(event.provenance == "verified" for event in proved)


def test_it_comes_with_the_checkpoint_or_not_at_all(world: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a hand-off would be told as a whole one."""
    from clew.app.project.session import ProjectSession

    def full(*_: object) -> None:
        raise LedgerError("the disk is full", code="E-ledger-full", hint="Make room.")

    with monkeypatch.context() as patched:
        patched.setattr(ProjectSession, "append", full)
        with pytest.raises(LedgerError):
            hand_in(world)
    assert [] == events(world, "draft.written", "item.stated", "checkpoint.taken")
    hand_in(world)
    kinds = [event.kind for event in events(world)[-5:]]
    assert ["draft.written", "checkpoint.taken"] == [kinds[0], kinds[-1]]  # who looks back at it sees the draft, too


def test_the_same_again_is_kept_once(world: Hooked) -> None:
    """A client that hears no answer in time calls again."""
    first, again = hand_in(world), hand_in(world)
    assert first.draft is not None and again.draft is not None
    assert first.draft.id == again.draft.id
    assert again.answer[0].startswith("Kept before")
    assert 1 == len(events(world, "draft.written"))
    assert first.checkpoint.id == again.checkpoint.id, "nothing happened in between"


def test_a_corrected_one_takes_its_place(world: Hooked) -> None:
    """What the first one said and the second does not must not come back; nor does it when the first is sent again."""
    from clew.app.project.lookup import live_state

    first = hand_in(world)
    corrected = hand_in(world, DRAFT.replace(LIE, "- Nothing was committed").replace(TRUE, ""))
    assert first.draft is not None and corrected.draft is not None
    task = corrected.draft.task

    def told() -> set[str]:
        with world.desk(write=False) as at:
            return {item.text for item in live_state(at, task).items if item.draft}

    assert KEPT not in told()
    assert "Fix the tide in src/a.py" in told()
    with world.desk(write=False) as at:
        now = newest(at.ledger, session=EARLIER)
        assert now is not None and corrected.draft.id == now.id
        entries = [one for one in at.known(task).values() if one.item.draft == first.draft.id]
    assert entries and {("superseded", now.id)} == {(one.standing, one.because) for one in entries}
    third = hand_in(world)
    assert third.answer[0].startswith("Kept the draft"), "it is a draft of its own: it stands for what holds now"
    assert KEPT in told()


def test_a_corrected_one_is_told_once(world: Hooked) -> None:
    """Given a draft and its correction, the journal and a search tell each entry once, as it stands now."""
    from clew.app.journal.pages import days
    from clew.app.search.index import Filters
    from clew.app.search.search import search

    hand_in(world)
    hand_in(world, DRAFT.replace(LIE, "- Nothing was committed").replace("needs it", "asks for it"))
    with world.desk(write=False) as at:
        told = [line.words for lines in days(at).values() for line in lines if KEPT in line.words]
    assert told == [f"decided: {KEPT} (because the loader asks for it)"]
    found = search(ProjectHandle(world.ports, world.top), "loader", filters=Filters(), everywhere=False)
    assert [hit.title for hit in found.hits].count(KEPT) == 1


def test_evidence_is_kept_with_the_entry(world: Hooked) -> None:
    """Given an entry with a command that never ran, it is struck; one that ran stands with its evidence."""
    rows = "## Checks\n- 1 failed [check pytest tests/test_a.py]\n- lint is clean [check ruff check]"
    taken = hand_in(world, f"## Goal\n- Fix the tide in src/a.py\n{rows}")
    assert taken.draft is not None
    _, ran, never = taken.draft.claims
    assert ran.stands and "[check pytest tests/test_a.py]" in ran.text
    assert (never.verdict, "did not run" in never.reason) == ("unsupported", True)


def test_what_the_agent_did_since_is_looked_at_again(world: Hooked) -> None:
    """The same words can be a lie before the push and the truth behind it."""
    story = world.story()
    first = hand_in(world)
    story.result("").run("git push", "main -> main").save(world.home)
    again = hand_in(world)
    assert first.draft is not None and again.draft is not None
    assert again.answer[0].startswith("Kept the draft")
    assert first.draft.id != again.draft.id


def test_what_is_too_long_is_refused_whole(world: Hooked) -> None:
    """It would push everything else out of the payload. A little more is let pass: nobody counts tokens as we do."""
    entry = "- The tide in src/a.py was fixed so that the moon() keeps its place number {}\n"
    with pytest.raises(InputError, match=r"has 2,\d{3} tokens") as caught:
        hand_in(world, "".join(entry.format(number) for number in range(100)))
    assert "E-draft-long" == caught.value.code
    assert [] == events(world, "draft.written", "checkpoint.taken")
    near = "".join(entry.format(number) for number in range(45))
    assert hand_in(world, f"## State\n{near}").draft is not None


@pytest.mark.parametrize("text", ["", "---", "I am sorry, but I cannot tell what was done in src/a.py."])
def test_what_holds_no_entry_is_no_hand_off(world: Hooked, text: str) -> None:
    """An answer that was cut off must not stand in the place of what rules know."""
    if text:
        with pytest.raises(InputError) as caught:
            hand_in(world, text)
        assert "E-draft-empty" == caught.value.code
    else:
        assert hand_in(world, text).draft is None
    assert [] == events(world, "draft.written")


def test_without_a_record_nothing_is_believed(world: Hooked) -> None:
    """A session that clew cannot read could claim anything."""
    with pytest.raises(InputError) as caught:
        hand_in(world, session="5e551099-0000-4000-8000-000000000009")
    assert "E-draft-no-record" == caught.value.code
    assert [] == events(world, "draft.written", "checkpoint.taken")


def test_of_two_sessions_at_work_none_is_guessed(world: Hooked) -> None:
    """A client that does not say which session asks: the other one's record would prove nothing of it."""
    now = world.clock() / 1000
    world.story().save(world.home, modified=now - 60)
    other = Recorder(world.top, session=NOW, start=LATELY).user("Look at the moon in src/a.py").reply("It is there.")
    other.save(world.home, modified=now - 6_000)
    nobody = world.hook("")
    found = hand_in(world, ports=nobody)
    assert found.draft is not None and EARLIER == found.draft.session
    other.save(world.home, modified=now - 120)
    with pytest.raises(InputError) as caught:
        hand_in(world, ports=nobody)
    assert "E-draft-no-record" == caught.value.code


def test_no_draft_waits_in_the_spool(world: Hooked) -> None:
    """What stands there an agent can write: its verdicts would be anybody's."""
    with pytest.raises(ClewError) as caught:
        hand_in(world, ports=world.read_only()._replace(asking_session=EARLIER))
    assert "E-draft-readonly" == caught.value.code
    assert not list(world.top.glob(".clew/spool/*"))


def test_a_secret_in_it_is_kept_nowhere(world: Hooked) -> None:
    """Models repeat keys."""
    secret = secrets()["github"]
    taken = hand_in(world, f"{DRAFT}\n## Open\n- The token {secret} for src/a.py waits\n")
    assert any("Possible secrets" in note for note in taken.notes)
    found = b"".join(path.read_bytes() for path in world.top.rglob("ledger.db*"))
    assert secret.encode() not in found


def test_a_person_at_a_terminal_hands_in_a_persons_word(world: Hooked) -> None:
    """What somebody curated counts as said by a person, until the same person hands in the next one."""
    hand_in(world, ports=world.ports)
    stated = events(world, "item.stated")
    assert {"human"} == {event.provenance for event in stated}
    [written] = events(world, "draft.written")
    assert ("review", EARLIER) == (written.data["source"], written.session)
    hand_in(world, DRAFT.replace(TRUE, ""), ports=world.ports)
    with world.desk(write=False) as at:
        live = {one.item.text for one in at.known(written.task).values() if one.standing == "live" and one.item.draft}
    assert {"Fix the tide in src/a.py", CHECK[2:]} == live


def test_a_draft_is_found_by_its_id(world: Hooked) -> None:
    """`clew show` and `clew log` name it."""
    taken = hand_in(world)
    assert taken.draft is not None
    found = show(ProjectHandle(world.ports, world.top), taken.draft.short_id)
    assert found.draft is not None
    assert taken.draft.id == found.draft.id
    assert ["Everything was pushed to origin"] == [claim.text for claim in found.draft.claims if not claim.stands]
    with world.desk(write=False) as at, pytest.raises(NotFound):
        find_draft(at, "W-nothing")


def test_a_redacted_entry_is_gone_from_the_draft_too(world: Hooked) -> None:
    """Its words stand there as they were written, with marks, and once more in the list of entries."""
    from clew.app.keeping.purge import purge

    told = 'Keep `moon()` in src/a.py: the "tide loader" needs it'
    hand_in(world, DRAFT.replace(TRUE, f"- **{told.partition(':')[0]}**:{told.partition(':')[2]}"))
    stated = events(world, "item.stated")
    [item] = [str(event.data["item"]) for event in stated if "moon" in str(event.data["text"])]
    purge(ProjectHandle(world.ports, world.top), item)
    kept = repr([event.data for event in events(world, "draft.written", "item.stated")])
    assert "tide loader" not in kept and "Keep" not in kept
    assert "Fix the tide in src/a.py" in kept


def test_what_was_proved_elsewhere_is_not_proved_here(world: Hooked) -> None:
    """A bundle, or a file that an agent can write, could say that of anything."""
    from clew.ledger.portable import lower_event

    hand_in(world)
    [event] = [event for event in events(world, "item.stated") if event.data["verdict"] == "proved"][:1]
    carried = lower_event(event, "unattributed", event.recorded_at)
    assert not {"verdict", "evidence"} & set(carried.data)
    assert {**event.data, **carried.data} == event.data and carried.data["draft"]
