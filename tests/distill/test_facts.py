"""The lines that rules read off a session: what was asked, settled, done, checked, and what is next."""

from __future__ import annotations

import pytest

from clew.core.items import FILL_RANK, Item
from clew.core.records import Edit
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
    plan_prompt,
    prompt,
    read,
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


def goal(*pieces: Piece) -> Item:
    (found,) = items(distilled(*pieces), "goal")
    return found


def latest(*pieces: Piece) -> list[tuple[str, str]]:
    """The latest request with its status."""
    steps = items(distilled(*pieces), "step")
    return [(step.text, step.status) for step in steps if step.status.startswith("latest")]


def todo_texts(*pieces: Piece) -> list[str]:
    return [item.text for item in items(distilled(*pieces), "step") if item.provenance == "agent"]


def checks(*pieces: Piece) -> list[tuple[str, str]]:
    return [(item.text, item.status) for item in items(distilled(*pieces), "validation")]


def next_texts(*pieces: Piece) -> list[str]:
    """What comes next, as far as the record proves it."""
    return texts(distilled(*pieces), "next")


# Requests


def test_the_goal_is_the_first_request() -> None:
    """A nod or a command of the client before it asks for nothing."""
    found = goal(
        prompt("/clear", source="command"), prompt("hi"), prompt("Fix the sum"), DONE, prompt("Now the docs"), DONE
    )
    assert (found.text, found.provenance, found.rank) == ("Fix the sum", "human", 0)


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
    assert [f"latest {expected}"] == [s for _, s in latest(prompt("What is it?"), DONE, prompt("Fix the sum"), *pieces)]


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


def test_a_prompt_nobody_answered_is_where_to_go_on() -> None:
    """The session died before the first word."""
    origin = distilled(prompt("Fix the sum")).origin
    assert (origin.ended, origin.last_act) == (False, "the user's prompt, not answered yet")


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


def test_the_open_to_do_is_next() -> None:
    """The one under way before those that wait."""
    todos = todo_list(("Parse", "completed"), ("Print it", "pending"), ("Mail it", "in_progress"))
    assert next_texts(prompt("Write a shop"), todos, DONE) == ["Mail it"]


# To-dos


def test_open_to_dos_are_told_done_ones_not() -> None:
    """The list's status is trusted."""
    todos = todo_list(("Parse it", "completed"), ("Print it", "pending"))
    assert todo_texts(prompt("Write a shop"), todos, DONE) == ["Print it"]


@pytest.mark.parametrize(
    ("todo", "command", "output"),
    [
        ("Run the tests", "make test", "ok"),
        ("Run fmt, lint, tests", "make test", "ok"),
        ("Lint", "ruff check .", "All checks passed!"),
        ("Commit the work", "git commit -am 'Fix'", COMMITTED),
        ("Build it", "go build ./...", ""),
    ],
)
def test_a_passed_check_beats_an_open_to_do(todo: str, command: str, output: str) -> None:
    """Seen: "to-do open: run fmt, lint, tests" after they passed: the update was lost in a compaction."""
    pieces = [prompt("Fix it"), edit("sum.py"), todo_list((todo, "pending")), run(command, output), DONE]
    assert todo_texts(*pieces) == []


@pytest.mark.parametrize("todo", ["Write tests for the parser", "Add a build script", "Document commit hooks"])
def test_a_passed_check_does_not_do_other_work(todo: str) -> None:
    """Running the old tests writes no new ones."""
    pieces = [prompt("Fix it"), edit("sum.py"), todo_list((todo, "pending")), run("make test", "ok")]
    pieces += [run("make build"), run("git commit -am 'Fix'", COMMITTED), DONE]
    assert [todo] == todo_texts(*pieces)


def test_a_failed_check_leaves_the_to_do_open() -> None:
    """It is not done before it passes."""
    pieces = [prompt("Fix it"), todo_list(("Run the tests", "pending")), run("make test", "boom", exit_code=2), DONE]
    assert todo_texts(*pieces) == ["Run the tests"]


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
    assert "without" in found.why


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


def test_a_link_is_told_once() -> None:
    """Clients repeat it with each line."""
    pieces = [link("PR #3", "https://example.org/pull/3")] * 3
    assert sum("https://example.org/pull/3" in text for text in texts(distilled(prompt("Go"), *pieces, DONE))) == 1


