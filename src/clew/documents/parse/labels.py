"""Labels: alone on a line they govern what follows, with words behind them they are an item or a part of one."""

from __future__ import annotations

import re

from clew.core.items import Kind
from clew.documents.entry import Lines
from clew.documents.parse import stamps, status, vocabulary, words
from clew.documents.parse.context import Context
from clew.documents.parse.draft import is_empty
from clew.documents.parse.fields import Field
from clew.documents.parse.heads import STATUS, is_field, is_status
from clew.documents.parse.inline import Label, is_check, is_only_path, label, leads_with_path, paths, plain
from clew.documents.parse.markdown import Block
from clew.documents.parse.pieces import Piece
from clew.documents.parse.shapes import dated, shape
from clew.documents.parse.state import State
from clew.documents.parse.topics import CRITERIA, NOTHING, STEP, Topic

# The level of a label that stands as a heading.
LEVEL = 7
LINK = re.compile(r"\W*(?:https?://\S+|#\d+)\W*")
_DATED = re.compile(stamps.DATE, re.IGNORECASE)
_FACT_WORDS_MIN = 3
# A command to type, and what it is to show: together they are a check.
_RUN = re.compile(r"(?:then )?run(?: it| this)?", re.IGNORECASE)
# What is listed below a user's story must hold.
STORY = re.compile(r"(?:US|user story)[ -]?\d+(?:\.\d+)*\b", re.IGNORECASE)
_EXPECTED = re.compile(r"\W*expect(?:ed)?\b", re.IGNORECASE)
_SHOWS = re.compile(r"\bExpected?:")
# A value that measures: "25 % (1 of 4)".
MEASURE = re.compile(r"[~≈+±-]?\s*\d[\d.,]*\s*(?:%|/\s*\d|[^\W\d]{0,8}\s*$)")
# "Blocked: no"
_SWITCHES = frozenset("yes no true false clean low medium high".split())
# What a label says even where nothing else is filed, and within a list of another kind.
_LOUD = frozenset(("reminder", "next", "blocker", "decision", "goal"))


def govern(state: State, split: Label, piece: Piece, at: int, after: Piece | None) -> None:
    """A label alone on its line: a heading for what follows, or an item that the following lines explain."""
    mark = status.marked(plain(split.name))
    lines = Lines(piece.first, piece.last)
    outer, before, below = state.sections.heading, state.sections.label, state.after(at) if after is None else None
    form = None if state.guide or outer.closed else shape(mark.text)
    topic = state.topic_below(mark.text, outer)
    if state.guide and not outer.closed and words.is_order(mark.text):
        state.draft.add("constraint", split.name, lines)
        return
    if form and form.how == "shape":
        item(state, split.name, piece, outer, form.kind)
        return
    if topic is None and not split.bold and (told := words.introduced(f"{split.name.rpartition('. ')[2]}:")):
        # "These were fixed:". What is not to be done is none of a section's work.
        is_loose = outer.titular or outer.inside == "phase"
        is_heard = not outer.strong or told[0] == "deferral" or (is_loose and words.called(f"{split.name}:"))
        topic = Topic(*told) if is_heard else None
    if topic is None and not outer.closed and STORY.match(mark.text):
        topic = CRITERIA
    if topic and outer.closed and topic.kind not in _LOUD:
        # A template's parts.
        topic = NOTHING
    if topic and outer.kind == "file" and topic.kind == "next" and vocabulary.exact(mark.text) != topic:
        # "If you pick this up:" below "Files to read"
        topic = None
    if topic and outer.kind == "next" and topic.kind == "step" and topic.status in ("", "pending"):
        # "In this order:" below "Next steps"
        topic = None
    if topic and ((topic.soft and outer.kind == "finding") or topic.kind == outer.inside == "finding"):
        topic = None
    known = vocabulary.field(mark.text)
    if known == "why" and topic is None and not outer.closed:
        # What stands below is the reason of what was said above.
        index = before.entry if before and before.entry >= 0 else outer.entry
        state.sections.name(
            Context(None, outer.inside, index, outer.opened, reason=True) if index >= 0 else Context(NOTHING)
        )
        state.belongs(index, piece.last) if index >= 0 else state.draft.head(split.name, LEVEL, None, lines)
        return
    if topic is None and before and before.entry >= 0 and known:
        state.belongs(before.entry, piece.last)
        return
    if (
        topic is None
        and not outer.closed
        and not state.guide
        and _is_item(state, split, mark.text, at, after, outer, below)
    ):
        kind = outer.kind if outer.strong and outer.kind else words.kind_of(mark.text)[0]
        index = state.draft.add(kind, split.name, lines, status=mark.status or outer.status, opened=outer.opened)
        state.sections.name(Context(None, kind, index, outer.opened))
        return
    if topic is None:
        inside = outer.inside if outer.inside and not outer.strong else None
        state.sections.name(outer._replace(entry=outer.entry if inside else -1, inside=inside, inherited=True))
    else:
        if topic.files and outer.inside in ("step", "phase") and outer.status != "done" and outer.entry >= 0:
            # "Changes:" of what is to do.
            topic = topic._replace(status=state.draft.entries[outer.entry].status)
        if topic.kind == "step" and not topic.status:
            # "Features:" of a step that is done
            how_far = outer.status or state.done_above(outer) or ("pending" if outer.ahead else "")
            topic = topic._replace(status=how_far)
        state.sections.name(Context(topic, opened=at if topic.kind == "next" else outer.opened))
    if split.bold or topic is not None or (below and below.form == "item"):
        state.draft.head(split.name, LEVEL, state.sections.current.kind, lines)


