"""The lines that rules read off a session: what was asked, settled, done, checked, and what is next."""

from __future__ import annotations

import pytest

from clew.core.records.transcript import Call, Edit, Result
from tests.builders import (
    Piece,
    ask,
    call,
    distilled,
    edit,
    given_by_program,
    interrupted,
    items,
    link,
    new_task,
    plan,
    prompt,
    refused,
    reply,
    run,
    set_task,
    stop,
    texts,
    todo_list,
    unanswered,
)

PLAN = "# Add a cache\n\n## Context\n\nReads are slow.\n\n## Steps\n1. Keep totals in `SumCache`"
COMMITTED = "[main 1a2b3c4] Fix the sum\n 1 file changed, 2 insertions(+)"
DONE = reply("The sum is right now.")


def state_of(*pieces: Piece) -> str:
    """The line that tells where the work stands."""
    return next((item.text for item in items(distilled(*pieces), "step") if item.label == "State"), "")


def todo_texts(*pieces: Piece) -> list[str]:
    return [item.text for item in items(distilled(*pieces), "step") if item.provenance == "agent"]


def checks(*pieces: Piece) -> list[tuple[str, str]]:
    return [(item.text, item.status) for item in items(distilled(*pieces), "validation")]


def next_texts(*pieces: Piece) -> list[str]:
    """What comes next, as far as the record proves it."""
    return texts(distilled(*pieces), "next")


# What comes next


def test_a_record_that_stops_in_mid_turn_goes_on_there() -> None:
    """`kill -9` at any moment must still tell where."""
    pieces = [prompt("Fix the sum"), edit("sum.py"), unanswered(run("make test"))]
    (text,) = next_texts(*pieces)
    assert "`make test`" in text
    assert "unknown" in text
    origin = distilled(*pieces).origin
    assert (origin.ended, "`make test`" in origin.last_act) == (False, True)


def test_a_call_that_was_stopped_is_not_told_as_done() -> None:
    """Half a deployment is not a whole one."""
    origin = distilled(prompt("Deploy it"), interrupted(run("make deploy"))).origin
    assert "`make deploy`" in origin.last_act
    assert "done" not in origin.last_act


def test_several_calls_under_way_are_all_told() -> None:
    """Clients run calls at once; each may have been done or not."""
    origin = distilled(prompt("Go"), unanswered(edit("a.py")), unanswered(edit("b.py"))).origin
    assert "a.py" in origin.last_act
    assert "b.py" in origin.last_act


@pytest.mark.parametrize(
    "last",
    [
        [DONE],
        [stop()],
        [refused(edit("sum.py"), "No.")],
        [DONE, link("PR #3", "https://example.org/3")],
        [DONE, prompt("/exit", source="command")],
    ],
    ids=["reply", "stop", "refusal", "link", "exit"],
)
def test_a_finished_turn_is_no_broken_one(last: list[Piece]) -> None:
    """Otherwise every payload begins with an alarm."""
    origin = distilled(prompt("Fix the sum"), *last).origin
    assert (origin.ended, origin.last_act) == (True, "")


def test_an_empty_session_gives_an_empty_state() -> None:
    """A client that was opened and closed."""
    state = distilled()
    assert state.items == ()
    assert (state.origin.ended, state.origin.last_act) == (True, "")


def test_a_plan_put_forward_last_is_next() -> None:
    """Accepted with a cleared context, the work goes on in another session."""
    (text,) = next_texts(prompt("Make it fast"), unanswered(plan(PLAN)))
    assert "Add a cache: Reads are slow." in text


def test_a_plan_that_was_turned_down_is_no_plan_that_nobody_answered() -> None:
    """Who said no without a word has to be asked."""
    (text,) = next_texts(prompt("Make it fast"), refused(plan(PLAN)))
    assert "it was turned down without a reason" in text
    assert next_texts(prompt("Make it fast"), refused(plan(PLAN)), prompt("no, tell me how it works"), DONE) == []


# To-dos


