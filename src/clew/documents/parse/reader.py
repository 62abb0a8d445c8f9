"""Blocks of a document to entries: walks them once, keeps what stands above each, and files each as an entry or a
note. Of a table only a column that is named so tells how far a row is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, islice
from typing import Final, NamedTuple

from clew.core.state import headings
from clew.core.state.headings import DROPPED, STATUS, WHY, Topic
from clew.core.state.items import Kind
from clew.core.state.negation import doubtful
from clew.core.text.segments import Block
from clew.documents.entry import Heading, Lines
from clew.documents.parse.collector import Collector
from clew.documents.parse.context import Above, Scope, classify, scope_of
from clew.documents.parse.inline import SIGNS, TextLabel, label, plain, read_mark, status_of, status_of_box

_STATUS: Final = headings.STATUS | frozenset(
    "done|result|results|outcome|complete|completed|implementation status|current status|resolved|結果|结果".split("|")
)
_NUMBER: Final = frozenset(("", "#", "no", "nr", "id", "num", "number", "step", "key", "ref"))
# A column of these says what each row is.
_KINDS: Final = frozenset(
    ("decision", "risk", "question", "blocker", "constraint", "goal", "assumption", "hypothesis", "file", "learning")
)
_HAS_WORD: Final = re.compile(r"\w")


class Columns(NamedTuple):
    """By column: its name, and what it is. −1: there is none. `topic` is what its rows are."""

    names: tuple[str, ...]
    status: int
    why: int
    title: int
    topic: Topic | None


class TableRow(NamedTuple):
    """A row. `text` is its words without the cell that tells its `status`, `whole` with it. `is_unclear`: that cell
    says something that is no known word.
    """

    text: str
    whole: str
    status: str
    why: str
    is_unclear: bool
    struck: bool


def columns_of(header: tuple[str, ...]) -> Columns:
    """What the columns of a table with this header are."""
    names = tuple(plain(cell) for cell in header)
    keys = [name.lower().strip(" ?:") for name in names]
    told = next((at for at, key in enumerate(keys) if key in _STATUS and len(keys) > 1), -1)
    why = next((at for at, key in enumerate(keys) if key in headings.WHY), -1)
    title = next((at for at, key in enumerate(keys) if key not in _NUMBER and at not in (told, why)), -1)
    topic = headings.exact(keys[title]) if title >= 0 and not any(map(doubtful, names)) else None
    topic = topic if topic and topic.kind in _KINDS and not topic.turn else None
    return Columns(names, told, why, title, topic)


def read_row(columns: Columns, cells: tuple[str, ...]) -> TableRow:
    """A row of the table."""
    struck = [read_mark(cell).struck for cell in cells]
    texts = [plain(read_mark(cell).text if gone else cell) for cell, gone in zip(cells, struck, strict=True)]
    rest, words = [], []
    for at, text in enumerate(texts):
        name = columns.names[at] if at < len(columns.names) else ""
        if at == columns.why and columns.title >= 0 and _HAS_WORD.search(text):
            continue
        if not text.strip("-–— ") or not (name or _HAS_WORD.search(text)):
            continue
        is_plain = not name or (at == columns.title and not doubtful(name)) or name.lower() in _NUMBER
        words.append(text if is_plain else f"{name}: {text}")
        if at != columns.status and (_HAS_WORD.search(text) or text in SIGNS):
            rest.append(words[-1])
    cell = texts[columns.status] if 0 <= columns.status < len(texts) else ""
    is_struck = 0 <= columns.title < len(struck) and struck[columns.title]
    told = status_of(cell) or (DROPPED if is_struck else "")
    why = texts[columns.why] if 0 <= columns.why < len(texts) and columns.title >= 0 else ""
    is_unclear = bool(_HAS_WORD.search(cell)) and not told
    return TableRow(_joined(rest), _joined(words), told, why.strip("-–— "), is_unclear, is_struck)


def _joined(parts: list[str]) -> str:
    """The parts as one line: a number in front of what it numbers, the others behind."""
    if len(parts) > 1 and len(parts[0]) <= 12 and " " not in parts[0] and ":" not in parts[0]:
        parts = [f"{parts[0]} {parts[1]}", *parts[2:]] if not parts[0].strip("#").isdigit() else parts[1:]
    return "; ".join(parts)


# What no person reads through is no hand-off: behind these the rest is a note. It bounds what a hostile file costs.
BLOCKS_MAX: Final = 20_000
ENTRIES_MAX: Final = 5_000
# So much of a text is looked at for its label and its marks.
_LOOKED_AT_CHARS: Final = 8_000
_NESTING_MAX: Final = 40
_LEAD_CHARS_MAX: Final = 160
_LABEL_LEVEL, _LEAD_LEVEL = 7, 8
_SENTENCE: Final = re.compile(r"[.!?。！？] |[。！？]")
_PAIR: Final = re.compile(r"([\w .-]{1,40}):(?:\s+(.*))?$")


class BlockReader:
    """`heads` are the headings and labels that are open, with their levels; `points` the list entries, with theirs."""

    def __init__(self, found: Collector, base: Above | None = None) -> None:
        self.found = found
        self.heads: list[tuple[int, int, Above]] = []
        self.points: list[tuple[int, Above]] = []
        self.title = ""
        self.is_task = False
        self.base = base
        self.columns: Columns | None = None
        self.explained = -1
        self.is_led = False
        self.section = 0

    def read(self, blocks: Iterable[Block]) -> None:
        """Go through the blocks; behind the bounds the rest of the lines is a note."""
        before: Block | None = None
        last = 0
        for block in chain(islice(blocks, BLOCKS_MAX), (None,)):
            if before is not None:
                self._block(before, block)
                last = before.last
            before = block
            if len(self.found.entries) >= ENTRIES_MAX:
                break
        if any(map(str.strip, islice(self.found.lines, last, None))):
            self.found.note(Lines(last + 1, len(self.found.lines)))

    def _block(self, block: Block, behind: Block | None) -> None:
        lines = Lines(block.first, block.last)
        if block.form == "heading":
            self._heading(block, lines)
        elif block.form == "item":
            self._item(block, behind, lines)
        elif block.form == "text":
            self._text(block, behind, lines)
        elif block.form == "row":
            self._row(block, lines)
        else:
            if block.form == "matter":
                self._matter(block)
            self.found.note(lines)
        if len(block.text) > _LOOKED_AT_CHARS and block.form in ("item", "text"):
            self.found.note(lines)

    def _matter(self, block: Block) -> None:
        """Front matter: of a task file (an id, a title, a status) the title is the goal."""
        pairs = {
            pair[1].lower(): ((pair[2] or "").strip("\"' "), at)
            for at, row in enumerate(block.text.split("\n"), block.first + 1)
            if (pair := _PAIR.match(row))
        }
        title, at = pairs.get("title", ("", 0))
        self.is_task = {"id", "title", "status"} <= set(pairs) and bool(title)
        if self.is_task:
            self.title = title
            self._put("goal", plain(title), Lines(at, at))

    # Headings and labels

    def _heading(self, block: Block, lines: Lines) -> None:
        mark = read_mark(block.text)
        text = plain(mark.text)
        self.points, self.columns, self.explained, self.is_led = [], None, -1, False
        while self.heads and self.heads[-1][0] >= block.level:
            self.heads.pop()
        self.section += 1
        topic = None if mark.struck else headings.topic(text)
        is_title = not self.title and not self.heads
        self.title = self.title or plain(block.text)
        if is_title and topic is not None and topic.kind == "step" and not topic.status:
            topic = None  # "Plan": not all of a plan is steps
        if topic is not None and topic.kind in ("step", "next") and mark.status:
            topic = topic._replace(kind="step", status=mark.status)  # "To do (done)"
        head = Above(plain(block.text), topic, mark.status, is_title=is_title)
        is_phase, is_task = headings.is_phase(text), headings.is_task(text)
        if is_phase or is_task:
            self._put("phase" if is_phase else "step", text, lines, mark.status)
            head = head._replace(topic=headings.STEP if is_phase else None, closed=is_task)
        self.found.headings.append(Heading(text, block.level, topic.kind if topic else None, lines))
        self.heads.append((block.level, -1, head))

    def _label(
        self, text: str, lines: Lines, level: int, indent: int = -1, mark: str = "", *, is_named: bool = True
    ) -> None:
        """A label that acts as a heading of what is below it. Of several sentences (not `is_named`) none names it."""
        while self.heads and self.heads[-1][:2] >= (level, indent):
            self.heads.pop()
        name = plain(text).rstrip(":： ")
        topic = headings.topic(name) if is_named else None
        self.section += level == _LABEL_LEVEL
        self.found.headings.append(Heading(name, level, topic.kind if topic else None, lines))
        self.heads.append((level, indent, Above(name, topic, mark)))

    # Text

    def _text(self, block: Block, behind: Block | None, lines: Lines) -> None:
        if not block.level:
            self.points, self.columns = [], None
            # A sentence that ends in a colon leads in the text behind it, too, but no other one.
            while self.heads and not self.is_led and self.heads[-1][:2] >= (_LEAD_LEVEL, block.indent):
                self.heads.pop()
        else:
            del self.points[block.level :]
        was_led, self.is_led = self.is_led, False
        text = block.text[:_LOOKED_AT_CHARS]
        named = label(text)
        is_short = len(text) <= _LEAD_CHARS_MAX and "\n" not in text and not block.level
        if self._says_status(text, named):
            self.found.note(lines)
        elif named and not named.value and named.bold and not block.level:
            mark = read_mark(named.name)
            self._label(mark.text, lines, _LABEL_LEVEL, mark=mark.status)
        elif is_short and headings.is_phase(text):
            mark = read_mark(text)
            self._put("phase", plain(mark.text), lines, mark.status)
            self._label(mark.text, lines, _LABEL_LEVEL, mark=mark.status)
            self.heads[-1] = (_LABEL_LEVEL, -1, self.heads[-1][2]._replace(topic=headings.STEP))
        elif self._introduces(text, block, behind):
            is_one = len(text) <= _LEAD_CHARS_MAX and _SENTENCE.search(text) is None
            if not is_one:
                self._file(lines, plain(text), is_text=True)
            indent = max(block.indent, self.heads[-1][1] + 1) if was_led and self.heads else block.indent
            self._label(text[-2 * _LEAD_CHARS_MAX :], lines, _LEAD_LEVEL, indent, is_named=is_one)
            self.is_led = behind is not None and behind.form == "text" and behind.indent <= block.indent
        elif is_short and text.isupper() and behind is not None and headings.topic(text) is not None:
            self._label(text, lines, _LABEL_LEVEL)  # "NEXT STEPS" above a list
        else:
            self._labelled(lines, text, named, is_text=True)

    def _introduces(self, text: str, block: Block, behind: Block | None) -> bool:
        """Whether it leads in what comes next: it ends in a colon, or could turn the sense of the list behind it."""
        is_lead = text.rstrip("*_ ").endswith((":", "："))
        if behind is None or behind.form == "heading":
            return False
        if behind.form == "text":
            return is_lead and (behind.indent > block.indent or behind.first > block.last + 1)
        is_near = behind.form in ("item", "row") and len(text) <= 2 * _LEAD_CHARS_MAX
        return is_lead or (is_near and (doubtful(text) or bool((topic := headings.topic(text)) and topic.turn)))

    def _says_status(self, text: str, named: TextLabel | None) -> bool:
        """Whether it tells how far all of the section is: "Status: done", "**Completed 2026-04-25.** Verified."."""
        told = ""
        if named and named.name.lower() in STATUS:
            told = status_of(named.value.partition("\n")[0])
        elif named is None and text.startswith("**") and "**" in text[2:50]:
            words = [word for word in headings.normal(text[2:].partition("**")[0]).split() if not word.isdigit()]
            told = status_of(" ".join(words)) if len(words) <= 2 else ""
        if told and self.heads:
            level, indent, head = self.heads[-1]
            self.heads[-1] = (level, indent, head._replace(status=told))
        return bool(told)

    # Entries

    def _item(self, block: Block, behind: Block | None, lines: Lines) -> None:
        self.is_led = False
        while self.points and self.points[-1][0] >= block.level:
            self.points.pop()
        raw = block.text[:_LOOKED_AT_CHARS]
        mark = read_mark(raw)
        told = status_of_box(block.box) if block.box and not mark.struck else mark.status
        named = label(mark.text)
        if named and not named.value and not block.box and _holds(block, behind):
            name = plain(named.name)
            if (topic := headings.topic(name)) is not None:
                self.found.headings.append(Heading(name, _LEAD_LEVEL, topic.kind, lines))
                self.points.append((block.level, Above(name, topic, mark.status)))
                return
        if fields := _fields(raw):
            state = next((fields.pop(name) for name in STATUS & fields.keys()), "")
            raw = "; ".join(f"{name}: {value}" if at else value for at, (name, value) in enumerate(fields.items()))
            self._file(lines, plain(raw), mark=status_of(state), raw=plain(f"{raw}; status: {state}"))
        else:
            self._labelled(lines, mark.text, named, raw=raw, mark=told, box=block.box, struck=mark.struck)
        if len(self.points) < _NESTING_MAX:
            self.points.append((block.level, Above(plain(raw[:200]), closed=True)))

    def _labelled(
        self, lines: Lines, text: str, named: TextLabel | None, *, raw: str = "", mark: str = "", box: str = "",
        struck: bool = False, is_text: bool = False,
    ) -> None:  # fmt: skip
        """An entry or a paragraph, perhaps with a label of its own in front."""
        name = named.name if named and named.value and named.name.lower() not in STATUS else ""
        own = headings.topic(name) if name else None
        if named and own is None and name.lower() in WHY and self.explained >= 0:
            self.found.explain(self.explained, named.value, lines)
            return
        self._file(
            lines, plain(text), own_label=named, own=own, mark=mark, box=box, struck=struck, is_text=is_text,
            raw=plain(raw),
        )  # fmt: skip

    def _file(
        self, lines: Lines, text: str, *, own_label: TextLabel | None = None, own: Topic | None = None, mark: str = "",
        box: str = "", struck: bool = False, is_text: bool = False, raw: str = "",
    ) -> None:  # fmt: skip
        """File words as what their scope and their marks make of them."""
        scope = self._scope(own, boxed=bool(box))
        what = classify(scope, text, mark, box=box, struck=struck)
        if own_label is not None and own is not None:
            text = plain(own_label.value) if own.bare and what.kind != "note" else text
        elif not box:
            is_field = own_label is not None and bool(own_label.value) and headings.is_field(own_label.name)
            is_prose = is_text and scope.topic is not None and scope.topic.listed
            if (is_field and what.kind != "file") or is_prose:
                what = what._replace(kind="note", status="")
        if raw and mark and not what.by_mark:
            text = raw  # the mark says something else here: its words stay
        if struck and not what.by_mark:
            text = f"struck out: {text}"
        self._put(what.kind, text, lines, what.status, scope)

    def _scope(self, own: Topic | None = None, *, boxed: bool = False) -> Scope:
        above = [head for _, _, head in self.heads] + [head for _, head in self.points]
        if self.base is not None and sum(level < _LABEL_LEVEL for level, _, _ in self.heads) <= 1:
            above.insert(0, self.base)
        return scope_of(above, own, boxed=boxed)

    def _put(
        self, kind: Kind, text: str, lines: Lines, told: str = "", scope: Scope | None = None, why: str = ""
    ) -> None:
        text = f"{scope.prefix}: {text}" if scope and scope.prefix else text
        label = scope.label if scope else ""
        self.explained = self.found.add(kind, text, lines, told=told, why=why, label=label, section=self.section)

    def _row(self, block: Block, lines: Lines) -> None:
        if not block.cells or self.columns is None:
            self.columns = columns_of(block.header)
        row = read_row(self.columns, block.cells)
        if not row.text:
            self.found.note(lines)
            return
        scope = self._scope(self.columns.topic)
        what = classify(scope, row.text, row.status, struck=row.struck)
        if what.kind == "step" and headings.is_phase(row.text):
            what = what._replace(kind="phase")
        if row.is_unclear and what.kind in ("step", "next", "phase"):
            what = what._replace(kind="note", status="")
        text = row.text if what.by_mark and not row.struck else row.whole
        self._put(what.kind, text, lines, what.status, scope, row.why)


def _holds(block: Block, behind: Block | None) -> bool:
    """Whether the block behind an entry stands below it."""
    if behind is None or behind.form not in ("item", "row", "code"):
        return False
    return behind.level > block.level or (behind.level == block.level and behind.form != "item")


def _fields(text: str) -> dict[str, str]:
    """The fields of an entry each line of which is one, as in YAML; {} if it is none."""
    pairs = [_PAIR.match(row.strip()) for row in text.split("\n", 50)]
    if len(pairs) < 2 or not all(pairs):
        return {}
    return {pair[1].lower(): (pair[2] or "").strip("\"' ") for pair in pairs if pair}
