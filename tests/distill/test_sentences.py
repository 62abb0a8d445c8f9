"""Which of the agent's sentences stand, and which a later one took back."""

from __future__ import annotations

import json

import pytest

from clew.core.items import FILL_RANK, Item, State
from tests.builders import (
    ROOT,
    Piece,
    ask,
    delegate,
    distilled,
    edit,
    items,
    plan,
    plan_prompt,
    prompt,
    refused,
    reply,
    run,
    summary,
    texts,
    unanswered,
)


def place_of(state: State, text: str) -> int:
    """How many items come before the one that holds `text`."""
    ordered = sorted(state.items, key=lambda item: item.rank)
    return next(index for index, item in enumerate(ordered) if text in item.text)


def holding(state: State, text: str) -> list[Item]:
    return [item for item in state.items if text in item.text]


def told(*pieces: Piece) -> str:
    """All that the state says."""
    return "\n".join(texts(distilled(*pieces)))


def test_announcements_and_cheers_are_dropped() -> None:
    """They tell the next session to do what is done."""
    said = told(
        prompt("Why is the sum wrong?"),
        reply("Let me look at the parser now."),
        run("make test"),
        reply("All tests pass! `total` rounds twice because `tax` rounds too. Now let me update the docs."),
    )
    assert "`total` rounds twice because `tax` rounds too." in said
    assert "Let me look" not in said
    assert "update the docs" not in said


def test_cheers_of_the_last_message_only_fill() -> None:
    """Where there is room the whole of it is told; where not, a cheer costs the place of a fact."""
    state = distilled(
        prompt("Why is the sum wrong?"),
        reply("All tests pass. The sum is wrong for `halves` only."),
        prompt("And the tax?"),
        reply("All tests are green now. `total` rounds twice because `tax` rounds too."),
    )
    assert [item.rank >= FILL_RANK for item in holding(state, "green")] == [True]
    assert "All tests pass." not in "\n".join(texts(state))


def test_done_in_front_of_what_was_done_says_nothing() -> None:
    """And neither does a number whose entry is told elsewhere."""
    said = texts(distilled(prompt("Fix it"), edit("sum.py"), reply("Done.\n\n3\\.\n\nThe sum in `sum.py` is right.")))
    assert "Done." not in said and not any(text.startswith("3") for text in said)
    assert "Done." in texts(distilled(prompt("Fix it"), edit("sum.py"), reply("Done."))), "it is all that was said"


def test_what_an_agent_is_about_to_do_is_dropped_in_the_present_tense_too() -> None:
    """Codex announces so, before every call."""
    said = told(
        prompt("Why is the sum wrong?"),
        reply("I'm reading the parser in parse.py first. Next I'm checking `total` in the tests."),
        run("make test"),
        reply("I'm keeping `total` as it is rather than rounding it twice, since the tax office rounds the bill."),
    )
    assert "I'm reading" not in said
    assert "I'm checking" not in said
    assert "I'm keeping `total` as it is" in said


def test_the_rest_of_a_point_in_a_pasted_review_is_not_quoted_alone() -> None:
    """Behind the heading of the list it would be told of whichever point the reader thinks of."""
    many = "\n".join(f"{number}. Low: nothing is wrong with `part_{number}` but its name." for number in range(1, 12))
    point = (
        "12. High: `tax_of` is called twice for each row, which is slow and right, but only as far as anybody can tell."
    )
    rest = (
        "I saw for the bill of May in `bills/may.json` that it is off by three, and for those of June and July as well."
    )
    state = distilled(prompt(f"Look at these:\n\n{many}\n{point} {rest}"), reply("I read all of them."))
    said = texts(state, "finding")
    assert any("`tax_of` is called twice" in text for text in said)
    assert not any("bill of May" in text for text in said)


