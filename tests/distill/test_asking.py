"""What the user asked for, and what came of it."""

from __future__ import annotations

import pytest

from clew.core.items import Item
from clew.core.records import Call, Delegate, Spawned
from clew.distill.asking import LATEST_ASK_CHARS
from tests.builders import (
    ROOT,
    Piece,
    distilled,
    edit,
    items,
    plan_prompt,
    prompt,
    reply,
    run,
    stop,
    texts,
    unanswered,
)

PLAN = "# Add a cache\n\n## Context\n\nReads are slow.\n\n## Steps\n1. Keep totals in `SumCache`"

COMMITTED = "[main 1a2b3c4] Fix the sum\n 1 file changed, 2 insertions(+)"

DONE = reply("The sum is right now.")


def goal(*pieces: Piece) -> Item:
    (found,) = items(distilled(*pieces), "goal")
    return found


def latest(*pieces: Piece) -> list[tuple[str, str]]:
    """The latest request with its status."""
    steps = items(distilled(*pieces), "step")
    return [(step.text, step.status) for step in steps if step.status.startswith("latest")]


def test_the_goal_is_the_first_request() -> None:
    """A nod or a command of the client before it asks for nothing."""
    found = goal(
        prompt("/clear", source="command"), prompt("hi"), prompt("Fix the sum"), DONE, prompt("Now the docs"), DONE
    )
    assert (found.text, found.provenance, found.rank) == ("Fix the sum", "human", 0)


def test_a_question_at_the_beginning_is_no_goal_of_work() -> None:
    """Seen: hours of work were told under "what's the folder of …?"."""
    asked, wanted = prompt("Where is the sum kept?"), prompt("It loses a cent when there are many rates")
    edited = (edit("sum.py"), reply("The sum is right now, for baskets with several rates as well."))
    assert goal(asked, DONE, wanted, *edited).text == "It loses a cent when there are many rates"
    assert goal(asked, DONE, wanted, DONE).text == "Where is the sum kept?", "nothing was worked on"
    assert goal(prompt("Can you round the sum?"), DONE, wanted, *edited).text == "Can you round the sum?"


def test_a_yes_is_no_goal() -> None:
    """What it agrees to was asked before it."""
    asked, offer = prompt("Is the sum wrong, have you got time to repair it?"), reply("It is. Shall I begin?")
    found = goal(asked, offer, prompt("yes please"), edit("sum.py"), DONE)
    assert found.text == "Is the sum wrong, have you got time to repair it?"
    assert (
        goal(prompt("How about rounding up?"), DONE, prompt("Print it"), edit("sum.py")).text
        == "How about rounding up?"
    )


def test_the_goal_of_a_sub_agent_is_its_own() -> None:
    """Its record begins with a copy of its parent's: the parent's goal is somebody else's to go on with."""
    spawned: Piece = (Call(0, "", "", "s", "spawn_agent", Delegate("", "Review it")), Spawned(0, "", "", "s"))
    found = goal(prompt("Rewrite it all"), DONE, spawned, prompt("Review the sum"), reply("It is well."))
    assert found.text == "Review the sum"


def test_a_yes_is_told_with_what_it_agrees_to() -> None:
    """Alone it tells nobody what was done."""
    offer = reply("Both are there. Want me to round in `total` instead?")
    pieces = (edit("sum.py"), reply("Done, `total` rounds."))
    (step,) = [i for i in items(distilled(prompt("Look at it"), offer, prompt("yes please"), *pieces), "step") if i.why]
    assert (step.text, step.why) == ("yes please", "to: Want me to round in `total` instead?")
    own = distilled(prompt("Look at it"), offer, prompt("round the labels of the receipts"), *pieces)
    assert not any(item.why for item in items(own, "step"))


def test_a_request_that_only_points_is_told_with_what_it_points_to() -> None:
    """Who reads "delete them" must not guess what is gone."""
    listed = reply("Old files:\n\n- `a.yml`\n- `b.yml`\n\nWant me to delete those old files?")
    state = distilled(prompt("Move it"), edit("sum.py"), listed, prompt("Delete them."), run("rm a.yml b.yml"), DONE)
    (step,) = [item for item in items(state, "step") if item.text == "Delete them."]
    assert step.why == "to: Want me to delete those old files?"


