"""A task and its issue: pushed, edited by people, pulled, killed in between, and by whom each word counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.app.issue.body import marker
from clew.app.issue.link import link_of
from clew.app.issue.resume import resume_issue
from clew.app.issue.run import link_issue, status
from clew.app.project.opening import ProjectHandle
from clew.app.project.trust import login_thing, project_at, trust
from clew.core.errors import ClewError, InputError, NotAllowed, NotFound, Unavailable
from tests.app.issue.desks import NAME, Desk, edit, issue_of
from tests.app.projects import PERSON
from tests.app.worlds import secrets
from tests.remotes.memory import Forge


@pytest.fixture
def forge() -> Forge:
    return Forge()


@pytest.fixture
def ada(tmp_path: Path, forge: Forge) -> Desk:
    return Desk(tmp_path / "ada", forge, "ada")


@pytest.fixture
def task(ada: Desk) -> str:
    return ada.task()


class Killed(Exception):
    """The process is gone."""


def _trust(desk: Desk, login: str) -> None:
    thing = login_thing(desk.forge.host, login)
    trust(
        desk.world.ports.trust_store, project_at(desk.world.top), [thing], said=PERSON, time="2026-11-25T10:00:00.000Z"
    )


def _lines(forge: Forge) -> list[str]:
    """The lines of the lists as people see them."""
    rows = issue_of(forge).body.replace("\r\n", "\n").split("\n")
    return [row.partition(" <!--")[0] for row in rows if row.startswith("- ") and row != "- not recorded"]


def _questions(desk: Desk, task: str) -> list[str]:
    return [text for name, text in desk.texts(task).items() if name.startswith("Q-")]


def test_the_first_push_opens_an_issue_and_the_second_writes_nothing(ada: Desk, forge: Forge, task: str) -> None:
    """Title, label and hidden id are stable; what is shown is what was said on purpose."""
    ada.state("decision", "Amounts are cents", task=task, why="floats lost one")
    first = ada.push()
    issue = issue_of(forge)
    assert (issue.title, issue.labels, first.wrote) == ("Tides for Brest", ["clew"], ("opened",))
    assert "- Amounts are cents — floats lost one" in issue.body
    with ada.world.desk() as at:
        assert marker(link_of(at, task).hid) in issue.body
    again = ada.push()
    assert (again.wrote, again.took, len(issue.versions)) == ((), (), 1)


def test_what_people_do_in_the_issue_comes_back_as_items(ada: Desk, forge: Forge, task: str) -> None:
    """Ticks, other words, new lines, deleted lines, each once; and the issue is then as they left it."""
    step = ada.state("step", "Write the parser", task=task, status="pending")
    risk = ada.state("risk", "The bank changes its CSV", task=task)
    gone = ada.state("decision", "Use pandas", task=task)
    ada.push()
    edit(forge, "[ ] Write the parser", "[x] Write the parser")
    edit(forge, "The bank changes its CSV", "The bank changes its CSV on Mondays")
    edit(forge, "## Current status", "## Current status\n- [ ] Call the bank")
    edit(forge, re.search(r"- Use pandas.*\n", issue_of(forge).body.replace("\r\n", "\n"))[0], "")  # type: ignore[index]
    taken = ada.pull()
    assert sorted(one.did for one in taken.took) == ["added", "removed", "reworded", "ticked"]
    assert ada.item(step, task).item.status == "done"
    assert ada.item(risk, task).item.text == "The bank changes its CSV on Mondays"
    assert ada.item(gone, task).standing == "retracted"
    assert "Call the bank" in ada.texts(task).values()
    assert ada.pull().took == ()
    before = _lines(forge)
    ada.push()
    assert _lines(forge) == before


def test_an_answer_in_the_issue_answers_the_question_in_every_clone(
    ada: Desk, forge: Forge, task: str, tmp_path: Path
) -> None:
    """As a claim; and what each ledger says of who gave it does not travel, or they would never come to rest."""
    question = ada.state("question", "Which bank?", task=task)
    ada.push()
    edit(forge, "Which bank?", "Which bank? → the one in Kiel")
    ada.push()
    assert ada.item(question, task).item.answer == "the one in Kiel (answered by a file, not by a person)"
    dan = Desk(tmp_path / "dan", forge, "dan")
    theirs = resume_issue(ProjectHandle(dan.world.ports, dan.world.top), dan.connect, "1").task
    assert theirs is not None and dan.item(question, theirs.id).item.answer.startswith("the one in Kiel (answered by")
    assert "→ the one in Kiel <!--" in issue_of(forge).body
    assert (dan.push().wrote, ada.push().wrote) == ((), ())


def test_a_reason_that_people_took_away_is_gone(ada: Desk, forge: Forge, task: str) -> None:
    """Like any other words of a line."""
    decision = ada.state("decision", "Amounts are cents", task=task, why="floats lost one")
    ada.push()
    edit(forge, "Amounts are cents — floats lost one", "Amounts are cents")
    ada.push()
    assert (ada.item(decision, task).item.why, ada.push().wrote) == ("", ())


def test_an_order_that_people_gave_stays(ada: Desk, forge: Forge, task: str) -> None:
    """Lines are not put back."""
    for word in ("one", "two", "three"):
        ada.world.clock.tick(5)
        ada.state("step", f"Step {word}", task=task, status="pending")
    ada.push()
    rows = re.findall(r"- \[ \] Step .*", issue_of(forge).body)
    edit(forge, "\n".join(rows), "\n".join([rows[2], rows[0], rows[1]]))
    ada.world.clock.tick(5)
    ada.state("step", "Step four", task=task, status="pending")
    ada.push()
    assert re.findall(r"Step (\w+)", issue_of(forge).body) == ["three", "four", "one", "two"]


def test_words_around_the_lists_stay_as_they_are(ada: Desk, forge: Forge, task: str) -> None:
    """To the letter, code and pictures included; and whoever goes on without the issue knows them."""
    ada.state("step", "Write the parser", task=task, status="pending")
    ada.push()
    words = "Ask Bea first.\n\n```\n- [ ] this is a log\n```\n\n![a picture](https://x/y.png)"
    edit(forge, "## Current status", f"{words}\n\n## Current status")
    ada.push()
    assert words in issue_of(forge).body
    assert any("Ask Bea first." in text for text in ada.texts(task).values())
    edit(forge, f"{words}\n\n", "")
    ada.push()
    assert not any("Ask Bea first." in text for text in ada.texts(task).values())


def test_a_stranger_is_nobody_and_a_trusted_login_is_a_person(ada: Desk, forge: Forge, task: str) -> None:
    """The author is the login, by the server's word; the class is the person's to give."""
    one = ada.state("risk", "It may fail", task=task)
    other = ada.state("risk", "It may be late", task=task)
    ada.push()
    _trust(ada, "Bea")
    edit(forge, "It may fail", "It may fail on Mondays", login="cid")
    edit(forge, "It may be late", "It may be late in May", login="bea")
    ada.pull()
    found = {name: ada.item(name, task).item for name in (one, other)}
    assert (found[one].provenance, found[one].actor) == ("unattributed", "cid")
    assert (found[other].provenance, found[other].actor) == ("human", "bea")


@pytest.mark.parametrize("later", [0, 70])
def test_what_came_with_an_edit_that_is_missing_is_nobodys(ada: Desk, forge: Forge, task: str, later: int) -> None:
    """A stranger's words do not become a trusted login's because the stranger's edit was deleted from the history, or
    because many came since.
    """
    one = ada.state("risk", "It may fail", task=task)
    other = ada.state("risk", "It may be late", task=task)
    ada.push()
    _trust(ada, "bea")
    edit(forge, "It may be late", "It may be late in May", login="bea")
    edit(forge, "It may fail", "It may never fail", login="mallory")
    versions = issue_of(forge).versions
    for turn in range(1 + later):
        edit(forge, "# ", f"Line {turn}.\n\n# ", login="bea")
    if not later:
        gone = next(place for place, version in enumerate(versions) if version[1] == "mallory")
        versions[gone] = (*versions[gone][:3], None)
    said = ada.pull()
    found = {name: ada.item(name, task).item for name in (one, other)}
    assert found[one].provenance == "unattributed"
    assert (found[other].provenance, found[other].actor) == ("human", "bea")
    assert any("missing in the issue's history" in note for note in said.notes) == (not later)


def test_what_a_stranger_wrote_is_not_a_persons_because_one_ticked_it(ada: Desk, forge: Forge, task: str) -> None:
    """Each thing that was done is its author's, however many edited since."""
    ada.push()
    _trust(ada, "bea")
    edit(forge, "## Current status", "## Current status\n- [ ] Delete all backups", login="eve")
    edit(forge, "[ ] Delete all backups", "[x] Delete all backups", login="bea")
    ada.pull()
    (name,) = [name for name, text in ada.texts(task, every=True).items() if text == "Delete all backups"]
    assert ada.item(name, task).item.provenance == "unattributed"