def test_a_step_that_begins_is_no_fact() -> None:
    """It is done by the end; as a proposal in the last message it is what comes next."""
    step = "Step 2: Add batches to `Collector`, which writes each of the figures alone."
    assert step not in told(prompt("Carry it out"), reply(step), edit("collector.py"), reply("It writes once."))
    assert "Add batches to `Collector`" in told(prompt("What would you do?"), reply(step))


def test_what_the_goal_says_is_not_said_again() -> None:
    """The first lines of a plan are its goal: twice told they take the room of two facts."""
    lead = "Every append to `Ledger` opens the file anew, which costs more than the write itself."
    state = distilled(
        plan_prompt(f"# Keep the file open\n\n## Context\n\n{lead}\n"), edit("ledger.py"), reply("Kept open.")
    )
    assert [item.kind for item in holding(state, lead)] == ["goal"]


def test_the_root_itself_stays_in_commands() -> None:
    """Without it `cd` goes home, and a mount is of nothing."""
    said = " ".join(
        texts(distilled(prompt("How do I run it?"), reply(f"Run `cd {ROOT}/ && make serve` in another shell.")))
    )
    assert f"cd {ROOT}/ && make serve" in said


def test_paths_are_told_from_the_root_on() -> None:
    """The head of a document names the root once; in each line it costs the room of a fact."""
    said = told(
        prompt("Why?"),
        reply(
            f"The rounding is wrong in [{ROOT}/src/sum.py]( {ROOT}/src/sum.py:7), see /mnt{ROOT}/src/sum.py as well."
        ),
    )
    assert "wrong in src/sum.py:7, see /mnt/home/ada/shop/src/sum.py as well" in said


def test_what_only_a_client_draws_is_no_sentence() -> None:
    """Directives of the Codex app would take the room of a fact."""
    said = told(prompt("Commit it"), reply(f'The sum.py fix is committed on main.\n\n::git-commit{{cwd="{ROOT}"}}'))
    assert "The sum.py fix is committed on main." in said
    assert "::" not in said


def test_an_answer_in_json_is_read() -> None:
    """A review by Codex is one: its findings are what the next session is for."""
    review = {
        "findings": [
            {
                "title": "Round the sum once",
                "body": "`total` rounds each row, so the bill is off by a cent.",
                "priority": 1,
                "code_location": {"absolute_file_path": f"{ROOT}/sum.py", "line_range": {"start": 7, "end": 9}},
            }
        ],
        "overall_correctness": "patch is incorrect",
    }
    said = told(prompt("Review it"), reply(json.dumps(review)))
    assert "Round the sum once: `total` rounds each row, so the bill is off by a cent. (sum.py:7)" in said
    assert "findings" not in said


def test_what_ends_a_turn_comes_before_talk_in_between() -> None:
    """Turn-final messages carry most of what mattered."""
    state = distilled(
        prompt("Why is the sum wrong?"),
        reply("The `Basket` class in basket.py holds all the items."),
        run("make test"),
        reply("The `round` call in total.py is wrong for halves."),
        prompt("And the tax?"),
        reply("The tax table in rates.py is from last year."),
    )
    assert place_of(state, "rates.py") < place_of(state, "total.py") < place_of(state, "basket.py")


def test_advice_that_the_next_message_takes_back_falls() -> None:
    """ "Dead code, safe to delete" was told as a fact, two turns after it broke the build."""
    rows = "The rows of an order that is not paid yet are held by the list in basket.py until somebody pays it."
    advice = reply(f"`legacy_sum` in old.py is dead code and safe to delete.\n\n{rows}")
    back = reply("It turns out that the importer needs it, so the import path broke. I restored it.")
    stands = distilled(
        prompt("What is unused?"), advice, prompt("Delete it"), reply("The importer is untouched by it.")
    )
    falls = distilled(prompt("What is unused?"), advice, prompt("Delete it"), edit("old.py"), back)
    assert place_of(stands, "safe to delete") < place_of(stands, "basket.py")
    assert not any("safe to delete" in item.text for item in falls.items)


