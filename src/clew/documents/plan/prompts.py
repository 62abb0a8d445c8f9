"""The prompts of a plan: to plan, which asks for a document and changes nothing, to carry out one phase, which asks for
deeds; and what a new plan begins as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clew.core.plan.plan import Phase, Plan, Step
from clew.documents.escaping import claimed, safe
from clew.documents.plan.grammar import amount, phase_rows

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


REVIEW: Final = "review"
_STEP: Final = "For each step: **read** the state it is about, **do** it, **record** what came of it."
_RECORD: Final = (
    '`clew decide "…" --why "…"` for what you chose, `clew reject "…" --why "the real error"` for what failed, and the '
    "step's box with `clew plan tick N.M`."
)


def execution_prompt(
    plan: Plan,
    phase: Phase,
    *,
    constraints: Sequence[str] = (),
    dead_ends: Sequence[str] = (),
    decisions: Sequence[str] = (),
    unattended: bool = False,
) -> str:
    """The prompt to carry out `phase`. `constraints`, `dead_ends` and `decisions` are lines of the task's state.
    A review sees the decisions, and what was changed instead of steps: it did none of it. `unattended`: a run carries
    it out, which runs the checks itself, and commits.
    """
    is_review = phase.tier == REVIEW
    rows = [
        f"# Phase {phase.number} of {len(plan.phases)}: {_line(phase.title)}",
        "",
        f"Of: {_line(plan.title)}. Do this phase and nothing else. The plan is decided: do not plan again; if a step "
        "turns out to be wrong, stop and say so.",
    ]
    done = [one for one in plan.phases if one.status == "done" and one.outcome]
    rows += _part("Done before (do not redo)", [f"- Phase {one.number}: {_line(one.outcome)}" for one in done])
    if is_review:
        rows += _part("Look at", ["- `clew phase diff`: all that changed. Read it as somebody who wrote none of it."])
        rows += _part("Decided (judge by it)", _listed(decisions))
    steps = (
        f"[{'x' if step.ticked else ' '}] {phase.number}.{n} {_line(step.text)}"
        for n, step in enumerate(phase.steps, 1)
    )
    rows += _part("Steps", [f"- {step}" for step in steps])
    rows += _part("May change", [f"- {_line(name)}" for name in phase.files] or ["- what the steps name; nothing else"])
    rows += _part("Must stay true", _listed(constraints))
    rows += _part("Failed before (do not retry)", _listed(dead_ends))
    proofs = [f"- `{safe(command)}`" for command in phase.validate]
    rows += _part("Proved by", proofs or ["- nothing yet: say so, and ask"])
    rows += ["", "## How", ""]
    rows += [] if is_review else [f"- {_STEP}", "- The smallest difference that does it. No clean-up beside the way."]
    rows += [f"- Record as you go: {_RECORD}"]
    if phase.budget_tokens:
        rows.append(f"- At most {amount(phase.budget_tokens)} tokens. When it gets short, end at a step's boundary.")
    rows += ["", "## Stop when", "", *(_UNATTENDED if unattended else _attended(phase))]
    return "\n".join(rows) + "\n"


# The words that a run looks for at the beginning of a line (`app/run/working.py`).
OUTCOME: Final = "OUTCOME:"
BLOCKED: Final = "BLOCKED:"
CAUSE: Final = "CAUSE:"
ANSWERS: Final = (OUTCOME, BLOCKED, CAUSE)
_UNATTENDED: Final = (
    f"- all steps are done: the last line of your last message is `{OUTCOME} what it did, in a line`. Who started you "
    "runs the checks then, and commits; do neither `git commit` nor `clew phase`;",
    f"- you fixed what the checks found: before it, `{CAUSE} why they failed, and what you changed`;",
    "- something outside this phase would have to change, or a question only a person can answer comes up: the last "
    f"line is `{BLOCKED} the question, or what stands in the way`. Nobody is there who could answer meanwhile.",
)


def _attended(phase: Phase) -> tuple[str, ...]:
    return (
        f'- all steps are done: `clew phase done {phase.number} --outcome "what it did, in a line"` runs the checks;',
        "- the checks fail: one fix, its cause stated, one more run; if that fails, stop and explain;",
        "- something outside this phase would have to change, or a question only a person can answer comes up: "
        '`clew ask "…" --blocking`.',
    )


def _line(text: str) -> str:
    return claimed(safe(text))


def _listed(lines: Sequence[str]) -> list[str]:
    return [f"- {_line(line)}" for line in lines]


def _part(heading: str, rows: Sequence[str]) -> list[str]:
    return ["", f"## {heading}", "", *rows] if rows else []


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
_STEP_PLACE: Final = "<one thing to do, with its file>"
_CHECK: Final = "<the command that proves it>"
_ANALYSED: Final = "<what is to be found out, and the file that it is written into>"
_TESTED: Final = "<the behaviour that is not tested yet, and its test file>"
_REVIEWED: Final = "Read `clew phase diff` against constraints and decisions; list what is wrong"


# An analysis writes its result down, a review reads the difference in a fresh context.
_PHASED: Final = (
    Phase(1, "Analysis", (Step(_ANALYSED),), (_CHECK,), 50_000, "plan"),
    Phase(2, "Implementation", (Step(_STEP_PLACE),), (_CHECK,), 200_000, "build", (1,)),
    Phase(3, "Testing", (Step(_TESTED),), (_CHECK,), 100_000, "build", (2,)),
    Phase(4, "Review", (Step(_REVIEWED),), (_CHECK,), 50_000, "review", (3,)),
)
_PLAIN: Final = (Phase(1, "<what is there when it is done>", (Step(_STEP_PLACE),), (_CHECK,), 100_000, "build"),)
TEMPLATES: Final = {"plain": _PLAIN, "phased": _PHASED}


def template(name: str, title: str) -> str:
    """The text of a new plan with this title."""
    rows = [f"# {title}", ""]
    for heading, place in SECTIONS:
        rows += [f"## {heading}", "", place, ""]
    for phase in TEMPLATES[name]:
        rows += [f"## Phase {phase.number}: {phase.title}", "", *phase_rows(phase), ""]
    return "\n".join(rows)
