"""Paragraphs: labels, lines that stand as entries of a list, and prose that is an item where a heading says so."""

from __future__ import annotations

import re

from clew.documents.entry import Lines
from clew.documents.parse import labels, listing, vocabulary, words
from clew.documents.parse.context import Context
from clew.documents.parse.inline import label, leads_with_path, plain
from clew.documents.parse.markdown import Block
from clew.documents.parse.pieces import Piece, pieces
from clew.documents.parse.shapes import shape
from clew.documents.parse.state import State

# It says where something stands, not what it is.
_POINTS = re.compile(
    r"\s*(?:see|refer to|details? (?:in|at)|full (?:details|list|notes)|read more|documented in)\b[^:;]*$",
    re.IGNORECASE,
)
_TARGET = re.compile(r"\]\([^()\s]{1,400}\)")
_RULE_CHARS_MAX = 600
# Kinds whose paragraphs may be followed by a list of reasons or parts.
_STATED = frozenset(("decision", "goal", "finding", "failed", "deferral", "constraint"))
_STATES_WORDS_MIN = 3
_BOLD_FRONT = re.compile(r"\s*\*\*([^*\n]+)\*\*(?!\s*[:：])")
# The front part tells the kind.
_FRONT_CHARS = 400


def read(state: State, at: int) -> None:
    """Reads a paragraph."""
    state.list_done = state.list_steps = False
    state.block_first = state.blocks[at].first
    if state.sections.label_used:
        state.sections.drop_label()
    parts = pieces(state.blocks[at])
    for number, piece in enumerate(parts):
        after = parts[number + 1] if number + 1 < len(parts) else None
        _piece(state, piece, at, after)


def _piece(state: State, piece: Piece, at: int, after: Piece | None) -> None:
    text = piece.text.strip()
    if piece.bullet:
        state.sections.label_used = True
        listing.line(state, piece)
        return
    split = label(text)
    quoted = state.blocks[at].quoted
    if split and not split.value and not (not split.bold and _is_sentence(split.name)):
        labels.govern(state, split, piece, at, after)
        return
    if split and split.bold and state.sections.label and state.sections.label.entry < 0:
        # Bold labels stand side by side.
        state.sections.drop_label()
    context = state.sections.current
    form = None if state.guide or context.closed else shape(plain(text[:_FRONT_CHARS]), line=True)
    if form and form.how == "shape" and (split is None or split.bold or form.kind == "phase"):
        labels.item(state, text, piece, context, form.kind)
    elif (
        not (split and split.value and labels.line(state, split, Lines(piece.first, piece.last), context))
        and not quoted
    ):
        _prose(state, text, Lines(piece.first, piece.last), context, state.after(at) if after is None else None)


def _is_brief(state: State, context: Context, front: str) -> bool:
    """Whether a paragraph is the first of a plan, below "Overview" or such, and says what is to be done."""
    if state.briefed or state.goals or not (context.topic and context.topic.brief):
        return False
    return words.is_imperative(front)


def _states(text: str) -> bool:
    """Whether a paragraph in front of a list says something by itself, in bold or in a sentence before its last."""
    bold = _BOLD_FRONT.match(text)
    if bold and len(bold[1].split()) >= _STATES_WORDS_MIN:
        return True
    said, _, _ = text.rpartition(". ")
    return len(said.split()) >= _STATES_WORDS_MIN


def _is_sentence(text: str) -> bool:
    """Whether words in front of a colon introduce what follows rather than name it: "Created the harness:"."""
    return (words.is_past(text) or words.is_imperative(text)) and vocabulary.exact(text) is None


def _prose(state: State, text: str, lines: Lines, context: Context, below: Block | None) -> None:
    if context.entry >= 0:
        if context.reason:
            state.draft.explain(context.entry, text)
        state.belongs(context.entry, lines.last)
        return
    introduces = text.endswith((":", "：")) and below is not None and below.form in ("item", "code", "row")
    if introduces and context.strong and context.kind in _STATED and not state.guide and _states(text):
        # A statement with a list of its reasons or parts.
        index = state.draft.add(context.kind, text.rstrip(":："), lines, opened=context.opened)
        state.sections.name(Context(None, context.kind, index, context.opened, reason=True))
        return
    if (
        context.closed
        or labels.LINK.fullmatch(text)
        or _POINTS.match(_TARGET.sub("]", text))
        or (introduces and context.kind != "goal")
    ):
        return
    topic = context.topic
    front = plain(text[:_FRONT_CHARS])
    if state.guide and context.kind != "constraint":
        return
    if context.strong and topic and topic.kind and topic.prose:
        kind, how_far = topic.kind, topic.status
        if kind == "goal":
            # What follows the first paragraph explains the goal.
            if context.opened in state.goals:
                kind, how_far = words.kind_of(front)
            state.goals.add(context.opened)
        state.draft.add(kind, text, lines, status=how_far, opened=context.opened)
    elif _is_brief(state, context, front):
        state.briefed = True
        state.draft.add("goal", text, lines)
    elif topic and topic.soft and words.is_past(front) and not front.endswith(":"):
        state.draft.add("step", text, lines, status="done")
    elif (words.is_rule(text) or words.is_norm(text)) and len(text) < _RULE_CHARS_MAX:
        state.draft.add("constraint", text, lines)
    elif topic and topic.kind == "file" and leads_with_path(text):
        state.draft.add("file", text, lines)
