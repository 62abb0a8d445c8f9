"""The promises of distilling as a whole: never fails, invents nothing, says where from, says the same twice."""

from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.records.transcript import Call, Context, Record, Result, Run, Unreadable, Usage
from clew.core.state.items import LETTERS, Item
from clew.core.text.cleaning import one_line
from clew.distill.blocks import plain, sentences
from clew.distill.distil import distil
from clew.distill.session import build
from tests.builders import (
    LINE_BYTES,
    ROOT,
    SESSION,
    Piece,
    ask_all,
    delegate,
    distilled,
    edit,
    items,
    laid_out,
    plan,
    prompt,
    read,
    reply,
    run,
    session,
    texts,
    todo_list,
)
from tests.distill.strategies import SESSIONS

# A session is slow to make up; the properties share what they find.
some = settings(max_examples=40)


def letters(text: str) -> str:
    """What is left when marks and spaces are out of account."""
    return "".join(filter(str.isalnum, text))


def told_by(quote: str, text: str) -> bool:
    """Whether `text`, without the mark of a cut, says only what stands in `quote`, in its order."""
    said = letters(plain(quote)) + " " + letters(plain(one_line(quote))) + " " + letters(quote)
    return all(letters(sentence) in said for sentence in sentences(text.removesuffix("…")))


def is_quoted(item: Item) -> bool:
    """The whole text stands at its place, or a heading there, ":" and a text."""
    heading, _, text = item.text.partition(": ")
    if told_by(item.place.quote, item.text):
        return True
    # "committed" is the label of what a commit message says.
    return (heading == "committed" or told_by(item.place.quote, heading)) and told_by(item.place.quote, text)


STORY: list[Piece] = [
    prompt("Fix the sum in `total`"),
    read("sum.py"),
    run("make test", "1 failed", exit_code=2),
    reply("The `total` in sum.py rounds twice, because `tax` rounds too."),
    plan("# Round once\n\n- Round in `total` of sum.py only, never in `tax`"),
    edit("sum.py", "# Rounded once at the end, because the tax office\n# rounds the whole bill.\nx = 1\n"),
    delegate("Look for more", "The `discount` in rates.py rounds as well, but only for halves."),
    ask_all(("Round up?", ("Yes", "No"), "Yes"), ("Log it?", ("Yes", "No"), "Yes")),
    todo_list(("Update the docs of `total`", "pending"), ("Update the docs of `total`", "pending")),
    run("make test", "3 passed"),
    reply("`total` in sum.py rounds once now.\n\n## Remaining\n- the `discount` in rates.py still rounds for halves"),
]


@some
@given(SESSIONS)
def test_any_session_can_be_distilled(pieces: list[Piece]) -> None:
    """One odd record must not cost the whole payload."""
    state = distilled(*pieces)
    assert state.origin.session == SESSION
    assert state.origin.cwd == ROOT
    assert not (state.origin.ended and state.origin.last_act)


@some
@given(SESSIONS, st.integers(0, 40))
def test_a_session_cut_anywhere_can_be_distilled(pieces: list[Piece], cut: int) -> None:
    """`kill -9` at any moment; and a file that lost its front."""
    records = laid_out(*pieces)
    distil(build(records[:cut], client="claude-code"))
    distil(build(records[cut:], client="claude-code"))


def test_the_state_does_not_depend_on_the_process() -> None:
    """Python orders sets of strings by chance, anew in each process."""
    script = "from tests.distill.test_distil import *; print(distilled(*STORY))"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for seed in "012"
    ]
    outputs = {run.communicate(timeout=20)[0] for run in runs}
    assert len(outputs) == 1
    assert b"rounds once now" in outputs.pop()


@some
@given(SESSIONS)
def test_every_item_names_its_place(pieces: list[Piece]) -> None:
    """`clew show ID` jumps there: a record of the main chain, at the time it was said."""
    records = laid_out(*pieces)
    times = {record.at: record.time for record in records if not record.agent and not isinstance(record, Context)}
    for item in distil(build(records, client="claude-code")).items:
        assert item.place.at in times
        assert (SESSION, times[item.place.at]) == (item.place.session, item.time)


@some
@given(SESSIONS)
def test_items_are_in_the_order_they_were_said(pieces: list[Piece]) -> None:
    """`State`'s promise; importance is in the rank."""
    places = [item.place.at for item in distilled(*pieces).items]
    assert places == sorted(places)


@some
@given(SESSIONS)
def test_ids_are_unique(pieces: list[Piece]) -> None:
    """Two items under one id, and neither can be shown, pinned or edited."""
    ids = [item.id for item in distilled(*pieces).items]
    assert len(ids) == len(set(ids))


