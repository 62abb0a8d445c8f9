"""What a review says of each thing, by the mark in front of it."""

from __future__ import annotations

import pytest

from clew.distill.verdict import is_review, verdict_of
from tests.builders import distilled, edit, prompt, reply, texts


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("✅ `open` closes what it opens.", "approved"),
        ("(12) ⚠️ `open` leaves the lock behind.", "doubted"),
        ("❌ `open` fails on an empty name.", "doubted"),
        ("`open` prints ✅ when it is done.", ""),
        ("(12) `open` is long.", ""),
    ],
)
def test_the_mark_in_front_is_the_verdict(text: str, verdict: str) -> None:
    """A mark in the middle of a sentence is what somebody wrote about."""
    assert verdict_of(text) == verdict


@pytest.mark.parametrize("text", ["✅ Added `open`\n✅ Added `close`", "⚠ `open` is slow", "Both are fine."])
def test_marks_of_one_kind_make_no_review(text: str) -> None:
    """A list of what was done has its ticks, too: what it tells is not of less worth."""
    assert not is_review(text)


def test_what_a_review_doubts_comes_before_what_it_approves() -> None:
    """Of thirty remarks the four that somebody has to see to would be the ones that are left out."""
    doubt = "⚠️ `close_{0}` in store_{0}.py leaves the lock of the store behind when the disk is full."
    praise = "✅ `open_{0}` in store_{0}.py takes the lock of the store and gives it back in every case."
    remarks = [praise.format(one) for one in "abcdefgh"] + [doubt.format(one) for one in "xy"]
    state = distilled(prompt("Review the stores"), reply("\n".join(f"- {one}" for one in remarks)))
    ranked = sorted((item for item in state.items if item.kind == "finding"), key=lambda item: item.rank)
    assert [item.text[:1] for item in ranked[:2]] == ["⚠", "⚠"]


def test_points_that_a_request_names_by_number_are_seen_to() -> None:
    """The next session would mend them again; what nobody took up is still open."""
    points = [f"({number}) ⚠️ `check_{name}` reads `{name}.toml` twice for each of its callers." for number, name in
              enumerate(("ports", "hosts", "paths"), 1)]  # fmt: skip
    listed = reply("✅ All in all it is sound.\n\n" + "\n".join(f"- {point}" for point in points))
    last = reply("Both read their file once and hand the tables on to their callers.")
    story = (prompt("Review the checks"), listed, prompt("mend 1 and 3"))
    said = "\n".join(texts(distilled(*story, edit("checks.py"), last)))
    assert [point in said for point in points] == [False, True, False]
    said = "\n".join(texts(distilled(*story, last)))
    assert all(point in said for point in points), "nothing was edited"


@pytest.mark.parametrize(
    "request_",
    [
        *("fix everything except 3", "skip 3, do the rest", "Set the timeout to 3 seconds", "what do you mean by 3?"),
        *("Fix 3 typos in the readme", "#3 can wait, mend the rest", "I disagree with point 3, do the rest"),
    ],
)
def test_a_number_that_asks_for_nothing_settles_no_point(request_: str) -> None:
    """What the user left for later would be the one point that is lost."""
    points = "\n".join(
        f"- ({number}) `check_{number}` reads `rules.toml` twice for each caller." for number in (1, 2, 3)
    )
    state = distilled(
        prompt("Review"), reply(points), prompt(request_), edit("checks.py"), reply("Each reads it once.")
    )
    assert any("`check_3` reads" in text for text in texts(state))


@pytest.mark.parametrize(
    "request_", ["Let's address top improvement 2 and use the plain mode for it", "address 2. and go by the book here"]
)
def test_points_are_named_in_longer_requests_too(request_: str) -> None:
    """So are entries of a numbered list, and what the message says of the same thing elsewhere."""
    other = "- `hosts.toml` is read twice, once for each of its callers, which nobody needs."
    points = "1. Read `ports.toml` once for all.\n2. Read `hosts.toml` once for each of its callers.\n3. Sort `paths`."
    pieces = (prompt("Review"), reply(f"{other}\n\n{points}"), prompt(request_), edit("checks.py"), reply("Mended."))
    told = "\n".join(texts(distilled(*pieces)))
    assert "hosts.toml" not in told
    assert "ports.toml" in told