@pytest.mark.parametrize("source", ["typed", "plan"])
def test_the_goal_of_a_plan_prompt_is_the_plan_in_a_line(source: str) -> None:
    """A session that starts from a plan has no other words of the user; the whole plan would fill the page."""
    start = plan_prompt(PLAN) if source == "plan" else prompt("Implement the following plan:\n\n" + PLAN)
    assert goal(start).text.startswith("Add a cache: Reads are slow.") or source == "typed"
    assert "\n" not in goal(start).text


@pytest.mark.parametrize("nod", ["exit", "/exit", "/clear", "thanks!", "ok", "great, thanks"])
def test_the_latest_request_asks_for_something(nod: str) -> None:
    """Seen: the next session was told that the user wants "exit"."""
    source = "command" if nod.startswith("/") else "typed"
    pieces = [
        prompt("Fix the sum"),
        DONE,
        prompt("Write the docs"),
        reply("They are there."),
        prompt(nod, source=source),
    ]
    assert [text for text, _ in latest(*pieces)] == ["Write the docs"]


@pytest.mark.parametrize("nod", ["ship it", "commit and push", "go on"])
def test_a_nod_does_not_hide_the_request_before_it(nod: str) -> None:
    """ "Ship it" says nothing to a reader who does not know what."""
    state = distilled(prompt("Fix the sum"), DONE, prompt("Write the docs"), reply("They are there."), prompt(nod))
    assert "Write the docs" in texts(state)


def test_a_pasted_log_is_no_request() -> None:
    """The user's own words beside it are."""
    log = "\n".join(f"2026-03-04T10:00:0{n}Z ERROR boom {n}" for n in range(5))
    assert [text for text, _ in latest(prompt("Fix the sum"), DONE, prompt(f"Why does it stop?\n{log}"), DONE)] == [
        "Why does it stop?"
    ]


def test_the_same_request_twice_is_one() -> None:
    """People paste it again after an interruption."""
    state = distilled(prompt("Fix the sum"), stop(), prompt("Fix the sum"), DONE)
    assert sum("Fix the sum" in item.text for item in state.items) == 1


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([reply("The sum was wrong because each of its parts was rounded on its own.")], "answered"),
        ([DONE], "answered: The sum is right now"),
        ([edit("sum.py"), DONE], "edited"),
        ([edit("sum.py"), run("git commit -am x", COMMITTED), DONE], "committed 1a2b3c4"),
        ([edit("sum.py"), run("git checkout sum.py"), DONE], "reverted"),
        ([stop()], "interrupted"),
        ([edit("sum.py")], "under way"),
        ([unanswered(run("make test"))], "under way"),
        ([], "under way"),
    ],
)
def test_how_a_request_ended(pieces: list[Piece], expected: str) -> None:
    """Finished work is told as finished so that nobody does it again; broken off work as such."""
    assert expected == goal(prompt("Fix the sum"), *pieces).status
    assert [f"latest {expected}"] == [s for _, s in latest(prompt("Look at it"), DONE, prompt("Fix the sum"), *pieces)]


def test_rules_of_the_user_outlive_their_request() -> None:
    """They are the dearest lines: a broken rule costs the user's trust."""
    state = distilled(
        prompt("Write a shop"), DONE, prompt("Don't touch the public API"), DONE, prompt("Add a printer"), DONE
    )
    assert texts(state, "constraint") == ["Don't touch the public API"]
    assert [item.provenance for item in items(state, "constraint")] == ["human"]


def test_a_go_ahead_is_told_with_what_it_answers_to() -> None:
    """ "Go ahead" alone tells nobody what was to be done, and the request before it would be cut to its first words."""
    wish = "I am not sure that two ways to print are best. It copies half of the export just for another stream. "
    wish += "It should follow the normal way with an option for where to print, which the export has already."
    state = distilled(
        prompt("Add a way to print"), DONE, prompt(wish), DONE, prompt("go ahead and do it"), edit("p.py"), DONE
    )
    told = [(step.text, step.status.partition(":")[0]) for step in items(state, "step") if step.provenance == "human"]
    assert told == [(wish, "answered"), ("go ahead and do it", "latest edited")]


