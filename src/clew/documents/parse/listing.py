"""List entries: one item each, with what is nested in it, or a mere label for what is."""

from __future__ import annotations

import re

from clew.core.items import Kind
from clew.documents.entry import Lines
from clew.documents.parse import groups, labels, status, vocabulary, words
from clew.documents.parse.context import Context
from clew.documents.parse.draft import is_empty
from clew.documents.parse.forms import Look, counted, describes, kind_in, names_file, phase_state
from clew.documents.parse.heads import is_field, is_status
from clew.documents.parse.inline import Label, is_check, is_only_path, label, leads_with_path, plain, points
from clew.documents.parse.markdown import Block
from clew.documents.parse.pieces import Piece
from clew.documents.parse.shapes import shape
from clew.documents.parse.state import INSTRUCTIONS, State
from clew.documents.parse.topics import AREA, CRITERIA

_BOX = re.compile(r"\[([ xX])\]\s*")
_FRONT_CHARS = 400
# Labels that begin so tell about the document.
_ON_DOCUMENT = ("what this", "how ", "when to", "who ", "see ")
_COMMAND = re.compile(r"`[a-z][\w./-]* [^`]+`")
_OPTIONAL = re.compile(r"\(?optional(?:ly)?\)?\s*[:,—–-]?\s+", re.IGNORECASE)
_CODE = re.compile(r"`[^`]+`|\([^()]*\)")
_META_WORDS_MAX = 3
# Where something is kept is a field of it.
_PLACES = frozenset(("path", "location", "worktree"))
# A label in a list of facts or steps that says what an entry is.
_SPOKEN = frozenset(("next", "blocker", "decision", "risk", "question", "phase"))
# … and in a list of what was learned.
_LEARNED = frozenset(("decision", "constraint", "deferral", "question"))
# An entry of these that says only where something stands says nothing.
_TOLD = frozenset(("decision", "finding", "learning", "constraint"))
_POINTER_WORDS_MAX = 8
# … and that is heard in any list.
_SHOUTED = frozenset(("important", "warning", "critical", "caution", "attention"))
# So many entries tell what a list is.
_LISTED_MAX = 50
_BOXED_KINDS = frozenset(("next", "question", "risk", "blocker", "phase"))


def read(state: State, at: int) -> None:
    """Reads an entry of the outermost list with all that is nested in it."""
    if state.blocks[at - 1].form != "item" or at == 0:
        state.list_done = False
        state.list_steps = _is_procedure(state, at)
    block = state.blocks[at]
    if block.box:
        state.sections.alone = None
    # What is quoted was said elsewhere.
    if not state.blocks[at].quoted or state.blocks[at].box:
        state.block_first = state.blocks[at].first
        _entry(state, at, state.sections.current)
    state.sections.label_used = True
    if block.box and not state.guide and _is_alone(state, at):
        state.sections.alone = Context(None, "step", len(state.draft.entries) - 1, state.sections.current.opened)


def _is_alone(state: State, at: int) -> bool:
    """Whether an entry with a box stands by itself, and text or code follows that tells of it."""
    end, entries = state.blocks[at].end, state.draft.entries
    after = state.blocks[end].form if end < len(state.blocks) else ""
    is_filed = bool(entries) and entries[-1].lines.first == state.blocks[at].first
    return is_filed and end == at + 1 and not (at and state.blocks[at - 1].box) and after in ("text", "code")


def _is_procedure(state: State, at: int) -> bool:
    """Whether a numbered list says what to do in half of its entries or more."""
    listed = said = 0
    while at < len(state.blocks) and state.blocks[at].form == "item" and listed < _LISTED_MAX:
        block = state.blocks[at]
        if not block.number:
            return False
        listed += 1
        said += words.is_instruction(_OPTIONAL.sub("", plain(block.text[:_FRONT_CHARS])))
        at = block.end
    return listed > 1 and said * 2 >= listed


