"""Whether a document tells what was worked on, or how to work: guides, templates and prompts hold few items."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.documents.parse import vocabulary
from clew.documents.parse.inline import plain
from clew.documents.parse.markdown import Block
from clew.documents.parse.shapes import dated, shape, unnumbered
from clew.documents.parse.state import Genre
from clew.documents.parse.status import marked
from clew.documents.parse.words import has_modal, is_rule

_MATTER = re.compile(r"^(?:description|name|allowed-tools|argument-hint|tools|model|trigger):", re.MULTILINE)
# A client's memory of how the user wants things done.
_FEEDBACK = re.compile(r"^\s*type:\s*feedback\s*$", re.MULTILINE)
# What records have in front.
_TYPED = re.compile(r"type:|^(?:id|title|status|date|session\w*):", re.MULTILINE)
_ADDRESS = re.compile(
    r"\byou are (?:tasked|an? |the |now )|\bthis (?:skill|command|guide|template|document describes|file is your)\b"
    r"|\bwhen (?:asked|invoked|this (?:command|skill))\b",
    re.IGNORECASE,
)
_SPOKEN_TO = re.compile(r"you are (?:tasked|an? |the |now |\w+ing\b)", re.IGNORECASE)
_PLACE = re.compile(r"\[[A-Z][^\]\n]{3,60}\](?!\()|\{[a-z][^}\n]{3,80}\}|<[a-z][a-z _-]{2,30}>|YYYY-MM-DD|ENG-XXXX")
# A conversation: what was said in it is nobody's state.
_TURN = re.compile(r"\s*(?:\*\*)?(?:user|assistant|human|claude|ai|system|agent)\b[^\n:]{0,20}:", re.IGNORECASE)
# What guides and plans have alike.
_PROCEDURE = re.compile(r"(?:step|part) ", re.IGNORECASE)
_TURNS_MIN = 4
# So much of a line is looked at for norms.
_FRONT_CHARS = 200
# What guides are called.
GUIDE_TITLE = re.compile(
    r"\b(?:guide|how[ -]to|template|handbook|tutorial|cheat ?sheet|playbook|runbook|manual|instructions|guidelines?|"
    r"workflow)\b",
    re.IGNORECASE,
)
# "Creating pull requests": how that is done.
_GERUND = re.compile(r"[A-Z][a-z]{2,}ing\s+\S")
_ON_TOOLS = re.compile(r"\b(?:schema|skill|command|protocol|prompt)\b", re.IGNORECASE)


def genre(blocks: Sequence[Block]) -> Genre:
    """What kind of document it is, by its headings and front matter, and by how it speaks to its reader."""
    for_guide = for_record = 0
    rules = norms = told = turns = numbered = 0
    seen_title = False
    for block in blocks:
        if block.form == "matter" and _FEEDBACK.search(block.text):
            return "rules"
        if block.form == "matter" and not _TYPED.search(block.text):
            for_guide += 3 if len(_MATTER.findall(block.text)) > 1 else 2 * bool(_MATTER.search(block.text))
        elif block.form == "heading":
            text = marked(plain(block.text)).text
            if not seen_title:
                seen_title = True
                for_guide += 4 * bool(GUIDE_TITLE.search(text)) + 2 * bool(_ON_TOOLS.search(text))
                for_guide += 3 * (_GERUND.match(text) is not None and vocabulary.topic(text) is None)
                continue
            named = vocabulary.topic(text)
            numbered += unnumbered(text)[1]
            if _PROCEDURE.match(text):
                continue
            if shape(text) or dated(text) is not None:
                for_record += 1
            elif named and named.kind is None:
                for_guide += 1
            elif named and not named.soft and named.kind not in ("validation", "constraint"):
                for_record += 1
        elif block.form in ("item", "text"):
            turns += bool(_TURN.match(block.text))
            for_record += block.form == "item" and bool(block.box) and not _PLACE.search(block.text)
            for_guide += 2 * (block.form == "text" and bool(_ADDRESS.search(block.text[:400])))
            for_guide += 2 * (block.form == "text" and _SPOKEN_TO.match(block.text) is not None)
            if block.level <= 1:
                told += 1
                rules += is_rule(block.text)
                norms += for_record <= 1 and has_modal(block.text[:_FRONT_CHARS])
    if rules >= 4 and rules * 3 >= told and for_record <= 1:
        return "rules"
    if turns >= _TURNS_MIN and turns * 3 >= told:
        return "talk"
    if norms >= 4 and norms * 2 >= told and for_record <= 1 and not numbered:
        return "guide"
    return "guide" if for_guide > max(for_record, 2) else "record"
