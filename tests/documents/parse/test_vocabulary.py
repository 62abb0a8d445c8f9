"""Headings and labels as people write them name the kind that a reader would expect."""

from __future__ import annotations

import pytest

from clew.documents.parse import vocabulary
from clew.documents.parse.phrases import TABLE


@pytest.mark.parametrize(
    ("heading", "kind", "status"),
    [
        ("What Was Accomplished", "step", "done"),
        ("✅ Completed This Session", "step", "done"),
        ("Changes Made (v8.47.1)", "step", "done"),
        ("In progress 🚧", "step", "in progress"),
        ("Remaining work", "step", "pending"),
        ("TODO", "step", "pending"),
        ("To-do's", "step", "pending"),
        ("What's Next?", "next", "pending"),
        ("Next Steps (in order)", "next", "pending"),
        ("Next / open", "next", "pending"),
        ("3. Next Session", "next", "pending"),
        ("Acceptance Criteria", "step", ""),
        ("Task(s)", "step", ""),
        ("90-Day Goal", "goal", ""),
        ("Original user request", "goal", ""),
        ("Key Decisions", "decision", ""),
        ("Decisions from the kick-off", "decision", ""),
        ("Design decisions & trade-offs", "decision", ""),
        ("Out of Scope", "deferral", ""),
        ("Deferred to v2", "deferral", ""),
        ("What didn’t work", "failed", ""),
        ("Dead ends", "failed", ""),
        ("What doesn't work / is incomplete", "finding", ""),
        ("Not done — waiting on keys that nobody here has got so far", "step", "pending"),
        ("What is stubbed or deliberately limited", "finding", ""),
        ("Main objectives completed this session", "step", "done"),
        ("Current challenges", "finding", ""),
        ("未実装・現在の制約", "step", "pending"),
        ("Ideas locked in", "decision", ""),
        ("Open, each one a decision", "question", ""),
        ("Things a new session will not guess", "reminder", ""),
        ("Allowed wording", "constraint", ""),
        ("Prohibited claims", "constraint", ""),
        ("Cut list", "deferral", ""),
        ("Suspected cause", "hypothesis", ""),
        ("Hard constraints — DO NOT cross these", "constraint", ""),
        ("Key invariants (full list in CLAUDE.md)", "constraint", ""),
        ("Don't forget", "reminder", ""),
        ("Open questions", "question", ""),
        ("Decision needed before release", "question", ""),
        ("Operational notes / risks", "risk", ""),
        ("Current blockers", "blocker", ""),
        ("Files Created/Modified", "file", ""),
        ("Test Results", "validation", ""),
        ("How to verify", "validation", ""),
        ("Lessons learned", "learning", ""),
        ("Known gotchas", "learning", ""),
        ("Root cause", "finding", ""),
        ("Current State", "finding", ""),
        ("Known issues", "finding", ""),
        ("下一步", "next", "pending"),
        ("Próximos pasos", "next", "pending"),
    ],
)
def test_a_heading_names_its_kind(heading: str, kind: str, status: str) -> None:
    """A synonym that is not known sends a whole section to the notes."""
    found = vocabulary.topic(heading)
    assert found is not None
    assert (kind, status) == (found.kind, found.status)


@pytest.mark.parametrize(
    "heading", ["Usage", "References", "Quick start", "Table of contents", "FAQ", "Example output"]
)
def test_some_headings_say_that_nothing_below_is_filed(heading: str) -> None:
    """Links and examples are no findings."""
    found = vocabulary.topic(heading)
    assert found is not None and found.kind is None


@pytest.mark.parametrize(
    "heading",
    ["Fix the login blocker", "Backend", "Risk management in the trading bot of the second team", "", "⭐", "2026"],
)
def test_a_sentence_or_a_subject_names_nothing(heading: str) -> None:
    """A title that merely holds a word of the table would turn its section into that kind."""
    assert vocabulary.topic(heading) is None


def test_urgency_groups_work_and_warns_in_front_of_words() -> None:
    """ "### Critical" groups work by urgency; "**Critical:** do not push" warns."""
    found = vocabulary.topic("CRITICAL (fix before merge) — 8 items")
    assert found is not None and "step" == found.kind and found.yields
    found = vocabulary.topic("Critical", line=True)
    assert found is not None and "reminder" == found.kind
    assert vocabulary.topic("High priority", line=True) is None