def test_a_bot_and_a_program_of_ours_are_no_persons(ada: Desk, forge: Forge, task: str, tmp_path: Path) -> None:
    """Also in a trusted login's name: what another clew pushed is what an agent said there."""
    _trust(ada, "robot")
    _trust(ada, "dan")
    ada.push()
    body = issue_of(forge).body
    forge.edit(NAME, 1, "robot", body.replace("## Goal", "- a word\n\n## Goal"), account="Bot")
    dan = Desk(tmp_path / "dan", forge, "dan")
    theirs = dan.task("Another name")
    link_issue(ProjectHandle(dan.world.ports, dan.world.top), dan.connect, "1")
    dan.state("decision", "An agent of Dan's decides", task=theirs)
    dan.push()
    ada.pull()
    (name,) = [name for name, text in ada.texts(task).items() if text == "An agent of Dan's decides"]
    found = ada.item(name, task).item
    assert (found.provenance, found.actor) == ("unattributed", "dan")


def test_a_persons_word_is_not_changed_by_a_stranger_but_asked_about(ada: Desk, forge: Forge, task: str) -> None:
    """Both texts are in the question, which waits for the person; the issue gets the person's word back."""
    mine = ada.state("decision", "Amounts are cents", task=task, by="human")
    ada.push()
    edit(forge, "Amounts are cents", "Amounts are floats", login="eve")
    ada.push()
    assert ada.item(mine, task).item.text == "Amounts are cents"
    (question,) = _questions(ada, task)
    assert "Amounts are cents" in question and "Amounts are floats" in question and "eve" in question
    assert ada.push().took == ()
    assert issue_of(forge).body.count("Amounts are floats") == 1  # in the question


