"""Headings: what each says about the lines below it, and whether it is itself an item."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from clew.core.items import Kind
from clew.documents.entry import Lines
from clew.documents.parse import stamps, status, vocabulary, words
from clew.documents.parse.context import ITEMISH, Context
from clew.documents.parse.inline import Label, is_only_path, label, plain
from clew.documents.parse.markdown import Block
from clew.documents.parse.pieces import pieces
from clew.documents.parse.questions import asked
from clew.documents.parse.shapes import Shape, dated, released, shape, unnumbered
from clew.documents.parse.state import OF_WORK, State, placed
from clew.documents.parse.topics import LOOSE, NOTHING, RANK, STEP, Topic

# Headings over one line about the document: "Last updated".
_STAMP = re.compile(r"\b(?:updated?|modified|date|authors?|id|by|at|version|timestamp|generated)$", re.IGNORECASE)
_TO_FILL = re.compile(r"\bYYYY[-./]MM[-./]DD\b")
_SUFFIX = re.compile(r"\.(?:md|markdown|txt|rst|org)$", re.IGNORECASE)
_AND = re.compile(r"\w+ ?(?:&|/|and\b) ?\w+$")
# What stands in a plan is to be done.
_PLAN = re.compile(r"\b(?:plan|roadmap|to-?dos?|tasks|checklist|backlog)\b\s*(?:$|[:(—–-])", re.IGNORECASE)
# The id of a story, a ticket, a task: "US-001: …"
_TAG = re.compile(r"(?![Pp]\d\b)(?:[A-Z]{1,10}-?|[A-Z][A-Z\d]{1,9}-)\d{1,5}\s*[:—–-]\s+(?=\S)")
_DATED = re.compile(rf"\W*(?:{stamps.DATE})", re.IGNORECASE)
_FRAMED = re.compile(rf"\W*(?:{stamps.DATE}|session)", re.IGNORECASE)
# "Module 1: the reader", where work is listed, is a part of that.
_MODULE = re.compile(r"(?:module|package|track|workstream|layer)\s*#?\d+\s*[:—–-]\s*\S", re.IGNORECASE)
_PHASED = frozenset(("step", "next", "phase", "deferral"))
# Headings with fewer words name something.
_ORDER_WORDS_MIN = 3
_WHENS = {
    "current": status.DOING,
    "active": status.DOING,
    "next": status.PENDING,
    "upcoming": status.PENDING,
    "completed": status.DONE,
    "previous": status.DONE,
}
_WHEN = re.compile(
    rf"(?P<when>{'|'.join(_WHENS)}) (?:phase|milestone|sprint|stage|focus)\s*[:—–-]\s*(?P<said>\S.*)", re.IGNORECASE
)
# In a document of decisions such headings tell how it is kept.
_ON_ITSELF = ("when ", "how ", "what ", "who ", "where ")
# So far is looked below a heading for what it is.
_BELOW_MAX = 60
# Headings below these are items, unless all of their words name another kind.
_ITEMS = ITEMISH - {"step", "next", "blocker", "constraint", "reminder"}
_OF_FILES = frozenset(("validation", "finding", "step", "constraint"))
# What a document that is called by them lists.
_WORK = frozenset("steps step actions action tasks task work items moves priorities todos pasos schritte".split())
STATUS = ("status", "state", "current status", "overall status", "状态", "状態")
# Numbered headings below these are items, whatever their words name.
_NUMBERED_KINDS = ITEMISH | {"finding"}


def enter(state: State, at: int) -> None:
    """Reads a heading; from here on it governs."""
    block = state.blocks[at]
    parent = state.sections.parent(block.level)
    text = plain(block.text)
    mark = status.marked(text)
    is_title = not state.titled and block.level == 1
    state.titled = True
    if is_title:
        context = _title(state, mark.text, at)
    elif boxed := status.boxed(text):
        context = _boxed(state, boxed, parent, at)
    else:
        context = _section(state, mark, parent, at)
    state.draft.head(text, block.level, context.topic.kind if context.topic else None, Lines(block.first, block.last))
    state.sections.enter(block.level, context)
    state.survey(at)


def _title(state: State, text: str, at: int) -> Context:
    """A document's title names what stands below it only when it is all of it: "Decisions"."""
    # "TODO.md"
    text = _SUFFIX.sub("", text)
    topic = state.topic(text) if vocabulary.exact(text) or _AND.search(text) else STEP if _PLAN.search(text) else None
    if (topic == STEP and not _PLAN.search(text)) or (topic and topic.kind == "phase" and shape(text)):
        topic = None
    if topic and topic.kind == "next" and is_call(text) and state.has_sections(at):
        topic = None
    if topic and topic.kind == "constraint" and state.genre == "record":
        # "Conventions": what its sections are on is no other kind.
        state.genre = "rules"
    if topic and topic.kind in ("step", "finding"):
        # Such a title says little of sections that name nothing.
        topic = topic._replace(prose=False, soft=topic.kind == "finding")
    return Context(topic, opened=at, titular=True) if topic and topic.kind else state.sections.parent(1)


