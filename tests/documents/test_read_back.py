"""What we write is read back: a person can edit a document of ours, and nothing of it is lost or taken for ours."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from clew.core.state.items import Kind
from clew.documents.entry import NOWHERE, Entry, Format, Parsed
from clew.documents.parse import parse
from clew.documents.profiles import DEBUG, HANDOFF, ISSUE, PROFILES, REHYDRATE, Profile
from clew.documents.read_back import MADE_HEADINGS, parse_own, profile_in
from clew.documents.render import BUDGET_TOKENS_MIN, Document, View, render
from tests.documents.states import item, view, views

every_profile = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
budgets = st.integers(BUDGET_TOKENS_MIN, 2500)


def nobody(text: str) -> Parsed:
    raise AssertionError(f"not ours: {text!r}")


def parsed(text: str, profile: Profile) -> list[Entry]:
    assert profile_in(text) is profile
    return [entry._replace(lines=NOWHERE) for entry in parse_own(text, profile, nobody).entries]


def told(*items: object, profile: Profile = REHYDRATE, **options: bool) -> Document:
    return render(view(*items), profile, 1000, **options)  # type: ignore[arg-type]


# As it was written


@every_profile
@given(views(), budgets, st.booleans())
def test_what_is_shown_is_read_back(profile: Profile, of: View, budget: int, with_ids: bool) -> None:
    """Else an edit of a document could not be told from what the renderer made of it."""
    document = render(of, profile, budget, with_ids=with_ids)
    assert sorted(parsed(document.text, profile)) == sorted(document.entries)
    assert document.tokens <= budget
    assert render(of, profile, budget, with_ids=with_ids) == document


@every_profile
@given(views(), budgets)
def test_every_line_is_an_entry_a_note_or_a_heading(profile: Profile, of: View, budget: int) -> None:
    """What a reader passes over is lost without a word."""
    text = render(of, profile, budget).text
    found = parse_own(text, profile, nobody)
    covered = {number for part in (*found.entries, *found.notes, *found.headings) for number in (part.lines.first,)}
    assert covered == {number for number, row in enumerate(text.split("\n"), 1) if row.strip()}


@every_profile
@given(views(), budgets)
def test_a_markdown_reader_sees_flat_headings_and_flat_lists(profile: Profile, of: View, budget: int) -> None:
    """A text that opens a list, a fence, a quote or a comment would change what the rest of the document is."""
    inner = "\n".join(render(of, profile, budget).text.split("\n")[0 if profile.for_people else 1 : -2])
    tokens = MarkdownIt("commonmark").parse(inner)
    kinds = {"heading", "paragraph", "bullet_list", "list_item", "inline"}
    assert {token.type.removesuffix("_open").removesuffix("_close") for token in tokens} <= kinds
    assert max((token.level for token in tokens if token.type == "bullet_list_open"), default=0) == 0
    own = {section.heading for section in profile.sections} | MADE_HEADINGS
    heads = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    assert set(heads[1:]) <= own


@pytest.mark.parametrize(
    "text",
    ["# a", "- a", "1. a", "~~~", "<!-- a -->", "[x]: a", "[x] a", "* a", "> a", "\\# a", "1\\. a", "…", "… locked: a"],
)
def test_texts_that_look_like_markup_survive(text: str) -> None:
    """People write such things, and so do agents."""
    (entry,) = parsed(told(item("finding", text)).text, REHYDRATE)
    assert entry.text == text.replace("<!--", "\\<!--")


# As somebody edited it


def test_a_ticked_box_is_done_and_an_unticked_one_is_not() -> None:
    """Ticking is what people do in an issue."""
    text = told(item("step", "Test it", status="in_progress"), item("step", "Tell Mia", at=1), profile=ISSUE).text
    assert "- [ ] to-do, in progress: Test it" in text
    edited = text.replace("- [ ] to-do", "- [x] to-do").replace("- [ ] Tell", "* [X] Tell")
    assert [entry.status for entry in parsed(edited, ISSUE)] == ["done", "done"]
    assert [entry.status for entry in parsed(text, ISSUE)] == ["in progress", "pending"]


def test_what_is_added_under_a_heading_is_of_its_kind() -> None:
    """A person writes a plain line; the heading says the rest."""
    text = told(item("failed", "shelve", "locks the file")).text
    edited = text.replace("- shelve", "* sqlite3 in a thread — it is not thread-safe\n1. pickle\n- shelve")
    found = [(entry.kind, entry.text, entry.why) for entry in parsed(edited, REHYDRATE)]
    assert [
        ("failed", "sqlite3 in a thread", "it is not thread-safe"),
        ("failed", "pickle", ""),
        ("failed", "shelve", "locks the file"),
    ] == found


def test_a_line_that_an_editor_wrapped_is_one_entry() -> None:
    """Many editors wrap at 80 columns."""
    text = told(item("constraint", "The signature of split stays as it is")).text
    edited = text.replace("stays as", "stays\n  as")
    (entry,) = parsed(edited, REHYDRATE)
    assert entry.text == "The signature of split stays as it is"


def test_what_stands_under_a_strange_heading_is_read_as_anybodys() -> None:
    """A person adds what is missing; the lines count from the top of the whole document."""
    text = told(item("goal", "Cache")).text
    edited = text.replace("## Goal", "## Parking lot\n- a thing\n\n## Goal")
    asked: list[str] = []

    def anybody(part: str) -> Parsed:
        asked.append(part)
        other: Format = "markdown"
        entry = Entry("deferral", "a thing")
        return Parsed(other, "", "", (entry._replace(lines=NOWHERE._replace(first=2, last=2)),), (), ())

    found = parse_own(edited, REHYDRATE, anybody)
    assert asked == ["## Parking lot\n- a thing\n"]
    (added,) = (entry for entry in found.entries if entry.kind == "deferral")
    assert edited.split("\n")[added.lines.first - 1] == "- a thing"


def test_without_the_delimiters_it_is_still_ours() -> None:
    """Who pastes a document into an issue leaves them out."""
    rows = told(item("goal", "Cache the tables"), profile=HANDOFF).text.split("\n")
    assert [entry.text for entry in parsed("\n".join(rows[1:-2]), HANDOFF)] == ["Cache the tables"]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# Resume", "# Status: all good\n\n## Intro\n", "# Handoff\n\n## Goal\n- x"]
)
def test_what_only_looks_like_ours_is_anybodys(text: str) -> None:
    """`# Handoff` is a title that people choose themselves."""
    assert profile_in(text) is None


# What each profile is for


def test_a_hypothesis_stands_where_its_status_puts_it() -> None:
    """An eliminated one among those that survive would be looked into again."""
    kinds: tuple[tuple[Kind, str, str], ...] = (
        ("hypothesis", "the cache", "active"),
        ("hypothesis", "the clock", "eliminated"),
    )
    items = [item(kind, text, status=status, at=at) for at, (kind, text, status) in enumerate(kinds)]
    rows = told(*items, profile=DEBUG).text.split("\n")
    assert rows[rows.index("## Hypothesis that survives") + 1] == "- the cache"
    assert rows[rows.index("## Hypotheses eliminated (do not revisit)") + 1] == "- the clock"


def test_what_leaves_the_machine_names_no_folder_of_it() -> None:
    """A colleague has another home, and ours is nobody's business."""
    for profile in PROFILES.values():
        text = told(item("goal", "Cache"), profile=profile).text
        assert ("/home/mira/tide" in text) == profile.is_local


