"""Rules about single entries: what says nothing, what was never filled in, what fails without its error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.documents.lint.finding import Finding, found
from clew.documents.lint.page import Page, Place
from clew.documents.lint.phrases import alternatives, is_empty_phrase, is_placeholder, is_repair
from clew.documents.parse.inline import label, plain

_SENTENCE_CHARS_MAX: Final = 160
_FAILS: Final = re.compile(
    r"\b"
    + alternatives(r"""
        fails? | (?:is|are|still|keeps?) failing | crash(?:es|ed|ing) | (?:is|are|still) broken |
        do(?:es)?(?:n['’]t| not) (?:work|compile|build|start|run) | (?:is not|are not|not|isn['’]t|aren['’]t) working |
        won['’]t (?:build|start|compile|run|load) | errors out | throws(?: an)? errors? | hangs | times out
    """)
    + r"\b",
    re.IGNORECASE,
)
# What shows how it fails, where or why: then it is no mere description.
_SHOWN: Final = re.compile(
    r"[`\"“”'’:;→(=]|\d|\b[A-Z]\w*(?:Error|Exception)\b|(?i:\b"
    + alternatives("""
        because | due to | caused? by | since | with | error | exit | signal | status | timeout | when | if | unless |
        until | after | on | under | during | while | without | where | once | whenever | for | in | at | from | by |
        instead | but | so | and | or
    """)
    + r"\b)"
)
_NOT_NOW: Final = re.compile(
    r"\b"
    + alternatives("""
        no longer | never | not fail | fixed | resolved | prevents? | avoids? | handles? | should | must | would |
        could |
        may | might | can | expected | gracefully | fast | loudly | closed | safely? | tests? that | ensure |
        previously |
        used to | was | were | had | any | every | each | a | an
    """)
    + r"\b",
    re.IGNORECASE,
)


def empty_phrase(page: Page) -> Iterator[Finding]:
    """Whole entries of lists and whole paragraphs; where it is no Markdown, the entries. Not what is still to be
    repaired after something that tells what.
    """
    for line, text, place in _told(page):
        if is_empty_phrase(text) and not (is_repair(text) and _has_before(page, place)):
            yield found("empty-phrase", line, page.line(line), f'"{text}" says nothing to act on')


def _has_before(page: Page, place: Place | None) -> bool:
    """Whether another point of its list stands before it: after "Run the backtest" "Fix bugs" means its bugs."""
    if place is None or place.block.form != "item":
        return False
    at = next(number for number, one in enumerate(page.places) if one is place)
    before = page.places[at - 1] if at else place
    return before.block.form == "item" and before.block.level >= place.block.level and at > 0


def placeholder(page: Page) -> Iterator[Finding]:
    """Whole entries, and what stands behind a label."""
    for line, text, place in _told(page):
        named = label(place.block.text) if place else None
        told = plain(named.value) if named and named.value else text
        if is_placeholder(told):
            yield found("placeholder", line, page.line(line), f'"{told}" was never filled in')


def no_error_text(page: Page) -> Iterator[Finding]:
    """Short entries of lists with nothing nested in them, one sentence that ends with what fails."""
    for line, text, place in _told(page):
        if place is None or place.block.form != "item" or place.block.box or place.nested:
            continue
        if len(text) > _SENTENCE_CHARS_MAX or not _FAILS.search(text) or _SHOWN.search(text) or _NOT_NOW.search(text):
            continue
        if place.block.last > place.block.own_last:
            continue
        yield found("no-error-text", line, page.line(line), "says that it fails, and quotes no error")


def _told(page: Page) -> Iterator[tuple[int, str, Place | None]]:
    """Line and words of each entry that stands for itself: no heading, no table, no label of what is nested in it."""
    if not page.places:
        for entry in page.parsed.entries:
            yield entry.lines.first, entry.text, None
    for place in page.places:
        block = place.block
        if block.form == "text" or (block.form == "item" and not place.nested and block.text.strip()):
            yield block.first, plain(block.text), place
        elif block.form == "html":  # so is a place in angle brackets read
            yield block.first, block.text.strip(), None
