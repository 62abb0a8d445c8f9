"""Entries that say nothing: empty phrases, a template's places, what fails without its error. Whole entries, never a
part of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.documents.lint.finding import Finding, Ground, found
from clew.documents.lint.page import Page, Place
from clew.documents.parse import vocabulary
from clew.documents.parse.inline import label, plain

# Judged are short entries only: whoever writes more says something.
_CHARS_MAX: Final = 90
_PLACE_CHARS_MAX: Final = 120
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d")
# An entry of these words alone says nothing to act on: "various improvements", "continue where we left off".
_VAGUE: Final = frozenset(
    """a about above additional adjustment adjustments again agreed all already and any are as at be before begin bug
    bugfix bugfixes bugs call carry change changed changes chat clean cleaned cleanup cleanups code codebase come
    complete completed continue continued correctly current debug debugged decided described development discussed ditto
    do done earlier ends enhance enhanced enhancement enhancements error errors etc everything existing expected far
    feature few fine finish finished fix fixed fixes for forth from further general go going good great handle handled
    here housekeeping i implementation implementing improve improved improvement improvements in intended is issue
    issues it keep last left lgtm like loose lots machine many meeting mentioned message minor misc miscellaneous more
    my needed needs next noted now of off ok okay on other others our per phase planned polish polished polishing
    previous previously proceed project properly ready refactor refactored refactoring refactorings remaining requested
    required rest runs said same see seems session several should small so some start step steps stuff talked
    task tasks that the there thing things this tidy time to today tweak tweaks up update updates usual various was we
    well were where will with work working works yesterday you""".split()
)
# One of them alone says so little that it is no phrase, but for these.
_ALONE: Final = frozenset("etc lgtm misc miscellaneous housekeeping stuff ditto bugfixes".split())
_DONE: Final = re.compile(
    r"(?!(?:not|never|none|nothing|well|over|partly)\b)[a-z-]+(?: (?:is|are|was|were))?(?: now)? (?:done|finished)"
)
_REPAIRS: Final = ("fix", "handle", "debug", "tweak")
_TAG: Final = (
    r"(?:details|summary|div|p|img|a|br|hr|span|table|t[rdh]|[uo]l|li|b|i|em|strong|code|pre|su[bp]|kbd|center|"
    r"h[1-6]|svg|https?|mailto|clew-data)"
)
_FILL: Final = (
    r"(?:describe|insert|add|fill|your|list|todo|tbd|name|date|explain|write|enter|what|why|how|the|an?|link|path|"
    r"details?|summary|placeholder|optional|xxx)"
)
_PLACEHOLDER: Final = re.compile(
    rf"<(?!{_TAG}\b)[a-z][^<>`=]{{2,80}}>|\[{_FILL}\b[^\[\]`]{{0,100}}\](?!\()|\{{\{{?[a-z][^{{}}`]{{2,80}}\}}\}}?|"
    rf"(?:todo|tbd|fixme)\b\W*(?:fill (?:this |it )?in|write (?:this|me)|add (?:details?|content|description|more)|"
    rf"describe|complete this|to be (?:filled|written|added))\b.*|to be (?:filled(?: in)?|written|completed|added|"
    rf"documented|determined)|fill (?:this |me )?in|coming soon|lorem ipsum.*|xxx+|tbd|todo|fixme|\?{{2,}}|yyyy-mm-dd",
    re.IGNORECASE,
)
_SENTENCE_CHARS_MAX: Final = 160
_FAILS: Final = re.compile(
    r"\b(?:fails?|(?:is|are|still|keeps?) failing|crash(?:es|ed|ing)|(?:is|are|still) broken|do(?:es)?(?:n['’]t| "
    r"not) (?:work|compile|build|start|run)|(?:is not|are not|not|isn['’]t|aren['’]t) working|won['’]t (?:build|"
    r"start|compile|run|load)|errors out|throws(?: an)? errors?|hangs|times out)\b",
    re.IGNORECASE,
)
# What shows how it fails, where or why: then it is no mere description. And what does not say that it fails now.
_SHOWN: Final = re.compile(
    r"[`\"“”'’:;→(=]|\d|\b[A-Z]\w*(?:Error|Exception)\b|(?i:\b(?:because|due to|caused? by|since|with|error|exit|"
    r"signal|status|timeout|when|if|unless|until|after|on|under|during|while|without|where|once|whenever|for|in|at|"
    r"from|by|instead|but|so|and|or|no longer|never|not fail|fixed|resolved|prevents?|avoids?|handles?|should|must|"
    r"would|could|may|might|can|expected|gracefully|fast|loudly|closed|safely?|tests? that|ensure|previously|used to|"
    r"was|were|had|any|every|each|an?)\b)"
)


def is_empty_phrase(text: str) -> bool:
    """Whether all of a text (one line, without marks) says nothing. What names a section of a document is none."""
    words = _WORD.findall(text.lower().replace("/", " . ")) if len(text) <= _CHARS_MAX else []
    is_vague = _VAGUE.issuperset(words) and (len(words) > 1 or _ALONE.issuperset(words))
    told = " ".join(words)
    return (
        bool(words)
        and not text.endswith(":")
        and "`" not in text
        and ((is_vague and vocabulary.topic(text) is None) or _DONE.fullmatch(told) is not None)
    )


def is_placeholder(text: str) -> bool:
    """Whether all of a text is a template's place that nobody filled in."""
    told = text.strip().strip("*_").strip().rstrip(".")
    return len(told) <= _PLACE_CHARS_MAX and _PLACEHOLDER.fullmatch(told) is not None


def empty_phrase(page: Page, _ground: Ground) -> Iterator[Finding]:
    """Whole entries of lists and whole paragraphs; where it is no Markdown, the entries. Not what is still to be
    repaired after something that tells what.
    """
    before = ""
    for line, text, place in _told(page):
        named = label(place.block.text) if place else None
        behind = plain(named.value) if named and named.value else text
        if is_placeholder(behind):
            yield found("empty-phrase", line, page.line(line), f'"{behind}" was never filled in')
        elif is_empty_phrase(text) and not (before == "item" and text.lower().startswith(_REPAIRS)):
            yield found("empty-phrase", line, page.line(line), f'"{text}" says nothing to act on')
        before = place.block.form if place else ""


def no_error_text(page: Page, _ground: Ground) -> Iterator[Finding]:
    """Short entries of lists with nothing below them, one sentence that ends with what fails."""
    for at, place in enumerate(page.places):
        block = place.block
        behind = page.places[at + 1].block if at + 1 < len(page.places) else None
        goes_on = behind is not None and behind.level >= block.level and behind.form in ("text", "code", "row")
        if block.form != "item" or block.box or place.nested or goes_on:
            continue
        text = plain(block.text)
        if len(text) <= _SENTENCE_CHARS_MAX and _FAILS.search(text) and not _SHOWN.search(text):
            yield found("no-error-text", block.first, page.line(block.first), "says that it fails, and quotes no error")


def _told(page: Page) -> Iterator[tuple[int, str, Place | None]]:
    """Line and words of each short entry that stands for itself: no heading, no table, no label of what is nested in
    it.
    """
    if not page.places:
        for entry in page.parsed.entries:
            yield entry.lines.first, entry.text, None
    for place in page.places:
        block = place.block
        if len(block.text) > 2 * _PLACE_CHARS_MAX:
            continue
        if block.form == "text" or (block.form == "item" and not place.nested and block.text.strip()):
            yield block.first, plain(block.text), place
        elif block.form == "other":  # so is a place in angle brackets read
            yield block.first, page.line(block.first), None
