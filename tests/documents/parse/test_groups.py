"""Entries that are labels or titles of the lists nested in them."""

from __future__ import annotations

from tests.documents.parse.told import kinds, told


def test_a_participle_is_a_label() -> None:
    """ "Completed:" in a log's list is no deed, "Added targets:" is."""
    text = (
        "## 2026-05-27\n- Completed:\n  - Added the reader.\n- Executed:\n  - `make test`\n- Verified run:\n"
        "  - both boxes agree\n- Added targets:\n  - `bench`\n- Environment note:\n  - `zmq` is missing\n"
    )
    assert [
        ("step", "done", "Added the reader."),
        ("validation", "", "`make test`"),
        ("validation", "", "both boxes agree"),
        ("step", "done", "Added targets:"),
        ("finding", "", "`zmq` is missing"),
    ] == told(text)


def test_the_files_of_a_deed_are_files() -> None:
    """Paths and nothing else below what was done."""
    assert ["step", "file", "file", "step"] == kinds(
        "## 2026-05-27\n- Added scripts:\n  - `scripts/a.sh`\n  - `scripts/b.sh`\n- Updated the runner:\n"
        "  - `stable`: one box\n"
    )


def test_a_bold_title_of_deeds_is_one_and_so_are_they() -> None:
    """A numbered part of a summary is told by its title and by its entries."""
    text = (
        "## Changes made\n1. **Layout updates**\n   - Updated the view\n   - Added buttons\n2. **Style:**\n   - big\n"
    )
    assert ["Layout updates", "Updated the view", "Added buttons"] == [row[2] for row in told(text)][:3]


def test_checks_listed_below_progress_are_checks() -> None:
    """ "Verified before the release:" in a report on what was done."""
    text = (
        "## Progress\n\n- Added a cache\n\nVerified before the release:\n\n- `make test` passed\n- loss was finite.\n"
    )
    assert ["step", "validation", "validation"] == kinds(text)


def test_facts_below_a_goal_are_no_goals() -> None:
    """What is listed behind the goal says where it is pursued."""
    text = (
        "## Goal\n\nMove the experiment.\n\nCheckout:\n\n- Clone/fetch the branch\n- Suggested path: `/srv/x`\n"
        "- Branch: `main`\n"
    )
    assert ["goal", "step", "finding", "finding"] == kinds(text)


def test_the_commands_of_a_check_are_checks() -> None:
    """ "Gates:" in a list of checks, with what is run."""
    text = "## Verification\n1. Gates before commit:\n   - `julia run.jl` (751 tests)\n   - `julia quality.jl` (Aqua)\n"
    assert ["validation"] * 3 == kinds(text)
    assert ["file"] == kinds("## Verification\n- **Artifact:** `dist/app-1.0.fap` (51 KB)\n")
