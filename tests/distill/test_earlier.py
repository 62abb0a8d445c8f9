"""What was so before something that came later is told as earlier: unmarked, the next session would believe it."""

from __future__ import annotations

import pytest

from tests.builders import Piece, delegate, distilled, edit, prompt, read, reply, texts, thought

ASKED = prompt("Why does the till round wrong?")
AGAIN = prompt("And now mend the labels of the receipts as well")
LAST = reply("The labels on `receipt.py` are printed in the order in which the rows were scanned.")


def status_of(text: str, *pieces: Piece) -> str:
    (found,) = [item for item in distilled(*pieces).items if text in item.text]
    return found.status


def test_how_the_code_was_before_an_edit() -> None:
    """The edit may have mended just that."""
    found = reply("The till in `till.py` rounds every price down before it adds them all up.")
    assert status_of("rounds every price", ASKED, found, AGAIN, edit("till.py"), LAST) == "earlier"
    assert status_of("rounds every price", ASKED, edit("till.py"), found, AGAIN) == ""


@pytest.mark.parametrize(
    "failure",
    ["The release failed after the build of all targets on the server", "✖ pkg/till is what has to be seen to"],
)
def test_a_failure_in_a_paste_is_one_of_then(failure: str) -> None:
    """Seen: the count of failed tests with which a session began stood at its end as a fact."""
    steps = [
        f"Step {number} of the long report tells which of them was taken by `server{number}`." for number in range(12)
    ]
    report = prompt("\n\n".join([*steps[:9], failure, *steps[9:]]))
    pieces = (prompt("Mend the till"), reply("It rounds down."), report, AGAIN)
    assert status_of(failure, *pieces, edit("till.py"), LAST) == "earlier"
    assert status_of("`server8`", *pieces, edit("till.py"), LAST) == ""
    assert status_of(failure, *pieces, LAST) == ""


def test_a_file_that_nobody_edited_since_is_as_it_was() -> None:
    """A mark on everything says nothing."""
    found = reply("The table in `rates.py` has one rate for each of the countries that we sell to.")
    pieces = (ASKED, read("rates.py"), found, AGAIN)
    assert status_of("one rate for each", *pieces, edit("till.py"), LAST) == ""
    assert status_of("one rate for each", *pieces, edit("rates.py"), LAST) == "earlier"


def test_what_was_foretold_of_a_draft_is_told_as_of_then() -> None:
    """Seen: the draft came, the user threw out half of it, and it still "will" have all; its model was never edited."""
    foretold = reply("The draft will follow `rates.md` and have tables of trust and of coverage for each country.")
    pieces = (ASKED, read("rates.md"), foretold)
    assert status_of("tables of trust", *pieces, edit("summary.md"), LAST) == "earlier"
    assert status_of("tables of trust", *pieces) == ""


def test_a_thought_before_an_edit_is_a_thought_of_then() -> None:
    """What came of it may have changed other files than the one that it names."""
    mused = thought("The guide shows one structure, but the code in `rates.py` has quite a different version of it.")
    pieces = (ASKED, read("rates.py"), mused, reply("I see what it is about."))
    assert status_of("quite a different version", *pieces) == "thought"
    assert status_of("quite a different version", *pieces, edit("guide.md"), LAST) == "earlier thought"


def test_what_was_done_stays_done_until_its_name_is_gone() -> None:
    """The report of a first version reads like that of the last one."""
    done = reply("Done in `till.py`: added `round_half_up` for the sums of a basket with several rates.")
    first = edit("till.py", "def round_half_up(x): ...\n")
    other = edit("till.py", "def labels(): ...\n")
    gone = edit("till.py", "from decimal import ROUND_HALF_EVEN\n", "def round_half_up(x): ...\n")
    assert status_of("added `round_half_up`", ASKED, first, done, AGAIN, other, LAST) == ""
    later = distilled(ASKED, first, done, AGAIN, gone, LAST)
    assert all(item.status == "earlier" for item in later.items if "added `round_half_up`" in item.text)


def test_the_report_of_a_file_that_was_written_anew_is_of_its_first_form() -> None:
    """Its points need not name anything that the new form lacks."""
    report = reply(
        "I wrote `guide.md`. It has these parts:\n\n- A matrix of all seven challenges and each norm in `guide.md`."
    )
    anew = edit("guide.md", "# Guide, by the one challenge\n" + "- A line.\n" * 30)
    pieces = (ASKED, edit("guide.md", "# Guide\n"), report, AGAIN)
    assert status_of("all seven challenges", *pieces, anew, LAST) == "earlier"
    assert status_of("all seven challenges", *pieces, edit("till.py"), LAST) == ""


