"""What went stale is told by content; pages always fit; what others keep is read without loss."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.app.memory import use
from clew.app.memory.check import check
from clew.app.memory.folder import import_folder, pieces_of, read_folder
from clew.app.memory.pages import LINES_MAX, TOKENS_MAX, index_page, topic_page
from clew.app.memory.views import entries_of, strays_of
from clew.core.errors import ClewError
from clew.core.state.facts import Fact
from clew.core.text.cleaning import clean
from clew.core.text.tokens import estimate
from tests.app.memory.remembering import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def found(shelf: Shelf) -> dict[str, str]:
    """What a check says, by what it is about."""
    return {one.what: one.said for one in check(shelf.by_person, "project").findings}


def test_a_fact_about_a_changed_file_is_flagged_until_it_is_confirmed(shelf: Shelf) -> None:
    """Stale state that is trusted is worse than none."""
    use.remember(shelf.by_person, "project", "tides", "The tide in src/a.py is one")
    assert {} == found(shelf)
    shelf.repo.write("src/a.py", "a = 2\n")
    assert "src/a.py has changed" in found(shelf)["changed"]
    [fact] = shelf.facts()
    use.edit(shelf.by_person, "project", fact.id)
    assert {} == found(shelf)


def test_a_file_that_moved_or_went_is_told(shelf: Shelf) -> None:
    """Moved files are known by their content."""
    use.remember(shelf.by_person, "project", "tides", "The tide in src/a.py is one")
    (shelf.top / "src/a.py").rename(shelf.top / "src/b.py")
    assert "src/a.py is gone" in found(shelf)["gone"]
    shelf.repo.commit("Move")
    assert "src/a.py is src/b.py now" in found(shelf)["moved"]


def test_what_is_in_the_wrong_layer_is_told(shelf: Shelf) -> None:
    """A task's state ages within days, and a convention is given to sessions anyway by the rules file."""
    for text in ("The parser is in progress on Ada's branch", "Always use four spaces in Python"):
        use.remember(shelf.by_person, "project", "project", text)
    assert {"state", "convention"} <= found(shelf).keys()


def test_facts_that_say_the_same_are_told(shelf: Shelf) -> None:
    """Two of them drift apart."""
    use.remember(shelf.by_person, "project", "tides", "Tides rise twice a day in the northern harbour")
    use.remember(shelf.by_person, "project", "tides", "Tides rise twice every day in the northern harbour")
    assert "much the same" in found(shelf)["duplicate"]


def test_what_is_added_to_a_page_by_hand_is_carried_along_and_triaged(shelf: Shelf) -> None:
    """No edit is lost, and none counts before somebody looked at it."""
    use.remember(shelf.by_person, "project", "tides", "The tide is one")
    page = shelf.top / ".clew/memory/tides.md"
    page.write_text(page.read_text() + "- The moon is behind it\n")
    assert "page" in found(shelf)
    use.remember(shelf.by_person, "project", "tides", "Low tide is at noon")
    assert "The moon is behind it" in shelf.page("tides")
    shelf.triage("keep")
    assert "The moon is behind it" in [one.text for one in shelf.facts()]
    assert 1 == shelf.page("tides").count("The moon is behind it")
    assert {} == found(shelf)


_TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=200).map(clean).filter(str.strip)


def fact(number: int, topic: str, text: str, *, pinned: bool = False) -> Fact:
    time = f"2026-11-22T00:00:00.{number:03d}Z"
    return Fact(
        f"L-{number:016d}", topic, " ".join(text.split()) or "x", "", (), (), (), (), "human", "ada", time, pinned
    )


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "gotchas", "tides", *(f"t{n}" for n in range(300))]), _TEXT, st.booleans()),
        max_size=60,
    )
)
def test_the_index_always_fits(rows: list[tuple[str, str, bool]]) -> None:
    """What grows beyond what is read is lost without a word."""
    index = index_page("tide", [fact(at, *row[:2], pinned=row[2]) for at, row in enumerate(rows)])
    assert estimate(index) <= TOKENS_MAX
    assert index.count("\n") <= LINES_MAX


@given(st.lists(_TEXT, min_size=1, max_size=8))
def test_a_page_is_read_back(texts: list[str]) -> None:
    """A fact that cannot be determined from its page would come back as a new one."""
    facts = [fact(at, "tides", text) for at, text in enumerate(texts)]
    page = topic_page("tides", facts, {one.id: one.id[:8] for one in facts})
    assert len(facts) == len(entries_of(page))
    by_prefix = {one.id[:8]: [other.id for other in facts if other.id.startswith(one.id[:8])] for one in facts}
    assert [] == strays_of(page, facts, lambda name: by_prefix.get(name, []), ())


# Folders of others


CLAUDE = {
    "MEMORY.md": "# Memory\n\n- [style](style.md) — how we write\n- [db](db.md) — the test database\n",
    "style.md": "---\nname: Style\ndescription: How the user wants to be told things\ntype: feedback\n---\n\n"
    "**Say it in one line.**\nLong answers are skipped.\n**Why**: asked twice.\n\n- No emoji\n- Dates as 2026-11-25\n"
    "  with a zone\n",
    "db.md": "---\nname: DB\ndescription: The test database\n---\n\n"
    "## Port\n\nIt listens on 5433.\n\n```\npsql -p 5433\n```\n",
}


def folder(top: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


def texts(top: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(top.glob("*.md"))}


def test_a_folder_is_read_and_triaged(shelf: Shelf, tmp_path: Path) -> None:
    """No word is lost, reading twice is reading once, and the folder stays as it is."""
    theirs = folder(tmp_path / "theirs", CLAUDE)
    first = import_folder(shelf.by_person, "project", theirs, "claude-code")
    assert (0, 3) == (first.known, first.files)
    assert 0 == import_folder(shelf.by_person, "project", theirs, "claude-code").new
    shelf.triage("keep")
    assert CLAUDE == texts(theirs)
    kept = " ".join(f"{wording} {one.why}" for one in shelf.facts() for wording in one.wordings)
    for words in ("Say it in one line", "Long answers are skipped", "with a zone", "psql -p 5433", "No emoji"):
        assert words in kept


_LINE = st.sampled_from(
    ["# Head", "## Sub", "", "", "- one", "- two things", "  more of it", "1. first", "plain words", "```", "code()",
     "---", "| a | b |", "description: told", "> quoted", "* star **bold**"]
)  # fmt: skip


@given(st.lists(_LINE, max_size=40))
def test_pieces_cover_what_is_said(rows: list[str]) -> None:
    """Whatever the document: no piece overlaps another, and each holds its lines as they stand there."""
    pieces = list(pieces_of("x.md", "\n".join(rows)))
    lines = [number for piece in pieces for number in range(piece.first, piece.last + 1)]
    assert len(lines) == len(set(lines))
    assert all("\n".join(rows[piece.first - 1 : piece.last]) == piece.raw for piece in pieces)


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    """Not an empty memory."""
    with pytest.raises(ClewError) as caught:
        read_folder(tmp_path / "nowhere")
    assert "E-memory-folder" == caught.value.code