def test_many_like_requests_do_not_push_out_a_rule() -> None:
    """Seen: eight "Review commit …" pushed out "just keep going until done"."""
    reviews = [piece for n in range(8) for piece in (prompt(f"Review commit number {n} of the branch"), DONE)]
    state = distilled(prompt("Write a shop"), DONE, prompt("Never stop before all is done"), DONE, *reviews)
    assert "Never stop before all is done" in texts(state, "constraint")
    assert sum("Review commit" in text for text in texts(state)) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "/clew",
        "/clew-fresh",
        "/clew-resume go on with the cart",
        "/clew:resume",
        "/compact keep what was said of the cart",
    ],
)
@pytest.mark.parametrize("source", ["command", "typed"])
def test_commands_of_clew_and_of_the_client_ask_for_nothing(text: str, source: str) -> None:
    """They would be the goal of the next session."""
    command = prompt(text, source=source)
    state = distilled(command, DONE, prompt("Fix the sum"), DONE, command, DONE)
    assert [("goal", "Fix the sum")] == [(item.kind, item.text) for item in state.items if item.provenance == "human"]
    assert ["/clewless"] == texts(distilled(prompt("/clewless", source=source), DONE), "goal")


def test_the_same_request_is_told_once() -> None:
    """A question asked again and again would take the place of what was found out."""
    question = prompt("what is price()?")
    again = distilled(prompt("Fix the sum"), question, DONE, prompt("Now the docs"), DONE, question, DONE)
    assert ["what is price()?", "Now the docs"] == texts(again, "step")
    assert [("what is price()?", "answered: The sum is right now")] == [
        (item.text, item.status)
        for item in distilled(question, DONE, prompt("Fix the sum"), question, DONE).items
        if "price" in item.text
    ]


def test_a_first_request_that_was_taken_up_again_is_not_told_as_interrupted() -> None:
    """The next session would begin with it once more."""
    first = (prompt("Round the sums up"), reply("I look."), stop())
    state = distilled(*first, prompt("No, in the till of the shop"), edit("till.py"), reply("It rounds up now."))
    assert [item.status for item in state.items if item.kind == "goal"] == [""]
    state = distilled(*first, prompt("What is it called?"), reply("It is called the till of the shop."))
    assert [item.status for item in state.items if item.kind == "goal"] == ["interrupted"]


def test_files_beside_the_session_are_edited_too() -> None:
    """A session that runs in a part of a repository mends its workflow: that was all that was asked for."""
    above = ROOT.rpartition("/")[0]
    state = distilled(prompt("Mend the workflow"), edit(f"{above}/.github/workflows/ci.yml"), reply("Mended."))
    assert [item.status for item in state.items if item.kind == "goal"] == ["edited"]
    (file,) = items(state, "file")
    assert (file.text, file.files) == ("../.github/workflows/ci.yml", ())
    notes = distilled(prompt("Mend it"), edit(f"{above}/.assistant/plan.md"), reply("Noted in a plan of my own."))
    assert items(notes, "file") == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git stash push -m docs", "ran git stash"),
        ("git checkout main && git pull", "ran git checkout, git pull"),
        ("git clean -fd", "ran git clean"),
        ("gh issue create --title 'Round up'", "ran gh issue create"),
        ("rm -r build", "ran rm"),
        ("git status", "answered"),
    ],
)
def test_what_commands_changed_is_no_mere_answer(command: str, expected: str) -> None:
    """The next session would do it again."""
    done = reply("It is done in the way in which you asked me to do it.")
    assert goal(prompt("Tidy up in here"), run(command), done).status == expected


def test_a_question_is_not_what_was_edited_for() -> None:
    """The edit came with the yes to the answer, which has no line of its own."""
    asked = (prompt("So you would only move the labels, is that right?"), reply("Yes, nothing else is changed."))
    later = (prompt("Now the rates of each country"), edit("rates.py"), DONE)
    assert goal(*asked, prompt("ok do it"), edit("till.py"), DONE, *later).status == "agreed to, edited"
    assert goal(*asked[:1], edit("till.py"), DONE).status == "edited"
    commit = (edit("till.py"), run("git commit -am x", COMMITTED), DONE)
    assert goal(*asked, prompt("ok do it"), *commit, *later).status == "agreed to, committed 1a2b3c4"
    assert goal(*asked[:1], *commit).status == "committed 1a2b3c4"


