"""What begins a phase in a plan's Markdown, and how far the phase goes.

Where there is no heading "Phase N", headings "Task N", numbered headings, list entries "Phase N: …", and sections with
boxes count as phases, in this order. A box that stands outside all of them is work as well: the section that it is
in is a phase of its own, unless the box is the line that a list above the headings has for a phase.

Plans whose tasks are elements (`<task><name>…`), as GSD writes them in `.planning/phases/*/*-PLAN.md`, are read by
`read_tagged`: what stands in `<output>` and the like is a template for later, and no step is in it; a check-point has
no name, what it shows or asks is the step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from clew.core.gate.shell.purposes import split
from clew.core.plan.plan import Phase, Plan, Step
from clew.core.state.headings import NUMBERED, PHASE, PHASE_ENTRY, TASK, part_of
from clew.core.text.cleaning import one_line, shorten
from clew.core.text.segments import Block, segments
from clew.documents.parse.inline import plain

TITLE_CHARS_MAX: Final = 200
TICKED: Final = tuple("xX✓✔")
_FOLD: Final = re.compile(r"<(?P<end>/?)details\b", re.IGNORECASE)
_SUMMARY: Final = re.compile(r"<summary>(.*)", re.IGNORECASE)
# What the summary of a folded part says of work that was done.
_OVER: Final = re.compile(r"✅|☑|✔|\b(?:shipped|completed?|done|finished|released|archived?)\b", re.IGNORECASE)
_NOT_OVER: Final = re.compile(
    r"\b(?:not|in|un)[ -]?(?:yet )?(?:progress|complete|shipped|done|finished)\b|\bto be\b", re.I
)


class Opener(NamedTuple):
    """What begins a phase: the index of its block, the number that it is given, its title, its line (from 0). `level`
    is its heading's, 0 for none; `step` the box of an entry that is a phase.
    """

    at: int
    label: str
    title: str
    line: int
    level: int = 0
    step: Step | None = None


class Openers(NamedTuple):
    """The openers in order, the plan's title ("" none), and the boxes that a list has for phases, by their labels."""

    openers: tuple[Opener, ...]
    title: str
    boxes: Mapping[str, Block]


def step_of(block: Block) -> Step:
    """The step that a list entry is."""
    return Step(one_line(block.text), block.box in TICKED, "", block.first - 1, bool(block.box))


def finished(lines: Sequence[str]) -> frozenset[int]:
    """The numbers (from 1) of the lines within `<details>` whose summary says that what it holds is over."""
    over: set[int] = set()
    starts: list[int] = []
    closed: list[int] = []
    for number, line in enumerate(lines, 1):
        for fold in _FOLD.finditer(line):
            if not fold["end"]:
                starts.append(number)
            elif starts:
                start = starts.pop()
                if closed and closed[-1] == start:
                    closed.pop()
                    over.update(range(start, number + 1))
        summary = _SUMMARY.search(line) if starts else None
        if summary and _OVER.search(summary[1]) and not _NOT_OVER.search(summary[1]) and starts[-1] not in closed:
            closed.append(starts[-1])
    return frozenset(over)


def found_openers(blocks: Sequence[Block]) -> Openers:
    """What begins the phases of a plan; no openers where the whole of it is one."""
    finds = (_phases_named, partial(_headed, form=TASK), _headings_numbered, _phases_listed, _sections_ticked)
    found = next((opened for find in finds if (opened := list(find(blocks)))), [])
    title = _title(blocks, found)
    if not found:
        return Openers((), title, {})
    labels = {one.label for one in found if one.label}
    inside = {block.first for opener, part in cut(blocks, found) for block in (blocks[opener.at], *part)}
    boxes: dict[str, Block] = {}
    more: dict[int, Opener] = {}
    heading: Opener | None = None
    for at, block in enumerate(blocks):
        if block.form == "heading":
            heading = Opener(at, "", plain(block.text)[:TITLE_CHARS_MAX], block.first - 1, block.level)
        elif block.box and block.first not in inside:
            entry = PHASE_ENTRY.match(plain(block.text))
            if entry is not None and entry["label"] in labels:
                boxes.setdefault(entry["label"], block)
            elif heading is None:
                more.setdefault(-1, Opener(-1, "", title or "To do", block.first - 1))
            elif part_of(heading.title) not in ("questions", "other"):
                more.setdefault(heading.at, heading)
    return Openers(tuple(sorted((*found, *more.values()))), title, boxes)


