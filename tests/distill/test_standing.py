"""What later words and work have overtaken: both in one document would contradict each other."""

from __future__ import annotations

import pytest

from tests.builders import Piece, distilled, edit, items, plan, prompt, reply, run, summary, texts

ASKED = prompt("Does the check compare addresses well?")
YES = prompt("yes, let's do this")
LAST = reply("It is done, and `make test` passed for all of the address forms that were named above.")


END = reply("It is done.")


def told(*pieces: Piece) -> str:
    return "\n".join(texts(distilled(*pieces)))


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


def test_of_one_count_the_last_is_told() -> None:
    """Eleven and fourteen cannot both be all."""
    first, last = (reply(f"The suite has {number} cases for `same_repo` in test_check.py.") for number in (11, 14))
    said = told(ASKED, first, YES, edit("test_check.py"), last)
    assert "has 14 cases" in said
    assert "has 11 cases" not in said


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


@pytest.mark.parametrize(
    "fact",
    [
        "We could not use `asyncio.run` in `server.py`, because uvloop owns the loop there.",
        "If you want HTTPS locally, set `TLS=1` in `.env.local` and then call `deploy_all` again.",
        "The `cron_table` runs at 02:00 UTC; let me know before you move it, because backups start at 02:30.",
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


def test_words_about_code_are_no_way_given_up() -> None:
    """Nobody tried anything in vain."""
    said = distilled(
        ASKED, reply("I'll roll back the transaction in `pay.py` when `charge` fails."), edit("pay.py"), LAST
    )
    assert [] == items(said, "failed")


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


def test_a_short_entry_below_a_long_one_of_a_proposal_is_no_proposal() -> None:
    """It is a detail of that, and says something else alone."""
    long = "Keep a short list of answers in the guide that says only what people ask us"
    other = "The deeper material on design stays in `docs/design.md`, where people look for it"
    offer = reply(f"I'd propose this:\n\n- {long}:\n  - smart transport only\n- {other}.")
    said = told(prompt("How would you do it?"), offer, prompt("ok do it"), edit("docs/usage.md"), END)
    assert other in said and "smart transport" not in said


def test_what_waits_until_something_is_ready_is_no_claim_that_it_is() -> None:
    """A condition outlives every edit, and a file that nobody touched is as ready as before."""
    first, other = (prompt("Move the rows"), edit("m.py")), (prompt("good, now the labels"), edit("labels.py"), LAST)
    for lasting in (
        "The job in `migrate.py` must wait until the database is ready, because `psycopg` raises otherwise.",
        "Requests to `m.py` and `labels.py` return 503 until the model weights are ready there.",
        "The workflow in `release.yml` is ready, and it builds the archives of both systems.",
    ):
        assert lasting in told(*first, reply(lasting), *other)


PENDING = """Summary:
7. Pending Tasks:
   - **tk-4.2** (in_progress): print both columns of the receipt in `receipt.py`
   - Tell the shops of `LabelPrinter`

8. Current Work:
   Still need to:
   - Write the tests in tests/test_receipt.py
   - Run `make test`
   - Commit and push

9. Optional Next Step:
   Write the tests of the receipt."""


def test_points_of_a_summary_close_with_the_work_behind_it() -> None:
    """What a commit names, a check passed and an edit made was told as to be done."""
    done = (edit("tests/test_receipt.py"), run("make test", "3 passed\n"))
    commit = run("git commit -qam 'Two columns (tk-4.2)' && git push", "[main 1234abc] Two columns (tk-4.2)")
    said = told(ASKED, edit("receipt.py"), summary(PENDING), *done, commit, reply("All of the columns are printed."))
    for closed in ("tk-4.2**", "in_progress", "Still need", "Write the tests", "Run `make", "Commit and push"):
        assert closed not in said
    state = distilled(ASKED, edit("receipt.py"), summary(PENDING), *done, commit, reply("All is printed."))
    (still_open,) = [item for item in state.items if "LabelPrinter" in item.text]
    assert still_open.kind == "step"


def test_of_what_was_open_in_the_last_report_what_was_seen_to_is_gone() -> None:
    """Points that were done since are told as missing; nobody saw to the other one."""
    done = "The shop has a cart. Every part of it was looked at, and the rest of the shop stays as it was. " * 3
    left = f"{done}\n\n## Remaining\n- the `Printer` in printer.py is a stub\n- the `Mailer` has no retry"
    state = distilled(ASKED, edit("cart.py"), reply(left), prompt("Go on"), edit("printer.py"), reply("It prints now."))
    (still_open,) = [item for item in state.items if item.label.endswith("Remaining")]
    assert (still_open.text, still_open.kind) == ("the `Mailer` has no retry", "step")
    assert still_open.label.startswith("The last report (found, ")


def test_what_later_words_say_of_all_the_same_names_replaces_it() -> None:
    """The superseded approach must not stand beside the one in force."""
    first = reply("The `SumCache` in cache.py keeps each total until the basket changes.")
    later = reply("I took `SumCache` out of cache.py again: the totals are summed up each time.")
    said = told(ASKED, edit("cache.py"), first, prompt("No, without a cache"), edit("cache.py", "y"), later)
    assert "keeps each total" not in said and "summed up each time" in said


def test_a_fault_of_an_earlier_turn_is_over_once_work_followed() -> None:
    """Seen: guesses at a cause and red counts stood among the facts long after they were mended."""
    wrong = "Three of the rows in `sum.py` are missing, my suspicion is the sort in `rows.py`."
    lasting = "The reader in `rows.py` takes the first line for the heading of its table."
    said = told(ASKED, edit("sum.py"), reply(f"{wrong}\n\n{lasting}"), YES, edit("cart.py"), LAST)
    assert wrong not in said and lasting in said
    assert wrong in told(ASKED, reply(wrong), prompt("What does it cost?"), LAST), "nobody worked on it"


def test_a_row_is_not_told_without_its_table() -> None:
    """A reader cannot know what its cells mean."""
    table = "| step | size | share |\n|---|---|---|\n| merge of `runs` | 4.4 GB | 22 % |\n"
    assert "4.4 GB" not in told(ASKED, reply(table), prompt("What does it cost?"), LAST)


def test_a_reason_outlives_the_change() -> None:
    """What was found to be so before an edit is over with it; why a way was taken is not."""
    why = "`split` takes the time itself because the interface has no clock to hand over."
    was = "`split` is called by all of the readers, and each of them logs on its own account."
    said = told(ASKED, reply("I look."), run("ls"), reply(why), reply(was), edit("a.py", "def split(): ..."), LAST)
    assert why in said and was not in said


def test_of_a_survey_stays_what_nobody_acted_on() -> None:
    """It is what the next session meets; the other points were settled."""
    points = "\n".join(f"- `read_{n}` parses the settings on its own, without the checks of `load`" for n in range(3))
    survey = reply(f"There are several ways:\n\n{points}\n- `Defaults` are set in two places of the package")
    mended = [edit(f"s{n}.py", f"def read_{n}(): return load()", f"def read_{n}(): ...") for n in range(3)]
    said = told(prompt("How are the settings read?"), survey, prompt("Make it one way for all of them"), *mended, LAST)
    assert "`Defaults` are set in two places" in said and "on its own" not in said


def test_an_earlier_report_goes_when_a_later_one_tells_of_its_subject() -> None:
    """Two versions of one report contradict each other; the reports of two subjects do not."""
    first = reply("`SumCache` in cache.py keeps the totals, and `Basket.drop` clears them.")
    later = reply("`SumCache` in cache.py is gone again: `Basket.drop` has nothing to clear, and `total` sums up.")
    asked = prompt("Is that so?")
    said = told(ASKED, edit("cache.py"), first, prompt("Make it simple"), edit("cache.py", "y"), later, asked, LAST)
    assert "keeps the totals" not in said and "is gone again" in said


def test_talk_on_the_way_gives_way_to_the_report_at_the_end() -> None:
    """What was found between two calls is told by the message that ends the turn, but for what gives a reason."""
    talk = "The `rate_table` in a corner of the shop is read three times for each of the rows."
    why = "The `tax_office` wants whole cents, because it rounds the whole bill and not its rows."
    report = reply(
        "The sums are right now. " + "Every part of the bill was looked at, and the rest stays as it was. " * 3
    )
    turn = (ASKED, run("ls"), reply(talk), reply(why), run("ls"))
    assert talk not in told(*turn, report) and why in told(*turn, report)
    assert talk in told(*turn, run("ls")), "nobody reported"
