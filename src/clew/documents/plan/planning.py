"""The planning prompt: what is to be found out and written down before anything is changed. It asks for a document;
the execution prompt (`execution.py`) asks for deeds, and holds no plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clew.core.plan.plan import Plan
from clew.documents.escaping import claimed, safe

QUESTIONS_AT_ONCE: Final = 5

_ORDER: Final = (
    ("Questions", f"what you cannot know and only a person can decide; at most {QUESTIONS_AT_ONCE} at a time, the one "
     'that changes most first; "none" if there are none'),
    ("Problem", "restated in two sentences of your own"),
    ("Approach", "the root cause, with the evidence for it, or the approach and why not another one"),
    ("Assumptions", "what you take as true, and what would disprove it"),
    ("Files", "each file that is expected to change, and what changes there"),
    ("Invariants", "what must be as it was when all is done"),
    ("Risks", "what may go wrong, and what would tell"),
)  # fmt: skip
_PHASE: Final = """\
## Phase N: what is there when it is done
- [ ] one thing to do, with its file
- validate: `the exact command that proves it`
- budget: 100k
- tier: build
- depends: 1
- files: src/a.py, tests/test_a.py"""
_REVIEW: Final = "The last phase is a review in a fresh context, with the tier `review`."


def planning_prompt(
    goal: str,
    *,
    known: Sequence[str] = (),
    open_questions: Sequence[tuple[str, str]] = (),
    answered: Sequence[tuple[str, str]] = (),
    plan: Plan | None = None,
) -> str:
    """The prompt to plan `goal`. `known` are lines of what must stay true, was decided and failed; `open_questions` are
    (id, text) of what waits for an answer, `answered` (question, answer). `plan` is what was planned so far.
    """
    rows = [
        "# Plan, and change nothing",
        "",
        f"Goal: {claimed(safe(goal))}",
        "",
        "Read only what the goal needs: the files it is about, their tests, and who calls them. While planning, only "
        "what reads goes through; reproducing a fault with the project's own checks is reading. Write no code.",
        "",
        "Write the plan in this order, with these headings, flat lists, and nothing that the next session could not "
        "act on:",
        "",
        *(f"{number}. **{heading}**: {what}." for number, (heading, what) in enumerate(_ORDER, 1)),
        f"{len(_ORDER) + 1}. **Phases**: each ends with a command that proves it, and fits one fresh context:",
        "",
        "```markdown",
        _PHASE,
        "```",
        "",
        _REVIEW,
    ]
    rows += _part("What holds already", [f"- {claimed(safe(line))}" for line in known])
    rows += _part("Answered", [f"- {claimed(safe(q))} → {claimed(safe(a))}" for q, a in answered])
    shown = list(open_questions)[:QUESTIONS_AT_ONCE]
    rows += _part("Still open (ask these first)", [f"- {name}: {claimed(safe(text))}" for name, text in shown])
    if plan is not None and plan.phases:
        listed = [f"{one.number}. {claimed(safe(one.title))}: {one.status}" for one in plan.phases]
        rows += _part("Planned so far (`clew plan show`)", listed)
    rows += [
        "",
        "Hand it over with `clew plan edit -` (the text on stdin), or the MCP tool `plan`. Then stop: a person reads "
        "it, answers, and approves it with `clew plan approve`.",
    ]
    return "\n".join(rows) + "\n"


def _part(heading: str, rows: Sequence[str]) -> list[str]:
    return ["", f"## {heading}", "", *rows] if rows else []