def test_a_trusted_login_changes_a_persons_word(ada: Desk, forge: Forge, task: str) -> None:
    """It is a person's, too."""
    mine = ada.state("decision", "Amounts are cents", task=task, by="human")
    ada.push()
    _trust(ada, "bea")
    edit(forge, "Amounts are cents", "Amounts are mills")
    ada.pull()
    assert (ada.item(mine, task).item.text, _questions(ada, task)) == ("Amounts are mills", [])


def test_what_was_reworded_here_and_there_is_asked_about(ada: Desk, forge: Forge, task: str) -> None:
    """Neither wins in silence."""
    risk = ada.state("risk", "It may fail", task=task)
    ada.push()
    edit(forge, "It may fail", "It may fail on Mondays")
    ada.say("item.edited", risk, task=task, text="It may fail at night")
    ada.push()
    assert ada.item(risk, task).item.text == "It may fail at night"
    (question,) = _questions(ada, task)
    assert "at night" in question and "on Mondays" in question
    assert ada.push().took == ()


def test_what_ended_here_and_was_reworded_there_is_asked_about(ada: Desk, forge: Forge, task: str) -> None:
    """It does not come back by itself, and the words are not lost."""
    risk = ada.state("risk", "It may fail", task=task)
    ada.push()
    edit(forge, "It may fail", "It may fail on Mondays")
    ada.say("item.resolved", risk, task=task)
    ada.push()
    assert ada.item(risk, task).standing == "resolved"
    assert any("on Mondays" in text for text in _questions(ada, task))


