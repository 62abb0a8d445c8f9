"""A session ends: what it did is handed over. One begins: what it picks up is archived, and memory is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.handoff.files import rebuilt
from clew.app.handoff.made import handoffs, uses
from clew.app.handoff.takeover import take_over
from clew.app.memory import use
from clew.app.project.opening import ProjectHandle
from clew.app.project.trust import project_at, standings, trust
from clew.core.text.tokens import estimate
from tests.app.hooks.hooked import EARLIER, NOW, Hooked
from tests.app.projects import PERSON, open_task


@pytest.fixture
def world(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path)


def latest(world: Hooked) -> str:
    return (world.top / ".clew/HANDOFF.md").read_text()


def test_real_work_is_handed_over_when_its_session_ends(world: Hooked) -> None:
    """Nobody has to remember to write it; the page of the session and the journal come with it."""
    world.start(session=EARLIER)
    world.finished().save(world.home)
    world.end("stop", session=EARLIER)
    assert not (world.top / ".clew/HANDOFF.md").exists()  # a turn's end is no session's
    world.end("session_end", session=EARLIER)
    assert "Fix the tide in src/a.py" in latest(world) and "Nobody reviewed it" in latest(world)
    assert [EARLIER[:8]] == [path.stem[-8:] for path in (world.top / ".clew/sessions").iterdir()]
    assert "1 commit" in (world.top / ".clew/journal/2026-11-21.md").read_text()
    assert (world.top / ".clew/state.json").exists() and EARLIER[:8] in (world.top / ".clew/session-log.md").read_text()
    world.end("session_end", session=EARLIER)
    with world.desk(write=False) as at:
        assert 1 == len(list(handoffs(at)))


def test_a_look_around_leaves_no_document(world: Hooked) -> None:
    """Under 15 minutes and without an edit there is nothing to hand over."""
    from tests.recordings.sessions import Recorder

    world.start(session=EARLIER)
    Recorder(world.top, session=EARLIER, start="2026-11-21T23:00:00").user("What is here?").reply("A tide.").save(
        world.home
    )
    world.end("session_end", session=EARLIER)
    assert not (world.top / ".clew/HANDOFF.md").exists()


def test_what_is_picked_up_is_history_from_then_on(world: Hooked) -> None:
    """A stale hand-off is dated and marked, and stays in the archive; rebuilt it says the same."""
    world.start(session=EARLIER)
    world.story().save(world.home)
    world.end("session_end", session=EARLIER)
    before = latest(world)
    assert "moon()" in world.start().context
    assert latest(world).startswith(f"> Stale: session {NOW[:8]} picked it up on 2026-11-22.")
    assert latest(world).endswith(before)
    [archived] = (world.top / ".clew/handoffs").iterdir()
    assert before == archived.read_text()
    with world.desk(write=False) as at:
        assert [NOW] == [one.session for one in uses(at).values()]
    (world.top / ".clew/HANDOFF.md").unlink()
    rebuilt(ProjectHandle(world.ports, world.top))
    assert latest(world).startswith("> Stale")


def test_memory_is_given_to_a_session_that_begins_and_after_a_compaction(world: Hooked) -> None:
    """L0 and L1 always, topics by name; within the budget of an index."""
    use.remember(ProjectHandle(world.ports, world.top), "project", "gotchas", "The cart fixture needs UTC", pinned=True)
    use.remember(ProjectHandle(world.ports, world.top), "project", "tides", "Low tide is at noon")
    use.remember(ProjectHandle(world.ports, world.top), "user", "user", "Answers in German are fine", pinned=True)
    given = world.start().context
    for words in ("The cart fixture needs UTC", "Answers in German are fine", "tides: 1 fact", "not instructions"):
        assert words in given
    assert "Low tide is at noon" not in given and estimate(given) < 450
    assert "" == world.start("resume", session=EARLIER).context
    assert "cart fixture" in world.start("compact").context
    world.setting("memory.inject", False)
    assert "" == world.start(session=EARLIER).context


# A colleague's hand-off on another clone


def handed_to(world: Hooked) -> str:
    """Ada hands over to Ben in a project that shares documents; the text."""
    from clew.app.handoff.make import make
    from clew.app.record.note import NewNote, note

    with world.desk() as at:
        open_task(at, "Refunds in cents")
    for kind, text, fields in (
        ("goal", "Refunds are split into whole cents", {}),
        ("decision", "Amounts are integers of cents", {"locked": True, "why": "floats drift"}),
        ("question", "Do tips count?", {"owner": "ben", "blocking": True}),
        ("failed", "Rounding each share up", {"why": "`AssertionError: 101 != 100`"}),
        ("reminder", "The refund webhook is stubbed in src/a.py", {}),
        ("next", "Give the odd cent to the largest part in src/a.py", {}),
    ):
        note(ProjectHandle(world.ports, world.top), NewNote(kind, text, **fields))  # type: ignore[arg-type]
    world.setting("documents.share", "documents")
    made = make(ProjectHandle(world.ports, world.top), profile="team", receiver="ben", commit=True)
    assert made is not None and made.commit
    return made.handoff.text


def test_the_second_developer_begins_with_what_the_first_one_left(world: Hooked, tmp_path: Path) -> None:
    """On a second clone: nothing before Ben trusts it, then all of it in his first session, and it lasts."""
    handed_to(world)
    ben = Hooked(tmp_path / "ben")
    import shutil

    shutil.rmtree(ben.top)
    world.repo.git("clone", "-q", str(world.top), str(ben.top))
    from clew.app.install.init import found, plan
    from clew.app.project.runtime_dirs import opt_in

    found(ben.ports, plan(ProjectHandle(ben.ports, ben.top))).ledger.close()
    opt_in(ben.data, ben.top)
    assert "" == ben.start(session=EARLIER).context
    things = [one.thing for one in standings(ben.ports.trust_store, project_at(ben.top)) if one.thing.sort == "handoff"]
    assert {".clew/HANDOFF.md"} <= {one.place for one in things}
    trust(ben.ports.trust_store, project_at(ben.top), things, said=PERSON, time="2026-11-22T00:00:00.000Z")
    take_over(ProjectHandle(ben.ports, ben.top))
    first = ben.start(session=NOW).context
    for words in (
        "From ada to ben",
        "locked: “Amounts are integers of cents” — floats drift",
        "no default, ask ben: “Do tips count?”",
        "AssertionError: 101 != 100",
        "The refund webhook is stubbed in src/a.py",
        "Give the odd cent to the largest part",
    ):
        assert words in first, words
    later = ben.start(session=EARLIER).context  # from ben's own ledger now
    for words in ("Amounts are integers of cents", "ask ben", "webhook is stubbed", "odd cent"):
        assert words in later, words
    assert "From ada to ben" not in later
