"""The table of profiles is whole: a new kind of item cannot be forgotten by a document."""

from __future__ import annotations

from typing import get_args

import pytest

from clew.core.state.items import LETTERS, Kind
from clew.documents.profiles import PROFILES, REHYDRATE, Profile, stage_of
from tests.documents.states import item

KINDS = get_args(Kind)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_a_profile_shows_or_leaves_out_every_kind_each_under_a_heading_that_can_be_reached(profile: Profile) -> None:
    """A kind in neither would vanish, and nobody would be told; an item goes under the first heading that takes it."""
    shown = {kind for section in profile.sections if not section.pins for kind in section.kinds}
    assert sorted([*shown, *profile.left_out]) == sorted(KINDS)
    headings = [section.heading for section in profile.sections]
    assert PROFILES[profile.name] is profile and len(set(headings)) == len(headings)
    taken: dict[Kind, set[str]] = {}
    for section in profile.sections[:-1]:
        for kind in section.kinds:
            before = taken.setdefault(kind, set())
            assert "any" not in before
            assert not section.stages or set(section.stages) - before
            before.update(section.stages or ("any",))


def test_the_order_of_the_resume_payload_is_the_documented_one() -> None:
    """The order is a promise (SPEC C2): what matters most stands first, and readers find it where it was yesterday."""
    assert [section.heading for section in REHYDRATE.sections] == [
        "Goal",
        "Where we are",
        "Must stay true",
        "Decisions and why",
        "Failed approaches (do not retry)",
        "Deferred",
        "Next action",
        "Files in play",
        "Questions answered",
        "Open questions, blockers, risks",
        "Facts worth knowing",
        "Don't forget",
        "Notes",
        "Pinned",
    ]
    assert REHYDRATE.budget_tokens == 1500


def test_failed_approaches_stand_even_when_there_are_none() -> None:
    """Their absence must be a statement: the next session may not guess whether nothing failed or nothing is known."""
    always = {section.kinds for section in REHYDRATE.sections if section.always}
    assert ("failed",) in always


def test_every_kind_has_a_letter_of_its_own() -> None:
    """Ids are told apart by their letter first."""
    assert set(KINDS) == set(LETTERS)
    assert len(set(LETTERS.values())) == len(LETTERS)


@pytest.mark.parametrize(
    ("status", "stage"),
    [
        ("edited", "done"),
        ("latest answered", "done"),
        ("answered: no findings", "done"),
        ("committed 1a2b3c4", "done"),
        ("agreed to, edited", "done"),
        ("opened pull/7", "done"),
        ("latest under way", "in progress"),
        ("interrupted", ""),
        ("open", "pending"),
    ],
)
def test_a_request_that_was_seen_to_is_not_told_as_not_started(status: str, stage: str) -> None:
    """A colleague who is handed the work would do it again."""
    request = item("step", "fix lint", status=status, provenance="human")
    assert stage_of(request) == stage
