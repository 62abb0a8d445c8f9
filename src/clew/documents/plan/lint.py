"""What is wrong with a plan, by rule: what whoever carries it out could not act on, prove, or end; and what it names:
files, functions, classes and the like, only what is surely meant as a name. Pure.

Where a rule is in doubt it keeps silent. What is wrong with any document is `documents/lint`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from clew.core.plan.plan import Phase, Plan
from clew.core.text.segments import segments
from clew.documents.lint.page import LintFinding, LintRule, finding, rows_of
from clew.documents.lint.rules import is_empty_phrase, is_placeholder
from clew.documents.parse.inline import plain
from clew.documents.paths import ENDINGS

_TABLE: Final = (
    LintRule("no-phases", "The plan has no phase and no step.",
             'Add "## Phase 1: …" with steps as "- [ ] …".', grave=True),
    LintRule("no-steps", "A phase has no steps.", 'Add what is to be done, one "- [ ] …" a line.'),
    LintRule("empty-step", "A step says nothing that somebody could act on.",
             "Say which file, which behaviour, which result."),
    LintRule("unfilled", "A place of the template was not filled in.", "Write what belongs there, or take it out.",
             grave=True),
    LintRule("no-validation", "A phase names no command that proves it.", 'Add "- validate: `COMMAND`".'),
    LintRule("weak-validation", "A command cannot fail, so that it proves nothing.",
             "Take out what hides its exit code, and name a command that checks something."),
    LintRule("no-budget", "A phase has no token budget.", 'Add "- budget: 100k".'),
    LintRule("nested-list", "Steps are nested below steps.", "Make each a step of its own, or a phase."),
    LintRule("bad-dependency", "Phases wait for each other in a circle, or a phase for a later one.",
             "Put the phases in the order in which they can be done.", grave=True),
    LintRule("open-question", "A question waits for its answer.", "Answer it: `clew plan questions`."),
)  # fmt: skip
PLAN_RULES: Final = {rule.id: rule for rule in _TABLE}

# A command that succeeds whatever it finds.
_HIDES: Final = re.compile(r"\|\|\s*(?:true|:|exit 0|echo\b)|;\s*(?:true|exit 0|:)\s*$|--exit-zero\b|--dry-run\b")
_NOTHING: Final = re.compile(r"\s*(?::|true|exit 0|echo\b[^|;&]*|ls\b[^|;&]*|cat\b[^|;&]*|pwd)\s*")
_VERBS: Final = frozenset(
    """add adjust address analyze build check clean complete continue create debug do document ensure finalize finish
    fix handle implement improve integrate investigate look make matching optimize polish prepare refactor research
    review run setup support test tests update validate verify work write""".split()
)
_IT: Final = frozenset(
    """a all and any as both code codebase everything feature features functionality it logic needed new of on pending
    possible project required rest stuff system that the them things this up etc necessary work properly correctly
    changes""".split()
)


def lint_plan(plan: Plan) -> tuple[LintFinding, ...]:
    """What must be fixed, in the order of the plan's lines."""
    if not plan.phases:
        return (_found("no-phases", 0, "", "the plan has no phase and no step"),)
    made = [*_of_plan(plan), *_places(plan), *(one for phase in plan.phases for one in _of_phase(phase))]
    order = list(PLAN_RULES)
    return tuple(sorted(made, key=lambda one: (one.line, order.index(one.rule), one.message)))


def grave(findings: tuple[LintFinding, ...]) -> tuple[LintFinding, ...]:
    """Those with which a plan is not approved."""
    return tuple(one for one in findings if PLAN_RULES[one.rule].grave)


def _found(rule: str, line: int, text: str, message: str) -> LintFinding:
    return finding(PLAN_RULES, rule, line + 1, text, message)


def _of_plan(plan: Plan) -> Iterator[LintFinding]:
    lines = plan.text.split("\n")
    for question in plan.questions:
        line = next((at for at, row in enumerate(lines) if question in row), 0)
        yield _found("open-question", line, question, "nobody answered it yet")
    for phase in plan.phases:
        later = [number for number in phase.depends if number >= phase.number]
        if later:
            waits = f"phase {phase.number} waits for phase {', '.join(map(str, later))}, which comes behind it"
            yield _found("bad-dependency", phase.line, phase.title, waits)


def _places(plan: Plan) -> Iterator[LintFinding]:
    """Places of a template, and steps below steps."""
    steps = {step.line for phase in plan.phases for step in phase.steps}
    nested = 0
    lines = plan.text.split("\n")
    for block in segments(lines):
        words = plain(lines[block.first - 1] if block.form == "other" else block.text)
        behind = words.partition(": ")[2].strip("`") or words
        if block.form in ("item", "text", "other", "heading") and (is_placeholder(words) or is_placeholder(behind)):
            yield _found("unfilled", block.first - 1, words, f'"{words or "<…>"}" was never filled in')
        if block.form == "item" and block.level > 1 and block.box and block.first - 1 in steps:
            nested = nested or block.first
    if nested:
        yield _found("nested-list", nested - 1, "", "a step is nested below another one")


