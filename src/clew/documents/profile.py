"""Profiles: which kinds of items a document shows, under which headings, in which order. One table for all."""

from __future__ import annotations

from typing import NamedTuple

from clew.core.items import Kind


class Section(NamedTuple):
    """`kinds` go under `heading`. `always`: the heading stands even with nothing under it (then "none recorded")."""

    heading: str
    kinds: tuple[Kind, ...]
    always: bool = False


class Profile(NamedTuple):
    """A document's shape. `left_out`: the kinds left out on purpose; a test holds that none is forgotten."""

    name: str
    title: str
    budget_tokens: int
    sections: tuple[Section, ...]
    left_out: tuple[Kind, ...]


REHYDRATE = Profile(
    name="rehydrate",
    title="Resume",
    budget_tokens=1000,
    sections=(
        Section("Goal", ("goal",)),
        Section("Where we are", ("phase", "step", "validation", "hypothesis")),
        Section("Must stay true", ("constraint",)),
        Section("Decisions and why", ("decision",)),
        Section("Failed approaches (do not retry)", ("failed",), always=True),
        Section("Deferred", ("deferral",)),
        Section("Next action", ("next",), always=True),
        Section("Files in play", ("file",)),
        Section("Open questions, blockers, risks", ("question", "blocker", "risk")),
        Section("Facts worth knowing", ("finding", "assumption", "learning")),
        Section("Don't forget", ("reminder",)),
    ),
    left_out=("read",),
)

PROFILES: dict[str, Profile] = {profile.name: profile for profile in (REHYDRATE,)}
