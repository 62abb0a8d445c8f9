"""Paragraphs: labels, lines that stand as entries of a list, and prose that is an item where a heading says so."""

from __future__ import annotations

import re

from clew.core.items import Kind
from clew.documents.entry import Lines
from clew.documents.parse import labels, listing, stamps, status, vocabulary, words
from clew.documents.parse.context import ITEMISH, Context
from clew.documents.parse.inline import Label, label, leads_with_path, plain, points
from clew.documents.parse.markdown import Block
from clew.documents.parse.pieces import Piece, pieces
from clew.documents.parse.shapes import shape
from clew.documents.parse.state import INSTRUCTIONS, State
from clew.documents.parse.topics import CRITERIA, Topic

# It tells about the document.
_ON_ITSELF = re.compile(
    r"\W*(?:this|the present) (?:\w+ ){0,2}"
    r"(?:file|document|doc|page|report|hand-?off|log|journal|section|note|summary|plan|roadmap|list)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"[(（][^()（）]*[)）]\.?")
# What stands behind the subject of a sentence that introduces a list.
_INTRODUCES = re.compile(r"\s(?:are|is|was|were|includes?|including|as follows|following|below)$", re.IGNORECASE)
_RULE_CHARS_MAX = 600
# Kinds whose paragraphs may be followed by a list of reasons or parts.
_STATED = frozenset(("decision", "goal", "finding", "failed", "deferral", "constraint"))
_STATES_WORDS_MIN = 3
_BOLD_FRONT = re.compile(r"\s*\*\*([^*\n]+)\*\*(?!\s*[:：])")
# "2026-08-26 — Added the parser."
_JOURNAL = re.compile(rf"\[?(?:{stamps.DATE})\]?\s*[:—–-]+\s*(?=\S)", re.IGNORECASE)
# The front part tells the kind.
_FRONT_CHARS = 400
_TOLD_WORDS_MIN = 6
_SUBJECT_WORDS_MAX = 5
_BARE_WORDS_MAX = 4
# Below these an order is a rule.
_ORDERED = frozenset(("finding", "validation", "reminder"))
# Below these each entry is one of them, whatever introduces the list: "Verified, do not rediscover:".
_KEPT = ITEMISH - {"step", "next", "constraint", "blocker", "reminder"}
# "👉 next — the parser", "recent → DECISIONS.md"
_LED = re.compile(
    r"(?P<sign>[\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]\ufe0f?\s*)?"
    r"(?P<name>[^\W\d_][\w '’/-]{1,40}?)\s+(?:→|—|–|->|-)\s+(?P<rest>\S.*)"
)
_BOX = re.compile(r"`?\[([ xX✓✔~/>-])\]`?")
# A summary of what was done is no goal.
_PAST = re.compile(
    r"\b(?:has|have|had|was|were) (?:\w+ )?(?:been|\w+ed)\b|\b(?:completed|finished|successfully)\b", re.IGNORECASE
)


def read(state: State, at: int) -> None:
    """Reads a paragraph."""
    state.list_done = state.list_steps = False
    state.block_first = state.blocks[at].first
    if state.sections.label_used and state.sections.alone is None:
        state.sections.drop_label()
    parts = pieces(state.blocks[at])
    state.is_footer = any(
        split.bold and vocabulary.field(split.name) == "meta" for piece in parts if (split := label(piece.text.strip()))
    )
    state.is_alone = len(parts) == 1 and _is_alone(state, at)
    for number, piece in enumerate(parts):
        after = parts[number + 1] if number + 1 < len(parts) else None
        _piece(state, piece, at, after)


def _piece(state: State, piece: Piece, at: int, after: Piece | None) -> None:
    text = piece.text.strip()
    context = state.sections.current
    if (box := _BOX.fullmatch(text)) and context.entry >= 0:
        # "### Step 2: The reader", and a box below it
        state.draft.set_status(context.entry, status.of_box(box[1]))
        state.belongs(context.entry, piece.last)
        return
    lead = None if label(text) else _lead(state, piece, at, after)
    if piece.bullet and lead is None:
        state.sections.label_used = True
        listing.line(state, piece)
        return
    split = label(text) or lead
    if split and split.value and split.bold and _is_title(state, text, split, at, after):
        split = Label(text.strip("* "), "", True)
    quoted = state.blocks[at].quoted
    if split and not quoted and not state.guide and labels.check(state, split, piece, at, after):
        return
    if split and not split.value and not (not split.bold and _is_sentence(split.name)):
        labels.govern(state, split, piece, at, after)
        return
    if split and split.bold and state.sections.label and state.sections.label.entry < 0:
        # Bold labels stand side by side.
        state.sections.drop_label()
    elif (
        split is None
        and state.sections.label
        and (bold := _BOLD_FRONT.match(text))
        and (piece.first == state.block_first or bold[1][-1] in ".!")
    ):
        # So do paragraphs that begin with a bold sentence.
        state.sections.drop_label()
    context = state.sections.current
    form = None if state.guide or context.closed else shape(plain(text[:_FRONT_CHARS]), line=True)
    if form and form.how == "shape" and (split is None or split.bold or form.kind == "phase"):
        labels.item(state, text, piece, context, form.kind)
        return
    lines = Lines(piece.first, piece.last)
    if split and split.value and labels.line(state, split, lines, context):
        return
    if not quoted or _is_said(state, at, context):
        _prose(state, text, lines, context, state.after(at) if after is None else None)
    elif words.is_rule(plain(text[:_FRONT_CHARS])) and not (state.guide or context.closed):
        # People set their rules apart, as quotes.
        state.draft.add("constraint", text, lines)


def _is_title(state: State, text: str, split: Label, at: int, after: Piece | None) -> bool:
    """Whether a bold line with a colon is the title of the list below it: "**US-1: Choose a project**"."""
    below = state.after(at) if after is None else None
    is_whole = text.startswith("**") and text.find("**", 2) == len(text) - 2
    return is_whole and below is not None and below.form == "item" and labels.STORY.match(split.name) is not None


def _is_said(state: State, at: int, context: Context) -> bool:
    """Whether a quote is what its section says: right below a heading that names a kind of sentences."""
    before = state.blocks[at - 1].form if at else ""
    return before == "heading" and context.strong and context.topic is not None and context.topic.prose


def _lead(state: State, piece: Piece, at: int, after: Piece | None) -> Label | None:
    """A line without a label's mark that stands as a heading of the list below it, "Next steps", "open → QUESTIONS.md",
    or that a picture and a name lead: "👉 next — the parser".
    """
    text, below = piece.text.strip(), state.after(at)
    if "\n" in text or not text:
        return None
    if is_listed := (after.bullet and not piece.bullet) if after else below is not None and below.form == "item":
        named = vocabulary.exact(text) if len(text.split()) <= _BARE_WORDS_MAX and text[-1:].isalpha() else None
        is_whole = piece.first == state.block_first and after is None
        if named and (text[0].isupper() or (is_whole and named.kind and not named.soft)):
            return Label(text, "", False)
    # Without a list below it a line needs a picture in front.
    match = _LED.match(text) if is_listed or not text[0].isascii() else None
    if match is None or not (match["sign"] or is_listed):
        return None
    named = vocabulary.exact(match["name"])
    if is_listed and (named or vocabulary.topic(text)):
        return Label(text, "", False)
    is_alone = not is_listed and piece.first == state.block_first and after is None
    return Label(match["name"], match["rest"], False) if is_alone and named and named.kind and not named.soft else None


def _is_alone(state: State, at: int) -> bool:
    """Whether a paragraph is all that is said below a heading, but for code."""
    before, after = state.blocks[at - 1] if at else None, state.after(at)
    return (
        before is not None
        and before.form == "heading"
        and before.level > 1
        and (after is None or after.form in ("heading", "code", "rule"))
    )


def _brief(state: State, context: Context, front: str) -> Kind | None:
    """What the first paragraph below "Overview", "Problem", "Solution" is; None where it tells what was done."""
    topic = context.topic
    if topic is None or topic.brief is None or context.opened in state.briefs or not _tells(front):
        return None
    said = front.partition(". ")[0]
    if words.is_past(said) or (topic.brief == "goal" and _PAST.search(said)):
        return None
    orders = topic.soft and not topic.yields and words.is_imperative(said)
    return "goal" if orders else topic.brief


def _tells(front: str) -> bool:
    """Whether there are words enough to tell something."""
    return len(front.split()) >= _TOLD_WORDS_MIN


def _states(text: str) -> bool:
    """Whether a paragraph in front of a list says something by itself, in bold or in a sentence before its last."""
    bold = _BOLD_FRONT.match(text)
    if bold and len(bold[1].split()) >= _STATES_WORDS_MIN:
        return True
    said, _, _ = text.rpartition(". ")
    return len(said.split()) >= _STATES_WORDS_MIN


def _works(context: Context, front: str) -> bool:
    """Whether it tells what is worked on, and its list what that has: "Writing the reader, for these forms:"."""
    return context.status != "" and front.partition(" ")[0].endswith("ing") and _tells(front)


def _is_sentence(text: str) -> bool:
    """Whether words in front of a colon introduce what follows rather than name it: "Created the harness:"."""
    return (words.is_past(text) or words.is_imperative(text)) and vocabulary.exact(text) is None


def _explains(state: State, context: Context) -> bool:
    """Whether prose below a heading only explains: the list of work beside it, or the parts that follow."""
    if state.sections.label is not None:
        return False
    is_beside = state.is_listed and context.kind in ("step", "question")
    return is_beside or (state.is_parted and context.kind in ITEMISH - {"next"})


def _introduce(state: State, text: str, context: Context, lines: Lines) -> None:
    """A sentence in front of a list may say what its entries are: "Before the release we must:"."""
    said = text.rpartition(". ")[2]
    subject = _INTRODUCES.sub("", said.rstrip(":： "))
    told = None
    named = state.topic_below(subject, context) if len(subject.split()) <= _SUBJECT_WORDS_MAX else None
    if named is None or named.kind is None or named.soft:
        told = words.introduced(said) if context.kind not in _KEPT else None
        named = Topic(*told) if told else None
    is_check = named is not None and named.kind == "validation" and context.kind == "step" and words.is_past(subject)
    if named and (named == CRITERIA or told or is_check or not context.strong):
        state.sections.name(Context(named, opened=lines.first + len(state.blocks)))


def _prose(state: State, text: str, lines: Lines, context: Context, below: Block | None) -> None:
    if context.entry >= 0 and not (words.is_outcome(text[:_FRONT_CHARS]) or _is_apart(context, text)):
        if context.reason:
            state.draft.explain(context.entry, text)
        state.belongs(context.entry, lines.last)
        return
    introduces = text.endswith((":", "：")) and below is not None and below.form in ("item", "code", "row")
    if (
        context.closed
        or _ON_ITSELF.match(text)
        or _ASIDE.fullmatch(text)
        or labels.LINK.fullmatch(text)
        or points(text)
    ):
        return
    front = plain(text[:_FRONT_CHARS])
    if state.guide and (context.kind != "constraint" or context.topic == INSTRUCTIONS):
        is_free = context.topic == INSTRUCTIONS
        if words.is_order(front) or (is_free and words.is_instruction(front) and not introduces):
            state.draft.add("constraint", text, lines)
        return
    kind = _brief(state, context, front)
    if (
        kind is None
        and introduces
        and context.strong
        and context.kind in _STATED
        and (_states(text) or _works(context, front))
    ):
        kind = context.kind
    if kind and introduces and below and below.form == "item" and words.introduced(front.rpartition(". ")[2]):
        # "It is a single process. These were fixed:"
        state.briefs.add(context.opened)
        state.draft.add(kind, text.rpartition(". ")[0] or text, lines, opened=context.opened)
        _introduce(state, front, context, lines)
        return
    if kind:
        # With a list that it introduces: of its reasons or parts.
        state.briefs.add(context.opened)
        index = state.draft.add(kind, text.rstrip(":："), lines, opened=context.opened)
        if introduces:
            state.sections.name(Context(None, kind, index, context.opened, reason=True))
        return
    if introduces and (context.kind != "goal" or context.status):
        if context.strong and context.kind == "step" and _states(text) and words.is_imperative(front):
            # "Change the port to 8005. Update it in:"
            state.draft.add("step", text.rpartition(". ")[0] or text, lines, status=context.status)
        if below and below.form == "item":
            _introduce(state, front, context, lines)
        return
    _filed(state, text, front, lines, context)


def _is_apart(context: Context, text: str) -> bool:
    """Whether a paragraph below a phase says something by itself: "**The cache is never cleared.** Restart …"."""
    bold = _BOLD_FRONT.match(text) if context.inside == "phase" and not context.reason else None
    return bold is not None and bold[1][-1] in ".!" and len(bold[1].split()) >= _STATES_WORDS_MIN


def _filed(state: State, text: str, front: str, lines: Lines, context: Context) -> None:
    """Files a paragraph that is no part of anything, by its heading or by its own words, if by any."""
    topic = context.topic
    bold = _BOLD_FRONT.match(text)
    if bold and bold[1][-1] in ".!" and (how_far := status.at_end(bold[1])) and (context.titular or not context.strong):
        # "**The parser is complete (v0.2).** It reads …"
        state.draft.add("step", text, lines, status=how_far)
    elif not context.strong and words.is_outcome(front):
        state.draft.add("validation", text, lines)
    elif context.strong and topic and topic.kind and topic.prose and not _explains(state, context):
        kind, how_far = topic.kind, topic.status
        if kind == "finding" and status.of_aside(text.rstrip(".")):
            return  # "Accepted" below "Status"
        if kind == "goal":
            # What follows the first paragraph explains the goal.
            if context.opened in state.goals:
                kind, how_far = words.kind_of(front)
            state.goals.add(context.opened)
        if kind in _ORDERED and words.begins_rule(front):
            kind = "constraint"
        state.draft.add(kind, text, lines, status=how_far, opened=context.opened)
    elif said := words.plainly(front):
        state.draft.add(said[0], text, lines, status=said[1], opened=lines.first + len(state.blocks))
    elif ((topic and topic.soft) or context.dated) and words.is_past(front) and not front.endswith(":"):
        state.draft.add("step", text, lines, status="done")
    elif (words.is_rule(front) or words.is_norm(front)) and len(text) < _RULE_CHARS_MAX:
        state.draft.add("constraint", text, lines)
    elif state.sections.is_below_title and bold and bold[1][-1] in ".!" and len(bold[1].split()) >= _STATES_WORDS_MIN:
        # "**The cache is never cleared.** Restart the server …"
        state.draft.add("finding", text, lines)
    elif (journal := _JOURNAL.match(front)) and (context.titular or not context.strong):
        kind, how_far = words.kind_of(front[journal.end() :])
        state.draft.add(kind, text, lines, status=how_far)
    elif topic and topic.kind == "file" and leads_with_path(text):
        state.draft.add("file", text, lines)
    elif not text:
        return  # a bare mark
    elif state.is_alone and text[-1] not in ":：" and not words.is_imperative(front) and _tells(front):
        # How something is, under its name.
        state.draft.add("finding", text, lines)
    elif state.genre == "record" and state.sections.is_below_title and text[-1] in ".!。！" and _tells(front):
        # A sentence that stands by itself in a section tells something, whatever the section is called.
        kind, how_far = words.kind_of(front)
        if kind == "step" and not (how_far or state.draft.entries):
            # "Build an app that …", before anything else
            state.draft.add("goal", text, lines)
        elif not _explains(state, context):
            state.draft.add(kind, text, lines, status=how_far)