def _is_item(
    state: State, split: Label, text: str, at: int, after: Piece | None, outer: Context, below: Block | None
) -> bool:
    """Whether a label that names nothing is an item: a bold sentence that goes on below, or one with its fields."""
    goes_on = after is not None and (label(after.text) is None or is_field(after.text))
    if split.bold and goes_on and len(vocabulary.normal(text)) >= 4:
        return True
    return below is not None and below.form == "item" and outer.strong and _fields_follow(state, at)


def _fields_follow(state: State, at: int) -> bool:
    """Whether the list behind this block tells fields of one thing rather than things."""
    fields = total = 0
    for block in state.blocks[at + 1 : at + 30]:
        if block.form != "item":
            break
        if block.level == 1:
            total += 1
            fields += is_field(block.text)
    return total > 0 and fields * 2 >= total


def item(state: State, text: str, piece: Piece, context: Context, kind: Kind) -> None:
    """A line that is an item by its form: "Phase 2: …", "**Task 1 — …**" with what explains it behind."""
    mark = status.marked(plain(text))
    kind = "next" if kind == "step" and context.kind == "next" else kind
    lines = Lines(piece.first, piece.last)
    how_far = mark.status or context.status or state.done_above(context)
    index = state.draft.add(kind, mark.text, lines, status=how_far, opened=context.opened)
    below = STEP._replace(status=status.PENDING if context.status == status.PENDING else state.done_above(context))
    state.sections.name(Context(below if kind == "phase" else None, kind, index, context.opened))


def line(state: State, split: Label, lines: Lines, context: Context) -> bool:
    """A label with words behind it. True when it is dealt with: filed, part of an item, or metadata."""
    named, known = state.topic(split.name, line=True), vocabulary.field(split.name)
    if known == "meta" and _DATED.match(split.value):
        return True
    if known == "meta" and named and named.kind and not named.soft:
        # "Created: src/a.py" tells what was done, "Commit: 1f0c…" does not.
        known, named = (None, named) if named.files else (known, None)
    if (
        known == "field"
        and named
        and named.kind == "file"
        and split.bold
        and context.inside == "step"
        and is_only_path(split.value)
    ):
        # The file of a piece of work.
        state.draft.add("file", split.value, lines)
        return True
    if named and named.files and context.entry >= 0 and context.inside == "step" and not is_only_path(split.value):
        # "Changes: …" tells of the work.
        state.belongs(context.entry, lines.last)
        return True
    if _of_item(state, split, lines, context, named, known) or (known == "why" and context.entry < 0):
        return True
    if named and named.kind == "file" and known is None and not paths(split.value):
        # "Chunked files: rejected"
        named = None
    loud = named is not None and named.kind in _LOUD and not state.guide
    if dated(split.value) == "" or LINK.fullmatch(split.value) or (context.closed and not loud):
        return True
    if known == "field" and named and named.kind == "goal" and state.sections.is_below_title:
        # "Purpose: …" of a part.
        named = None
    heard = not state.guide or (named is not None and named.kind in ("constraint", "reminder"))
    is_path = named is not None and named.kind == "file" and known == "field"
    if named and named.kind and not named.soft and not is_path and heard:
        return _named(state, named, split, lines, context)
    if known == "meta" or is_path or state.guide or (named and named.kind is None):
        return True
    if context.entry >= 0:
        state.belongs(context.entry, lines.last)
        return True
    return split.bold and _unnamed(state, split, lines, context)


def _of_item(
    state: State, split: Label, lines: Lines, context: Context, named: Topic | None, known: Field | None
) -> bool:
    """A line that tells of the item above it: of the heading that governs here, or of the same paragraph."""
    entries = state.draft.entries
    is_own_status = is_status(split)
    if context.entry >= 0:
        own = named is not None and named.kind == entries[context.entry].kind != "step"
        index = context.entry if known or is_own_status or own else -1
    else:
        is_below = lines.first > state.block_first and bool(entries) and entries[-1].lines.last == lines.first - 1
        index = len(entries) - 1 if is_below and known in ("why", "field") else -1
    if index < 0:
        return False
    if known == "why":
        state.draft.explain(index, split.value)
    elif is_own_status:
        state.draft.set_status(index, status.of_word(split.value))
    state.belongs(index, lines.last)
    return True


