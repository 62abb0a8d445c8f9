"""Anything is read and nothing is dropped: properties over whole documents, whatever they are written in."""

from __future__ import annotations

import json

import pytest
from benchmarks.documents.hostile import DOCUMENTS
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.documents.parse import parse
from clew.documents.parse.reader import ENTRIES_MAX
from clew.documents.parsed import Parsed
from tests.documents.parse.told import kinds, told
from tests.growth import costs_at_most, in_proportion

_LINES = st.sampled_from(
    (
        "# Hand-off", "## Next steps", "### Phase 2: API ✅", "## Decisions", "## 2026-02-01 — Fix", "- a", "  - b",
        "- [x] done", "- [ ] open", "1. one", "   text", "**Completed:**", "**Why:** because", "DONE:", "| a | b |",
        "|---|---|", "| 1 | ✅ |", "```", "~~~", "<!-- note -->", "<!--", "-->", "> quoted", "---", "====", "text",
        "Goal: win", "Phase 1: x", "", "", "\t- deep", "* * *", "[a]: b", "<details>", "\u200b", "é\u2028x", "- ", "{",
        '{"a": 1}', "key: value", "  - x: y", "\\", "`", "**", "\x0b", "~~gone~~", "None", "• dot", "✅ sign",
    )
)  # fmt: skip
documents = st.one_of(
    st.text(max_size=300),
    st.lists(_LINES, max_size=25).map("\n".join),
    st.lists(st.one_of(_LINES, st.text(max_size=20)), max_size=15).map("\r\n".join),
)
names = st.sampled_from(("", "HANDOFF.md", "state.json", "log.jsonl", "state.yaml", "progress.txt", "DECISIONS.md"))


