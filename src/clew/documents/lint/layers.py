"""What stands in the wrong layer: conventions belong in the rules file, stable facts in memory, where a task stands
in its hand-off (SPEC C10). Words only; where a rule is in doubt it keeps silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from clew.documents.lint.finding import Finding, Ground, found
from clew.documents.lint.page import Page
from clew.documents.parse.inline import plain

Layer = Literal["rules", "memory", "payload"]

_RULES_NAMES: Final = frozenset(("claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md"))
_MEMORY_FOLDERS: Final = frozenset(("memory", "memories"))
_TEXT_CHARS_MAX: Final = 400
# Where a task stands: it ages within days, whatever the words around it.
_STATE: Final = re.compile(
    r"\b(?:in progress|wip|half[- ]done|not (?:yet )?(?:done|finished|started|merged|committed|pushed)|"
    r"still (?:to do|open|failing|missing|pending)|left to do|"
    r"next (?:step|action) (?:is|will be|:)|next (?:step|action|up):|resume (?:at|from|here|with)|todo:|to[- ]do:|"
    r"(?:we are|we['’]re|i am|i['’]m|currently) (?:working|debugging|fixing|implementing|waiting|blocked)|"
    r"blocked (?:by|on) |(?:waiting|waits) for (?:review|ci|answer|approval)|phase \d+ (?:of|is|done|in|next)|"
    r"(?:done|finished|fixed|left|stopped|broke) (?:today|yesterday|this session|last session)|uncommitted changes|"
    r"(?:pr|pull request|mr) #?\d+ (?:is|was|still|needs?|waits?) (?:open|draft|in review|review|waiting)|"
    r"\d+ (?:of|/) ?\d+ (?:tests?|steps?|tasks?|phases?) (?:pass|done|left|green|fail))",
    re.IGNORECASE,
)
_BOX: Final = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s")
# How code is to be written everywhere: a norm, and what it is about.
_NORM: Final = (
    r"(?:always|never|must(?: not)?|should(?: not|n['’]t)?|prefer|use|don['’]t use|do not use|avoid|keep|write|follow|"
    r"name|format|indent|run|put|stick to|no)"
)
_ABOUT: Final = (
    r"(?:camelcase|snake_case|kebab-case|pascalcase|(?:\d+|two|four)[- ]spaces?|tabs|semicolons?|single quotes?|"
    r"double quotes?|trailing commas?|line (?:length|width)s?|naming convention|code style|coding style|type hints?|"
    r"type annotations?|docstrings?|import order|sorted imports?|early returns?|guard clauses|arrow functions?|"
    r"functional components?|conventional commits?|commit messages?|imperative mood|pep ?8|eslint|prettier|ruff|black|"
    r"gofmt|clippy|rustfmt|mypy|comments in|tests? for (?:every|each|all|new)|one class per file|"
    r"(?:any|`any`) types?)"
)
_CONVENTION: Final = re.compile(rf"\b{_NORM}\b.{{0,60}}\b{_ABOUT}|\b{_ABOUT}.{{0,40}}\b(?:always|never|must)\b", re.I)


def is_task_state(text: str) -> bool:
    """Whether a text tells where a task stands."""
    return _STATE.search(text[:_TEXT_CHARS_MAX]) is not None


def is_convention(text: str) -> bool:
    """Whether a text tells how code is to be written, in whatever task."""
    return _CONVENTION.search(text[:_TEXT_CHARS_MAX]) is not None


def layer_of(page: Page) -> Layer | None:
    """The layer that a document is of, by its name and what it is for; None for a document of none."""
    *folders, name = page.path.lower().split("/")
    if name in _RULES_NAMES or (folders[-2:] == [".claude", "rules"]):
        return "rules"
    if name == "memory.md" or (_MEMORY_FOLDERS.intersection(folders[-2:]) and page.genre == "reference"):
        return "memory"
    return "payload" if page.genre == "handoff" else None


def wrong_layer(page: Page, _ground: Ground) -> Iterator[Finding]:
    """Entries that belong elsewhere: in a hand-off conventions, in memory and rules the state of a task."""
    layer = layer_of(page)
    if layer is None:
        return
    for place in page.places:
        block = place.block
        if block.form not in ("item", "text") or place.nested or len(block.text) > _TEXT_CHARS_MAX:
            continue
        line, text = page.line(block.first), plain(block.text)
        if page.parsed.format == "clew" and "“" in text:
            continue  # the user's own words, told as they were said
        if layer == "payload":
            if block.form == "item" and is_convention(text) and not is_task_state(text):
                yield found("wrong-layer", block.first, line, "a convention stands in a hand-off", _TO_RULES)
        elif layer == "memory" and _BOX.match(line) is not None:
            yield found("wrong-layer", block.first, line, f"an open step of a task stands in {_NAMES[layer]}", _TO_TASK)
        elif is_task_state(text) and block.form == "item":
            yield found("wrong-layer", block.first, line, f"the state of a task stands in {_NAMES[layer]}", _TO_TASK)


_NAMES: Final = {"rules": "a rules file", "memory": "memory", "payload": "a hand-off"}
_TO_RULES: Final = "Move it to the rules file (CLAUDE.md, AGENTS.md), which every session is given anyway."
_TO_TASK: Final = 'Record it for the task (`clew note step "…"`, `clew next "…"`), and take the line out.'
