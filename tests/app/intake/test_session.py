"""Where no ledger is kept: one session is taken into a ledger in memory, and every command goes on from that."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.intake.sessions import take_one_in
from clew.app.look.show import show
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle, open_unkept
from clew.app.resume.drifted import drifted
from clew.app.resume.payload import resume
from clew.core.errors import ClewError
from clew.sessions.cache import FOLDER_NAME
from tests.app.worlds import ports, project, snapshot
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo

NEW, OLD = 1772500000.0, 1772400000.0
ID = "5e551011-0000-4000-8000-000000000001"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = project(tmp_path / "tide", src__a_py="a = 1\n")
    for number, goal, modified in ((2, "Make the moon round", OLD), (1, "Make the tide ten", NEW)):
        story = Recorder(made.top, session=f"{ID[:-1]}{number}").user(goal).read("src/a.py", "a = 1\n")
        story.reply("Decision: keep `a` in src/a.py because it is right.").save(tmp_path, modified=modified)
    return made


def test_one_session_is_all_that_the_ledger_in_memory_has(repo: Repo, tmp_path: Path) -> None:
    """Taking in a whole history that nothing keeps would cost every command the same again."""
    with open_unkept(ports(tmp_path), repo.top) as at:
        sessions = take_one_in(ProjectHandle(ports(tmp_path), repo.top), at, None)
        assert [ID] == list(sessions.files) == list(at.ledger.taken())
        [extract] = at.ledger.extracts()
        assert "Make the tide ten" in [item.text for item in extract.items]
        assert not sessions.waiting() and not at.is_kept


def test_every_command_goes_on_from_the_same_session(repo: Repo, tmp_path: Path) -> None:
    """An id that the payload prints is one that `clew show` finds, and drift is of its files."""
    doors = ports(tmp_path)
    payload, listed = resume(ProjectHandle(doors, repo.top)), show(ProjectHandle(doors, repo.top), None)
    assert [(item.id, payload.ids[item.id]) for item in payload.state.items] == [
        (item.id, item.short_id) for item in listed.items
    ]
    found = drifted(ProjectHandle(doors, repo.top))
    assert (found.session, found.drift, found.verdict) == (ID, payload.drift, payload.verdict)
    assert payload.transcript == listed.file is not None


def test_the_session_that_asks_may_be_named(repo: Repo, tmp_path: Path) -> None:
    """Left to itself it is never taken for the last one; who names it means it."""
    asking = ports(tmp_path, CLAUDE_CODE_SESSION_ID=ID)
    assert "Make the moon round" in resume(ProjectHandle(asking, repo.top)).document.text
    assert "Make the tide ten" in resume(ProjectHandle(asking, repo.top), transcript=Path(ID)).document.text


def test_a_record_that_names_no_session_is_gone_on_from(repo: Repo, tmp_path: Path) -> None:
    """Older clients and other programs write none."""
    story = Recorder(repo.top, session="").user("Make the sand fine").reply("It is fine now.")
    path = story.write_to(tmp_path / "carried.jsonl")
    found = resume(ProjectHandle(ports(tmp_path), repo.top), transcript=path)
    assert found.state.origin.session == "" and "Make the sand fine" in found.document.text


def test_nothing_is_written_though_a_ledger_was_kept_once(repo: Repo, tmp_path: Path) -> None:
    """Its folder and the caches may still lie there."""
    doors = ports(tmp_path)
    (locate(repo.top).ledger.parent / FOLDER_NAME).mkdir(parents=True)
    before = snapshot(tmp_path)
    resume(ProjectHandle(doors, repo.top))
    show(ProjectHandle(doors, repo.top), None)
    drifted(ProjectHandle(doors, repo.top))
    assert before == snapshot(tmp_path)


@pytest.mark.parametrize("named", [{"task": "tides"}, {"since": "last"}])
def test_who_names_a_task_or_a_checkpoint_is_told_that_there_are_none(
    named: dict[str, str], repo: Repo, tmp_path: Path
) -> None:
    """In the same words by every command."""
    with pytest.raises(ClewError) as drift:
        drifted(ProjectHandle(ports(tmp_path), repo.top), **named)
    with pytest.raises(ClewError) as payload:
        resume(ProjectHandle(ports(tmp_path), repo.top), task=named.get("task", ""), at=named.get("since", ""))
    assert (drift.value.code, drift.value.message) == (payload.value.code, payload.value.message)
    assert "E-no-ledger" == drift.value.code and "clew init" in drift.value.hint