def test_an_emptied_text_takes_nothing_back(ada: Desk, forge: Forge, task: str) -> None:
    """Most lines gone at once is one question, and the next push tells them again."""
    for number in range(6):
        ada.state("step", f"Step {number}", task=task, status="pending")
    ada.push()
    forge.edit(NAME, 1, "eve", "oops")
    ada.push()
    assert sum(text.startswith("Step") for text in ada.texts(task).values()) == 6
    assert len(_questions(ada, task)) == 1
    assert issue_of(forge).body.count("] Step") == 6
    assert "oops" in issue_of(forge).body


def test_each_phase_that_is_done_gets_one_comment(ada: Desk, forge: Forge, task: str) -> None:
    """Not one that somebody ticked in the issue: they know."""
    ada.state("phase", "Parser", task=task, status="done", why="all rows of last year parse")
    ada.state("phase", "Wiring", task=task, status="pending")
    third = ada.state("phase", "Night", task=task, status="pending")
    ada.push()
    edit(forge, "[ ] phase: Wiring", "[x] phase: Wiring")
    ada.push()
    ada.say("item.resolved", third, task=task, outcome="ran at 03:00, commit abc")
    ada.push()
    ada.push()
    said = [one.body.partition("<!--")[0].strip() for one in issue_of(forge).comments]
    assert said == [
        "**Phase done: Parser**\n\nall rows of last year parse",
        "**Phase done: Night**\n\nran at 03:00, commit abc",
    ]


def test_what_rules_read_off_and_what_quotes_a_prompt_stays_here(ada: Desk, forge: Forge, task: str) -> None:
    """Unless it is asked for."""
    from tests.app.projects import extract_of, read_item

    item = read_item("step", "make the tide ten", "2026-11-22T00:00:00.000Z", by="human")
    with ada.world.desk() as at:
        at.take_in(extract_of(ada.world, item, task=task), unless_redacted_after=at.redact.upto)
        data = {"item": at.new_id("D"), "kind": "decision", "text": "as you said: never on a Friday"}
        at.append([at.event("item.stated", data, task=task, visibility="private")])
    ada.push()
    assert "tide ten" not in issue_of(forge).body and "Friday" not in issue_of(forge).body
    ada.push(inferred=True)
    assert "tide ten" in issue_of(forge).body and "Friday" in issue_of(forge).body
    edit(forge, "[ ] make the tide ten", "[x] make the tide ten")
    taken = ada.pull()  # what people do with such a line is taken in all the same
    assert [(one.did, one.text) for one in taken.took] == [("ticked", "make the tide ten")]


def test_whoever_goes_on_elsewhere_knows_what_must_not_be_done(
    ada: Desk, forge: Forge, task: str, tmp_path: Path
) -> None:
    """Also where only a session's record has it, and from a person; and what was put off."""
    from clew.app.issue.resume import resume_issue
    from tests.app.projects import extract_of, read_item

    said = read_item("constraint", "leave the quay table alone", "2026-11-22T00:00:00.000Z", by="human")
    with ada.world.desk() as at:
        at.take_in(extract_of(ada.world, said, task=task), unless_redacted_after=at.redact.upto)
    ada.state("constraint", "no new dependency", task=task, by="human")
    ada.state("deferral", "moon phases", task=task, by="human", why="after the release")
    ada.push()
    dan = Desk(tmp_path / "dan", forge, "dan", ledger=False)
    told = resume_issue(ProjectHandle(dan.world.ports, dan.world.top), dan.connect, "1").text
    assert all(words in told for words in ("leave the quay table alone", "no new dependency", "moon phases"))
    assert ada.push().wrote == ()


