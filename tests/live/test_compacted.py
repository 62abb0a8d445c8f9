"""A compaction loses something; the next request holds exactly that."""

from __future__ import annotations

from pathlib import Path

from tests.live.claude import Person
from tests.live.endpoint import Endpoint, Turn, bash, edit, read, reminders, said_to_model, say
from tests.live.stories import DEAD_END, DECISION, NEW, NEXT, OLD, PROMPT, WHY_DECIDED, WHY_FAILED, noted, opted_in

KEPT = "Tills are closed at midnight UTC"
WHY_KEPT = "the bank books then"
KEPT_DEAD_END = "Asking the bank for the parts"
CONSTRAINT, REMINDER = "No floats for money", "Tell the bank of the change"
WHY_KEPT_FAILED = "its answer takes a day"
# What a summary in the form of the client's holds when it leaves out one decision and one dead end.
SUMMARY = f"""
1. Primary Request and Intent:
   {PROMPT}
2. Key Technical Concepts:
   - {KEPT}, because {WHY_KEPT}. {CONSTRAINT}.
3. Errors and fixes:
   - {KEPT_DEAD_END} was tried and given up: {WHY_KEPT_FAILED}.
4. Files and Code Sections:
   - refunds.py
5. Next Step:
   {NEXT}
"""


def work(project: Path) -> list[Turn]:
    """What is known before the compaction: two decisions, two dead ends, the next action."""
    path = project / "refunds.py"
    return [
        say("I look at it.", read(path), noted("decide", DECISION, WHY_DECIDED), noted("decide", KEPT, WHY_KEPT)),
        say("I try it.", edit(path, OLD, NEW), noted("reject", KEPT_DEAD_END, WHY_KEPT_FAILED)),
        say("No.", noted("reject", DEAD_END, WHY_FAILED), noted("next", NEXT)),
        say("And for ever.", noted("note", "constraint", "", CONSTRAINT), noted("note", "reminder", "", REMINDER)),
    ]


def exactly_what_was_lost(said: str) -> None:
    """The decision and the dead end with their reasons, what must never be forgotten, and nothing else."""
    rows = [row for row in said.splitlines() if row.startswith("- ")]
    lost = [f"- decision: {DECISION} — {WHY_DECIDED}", f"- failed: {DEAD_END} — {WHY_FAILED}"]
    always = [f"- constraint: {CONSTRAINT}", f"- reminder: {REMINDER}"]
    assert sorted([*lost, *always]) == sorted(rows)
    for kept in (KEPT, WHY_KEPT, KEPT_DEAD_END, WHY_KEPT_FAILED, NEXT):
        assert kept not in said
    assert len(said) < 10_000


def test_an_automatic_compaction_gets_back_what_it_lost(me: Person, project: Path) -> None:
    """In the middle of a turn, without a prompt: the only moment is the session's start that follows it."""
    task = opted_in(me, project)
    script = [*work(project), say("More.", bash("echo more"), tokens=150_000), say("Done.")]
    with Endpoint(script, summary=SUMMARY) as endpoint:
        ran = me.run(PROMPT, endpoint, project, "--autocompact", "100000", CLEW_TASK=task)
    assert (0, "Done.", "") == (ran.code, ran.answer["result"], ran.err)
    assert "main main main main main summary main".split() == [request.kind for request in endpoint.requests]
    after = endpoint.main[-1]
    assert KEPT in said_to_model(after)  # the summary's
    exactly_what_was_lost(reminders(after, "SessionStart")[-1])


def test_a_compaction_by_hand_gets_back_what_it_lost(me: Person, project: Path) -> None:
    """`/compact` in a session that runs on."""
    task = opted_in(me, project)
    script = [*work(project), say("That is it."), say("Done.")]
    with Endpoint(script, summary=SUMMARY) as endpoint, me.live(endpoint, project, CLEW_TASK=task) as session:
        for prompt in (PROMPT, "/compact", "Go on."):
            session.prompt(prompt)
        ran = session.end()
    assert (0, "", 0) == (ran.code, ran.err, endpoint.left)
    exactly_what_was_lost(reminders(endpoint.main[-1], "SessionStart")[-1])


def test_a_compaction_that_lost_nothing_says_nothing(me: Person, project: Path) -> None:
    """Talk that says again what stands a few lines above is paid for with each request."""
    task = opted_in(me, project)
    script = [*work(project), say("More.", bash("echo more"), tokens=150_000), say("Done.")]
    whole = f"{SUMMARY}- {DECISION}: {WHY_DECIDED}\n- {DEAD_END}: {WHY_FAILED}\n"
    with Endpoint(script, summary=whole) as endpoint:
        ran = me.run(PROMPT, endpoint, project, "--autocompact", "100000", CLEW_TASK=task)
    assert (0, "") == (ran.code, ran.err)
    after = reminders(endpoint.main[-1], "SessionStart")
    before = reminders(endpoint.main[0], "SessionStart")
    assert not [said for said in after if said not in before and DECISION in said]
