"""Anything is read and nothing is dropped: properties over whole documents, whatever they are written in."""

from __future__ import annotations

import json

import pytest
from benchmarks.documents.hostile import DOCUMENTS
from hypothesis import example, given
from hypothesis import strategies as st

from clew.documents.entry import Parsed
from clew.documents.parse import parse
from clew.documents.parse.reader import ENTRIES_MAX
from tests.documents.parse.told import kinds, told
from tests.growth import in_proportion

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


@given(documents, names)
@example(text="- 0\r\x1b\xa0", name="")
def test_every_line_is_in_a_part_in_order_and_entries_say_something_in_one_line(text: str, name: str) -> None:
    """What is dropped is lost between two sessions; callers cut lines out by the numbers of the parts."""
    parsed, size = parse(text, name=name), len(lines_of(text))
    assert [] == uncovered(text, parsed)
    for parts in (parsed.entries, parsed.notes, parsed.headings):
        lines = [part.lines for part in parts]
        assert lines == sorted(lines)
        assert all(1 <= first <= last <= size for first, last in lines)
    for entry in parsed.entries:
        assert entry.text.strip() and len(entry.text) <= 2000
        assert not set("\n\r\x00\x1b\u200b\u2028").intersection(entry.text + entry.why)


@given(st.lists(_LINES, max_size=20).map("\n".join))
def test_an_entry_uses_the_words_of_its_lines(text: str) -> None:
    """Nothing is invented: each word of an item stands in the document, in its lines or above them."""
    lines = lines_of(text)
    for entry in parse(text, name="x.md").entries:
        # Words that could turn its sense come from headings and labels above it.
        source = " ".join(lines[: entry.lines.last]).lower()
        for word in entry.text.lower().replace("…", " ").removeprefix("struck out:").split():
            assert word.strip("`.,:;()'\"|→*~\\") in source


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_worst_documents_cost_in_proportion_to_their_size(name: str) -> None:
    """A file of some megabytes may not keep a person waiting, whatever somebody put into it."""
    path = "state.json" if name.endswith("json") else "x.yaml" if name == "yaml" else "x.md"
    assert [] == uncovered(DOCUMENTS[name](2_000), parse(DOCUMENTS[name](2_000), name=path))
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