def cut(blocks: Sequence[Block], opened: Sequence[Opener]) -> list[tuple[Opener, Sequence[Block]]]:
    """Each opener with the blocks of its phase: up to the next one, or to a heading that stands as high."""
    parts = []
    for index, opener in enumerate(opened):
        end = opened[index + 1].at if index + 1 < len(opened) else len(blocks)
        highest = opener.level or 6
        stop = next(
            (at for at in range(opener.at + 1, end) if blocks[at].form == "heading" and blocks[at].level <= highest),
            end,
        )
        parts.append((opener, blocks[opener.at + 1 : stop]))
    return parts


def _headed(blocks: Sequence[Block], form: re.Pattern[str], *, bold: bool = False) -> Iterator[Opener]:
    for at, block in enumerate(blocks):
        is_bold = bold and block.form == "text" and not block.level and block.text.startswith(("**", "__"))
        if block.form != "heading" and not is_bold:
            continue
        words = plain(block.text.split("\n")[0])
        match = form.match(words)
        if match is not None and (not is_bold or not match["title"] or PHASE_ENTRY.match(words)):
            title = match["title"].strip().rstrip("#:").strip() or plain(block.text)
            level = block.level if block.form == "heading" else 0
            yield Opener(at, match["label"], title[:TITLE_CHARS_MAX], block.first - 1, level)


def _phases_named(blocks: Sequence[Block]) -> Iterator[Opener]:
    """Headings "Phase N", however deep. "Phase 1.2" below "Phase 1" is a part of it, and so is a stage of a phase; a
    milestone that holds phases is none itself.
    """
    above: list[tuple[int, Opener | None, str]] = []  # of each open heading: level, the phase that it is, its word
    found = {one.at: one for one in _headed(blocks, PHASE, bold=True)}
    chosen: dict[int, Opener] = {}
    for at, block in enumerate(blocks):
        one = found.get(at)
        word = (PHASE.match(plain(block.text)) or {"word": ""})["word"].lower() if one is not None else ""
        if block.form == "heading":
            while above and above[-1][0] >= block.level:
                above.pop()
        if one is not None and not any(_is_part(one, word, outer, name) for _, outer, name in above if outer):
            chosen[at] = one
            if word != "milestone":
                for outer in (outer for _, outer, name in above if outer and name == "milestone"):
                    chosen.pop(outer.at, None)
        else:
            one = None
        if block.form == "heading":
            above.append((block.level, one, word))
    return iter(chosen.values())


def _is_part(one: Opener, word: str, outer: Opener, name: str) -> bool:
    if name == "milestone" != word:
        return False
    return name != word or f"{one.label}.".startswith(f"{outer.label}.")


def _headings_numbered(blocks: Sequence[Block]) -> Iterator[Opener]:
    found = list(_headed(blocks, NUMBERED))
    levels = [one.level for one in found]
    level = max(set(levels), key=levels.count) if levels else 0
    same = [one for one in found if one.level == level]
    return iter(same if len(same) > 1 else ())


def _phases_listed(blocks: Sequence[Block]) -> Iterator[Opener]:
    """Entries "Phase N: title" with others of their kind in the same list; a sentence about a phase is none."""
    beside: list[Opener] = []
    for at, block in enumerate(blocks):
        if block.form == "heading":
            yield from beside if len(beside) > 1 else ()
            beside = []
        match = PHASE_ENTRY.match(plain(block.text)) if block.form == "item" and block.level == 1 else None
        if match is not None:
            step = step_of(block._replace(text=one_line(block.text))) if block.box else None
            beside.append(
                Opener(at, match["label"], match["title"].strip()[:TITLE_CHARS_MAX], block.first - 1, 0, step)
            )
    yield from beside if len(beside) > 1 else ()


