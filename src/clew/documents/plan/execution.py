"""The execution prompt: one phase, and nothing of the others. What to do, by what it is proved, where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clew.core.plan.plan import Phase, Plan, Step
from clew.documents.escaping import claimed, safe
from clew.documents.plan.grammar import amount

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
    project_validate: Sequence[str] = (),
    unattended: bool = False,
) -> str:
    """The prompt to carry out `phase`. `constraints`, `dead_ends` and `decisions` are lines of the task's state;
    `project_validate` are commands that hold for every phase. A review sees the decisions, and what was changed instead
    of steps: it did none of it. `unattended`: a run carries it out, which runs the checks itself, and commits.
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
    rows += _part("Steps", [_step(phase, number, step) for number, step in enumerate(phase.steps, 1)])
    rows += _part("May change", [f"- {_line(name)}" for name in phase.files] or ["- what the steps name; nothing else"])
    rows += _part("Must stay true", _listed(constraints))
    rows += _part("Failed before (do not retry)", _listed(dead_ends))
    commands = list(dict.fromkeys((*phase.validate, *project_validate)))
    rows += _part("Proved by", [f"- `{safe(command)}`" for command in commands] or ["- nothing yet: say so, and ask"])
    rows += ["", "## How", ""]
    rows += [] if is_review else [f"- {_STEP}", "- The smallest difference that does it. No clean-up beside the way."]
    rows += [f"- Record as you go: {_RECORD}"]
    if phase.budget_tokens:
        rows.append(f"- At most {amount(phase.budget_tokens)} tokens. When it gets short, end at a step's boundary.")
    rows += ["", "## Stop when", "", *(_UNATTENDED if unattended else _attended(phase))]
    return "\n".join(rows) + "\n"


# The words that a run looks for at the beginning of a line (`app/run/prompt.py`).
OUTCOME: Final = "OUTCOME:"
BLOCKED: Final = "BLOCKED:"
CAUSE: Final = "CAUSE:"
ANSWERS: Final = (OUTCOME, BLOCKED, CAUSE)
_UNATTENDED: Final = (
    f"- all steps are done: the last line of your last message is `{OUTCOME} what it did, in a line`. Who started you "
    "runs the checks then, and commits; do neither `git commit` nor `clew phase`;",
    f"- you mended what the checks found: before it, `{CAUSE} why they failed, and what you changed`;",
    "- something outside of this phase would have to change, or a question only a person can answer comes up: the last "
    f"line is `{BLOCKED} the question, or what stands in the way`. Nobody is there who could answer meanwhile.",
)


def _attended(phase: Phase) -> tuple[str, ...]:
    return (
        f'- all steps are done: `clew phase done {phase.number} --outcome "what it did, in a line"` runs the checks;',
        "- the checks fail: one fix, its cause stated, one more run; if that fails, stop and explain;",
        "- something outside of this phase would have to change, or a question only a person can answer comes up: "
        '`clew ask "…" --blocking`.',
    )


def _line(text: str) -> str:
    return claimed(safe(text))


def _step(phase: Phase, number: int, step: Step) -> str:
    return f"- [{'x' if step.ticked else ' '}] {phase.number}.{number} {_line(step.text)}"


def _listed(lines: Sequence[str]) -> list[str]:
    return [f"- {_line(line)}" for line in lines]


def _part(heading: str, rows: Sequence[str]) -> list[str]:
    return ["", f"## {heading}", "", *rows] if rows else []
