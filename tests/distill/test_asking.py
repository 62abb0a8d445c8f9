"""What the user asked for, and what came of it."""

from __future__ import annotations

import pytest

from clew.core.records.transcript import Call, Delegate, Spawned
from clew.core.state.items import Item
from clew.core.text.receipt import as_prompt
from tests.builders import (
    ROOT,
    Piece,
    distilled,
    edit,
    items,
    plan,
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


def test_the_goal_is_the_latest_request_that_set_work_going() -> None:
    """A remark behind it is none, nor is a question; what is done is told as done, and never one in between."""
    cart, labels = prompt("Write the cart of the shop"), prompt("Now print the labels in two columns")
    both = (cart, edit("cart.py"), run("git commit -am x", COMMITTED), DONE, labels, edit("labels.py"), DONE)
    for remark in ("thanks!", "looks good", "how wide are they?", "hi", "go on"):
        found = goal(*both, prompt(remark), DONE)
        assert (found.text, found.status) == ("Now print the labels in two columns", "edited")
        assert found.why == "it began with: Write the cart of the shop"
    done = (cart, edit("cart.py"), DONE, labels, edit("labels.py"), run("git commit -m x labels.py", COMMITTED), DONE)
    assert (goal(*done).text, goal(*done).status) == ("Now print the labels in two columns", "committed 1a2b3c4")


def test_the_terms_at_the_end_of_a_long_first_request_are_kept() -> None:
    """The goal's line shows where the work began and no more; what the user added at the end holds for all of it."""
    terms = "The API belongs to another team and can not be changed"
    first = prompt(f"{'The outbox loses visits when a phone has no network. ' * 6}{terms}.")
    later = (prompt("Now print the labels in two columns"), edit("labels.py"), DONE)
    steps = items(distilled(first, edit("outbox.py"), DONE, *later), "step")
    (rest,) = [step for step in steps if step.status == "in the first request"]
    assert rest.text.startswith("… ") and terms in rest.text and rest.provenance == "human"
    short = items(distilled(prompt(terms), edit("outbox.py"), DONE, *later), "step")
    assert not [step for step in short if step.status == "in the first request"]  # it is shown whole already


def test_the_goal_tells_what_all_of_the_work_is_about() -> None:
    """The title of what was opened or planned says it better than the first words of a long session."""
    work = (prompt("Look at the shop"), DONE, plan("# Round once\n\n1. Edit sum.py"), edit("sum.py"))
    later = (prompt("Now print the labels in two columns"), edit("labels.py"), DONE)
    assert goal(*work, *later).why == "plan: Round once"
    opened = run('gh pr create --title "Sums of the shop"', "https://example.org/pull/3\n")
    assert goal(*work, opened, *later).why == "pull request: Sums of the shop https://example.org/pull/3"


def test_a_prompt_of_clews_own_is_nobodys_words() -> None:
    """A run asks for a phase, a person for something else: that alone is asked for, and nothing is demanded."""
    asked = prompt(as_prompt("# Phase 2 of 3: Labels\n\n## Steps\n\n- [ ] 2.1 Never touch labels.py\n"))
    made = (asked, edit("labels.py"), reply("OUTCOME: the labels are in two columns"))
    state = distilled(*made)
    assert [] == [*items(state, "goal"), *items(state, "constraint")]
    assert "Phase 2 of 3" not in " ".join(item.text for item in state.items)
    cart = "Now write the cart of the shop"
    assert (cart, "") == (goal(*made, prompt(cart)).text, goal(*made, prompt(cart)).why)


def test_what_broke_off_is_the_goal_however_small() -> None:
    """It is what the next session goes on with."""
    begun = (prompt("Rewrite the cart of the shop"), *(edit(f"cart_{n}.py") for n in range(9)), DONE)
    found = goal(*begun, prompt("Move the totals to the end of the receipt"), unanswered(run("make test")))
    assert (found.text, found.status) == ("Move the totals to the end of the receipt", "under way")


def test_a_yes_goes_on_with_the_request_before_it() -> None:
    """What it agrees to is what was asked for, and its edits are that request's."""
    asked, offer = prompt("Can we unify the two ways that settings are read?"), reply("We can. Shall I?")
    found = goal(prompt("What is in the till?"), DONE, asked, offer, prompt("yes, but keep both"), edit("s.py"), DONE)
    assert (found.text, found.status) == ("Can we unify the two ways that settings are read?", "edited")


@pytest.mark.parametrize(
    ("offer", "answer", "expected"),
    [
        ("Both work. Shall I move the cache to `redis`?", "yes, but later", "Shall I move the cache to `redis`?"),
        ("Both work. Let me know if I should move the cache.", "not now", "Let me know if I should move the cache."),
        (
            "- Option A: a list\n- Option B: a tree with a lock\n\nWhich one?",
            "Option B",
            "Option B: a tree with a lock",
        ),
        ("1. Keep the list\n2. Take a tree with a lock\n\nWhich one?", "2", "Take a tree with a lock"),
    ],
)
def test_a_short_answer_is_told_with_its_question(offer: str, answer: str, expected: str) -> None:
    """ "Yes, but later" and "Option B" say nothing alone."""
    story = (prompt("Make the shop fast"), edit("shop.py"), reply(offer), prompt(answer), reply("Understood, I will."))
    (step,) = [item for item in items(distilled(*story), "step") if item.text == answer]
    assert step.why == f"to: {expected}"


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
    found = goal(prompt("Fix the sum"), DONE, prompt("Write the docs"), reply("They are there."), prompt(nod))
    assert (found.text, found.status) == (nod, "under way")
    assert found.why == "it began with: Fix the sum"


def test_a_pasted_log_is_no_request() -> None:
    """The user's own words beside it are."""
    log = "\n".join(f"2026-03-04T10:00:0{n}Z ERROR boom {n}" for n in range(5))
    assert [text for text, _ in latest(prompt("Fix the sum"), DONE, prompt(f"Why does it stop?\n{log}"), DONE)] == [
        "Why does it stop?"
    ]


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
    assert expected == goal(prompt("Look at it"), DONE, prompt("Fix the sum"), *pieces).status


def test_rules_of_the_user_outlive_their_request() -> None:
    """They are the dearest lines: a broken rule costs the user's trust."""
    state = distilled(
        prompt("Write a shop"), DONE, prompt("Don't touch the public API"), DONE, prompt("Add a printer"), DONE
    )
    assert texts(state, "constraint") == ["Don't touch the public API"]
    assert [item.provenance for item in items(state, "constraint")] == ["human"]


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


def test_files_beside_the_session_are_edited_too() -> None:
    """A session that runs in a part of a repository mends its workflow: that was all that was asked for."""
    above = ROOT.rpartition("/")[0]
    state = distilled(prompt("Mend the workflow"), edit(f"{above}/.github/workflows/ci.yml"), reply("Mended."))
    assert [item.status for item in state.items if item.kind == "goal"] == ["edited"]
    (file,) = items(state, "file")
    assert (file.text, file.files) == ("../.github/workflows/ci.yml", ())
    notes = distilled(prompt("Mend it"), edit(f"{above}/.assistant/plan.md"), reply("Noted in a plan of my own."))
    assert items(notes, "file") == []


def test_what_was_reported_in_one_turn_and_mended_in_a_later_one_is_over() -> None:
    """The report would read as if nobody had seen to it, or as if it had asked for all that the commit holds."""
    report = (
        prompt("The totals of the cart are wrong for refunds"),
        reply("The sign is lost in refund()."),
        prompt("fix it"),
    )
    mended = edit("cart.py"), run("git commit -am x", COMMITTED), DONE
    later = prompt("Now print the labels in two columns"), *(edit(f"labels_{n}.py") for n in range(4)), DONE
    state = distilled(prompt("Write the shop"), edit("shop.py"), DONE, *report, *mended, *later)
    assert not [text for text in texts(state) if text.startswith("The totals")]


def test_what_work_followed_is_not_open() -> None:
    """Two requests in a row are seen to in one turn, and an answer in passing asks for nothing."""
    state = distilled(
        prompt("Write the shop"),
        edit("shop.py"),
        DONE,
        prompt("no, take the other printer instead"),
        prompt("nobody ask"),
        prompt("Print the labels in two columns"),
        edit("labels.py"),
        DONE,
    )
    assert not [item for item in items(state, "step") if item.status == "open"]
    assert "no, take the other printer instead" in texts(state, "decision")


def test_what_was_committed_later_is_not_edited() -> None:
    """Seen: a change that was committed with the next one stood as edited, since its file was edited again."""
    begun = (
        prompt("Write the shop"),
        edit("shop.py"),
        DONE,
        prompt("no, round the prices instead"),
        edit("cart.py"),
        DONE,
    )
    later = prompt("Print it in two columns"), edit("cart.py"), run("git commit -am x", COMMITTED), DONE
    state = distilled(*begun, *later, prompt("Now the labels of the shop"), edit("cart.py"), DONE)
    assert ["committed"] == [one.status for one in items(state, "step") if one.text.startswith("no, round")]


@pytest.mark.parametrize(
    "leave",
    ["I have to run, let's continue tomorrow", "Thanks! Gotta go. See you tomorrow.", "muss los, morgen weiter"],
)
def test_who_takes_leave_asks_for_nothing(leave: str) -> None:
    """The next session would begin by going home."""
    found = goal(prompt("Fix the sum"), DONE, prompt(leave), reply("Until then."))
    assert found.text == "Fix the sum"