def test_ids_are_unique_where_one_call_says_a_thing_twice() -> None:
    """Two questions answered "Yes", two to-dos alike."""
    state = distilled(*STORY)
    assert len(state.items) == len({item.id for item in state.items})
    assert {"asked: Round up?", "asked: Log it?"} == {
        item.why.partition(";")[0] for item in items(state, "decision") if item.text == "Yes"
    }


@some
@given(SESSIONS)
def test_items_are_lines(pieces: list[Piece]) -> None:
    """One line each, known kinds, files inside the project."""
    for item in distilled(*pieces).items:
        assert item.text == item.text.strip() != ""
        assert "\n" not in item.text
        assert "\n" not in item.why
        assert item.id.startswith(LETTERS[item.kind] + "-")
        assert item.rank >= 0
        assert not any(path.startswith(("/", "~", "..")) or ":" in path for path in item.files)


@some
@given(SESSIONS)
def test_nothing_the_agent_said_is_invented(pieces: list[Piece]) -> None:
    """Every sentence stands at its place in the record, word for word: an honest gap beats a smooth line."""
    calls = {record.at: record for record in laid_out(*pieces) if isinstance(record, Call)}
    for item in distilled(*pieces).items:
        if item.provenance == "agent" and item.place.at not in calls:
            assert is_quoted(item), item


def test_nothing_read_off_a_tool_call_is_invented() -> None:
    """The quote of an item shows the words themselves (of a plan, an answer, a comment, a report), no tool's name."""
    loose = [
        item.text for item in distilled(*STORY).items if item.provenance in ("agent", "human") and not is_quoted(item)
    ]
    assert loose == []


@some
@given(SESSIONS)
def test_the_users_words_are_the_users(pieces: list[Piece]) -> None:
    """A request may lose pasted lines, it gains no word."""
    for item in distilled(*pieces).items:
        if item.provenance == "human" and item.kind in ("goal", "constraint") and "\n" in item.place.quote:
            words = set(item.text.removesuffix("…").split()) - {"…"}  # in the place of pasted lines
            quoted = set(item.place.quote.split()) | {word + ":" for word in item.place.quote.split()}
            assert {word.rstrip(" ,;:.`") for word in words} <= {word.rstrip(" ,;:.`") for word in quoted}


def test_records_that_say_nothing_change_nothing() -> None:
    """Token counts and broken lines stand between all others."""
    records = laid_out(*STORY)
    noise: list[Record] = [
        Usage(5, "", "", "m", "r", "model", 1, 2, 3, 4),
        Unreadable(6, "", "", 10, "torn"),
        Result(7, "", "", "unknown", "ok", 0, "x", "", (), ""),
        Call(8, "", "a1", "sub", "Bash", Run("rm -rf x")),
    ]
    mixed = [record for pair in zip(records, noise * len(records), strict=False) for record in pair]
    assert distil(build(records, client="c")) == distil(build(mixed, client="c"))


def test_later_lines_leave_the_ids_of_earlier_ones() -> None:
    """A session goes on after it was read: pins and edits on its items must hold."""
    before = {item.id for item in distilled(*STORY[:-1]).items if item.kind in ("constraint", "decision", "failed")}
    assert before
    assert before <= {item.id for item in distilled(*STORY).items}


def test_files_that_a_sentence_names_are_its_files() -> None:
    """When they drift, the sentence is to be verified first; a name that two files share cites neither."""
    state = distilled(
        prompt("Fix it"),
        edit("src/sum.py"),
        edit("web/index.ts"),
        edit("api/index.ts"),
        reply("The `total` in sum.py rounds once now.\n\nThe `Basket` of index.ts stays as it is."),
    )
    files = {item.text: item.files for item in items(state, "finding")}
    assert files["The `total` in sum.py rounds once now."] == ("src/sum.py",)
    assert files["The `Basket` of index.ts stays as it is."] == ()


def test_a_whole_story() -> None:
    """What the next session needs of this one."""
    state = distilled(*STORY)
    assert texts(state, "goal") == ["Fix the sum in `total`"]
    assert [item.status for item in items(state, "validation")] == ["passed"]
    assert ("sum.py", "edited") in [(item.text, item.status) for item in items(state, "file")]
    assert any("rounds once now" in text for text in texts(state))
    assert any(item.place.at == (len(laid_out(*STORY)) - 1) * LINE_BYTES for item in state.items)
    assert session(*STORY).last_time == state.origin.last_time