def test_a_turn_without_a_last_word_was_not_answered() -> None:
    """The agent was about something and left off."""
    left = (reply("I look at the labels first, then at the rates of each country."), run("ls"))
    assert goal(prompt("Mend the labels"), *left, prompt("Go on with the rates"), DONE).status == "broken off"


def test_a_quoted_finding_is_no_rule_of_the_users() -> None:
    """It is the agent's, and may be wrong."""
    finding = "The guard must never be called before the table is read, and it is."
    asked = (
        prompt("Round up"),
        reply(f"- {finding}\n- And there is more."),
        prompt(f"Address this: {finding}\n- {finding}"),
    )
    assert items(distilled(*asked, edit("till.py"), DONE, prompt("Now the labels"), DONE), "constraint") == []
    said = prompt(f"Address this: {finding}\n\nBe sure to keep it small")
    (rule,) = items(distilled(*asked[:2], said, edit("till.py"), DONE, prompt("Now the labels"), DONE), "constraint")
    assert rule.text.endswith("… Be sure to keep it small"), "what is quoted is cut, the user's own words are not"
    own = prompt("Round up"), DONE, prompt(f"Address this: {finding}")
    assert items(distilled(*own, edit("till.py"), DONE, prompt("Now the labels"), DONE), "constraint") != []


def test_an_announcement_is_no_answer() -> None:
    """Given a turn whose last words say what comes next and nothing came, then it is where to go on."""
    said = reply("I'll update the plan with the cache. Let me look at the rates first.")
    state = distilled(prompt("Put the cache into the plan"), said)
    assert not state.origin.ended
    assert (
        goal(prompt("Put the cache into the plan"), said, prompt("Go on with the rates"), DONE).status == "broken off"
    )
    offered = reply("Let me know if you want the labels as well.")
    assert distilled(prompt("Mend it"), edit("till.py"), offered).origin.ended


def test_a_pasted_log_is_shortened_to_what_failed() -> None:
    """Seen: a release that failed was told by its head, which ends with "installed successfully"."""
    steps = "\n".join(f"Step {number} of the release was done well by the builder" for number in range(9))
    failed = "⨯ release failed after 0s error=only version 1 is supported, yours is version 2"
    pasted = prompt(f"Run the builder\n{steps}\n{failed}\nThe process was left")
    state = distilled(prompt("Release it"), reply("It is out."), pasted, edit("release.yml"), reply("Mended."))
    (latest,) = [item for item in state.items if item.status.startswith("latest")]
    assert latest.text.startswith("Run the builder Step 0 of the release")
    assert latest.text.endswith(f"… {failed}")
    assert len(latest.text) <= LATEST_ASK_CHARS


def test_of_a_long_request_in_prose_the_beginning_stays() -> None:
    """It speaks of failures, too, and its beginning says what is wanted."""
    wish = "\n".join(f"- handle error: number {number} of all those that the shop knows" for number in range(9))
    state = distilled(prompt(f"Handle them\n{wish}"), edit("shop.py"), reply("Handled."))
    (goal,) = items(state, "goal")
    assert goal.text.startswith("Handle them - handle error: number 0")
    assert "number 2" in goal.text


def test_of_a_request_in_lines_of_prose_no_line_is_what_failed() -> None:
    """Half of what was wanted made room for an aside."""
    aside = "The last attempt failed after I merged main, never mind that."
    wish = [f"Then look at part {number} of the exporter and write down what it is for{{}}" for number in range(9)]
    for end in (".", ""):
        lines = [line.format(end) for line in wish]
        state = distilled(prompt("\n".join([*lines, aside, *lines])), edit("export.py"), reply("Done."))
        (goal,) = items(state, "goal")
        assert aside not in goal.text
        assert "part 3" in goal.text