def test_a_statement_about_names_that_are_reverted_later_falls() -> None:
    """The superseded approach must not stand beside the one in force."""
    pieces = [
        prompt("Cache the sum"),
        reply("The `SumCache` in cache.py keeps each total.\n\nThe `Basket` in basket.py stays as it is."),
        prompt("No, without a cache"),
    ]
    falls = distilled(*pieces, reply("I reverted cache.py: there is no `SumCache` any more."), prompt("ok"))
    assert place_of(falls, "keeps each total") > place_of(falls, "stays as it is")


def test_talk_of_a_failing_check_that_passed_in_the_end_falls() -> None:
    """Reporting failures that were fixed is the most common false line."""
    talk = reply("The test for `halves` fails in the parser package.\n\nThe `Basket` in basket.py holds the cart rows.")
    pieces = [prompt("Fix it"), talk, prompt("Go on with it then")]
    mended = distilled(*pieces, edit("sum.py"), run("make test", "ok"), reply("The rounding is done once, at the end."))
    assert place_of(mended, "holds the cart rows") < place_of(mended, "test for `halves` fails")


def test_talk_that_led_to_a_refused_call_is_not_quoted() -> None:
    """What it announces will not be done."""
    said = told(
        prompt("Fix the sum"),
        reply("The cleanest way is to move `total` into a new service because it is shared."),
        refused(edit("service.py"), "No services."),
        reply("The sum is fixed in place in basket.py."),
    )
    assert "new service" not in said
    assert "fixed in place" in said


def test_only_the_last_list_of_open_points_counts() -> None:
    """Points that were done since are told as missing."""
    state = distilled(
        prompt("Write a shop"),
        reply("The shop has a basket.py now.\n\n## Remaining\n- the `Printer` in printer.py is a stub"),
        prompt("Go on with the printer"),
        edit("printer.py"),
        reply("The printer works.\n\n## Remaining\n- the `Mailer` in mailer.py is a stub"),
    )
    assert place_of(state, "mailer.py is a stub") < place_of(state, "basket.py now")
    assert place_of(state, "basket.py now") < place_of(state, "printer.py is a stub")


def test_an_entry_of_a_list_knows_its_heading() -> None:
    """Torn from "Remaining", what is still to be done reads like what was found."""
    remaining = "## Remaining\n- the `Mailer` in mailer.py is a stub\n- the `Printer` in printer.py is a stub"
    found = holding(distilled(prompt("Go"), reply(remaining)), "stub")
    assert ["Remaining", "Remaining"] == [item.label for item in found]


def test_an_entry_with_entries_below_it_is_their_heading() -> None:
    """ "Added the import" says nothing without the file that stands above it."""
    nested = "Changes:\n- `mailer.py`:\n  - Added the `smtp` import\n- `printer.py`:\n  - Dropped the `spool` folder"
    state = distilled(prompt("Go"), edit("mailer.py"), reply(nested))
    assert [("`mailer.py`", "smtp"), ("`printer.py`", "spool")] == [
        (item.label, word) for word in ("smtp", "spool") for item in holding(state, word)
    ]


PLAN = "# Add a cache\n\n## Approach\n- Keep totals in `SumCache` in cache.py\n- Drop them when the basket changes"


def test_a_plan_still_to_be_carried_out_is_planned() -> None:
    """It is what the next session does, and it ranks with the last words."""
    for accepted in ([prompt("Make it fast"), plan(PLAN)], [plan_prompt(PLAN)]):
        (item,) = [
            item for item in holding(distilled(*accepted), "Keep totals in `SumCache`") if item.kind == "decision"
        ]
        assert (item.status, item.provenance) == ("planned", "agent")


def test_a_plan_that_was_carried_out_is_no_plan() -> None:
    """It would be done a second time."""
    state = distilled(plan_prompt(PLAN), edit("cache.py"), reply("Totals are kept until the basket changes."))
    assert [item for item in state.items if item.status == "planned"] == []