def lines_of(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def uncovered(text: str, parsed: Parsed) -> list[int]:
    """Lines that are not blank and in no part of what was parsed."""
    covered = set()
    for part in (*parsed.entries, *parsed.notes, *parsed.headings):
        covered.update(range(part.lines.first, part.lines.last + 1))
    return [at for at, line in enumerate(lines_of(text), 1) if line.strip() and at not in covered]


@settings(max_examples=400)
@given(documents, names)
@example(text="- 0\r\x1b\xa0", name="")
def test_no_line_is_dropped(text: str, name: str) -> None:
    """What a parser does not understand and drops is a decision lost between two sessions."""
    assert [] == uncovered(text, parse(text, name=name))


@settings(max_examples=300)
@given(documents, names)
def test_parts_lie_in_the_source_and_in_its_order(text: str, name: str) -> None:
    """Callers cut lines out by these numbers; one beyond the end or out of order would cut the wrong ones."""
    parsed, size = parse(text, name=name), len(lines_of(text))
    for parts in (parsed.entries, parsed.notes, parsed.headings):
        lines = [part.lines for part in parts]
        assert lines == sorted(lines)
        assert all(1 <= first <= last <= size for first, last in lines)


@settings(max_examples=200)
@given(documents, names)
def test_an_entry_says_something_in_one_line(text: str, name: str) -> None:
    """An empty item, or one that breaks the line, would break the document that shows it."""
    for entry in parse(text, name=name).entries:
        assert entry.text.strip() and len(entry.text) <= 2000
        assert not set("\n\r\x00\x1b\u200b\u2028").intersection(entry.text + entry.why)


@settings(max_examples=200)
@given(st.lists(_LINES, max_size=20).map("\n".join))
def test_an_entry_uses_the_words_of_its_lines(text: str) -> None:
    """Nothing is invented: each word of an item stands in the document, in its lines or above them."""
    lines = lines_of(text)
    for entry in parse(text, name="x.md").entries:
        # Words that could turn its sense come from headings and labels above it.
        source = " ".join(lines[: entry.lines.last]).lower()
        for word in entry.text.lower().replace("…", " ").removeprefix("struck out:").split():
            assert word.strip("`.,:;()'\"|→*~\\") in source


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("> " * 30_000, id="quotes"),
        pytest.param("- " * 30_000, id="lists in a line"),
        pytest.param("\n".join("  " * depth + "- a" for depth in range(500)), id="nested lists"),
        pytest.param("[" * 60_000, id="brackets"),
        pytest.param('{"a":' * 30_000, id="objects"),
        pytest.param("*a " * 30_000, id="stars"),
        pytest.param("_a" * 30_000, id="low lines"),
        pytest.param("`" * 60_000, id="back-quotes"),
        pytest.param("**a " * 20_000, id="bold that never ends"),
        pytest.param("<!--" * 20_000, id="comments"),
        pytest.param("a: &a [x]\nb: [" + "*a, " * 20_000 + "]", id="aliases"),
        pytest.param("a:\n" + " -" * 5_000 + " x", id="lists of lists in YAML"),
        pytest.param("- because " * 10_000, id="reasons"),
        pytest.param("|" * 3_000 + "\n" + "|-" * 3_000 + "\n", id="columns"),
        pytest.param("word " * 50_000, id="one long line"),
        pytest.param("(a " * 30_000, id="brackets that never close"),
    ],
)
@pytest.mark.parametrize("name", ["x.md", "x.json", "x.yaml"])
def test_hostile_text_is_read_in_time(text: str, name: str) -> None:
    """A file from a cloned repository may not hang or break the command that reads it."""
    assert [] == uncovered(text, parse(text, name=name))
    entry = "- an entry of a list\n"
    plain = entry * (len(text) // len(entry) // 10)
    costs_at_most(30, lambda: parse(text, name=name), lambda: parse(plain, name="x.md"))


def test_time_grows_with_the_text() -> None:
    """Journals grow for months."""
    part = "## Done\n\n- a: **b** `c` (d)\n\n***\n\ntext with words\n\n"
    in_proportion(lambda parts: part * parts, lambda text: parse(text, name="x.md"), 400)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_worst_documents_cost_in_proportion_to_their_size(name: str) -> None:
    """A file of some megabytes may not keep a person waiting, whatever somebody put into it."""
    path = "state.json" if name.endswith("json") else "x.yaml" if name == "yaml" else "x.md"
    in_proportion(DOCUMENTS[name], lambda text: parse(text, name=path), 60_000)


def test_behind_the_bounds_the_rest_is_a_note() -> None:
    """Nobody reads a million boxes, and each would be an item of the ledger; none of them is lost."""
    text = "".join(f"- [ ] part {number}\n" for number in range(ENTRIES_MAX + 50))
    parsed = parse(text, name="TODO.md")
    assert len(parsed.entries) == ENTRIES_MAX
    assert f"part {ENTRIES_MAX + 49}" in parsed.notes[-1].text
    assert [] == uncovered(text, parsed)


def test_a_long_text_keeps_its_front_and_stays_whole_as_a_note() -> None:
    """A page-long entry would fill a budget by itself; its rest may not be lost for that."""
    parsed = parse(f"## Done\n\n- {'word ' * 600}end\n")
    assert len(parsed.entries[0].text) == 2000 and parsed.entries[0].text.endswith("…")
    assert any("end" in note.text for note in parsed.notes)


def test_what_is_not_certain_is_a_note_with_its_heading() -> None:
    """A note without its place is of no use to whoever files it."""
    parsed = parse("# Title\n\n## Usage\n\nRun it.\nTwice.\n\n- see below\n\n```\n03:00 start\n```\n")
    assert [("note", "Run it. Twice.", "Usage"), ("note", "see below", "Usage")] == [
        (entry.kind, entry.text, entry.label) for entry in parsed.entries
    ]
    assert [("```\n03:00 start\n```", "Usage", (10, 12))] == [
        (note.text, note.under, tuple(note.lines)) for note in parsed.notes
    ]


def test_the_newest_date_that_the_document_gives_itself() -> None:
    """A date in passing may not make a stale hand-off look new."""
    parsed = parse("# Log\n\n**Date**: 2026-01-02\n\n## 2026-03-04 — Fix\n\nDue on 2027-01-01.\n")
    assert "2026-03-04" == parsed.date
    assert "" == parse("no date").date
    assert "" == parse("# 2026-13-45").date


def test_a_file_name_says_what_a_list_without_heading_is() -> None:
    """`TODO.md` with nothing but a list is common; what stands under a heading of its own is not of the name."""
    assert [("step", "pending", "ship it")] == told("- ship it\n", name="TODO.md")
    assert [("decision", "", "use SQLite")] == told("- use SQLite\n", name="DECISIONS.md")
    assert ["note"] == kinds("# The port\n\n## Cables\n\n- they are short\n", name="NEXT_STEPS.md")
    assert ["note"] == kinds("- all is well\n", name="avoid-stale-reads-after-a-change.md")


def test_a_wrong_ending_does_no_harm() -> None:
    """Endings are hints: a Markdown file called .json is read as Markdown."""
    assert [("step", "done", "a thing")] == told("## Done\n- a thing\n", name="state.json")
    assert [("goal", "", "win the race")] == told(json.dumps({"goal": "win the race"}), name="x.md")


def test_windows_line_ends_make_no_difference() -> None:
    """Line numbers are those of an editor, whatever ends the lines."""
    text = "## Done\n\n- a\n- b\n"
    assert parse(text).entries == parse(text.replace("\n", "\r\n")).entries


def test_a_terminal_sequence_that_nobody_closed_takes_no_lines_with_it() -> None:
    """Pasted terminal output ends where it was cut; the lines behind keep their numbers."""
    parsed = parse("# X\n\x1b]0;title\n\n## Decisions\n- one buffer\n")
    assert ("decision", "one buffer", 5) == [(e.kind, e.text, e.lines.first) for e in parsed.entries][-1]
