"""Played through with scripted sessions: a refactor over three days, and a hunt for a bug."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from clew.app.handoff.files import rebuilt
from clew.app.handoff.make import make
from clew.app.journal.pages import add
from clew.app.memory import use
from clew.app.memory.triage import Decision
from clew.app.project.opening import ProjectHandle
from clew.app.record.item import answer
from clew.app.record.note import NewNote, note
from clew.app.tasks.lifecycle import task_end, task_new
from clew.testing.clock import Clock
from tests.app.hooks.hooked import Hooked
from tests.recordings.sessions import Recorder

DAYS = ("2026-11-22", "2026-11-23", "2026-11-24")


def session(world: Hooked, number: int, day: str) -> Recorder:
    """A session of that day, whose client started it."""
    world.clock.now_ms = _ms(f"{day}T09:00:00")
    name = f"5e5510{number}0-0000-4000-8000-00000000000{number}"
    world.start(session=name)
    return Recorder(world.top, session=name, start=f"{day}T09:00:00")


def ends(world: Hooked, made: Recorder, day: str) -> None:
    made.save(world.home)
    world.clock.now_ms = _ms(f"{day}T10:00:00")
    world.end("session_end", session=made.session)


def _ms(text: str) -> int:
    from datetime import UTC, datetime

    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def test_a_refactor_over_three_days(tmp_path: Path) -> None:
    """What was decided on the first day holds on the third; each day has its page; what was learned outlives it."""
    world = Hooked(tmp_path)
    assert isinstance(world.clock, Clock)
    task_new(ProjectHandle(world.ports, world.top), "Split the tide module")
    note(ProjectHandle(world.ports, world.top), NewNote("constraint", "The public API of src/a.py stays"))

    first = session(world, 1, DAYS[0]).user("Split src/a.py into reading and writing")
    first.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n").run(
        "git commit -qam 'Begin the split'", "[main 1234567] Begin the split"
    )
    first.reply(
        "[DECISION] Reading goes into src/read.py because writers import it\n"
        "[LEARNED] src/a.py is imported by name in setup.cfg"
    )
    ends(world, first, DAYS[0])

    second = session(world, 2, DAYS[1]).user("Go on with the split")
    second.run(
        "pytest tests/test_a.py", "FAILED tests/test_a.py::test_x - ImportError: cannot import name 'tide'", code=1
    )
    second.edit("src/a.py", "a = 2", "a = 3", original="a = 2\n")
    second.reply("I tried re-exporting with a star import, but it failed because of __all__. Next: write src/write.py.")
    ends(world, second, DAYS[1])
    add(ProjectHandle(world.ports, world.top), "Ben asks for the old import path")

    third = session(world, 3, DAYS[2]).user("What is left?")
    given = world.start("clear", session="5e551040-0000-4000-8000-000000000004").context
    for words in ("The public API of src/a.py stays", "Reading goes into src/read.py", "ImportError", "src/write.py"):
        assert words in given, words
    third.edit("src/a.py", "a = 3", "a = 4", original="a = 3\n").run("pytest tests/test_a.py", "3 passed")
    third.run("git commit -qam 'End the split'", "[main 2345678] End the split").reply(
        "The split is done and committed."
    )
    ends(world, third, DAYS[2])

    pages = {path.stem: path.read_text() for path in (world.top / ".clew/journal").iterdir()}
    assert set(DAYS) <= pages.keys()
    assert "Ben asks for the old import path" in "".join(pages.values())
    assert 3 == len(list((world.top / ".clew/sessions").iterdir()))
    task_end(ProjectHandle(world.ports, world.top), None, change="close", outcome="split in two")
    use.triage(
        ProjectHandle(world.ports, world.top),
        "project",
        lambda found, _: [Decision(one, "keep") for one in found if "imported by name" in one.item.text],
    )
    rebuilt(ProjectHandle(world.ports, world.top))
    [summary] = (world.top / ".clew/summaries").iterdir()
    assert "The public API of src/a.py stays" in summary.read_text() and "split in two" in summary.read_text()
    fresh = world.start(session="5e551050-0000-4000-8000-000000000005").context
    assert "project: 1 fact" in fresh and "Split the tide module" not in fresh
    [fact] = use.show(ProjectHandle(world.ports, world.top), "project").facts
    assert "session 5e551010" in fact.sources[0].told


def test_a_hunt_for_a_bug(tmp_path: Path) -> None:
    """What was ruled out is not looked at again; how to see it, and what is left, comes first."""
    world = Hooked(tmp_path)
    task_new(ProjectHandle(world.ports, world.top), "Tide off by an hour", task_type="debug")
    first = session(world, 1, DAYS[0]).user("The tide is off by an hour in winter, find out why")
    first.read("src/a.py", "a = 1\n").run(
        "pytest tests/test_a.py -k winter", "FAILED - AssertionError: 13 != 12", code=1
    )
    first.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
    world.repo.write("src/a.py", "a = 2\n")
    first.reply("The clock of the server is right, so that is not it.")
    ends(world, first, DAYS[0])
    for text, status in (("The server's clock is wrong", "eliminated"), ("The table is in local time", "active")):
        note(ProjectHandle(world.as_agent, world.top), NewNote("hypothesis", text, status=status))
    note(
        ProjectHandle(world.ports, world.top),
        NewNote("question", "Since when is the table in UTC?", owner="ben", blocking=True),
    )
    made = make(ProjectHandle(world.ports, world.top), profile="debug")
    assert made is not None
    text = made.handoff.text
    live, ruled_out = text.index("Hypothesis that survives"), text.index("Hypotheses eliminated")
    assert live < text.index("The table is in local time") < ruled_out < text.index("The server's clock is wrong")
    assert "pytest tests/test_a.py -k winter" in text and "13 != 12" in text

    given = world.start(session="5e551020-0000-4000-8000-000000000002").context
    for words in ("ask ben", "eliminated", "13 != 12"):
        assert words in given, (words, given)
    state = json.loads((world.top / ".clew/state.json").read_text())
    assert [True] == [one["blocking"] for one in state["questions"]]
    with world.desk(write=False) as at:
        asked = next(name for name, entry in at.known(at.task()).items() if entry.item.kind == "question")
    answer(ProjectHandle(world.ports, world.top), asked, "Since October")
    assert "Since October" in world.start("clear", session="5e551030-0000-4000-8000-000000000003").context


def test_two_peoples_pages_of_a_day_merge_in_git(tmp_path: Path) -> None:
    """Both wrote on the same day; git joins them, and nobody's line goes when the page is written again."""
    world = Hooked(tmp_path)
    world.setting("documents.share", "documents")
    add(ProjectHandle(world.ports, world.top), "Begin")
    rebuilt(ProjectHandle(world.ports, world.top))
    git = world.repo.git
    git("add", ".clew")
    git("commit", "-qm", "Journal")
    git("branch", "other")
    [page] = (world.top / ".clew/journal").iterdir()
    before = page.read_text()
    git("checkout", "-q", "other")
    page.write_text(before + "- 23:00:00 ben: was here [zzzzzzzz]\n")
    git("commit", "-qam", "Ben's line")
    git("checkout", "-q", "main")
    world.clock.tick(60_000)
    add(ProjectHandle(world.ports, world.top), "Ada's line")
    git("commit", "-qam", "Ada's line")
    git("merge", "-q", "--no-edit", "other")
    assert "Ada's line" in page.read_text() and "ben: was here" in page.read_text()
    world.clock.tick(60_000)
    add(ProjectHandle(world.ports, world.top), "After")
    rows = page.read_text().split("\n")
    assert 4 == sum(row.startswith("- ") for row in rows)
    assert {"ben: was here", "Ada's line", "After", "Begin"} <= {part for row in rows for part in _parts(row)}
    assert subprocess.run(["git", "-C", str(world.top), "diff", "--check"], check=False).returncode == 0


def _parts(row: str) -> list[str]:
    body = row[11:].rpartition(" [")[0]
    return [body, body.partition(": ")[2]]