def test_a_refused_plan_decides_nothing() -> None:
    """Its steps are what the user did not want; told as decisions they are done after all."""
    state = distilled(prompt("Make it fast"), refused(plan(PLAN), "No cache."), reply("Then I make the loop faster."))
    assert [(item.kind, item.status) for item in holding(state, "Keep totals") if item.kind != "failed"] == []


def test_of_two_plans_the_later_is_in_force() -> None:
    """An accepted plan replaces a refused one."""
    state = distilled(
        prompt("Make it fast"),
        refused(plan(PLAN), "No cache."),
        plan("# Faster loop\n\n- Sum the rows in one pass in basket.py"),
    )
    assert [item.status for item in holding(state, "in one pass")] == ["planned"]
    assert "planned" not in [item.status for item in holding(state, "SumCache")]


def test_reasons_in_code_comments_are_found() -> None:
    """They often stand nowhere else; comments that say what the code does are not worth a line."""
    added = (
        "# Rounded once at the end, because the tax office\n# rounds the whole bill and not its rows.\n"
        "total = round(total, 2)\n# Add up the rows and give back the total of them all\nx = 1\n"
    )
    said = told(prompt("Fix it"), edit("sum.py", added), reply("It is fixed."))
    assert "sum.py: Rounded once at the end, because the tax office rounds the whole bill and not its rows." in said
    assert "Add up the rows" not in said


def test_the_body_of_a_commit_message_is_found() -> None:
    """The best prose about the work; without its trailers."""
    message = "Fix the sum\n\nThe tax was rounded twice in `total`.\n\nCo-Authored-By: A <a@example.org>"
    said = told(prompt("Fix it"), run(f"git commit -q -F - <<'EOF'\n{message}\nEOF"), reply("It is fixed now."))
    assert "The tax was rounded twice in `total`." in said
    assert "Co-Authored-By" not in said


def test_a_failed_commit_says_nothing() -> None:
    """The hook refused it."""
    command = 'git commit -m "Fix the sum\n\nThe tax was rounded twice in `total`."'
    assert "rounded twice" not in told(
        prompt("Fix it"), run(command, "hook failed", exit_code=1), reply("It is broken.")
    )


def test_a_sub_agents_answer_is_heard() -> None:
    """The investigation's conclusion may stand only there."""
    said = told(prompt("Why?"), delegate("Find it", "The `tax` function in rates.py rounds too early."), reply("See."))
    assert "The `tax` function in rates.py rounds too early." in said


def test_what_a_sub_agent_found_gives_way_to_checks_once_it_was_used() -> None:
    """A survey of the code would take the room of the check that tells how the work can be proved."""
    found = delegate("Survey", "`chunk_index` in chunks.py takes the number behind the last dot of a name.")
    checks = [run("go test ./chunks -run Index"), run("go test ./chunks"), run("go test ./...")]
    before, after = (
        distilled(prompt("Test the chunks"), *pieces)
        for pieces in ((found, edit("chunks_test.go"), *checks), (edit("chunks_test.go"), *checks, found))
    )
    assert place_of(before, "go test ./chunks -run Index") < place_of(before, "`chunk_index`")
    assert place_of(after, "`chunk_index`") < place_of(after, "go test ./chunks -run Index")


def test_a_request_of_its_own_takes_no_proposal_up() -> None:
    """All points of a review that nobody agreed to would be told as planned."""
    review = reply("I would suggest to split `open` in two, because it reads `ports.toml` twice for every caller.")
    own = prompt("Let's allow both of the options together, the two do no harm to each other at all")
    for answer, status in ((prompt("let's do it"), "was planned"), (own, "proposed")):
        state = distilled(prompt("Review it"), review, answer, edit("open.py"), reply("Both options may be given."))
        assert [item.status for item in holding(state, "split `open` in two")] in ([status], [])