def is_call(text: str) -> bool:
    """Whether a document is called by an order to go on or by whom it is for, "Continue here", "Next session": its
    sections say themselves what each is, those of "Next actions" are these.
    """
    return _WORK.isdisjoint(vocabulary.normal(text))


def _section(state: State, mark: status.Marked, parent: Context, at: int) -> Context:
    if _TO_FILL.search(mark.text):
        # "### YYYY-MM-DD - Title" shows how to write the next one.
        return Context(NOTHING)
    mark = _placed_in_time(mark)
    title, numbered = unnumbered(mark.text)
    topic = placed(state.topic(title), parent)
    journal = dated(mark.text)
    if topic and journal and _FRAMED.match(mark.text) and vocabulary.exact(journal) in (None, STEP):
        # "Session 1 — Setup and first screens" is on no setup.
        topic = None
    form = _form(state, mark.text, parent, topic)
    if not (state.guide or parent.closed) and is_only_path(state.blocks[at].text) and "`" in state.blocks[at].text:
        # "### `src/login.py`", with what it is for
        index = _item(state, "file", state.blocks[at].text, "", parent, at)
        if _is_listed(state, parent, at):
            # What is listed below it is work on it.
            return parent._replace(inside=None, entry=-1, inherited=True)
        return Context(None, "file", index, at)
    known = vocabulary.field(title)
    if (
        parent.entry >= 0
        and parent.inside not in ("phase", "step")
        and (known or title.lower() in STATUS or (topic and topic.kind == parent.inside))
        and not (form and form.how == "shape" and form.kind == parent.inside)
    ):
        # "### Context", "### Decision" and "### Status" below a decision tell of it.
        return Context(
            None, parent.inside, parent.entry, parent.opened, reason=known == "why" or title.lower() == "context"
        )
    if form and (form.how != "label" or topic is None or form.kind == topic.kind):
        return _shaped(state, form, mark, parent, at)
    if known == "meta" and (topic is None or (_STAMP.search(title) and topic != vocabulary.exact(title))):
        return Context(NOTHING if _STAMP.search(title) else LOOSE, opened=at)
    if topic == RANK and vocabulary.exact(title) != RANK:
        below = _below(state.blocks, at)
        if parent.kind in _ITEMS and not below.listed:
            # "### P1 — Limits are not shared" below "Risks" is one of these.
            topic = None
        elif below.fields and not parent.closed:
            # "## P0 — The export hangs", with its symptom and its cause
            return _worked(state, mark, parent, at)
    if _is_order(state, title, topic, parent, at):
        return _worked(state, mark, parent, at, status.PENDING if parent.topic == RANK else "")
    if topic and topic.yields and topic.kind == "step" and parent.strong and not parent.titular:
        # "### High priority" below "Risks" is a part of these.
        return parent._replace(inside=None, entry=-1, inherited=True)
    if state.guide and numbered and not parent.strong and not (topic and topic.kind == "constraint"):
        # A procedure's step.
        return Context(STEP, opened=at)
    if not state.guide:
        topic = _heard(topic, title, mark, parent, numbered=numbered)
    if topic:
        if topic.brief == "goal" and topic != vocabulary.exact(title):
            topic = topic._replace(brief=None)
        if mark.status and topic.kind == "step" and not (topic == RANK and mark.sign):
            topic = topic._replace(status=mark.status)
        if parent.kind == "next" and (topic.soft or (topic.kind in ("step", "next") and topic.status != "done")):
            # Below "next steps", "now" and "short term" share the one next thing.
            return parent._replace(inside=None, entry=-1)
        # A part of a day lists what was done that day.
        return Context(topic, opened=at, dated=parent.dated and topic.soft)
    if parent.closed:
        return Context(NOTHING)
    if state.guide or state.genre == "rules":
        return parent if parent.strong else Context(None, opened=at)
    if journal is not None:
        return _journal(state, mark, journal, parent, at)
    return _unnamed(state, mark, title, parent, at, numbered=numbered)