def line(state: State, piece: Piece) -> None:
    """A line of a paragraph that stands as an entry does."""
    box = _BOX.match(piece.text)
    text = piece.text[box.end() :] if box else piece.text
    block = Block("item", piece.first, piece.last, 0, piece.last, 1, text, box[1] if box else "")
    mark = _mark(block)
    if mark.text.strip():
        _file(state, block, mark, label(mark.text), state.sections.current)


def _mark(block: Block) -> status.Marked:
    return status.marked(block.text.replace("\n", " ").strip())


def _entry(state: State, at: int, context: Context) -> None:
    block = state.blocks[at]
    mark = _mark(block)
    children = groups.children(state, at)
    split = label(mark.text)
    if split and split.value and not mark.status and (aside := status.of_aside(split.aside)):
        # "**Parser** (done): …"
        mark = mark._replace(status=aside)
    if children and not block.box and not (split and split.value) and groups.is_told(state, at, context):
        _file(state, block, mark._replace(text=mark.text.rstrip(":： ")), None, context)
        for child in children:
            _entry(state, child, context)
        return
    is_group = bool(children) and not block.box and not groups.is_of_file(state, mark.text, split, children)
    if is_group and (groups.is_titled(state, at, context) if block.number else groups.is_group(mark.text, split)):
        name = split.name if split else plain(mark.text)
        topic = state.topic_below(groups.INTRODUCES.sub("", name), context)
        inner = context._replace(entry=-1, inside=None, inherited=True)
        if topic:
            inner = Context(topic, opened=at if topic.kind == "next" else context.opened)
        state.draft.head(name, labels.LEVEL, inner.kind, Lines(block.first, block.own_last))
        for child in children:
            _entry(state, child, inner)
        return
    index = _file(state, block, mark, split, context)
    if index >= 0:
        if split and not state.draft.entries[index].status:
            said = status.said(split.value) or status.said(split.name.rpartition(": ")[2])
            state.draft.set_status(index, said or counted(mark.text))
        state.draft.quotes(index, block.own_last)
        _details(state, children, index)
    else:
        for child in children:
            if state.blocks[child].box or state.guide:
                _entry(state, child, context)


def _details(state: State, children: list[int], index: int) -> None:
    """What is nested in an entry belongs to it, unless it has a box or a status of its own, or it lists the files of a
    deed.
    """
    entry = state.draft.entries[index]
    checks = [child for child in children if _COMMAND.match(state.blocks[child].text)]
    if entry.kind == "validation" and len(checks) == len(children) > 1:
        # "Gates:", with the commands
        for child in checks:
            block = state.blocks[child]
            state.draft.add("validation", block.text, Lines(block.first, block.last))
        return
    if entry.kind == "step" and words.is_past(entry.text) and all(groups.is_path(state, child) for child in children):
        for child in children:
            state.draft.add(
                "file", state.blocks[child].text, Lines(state.blocks[child].first, state.blocks[child].last)
            )
        return
    for child in children:
        block = state.blocks[child]
        mark = _mark(block)
        split = label(mark.text)
        if split and split.value and vocabulary.field(split.name) == "why":
            state.draft.explain(index, split.value)
        elif block.box or (mark.status and not is_field(block.text)):
            how_far = status.of_box(block.box) if block.box else mark.status
            own = state.draft.add("step", mark.text, Lines(block.first, block.last), status=how_far)
            if own >= 0:
                state.draft.quotes(own, block.own_last)
                _details(state, groups.children(state, child), own)
        elif split and not split.value and (topic := state.topic(split.name)) and topic.kind and not topic.soft:
            for inner in groups.children(state, child):
                _entry(state, inner, Context(topic, opened=child))
        elif any(inner.box for inner in state.blocks[child + 1 : block.end]):
            _details(state, groups.children(state, child), index)