def test_the_clients_summary_is_heard() -> None:
    """What a compaction dropped."""
    said = told(summary("## Pending Tasks\n- Round once in `total` at the end"), prompt("Go on with it then"))
    assert "Round once in `total` at the end" in said


def test_the_questions_at_the_end_are_questions() -> None:
    """ "Shall I push?" is what the user has to answer; in the middle of the session it was answered."""
    state = distilled(
        prompt("Fix it"), reply("The sum is right now.\n\nDo you want me to push the branch `fix/sum` to origin?")
    )
    assert any("push the branch" in text for text in texts(state, "question"))
    moved_on = distilled(
        prompt("Fix it"),
        reply("Do you want me to push the branch `fix/sum` to origin?"),
        prompt("Write the docs"),
        reply("Ok then."),
    )
    assert items(moved_on, "question") == []


def test_a_record_that_stops_in_mid_turn_asks_nothing() -> None:
    """The agent went on after its question."""
    state = distilled(
        prompt("Fix it"), reply("Should I keep `total`? I keep it for now."), unanswered(run("make test"))
    )
    assert items(state, "question") == []


SUMMARY = """1. Primary Request and Intent:
   Add a price() function to the shop that rounds half up.

4. Errors and fixes:
   - TypeError in `quantize()`: a float was passed; convert it with `Decimal(str(x))`.

7. Pending Tasks:
   - Write the changelog entry for `price()`

8. **Current Work**:
   I was editing `shop/price.py` to add the currency to `price()`.

9. Optional Next Step:
   Raise `VERSION` in `setup.cfg` and run the tests.
"""


def test_the_parts_of_a_summary_are_no_part_of_its_sentences() -> None:
    """Their headings would be told as facts; and what the user asked for is on record in his own words."""
    said = told(prompt("Add price()"), edit("shop/price.py"), summary(SUMMARY), unanswered(run("pytest")))
    assert "convert it with" in said and "I was editing" in said and "setup.cfg" in said
    assert not any(words in said for words in ("Errors and fixes", "Current Work", "Next Step", "to the shop"))


def test_where_the_work_stood_at_a_compaction_is_about_that_moment() -> None:
    """As a fact it would be told in every later session; and what was next then was done in the turn that followed."""
    state = distilled(
        prompt("Add price()"), edit("shop/price.py"), summary(SUMMARY), reply("The currency is in, done.")
    )
    kinds = {item.kind for words in ("I was editing", "changelog") for item in holding(state, words)}
    assert {"step"} == kinds and [] == holding(state, "run the tests")
    assert "Pending Tasks" == holding(state, "changelog")[0].label


def test_a_later_summary_tells_what_those_before_it_told() -> None:
    """In other words, so that everything would be told twice."""
    later = SUMMARY.replace("a float was passed; convert it with", "since floats were passed, they are converted by")
    state = distilled(prompt("Add price()"), summary(SUMMARY), reply("Going on."), summary(later), reply("It is done."))
    assert 1 == len(holding(state, "Decimal(str(x))"))


def test_a_message_that_begins_with_a_suggestion_only_proposes() -> None:
    """Told as how things were, the next session takes for done what nobody may have taken up."""
    said = reply(
        "My suggestion: keep the readme short.\n\n- One table of the modes in `docs/modes.md` and of what each costs."
    )
    pieces = (prompt("What is your suggestion?"), said, prompt("The readme is too long"), edit("README.md"))
    state = distilled(*pieces, reply("The readme has 80 lines now."))
    assert [item.status for item in state.items if "One table" in item.text] == ["proposed"]


def test_what_a_plan_says_of_the_present_is_how_things_were() -> None:
    """It would be told as what is to be, though the work that followed changed it."""
    text = (
        "# Round up\n\n## Findings\n\n- `Till.total` reads the rate from the file itself.\n\n## Steps\n\n1. Use `rate`."
    )
    state = distilled(prompt("Round up"), plan(text), edit("till.py"), reply("All sums are rounded up."))
    assert [item.status for item in state.items if "reads the rate" in item.text] == ["earlier"]


