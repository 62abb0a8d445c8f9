"""What a person does on the page counts as a person's, is shown before it binds, and is done once."""

from __future__ import annotations

from typing import Any

import pytest

from clew.app.cost.budgets import budgets
from clew.app.look.waits import waits
from clew.app.memory.use import show as memory_shown
from clew.app.phase.lifecycle import phase_stop
from clew.app.plan.lifecycle import plan_write
from clew.app.plan.look import plan_show
from clew.app.record.item import answer
from clew.app.stack.stack_file import read_stack
from tests.interfaces.web.house import PLAN, WORDS, House


class Desk:
    """A person's browser at a house."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.browser, self.headers = house.acting()

    def try_(self, deed: str, /, **fields: str) -> tuple[int, dict[str, Any]]:
        done = self.browser.post(f"/p/{self.house.key}/do/{deed}", json=fields, headers=self.headers)
        return done.status_code, done.json()

    def do(self, deed: str, /, **fields: str) -> dict[str, Any]:
        """Do it, and confirm it if that is asked for."""
        status, told = self.try_(deed, **fields)
        if status == 409:
            status, told = self.try_(deed, **fields, seen=told["seen"])
        assert 200 == status, told
        return told


@pytest.fixture
def desk(house: House) -> Desk:
    return Desk(house)


def test_a_question_is_answered_as_the_person(desk: Desk) -> None:
    """An agent asked it. Where it asks something else by now than the page showed, the answer is not taken."""
    question = desk.house.one("question")
    fields = {"item": question.id, "answer": "Yes, but never across a month"}
    status, told = desk.try_("answer", **fields, was="May it delete the month?")
    assert (403, "E-deed-changed") == (status, told["code"])
    assert 200 == desk.try_("answer", **fields, was=question.text)[0]
    event = desk.house.events()[-1]
    assert ("item.answered", "human", "mira") == (event.kind, event.provenance, event.actor)
    assert "Question" not in desk.browser.get("/").text


def test_words_that_changed_since_they_were_seen_are_not_agreed_to(desk: Desk) -> None:
    """An agent rewords the plan between the look and the click: the click does nothing."""
    answer(desk.house.by_person, desk.house.one("question").id, "Yes")
    status, told = desk.try_("approve")
    assert (409, True) == (status, "Read rows with a streaming parser" in told["about"])
    plan_write(desk.house.by_agent, PLAN.replace("Read rows", "Delete rows"))
    status, again = desk.try_("approve", seen=told["seen"])
    assert (409, True) == (status, "Delete rows" in again["about"])
    assert "planning" == plan_show(desk.house.by_person).mode
    desk.do("approve", seen=again["seen"])
    assert "approved" == plan_show(desk.house.by_person).mode
    assert "plan.approved" == [one for one in desk.house.events() if one.provenance == "human"][-1].kind


def test_a_plan_under_way(desk: Desk) -> None:
    """Steps are ticked, a stopped phase goes on with another budget, planning is opened again."""
    house = desk.house
    answer(house.by_person, house.one("question").id, "Yes")
    house.approve()
    desk.do("tick", step="1.1", done="1")
    assert plan_show(house.by_person).phases[0].steps[0].ticked
    phase_stop(house.by_agent, "1", cause="the parser cannot read quotes")
    assert "phase" in [one.kind for one in waits(house.by_person, "2026-03-02")]
    assert "the parser cannot read quotes" in desk.browser.get(f"/p/{house.key}/plan").text
    desk.do("reopen-phase", phase="1", why="use the csv module", budget="90000")
    phase = plan_show(house.by_person).phases[0]
    assert ("planned", 90_000) == (phase.status, phase.budget_tokens)
    desk.do("reopen-plan", why="one phase more")
    assert "planning" == plan_show(house.by_person).mode


def test_a_budget_is_raised(desk: Desk) -> None:
    """By as much again, or by so many tokens."""
    house = desk.house
    answer(house.by_person, house.one("question").id, "Yes")
    house.approve()
    before = next(one for one in budgets(house.by_person, "2026-03-02").budgets if one.scope == "phase")
    desk.do("raise", scope="phase", name="1", tokens="5000")
    after = next(one for one in budgets(house.by_person, "2026-03-02").budgets if one.scope == "phase")
    assert before.most_tokens + 5000 == after.most_tokens
    assert "E-page-field" == desk.try_("raise", scope="phase", tokens="x")[1]["code"]


def test_an_item_is_changed_by_each_of_its_verbs(desk: Desk) -> None:
    """What binds is shown once more; what is unknown is refused."""
    item = desk.house.one("decision").id
    for verb, more, kind in (
        ("edit", {"text": "Match by amount, date and sign"}, "item.edited"),
        ("pin", {}, "item.pinned"),
        ("unpin", {}, "item.unpinned"),
        ("retract", {"why": "wrong"}, "item.retracted"),
        ("restore", {}, "item.restored"),
        ("resolve", {}, "item.resolved"),
    ):
        desk.do("item", item=item, verb=verb, **more)
        event = desk.house.events()[-1]
        assert (kind, "human") == (event.kind, event.provenance)
    assert 400 == desk.try_("item", item=item, verb="redact")[0]
    assert 404 == desk.try_("item", item="D-0000", verb="pin")[0]
    assert "E-page-deed" == desk.try_("nothing")[1]["code"]


def test_a_hand_off_is_reviewed_and_nothing_is_lost_on_the_way(desk: Desk) -> None:
    """Decisions wait on disk: another browser, after another start of the server, goes on with them."""
    house = desk.house
    cut, pinned, reworded = house.one("failed"), house.one("decision"), house.one("next")
    desk.do("decide", item=cut.id, was=cut.text, deed="cut", text=cut.text)
    desk.do("decide", item=pinned.id, was=pinned.text, deed="pin", text="")
    desk.do("decide", item=reworded.id, was=reworded.text, deed="edit", text="Write the matcher first")
    desk.do("decide", item=house.one("constraint").id, was=WORDS["constraint"], deed="cut", text="")
    desk.do("undo")
    assert "handoff.made" not in [one.kind for one in house.events()]
    house.site = house.site_of()
    later = Desk(house)
    page = later.browser.get(f"/p/{house.key}/handoff").text
    assert page.count("tag decided") == 3 and "Write the matcher first" in page
    told = later.do("hand-over", to="Noor")
    assert "Write the matcher first" in told["text"] and WORDS["failed"] not in told["text"]
    assert WORDS["constraint"] in told["text"] and (house.top / ".clew" / "HANDOFF.md").is_file()
    made = next(one for one in house.events() if one.kind == "handoff.made")
    assert "mira" == made.data["reviewer"] and house.one("decision").pinned
    assert 0 == later.browser.get(f"/p/{house.key}/handoff").text.count("tag decided")


def test_a_decision_about_words_that_changed_is_told_and_not_taken(desk: Desk) -> None:
    """It was about something else."""
    house = desk.house
    item = house.one("decision")
    desk.do("decide", item=item.id, was=item.text, deed="cut", text="")
    desk.do("item", item=item.id, verb="edit", text="Match by IBAN")
    assert "1 decision of yours no longer fit" in desk.browser.get(f"/p/{house.key}/handoff").text
    assert "Match by IBAN" in desk.do("hand-over")["text"]
    assert 400 == desk.try_("decide", item=item.id, was="", deed="burn")[0]


def test_memory_is_triaged(desk: Desk) -> None:
    """Kept in other words under a topic, or dropped."""
    house = desk.house
    house.note("learning", "Always run the importer as root", agent=True)
    [first, second] = [item for item in house.live() if item.kind == "learning"]
    desk.do("triage", id=first.id, deed="keep", topic="format", text="Amounts have a comma: 1.234,50")
    desk.do("triage", id=second.id, deed="drop")
    facts = memory_shown(house.by_person, "project").facts
    assert {"format", "bank"} == {one.topic for one in facts}
    assert "Nothing waits" in desk.browser.get(f"/p/{house.key}/memory").text


def test_a_stack_is_put_into_order_and_built(desk: Desk) -> None:
    """Its file keeps what else stands there; the text is scanned as it is on its way to the clipboard."""
    house = desk.house
    desk.do("order", stack="matcher", order="3,1,2")
    kinds = [one.spec.kind for one in read_stack(house.top, "matcher").entries]
    assert ["memory", "files", "git-log"] == kinds
    assert 400 == desk.try_("order", stack="matcher", order="1,1,2")[0]
    assert 400 == desk.try_("order", stack="matcher", order="first")[0]
    desk.do("add", stack="matcher", kind="git-diff", words="")
    desk.do("remove", stack="matcher", source="3")
    assert ["memory", "files", "git-diff"] == [one.spec.kind for one in read_stack(house.top, "matcher").entries]
    told = desk.do("build", stack="matcher")
    assert "def rows()" in told["text"]
    assert "of 4,000 tokens" in desk.browser.get(f"/p/{house.key}/stacks/matcher").text