def _file(state: State, block: Block, mark: status.Marked, split: Label | None, context: Context) -> int:
    """Files an entry. The index of its item; −1 where it is none, or part of the heading that is one."""
    lines = Lines(block.first, block.last)
    # The front part tells the kind.
    text = plain(mark.text[:_FRONT_CHARS])
    if split and split.value and not split.value.strip("-–—* "):
        return -1
    if is_empty(text) or (mark.status and is_status(Label(text.rstrip(" :："), "x", bold=False))):
        return -1
    if state.guide:
        kind = _of_guide(block, mark, split, context)
        if kind is None or kind != context.kind or not context.strong:
            return state.draft.add(kind, mark.text, lines) if kind else -1
    if block.box:
        return _boxed(state, block, mark, context, lines)
    if context.closed:
        if split and split.value and not _is_metadata(split):
            return _labelled(state, split, lines, context)
        return -1
    if split and (
        labels.LINK.fullmatch(split.value)
        or (_is_metadata(split) and context.kind in (None, "finding", "step", "next"))
    ):
        return -1
    if context.entry >= 0 and not context.strong:
        return _in_item(state, block, mark, split, context, lines)
    if context.strong:
        if context.entry >= 0 and split and is_status(split) and labels.line(state, split, lines, context):
            return -1
        return _in_kind(state, block, mark, split, context, lines)
    if state.list_steps and not context.closed and _OPTIONAL.match(text):
        split = None
    named = vocabulary.exact(split.name) if split and split.value else None
    if split and split.value and split.name.lower().startswith(_ON_DOCUMENT):
        return -1
    if split and named and named.kind and not named.soft and (named.kind != "step" or named.status):
        return _labelled(state, split, lines, context)
    if split and split.value and vocabulary.field(split.name) == "meta" and not context.inside:
        return -1
    return _by_words(state, mark, context, lines)


def _is_metadata(split: Label) -> bool:
    """Whether an entry tells about the document or the repository: "Branch: `main`"."""
    known = vocabulary.field(split.name)
    is_one = len(_CODE.sub("x", split.value).split()) <= _META_WORDS_MAX
    if known == "meta":
        named = vocabulary.exact(split.name)
        return is_one and not (named and named.files)
    return known == "field" and is_one and split.name.lower() in _PLACES


def _is_heard(block: Block, context: Context) -> bool:
    """Whether a guide's entry is one: its steps are a procedure, not this project's work."""
    is_procedure = context.kind in ("step", "phase", "next") or (context.kind == "goal" and bool(block.number))
    return context.strong and (bool(block.box) or not is_procedure)


def _of_guide(block: Block, mark: status.Marked, split: Label | None, context: Context) -> Kind | None:
    """What a guide's entry is: what its section names, a rule (not in examples), a file, a check, a fact;
    None for a part of a procedure.
    """
    text = plain(mark.text[:_FRONT_CHARS])
    is_listed = not block.number and not context.closed
    is_free = is_listed and block.level == 1 and context.kind not in ("step", "phase", "next")
    heard = context.kind if context.topic != INSTRUCTIONS and _is_heard(block, context) else None
    if heard not in (None, "finding"):
        return heard
    if words.is_order(text) or (is_free and (context.topic == INSTRUCTIONS or words.is_instruction(text))):
        return "constraint"
    if is_listed and context.topic != INSTRUCTIONS:
        if leads_with_path(mark.text) and not is_only_path(mark.text):
            return "file"
        if is_check(mark.text):
            return "validation"
        if (
            context.kind == "finding"
            and split
            and split.bold
            and split.value
            and not labels.LINK.fullmatch(split.value)
        ):
            return "finding"
    return heard


def _labelled(state: State, split: Label, lines: Lines, context: Context) -> int:
    """An entry whose label says what it is."""
    if context.entry < 0 and is_only_path(split.value):
        return state.draft.add("file", split.value, lines)
    before = len(state.draft.entries)
    labels.line(state, split, lines, context)
    return before if len(state.draft.entries) > before else -1