def _is_listed(state: State, parent: Context, at: int) -> bool:
    """Whether a list stands right below a heading in a section of work that is to be done."""
    below = state.after(at)
    return (
        parent.kind in ("step", "next") and parent.status != status.DONE and below is not None and below.form == "item"
    )


def _placed_in_time(mark: status.Marked) -> status.Marked:
    """A heading without what it says of when in front of a phase: "Current phase: Phase 2 — types" is in progress."""
    match = _WHEN.match(mark.text)
    form = shape(match["said"]) if match else None
    if match is None or form is None or form.how != "shape" or form.kind != "phase":
        return mark
    return mark._replace(text=match["said"], status=mark.status or _WHENS[match["when"].lower()])


def _boxed(state: State, mark: status.Marked, parent: Context, at: int) -> Context:
    """A heading with a box: a piece of work, or a phase, whatever its words name."""
    form = _form(state, mark.text, parent, None)
    return _shaped(state, form, mark, parent, at) if form else _worked(state, mark, parent, at)


def _worked(state: State, mark: status.Marked, parent: Context, at: int, default: str = "") -> Context:
    """A heading that is a piece of work. `default`: how far it is where nothing tells."""
    kind: Kind = "next" if parent.kind == "next" else "step"
    how_far = mark.status or parent.status or default
    return _within(None, kind, _item(state, kind, mark.text, how_far, parent, at), how_far, parent)


def _is_order(state: State, title: str, topic: Topic | None, parent: Context, at: int) -> bool:
    """Whether a heading where work is listed says what to do, or names a piece of it and first the files of that:
    "### Move the backup off production", whatever it is on.
    """
    if state.genre != "record" or parent.kind not in ("step", "next"):
        return False
    if parent.titular and not _are_orders(state, at):
        return False
    if len(vocabulary.normal(title)) < _ORDER_WORDS_MIN or (topic and topic == vocabulary.exact(title)):
        return False
    return words.is_imperative(title) or _below(state.blocks, at).filed


def _are_orders(state: State, at: int) -> bool:
    """Whether most headings of a level say what to do."""
    level = state.blocks[at].level
    if level not in state.orders:
        told = [
            unnumbered(plain(block.text))[0]
            for block in state.blocks
            if block.form == "heading" and block.level == level
        ]
        state.orders[level] = sum(map(words.is_imperative, told)) * 2 > len(told)
    return state.orders[level]


def _form(state: State, text: str, parent: Context, topic: Topic | None) -> Shape | None:
    """The item that a heading is by its form in its place: a ticket or a version only where work is listed."""
    if state.guide or parent.closed:
        return None
    form = shape(text)
    if form is None and topic != RANK and parent.kind in (None, "step", "next") and (tag := _TAG.match(text)):
        return Shape("step", text, text[tag.end() :], "shape")
    if form is None and parent.kind in ("step", "next") and _asks(text):
        return Shape("question", text, "", "shape")
    if form is None and parent.kind in _PHASED and parent.entry < 0 and (released(text) or _MODULE.match(text)):
        return Shape("phase", text, "", "shape")
    if form and form.how == "dated" and form.kind == "phase" and topic and topic.status:
        # "Completed in current phase"
        return None
    return form