@pytest.mark.parametrize(
    ("heading", "kind", "status"),
    [
        ("Verification plan", "validation", ""),
        ("Next exact steps", "next", "pending"),
        ("Remaining tasks", "step", "pending"),
        ("Completed phase 1 issues", "step", "done"),
        ("Test result", "validation", ""),
        ("Proposed v1 scope", "step", ""),
        ("Final storage design", "decision", ""),
        ("Future possibilities", "deferral", ""),
        ("最终存储方案", "decision", ""),
        ("登录失败的根本原因", "finding", ""),
    ],
)
def test_a_container_says_less_than_what_stands_in_front_of_it(heading: str, kind: str, status: str) -> None:
    """ "Verification plan" is on verification; numbers, plurals and scripts without spaces change nothing."""
    found = vocabulary.topic(heading)
    assert found is not None and (kind, status) == (found.kind, found.status)


def test_a_label_that_ends_in_by_is_about_the_document() -> None:
    """ "Work completed by: Ada" is no work that was completed."""
    assert "meta" == vocabulary.field("Work completed by")


@pytest.mark.parametrize(
    ("label", "field"), [("Why", "why"), ("Rationale", "why"), ("Impact", "field"), ("Author", "meta")]
)
def test_labels_of_an_items_fields(label: str, field: str) -> None:
    """A reason that is filed as an item of its own is lost to what it explains."""
    assert field == vocabulary.field(label)


def test_each_phrase_stands_in_one_row() -> None:
    """Of two rows only the first would count, and the second mislead whoever edits the table."""
    seen: dict[tuple[str, ...], object] = {}
    for topic, phrases in TABLE:
        for phrase in phrases.split("|"):
            words = vocabulary.normal(phrase)
            assert seen.setdefault(words, topic) is topic, phrase


@pytest.mark.parametrize(
    ("heading", "kind", "status"),
    [
        ("Lessons from the migration", "learning", ""),
        ("Risks for the rollout", "risk", ""),
        ("Files I touched", "file", ""),
        ("Issues resolved", "step", "done"),
        ("Errors encountered", "finding", ""),
        ("Cleanup needed", "step", "pending"),
        ("Future considerations", "deferral", ""),
        ("Unresolved decisions", "question", ""),
        ("Rejected ideas", "failed", ""),
        ("Salvaged into main", "step", "done"),
        ("Migrated services", "step", "done"),
        ("Suggested improvements", "step", ""),
        ("Tasks for next session", "next", "pending"),
        ("Items for follow-up", "step", "pending"),
        ("What's left to build", "step", "pending"),
        ("What I worked on", "step", "done"),
        ("What we are not doing", "deferral", ""),
        ("Where we left off", "finding", ""),
        ("Where to pick up", "next", "pending"),
        ("How I tested this", "validation", ""),
        ("How the sync works", "finding", ""),
        ("Things that could go wrong", "risk", ""),
        ("Things to avoid", "constraint", ""),
    ],
)
def test_headings_are_put_together(heading: str, kind: str, status: str) -> None:
    """No table holds all of them: what it is about, how far it is and what is asked are words of their own."""
    found = vocabulary.topic(heading)
    assert found is not None and (kind, status) == (found.kind, found.status)


@pytest.mark.parametrize(
    ("heading", "kind", "status"),
    [
        ("Issues to fix", "step", "pending"),
        ("Things to decide", "question", ""),
        ("Decisions to make before launch", "question", ""),
        ("Decisions still open", "question", ""),
        ("Decisions for the owner", "question", ""),
        ("Notes for whoever goes on", "reminder", ""),
        ("Out of scope for this agent", "deferral", ""),
        ("Areas worth future work", "deferral", ""),
        ("What is not ready yet", "step", "pending"),
        ("Things you must not do", "constraint", ""),
        ("When you start the next session", "next", "pending"),
        ("Current backlog", "step", "pending"),
        ("Measured results", "finding", ""),
        ("Tasks to execute", "step", "pending"),
        ("Locked but not yet implemented", "step", "pending"),
        ("Verification — how to confirm things still work", "validation", ""),
        ("Blocked on the owner", "blocker", ""),
        ("学びと洞察 (Learnings & Insights)", "learning", ""),
        ("Langkah berikutnya", "next", "pending"),
        ("Decisões a tomar", "question", ""),
        ("다음에 할 일", "next", "pending"),
        ("Известные проблемы", "finding", ""),
    ],
)
def test_what_is_said_of_a_heading_s_noun_counts(heading: str, kind: str, status: str) -> None:
    """What things are for, whose they are and how far they are decides about them: "decisions still open" are none."""
    found = vocabulary.topic(heading)
    assert found is not None and (kind, status) == (found.kind, found.status)