def _sections_ticked(blocks: Sequence[Block]) -> Iterator[Opener]:
    """Headings with boxes right below them, where there are several and none is a part that every plan has."""
    found: list[Opener] = []
    last: Opener | None = None
    for at, block in enumerate(blocks):
        if block.form == "heading":
            last = Opener(at, "", plain(block.text)[:TITLE_CHARS_MAX], block.first - 1, block.level)
        elif block.box and last is not None and last not in found:
            found.append(last)
    if any(part_of(one.title) is not None for one in found):
        return iter(())
    return iter(found if len(found) > 1 else ())


def _title(blocks: Sequence[Block], opened: Sequence[Opener]) -> str:
    """What front matter calls the plan, else the heading in front of its phases or above their level."""
    openers = {one.at for one in opened}
    first = min(openers, default=len(blocks))
    level = min((one.level for one in opened if one.level), default=7)
    for at, block in enumerate(blocks):
        if block.form == "matter":
            named = re.search(r"^title:[ \t]*(.+)$", block.text, re.MULTILINE)
            if named:
                return named[1].strip().strip("'\"")[:TITLE_CHARS_MAX]
        if block.form == "heading" and at not in openers and (at < first or block.level < level):
            return plain(block.text)[:TITLE_CHARS_MAX]
    return ""


_CODE: Final = re.compile(r"`([^`\n]+)`")
_SENTENCE: Final = re.compile(r"\s(?:the|an?|that|is|are|and)\s|[.!?]$", re.IGNORECASE)
# What names the step of a task, in this order.
_NAMES: Final = ("name", "title", "what-built", "decision", "action")


def read_tagged(text: str) -> Plan | None:
    """The plan that the elements of a text make: one phase, whose steps are the tasks, then the boxes of its checks.
    None where no `<task>` in it has a name.
    """
    tasks = list(_elements(text, "task"))
    if tasks:  # in a block of code they are an example, or what is to be written
        code = [one for one in segments(text[: tasks[0][1]].split("\n")) if one.form == "code"]
        tasks = [] if code and code[-1].last > text.count("\n", 0, tasks[0][1]) else tasks
    steps = []
    for body, at in tasks:
        named = ((words, at + inner) for name in _NAMES for words, inner in _elements(body, name) if words.strip())
        for words, place in islice(named, 1):
            first = place + len(words) - len(words.lstrip())
            told = shorten(one_line(words), TITLE_CHARS_MAX)
            steps.append(Step(told, line=text.count("\n", 0, first), box=False))
    if not steps:
        return None
    for body, at in (*_elements(text, "verification"), *_elements(text, "success_criteria")):
        boxes = (one for one in segments(body.split("\n")) if one.box)
        steps += [step_of(one._replace(first=one.first + text.count("\n", 0, at))) for one in boxes]
    validate = [line for body, _ in tasks for words, _ in _elements(body, "verify") for line in _commands(words)]
    files = (name for body, _ in tasks for words, _ in _elements(body, "files") for name in re.split(r"[,\s]+", words))
    kept = dict.fromkeys(name.strip("`") for name in files if name)
    goal = next((one_line(words) for words, _ in _elements(text, "objective")), "")
    title = shorten(goal.partition(". ")[0].rstrip("."), TITLE_CHARS_MAX)
    phase = Phase(1, title or "The work", tuple(steps), tuple(dict.fromkeys(validate)), files=tuple(kept))
    return Plan(title, (phase._replace(line=steps[0].line),), text)


def _elements(text: str, name: str) -> Iterator[tuple[str, int]]:
    """The bodies of the elements of this name with the places where they begin, in time linear in the text."""
    opening, end = re.compile(rf"<{name}(?:\s[^<>]*)?>"), f"</{name}>"
    at = 0
    while (begin := opening.search(text, at)) is not None and (stop := text.find(end, begin.end())) >= 0:
        yield text[begin.end() : stop], begin.end()
        at = stop + len(end)


def _commands(words: str) -> Iterator[str]:
    """The commands among what proves a task: `<automated>`, what stands in back-quotes, lines that begin a program."""
    automated = [body for body, _ in _elements(words, "automated")]
    for row in "\n".join(automated or [words]).split("\n"):
        for one in filter(None, _CODE.findall(row) or [row.strip()]):
            begins = any(part.purpose not in ("", "other", "look") for part in split(one)[:1])
            if automated or (begins and not _SENTENCE.search(one)):
                yield one