def _asks(text: str) -> bool:
    """Whether a heading asks what is to be decided: "Decide: one queue or two?"."""
    return (
        text.endswith(("?", "？")) and len(text.split()) >= _ORDER_WORDS_MIN and asked(vocabulary.normal(text)) is None
    )


def _heard(topic: Topic | None, title: str, mark: status.Marked, parent: Context, *, numbered: bool) -> Topic | None:
    """What a heading's words name in their place: below a heading that names a kind it may be one of these."""
    if topic is None:
        return None
    is_whole = topic == vocabulary.exact(title)
    if (
        mark.status == status.DONE
        and topic != RANK
        and (parent.kind in (None, "step") or _is_focus(parent))
        and not (is_whole or title.lower().startswith("what"))
    ):
        # "### ✅ Test harness" is a thing done.
        return None
    if parent.kind == "file" and topic.kind in _OF_FILES and not (parent.titular or topic.status == status.PENDING):
        # "### Tests" below "Files changed" are files.
        return None
    if parent.is_ahead and not parent.titular and topic.kind in OF_WORK:
        return None
    if parent.strong:
        if (
            numbered
            and not _is_apart(topic, title, parent)
            and ((topic.soft and parent.inside != "phase") or parent.kind in _NUMBERED_KINDS)
        ):
            # "### 2. Prompt enhancements" below "Completed" is one of these.
            return None
        if parent.inside == "phase" and topic.kind == "validation" and not is_whole:
            # "### Input validation" below a phase is what it builds.
            return None
        if parent.kind == "step" and topic.kind == "file" and not (is_whole or topic.files or parent.titular):
            # "### Product and docs" below "What still needs to be done"
            return None
        if (parent.kind in _ITEMS or parent.kind == "phase") and not is_whole and topic.kind != parent.kind:
            # "### Health check in the poller" below "Decisions" is one of these.
            return None
        if not parent.titular and (topic.yields or (topic.soft and not is_whole)):
            # "### Frontend hooks" below "Completed" is a part of that.
            return None
    return topic


def _is_apart(topic: Topic, title: str, parent: Context) -> bool:
    """Whether a numbered heading below a plan's title or a phase is none of its steps: definitions, its checks."""
    if parent.titular:
        return topic.kind == "finding" and not topic.soft
    return parent.inside == "phase" and topic.kind == "validation" and topic == vocabulary.exact(title)


def _shaped(state: State, form: Shape, mark: status.Marked, parent: Context, at: int) -> Context:
    """A phase, a task, a numbered decision."""
    # "Phase 1 complete"
    how_far = mark.status or status.of_aside(form.title) or (parent.status if form.kind in ("step", "phase") else "")
    below = state.after(at)
    is_told = form.how == "dated" and form.kind == "step" and not how_far and below and words.is_past(below.text)
    if is_told or form.how == "done":
        how_far = status.DONE
    if form.kind == "phase":
        state.phase_level = state.blocks[at].level
    index = _item(
        state, "next" if form.kind == "step" and parent.kind == "next" else form.kind, form.text, how_far, parent, at
    )
    # "Phase 5: Clarify module boundaries" is not on boundaries.
    inner = state.topic(form.title) if form.title and form.how == "shape" else None
    if inner and (inner.kind == "constraint" or form.kind != "phase"):
        # "Task 2: Verify the upload" is on that, "Task 3: The parser and its tests" is not.
        first = form.title.partition(" ")[0]
        is_whole = inner in (vocabulary.exact(form.title), vocabulary.exact(first) if first.isalpha() else None)
        inner = inner if is_whole else None
    if inner and inner.soft and form.kind == "phase":
        # "Phase 1: Security" is work on that.
        inner = None
    return _within(inner, form.kind, index, how_far, parent)


