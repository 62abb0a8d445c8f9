"""Records put together: one chain, calls joined with their results, no way that the user went back from."""

from __future__ import annotations

from clew.core.records.transcript import (
    Call,
    Context,
    Delegate,
    Edit,
    Poll,
    Prompt,
    Reply,
    Result,
    Run,
    Running,
    Spawned,
)
from clew.distill.session import ToolStep, build
from clew.distill.work import survey
from tests.builders import (
    ROOT,
    SESSION,
    Piece,
    by,
    edit,
    interrupted,
    laid_out,
    link,
    plan,
    plan_prompt,
    prompt,
    refused,
    reply,
    run,
    session,
    stop,
    summary,
    unanswered,
    worked,
)


def said(*pieces: Piece) -> list[str]:
    """The prompts and replies that are left."""
    return [event.text for event in session(*pieces).events if isinstance(event, (Prompt, Reply))]


def finals(*pieces: Piece) -> list[str]:
    """The replies that end a turn."""
    found = session(*pieces)
    return [event.text for index in sorted(found.finals) if isinstance(event := found.events[index], Reply)]


def test_where_and_when_it_ran() -> None:
    """The head of every document; the branch is the one where the session ended."""
    records = laid_out(prompt("Fix it"), reply("Fixed."))
    records.append(Context(900, "2026-03-04T12:00:00Z", "", SESSION, "/elsewhere", "fix/sum", "1.0"))
    told = build(records, client="claude-code")
    assert (told.client, told.id, told.root, told.branch) == ("claude-code", SESSION, ROOT, "fix/sum")
    assert (told.first_time, told.last_time) == ("2026-03-04T10:00:00Z", "2026-03-04T12:00:00Z")


def test_the_callers_root_is_stronger_than_the_records() -> None:
    """A session started in a sub-folder speaks of paths of the whole repository."""
    assert build(laid_out(prompt("Fix it")), client="x", root="/home/ada").root == "/home/ada"


def test_a_result_joins_its_call() -> None:
    """Several calls run at once and come back in another order."""
    first, first_result = run("make test", "1 failed", exit_code=2)
    second, second_result = run("make lint")
    assert isinstance(first, Call) and isinstance(second, Call)
    assert isinstance(first_result, Result) and isinstance(second_result, Result)
    pieces: list[Piece] = [
        (first._replace(id="a"), second._replace(id="b")),
        (second_result._replace(call="b"), first_result._replace(call="a")),
    ]
    steps = [event for event in session(*pieces).events if isinstance(event, ToolStep)]
    assert [
        (step.call.action.command, step.failed, step.done) for step in steps if isinstance(step.call.action, Run)
    ] == [("make test", True, False), ("make lint", False, True)]


def test_an_interrupted_call_is_neither_done_nor_failed() -> None:
    """The user's Escape is no failure of the command."""
    (step,) = session(interrupted(run("make deploy"))).events
    assert isinstance(step, ToolStep)
    assert (step.failed, step.done) == (False, False)


def test_sub_agents_are_kept_apart() -> None:
    """A reviewer's prompts are not the user's, and its plan is not the session's."""
    assert said(prompt("Fix it"), by("a1", prompt("Review it"), reply("It is bad.")), reply("Fixed.")) == [
        "Fix it",
        "Fixed.",
    ]


def test_what_was_said_on_a_way_gone_back_from_is_left_out() -> None:
    """A rewound prompt looks like the latest request, or like a second one, and is neither."""
    assert said(
        prompt("Start", uid="1"),
        prompt("Use SQLite", uid="2", parent="1"),
        reply("SQLite it is."),
        prompt("And cache it", uid="3", parent="2"),
        reply("Cached."),
        prompt("Use Postgres", uid="4", parent="1"),
        reply("Right."),
    ) == ["Start", "Use Postgres", "Right."]