def _boxed(state: State, block: Block, mark: status.Marked, context: Context, lines: Lines) -> int:
    state.boxed = context.entry
    how_far = status.of_box(block.box)
    if block.box == " ":
        # A box that somebody left open is not done, whatever stands above it.
        above = context.status if context.strong and context.status != status.DONE else ""
        how_far = mark.status or above or how_far
    kind: Kind = context.kind if context.strong and context.kind in _BOXED_KINDS else "step"
    form = shape(plain(mark.text[:_FRONT_CHARS]), line=True) if kind == "step" else None
    if form and form.kind == "phase" and form.how == "shape":
        # "- [x] **Phase 1 — The reader** …"
        kind = "phase"
    return state.draft.add(kind, mark.text, lines, status=how_far, opened=context.opened)


def _in_item(
    state: State, block: Block, mark: status.Marked, split: Label | None, context: Context, lines: Lines
) -> int:
    """An entry below a heading that is an item: one of its fields, a file, a step, or a part of what it tells."""
    if context.reason:
        state.draft.explain(context.entry, mark.text)
        state.draft.stretch(context.entry, block.last)
        return -1
    is_deed = split is not None and " " in split.name and words.is_past(split.name)
    if split and split.value and not is_deed and (vocabulary.field(split.name) or state.topic(split.name)):
        before = len(state.draft.entries)
        if labels.line(state, split, lines, context):
            return before if len(state.draft.entries) > before else -1
    if leads_with_path(mark.text):
        return state.draft.add("file", mark.text, lines)
    entry = state.draft.entries[context.entry]
    if entry.kind == "constraint":
        # "### I. Tests first" with its rules
        return state.draft.add("constraint", mark.text, lines)
    if state.boxed == context.entry and not block.number and not mark.status:
        # The boxes are the steps, what is listed between them tells of these.
        state.belongs(context.entry, block.last)
        return -1
    is_step = (block.number and context.inside in ("phase", "step") and not context.dated) or mark.status
    if entry.kind == "step" and not (block.number or mark.status) and describes(split, mark.text):
        return state.draft.add("finding", mark.text, lines)
    if entry.kind == "question" and words.is_imperative(plain(mark.text[:_FRONT_CHARS])):
        return state.draft.add("step", mark.text, lines, status=mark.status)
    is_open = entry.kind == "step" and not (block.number or mark.status) and not context.dated
    front = plain(mark.text[:_FRONT_CHARS])
    if is_open and mark.text.endswith((".", "?")) and (words.is_imperative(entry.text) or words.is_statement(front)):
        # What stands below "### Move the backup" as a sentence tells of it, unless it says what to do, too.
        kind, how_far = words.kind_of(front)
        return state.draft.add(kind, mark.text, lines, status=how_far or context.status or entry.status)
    if entry.kind == "phase" and not block.number and not mark.status and words.is_statement(mark.text):
        return state.draft.add(words.kind_of(mark.text)[0], mark.text, lines)
    if (
        is_step
        or entry.kind == "phase"
        or (entry.kind in ("step", "next") and not context.dated and state.sections.heading.entry == context.entry)
    ):
        is_told = entry.kind == "step" and entry.status in (status.DONE, status.PENDING)
        how_far = mark.status or context.status or (entry.status if is_told else "")
        return state.draft.add("step", mark.text, lines, status=how_far)
    state.draft.stretch(context.entry, block.last)
    return -1


def _in_kind(
    state: State, block: Block, mark: status.Marked, split: Label | None, context: Context, lines: Lines
) -> int:
    """An entry below a heading or label that names a kind."""
    topic = context.topic
    if topic is None or topic.kind is None:
        return -1
    kind: Kind = "step" if topic.kind == "goal" and topic.status else topic.kind
    if kind == "goal" and context.opened in state.goals:
        # What follows the goal explains it.
        return _by_words(state, mark, context._replace(topic=None), lines)
    if split and split.value and (index := _spoken(state, mark, split, kind, lines)) is not None:
        return index
    if kind in _TOLD and mark.text.count(" ") < _POINTER_WORDS_MAX and points(mark.text):
        return -1
    look = Look(block, mark, split, context, plain(mark.text[:_FRONT_CHARS]))
    kind = kind_in(kind, look)
    how_far = mark.status or (phase_state(look.front) if kind == "phase" else "") or topic.status
    # "Split the reader" says what to do as well.
    is_open = not how_far and look.is_part and not words.is_imperative(look.front)
    if kind == "step" and (is_open or (topic.noun and not mark.status)) and words.is_past(look.front):
        # "Added the parser" in a list that says nothing of how far it is, or below "Actions"
        how_far = status.DONE
    return state.draft.add(kind, mark.text, lines, status=how_far, opened=context.opened)