def test_open_to_dos_are_told_done_ones_not() -> None:
    """The list's status is trusted."""
    todos = todo_list(("Parse it", "completed"), ("Print it", "pending"))
    assert todo_texts(prompt("Write a shop"), todos, DONE) == ["Print it"]


@pytest.mark.parametrize("todo", ["Write tests for the parser", "Add a build script", "Document commit hooks"])
def test_a_passed_check_does_not_do_other_work(todo: str) -> None:
    """Running the old tests writes no new ones."""
    pieces = [prompt("Fix it"), edit("sum.py"), todo_list((todo, "pending")), run("make test", "ok")]
    pieces += [run("make build"), run("git commit -am 'Fix'", COMMITTED), DONE]
    assert [todo] == todo_texts(*pieces)


def test_a_list_that_nobody_touches_any_more_is_over() -> None:
    """Its entries would be the next action, though later requests were worked on to their end."""
    listed = (prompt("Round up"), todo_list(("Round up", "completed"), ("Note it in the docs", "pending")), DONE)
    later = (prompt("Now the labels"), edit("labels.py"), reply("The labels are printed in the order of the rows."))
    again = (prompt("Now the receipts"), edit("receipts.py"), reply("The receipts have the tax in a line of its own."))
    going_on = (prompt("go on"), edit("sum.py"), DONE, prompt("yes"), edit("sum.py"), DONE)
    for pieces in ((prompt("Why so?"), DONE), later, going_on):
        assert any("Note it" in item.text for item in distilled(*listed, *pieces).items), "one may be an aside"
    assert not any("Note it" in item.text for item in distilled(*listed, *later, *again).items)


def test_tasks_set_one_by_one() -> None:
    """Numbers come from the client's answers."""
    pieces = [new_task("Parse it", "1"), new_task("Print it", "2"), new_task("Mail it", "3")]
    assert todo_texts(prompt("Go"), *pieces, set_task("1", "completed"), set_task("3", "deleted"), DONE) == ["Print it"]


# Settled


@pytest.mark.parametrize("piece", [run("npm install left-pad"), edit("left-pad.js")], ids=["command", "edit"])
def test_a_refusal_is_told_with_its_reason(piece: Piece) -> None:
    """Trying it again costs the user's patience."""
    state = distilled(prompt("Fix it"), refused(piece, "No new packages."), DONE)
    (found,) = [item for item in state.items if "left-pad" in item.text]
    assert (found.provenance, "“No new packages.”" in found.why) == ("human", True)


def test_a_command_refused_without_a_word_says_so() -> None:
    """It may be a slip: the reader must be able to tell."""
    state = distilled(prompt("Fix it"), refused(run("npm install left-pad")), DONE)
    (found,) = [item for item in state.items if "left-pad" in item.text]
    assert found.why == "rejected or stopped by the user"


def test_a_refused_plan_is_a_dead_end() -> None:
    """With the user's reason, by its title."""
    state = distilled(prompt("Make it fast"), refused(plan(PLAN), "No cache."), DONE)
    (found,) = [item for item in items(state, "failed") if "Add a cache" in item.text]
    assert "“No cache.”" in found.why


def test_a_plan_that_came_back_changed_is_no_dead_end() -> None:
    """What the user said on the first draft is a demand on the plan in force."""
    state = distilled(prompt("Make it fast"), refused(plan(PLAN), "No SQLite."), plan(PLAN + "\n2. No store"), DONE)
    assert texts(state, "failed") == []
    assert "No SQLite." in texts(state, "constraint")


def test_an_answer_is_the_users_decision() -> None:
    """With its question, and what was not taken, so that nobody asks again."""
    state = distilled(prompt("Write a shop"), ask("Which store?", ("SQLite", "Postgres"), "SQLite"), DONE)
    (found,) = items(state, "decision")
    assert (found.text, found.provenance) == ("SQLite", "human")
    assert "Which store?" in found.why
    assert "Postgres" in found.why