@pytest.mark.parametrize(
    "heading",
    [
        "`getContext()`",
        "For each task",
        "If the build fails",
        "Degraded mode",
        "The parser reached parity",
        "Risk management in the trading bot of the second team",
        "Fix the login blocker",
    ],
)
def test_names_and_scenes_name_nothing(heading: str) -> None:
    """ "For each task:" opens a procedure, not the goal."""
    assert vocabulary.topic(heading) is None


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Path forward", "next"),
        ("Punch list", "step"),
        ("Not yet built", "step"),
        ("Fragile areas", "risk"),
        ("Needs your input", "question"),
        ("Advice for the next agent", "reminder"),
        ("Known rough edges", "finding"),
        ("Important patterns and preferences", "constraint"),
        ("Current technical patterns", "finding"),
        ("検証結果", "validation"),
        ("次に着手する推奨順", "next"),
    ],
)
def test_what_people_call_their_sections(heading: str, kind: str) -> None:
    """Each of these is as common as the plain word for it."""
    found = vocabulary.topic(heading)
    assert found is not None and kind == found.kind


def test_a_label_that_says_how_something_is_done_names_nothing() -> None:
    """ "Adding a decision: …" is no decision."""
    assert vocabulary.topic("Adding a decision", line=True) is None
    assert vocabulary.topic("Waiting on the owner", line=True) is not None


@pytest.mark.parametrize(
    ("text", "kind", "status"),
    [
        ("Open → QUESTIONS.md", "question", ""),
        ("Approaches ruled out", "failed", ""),
        ("Traps found on the way, worth a minute before one begins with the tests", "learning", ""),
        ("Things the user asked for", "goal", ""),
        ("Was als Erstes zu tun ist", "next", "pending"),
        ("Zwei Punkte, die noch zu tun sind", "step", "pending"),
        ("遗留问题", "finding", ""),
        ("Riesgos pendientes", "risk", ""),
        ("Próximos pasos priorizados", "next", "pending"),
    ],
)
def test_more_of_how_people_name_things(text: str, kind: str, status: str) -> None:
    """A pointer names by the file it points to, a long heading by its front, a thing by what is said of it."""
    found = vocabulary.topic(text)
    assert found is not None
    assert (kind, status) == (found.kind, found.status)


@pytest.mark.parametrize(
    ("text", "kind", "status"),
    [
        ("Left for the user", "step", "pending"),
        ("Things that were wrong and got fixed during verification", "step", "done"),
        ("Plan is finished when", "constraint", ""),
        ("Questions resolved today", "decision", ""),
        ("All blocking issues resolved", "step", "done"),
        ("Status as of 2026-06-05", "finding", ""),
        ("What works well", "finding", ""),
        ("What worked well", "learning", ""),
        ("Uncommitted changes", "step", "in progress"),
        ("現在のフォーカス", "goal", "in progress"),
    ],
)
def test_the_head_of_a_phrase_says_what_it_is(text: str, kind: str, status: str) -> None:
    """What stands behind a preposition, and a word on the time, say less than the noun and how far it is."""
    found = vocabulary.topic(text)
    assert found is not None
    assert (kind, status) == (found.kind, found.status)


def test_what_a_list_is_taken_from_names_nothing() -> None:
    """ "Based on open files:" does not take the heading's topic away."""
    assert vocabulary.topic("Based on open files and recent activity") is None
    assert vocabulary.topic("Open files") is not None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Design decisions to validate", "question"),
        ("Why one file (decisions already made — do not relitigate)", "decision"),
        ("Modules to implement", "step"),
        ("Environment note", "finding"),
        ("Trigger conditions (all must hold)", "constraint"),
    ],
)
def test_what_says_more_than_its_noun_counts(text: str, kind: str) -> None:
    """What is to be done with a thing, and what an aside says of it."""
    found = vocabulary.topic(text)
    assert kind == (found and found.kind)


@pytest.mark.parametrize("text", ["Not finished", "Not merged to main", "Not fully implemented"])
def test_what_is_not_done_is_to_be(text: str) -> None:
    """A word turns it round."""
    found = vocabulary.topic(text)
    assert ("step", "pending") == (found and (found.kind, found.status))


def test_a_convention_is_a_rule() -> None:
    """One of them, too, and what it is for stands behind it."""
    found = vocabulary.topic("Trigger convention in caller repos")
    assert "constraint" == (found and found.kind)
