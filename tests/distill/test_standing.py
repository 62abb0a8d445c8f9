"""What later words and work have overtaken: both in one document would contradict each other."""

from __future__ import annotations

import pytest

from clew.core.records import Reply
from tests.builders import Piece, delegate, distilled, edit, items, plan, prompt, reply, run, summary, texts

ASKED = prompt("Does the check compare addresses well?")
YES = prompt("yes, let's do this")
LAST = reply("It is done, and `make test` passed for all of the address forms that were named above.")


END = reply("It is done.")


def told(*pieces: Piece) -> str:
    return "\n".join(texts(distilled(*pieces)))


def test_an_offer_is_over_when_the_user_has_spoken() -> None:
    """It would be told as open, though it was taken up or turned down."""
    offer = reply("`same_repo` ignores the port of an address. If you want, I can patch `same_repo` to look at it.")
    said = told(ASKED, offer, YES, edit("check.py"), LAST)
    assert "`same_repo` ignores the port of an address." in said
    assert "If you want" not in said
    assert "If you want, I can patch `same_repo`" in told(ASKED, offer)


def test_what_an_agent_would_do_gives_way_to_what_it_did() -> None:
    """The user decided otherwise: the proposal would be carried out after all."""
    finding = "`README.md` overstates the atomic push of several refs."
    would = "I'd reword the atomic push answer in `README.md` to say that it can fail for single refs."
    other = "I'd also align `docs/protocol.md` with the transport, which says HTTPS only."
    review = reply(f"{finding}\n\n{would}\n\n{other}")
    remove = edit("README.md", "", "Is a push atomic?\nA single push is atomic for all refs.\n")
    said = told(prompt("Review the answers"), review, prompt("Remove the atomic push answer"), remove, LAST)
    assert "I'd reword" not in said
    assert other in said, "nobody touched this"


def test_what_a_thing_does_now_is_told_once() -> None:
    """The first of two states is false."""
    first = reply("`same_repo` now trims slashes at the end of both addresses before it compares them.")
    more = reply("`same_repo` now also logs the addresses that it took for the same repository.")
    second = reply("`same_repo` now takes both addresses apart and compares host, port and path of them.")
    said = told(ASKED, first, YES, edit("check.py"), more, prompt("and the ports"), edit("check.py", "y = 1\n"), second)
    assert "trims slashes" not in said
    assert "also logs" in said
    assert "takes both addresses apart" in said


def test_of_one_count_the_last_is_told() -> None:
    """Eleven and fourteen cannot both be all."""
    first, last = (reply(f"The suite has {number} cases for `same_repo` in test_check.py.") for number in (11, 14))
    said = told(ASKED, first, YES, edit("test_check.py"), last)
    assert "has 14 cases" in said
    assert "has 11 cases" not in said


def test_an_approach_given_up_is_a_dead_end_with_its_reason() -> None:
    """Whoever does not know it walks into it again. It begins like talk that is dropped."""
    why = "The aliases exist because local variables named `settings` shadow the package in all of these files."
    back = "Let me revert all of the changes in `setup.go` and put the aliases back."
    state = distilled(prompt("Drop the aliases"), edit("setup.go"), reply(f"{why} {back}"), edit("setup.go"), LAST)
    assert [item.text for item in items(state, "failed")] == [f"{why} {back}"]


def test_talk_that_the_last_message_takes_back_is_gone() -> None:
    """It was true until the work that followed."""
    found = reply("The `api_key` is visible in `ps` since `spawn` passes it on the command line.")
    last = reply("The `api_key` is no longer visible in `ps`: `spawn` hands it over in the environment of the child.")
    said = told(prompt("Is it safe?"), found, edit("spawn.py"), last)
    assert "no longer visible" in said
    assert "passes it on the command line" not in said


def test_a_plan_replaces_the_list_in_the_summary_before_it() -> None:
    """The list of a compaction names what the plan has settled."""
    pending = summary(
        "7. Pending Tasks:\n   - Write the plan file with tests for `same_repo`, then ask for approval.\n"
    )
    steps = plan("# Plan: Tests\n\n- Add `test_same_repo_with_ports` to test_check.py for all forms\n")
    assert "Write the plan file" in told(ASKED, pending)
    assert "Write the plan file" not in told(ASKED, pending, steps)