def test_an_answer_in_words_of_ones_own_turns_nothing_down() -> None:
    """It may mean much the same as what was offered."""
    answered = ask("Which store?", ("A file", "Postgres"), "whatever exists already")
    (found,) = items(distilled(prompt("Write a shop"), answered, DONE), "decision")
    assert found.why == "asked: Which store?; offered: A file, Postgres"


def test_a_question_without_answer_is_no_decision() -> None:
    """An empty answer says nothing."""
    assert texts(distilled(prompt("Write a shop"), ask("Which store?", ("SQLite",), ""), DONE), "decision") == []


# Done


def test_commits_are_told_newest_first_and_proven() -> None:
    """So that nobody does them again."""
    state = distilled(
        prompt("Fix it"),
        edit("sum.py"),
        run("git commit -am 'Fix the sum'", COMMITTED),
        edit("doc.md"),
        run("git commit -am 'Tell of it'", "[main 5d6e7f8] Tell of it"),
        DONE,
    )
    found = [item for item in items(state, "step") if item.status == "committed"]
    assert {("1a2b3c4 Fix the sum", "verified"), ("5d6e7f8 Tell of it", "verified")} == {
        (item.text, item.provenance) for item in found
    }
    assert {("sum.py",), ("doc.md",)} == {item.files for item in found}


def test_commits_that_nobody_pushed_are_named() -> None:
    """Whoever opens a pull request has to push first, and the record knows what is missing."""
    pushed = run("git push", "main -> main")
    commit = (edit("sum.py"), run("git commit -am 'Fix the sum'", COMMITTED))
    assert "branch main @ 1a2b3c4, not pushed in this session" in state_of(prompt("Fix it"), *commit, DONE)
    assert "branch main @ 1a2b3c4, 1 not pushed" in state_of(prompt("Fix it"), *commit, pushed, *commit, DONE)
    assert "branch main @ 1a2b3c4, pushed" in state_of(prompt("Fix it"), *commit, pushed, DONE)


def test_code_that_nothing_checked_is_told() -> None:
    """Nobody would know from a document that only tells what ran."""
    missing = "no test, build or linter seen to end"
    assert missing in state_of(prompt("Fix it"), edit("sum.py"), DONE)
    assert missing not in state_of(prompt("Fix it"), edit("README.md"), DONE)
    assert missing not in state_of(prompt("Fix it"), edit("sum.py"), run("make test", "3 passed"), DONE)


def test_one_line_tells_where_the_work_stands() -> None:
    """As tools proved it: whoever goes on need not add up commits, pushes and checks of every turn."""
    opened = "https://example.org/pull/3"
    pieces = (
        *(edit("sum.py"), run("git commit -am 'Fix the sum'", COMMITTED), run("git push", "main -> main")),
        run('gh pr create --draft --title "Round once"', f"{opened}\n"),
        *(
            run("make lint", "ok"),
            run("make test", "3 passed"),
            edit("till.py"),
            run("pytest till", "1 failed", exit_code=1),
        ),
    )
    assert state_of(prompt("Fix it"), *pieces, reply("`make lint` passes. `pytest till` is red.")) == (
        "branch main @ 1a2b3c4, pushed; not committed: till.py; pull request: Round once (draft) "
        f"{opened}; `pytest till` failed: 1 failed; `make lint` passed before the last edit"
    )
    beside = edit("/home/ada/shop-notes.md")  # in no repository of this project
    assert "not committed: till.py;" in state_of(prompt("Fix it"), *pieces, beside, DONE)
    ready = run("gh pr ready 3", "ready")
    assert f"pull request: Round once (open) {opened}" in state_of(prompt("Fix it"), *pieces, ready, DONE)


def test_how_many_tests_passed_is_told_where_the_runner_says_so() -> None:
    """Only a number shows that a later run ran fewer; of two runners in one line nobody knows whose it is."""
    assert "`make test` passed (3 tests)" in state_of(
        prompt("Fix it"), edit("a.py"), run("make test", "3 passed in 0.12s"), DONE
    )
    both = run("pytest && npx vitest run", "3 passed in 0.12s\n Tests  4 passed (4)")
    assert "tests)" not in state_of(prompt("Fix it"), edit("a.py"), both, DONE)