def _of_phase(phase: Phase) -> Iterator[LintFinding]:
    named = f"phase {phase.number}"
    if not phase.steps:
        yield _found("no-steps", phase.line, phase.title, f"{named} has no steps")
    if not phase.validate:
        yield _found("no-validation", phase.line, phase.title, f"{named} names no command that proves it")
    if not phase.budget_tokens:
        yield _found("no-budget", phase.line, phase.title, f"{named} has no token budget")
    for command in phase.validate:
        if _HIDES.search(command) or _NOTHING.fullmatch(command):
            yield _found("weak-validation", phase.line, command, f"`{command}` succeeds whatever is wrong")
    for step in phase.steps:
        words = plain(step.text)
        if not is_placeholder(words) and is_empty_step(words):
            yield _found("empty-step", step.line, step.text, f'"{words}" says nothing to act on')


def is_empty_step(text: str) -> bool:
    """Whether a step says nothing to act on: an empty phrase, or a verb with nothing but filling behind it. What holds
    a name, a number or code says something.
    """
    if is_empty_phrase(text):
        return True
    if re.search(r"[`/._(){}\d]|[a-z][A-Z]", text.rstrip(".")):
        return False
    words = re.findall(r"[a-z'-]+", text.lower())
    return bool(words) and words[0] in _VERBS and all(word in _IT or word in _VERBS for word in words[1:])


_CODE: Final = re.compile(r"(?<!`)`([^`\n]{2,160})`(?!`)")
_ENDING: Final = r"\.[A-Za-z][A-Za-z0-9]{0,5}"
_PATH: Final = re.compile(
    rf"(?:\./)?((?:[\w@.+-]+/)+[\w@.+*-]+|[\w@+-]+(?:\.[\w@+-]+)*{_ENDING})(?::\d+(?:[-,]\d+)*)?/?"
)
_BARE: Final = re.compile(rf"(?<![\w`/.:@-])((?:[\w@.+-]+/)+[\w@+-]+{_ENDING})(?::\d+(?:-\d+)?)?(?![\w`/])")
_SYMBOL: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$~][\w$]*)*(?:\([^()]*\))?")
# Said of what is still to be made, or to go.
_TO_BE_MADE: Final = re.compile(
    r"\b(?:creat(?:e|es|ing)|new|add(?:s|ing)?|introduc\w+|writ(?:e|es|ing)(?! down\b)|generat\w+|extract\w*|rename\w*|"
    r"mov(?:e|es|ing)|split|delet\w+|remov\w+|call(?:ed)? it|named?|tests? (?:in|for))\b",
    re.IGNORECASE,
)
# Words in back-quotes that are no name of the code's.
_NO_NAMES: Final = frozenset(
    """true false none null self this todo done main master dev prod test tests build run install debug release
    default yes no on off ok error git make npm npx yarn pnpm pip uv python node cargo go docker bash sh zsh utf-8 json
    yaml toml get post put patch delete head options int str float bool bytes list dict set tuple string number object
    array void any validate budget tier depends files""".split()
)


class Named(NamedTuple):
    """A name in a plan. `line` counts from 1. `is_ahead`: the line says that it is to be made, or to go."""

    kind: Literal["file", "symbol"]
    name: str
    line: int
    is_ahead: bool


def named(plan: Plan) -> tuple[Named, ...]:
    """What the plan names, in order, each once: what any line says is to be made, is; what only the files of a phase
    name may be.
    """
    found: dict[tuple[str, str], Named] = {}
    for one in _names_in(plan):
        key = one.kind, one.name
        if key not in found or (one.is_ahead and not found[key].is_ahead):
            found[key] = one
    for phase in plan.phases:
        for path in phase.files:
            name = path.removeprefix("./")
            found.setdefault(("file", name), Named("file", name, phase.line + 1, True))
    return tuple(sorted(found.values(), key=lambda one: (one.line, one.name)))


def _names_in(plan: Plan) -> Iterator[Named]:
    commands = {command for phase in plan.phases for command in phase.validate}
    for block in segments(plan.text.split("\n")):
        if block.form not in ("item", "text", "row", "heading"):
            continue
        for line, row in rows_of(block):
            bare = _CODE.sub("·", row)
            is_ahead = _TO_BE_MADE.search(bare) is not None
            for code in _CODE.findall(row):
                if code not in commands and (one := _name(code)):
                    yield Named(one[0], one[1], line, is_ahead)
            for match in _BARE.finditer(bare):
                if "://" not in bare[: match.start() + 8]:
                    yield Named("file", match[1], line, is_ahead)


def _name(code: str) -> tuple[Literal["file", "symbol"], str] | None:
    """What stands in back-quotes, if it is a name: a path, or a word that only code has."""
    path = _PATH.fullmatch(code)
    if path is not None and ("/" in path[1] or path[1].rpartition(".")[2].lower() in ENDINGS) and "*" not in path[1]:
        return "file", path[1].rstrip("/")
    if _SYMBOL.fullmatch(code) is None:
        return None
    is_call = code.endswith(")")
    name = code.partition("(")[0]
    parts = re.split(r"\.|::|#", name)
    is_coded = (
        is_call or len(parts) > 1 or "_" in name.strip("_") or re.search(r"[a-z0-9][A-Z]|^[A-Z][a-z]+[A-Z]", name)
    )
    if not is_coded or name.lower() in _NO_NAMES or name.isupper():
        return None
    return "symbol", name