def test_edits_on_a_way_gone_back_from_stay() -> None:
    """Going back in the conversation does not undo files."""
    events = session(
        prompt("Use SQLite", uid="2", parent="1"), edit("db.py"), prompt("Use Postgres", uid="4", parent="1")
    ).events
    assert [e.call.action.path for e in events if isinstance(e, ToolStep) and isinstance(e.call.action, Edit)] == [
        "db.py"
    ]


def test_going_back_twice_leaves_the_last_way() -> None:
    """Each new way replaces the one before it."""
    ways = [prompt(text, uid=text, parent="1") for text in ("First", "Second", "Third")]
    assert said(*ways) == ["Third"]


def test_prompts_without_parents_are_no_ways() -> None:
    """A client that does not link its lines never goes back."""
    assert said(prompt("One"), prompt("Two")) == ["One", "Two"]


def test_the_last_words_before_the_users_end_a_turn() -> None:
    """They hold most of what mattered; the talk between two calls does not."""
    assert finals(
        prompt("Why?"),
        reply("Let me look."),
        run("make test"),
        reply("It was the cache."),
        prompt("Fix it"),
        reply("I see."),
        edit("cache.py"),
        reply("Done."),
    ) == ["It was the cache.", "Done."]


def test_a_stop_and_a_compaction_end_a_turn() -> None:
    """What was said last before them was not followed by work on it."""
    assert finals(reply("Stopped here."), stop(), reply("Full."), summary("So far: x")) == ["Stopped here.", "Full."]


def test_only_the_last_block_of_a_message_ends_the_turn() -> None:
    """A message may be written as several blocks."""
    assert finals(reply("One."), reply("Two."), link("PR #3", "https://example.org/3"), prompt("Good")) == ["Two."]


def test_a_record_that_stops_in_mid_turn_has_no_last_word_there() -> None:
    """What was said before the call that never came back announces it."""
    assert finals(prompt("Fix it"), reply("Let me run it."), unanswered(run("make test"))) == []


def goes_on(call: str, process: str, text: str) -> Piece:
    return (Running(0, "", "", call, process, text),)


def looked(call: str, process: str) -> Piece:
    return (Call(0, "", "", call, "write_stdin", Poll(process)),)


def ended(call: str, text: str, code: int = 0) -> Piece:
    return (Result(0, "", "", call, "error" if code else "ok", code, text, "", (), ""),)


def begun(call: str, command: str) -> Piece:
    return (Call(0, "", "", call, "exec_command", Run(command)),)


def test_how_a_command_ended_is_told_by_a_later_look() -> None:
    """A client that waits a second for its answer would else never know of a commit or a test run how it went."""
    found = session(
        prompt("Commit it"),
        begun("a", "git commit -m 'Round up'"),
        goes_on("a", "7", "hook: lint\n"),
        begun("b", "make serve"),
        goes_on("b", "8", "listening"),
        looked("c", "7"),
        goes_on("c", "7", "hook: test\n"),
        looked("d", "7"),
        ended("d", "[main 0a1b2c3] Round up\n"),
    )
    commit, server = (event for event in found.events if isinstance(event, ToolStep))
    assert commit.done
    assert commit.result is not None
    assert commit.result.text == "hook: lint\nhook: test\n[main 0a1b2c3] Round up\n"
    assert server.result is None


def test_a_look_at_what_has_ended_changes_nothing() -> None:
    """An event of its own may have told the end before, and nobody knows whose a process from before the record is."""
    found = session(
        prompt("Test it"),
        begun("a", "make test"),
        goes_on("a", "7", ""),
        ended("a", "2 failed", 2),
        looked("b", "7"),
        ended("b", "", 0),
        looked("c", "9"),
        ended("c", "9 passed", 0),
    )
    step, other = (event for event in found.events if isinstance(event, ToolStep))
    assert (other.call.id, other.done) == ("c", True), "it may have been typed into, or begun before the record"
    assert step.failed
    assert step.result is not None
    assert step.result.text == "2 failed"