def test_what_a_report_leaves_undone_may_be_done_by_now() -> None:
    """Its other entries say what was done; of these each one is marked."""
    report = reply(
        "Added `total`.\n\nStill not done:\n- redesigning the fallback of `store.py` for large tills\n- closing streams"
    )
    pieces = (ASKED, edit("till.py"), report, AGAIN, edit("labels.py"), LAST)
    assert status_of("redesigning the fallback", *pieces) == "earlier"
    assert status_of("redesigning the fallback", ASKED, edit("till.py"), report) == ""


def test_the_next_step_of_an_earlier_answer_is_not_the_next_step() -> None:
    """It would be taken although the user asked for something else since."""
    step = reply("Next step when it is reviewed: `git tag v1.2.0` and then the release notes of `CHANGES.md`.")
    assert status_of("git tag v1.2.0", ASKED, edit("till.py"), step, AGAIN, LAST) == "earlier"


def test_what_a_sub_agent_found_is_from_before_the_edits() -> None:
    """It read the code that was then changed."""
    found = delegate("Look at the till", "The helper `to_cents` rounds each of the prices of a basket on its own.")
    assert status_of("rounds each", ASKED, found, edit("till.py", "total = 0"), LAST) == "earlier"


@pytest.mark.parametrize("edited", [True, False])
def test_how_a_user_describes_things_is_from_before_the_edits(edited: bool) -> None:
    """A defect that was mended at their word would be told as one that is there."""
    asked = prompt(
        "Prices with a comma are read as whole numbers in here. Please mend the till. It has no test either."
    )
    middle = (edit("till.py"),) if edited else ()
    state = distilled(ASKED, asked, *middle, LAST, AGAIN, LAST)
    told = [item.status for item in state.items if "comma" in item.text and item.kind == "finding"]
    assert told in ([], ["earlier" if edited else ""])


def test_what_an_agent_takes_back_is_not_told() -> None:
    """Its first word stands beside the second, and nobody knows which one holds."""
    wrong = "Must fix: `Till.total` is not guarded against an empty basket when it is called by `Receipt.print`."
    back = "I was wrong about the guard: `Till.total` is called behind the check in `Receipt.print`, so it is safe."
    told = texts(
        distilled(prompt("Review it"), reply(wrong), prompt("Look at `Receipt.print` again"), reply(back), AGAIN)
    )
    assert not any("Must fix" in text for text in told)
    assert any("behind the check" in text for text in told)


def test_what_a_user_says_no_to_is_declined() -> None:
    """A proposal that was turned down reads like one that is open, and left out it is made again."""
    proposal = reply("The label has two issues: it begins with the name of the till, and `width` should be 40.")
    asked = prompt("How is the label?")
    assert (
        status_of("begins with the name", asked, proposal, prompt("na, what about the tax line?"), LAST) == "declined"
    )
    assert status_of("begins with the name", asked, proposal, prompt("and what about the tax line?"), LAST) == ""


def test_what_is_said_to_be_good_until_the_user_finds_fault_with_it() -> None:
    """The agent believed it then; who made something says that it is well."""
    praise = "The new labels look like real receipts with all that belongs on one, and they will please everybody."
    pieces = (ASKED, edit("till.py"), reply(f"Done. {praise}"))
    fault = prompt("all of the labels still look the same to me")
    assert status_of("real receipts", *pieces, AGAIN, edit("rates.py"), LAST) == ""
    assert status_of("real receipts", *pieces, fault, edit("rates.py"), LAST) == "earlier"


@pytest.mark.parametrize(
    ("answer", "status"),
    [("You're absolutely right, it does need one.", "earlier"), ("The variable is set in `ci.yml` now.", "")],
)
def test_what_the_agent_conceded_to_be_wrong_is_not_told_as_it_stands(answer: str, status: str) -> None:
    """Given a report that the user speaks against, when the agent gives in, then nothing of that report is sure."""
    report = reply("The library is linked now, and setting `GOPRIVATE` on the server is a concern of its own.")
    spoken = prompt("The server has to fetch the library as well, so it has to have that variable")
    pieces = (ASKED, edit("go.mod"), report, spoken, reply(answer), edit("ci.yml"), LAST)
    assert status_of("a concern of its own", *pieces) == status
