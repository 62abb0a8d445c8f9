"""What a new plan begins as. Its places are for whoever plans; `lint` calls out those that nobody filled in."""

from __future__ import annotations

from typing import Final, NamedTuple

from clew.core.plan.plan import Phase, Step
from clew.documents.plan.grammar import phase_rows

# In the order in which planning goes: what is not known is asked before anything is decided.
SECTIONS: Final = (
    ("Questions", "- <a question that only a person can answer; or none>"),
    ("Problem", "<the problem, restated in two sentences>"),
    ("Approach", "<the root cause, or the approach and why this one>"),
    ("Assumptions", "- <what is taken as true, and what would disprove it>"),
    ("Files", "- <PATH: what changes there>"),
    ("Invariants", "- <what must stay as it is>"),
    ("Risks", "- <what may go wrong, and what would tell>"),
)
_STEP: Final = "<one thing to do, with its file>"
_CHECK: Final = "<the command that proves it>"


class _Part(NamedTuple):
    title: str
    budget_tokens: int
    tier: str
    steps: tuple[str, ...]


# An analysis writes its result down, a review reads the difference in a fresh context.
_PHASED: Final = (
    _Part("Analysis", 50_000, "plan", ("<what is to be found out, and the file that it is written into>",)),
    _Part("Implementation", 200_000, "build", (_STEP,)),
    _Part("Testing", 100_000, "build", ("<the behaviour that is not tested yet, and its test file>",)),
    _Part(
        "Review", 50_000, "review", ("Read `clew phase diff` against constraints and decisions; list what is wrong",)
    ),
)
_PLAIN: Final = (_Part("<what is there when it is done>", 100_000, "build", (_STEP,)),)
TEMPLATES: Final = {"plain": _PLAIN, "phased": _PHASED}


def template(name: str, title: str) -> str:
    """The text of a new plan with this title."""
    rows = [f"# {title}", ""]
    for heading, place in SECTIONS:
        rows += [f"## {heading}", "", place, ""]
    for number, part in enumerate(TEMPLATES[name], 1):
        depends = (number - 1,) if number > 1 else ()
        steps = tuple(Step(text) for text in part.steps)
        phase = Phase(number, part.title, steps, (_CHECK,), part.budget_tokens, part.tier, depends)
        rows += [f"## Phase {number}: {part.title}", "", *phase_rows(phase), ""]
    return "\n".join(rows)