@pytest.mark.parametrize("place", ["item", "raw", "comment"])
def test_a_secret_does_not_leave(ada: Desk, forge: Forge, task: str, place: str) -> None:
    """The error names rule and place, never the value; nothing is sent."""
    secret = secrets()["github"]
    if place == "item":  # past the redaction of the ledger, as an older clew would have kept it
        with ada.world.desk() as at:
            event = at.event("item.stated", {"item": at.new_id("R"), "kind": "risk", "text": "x"}, task=task)
            at.ledger.append([event._replace(data={**event.data, "text": f"token {secret}"})])
    elif place == "comment":
        with ada.world.desk() as at:
            event = at.event("item.stated", {"item": at.new_id("P"), "kind": "phase", "text": "x"}, task=task)
            data = {**event.data, "text": "Parser", "status": "done", "why": f"token {secret}"}
            at.ledger.append([event._replace(data=data)])
    else:
        ada.push()
        edit(forge, "## Goal", f"my token {secret}\n\n## Goal")
    before = len(forge.repository(NAME))
    with pytest.raises(NotAllowed) as caught:
        ada.push()
    assert caught.value.code == "E-egress-secret"
    said = caught.value.message + caught.value.hint
    assert "github" in said and "line " in said and secret not in said
    assert len(forge.repository(NAME)) == before


def test_where_the_server_is_away_it_waits_and_says_so(ada: Desk, forge: Forge, task: str) -> None:
    """The next push sends it, once; a pull cannot wait, and says why."""
    ada.state("risk", "It may fail", task=task)

    def away(_: str) -> None:
        raise Unavailable("git.example cannot be reached", code="E-issue-unreachable")

    ada.before = away
    waiting = ada.push()
    assert "cannot be reached" in waiting.queued
    assert not forge.repository(NAME)
    (standing,) = status(ProjectHandle(ada.world.ports, ada.world.top)).issues
    assert standing.issue.queued and not standing.issue.is_linked
    ada.before = lambda _: None
    assert ada.push().wrote == ("opened",)
    (standing,) = status(ProjectHandle(ada.world.ports, ada.world.top)).issues
    assert (standing.issue.queued, standing.ahead) == ("", 0)
    ada.before = away
    with pytest.raises(Unavailable):
        ada.pull()


_REQUESTS = 14