def test_who_gave_the_prompts_that_a_sub_agent_inherits() -> None:
    """Its own come from its parent, and those before from the person: they would be told as a program's."""
    first, own = prompt("Rewrite it all"), prompt("Review it")
    unattended: Piece = (Context(0, "", "", SESSION, ROOT, "main", "1.0", attended=False),)
    spawned: Piece = (Call(0, "", "", "s", "spawn_agent", Delegate("", "Review it")), Spawned(0, "", "", "s"))
    found = session(unattended, first, reply("Done."), spawned, own, reply("It is well."))
    assert [found.is_persons(event) for event in found.events if isinstance(event, Prompt)] == [True, False]


def test_a_look_that_was_stopped_ends_no_command() -> None:
    """The user broke off the waiting, and not the tests."""
    found = session(
        prompt("Test it"),
        begun("a", "make test"),
        goes_on("a", "7", ""),
        looked("b", "7"),
        (Result(0, "", "", "b", "interrupted", None, "aborted by user after 3.1s", "", (), ""),),
        looked("d", "7"),
        (Result(0, "", "", "d", "error", None, "write_stdin failed: it is busy", "", (), ""),),
        looked("c", "7"),
        ended("c", "1 failed", 1),
    )
    (step,) = (event for event in found.events if isinstance(event, ToolStep) and event.call.id == "a")
    assert step.failed


def test_what_a_program_prints_makes_no_persons_of_prompts() -> None:
    """Whoever can put a line into a file could else speak as the user."""
    unattended: Piece = (Context(0, "", "", SESSION, ROOT, "main", "1.0", attended=False),)
    printed = "You are the newly spawned agent."
    shown: Piece = (*begun("a", "cat notes.txt"), *ended("a", printed), Spawned(0, "", "", "a"))
    found = session(unattended, prompt("Review it"), shown, reply("It is well."))
    assert not any(found.is_persons(event) for event in found.events if isinstance(event, Prompt))
    (step,) = (event for event in found.events if isinstance(event, ToolStep))
    assert step.result is not None and step.result.text == printed


def test_a_plan_that_is_to_be_carried_out_is_the_request() -> None:
    """ "Implement the plan." is what a key of the client says, and the plan is what it means."""
    text = "# Add a cache\n\n1. Keep totals"
    asked = session(prompt("Plan it"), unanswered(plan(text)), prompt("Implement the plan."))
    assert [(event.source, event.text) for event in asked.events if isinstance(event, Prompt)][1:] == [("plan", text)]
    assert [one.status for one in survey(asked).plans] == ["accepted"]
    assert said(prompt("Implement the plan.")) == ["Implement the plan."]


def test_a_plan_that_begins_the_next_context_was_accepted() -> None:
    """Its dialog was left by "clear the context and go on", which the record tells as a refusal."""
    text = "# Add a cache"
    [one] = worked(prompt("Plan it"), refused(plan(text)), plan_prompt(text)).plans
    assert one.status == "accepted"
    other = worked(prompt("Plan it"), refused(plan(text), "Too slow"), plan_prompt("# Drop the cache")).plans
    assert [one.status for one in other] == ["rejected", "accepted"]


def test_a_turn_goes_on_behind_words_that_were_typed_into_it() -> None:
    """Between two calls the agent reads them, and goes on with what it was about."""
    found = session(
        prompt("Fix it"), run("make"), prompt("in cents, too"), edit("sum.py"), reply("Done."), prompt("thanks")
    )
    typed = [index for index, event in enumerate(found.events) if isinstance(event, Prompt)]
    assert [found.is_in_turn(index) for index in typed] == [False, True, False]
    stopped = session(prompt("Fix it"), run("make"), stop(), prompt("in cents"))
    assert not stopped.is_in_turn(len(stopped.events) - 1)
    assert not session(prompt("Fix it"), refused(edit("a.py")), prompt("in cents")).is_in_turn(2)