def test_what_a_list_puts_forward_is_proposed() -> None:
    """Seen: two ways to build that nobody had taken up, told as how it is built."""
    could = reply("`go.work` does not reach CI. So you could:\n\n- Build `cmd/tide` without `provenance` by default.")
    asked = (prompt("Mend the build"), could, prompt("Why is the module private at all?"), reply("I do not know that."))
    (item,) = holding(distilled(*asked), "by default")
    assert item.status == "proposed"
    shown = reply("Here's what I'd propose.\n\n- The line of `watch` has the local time only, and no date at all.")
    drawn = (
        prompt("Nicer output"),
        shown,
        ask("How does it look?", ("Good", "Other"), "five signs"),
        reply("I see, so with five signs."),
    )
    (item,) = holding(distilled(*drawn), "local time only")
    assert item.status == "proposed"


def test_errors_that_a_summary_tells_of_were_mended() -> None:
    """Its next sentence says how, and may have no room."""
    errors = summary(
        "4. Errors and fixes:\n   - Test failure in `resume_test.go`: it sets no `AgentType` in the context."
    )
    (item,) = holding(distilled(prompt("Mend it"), errors, prompt("Go on with it then")), "sets no `AgentType`")
    assert item.status == "earlier"


@pytest.mark.parametrize(
    "found",
    [
        "Both tests skip without a word when `fixtures.db` is missing on the machine.",
        "The lock in what should be a read of `fixtures.db` might be causing the tests to wait for each other.",
        "Three places read the `fixtures` option by themselves, each with a default of its own.",
    ],
)
def test_what_a_proposal_is_based_on_is_no_plan(found: str) -> None:
    """How things are found to be would be told as what is to be done: the opposite of it, mostly."""
    plan_ = "I would suggest to let `load` raise where `fixtures.db` is missing on the machine."
    pieces = (prompt("Look at the tests"), reply(f"{found}\n\n{plan_}"), prompt("go ahead"), edit("load.py"))
    state = distilled(*pieces, reply("`load` raises now, with the name of the file that it looked for."))
    told = {item.text: (item.kind, item.status) for item in state.items}
    assert told[found] == ("finding", "earlier")
    assert told.get(plan_, ("decision", "was planned")) == ("decision", "was planned")


def test_a_question_about_a_proposal_is_no_answer_to_it() -> None:
    """Given a proposal, a question about it, then a yes, when files were edited, then it is a plan that was followed,
    whose steps the report tells; where nobody said yes, or other work came first, it is only proposed.
    """
    point = "Move the examples of `till.toml` out of the readme into `docs/till.md`, word for word."
    asks, yes = prompt("and you don't drop any of them, is that your plan?"), prompt("ok do it")
    proposal = reply(f"I'd split it like this, which could be done in one go:\n\n- {point}\n- Keep the rest.")
    again = reply("Yes, exactly. My plan would be to move them all and to drop none of them.")
    first, done = prompt("What about the readme?"), reply("Both files are there.")
    for pieces, told in (
        ((proposal, asks, again, yes, edit("docs/till.md")), []),
        ((proposal, asks, edit("till.py"), again, yes, edit("docs/till.md")), ["proposed"]),
        ((proposal, prompt("Rename `till` instead"), edit("till.py")), ["proposed"]),
    ):
        state = distilled(first, *pieces, done)
        assert [item.status for item in holding(state, point)] == told


def test_a_number_of_files_that_tools_do_not_bear_out_is_not_told() -> None:
    """An agent counts as it remembers."""
    said = "All the changes of the plan are made in `till` and `labels` across {} files."
    for number, is_told in ((2, True), (7, False)):
        state = distilled(prompt("Go"), edit("till.py"), edit("labels.py"), reply(said.format(number)))
        assert any(" across " in item.text for item in state.items) == is_told