def _journal(state: State, mark: status.Marked, title: str, parent: Context, at: int) -> Context:
    """A dated heading: a date with a title, told of in a paragraph right below, is a thing done; any other, as one with
    a list of what was done, is a frame of what stands below it.
    """
    if title and parent.strong and parent.kind in ITEMISH - {"step", "next"}:
        state.survey(at)
        if state.is_parted:
            # The headings below it are the items.
            return parent._replace(inside=None, entry=-1, inherited=True)
        return _within(None, parent.kind, _item(state, parent.kind, title, "", parent, at), "", parent)
    form = shape(title) if title else None
    if form and form.how == "shape" and form.kind == "phase":
        # "## 2026-07-30 — Phase 0: skeleton"
        index = _item(state, "phase", mark.text, mark.status, parent, at)
        return Context(None, "phase", index, at, dated=True)
    named = vocabulary.exact(title) if title else None
    if named and named.kind and named != STEP and not (named.soft and parent.strong):
        return Context(named, opened=at)
    below = state.after(at)
    is_told = title and below and below.form == "text" and state.blocks[at].level > 1 and _DATED.match(mark.text)
    if is_told and not _lists_deeds(state, at) and state.topic(title) is None:
        index = _item(state, "step", mark.text, mark.status or "done", parent, at)
        return Context(None, "step", index, at, dated=True)
    topic = STEP._replace(status=mark.status) if mark.status else None
    return Context(topic, opened=at, dated=True)


def _lists_deeds(state: State, at: int) -> bool:
    """Whether the first entry below a heading and its paragraphs is a thing done: then the list tells it all."""
    behind = itertools.dropwhile(lambda block: block.form == "text", state.blocks[at + 1 : at + 1 + _BELOW_MAX])
    first = next(behind, None)
    return first is not None and first.form == "item" and words.is_past(plain(first.text))


def _unnamed(state: State, mark: status.Marked, title: str, parent: Context, at: int, *, numbered: bool) -> Context:
    """A heading that names nothing: an item of its parent's kind, a group of such items, or a topic by itself."""
    below = _below(state.blocks, at)
    level = state.blocks[at].level
    if mark.status and parent.kind in (None, "step") and level == state.phase_level:
        return _within(None, "phase", _item(state, "phase", mark.text, mark.status, parent, at), mark.status, parent)
    if parent.kind == "phase" and parent.strong and not parent.titular and parent.entry < 0:
        # "### First window" below "Milestones" is one of these.
        return _within(None, "phase", _item(state, "phase", mark.text, mark.status, parent, at), mark.status, parent)
    is_kind = parent.strong and (parent.kind in ITEMISH or (numbered and parent.kind == "finding"))
    state.survey(at)
    if state.is_parted and parent.kind in ("finding", "deferral"):
        # "1. Slow start" with "Symptom" and "Cause" below it is told by these.
        return Context(LOOSE, opened=at)
    if parent.titular and parent.kind == "step" and not (numbered or mark.status):
        # A part of a plan, not one of its steps.
        is_kind = False
    if (
        parent.kind
        and is_kind
        and (
            title.lower().startswith("why ")
            or below.is_one(
                numbered=numbered
                or (parent.titular and parent.kind == "decision" and not title.lower().startswith(_ON_ITSELF))
                or (parent.kind == "step" and parent.status == status.PENDING),
                has_status=bool(mark.status) and not (parent.kind == "finding" and below.listed),
            )
        )
    ):
        how_far = mark.status or parent.status
        index = _item(state, parent.kind, title if numbered else mark.text, how_far, parent, at)
        return _within(None, parent.kind, index, how_far, parent)
    in_plan = numbered and (parent.kind == "step" or (parent.inside in ("phase", "step") and parent.kind is None))
    if (in_plan and (below.stated or not below.boxes)) or (
        mark.status and (not parent.strong or parent.inside == "phase" or _is_focus(parent))
    ):
        how_far = mark.status or parent.status
        index = _item(state, "step", mark.text, how_far, parent, at)
        return (
            parent._replace(inside=None, entry=-1)
            if parent.strong and not (mark.status or below.stated)
            else _within(None, "step", index, how_far, parent)
        )
    if (
        parent.inside == "step"
        and not parent.dated
        and parent.entry >= 0
        and state.draft.entries[parent.entry].status == status.DONE
    ):
        # "#### Supervisor" below "### 2. Prompts ✅" was done, too.
        return _within(None, "step", _item(state, "step", mark.text, status.DONE, parent, at), status.DONE, parent)
    if parent.strong or parent.inside == "phase":
        topic = parent.topic
        if topic and mark.status == "done" and topic.kind == "step":
            topic = topic._replace(status=mark.status)
        return parent._replace(topic=topic, inside=None, entry=-1, inherited=True)
    return Context(None, opened=at, dated=parent.dated)