def _spoken(state: State, mark: status.Marked, split: Label, kind: Kind, lines: Lines) -> int | None:
    """An entry whose label says what it is, whatever the kind of its section is; −1 metadata, None any other."""
    if split.bold and split.name.lower() in _SHOUTED:
        return state.draft.add("reminder", split.value, lines)
    if kind == "learning" and split.bold and (said := state.topic(split.name, line=True)) and said.kind in _LEARNED:
        return state.draft.add(said.kind, mark.text, lines)
    if kind not in ("finding", "step", "goal", "phase") or (split.bold and kind not in ("finding", "step")):
        return None
    named = vocabulary.exact(split.name) if split.bold else state.topic(split.name)
    if named is None and kind == "finding" and (said := state.topic(split.name, line=True)) and not said.soft:
        # "**Done this week:** …", "**Waiting on the owner:** …"
        named = said if said.status == "done" or said.kind in ("blocker", "next") else None
    if vocabulary.field(split.name) == "meta" and named is None:
        # A piece of work may be called as metadata is: "✅ **Label** — with a colour".
        return None if mark.status else -1
    if named == CRITERIA and not mark.status:
        return state.draft.add("constraint", split.value, lines)
    if named and named.kind == "step" and labels.MEASURE.match(split.value):
        return state.draft.add("finding", mark.text, lines)
    if named and (named.kind in _SPOKEN or (kind == "finding" and named.status and not named.files)):
        how_far = mark.status or named.status
        # "**All of the reader done:** …" says more than that something is done.
        text = split.value if vocabulary.exact(split.name) == named else mark.text
        return state.draft.add(named.kind or kind, text, lines, status=how_far, opened=lines.first)
    return None


def _by_words(state: State, mark: status.Marked, context: Context, lines: Lines) -> int:
    """An entry that no heading says anything about."""
    split = label(mark.text)
    if (leads_with_path(mark.text) and not words.is_rule(mark.text)) or names_file(split):
        return state.draft.add("file", mark.text, lines)
    if is_check(split.value if split and split.value else mark.text):
        return state.draft.add("validation", mark.text, lines)
    if state.genre == "rules":
        return state.draft.add("constraint", mark.text, lines)
    if not mark.status and _CODE.fullmatch(mark.text):
        # A name without a word on it.
        return -1
    front = plain(mark.text[:_FRONT_CHARS])
    if (form := shape(front, line=True)) and form.how == "shape" and form.kind in ("phase", "step"):
        return state.draft.add(form.kind, mark.text, lines, status=mark.status)
    kind, how_far = words.kind_of(front)
    if kind == "step" and not (how_far or mark.status) and context.topic == AREA and not state.sections.is_plan:
        # "Set `LOG=debug` for more" below "Environment" says how that is done.
        kind = "finding"
    if kind == "finding" and not mark.status and ("should" in front or "o not" in front) and words.is_norm(front):
        kind = "constraint"
    if kind in ("finding", "step") and how_far == "" and not mark.status and words.is_outcome(front):
        return state.draft.add("validation", mark.text, lines)
    if kind == "finding" and split and split.value and words.is_past(plain(split.value[:_FRONT_CHARS])):
        kind, how_far = "step", "done"
    if kind == "finding" and (mark.status or (state.list_steps and not state.list_done)):
        kind = "step"
    elif (
        kind == "finding"
        and (state.list_done or context.dated)
        and (context.topic is None or context.inherited or context.dated)
        and not words.is_statement(front)
    ):
        kind, how_far = "step", "done"
    elif kind == "step" and how_far == "done":
        state.list_done = True
    return state.draft.add(kind, mark.text, lines, status=mark.status or how_far or context.status)