@pytest.mark.parametrize("at", range(1, _REQUESTS))
@pytest.mark.parametrize("begun", [False, True], ids=["opening", "editing"])
def test_killed_between_any_two_requests_the_next_push_ends_in_the_same_state(
    tmp_path: Path, begun: bool, at: int
) -> None:
    """One issue, one comment a phase, the same text: as if nobody had been killed."""
    ends = []
    for killed in (False, True):
        forge = Forge()
        ada = Desk(tmp_path / f"killed-{killed}" / "ada", forge, "ada")
        task = ada.task()
        if begun:
            ada.push()
            edit(forge, "## Current status", "## Current status\n- [ ] Call the bank")
        ada.state("phase", "Parser", task=task, status="done")
        ada.state("phase", "Wiring", task=task, status="done")
        left = at if killed else 0

        def count(_: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed

        ada.before = ada.after = count
        try:
            ada.push()
        except Killed:
            ada.before = ada.after = lambda _: None
            ada.push()
        ada.before = ada.after = lambda _: None
        assert ada.push().wrote == ()
        issue = issue_of(forge)
        assert len(forge.repository(NAME)) == 1
        rows = [re.sub(r"<!--.*?-->", "", row) for row in issue.body.partition("<!-- clew:issue")[0].split("\n")]
        ends.append((issue.title, issue.labels, rows, sorted(one.body.partition("<!--")[0] for one in issue.comments)))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("times", [1, 3])
def test_an_edit_between_reading_and_writing_is_not_lost(ada: Desk, forge: Forge, task: str, times: int) -> None:
    """We write over it, see that in the list of edits, take it in and write again."""
    ada.state("step", "Write the parser", task=task, status="pending")
    ada.push()
    ada.state("risk", "It may fail", task=task)
    left = times

    def overtakes(name: str) -> None:
        nonlocal left
        if name == "edit" and left:
            left -= 1
            edit(forge, "[ ] Write the parser", f"[ ] Write the parser {left}\nWords {left}\n- [ ] New {left}")

    ada.before = overtakes if times == 1 else lambda name: overtakes(name) if left == times else None
    ada.push()
    ada.before = lambda _: None
    ada.push()
    body = issue_of(forge).body
    assert f"Write the parser {times - 1}" in body and f"New {times - 1}" in body and "It may fail" in body
    assert f"Words {times - 1}" in body or any(f"Words {times - 1}" in one for one in ada.texts(task).values())
    assert ada.push().wrote == ()


def test_a_text_that_is_as_it_was_once_is_not_taken_for_the_old_one(
    ada: Desk, forge: Forge, task: str, tmp_path: Path
) -> None:
    """A line that came after it and was ended elsewhere stays ended."""
    from clew.app.issue.resume import resume_issue

    ada.push()
    ada.state("risk", "It may fail", task=task)
    ada.push()
    dan = Desk(tmp_path / "dan", forge, "dan")
    taken = resume_issue(ProjectHandle(dan.world.ports, dan.world.top), dan.connect, "1").task
    assert taken is not None
    (risk,) = [name for name, text in dan.texts(taken.id).items() if text == "It may fail"]
    dan.say("item.retracted", risk, task=taken.id)
    dan.push()
    assert [one.did for one in ada.push().took] == ["removed"]
    assert "It may fail" not in issue_of(forge).body


def test_an_issue_that_was_moved_is_followed(ada: Desk, forge: Forge, task: str) -> None:
    """A transfer and a rename; what is written goes to its new place."""
    ada.push()
    forge.repository("acme/kiosk")
    forge.move(NAME, 1, "acme/kiosk")
    ada.state("risk", "It may fail", task=task)
    moved = ada.push()
    assert moved.issue.named == "acme/kiosk#1"
    assert any("acme/kiosk#1 now" in note for note in moved.notes)
    assert "It may fail" in issue_of(forge, name="acme/kiosk").body
    forge.rename("acme/kiosk", "acme/stand")
    assert ada.push().issue.named == "acme/stand#1"
    assert ada.push().wrote == ()


def test_a_closed_issue_is_written_and_a_locked_one_gets_no_comment(ada: Desk, forge: Forge, task: str) -> None:
    """What is not taken stays due, and is said."""
    ada.push()
    issue_of(forge).is_open = False
    issue_of(forge).locked = True
    ada.state("phase", "Parser", task=task, status="done")
    done = ada.push()
    assert done.wrote == ("body",)
    assert any("stays due" in note for note in done.notes)
    issue_of(forge).locked = False
    assert ada.push().wrote == ("comment",)


def test_an_issue_that_was_deleted_is_said(ada: Desk, forge: Forge, task: str) -> None:
    """Nothing is opened in its place by itself."""
    ada.push()
    issue_of(forge).deleted = True
    with pytest.raises(NotFound):
        ada.push()


def test_an_issue_that_somebody_wrote_by_hand_is_taken_up(ada: Desk, forge: Forge, task: str) -> None:
    """Its checklist is the task's then; its words stay, its title, too; the label is put beside its own."""
    body = "It fails since Monday.\r\n\r\n## Tasks\r\n\r\n- [x] T001 [P] Write a test\r\n- [ ] T002 Fix it\r\n"
    forge.open(NAME, "bea", "The import fails", body, ("bug",))
    ada.push(issue="1")
    issue = issue_of(forge)
    assert (issue.title, issue.labels) == ("The import fails", ["bug", "clew"])
    assert issue.body.startswith("> Kept by")
    assert "It fails since Monday." in issue.body
    assert re.search(r"- \[x\] T001 \[P\] Write a test <!-- S-", issue.body)
    assert {"T001 [P] Write a test", "T002 Fix it"} <= set(ada.texts(task).values())
    assert ada.push().wrote == ()


def test_a_task_has_one_issue_and_an_issue_one_task(ada: Desk, forge: Forge, task: str) -> None:
    """Which of the two is meant is asked."""
    ada.push()
    forge.open(NAME, "bea", "Another", "text")
    with pytest.raises(InputError, match="is linked to acme/till#1") as caught:
        ada.push(issue="2", task=task)
    assert caught.value.code == "E-issue-linked"
    with ada.world.desk() as at:
        from tests.app.projects import open_task

        other = open_task(at, "Another task")
    with pytest.raises(InputError, match="acme/till#1 is linked to"):
        link_issue(ProjectHandle(ada.world.ports, ada.world.top), ada.connect, "1", task=other)


def test_without_an_issue_a_pull_says_what_to_do(ada: Desk, task: str) -> None:
    """And without a task, and without a server."""
    with pytest.raises(NotFound) as caught:
        ada.pull()
    assert caught.value.code == "E-issue-none"
    with pytest.raises(InputError) as refused:
        ada.pull(issue="not an issue")
    assert refused.value.code == "E-issue-number"
    ada.world.repo.git("remote", "remove", "origin")
    with pytest.raises(ClewError) as nowhere:
        ada.push()
    assert nowhere.value.code == "E-issue-repository"


def test_a_dry_run_sends_and_records_nothing(ada: Desk, forge: Forge, task: str) -> None:
    """It shows the text that would be sent, with what people did."""
    ada.push()
    edit(forge, "## Current status", "## Current status\n- [ ] Call the bank")
    ada.state("risk", "It may fail", task=task)
    versions = len(issue_of(forge).versions)
    with ada.world.desk(write=False) as at:
        position = at.ledger.position()
    tried = ada.push(dry_run=True)
    assert "It may fail" in tried.body and "Call the bank" in tried.body
    assert [one.did for one in tried.took] == ["added"]
    assert len(issue_of(forge).versions) == versions
    with ada.world.desk(write=False) as at:
        assert at.ledger.position() == position


def test_work_that_is_not_committed_fits_where_it_was_pushed_from(ada: Desk, forge: Forge, task: str) -> None:
    """And does not in a clone, which has the files as they were committed: the issue speaks of others."""
    ada.world.repo.write("src/a.py", "a = 2\n")
    ada.state("next", "Test the tide", task=task, files=["src/a.py"])
    ada.push()
    ben = Desk(ada.world.home.parent / "ben", forge, "ben", ledger=False)
    kinds = {}
    for desk in (ada, ben):
        found = resume_issue(ProjectHandle(desk.world.ports, desk.world.top), desk.connect, "1")
        assert found.verdict is not None
        kinds[desk.login] = found.verdict.kind
    assert {"ada": "current", "ben": "partly stale"} == kinds


def test_a_task_that_is_renamed_here_is_renamed_there(ada: Desk, forge: Forge, task: str) -> None:
    """Unless somebody gave the issue another title."""
    ada.push()
    with ada.world.desk() as at:
        ada.world.clock.tick(10)
        at.append([at.event("task.renamed", {"task": task, "title": "Tides for Nantes"}, task="")])
    ada.push()
    assert issue_of(forge).title == "Tides for Nantes"
    issue_of(forge).title = "Our tides"
    with ada.world.desk() as at:
        ada.world.clock.tick(10)
        at.append([at.event("task.renamed", {"task": task, "title": "Tides for Brest"}, task="")])
    ada.push()
    assert issue_of(forge).title == "Our tides"