def test_a_check_that_passed_is_not_told_twice() -> None:
    """The list of checks proves it; the sentence only says it."""
    checked = run("make test", "ok\n")
    final = reply("Verification: `make test` passed.\n\n`same_repo` in check.py looks at the port of both addresses.")
    state = distilled(ASKED, edit("check.py"), checked, final, prompt("thanks"), LAST)
    assert [item.text for item in items(state, "validation")] == ["`make test`"]
    assert not any(item.text.startswith("Verification") for item in state.items)


def test_a_way_taken_for_a_reason_is_a_decision() -> None:
    """Between calls it looks like the state of things before the edit that follows, which is dropped."""
    chosen = (
        "`split` doesn't have a clock and is part of an interface. I'll use `time.time` since this is an edge case."
    )
    report = "The time of each part is logged now, and a part that could not be written is named in the log of `split`."
    found = "`split` doesn't have a log and is called by all of the readers, so each of them would log it."
    story = [prompt("Log the parts"), reply(chosen), reply(found), edit("split.py", "def split(): ...\n")]
    state = distilled(*story, reply(f"{report} {report.replace('part', 'piece')}"))
    assert [item.text for item in items(state, "decision")] == [chosen]
    assert found not in texts(state)


@pytest.mark.parametrize(
    "fact",
    [
        "We could not use `asyncio.run` in `server.py`, because uvloop owns the loop there.",
        "I'd never run `migrate.py` against production before `backup.sh` has finished.",
        "If you want HTTPS locally, set `TLS=1` in `.env.local` and restart `serve.py`.",
        "`cron.py` runs at 02:00 UTC; let me know before you move it, `backup.sh` starts at 02:30.",
    ],
)
def test_what_only_sounds_like_an_offer_stays(fact: str) -> None:
    """It is what the next session has to know."""
    touched = edit("server.py", "asyncio.run(main())", "uvloop.run(main())  # migrate.py production backup.sh")
    assert fact in told(ASKED, reply(f"The server is slow.\n\n{fact}"), YES, touched, LAST)


def test_a_state_does_not_go_behind_another_of_the_same_thing() -> None:
    """Both are true."""
    first = "`Config.load` now reads `TIDE_HOME` before `HOME`, so tests must set it."
    second = "`Config.load` now caches the file until it changes."
    said = told(ASKED, reply(first), YES, edit("config.py"), reply(second))
    assert first in said
    assert second in said


def test_of_two_choices_about_one_thing_the_later_stands() -> None:
    """Both would stand side by side as decisions."""
    first = reply("I'll use `redis` for the job queue because the workers share it.")
    second = reply("I'll use `sqlite` for the job queue because `redis` is not installed.")
    said = told(ASKED, first, run("redis-cli ping", "not found", exit_code=127), second, edit("queue.py"), LAST)
    assert "`sqlite` for the job queue" in said
    assert "I'll use `redis`" not in said


def test_words_about_code_are_no_way_given_up() -> None:
    """Nobody tried anything in vain."""
    said = distilled(
        ASKED, reply("I'll roll back the transaction in `pay.py` when `charge` fails."), edit("pay.py"), LAST
    )
    assert [] == items(said, "failed")


def test_what_was_said_of_a_thing_that_was_deleted_is_gone() -> None:
    """Some records tell of edits without their texts: only the report says what is no more."""
    found = reply("`print_all` walks over all sessions and writes each of them to the terminal with its header.")
    other = "`sync_one` finds a session by its id and hands it on to the writer of files."
    last = reply("Deleted: `print_all` (107 lines). The `header` flag is gone.")
    flag = reply("The writer takes `header` so that only the first of several sessions gets one.")
    said = told(ASKED, found, prompt("and the rest?"), reply(other), prompt("why?"), flag, YES, edit("main.py"), last)
    assert "walks over all sessions" not in said
    assert "only the first of several" not in said
    assert other in said
    assert "Deleted: `print_all`" in said


def test_a_line_of_a_plan_is_not_told_beside_its_report() -> None:
    """It says what was to be done of what was done."""
    steps = plan(
        "# Plan: Buffer\n\n- A `pending` map in `Collector` keeps the figures until they are written\n"
        "- When the disk is full `Collector` falls back to the figures of the day before\n"
    )
    last = reply("`Collector` has a `pending` map now, which keeps the figures until `flush` has written them.")
    said = told(prompt("Write once"), steps, edit("collector.py"), last)
    assert "A `pending` map in `Collector`" not in said
    assert "When the disk is full" in said


