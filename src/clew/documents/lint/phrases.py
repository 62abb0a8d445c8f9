"""Entries that say nothing: empty phrases, a template's places, what fails without its error. Whole entries, never a
part
of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.documents.lint.finding import Finding, Ground, found
from clew.documents.lint.page import Page, Place
from clew.documents.parse.inline import label, plain

# Judged are short entries only: whoever writes more says something.
_CHARS_MAX: Final = 90
_PLACE_CHARS_MAX: Final = 120
_EDGES: Final = " \t.!:;,*_-–—…✅☑✔✓🎉👍🚀"
_MISC: Final = (
    r"(?:various|several|some|misc|miscellaneous|minor|small|general|other|further|more|additional|many|a few|lots of)"
)
_WORK: Final = (
    r"(?:improvements?|fix(?:es)?|bug ?fix(?:es)?|changes?|updates?|tweaks?|clean-?ups?|refactor(?:ing)?s?|"
    r"enhancements?|polish(?:ing)?|"
    r"adjustments?|stuff|things|optimi[sz]ations?|housekeeping)"
)
_THING: Final = (
    r"(?:code|codebase|things|stuff|everything|it|this|that|issues?|bugs?|problems?|errors?|loose ends|(?:the )?rest)"
)
_TIDY: Final = (
    r"(?:clean(?:ed)? ?up|(?:improve|optimi[sz]e|enhance|handle|finali[sz]e)[ds]?|(?:refactor|polish|fix|debug|"
    r"adjust|tweak|address)(?:ed)?|"
    r"tid(?:y|ied)(?: up)?|(?:finish(?:ed)?|wrap(?:ped)?)(?: up)?)"
)
_ALL: Final = r"(?:the|all|any|some|remaining|more|other|various|minor|small|a few|existing)"
_ON: Final = (
    r"(?:with|on|to|the|our|my|your|this|it|going|work(?:ing)?|development|implementation|implementing|coding|tasks?|project|from|where|we|i|"
    r"you|left|off|as|planned|before|here|there|remaining|current|next|steps?|things?|stuff)"
)
_WELL: Final = (
    r"(?: (?:now|fine|well|great|ok|okay|good|correctly|properly|as expected|as intended|again|so far|for now|"
    r"on my machine)){0,2}"
)
_IT: Final = r"(?:(?:it|this|that|everything|all|now|still|just|and|code) ){0,3}"
_IS: Final = r"(?:(?:is|are|was|were|has been|have been) )?(?:(?:now|mostly|almost|basically|all) )?"
_EMPTY: Final = re.compile("|".join(f"(?:{pattern})" for pattern in (
    # various improvements; misc bug fixes and tweaks
    rf"(?:(?:made|did|add|added|with) )?{_MISC}(?: {_MISC})*(?: (?:code|bug|ui|ux))? {_WORK}(?:(?:,| and|"
    rf",? &) (?:{_MISC} )?{_WORK})*",
    rf"{_WORK}(?:(?:,| and|,? &) (?:{_MISC} )?{_WORK})+",
    r"bug ?fixes|misc|miscellaneous|housekeeping|stuff|(?:general|code) clean-?up",
    # as discussed
    r"(?:as|like|per)(?: we| was| already| previously)? (?:discussed|agreed|mentioned|planned|described|said|noted|"
    r"above|before|usual|"
    r"requested|decided|talked about)(?: (?:above|before|earlier|previously|yesterday|today|in (?:the |)(?:last |"
    r"previous )?(?:call|meeting|"
    r"chat|session|message)))?",
    # works now; should be fine
    rf"{_IT}(?:works?|(?:is|are) working|working|runs fine|looks good|is (?:fine|ok|good)|seems (?:fine|ok|good|"
    rf"to work)){_WELL}",
    rf"(?:(?:it|this|that|everything|all) )?(?:should|ought to|will) (?:be (?:fine|ok|okay|good|working)|work){_WELL}",
    r"(?:all |everything (?:is )?)?good to go|lgtm|so far so good|no problems so far",
    # clean up code; fix issues
    rf"{_TIDY}(?: {_ALL})* {_THING}(?: and {_THING})?",
    # continue work; finish the rest
    rf"(?:continue|carry on|proceed|keep|resume)(?: {_ON})+",
    r"(?:do|finish|complete|continue|work on) (?:the )?(?:rest|remaining (?:work|tasks|items|stuff|things)|more work)",
    r"more (?:work|testing|stuff|things) (?:needed|required|to do|to come)|needs? (?:more )?work|work in progress|"
    r"to be continued|more to come",
    # matching done; implementation is complete
    rf"(?:[a-z][a-z-]* )?{_IS}(?:done|finished)(?: now| so far)?",
    rf"(?:[a-z-]+ing|implementation|development|refactor|cleanup|work|task|everything|feature|phase|"
    rf"code) {_IS}(?:completed?|ready)(?: now| so far)?",
    r"(?:all|everything) (?:is |was )?(?:done|completed?|finished|ready|working|good|fine)",
    r"(?:(?:we are|it is|now) )?ready (?:for|to start|to begin|to go on with) (?:the )?next (?:task|step|phase|"
    r"session|thing|steps)",
    # and so on
    r"etc|and so (?:on|forth)|and more|and others?|see above|ditto|the usual|same as (?:above|before|last time|usual)",
)))  # fmt: skip
_REPAIR: Final = re.compile(
    rf"(?:fix|handle|debug|address|adjust|tweak)(?: {_ALL})* (?:issues?|bugs?|problems?|errors?|code|it|this|that)"
)
# Short words in front of "done" with which it means something.
_KEPT: Final = re.compile(
    r"(?:(?:not|never|none|nothing|is|are|was|when|if|until|once|well|over|partly) )?(?:done|finished)"
)
_TAG: Final = (
    r"(?:details|summary|div|p|img|a|br|hr|span|table|t[rdh]|[uo]l|li|b|i|em|strong|code|pre|su[bp]|kbd|center|h[1-6]|"
    r"svg|https?|mailto|clew-data)"
)
_FILL: Final = (
    r"(?:describe|insert|add|fill|your|list|todo|tbd|name|date|explain|write|enter|what|why|how|the|an?|link|path|"
    r"details?|summary|placeholder|optional|xxx)"
)
_PLACEHOLDER: Final = re.compile(
    rf"<(?!{_TAG}\b)[a-z][^<>`=]{{2,80}}>|\[{_FILL}\b[^\[\]`]{{0,100}}\](?!\()|\{{\{{?[a-z][^{{}}`]{{2,80}}\}}\}}?"
    r"|(?:todo|tbd|fixme)\b\W*(?:fill (?:this |it )?in|write (?:this|me)|add (?:details?|content|description|more)|"
    r"describe|complete this"
    r"|to be (?:filled|written|added))\b.*|to be (?:filled(?: in)?|written|completed|added|documented|determined)|"
    r"fill (?:this |me )?in"
    r"|coming soon|lorem ipsum.*|xxx+|tbd|todo|fixme|\?{2,}|yyyy-mm-dd",
    re.IGNORECASE,
)
_SENTENCE_CHARS_MAX: Final = 160
_FAILS: Final = re.compile(
    r"\b(?:fails?|(?:is|are|still|keeps?) failing|crash(?:es|ed|ing)|(?:is|are|still) broken|do(?:es)?(?:n['’]t|"
    r" not) (?:work|compile|"
    r"build|start|run)|(?:is not|are not|not|isn['’]t|aren['’]t) working|won['’]t (?:build|start|compile|run|load)|"
    r"errors out|"
    r"throws(?: an)? errors?|hangs|times out)\b",
    re.IGNORECASE,
)
# What shows how it fails, where or why: then it is no mere description. And what does not say that it fails now.
_SHOWN: Final = re.compile(
    r"[`\"“”'’:;→(=]|\d|\b[A-Z]\w*(?:Error|Exception)\b|(?i:\b(?:because|due to|caused? by|since|with|error|exit|"
    r"signal|status|timeout|"
    r"when|if|unless|until|after|on|under|during|while|without|where|once|whenever|for|in|at|from|by|instead|but|so|"
    r"and|or|no longer|"
    r"never|not fail|fixed|resolved|prevents?|avoids?|handles?|should|must|would|could|may|might|can|expected|"
    r"gracefully|fast|loudly|"
    r"closed|safely?|tests? that|ensure|previously|used to|was|were|had|any|every|each|an?)\b)"
)


def is_empty_phrase(text: str) -> bool:
    """Whether all of a text (one line, without marks) is a phrase that says nothing. Every sentence has to be one."""
    if not text or len(text) > _CHARS_MAX:
        return False
    parts = [part.strip(_EDGES).lower().replace("’", "'") for part in re.split(r"(?<=[.!])\s+", text)]
    parts = [part for part in parts if part]
    return bool(parts) and all(_EMPTY.fullmatch(part) and not _KEPT.fullmatch(part) for part in parts)


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
        elif is_empty_phrase(text) and not (before == "item" and _REPAIR.fullmatch(text.strip(_EDGES).lower())):
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
    it."""
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
