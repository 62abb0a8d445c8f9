"""What is wrong with a rules file (CLAUDE.md, AGENTS.md, GEMINI.md and their like), by rule (docs/reference/audit.md).

Pure: what the disk tells comes as a `RulesGround`. Where a rule is in doubt it keeps silent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from clew.core.gate.shell.purposes import split
from clew.core.state.headings import Purpose, purpose_of
from clew.core.text.segments import Block
from clew.core.text.tokens import estimate
from clew.documents.lint.page import LintFinding, LintPage, spent_at
from clew.documents.lint.rules import is_task_state
from clew.documents.parse.inline import plain
from clew.documents.rules_file.disk import RULES, RulesGround, dead_commands, dead_imports, dead_paths, found

_NAMES: Final[dict[Purpose, str]] = {
    "constraints": "hard constraints",
    "changes": "how changes are made",
    "checks": "the checks",
    "style": "style",
}
# They are hard constraints where what stands below them is hard.
_PERHAPS: Final = re.compile(
    r"^\W*(?:(?:very |most )?important|critical|key|core|mandatory|essential)?\W*(?:rules|patterns|notes?|reminders?|"
    r"instructions|guidelines|warnings?|principles|important|critical|attention|caveats)\W*$|\bmandatory\b",
    re.IGNORECASE,
)
_NORM: Final = re.compile(
    r"\b(?:never|must(?: not)?|do(?:es)? not|don['’]t|always|forbidden|not allowed|prohibited|only|no|avoid|required|"
    r"nunca|nie|jamais|禁止|必须|不要)\b|❌|🚫|⛔",
    re.IGNORECASE,
)
_HARD: Final = re.compile(
    r"\b(?:never|must(?: not)?|do not|don['’]t|forbidden|prohibited|not allowed|no editas?|nunca)\b|❌|🚫|⛔|禁止|必须|"
    r"不要",
    re.IGNORECASE,
)
_ALWAYS: Final = re.compile(r"\balways\b", re.IGNORECASE)
# The language of a text that these rules can judge.
_ENGLISH: Final = re.compile(r"\b(?:the|to|and|is|for|with|of)\b", re.IGNORECASE)
_STUB_TOKENS: Final = 150
_PURPOSES: Final = frozenset(("test", "lint"))
_SPAN: Final = re.compile(r"`([^`\n]{3,160})`")
_POINTS: Final = re.compile(
    r"\.(?:md|rst)\b.*\b(?:tests?|checks?|lint)|\b(?:tests?|checks?|lint).*\.(?:md|rst)\b|\bCONTRIBUTING\b", re.I
)
_CALLED_SO: Final = re.compile(r"\b(?:check|tests?|lint|ci|validate|verify|verification|clippy)\b|init\.sh")


class RulesSection(NamedTuple):
    """A heading at `line`, with what stands below it up to line `last`."""

    line: int
    last: int
    title: str
    sort: Purpose


def sections(page: LintPage) -> list[RulesSection]:
    """The sections whose heading says what they are for, and whose text bears it out. What stands inside of one is a
    part of it.
    """
    made: list[RulesSection] = []
    inside = 0
    for at, place in enumerate(page.places):
        block = place.block
        if block.form != "heading" or (block.level == 1 and block.first <= 3) or (inside and block.level > inside):
            continue
        inside = 0
        title = plain(block.text)
        norms, hard, entries, last = _norms(page, at)
        sort = _sort(title, is_hard=hard >= 2 and hard * 2 >= entries)
        if sort is not None and (sort == "checks" or (hard if sort == "constraints" else norms)):
            made.append(RulesSection(block.first, last, title, sort))
            inside = block.level
    return made


def headed(page: LintPage) -> frozenset[Purpose]:
    """What the headings of a page are for, whatever stands below them."""
    titles = (plain(place.block.text) for place in page.places if place.block.form == "heading")
    return frozenset(sort for title in titles if (sort := _sort(title, is_hard=False)) is not None)


def _sort(title: str, *, is_hard: bool) -> Purpose | None:
    """What a heading is for, where it is one thing. `is_hard`: most of what stands below it must be, or must not."""
    return purpose_of(title) or ("constraints" if is_hard and _PERHAPS.search(title) else None)


def _norms(page: LintPage, at: int) -> tuple[int, int, int, int]:
    """Of the entries below the heading at `at`: those that say what has to be, those that leave no choice, all; and the
    last line below it.
    """
    level, norms, hard, entries, last = page.places[at].block.level, 0, 0, 0, page.places[at].block.last
    for place in page.places[at + 1 :]:
        block = place.block
        if block.form == "heading" and block.level <= level:
            break
        last = block.last
        if block.form in ("item", "text", "row"):
            text = block.text or " ".join(block.cells)
            norms += _NORM.search(text) is not None
            hard += _HARD.search(text) is not None or _ALWAYS.search(text) is not None
            entries += 1
    return norms, hard, entries, last


def order(page: LintPage, _ground: RulesGround) -> Iterator[LintFinding]:
    """Once for hard constraints that stand behind something else, and once for style before the checks."""
    held = sections(page)
    first: dict[Purpose, RulesSection] = {}
    for one in held:
        first.setdefault(one.sort, one)
    hard = first.get("constraints")
    if hard is not None:
        before = [one for one in held if one.line < hard.line and one.sort != "constraints"]
        if before:
            last = before[0]
            yield found(
                "order", hard.line, page.line(hard.line),
                f"hard constraints come after {_NAMES[last.sort]} (“{last.title}”, line {last.line})",
                "Move them to the top: what comes first is followed best.",
            )  # fmt: skip
    checks = [first["checks"].line] if "checks" in first else []
    checked = min([*checks, *(place.block.first for place in page.places if _checks_in(place.block))], default=0)
    style = first.get("style")
    if style is not None and style.last < checked:
        yield found(
            "order", style.line, page.line(style.line), f"style comes before the checks (line {checked})",
            "Move style to the end.",
        )  # fmt: skip


def missing(page: LintPage, ground: RulesGround) -> Iterator[LintFinding]:
    """Of the rules file of a whole project with what it imports, if it is more than a pointer to another one."""
    folder, _, name = page.path.rpartition("/")
    is_pointer = estimate(page.source) < _STUB_TOKENS or re.match(r"\s*@\S+\s*\Z", page.source) is not None
    if folder not in ("", ".claude") or not page.places or name.lower().endswith(".mdc") or is_pointer:
        return
    pages = (page, *ground.imports)
    if not any(_HARD.search(one.source) for one in pages) and len(_ENGLISH.findall(page.source)) * 25 > len(
        page.source.split()
    ):
        yield found("missing", 1, page.line(1), "nothing says what must never be done")
    if not any(map(has_check, pages)):
        yield found("missing", 1, page.line(1), "no command is named that tests or checks the work")


def has_check(page: LintPage) -> bool:
    """Whether a command is named that checks, code that is called so, or a page that tells of it."""
    if any(_POINTS.search(place.block.text.replace("\n", " ")) for place in page.places):
        return True
    told = " ".join(_SPAN.findall(page.source))
    return any(_checks_in(place.block) for place in page.places) or _CALLED_SO.search(told) is not None


def _checks_in(block: Block) -> bool:
    text = block.text or " | ".join(block.cells)
    lines = text.split("\n") if block.form == "code" else _SPAN.findall(text)
    return any(part.purpose in _PURPOSES for line in lines for part in split(line.strip().removeprefix("$ ")))


_NO: Final = re.compile(r"^(?:please )?(?:never|do not|don['’]t|avoid|must not|no)\s+(?:ever )?", re.IGNORECASE)
_YES: Final = re.compile(r"^(?:please )?(?:always|must|do)\s+(?!not\b|never\b)", re.IGNORECASE)
_WORD: Final = re.compile(r"[\w./@-]+")
_IGNORED: Final = frozenset(
    "the a an to in of for and or with your our any all this that use using is are be it".split()
)
_WORDS_MIN: Final = 2
_SAME_WORDS: Final = 7
_CHARS_MAX: Final = 400
_NAMED_MAX: Final = 3


def too_long(page: LintPage, ground: RulesGround) -> Iterator[LintFinding]:
    """The line at which the budget is spent, or the last one where what is imported spends it."""
    brought = sum(estimate(one.source) for one in ground.imports)
    tokens = estimate(page.source) + brought
    if tokens <= ground.budget_tokens:
        return
    last = spent_at(page, ground.budget_tokens)
    names = ", ".join(one.path for one in ground.imports[:_NAMED_MAX])
    more = f", {brought:,} of them imported ({names})" if brought else ""
    message = f"about {tokens:,} tokens{more}, the budget is {ground.budget_tokens:,}: it is spent here"
    yield found("too-long", last, page.line(last), message)


def contradictions(page: LintPage, _ground: RulesGround) -> Iterator[LintFinding]:
    """An order and its opposite in the same words."""
    said: dict[tuple[frozenset[str], bool], int] = {}
    for line, text in _sentences(page):
        for pattern, is_no in ((_NO, True), (_YES, False)):
            match = pattern.match(text)
            words = frozenset(_WORD.findall(text[match.end() :].lower())) - _IGNORED if match else frozenset()
            if len(words) < _WORDS_MIN:
                continue
            other = said.get((words, not is_no))
            said.setdefault((words, is_no), line)
            if other is not None:
                yield found("contradiction", line, page.line(line), f"line {other} says the opposite")


def _sentences(page: LintPage) -> Iterator[tuple[int, str]]:
    for place in page.places:
        block = place.block
        if block.form in ("item", "text") and len(block.text) <= _CHARS_MAX:
            yield block.first, plain(block.text).strip(" .!*_")


def task_state(page: LintPage, _ground: RulesGround) -> Iterator[LintFinding]:
    """Entries that tell where a task stands, and open boxes."""
    for place in page.places:
        block = place.block
        if block.form != "item" or place.nested or len(block.text) > _CHARS_MAX:
            continue
        if is_task_state(plain(block.text)) and not _IS_RULE.search(plain(block.text)):
            yield found("task-state", block.first, page.line(block.first), "it is the state of a task")


# What says how tasks are to be handled is a rule.
_IS_RULE: Final = re.compile(
    r"\b(?:if|when|whenever|until|unless|before|after|never|always|must|should|don['’]t|do not|use|mark|set|status|"
    r"e\.g|example|run|each|every|any)\b|`",
    re.IGNORECASE,
)


def said_twice(page: LintPage, _ground: RulesGround) -> Iterator[LintFinding]:
    """Whole entries of seven words or more."""
    known: dict[str, int] = {}
    for place in page.places:
        block = place.block
        words = " ".join(_WORD.findall(plain(block.text).lower())) if block.form in ("item", "text") else ""
        if words.count(" ") + 1 < _SAME_WORDS or len(block.text) > _CHARS_MAX:
            continue
        if words in known:
            yield found("said-twice", block.first, page.line(block.first), f"line {known[words]} says the same")
        known.setdefault(words, block.first)


_RULE_CHECKS: Final[tuple[Callable[[LintPage, RulesGround], Iterator[LintFinding]], ...]] = (
    dead_paths,
    dead_imports,
    dead_commands,
    order,
    missing,
    too_long,
    contradictions,
    task_state,
    said_twice,
)
# What is asked of rules as a client reads them, not of each file that they are put together from.
_OF_THE_WHOLE: Final = (order, missing, too_long)


def lint(page: LintPage, ground: RulesGround) -> tuple[LintFinding, ...]:
    """What must be fixed, in the order of its lines."""
    order = list(RULES)
    checks = [check for check in _RULE_CHECKS if not (ground.is_part and check in _OF_THE_WHOLE)]
    made = [one for check in checks for one in check(page, ground)]
    return tuple(sorted(made, key=lambda one: (one.line, order.index(one.rule), one.message)))