def check(state: State, split: Label, piece: Piece, at: int, after: Piece | None) -> bool:
    """A command that is to be run, "Run: `make test`" with what is expected behind it or below, as a check."""
    entries = state.draft.entries
    if _EXPECTED.match(split.name):
        if entries and entries[-1].kind == "validation":
            state.draft.stretch(len(entries) - 1, piece.last)
        return bool(entries) and (entries[-1].kind == "validation" or state.sections.current.entry >= 0)
    if not _RUN.fullmatch(split.name):
        return False
    below = state.after(at)
    code = below if after is None and not split.value and below and below.form == "code" else None
    behind = state.after(at + 1) if code else below
    told = after.text if after else behind.text if behind and behind.form == "text" else ""
    command = f"`{' '.join(code.text.split())}`" if code else split.value
    if not command.startswith("`") or not (_EXPECTED.match(told) or _SHOWS.search(split.value) or is_check(command)):
        return False
    index = state.draft.add("validation", command, Lines(piece.first, code.first if code else piece.last))
    if code:
        state.draft.quotes(index, code.last)
    return True


def _unnamed(state: State, split: Label, lines: Lines, context: Context) -> bool:
    """A bold label that names nothing: an item of its section's kind, or a fact where there is none."""
    kind: Kind | None = "finding"
    if not state.sections.is_below_title and vocabulary.field(split.name):
        return True
    if context.strong and context.topic and not context.titular:
        kind = context.kind if context.topic.prose or context.kind != "step" else None
    elif len(split.value.split()) < _FACT_WORDS_MIN or not (state.sections.is_below_title or state.topic(split.name)):
        kind = None
    if state.is_footer and len(split.value.split()) < _FACT_WORDS_MIN:
        kind = None
    if kind in ("step", "finding") and is_only_path(split.value):
        kind = "file"
    if kind == "step" and MEASURE.match(split.value):
        kind = "finding"
    if kind == "finding" and words.begins_rule(split.name):
        kind = "constraint"
    if kind and (kind != "file" or paths(split.value, limit=1)):
        text = f"{split.name}{split.aside and ' ' + split.aside}: {split.value}"
        how_far = context.status if context.strong else ""
        state.draft.add(kind, text, lines, status=how_far, opened=context.opened)
    return True


def _named(state: State, named: Topic, split: Label, lines: Lines, context: Context) -> bool:
    """A label that names a kind."""
    kind = named.kind
    if is_empty(plain(split.value)) or split.value.strip(" .!*_`").lower() in _SWITCHES:
        return True
    if kind is None or split.name.lower() in STATUS:
        # A word or two are metadata; a sentence tells how things stand.
        if sum(len(word) > 2 for word in vocabulary.normal(split.value)) >= 4:
            state.draft.add("finding", split.value, lines)
        return True
    # "**Slow tests** — …" below "Problems" is one of these, "**Reader TODO** — …" is work.
    is_exact = " " not in split.name or vocabulary.exact(split.name) == named
    is_own = context.kind != "finding" or is_exact or (named.status == status.PENDING and not named.noun)
    is_said = (
        (split.bold and (is_own or not context.strong))
        or kind in _LOUD
        or (lines.first == state.block_first and vocabulary.exact(split.name) == named)
    )
    if not is_said and context.strong and not context.titular and context.kind != kind:
        return False
    if kind == "file" and not paths(split.value):
        return True
    mark = status.marked(split.value if vocabulary.exact(split.name) == named else f"{split.name}: {split.value}")
    if kind == "step":
        kind = _of_step(named, split)
    elif kind == "goal" and named.status and (form := shape(plain(split.value), line=True)) and form.kind == "phase":
        # "Current focus: Phase 3 — Sync"
        kind = "phase"
    elif kind == "reminder" and state.guide and (words.is_order(split.value) or words.is_instruction(split.value)):
        kind = "constraint"
    elif kind == "validation" and is_only_path(split.value):
        kind = "file"
    # A label's "next" is a section of its own, numbered apart from those of blocks.
    opened = lines.first + len(state.blocks) if kind == "next" else context.opened
    state.draft.add(kind, mark.text, lines, status=mark.status or named.status, opened=opened)
    return True


def _of_step(named: Topic, split: Label) -> Kind:
    """What a line is whose label names work: what blocks, a measure of it, a rule for it, a file of it, else a step."""
    if split.value.endswith(("?", "？")):
        # "Open: who owns the key?"
        return "question"
    if named.status == "blocked":
        return "blocker"
    if named.status == "" and words.is_rule(split.value):
        return "constraint"
    if named.files and leads_with_path(split.value):
        return "file"
    return "finding" if MEASURE.match(split.value) else "step"