def test_what_was_wrong_before_an_edit_is_told_as_earlier() -> None:
    """In the present tense it would send the next session to mend it again."""
    issue = "The issue is that `total` rounds each of the lines and not the sum of all of them."
    review = "- ⚠️ `tax` reads the rates again for each line of the bill.\n- ✅ `open` closes the file in every case."
    pieces = (prompt("Review the sum"), reply(review), prompt("mend it"), reply(issue))
    state = distilled(*pieces, edit("sum.py"), reply("`total` rounds once, and the rates are read once for each bill."))
    status = {item.text: item.status for item in state.items}
    assert status[issue] == "earlier"
    assert status["⚠️ `tax` reads the rates again for each line of the bill."] == "earlier"
    assert {item.status for item in distilled(*pieces).items if item.text == issue} == {""}


def test_an_answer_of_before_an_edit_is_told_as_earlier() -> None:
    """What it says of the code may be gone with the edit; what was done and why stays so."""
    answer = reply("`sync_one` passes `header` on to the writer, which writes it above each of the sessions.")
    found = delegate("Survey", "`old_loop` in tides.py is a copy of the loop, with a limit and a pause of its own.")
    why = reply("I use one loop for both because the limit is the same for all of the sessions there are.")
    did = reply("`sync_one` and `sync_all` share a loop, and the limit is given to it by the callers of both.")
    last = reply("The writer is told where to write by the new `out` option of `sync_one`.")
    state = distilled(
        *(prompt("What is `header` for?"), answer, prompt("Share the loop"), found, why, edit("sync.py"), did),
        *(prompt("And the writer?"), edit("writer.py"), last),
    )
    told = {event.text: "" for event in (answer[0], why[0], did[0], last[0]) if isinstance(event, Reply)}
    told |= {item.text: item.status for item in state.items}
    assert [told[event.text] for event in (answer[0], why[0], did[0], last[0])] == ["earlier", "", "", ""]
    assert {item.status for item in state.items if item.text.startswith("`old_loop` in tides.py")} == {"earlier"}


def test_what_waited_for_a_commit_is_over_with_it() -> None:
    """Given a session that only commits, what it saw before is not how the tree is now."""
    seen = reply("You have new untracked files in `till/` that need to be staged and committed before pushing them.")
    committed = run("git add -A && git commit -m x", "[main 1234567] x")
    assert "to be staged" in told(prompt("push it"), seen, END)
    assert "to be staged" not in told(prompt("push it"), seen, committed, END)


def test_a_short_entry_below_a_long_one_of_a_proposal_is_no_proposal() -> None:
    """It is a detail of that, and says something else alone."""
    long = "Keep a short list of answers in the guide that says only what people ask us"
    other = "The deeper material on design stays in `docs/design.md`, where people look for it"
    offer = reply(f"I'd propose this:\n\n- {long}:\n  - smart transport only\n- {other}.")
    said = told(prompt("How would you do it?"), offer, prompt("ok do it"), edit("docs/usage.md"), END)
    assert other in said and "smart transport" not in said


def test_a_command_alone_is_no_fact() -> None:
    """Nobody says what it is for, nor what came of it."""
    shown = reply("I run it.\n\n```bash\nsource .venv/bin/activate\n```")
    assert "activate" not in told(prompt("Set it up"), shown, run("pip install -e ."), END)


def test_what_was_called_ready_is_not_once_it_was_edited_again() -> None:
    """The user's next words were that it failed."""
    ready = reply("The release workflow in `release.yml` is ready. The folder `dist/` has the archives of the trial.")
    pieces = (prompt("Release from here"), edit("release.yml"), ready, prompt("It failed in the first step"))
    assert "is ready" not in told(*pieces, edit("release.yml", "y = 1\n"), LAST)
    assert "is ready" in told(*pieces, LAST), "nobody touched it"


def test_what_waits_until_something_is_ready_is_no_claim_that_it_is() -> None:
    """A condition outlives every edit, and a file that nobody touched is as ready as before."""
    first, other = (prompt("Move the rows"), edit("m.py")), (prompt("good, now the labels"), edit("labels.py"), LAST)
    for lasting in (
        "The job in `migrate.py` must wait until the database is ready, because `psycopg` raises otherwise.",
        "Requests to `m.py` and `labels.py` return 503 until the model weights are ready there.",
        "The workflow in `release.yml` is ready, and it builds the archives of both systems.",
    ):
        assert lasting in told(*first, reply(lasting), *other)