def _is_focus(parent: Context) -> bool:
    """Whether it lists what is worked on: "Current focus"."""
    return parent.kind == "goal" and parent.status != ""


class Below:
    """What stands between a heading and the next: fields of an item, lists, boxes, anything told at all."""

    def __init__(self) -> None:
        self.fields = self.listed = self.boxes = self.told = self.stated = 0
        self.first = ""
        # Whether it begins with the files that it is on: "**File:** `src/login.py`".
        self.filed = False

    def is_one(self, *, numbered: bool, has_status: bool) -> bool:
        """Whether it tells of one thing, which the heading is."""
        if self.stated and (numbered or has_status):
            return True
        if self.boxes:
            return False
        if self.fields and self.fields >= self.listed:
            return True
        return has_status or (not self.listed and (self.told > 0 or numbered)) or (self.first == "text" and numbered)


def _below(blocks: Sequence[Block], at: int) -> Below:
    found = Below()
    for block in blocks[at + 1 : at + 1 + _BELOW_MAX]:
        if block.form == "heading":
            break
        found.first = found.first or block.form
        if block.form == "text":
            found.told += 1
            for piece in pieces(block):
                split = label(piece.text.strip()) if found.told == 1 else None
                named = vocabulary.exact(split.name) if split and split.bold else None
                found.filed = found.filed or (named is not None and named.kind == "file")
                found.fields += is_field(piece.text)
                found.stated += is_status(label(piece.text.strip()))
        elif block.form == "item" and block.level == 1:
            own = is_field(block.text)
            found.fields += own
            found.listed += not own
            found.boxes += bool(block.box)
        elif block.form == "row":
            found.listed += 1
    return found


def is_field(text: str) -> bool:
    """Whether a line tells one of an item's fields: "Why: …"."""
    split = label(text.strip())
    return split is not None and bool(split.value) and vocabulary.field(split.name) in ("why", "field")


def is_status(split: Label | None) -> bool:
    """Whether it says how far something is: "Status: done"."""
    return split is not None and bool(split.value) and split.name.lower() in STATUS


def _item(state: State, kind: Kind, text: str, how_far: str, parent: Context, at: int) -> int:
    block = state.blocks[at]
    return state.draft.add(kind, text, Lines(block.first, block.last), status=how_far, opened=parent.opened)


def _within(inner: Topic | None, kind: Kind, index: int, how_far: str, parent: Context) -> Context:
    """What governs the lines below a heading that is itself an item."""
    ahead = parent.ahead or parent.kind == "next"
    if inner and inner.kind and inner.kind not in ("step", "next", "phase"):
        return Context(inner, kind, index, parent.opened, ahead=ahead)
    how_far = how_far if how_far in (status.DONE, status.PENDING) else ""
    topic = STEP._replace(status=how_far) if kind == "phase" else None
    return Context(topic, kind, index, parent.opened, ahead=ahead)
