"""What people call the parts of a plan. A heading or a label is one of these, or says nothing to the reader."""

from __future__ import annotations

import re
from typing import Final, Literal

Part = Literal["validate", "budget", "tier", "depends", "files", "questions", "steps", "other"]

_NAMES: Final[dict[Part, str]] = {
    "validate": """
        validate | validation | validation commands | verify | verification | checks | test | tests | test plan |
        how to verify | how to test | run
    """,
    "budget": "budget | token budget | tokens",
    "tier": "tier | model tier | model",
    "depends": "depends | depends on | dependencies | after | blocked by",
    "files": """
        files | expected files | allowed files | files to change | files expected to change | files to modify |
        files to create | critical files | touches
    """,
    "questions": """
        questions | open questions | unresolved questions | unresolved | clarifications | needs clarification |
        questions for you | questions to answer
    """,
    "steps": """
        steps | tasks | to do | todo | checklist | implementation plan | implementation steps | plan | work |
        implementation | acceptance criteria | definition of done | changes | what to do
    """,
    "other": """
        goal | problem | context | background | approach | root cause | assumptions | invariants | constraints | risks |
        notes | non goals | out of scope | summary | description | overview | why | rollback | decisions |
        alternatives | failed approaches | references | acceptance
    """,
}
_PARTS: Final[dict[str, Part]] = {name.strip(): part for part, names in _NAMES.items() for name in names.split("|")}
# Behind these labels stands a command as it is typed; behind the others of the part it stands in back-quotes.
_PLAIN_COMMAND: Final = "validate"

_LABEL: Final = r"(?P<label>\d+(?:\.\d+)*[a-z]?(?:[-–]\d+)?)\b"
PHASE: Final = re.compile(
    rf"\W*(?P<word>phase|stage|milestone)\s*#?{_LABEL}\s*[:.)\]—–-]*\s*(?P<title>.*)", re.IGNORECASE
)
TASK: Final = re.compile(rf"\W*(?:task|step)\s*#?{_LABEL}\s*[:.)\]—–-]*\s*(?P<title>.*)", re.IGNORECASE)
NUMBERED: Final = re.compile(
    r"(?P<label>\d{1,2}(?:\.\d{1,2})*(?:[a-z](?=[.):]))?)[.):]?\s+(?P<title>\S.*)", re.IGNORECASE
)
# In a list or a sentence only a sign between the number and a title makes it one: "Phase 3 is done" is none.
PHASE_ENTRY: Final = re.compile(
    rf"\W*(?:phase|stage|milestone|task|step)\s*#?{_LABEL}\s*[:.)\]—–-]+\s*(?P<title>\S.*)", re.IGNORECASE
)
_OVER: Final = re.compile(r"✅|☑|✔|\b(?:shipped|completed?|done|finished|released|archived?)\b", re.IGNORECASE)
_NOT_OVER: Final = re.compile(
    r"\b(?:not|in|un)[ -]?(?:yet )?(?:progress|complete|shipped|done|finished)\b|\bto be\b", re.I
)


def part_of(text: str) -> Part | None:
    """The part of a plan that a heading or label names, None for any other words."""
    return _PARTS.get(re.sub(r"[^a-z -]", "", text.lower().replace("-", " ").replace("_", " ")).strip())


def is_over(summary: str) -> bool:
    """Whether the summary of a folded part says that the work in it was done."""
    return _OVER.search(summary) is not None and _NOT_OVER.search(summary) is None


def holds_command(label: str) -> bool:
    """Whether what stands behind this label is a command without back-quotes, too."""
    return label.strip().lower() == _PLAIN_COMMAND