def test_a_point_that_a_request_quotes_is_seen_to() -> None:
    """People copy what they want mended from the screen, without its marks."""
    point = "- **Comment and code differ**: the comment of `sync` says updated, and the code counts skipped ones."
    pieces = (prompt("Review"), reply(f"{point}\n- `paths` is never sorted, so its order differs between runs."))
    asked = prompt("This: Comment and code differ: the comment of sync says updated, and the code counts skipped ones.")
    told = "\n".join(
        text for text in texts(distilled(*pieces, asked, edit("sync.py"), reply("Mended."))) if "This:" not in text
    )
    assert "counts skipped" not in told
    assert "`paths` is never sorted" in told


def test_a_review_is_no_plan() -> None:
    """What it says of the code would be told as what is to be done, and decided."""
    review = reply("✅ `ports` could be sound.\n\n- (1) ⚠️ The type of `hosts` is asked for twice in a row here.")
    state = distilled(prompt("Review"), review, prompt("go on with 2"), edit("checks.py"), reply("Mended."))
    assert [item.kind for item in state.items if "asked for twice" in item.text] == ["finding"]


@pytest.mark.parametrize("question", ["Which approach would you prefer?", "Both work."])
def test_points_beside_those_that_were_picked_are_suggestions(question: str) -> None:
    """Seen: of four ways to mend it the user picked two, and the other two were told as the plan."""
    ways = ("Replace `#` at the start of each line", "Use four spaces to indent it", "Add a blank line in front of it")
    listed = "\n".join(f"{number}. {way}, so that `render` keeps it." for number, way in enumerate(ways, 1))
    pieces = (prompt("Why is it torn?"), reply(f"A few fixes come to mind:\n\n{listed}\n\n{question}"))
    state = distilled(*pieces, prompt("let's try 3 first"), edit("render.py"), reply("There is a blank line now."))
    told = {item.text.partition(",")[0]: item.status for item in state.items if item.text.endswith("keeps it.")}
    assert told == {ways[0]: "proposed", ways[1]: "proposed"}


def test_what_a_review_says_of_a_thing_decides_nothing() -> None:
    """Praise with a reason would stand under decisions, and lead the next session to think it had chosen so."""
    remarks = (
        "- (1) ✅ Keep `ports` shared rather than copied, because a copy would go stale.\n- (2) ⚠️ `hosts` is long."
    )
    state = distilled(prompt("Review"), reply(remarks))
    assert {"finding"} == {item.kind for item in state.items if "`ports`" in item.text or "`hosts`" in item.text}


@pytest.mark.parametrize("lead", ["Medium: ", "2. Low: ", "[P2] - ", "(1) nit: "])
def test_findings_of_the_last_review_are_risks(lead: str) -> None:
    """Nobody has mended them; once something was said to them, they are what was found."""
    finding = reply(
        f"- {lead}`tide` now ends well instead of failing for a missing command, because `run` says nothing."
    )
    asked = prompt("Review the changes")
    (item,) = (item for item in distilled(asked, finding).items if "`tide` now ends" in item.text)
    assert item.kind == "risk"
    later = distilled(asked, finding, prompt("Thank you. How long is the file?"), reply("It has 300 lines in all."))
    assert {"finding"} == {item.kind for item in later.items if "`tide` now ends" in item.text}


def test_what_a_review_looks_at_was_not_done_here() -> None:
    """Seen: the heading of each part of somebody's change was told as an edit of the session."""
    parts = (
        "1. **Lines 3-9 (new)**: Added `stripTags` with a test\n   - ✅ It is short\n   - ⚠️ It eats `receipt.go` labels"
    )
    review = reply(parts)
    told = texts(distilled(prompt("Review it"), review, prompt("Mend 2"), edit("receipt.go"), reply("Mended.")))
    assert not any("Added `stripTags`" in text for text in told)
    own = texts(distilled(prompt("Do it"), edit("tags.go"), review))
    assert any("Added `stripTags`" in text for text in own)


def test_a_figure_is_no_number_of_a_point() -> None:
    """ "3.5 seconds" would be settled by "do 3"."""
    said = "3.5 seconds is what `open_store` takes to read all of the tables of the store at once."
    state = distilled(prompt("Why?"), reply(said), prompt("do 3"), edit("store.py"), reply("It reads them when asked."))
    assert said in texts(state)