def test_a_check_before_the_last_edit_says_so() -> None:
    """It proves nothing about the tree as it is."""
    ((_, status),) = checks(prompt("Fix it"), run("make test", "ok"), edit("sum.py"), DONE)
    assert status.startswith("passed")
    assert "before the last edit" in status


def test_a_check_behind_a_pipe_is_no_proof() -> None:
    """Its outcome is hidden, whoever says that it passed."""
    state = distilled(prompt("Fix it"), run("make test | tail -3", "some words"), DONE)
    (found,) = items(state, "validation")
    assert (found.status, found.provenance == "verified") == ("hidden", False)


def test_a_failing_check_tells_its_error() -> None:
    """The real error text is what the next session looks for."""
    state = distilled(prompt("Fix it"), run("make test", "Exit code 2\nsum.go:3: undefined: total", exit_code=2), DONE)
    (found,) = items(state, "validation")
    assert (found.status, found.why, found.provenance) == ("failed", "sum.go:3: undefined: total", "verified")


def test_files_tell_what_became_of_them() -> None:
    """Open work in the tree, work in a commit, work thrown away."""
    state = distilled(
        prompt("Fix it"),
        edit("sum.py", "def total():\n    pass\n"),
        run("git add sum.py && git commit -m 'Fix the sum'", COMMITTED),
        edit("doc.md"),
        edit("try.py"),
        run("git checkout try.py"),
        edit("/tmp/scratch.py"),
        DONE,
    )
    files = {item.text: (item.status, item.why) for item in items(state, "file")}
    assert files == {"sum.py": ("committed", ""), "doc.md": ("edited", ""), "try.py": ("reverted", "")}


def test_every_check_that_passed_is_known() -> None:
    """What failed in the session before is settled by it, whatever passed later."""
    state = distilled(run("pytest tests/a.py", "3 passed in 0.1s"), run("pytest tests/b.py", "3 passed in 0.1s"), DONE)
    assert ["`pytest tests/a.py`", "`pytest tests/b.py`"] == texts(state, "validation")


def test_what_a_program_gave_is_nobodys_word() -> None:
    """A script that runs a client would settle, forbid and ask for things in the user's name."""
    pieces = (
        prompt("Fix the sum with its tests. See https://example.org/sums"),
        ask("Which store?", ("SQLite", "Postgres"), "SQLite"),
        refused(edit("left-pad.js"), "No new packages."),
        refused(plan(PLAN), "No cache."),
        DONE,
    )
    by_person, by_program = distilled(*pieces), distilled(given_by_program(*pieces))
    told = [f"{item.text} {item.why}" for item in by_program.items if "user" in f"{item.text} {item.why}"]
    assert ([], []) == (told, [item.text for item in by_program.items if item.provenance == "human"])
    assert 4 <= sum(item.provenance == "human" for item in by_person.items)
    assert [item.kind for item in by_person.items] == [item.kind for item in by_program.items]


def test_a_person_who_goes_on_with_a_headless_run_is_one() -> None:
    """And the other way round: each prompt counts by who gave it."""
    state = distilled(given_by_program(prompt("Fix the sum"), DONE), prompt("Never push"), DONE)
    assert {("Fix the sum", "agent"), ("Never push", "human")} == {
        (item.text, item.provenance) for item in state.items if item.text in ("Fix the sum", "Never push")
    }


def test_a_variant_that_works_is_a_finding() -> None:
    """Facts about this machine are found out again in each session otherwise."""
    state = distilled(
        prompt("Fix it"),
        run("pytest -q", "zsh: command not found: pytest", exit_code=127),
        run("uv run pytest -q", "3 passed"),
        DONE,
    )
    (found,) = [item for item in items(state, "finding") if item.provenance == "verified"]
    assert found.text == "`pytest -q` fails here; `uv run pytest -q` works"
    assert "command not found" in found.why
    assert [item.status for item in items(state, "validation")] == ["passed"]


