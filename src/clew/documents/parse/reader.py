"""Blocks of a document to entries: walks them once, keeps what stands above each, and files each as an entry or a
note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from clew.core.state.items import Kind
from clew.core.text.segments import Block
from clew.documents.entry import Lines
from clew.documents.parse import status, table, vocabulary
from clew.documents.parse.context import Head, Place, place, standing
from clew.documents.parse.draft import Draft
from clew.documents.parse.inline import Label, label, plain
from clew.documents.parse.negation import doubtful
from clew.documents.parse.vocabulary import Topic

# What no person reads through is no hand-off: behind these the rest is a note. It bounds what a hostile file costs.
BLOCKS_MAX: Final = 20_000
ENTRIES_MAX: Final = 5_000
# So much of a text is looked at for its label and its marks.
_LOOKED_AT_CHARS: Final = 8_000
_NESTING_MAX: Final = 40
_LEAD_CHARS_MAX: Final = 160
_LABEL_LEVEL, _LEAD_LEVEL = 7, 8
_WHY: Final = frozenset(
    """why | reason | reasons | rationale | because | justification | motivation | why not | why it failed | root cause
    |
    error | 理由 | 原因 | 为什么 | 이유 | razón | motivo | begründung | grund | raison""".replace("\n", " ").split(
        " | "
    )
)
_STATUS: Final = frozenset("status state progress estado estatus stand статус 状态 状態 상태 statut stato".split())
_TITLES: Final = "title task name text item summary decision description what question goal".split()
_SENTENCE: Final = re.compile(r"[.!?。！？] |[。！？]")
_PAIR: Final = re.compile(r"([\w .-]{1,40}):(?:\s+(.*))?$")


class Reader:
    """`heads` are the headings and labels that are open, with their levels; `points` the list entries, with theirs."""

    def __init__(self, draft: Draft, base: Head | None = None) -> None:
        self.draft = draft
        self.heads: list[tuple[int, int, Head]] = []
        self.points: list[tuple[int, Head]] = []
        self.title = ""
        self.is_task = False
        self.base = base
        self.columns: table.Columns | None = None
        self.explained = -1
        self.is_led = False
        self.section = 0

    def read(self, blocks: Iterable[Block]) -> None:
        """Go through the blocks; behind the bounds the rest of the lines is a note."""
        before: Block | None = None
        last = 0
        for block in islice(blocks, BLOCKS_MAX):
            if before is not None:
                self._block(before, block)
                last = before.last
            before = block
            if len(self.draft.entries) >= ENTRIES_MAX:
                break
        else:
            if before is not None:
                self._block(before, None)
                last = before.last
        if any(map(str.strip, islice(self.draft.lines, last, None))):
            self.draft.note(Lines(last + 1, len(self.draft.lines)))

    def _block(self, block: Block, behind: Block | None) -> None:
        if block.form == "heading":
            self._heading(block)
        elif block.form == "item":
            self._item(block, behind)
        elif block.form == "text":
            self._text(block, behind)
        elif block.form == "row":
            self._row(block)
        elif block.form == "matter":
            self._matter(block)
        else:
            self.draft.note(Lines(block.first, block.last))

    def _matter(self, block: Block) -> None:
        """Front matter: of a task file (an id, a title, a status) the title is the goal; all of it is a note."""
        rows = {key.lower(): (at, value) for at, row in enumerate(block.text.split("\n")) if (pair := _PAIR.match(row))
                for key, value in [(pair[1], (pair[2] or "").strip("\"' "))]}  # fmt: skip
        at, title = rows.get("title", (0, ""))
        self.is_task = {"id", "title", "status"} <= set(rows) and bool(title)
        if self.is_task:
            self.title = title
            self._put("goal", plain(title), Lines(block.first + 1 + at, block.first + 1 + at))
        self.draft.note(Lines(block.first, block.last))

    # Headings and labels

    def _heading(self, block: Block) -> None:
        mark = status.marked(block.text)
        text = plain(mark.text)
        lines = Lines(block.first, block.last)
        self.points, self.columns, self.explained, self.is_led = [], None, -1, False
        while self.heads and self.heads[-1][0] >= block.level:
            self.heads.pop()
        self.section += 1
        topic = None if mark.struck else vocabulary.topic(text)
        is_title = not self.title and not self.heads
        self.title = self.title or plain(block.text)
        if is_title and topic is not None and topic.kind == "step" and not topic.status:
            topic = None  # "Plan": not all of a plan is steps
        if topic is not None and topic.kind in ("step", "next") and mark.status:
            topic = topic._replace(kind="step", status=mark.status)  # "To do (done)"
        head = Head(plain(block.text), topic, mark.status, is_title=is_title)
        is_phase, is_task = vocabulary.is_phase(text), vocabulary.is_task(text)
        named = label(text)
        if is_phase or is_task:
            self._put("phase" if is_phase else "step", text, lines, mark.status)
            head = head._replace(topic=vocabulary.STEP if is_phase else None, closed=is_task)
        elif (
            named and re.search(r"[^\W\d_]{2}", named.value) and topic is not None and not is_title
            and (own := vocabulary.topic(named.name))
        ):  # fmt: skip
            # "Next: wire the webhook"
            self._file(lines, text, own_label=named, own=own)
            head = head._replace(topic=None, closed=True)
        self.draft.head(text, block.level, topic.kind if topic else None, lines)
        self.heads.append((block.level, -1, head))

    def _label(
        self, text: str, lines: Lines, level: int, indent: int, mark: str = "", *, is_named: bool = True
    ) -> None:
        """A label that acts as a heading of what is below it. Of several sentences (not `is_named`) none names it."""
        while self.heads and (self.heads[-1][0], self.heads[-1][1]) >= (level, indent):
            self.heads.pop()
        name = plain(text).rstrip(":： ")
        topic = vocabulary.topic(name) if is_named else None
        self.section += level == _LABEL_LEVEL
        self.draft.head(name, level, topic.kind if topic else None, lines)
        self.heads.append((level, indent, Head(name, topic, mark)))

    # Text

    def _text(self, block: Block, behind: Block | None) -> None:
        lines = Lines(block.first, block.last)
        if not block.level:
            self.points, self.columns = [], None
            # A sentence that ends in a colon leads in the text behind it, too, but no other one.
            while (
                not self.is_led
                and self.heads
                and self.heads[-1][0] == _LEAD_LEVEL
                and self.heads[-1][1] >= block.indent
            ):
                self.heads.pop()
        else:
            del self.points[block.level :]
        was_led, self.is_led = self.is_led, False
        text = block.text[:_LOOKED_AT_CHARS]
        named = label(text)
        if self._says_status(text, named):
            self.draft.note(lines)
        elif named and not named.value and named.bold and not block.level:
            mark = status.marked(named.name)
            self._label(mark.text, lines, _LABEL_LEVEL, -1, mark.status)
        elif vocabulary.is_phase(text) and "\n" not in text and len(text) <= _LEAD_CHARS_MAX and not block.level:
            mark = status.marked(text)
            self._put("phase", plain(mark.text), lines, mark.status)
            self._label(mark.text, lines, _LABEL_LEVEL, -1, mark.status)
            self.heads[-1] = (_LABEL_LEVEL, -1, self.heads[-1][2]._replace(topic=vocabulary.STEP))
        elif self._introduces(text, block, behind):
            is_one = len(text) <= _LEAD_CHARS_MAX and _SENTENCE.search(text) is None
            if not is_one:
                self._file(lines, plain(text), is_text=True)
            indent = max(block.indent, self.heads[-1][1] + 1) if was_led and self.heads else block.indent
            self._label(text[-2 * _LEAD_CHARS_MAX :], lines, _LEAD_LEVEL, indent, is_named=is_one)
            self.is_led = behind is not None and behind.form == "text" and behind.indent <= block.indent
        elif self._is_caps(text, behind):
            self._label(text, lines, _LABEL_LEVEL, -1)
        else:
            self._labelled(lines, text, named, is_text=True)
        if len(block.text) > _LOOKED_AT_CHARS:
            self.draft.note(lines)

    def _introduces(self, text: str, block: Block, behind: Block | None) -> bool:
        """Whether it leads in what comes next: it ends in a colon, or could turn the sense of the list behind it."""
        is_lead = text.rstrip("*_ ").endswith((":", "："))
        if behind is None or behind.form == "heading":
            return False
        if behind.form == "text":
            return is_lead and (behind.indent > block.indent or behind.first > block.last + 1)
        is_near = behind.form in ("item", "row") and len(text) <= 2 * _LEAD_CHARS_MAX
        return is_lead or (is_near and (doubtful(text) or bool((topic := vocabulary.topic(text)) and topic.turn)))

    def _is_caps(self, text: str, behind: Block | None) -> bool:
        """Whether it is a label in capitals: "NEXT STEPS" above a list."""
        return (
            text.isupper() and behind is not None and behind.form in ("item", "text")
            and len(text) <= 60 and "\n" not in text and vocabulary.topic(text) is not None
        )  # fmt: skip

    def _says_status(self, text: str, named: Label | None) -> bool:
        """Whether it tells how far all of the section is: "Status: done", "**Completed 2026-04-25.** Verified."."""
        if named and named.name.lower() in _STATUS:
            told = status.of_word(named.value.partition("\n")[0])
        elif named is None and text.startswith("**") and "**" in text[2:50]:
            words = [word for word in vocabulary.normal(text[2:].partition("**")[0]).split() if not word.isdigit()]
            told = status.of_word(" ".join(words)) if len(words) <= 2 else ""
        else:
            return False
        if told and self.heads:
            level, indent, head = self.heads[-1]
            self.heads[-1] = (level, indent, head._replace(status=told))
        return bool(told)

    # Entries

    def _item(self, block: Block, behind: Block | None) -> None:
        lines = Lines(block.first, block.last)
        self.is_led = False
        while self.points and self.points[-1][0] >= block.level:
            self.points.pop()
        raw = block.text[:_LOOKED_AT_CHARS]
        mark = status.marked(raw)
        if block.box:
            told = mark.status if mark.struck else status.of_box(block.box)
            mark = mark._replace(status=told)
        named = label(mark.text)
        has_more = behind is not None and behind.form in ("item", "row", "code") and behind.level > block.level
        has_more = has_more or (behind is not None and behind.form in ("row", "code") and behind.level == block.level)
        topic = vocabulary.topic(plain(named.name)) if named and not named.value else None
        is_group = topic is not None or mark.text.rstrip("*_ ").endswith((":", "："))
        if named and not named.value and has_more and not block.box and is_group:
            name = plain(named.name)
            self.draft.head(name, _LEAD_LEVEL, topic.kind if topic else None, lines)
            self.points.append((block.level, Head(name, topic, mark.status)))
            return
        if (fields := _record(raw)) is not None:
            self._fields(lines, fields)
        else:
            self._labelled(lines, mark.text, named, raw=raw, mark=mark.status, box=block.box, struck=mark.struck)
        if len(self.points) < _NESTING_MAX:
            self.points.append((block.level, Head(plain(raw[:200]), closed=True)))
        if len(block.text) > _LOOKED_AT_CHARS:
            self.draft.note(lines)

    def _fields(self, lines: Lines, fields: dict[str, str]) -> None:
        """An entry that is a record: its title, with all that it says besides."""
        title = next((key for key in _TITLES if key in fields), "")
        state = next((key for key in ("status", "state") if status.of_word(fields.get(key, ""))), "")
        told = status.of_word(fields.get(state, ""))
        rest = [f"{key}: {value}" for key, value in fields.items() if value and key not in (title, state)]
        text = "; ".join(part for part in (fields.get(title, ""), *rest) if part)
        raw = f"{text}; {state}: {fields[state]}" if state else ""
        own = vocabulary.exact(title) if title in ("decision", "question", "goal") else None
        self._file(lines, plain(text), own=own, mark=told, raw=plain(raw))

    def _labelled(
        self, lines: Lines, text: str, named: Label | None, *, raw: str = "", mark: str = "", box: str = "",
        struck: bool = False, is_text: bool = False,
    ) -> None:  # fmt: skip
        """An entry or a paragraph, perhaps with a label of its own in front."""
        is_named = named is not None and bool(named.value) and named.name.lower() not in _STATUS
        own = vocabulary.topic(named.name) if named and is_named else None
        if named and named.value and own is None and named.name.lower() in _WHY and self.explained >= 0:
            self.draft.explain(self.explained, named.value, lines)
            return
        marks = {"mark": mark, "box": box, "raw": plain(raw)}
        self._file(lines, plain(text), own_label=named, own=own, struck=struck, is_text=is_text, **marks)

    def _file(
        self, lines: Lines, text: str, *, own_label: Label | None = None, own: Topic | None = None, mark: str = "",
        box: str = "", struck: bool = False, is_text: bool = False, raw: str = "",
    ) -> None:  # fmt: skip
        """Files words as what their place and their marks make of them."""
        at = self._place(own, boxed=bool(box))
        what = standing(at, text, mark, box=box, struck=struck)
        if own is not None and own_label is not None and own.bare and what.kind != "note":
            text = plain(own_label.value)
        is_field = (
            own is None and own_label is not None and bool(own_label.value) and vocabulary.is_field(own_label.name)
        )
        is_prose = is_text and own is None and at.topic is not None and at.topic.listed
        if ((is_field and what.kind != "file") or is_prose) and not box:
            what = what._replace(kind="note", status="")
        if raw and mark and not what.by_mark:
            text = raw  # the mark says something else here: its words stay
        if struck and not what.by_mark:
            text = f"struck out: {text}"
        self._put(what.kind, text, lines, what.status, at)

    def _place(self, own: Topic | None = None, *, boxed: bool = False) -> Place:
        chain = [head for _, _, head in self.heads] + [head for _, head in self.points]
        if self.base is not None and sum(level < _LABEL_LEVEL for level, _, _ in self.heads) <= 1:
            chain.insert(0, self.base)
        return place(chain, own, boxed=boxed)

    def _put(self, kind: Kind, text: str, lines: Lines, told: str = "", at: Place | None = None, why: str = "") -> None:
        if at is not None and at.prefix:
            text = f"{at.prefix}: {text}"
        label = at.label if at else ""
        self.explained = self.draft.add(kind, text, lines, told=told, why=why, label=label, section=self.section)

    # Tables

    def _row(self, block: Block) -> None:
        lines = Lines(block.first, block.last)
        if not block.cells:
            self.columns = table.columns_of(block.header)
            self.draft.note(lines)
            return
        columns = self.columns or table.columns_of(block.header)
        row = table.read(columns, block.cells)
        if not row.text:
            self.draft.note(lines)
            return
        at = self._place(row.topic)
        what = standing(at, row.text, row.status, struck=row.struck)
        if what.kind == "step" and vocabulary.is_phase(row.text):
            what = what._replace(kind="phase")
        if what.kind in ("step", "next") and row.is_check:
            what = what._replace(kind="validation", status="")
        if row.is_unclear and what.kind in ("step", "next", "phase"):
            what = what._replace(kind="note", status="")
        text = row.text if what.by_mark and not row.struck else row.whole
        self._put(what.kind, text, lines, what.status, at, row.why)


def _record(text: str) -> dict[str, str] | None:
    """The fields of an entry each line of which is one; None if it is none."""
    rows = text.split("\n")
    if len(rows) < 2:
        return None
    pairs = [_PAIR.match(row.strip()) for row in rows[:50]]
    if not all(pairs):
        return None
    return {pair[1].lower(): (pair[2] or "").strip("\"' ") for pair in pairs if pair}
