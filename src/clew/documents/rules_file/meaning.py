"""What rules say: too much, twice, the opposite, or where a task stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.core.gate.shell.purposes import split
from clew.core.gate.shell.words import program
from clew.core.text.tokens import estimate
from clew.documents.lint.finding import Finding
from clew.documents.lint.layers import is_task_state
from clew.documents.lint.page import Page, rows_of, spent_at
from clew.documents.parse.inline import plain
from clew.documents.rules_file.finding import Ground, found

_NO: Final = re.compile(r"^(?:please )?(?:never|do not|don['’]t|avoid|must not|no)\s+(?:ever )?", re.IGNORECASE)
_YES: Final = re.compile(r"^(?:please )?(?:always|must|do)\s+(?!not\b|never\b)", re.IGNORECASE)
_WORD: Final = re.compile(r"[\w./@-]+")
_IGNORED: Final = frozenset(
    "the a an to in of for and or with your our any all this that use using is are be it".split()
)
_WORDS_MIN: Final = 2
_SAME_WORDS: Final = 7
_PROGRAM: Final = r"[`*]*(npm|npx|yarn|pnpm|pip|pip3|poetry|bun|mypy|pytest|make|jest)\b"
_BANNED: Final = re.compile(
    rf"\b(?:never|do not|don['’]t|not)\s+(?:use|run|call|invoke)\s+{_PROGRAM}[`*]*"
    r"(?=\s*(?:[.!,;:()\n—–]|$|or\b|and\b|for this|here|in this|instead|directly))|"
    rf"\b(?:use|with) (?:[`*]*\w+[`*]*),? not {_PROGRAM}",
    re.IGNORECASE,
)
_CHARS_MAX: Final = 400
_NAMED_MAX: Final = 3


def too_long(page: Page, ground: Ground) -> Iterator[Finding]:
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


def contradictions(page: Page, _ground: Ground) -> Iterator[Finding]:
    """An order and its opposite in the same words; a program that is not to be used, and a command that uses it."""
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
    yield from _used_all_the_same(page)


def _used_all_the_same(page: Page) -> Iterator[Finding]:
    banned: dict[str, int] = {}
    for line, text in _sentences(page):
        for match in _BANNED.finditer(text):
            banned.setdefault((match[1] or match[2]).lower(), line)
    if not banned:
        return
    for place in page.places:
        block = place.block
        if block.form != "code" or block.info.split(" ")[0].lower() not in ("bash", "sh", "shell", "console", "zsh"):
            continue
        for number, row in rows_of(block):
            bare = row.strip().removeprefix("$ ")
            parts = split(bare) if bare[:1] not in ("", "#") else ()
            for name in {program(part.words[0]) for part in parts if part.words} & banned.keys():
                yield found(
                    "contradiction", number, page.line(number), f"line {banned.pop(name)} says not to use {name}"
                )


def _sentences(page: Page) -> Iterator[tuple[int, str]]:
    for place in page.places:
        block = place.block
        if block.form in ("item", "text") and len(block.text) <= _CHARS_MAX:
            yield block.first, plain(block.text).strip(" .!*_")


def task_state(page: Page, _ground: Ground) -> Iterator[Finding]:
    """Entries that tell where a task stands, and open boxes."""
    for place in page.places:
        block = place.block
        if block.form != "item" or place.nested or len(block.text) > _CHARS_MAX:
            continue
        if is_task_state(plain(block.text)) and not _IS_RULE.search(plain(block.text)):
            yield found("task-state", block.first, page.line(block.first), "it tells where a task stands")


# What says how tasks are to be handled is a rule.
_IS_RULE: Final = re.compile(
    r"\b(?:if|when|whenever|until|unless|before|after|never|always|must|should|don['’]t|do not|use|mark|set|status|"
    r"e\.g|example|run|each|every|any)\b|`",
    re.IGNORECASE,
)


def said_twice(page: Page, _ground: Ground) -> Iterator[Finding]:
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