def test_a_probe_is_no_failure_to_work_around() -> None:
    """Both were called before anybody saw that one fails: the second is no other try at the first."""
    first, first_result = run("python -m till --bogus", "error: unknown flag: --bogus", exit_code=1)
    second, second_result = run("python -m till --version", "1.2")
    assert isinstance(first, Call) and isinstance(second, Call)
    assert isinstance(first_result, Result) and isinstance(second_result, Result)
    at_once = (
        (first._replace(id="a"), second._replace(id="b")),
        (first_result._replace(call="a"), second_result._replace(call="b")),
    )
    assert not any("fails here" in text for text in texts(distilled(prompt("Try it"), *at_once, DONE)))


def test_why_the_last_act_failed_is_told() -> None:
    """The next session walks into the same wall."""
    missing = call(Edit("a.txt", "", "x"), 'Tool "write_file" not found in registry.', tool="write_file", ok=False)
    [item] = items(distilled(prompt("Write a.txt"), missing), "next")
    assert item.text.endswith('write_file of a.txt (it failed: Tool "write_file" not found in registry.)')


def test_a_check_from_before_a_rebase_says_so() -> None:
    """Other commits came in between: what passed then may fail now."""
    rebased = run("git rebase --continue", "Successfully rebased and updated refs/heads/fix.")
    ((_, status),) = checks(prompt("Rebase it"), run("make test", "3 passed"), rebased, DONE)
    assert status == "passed, before the end of the rebase"


def test_what_the_user_forbids_is_a_constraint_wherever_it_stands() -> None:
    """In the middle of a request it was told in no section, and cut off with its end."""
    asked = prompt("Rewrite the cart.\n\nUse what is there. Do not touch `rates.py`, it is shared. Then run the tests.")
    told = items(distilled(asked, edit("cart.py"), DONE), "constraint")
    assert [("Do not touch `rates.py`, it is shared.", "human")] == [(item.text, item.provenance) for item in told]


def test_what_the_agent_said_is_no_rule_of_the_users_who_quotes_it() -> None:
    """It is the agent's, and may be wrong."""
    finding = "The guard must never be called before the table is read."
    asked = prompt(f"Address this: {finding} Then go on.")
    story = (prompt("Round up"), reply(f"- {finding}"), asked, edit("till.py"), DONE)
    assert [] == items(distilled(*story), "constraint")
    assert [] != items(distilled(prompt("Round up"), DONE, *story[2:]), "constraint")


def test_what_failed_before_later_work_is_told_only_where_nothing_ran_since() -> None:
    """A failure that was mended sends the next session to mend it again."""
    failed, mended = run("make test", "1 failed\n", exit_code=2), (edit("sum.py"), run("pytest", "3 passed\n"))
    told = [item.status for item in items(distilled(prompt("Mend it"), failed, *mended, DONE), "validation")]
    assert told == ["passed"]
    told = [item.status for item in items(distilled(prompt("Mend it"), failed, edit("sum.py"), DONE), "validation")]
    assert told == ["failed, before the last edit"]


def test_the_newest_of_many_answers_comes_first() -> None:
    """Seen: where the room was short, only the oldest decisions were told."""
    asked = [ask(f"Which way is to be gone in part {n} of all parts?", ("x", "y"), "x") for n in range(8)]
    told = sorted(items(distilled(prompt("Do it"), *asked, DONE), "decision"), key=lambda item: -item.place.at)
    ranks = [item.rank for item in told]
    assert ranks == sorted(ranks) and ranks[0] < ranks[-1]


def test_a_plan_that_nobody_answered_is_told_as_proposed() -> None:
    """The session stopped at the dialog: what the plan says stands nowhere else."""
    state = distilled(prompt("Make it fast"), unanswered(plan(PLAN)))
    (line,) = [item for item in items(state, "note") if "SumCache" in item.text]
    assert line.label.startswith("The plan, not carried out (found, ")
