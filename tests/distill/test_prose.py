"""What of a session's prose may be quoted."""

from __future__ import annotations

from clew.core.state.items import Item, State
from tests.builders import (
    ROOT,
    Piece,
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


def holding(state: State, text: str) -> list[Item]:
    return [item for item in state.items if text in item.text]


def told(*pieces: Piece) -> str:
    """All that the state says."""
    return "\n".join(texts(distilled(*pieces)))


PLAN = "# Add a cache\n\n## Approach\n- Keep totals in `SumCache` in cache.py\n- Drop them when the basket changes"

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


def test_an_entry_with_entries_below_it_is_their_heading() -> None:
    """ "Added the import" says nothing without the file that stands above it."""
    nested = "Changes:\n- `mailer.py`:\n  - Added the `smtp` import\n- `printer.py`:\n  - Dropped the `spool` folder"
    state = distilled(prompt("Go"), edit("mailer.py"), reply(nested))
    assert [("`mailer.py`", "smtp"), ("`printer.py`", "spool")] == [
        (item.label, word) for word in ("smtp", "spool") for item in holding(state, word)
    ]


def test_a_plan_still_to_be_carried_out_is_planned() -> None:
    """It is what the next session does, and it ranks with the last words."""
    for accepted in ([prompt("Make it fast"), plan(PLAN)], [plan_prompt(PLAN)]):
        (item,) = holding(distilled(*accepted), "Drop them when the basket changes")
        assert (item.kind, item.provenance) == ("note", "agent")
        assert item.label.startswith("The plan, not carried out (found, ")


def test_a_plan_that_was_carried_out_is_no_plan() -> None:
    """It would be done a second time."""
    state = distilled(plan_prompt(PLAN), edit("cache.py"), reply("Totals are kept until the basket changes."))
    assert not any("not carried out" in item.label for item in state.items)


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
    assert [item.kind for item in holding(state, "in one pass")] == ["note"]
    assert "note" not in [item.kind for item in holding(state, "SumCache")]


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


def test_the_clients_summary_is_heard() -> None:
    """What a compaction dropped."""
    said = told(summary("## Pending Tasks\n- Round once in `total` at the end"), prompt("Go on with it then"))
    assert "Round once in `total` at the end" in said


def test_a_record_that_stops_in_mid_turn_asks_nothing() -> None:
    """The agent went on after its question."""
    state = distilled(
        prompt("Fix it"), reply("Should I keep `total`? I keep it for now."), unanswered(run("make test"))
    )
    assert items(state, "question") == []


def test_a_later_summary_tells_what_those_before_it_told() -> None:
    """In other words, so that everything would be told twice."""
    later = SUMMARY.replace("a float was passed; convert it with", "since floats were passed, they are converted by")
    state = distilled(prompt("Add price()"), summary(SUMMARY), reply("Going on."), summary(later), reply("It is done."))
    assert 1 == len(holding(state, "Decimal(str(x))"))


def test_what_clew_asks_an_agent_to_say_at_a_start_is_no_finding() -> None:
    """It repeats the payload: told as found here it would be handed on for ever."""
    said = "I picked up the cart: the rounding in `total` is open, and there is a risk of a race in `pay.py`."
    state = distilled(prompt("go on with it"), reply(said), edit("cart.py"), reply("The `total` rounds once now."))
    assert not any("race in" in text for text in texts(state))
    alone = distilled(prompt("hi"), reply(f"{said}\n\nThe tests of `cart.py` are slow since the file is large."))
    assert not any("race in" in text for text in texts(alone))
    assert any("are slow" in text for text in texts(alone))


def test_names_without_a_statement_are_no_sentence() -> None:
    """A list of files with their sizes took the room of what was found out."""
    sizes = "\n".join(f"- `part_{n}.tsx` ({n}.1 KB)" for n in range(5))
    said = told(
        prompt("Survey it"), run("ls"), reply(f"Files found:\n\n{sizes}"), prompt("and the cart?"), reply("No.")
    )
    assert "part_1" not in said


def test_what_a_message_ends_with_is_whole() -> None:
    """A colon that leads to code which is left out dangles."""
    code = "x = 1\n" * 9
    said = told(prompt("How do I run it?"), reply(f"The `server.py` reads the port. Run this:\n\n```\n{code}```"))
    assert "The `server.py` reads the port." in said
    assert "Run this" not in said