def test_a_handover_says_from_whom_to_whom() -> None:
    """The reader has to know whom to ask."""
    of = view(item("goal", "Cache"))._replace(sender="ada", receiver="Mia")
    assert "\nFrom ada to Mia. Files not compared." in render(of, PROFILES["team"], 1000).text


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "Hi Mia,\n\nhere it is:\n\n" + text,
        lambda text: "---\ntitle: x\n---\n" + text,
        lambda text: text.replace("# Status: ", "# VAT work, was: "),
        lambda text: text.replace("Nobody reviewed it", "From Ada"),
        lambda text: "\n".join(text.split("\n")[4:]),
        lambda text: text.partition("<!-- clew ")[0],
    ],
    ids=["greeting", "front matter", "retitled", "no legend", "no head", "no mark"],
)
def test_what_people_do_to_the_head_makes_it_no_strangers(edit: Callable[[str], str]) -> None:
    """Read as a stranger's, each of its lines would come in a second time."""
    text = told(item("step", "Test it"), item("decision", "Page", at=1), profile=ISSUE, with_ids=True).text
    assert parsed(edit(text), ISSUE) == parsed(text, ISSUE)


def test_an_id_under_a_strange_heading_is_known() -> None:
    """A renamed heading, or a line copied into a hand-written file, does not make the line a new one."""
    text = told(item("step", "Test it"), item("decision", "Page", at=1), profile=ISSUE, with_ids=True).text
    ids = {entry.id for entry in parsed(text, ISSUE)}
    renamed = parse(text.replace("## Current status", "## Status now"))
    assert {entry.id for entry in renamed.entries} == ids
    (step,) = (entry for entry in parse("# Todo\n\n- [x] Test it (S-f6ab)\n").entries)
    assert ("Test it", "S-f6ab", "done") == (step.text, step.id, step.status)