def test_a_failed_check_that_passed_later_is_passed() -> None:
    """The last run wins."""
    pieces = [run("make test", "1 failed", exit_code=2), edit("sum.py"), run("make test", "ok"), DONE]
    assert checks(prompt("Fix it"), *pieces) == [("`make test`", "passed")]


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
    assert files == {
        "sum.py": ("committed", "adds total"),
        "doc.md": ("edited", ""),
        "try.py": ("reverted", ""),
    }


def test_a_session_that_only_read_tells_what() -> None:
    """The next one re-reads only what changed; each line is placed where the file was read."""
    state = distilled(prompt("Why?"), read("basket.py"), read("sum.py"), read("sum.py"), DONE)
    assert [(item.text, item.status) for item in items(state, "file")] == [("basket.py", "read"), ("sum.py", "read")]
    assert {200, 400, 600} >= {item.place.at for item in items(state, "file")}


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


def test_every_check_that_passed_is_known() -> None:
    """What failed in the session before is settled by it, whatever passed later."""
    state = distilled(run("pytest tests/a.py", "3 passed in 0.1s"), run("pytest tests/b.py", "3 passed in 0.1s"), DONE)
    assert ["`pytest tests/b.py`", "`pytest tests/a.py`"] == texts(state, "validation")


def test_what_a_program_gave_is_nobodys_word() -> None:
    """A script that runs a client would settle, forbid and ask for things in the user's name."""
    pieces = (
        prompt("Fix the sum, always with tests. See https://example.org/sums"),
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
    assert [("Fix the sum", "agent"), ("Never push", "human")] == [
        (item.text, item.provenance) for item in state.items if item.text in ("Fix the sum", "Never push")
    ]


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


def test_an_address_in_pasted_code_is_no_pointer() -> None:
    """The user points with an address that stands in what he says, not with a value in quotes."""
    pasted = 'Show them.\n```\navatar: "https://pictures.example/ann.png",\nsee https://looks.example/list\n```'
    told = " ".join(texts(distilled(prompt("Begin with the list"), reply("Done."), prompt(pasted), reply("Shown."))))
    assert "https://looks.example/list" in told
    assert "pictures.example" not in told


def test_what_fills_comes_after_all_else() -> None:
    """It is for the room that is left: whatever was chosen for its worth comes first."""
    last = reply(
        "All tests pass.\n\nThe `total` in price.py is rounded once, since the tax office rounds the whole bill."
    )
    state = distilled(prompt("Make it seven"), edit("price.py", "x = 7"), last)
    ranks = {item.text: item.rank for item in state.items}
    filling = {text for text, rank in ranks.items() if rank >= FILL_RANK}
    assert filling == {"All tests pass.", "price.py: `x = 7` put in"}


def test_a_command_that_never_worked_is_told() -> None:
    """The next session would try it again."""
    failing = run("terraform apply", "Error: no credentials\n", exit_code=1)
    told = [(item.text, item.why) for item in items(distilled(prompt("Deploy"), failing, DONE), "finding")]
    assert ("`terraform apply` failed", "Error: no credentials") in told
    later = distilled(prompt("Deploy"), failing, run("terraform apply", "Applied\n"), DONE)
    assert not any("terraform" in item.text for item in items(later, "finding"))


def test_why_the_last_act_failed_is_told() -> None:
    """The next session walks into the same wall."""
    missing = call(Edit("a.txt", "", "x"), 'Tool "write_file" not found in registry.', tool="write_file", ok=False)
    [item] = items(distilled(prompt("Write a.txt"), missing), "next")
    assert item.text.endswith('write_file of a.txt (it failed: Tool "write_file" not found in registry.)')


def test_two_forms_of_a_long_command_show_where_they_part() -> None:
    """Cut at one length they look alike, and the line says that a command fails and works."""
    front = "env PYTHONPATH=src HOME=/tmp/home python -m shop.tools.report --folder reports/2026/03 --format"
    state = distilled(
        prompt("Make the report"),
        run(f"{front} pdf", "report: error: no such format: pdf\n", exit_code=2),
        run(f"{front} html", "written\n"),
        DONE,
    )
    [item] = [item for item in items(state, "finding") if "fails here" in item.text]
    failing, working = item.text.split(" fails here; ")
    assert failing.startswith("`env PYTHONPATH")
    assert failing.endswith("pdf`")
    assert working == "`… html` works"
