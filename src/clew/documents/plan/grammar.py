"""A plan's Markdown taken apart, and written. Reads what people and clients write, and our own form, which is flat:

```markdown
# Plan: a rate limit per key

## Questions
- Does a key without a plan count as free?

## Phase 1: Analysis
- [ ] Write down who calls `limits.check`
- validate: `pytest -q tests/test_limits.py`
- budget: 50k
- tier: plan
- depends: none
- files: src/limits.py, tests/test_limits.py
- tags: linux
```

What begins a phase says `openers.py`; where nothing does, all is one phase. Plans of elements (`<task><name>…`) are
read by `read_tagged`. Nothing of the text is lost: the plan holds it whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from clew.core.plan.plan import Phase, Plan, Step
from clew.core.state.headings import Part, part_of
from clew.core.text.cleaning import one_line
from clew.core.text.segments import Block, segments
from clew.documents.parse.inline import label, plain
from clew.documents.plan.openers import TICKED, Opener, cut, finished, found_openers, read_tagged, step_of

# More than anybody carries out.
PHASES_MAX: Final = 100
STEPS_MAX: Final = 500

# Code in Markdown: between runs of back-quotes of one length.
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_FILE: Final = re.compile(r"[\w@./-]*\w\.\w{1,6}(?:[:#][\w,-]+)?")
_AMOUNT: Final = re.compile(r"(\d[\d,_. ]*)\s*([kKmM])?")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*[a-z]?")
_TAG: Final = re.compile(r"[a-z0-9][a-z0-9._-]*")
_NOTHING: Final = frozenset(("", "none", "n/a", "-", "–", "—", "no", "nothing"))
_PROPOSED: Final = re.compile(r"<proposed_plan>[ \t]*\n?(.*?)</proposed_plan>", re.DOTALL)
_SHELLS: Final = frozenset(("", "bash", "sh", "shell", "console", "zsh"))
_ANSWER: Final = re.compile(r"\s*(?:→|->|=>|\banswer(?:ed)?:|\bA:)\s*(?P<answer>\S.*)", re.IGNORECASE)


def parse(text: str) -> Plan:
    """The plan that a Markdown text holds. Ids are not in it. Never fails: what it does not know stays in `text`."""
    lines = text.split("\n")
    blocks = list(segments(lines))
    questions = tuple(question for question, answer in asked(text, blocks) if not answer)
    if (made := read_tagged(text)) is not None:
        return made._replace(questions=questions)
    over = finished(lines)
    blocks = [one for one in blocks if one.first not in over]
    found = found_openers(blocks)
    parts = cut(blocks, found.openers)[:PHASES_MAX]
    drafts = [_draft(opener, part) for opener, part in parts]
    for (opener, _), draft in zip(parts, drafts, strict=True):
        draft.take_box(found.boxes.get(opener.label))
    phases = [_phase(number, parts[number - 1][0], draft) for number, draft in enumerate(drafts, 1)]
    if not phases:
        drafts = [_draft(Opener(-1, "", "", -1), blocks)]
        whole = _phase(1, Opener(-1, "", found.title or "The work", -1), drafts[0])
        phases = [whole] if whole.steps else []
    named = [draft.depends for draft in drafts[: len(phases)]]
    labels = [opener.label for opener, _ in parts] or [""] * len(phases)
    return Plan(found.title, tuple(_dependent(phases, named, labels)), text, questions)


def proposed(text: str) -> str:
    """The plan in what a client's agent wrote: between the last tags that mark one, else all of it."""
    found = _PROPOSED.findall(text)
    return str(found[-1]) if found else text


def asked(text: str, blocks: Sequence[Block] | None = None) -> list[tuple[str, str]]:
    """The questions of a plan, each with its answer ("" none), in order."""
    inside, found = False, []
    for block in segments(text.split("\n")) if blocks is None else blocks:
        words = plain(block.text)
        is_label = block.form == "text" and not block.level and words.endswith(":")
        if block.form == "heading" or (is_label and part_of(words.rstrip(":")) is not None):
            inside = part_of(words.rstrip(":")) == "questions"
        elif inside and (block.form == "item" or (block.form == "text" and block.text.rstrip().endswith("?"))):
            words = one_line(block.text)
            answer = _ANSWER.search(words)
            said = answer["answer"] if answer else ("(ticked)" if block.box in TICKED else "")
            question = words[: answer.start()].rstrip() if answer else words
            is_place = question.startswith("<") and question.endswith(">")
            if question.lower().strip("*_.() ") not in _NOTHING and not is_place and block.level <= 1:
                found.append((question, said))
    return found


def render(plan: Plan) -> str:
    """The plan as Markdown. A plan that was read from a text is that text, with its boxes ticked as its steps are."""
    if plan.text or not (plan.title or plan.phases):
        return ticked(plan.text, (step for phase in plan.phases for step in phase.steps))
    rows = [f"# {plan.title}", ""]
    if plan.questions:
        rows += ["## Questions", "", *(f"- {question}" for question in plan.questions), ""]
    for phase in plan.phases:
        rows += [f"## Phase {phase.label or phase.number}: {phase.title}", "", *phase_rows(phase), ""]
    return "\n".join(rows)


def phase_rows(phase: Phase) -> list[str]:
    """A phase's entries in our own form: a flat list."""
    rows = [f"- [{'x' if step.ticked else ' '}] {step.text}" for step in phase.steps]
    rows += [f"- validate: {_code(command)}" for command in phase.validate]
    if phase.budget_tokens:
        rows.append(f"- budget: {amount(phase.budget_tokens)}")
    if phase.tier:
        rows.append(f"- tier: {phase.tier}")
    if phase.depends:
        rows.append(f"- depends: {', '.join(map(str, phase.depends))}")
    if phase.files:
        plainly = not any(set(" ,`") & set(name) for name in phase.files)
        rows.append(f"- files: {', '.join(phase.files if plainly else map(_code, phase.files))}")
    if phase.tags:
        rows.append(f"- tags: {', '.join(phase.tags)}")
    return rows


def _code(words: str) -> str:
    """`words` as code in Markdown, whatever back-quotes they hold."""
    fence = "`" * (max(map(len, re.findall(r"`+", words)), default=0) + 1)
    room = " " if "`" in (words[:1], words[-1:]) else ""
    return f"{fence}{room}{words}{room}{fence}"


def _codes(text: str) -> list[str]:
    """What stands in back-quotes in a text."""
    found = (match[2] for match in _CODE.finditer(text))
    return [one[1:-1] if one[:1] == one[-1:] == " " and one.strip() else one for one in found]


def amount(tokens: int) -> str:
    """Tokens as people write them: 50k, 1500."""
    return f"{tokens // 1000}k" if tokens and tokens % 1000 == 0 else str(tokens)


def tokens_of(words: str) -> int:
    """How many tokens an amount says ("50k", "1.5M", "20,000 tokens"), 0 if it says none."""
    match = _AMOUNT.search(words)
    if match is None:
        return 0
    digits, unit = match[1].strip(" .,_"), (match[2] or "").lower()
    if unit and re.fullmatch(r"\d+[.,]\d{1,2}", digits):
        return int(float(digits.replace(",", ".")) * {"k": 1_000, "m": 1_000_000}[unit])
    whole = int(re.sub(r"\D", "", digits) or 0)
    return whole * {"": 1, "k": 1_000, "m": 1_000_000}[unit]


_BOX: Final = re.compile(r"^(\s*(?:>\s*)*(?:[-*+•‣▪◦]|\d{1,9}[.)])\s+\[)([ xX✓✔]?)(\])")


def ticked(text: str, steps: Iterable[Step]) -> str:
    """`text` with the boxes of these steps set as the steps are; no other byte of it changes."""
    lines = text.split("\n")
    for step in steps:
        if 0 <= step.line < len(lines):
            match = _BOX.match(lines[step.line])
            if match is not None and (match[2] in TICKED) != step.ticked:
                mark = "x" if step.ticked else " "
                lines[step.line] = f"{match[1]}{mark}{match[3]}{lines[step.line][match.end() :]}"
    return "\n".join(lines)


class WrittenBack(NamedTuple):
    """A file's text with the plan's ticks in it, how many boxes were set, and the steps that have no box there."""

    text: str
    boxes: int
    missing: tuple[str, ...]


def written_back(text: str, plan: Plan) -> WrittenBack:
    """The ticks of `plan` in a file that holds the same steps, by their words; whatever else changed there stays."""
    there: dict[str, list[Step]] = {}
    for phase in parse(text).phases:
        for step in phase.steps:
            there.setdefault(_key(step.text), []).append(step)
    set_, missing = [], []
    for phase in plan.phases:
        for step in phase.steps:
            found = there.get(_key(step.text))
            if found and found[0].box:
                one = found.pop(0)
                set_ += [one._replace(ticked=step.ticked)] if one.ticked != step.ticked else []
            elif step.ticked:
                missing.append(step.text)
    return WrittenBack(ticked(text, set_), len(set_), tuple(missing))


def _key(text: str) -> str:
    return one_line(text).rstrip(".").casefold()


_OF_PHASES: Final[tuple[Part, ...]] = ("validate", "budget", "tier", "depends", "files", "tags")


class _PhaseDraft:
    """What is found of a phase as its blocks are read."""

    def __init__(self) -> None:
        self.boxed: list[Step] = []
        self.listed: list[Step] = []
        self.validate: list[str] = []
        self.files: list[str] = []
        self.depends: list[str] = []
        self.tags: list[str] = []
        self.budget = 0
        self.tier = ""

    def take_box(self, block: Block | None) -> None:
        """Take in the box that a list above the headings has for this phase: it tells how far steps without boxes are,
        and is the step of a phase without any.
        """
        if block is None or self.boxed:
            return
        if self.listed:  # the same steps, ticked or not: else ticking the box would make others of them
            self.listed = [step._replace(ticked=block.box in TICKED) for step in self.listed]
        else:
            self.boxed.append(step_of(block))

    def take(self, part: Part, name: str, value: str) -> None:
        """Take in what stands behind a label, or in a section, of this part."""
        if value.strip().lower().strip("*_.`") in _NOTHING:
            return
        if part == "validate":
            self.validate += _commands(value, plainly=name.strip().lower() == "validate")
        elif part == "budget":
            self.budget = self.budget or tokens_of(value)
        elif part == "tier":
            self.tier = self.tier or plain(value).strip("`").split()[0]
        elif part == "depends":
            self.depends += _NUMBER.findall(plain(value))
        elif part == "files":
            self.files += _paths(value)
        elif part == "tags":
            self.tags += _TAG.findall(plain(value).lower())


def _draft(opener: Opener, blocks: Sequence[Block]) -> _PhaseDraft:
    """What the blocks of a phase say of it."""
    draft = _PhaseDraft()
    draft.boxed += [opener.step] if opener.step is not None else []
    section: Part | None = None
    name = ""
    for block in blocks:
        if block.form == "heading":
            name = plain(block.text).rstrip(":")
            section = part_of(name)
        elif block.form == "code":
            if section == "validate" and block.info.lower() in _SHELLS:
                draft.validate += _typed(block.text)
        elif block.form == "text" and not block.level:
            section, name = _text(block, draft, section, name)
        elif block.form == "item":
            _item(block, draft, section, name)
    return draft


def _phase(number: int, opener: Opener, draft: _PhaseDraft) -> Phase:
    return Phase(
        number,
        opener.title,
        tuple((draft.boxed or draft.listed)[:STEPS_MAX]),
        tuple(dict.fromkeys(draft.validate)),
        draft.budget,
        draft.tier,
        files=tuple(dict.fromkeys(draft.files)),
        tags=tuple(dict.fromkeys(draft.tags)),
        label=opener.label if opener.label != str(number) else "",
        line=opener.line,
    )


def _text(block: Block, draft: _PhaseDraft, section: Part | None, name: str) -> tuple[Part | None, str]:
    """Read the rows of a text: each may be a label with its value, or a label of what comes below."""
    for row in block.text.split("\n"):
        named = label(row)
        if named is None:
            continue
        part = part_of(named.name)
        if part is None:
            continue
        if named.value:
            draft.take(part, named.name, named.value)
        else:
            section, name = part, named.name
    return section, name


def _item(block: Block, draft: _PhaseDraft, section: Part | None, name: str) -> None:
    rows = block.text.split("\n")
    words = [rows[0]]
    for row in rows[1:]:  # a label right below an entry is not the entry's
        named = label(row)
        part = part_of(named.name) if named is not None and named.value else None
        if named is not None and part in _OF_PHASES:
            draft.take(part, named.name, named.value)
        else:
            words.append(row)
    block = block._replace(text=" ".join(words).strip())  # in a command every blank counts
    if block.box:
        draft.boxed.append(step_of(block))
        return
    named = label(block.text)
    part = part_of(named.name) if named is not None else None
    if named is not None and part in _OF_PHASES:
        draft.take(part, named.name, named.value)
    elif section == "validate":  # what stands in back-quotes, or all of it where the section wants commands
        is_plain = not _CODE.search(block.text) and name.lower() == "validate"
        draft.take(section, "", _code(one_line(block.text)) if is_plain else block.text)
    elif section in _OF_PHASES:
        draft.take(section, "", block.text)
    elif section in (None, "steps") and block.level == 1:
        draft.listed.append(step_of(block))


def _commands(value: str, *, plainly: bool) -> list[str]:
    found = _codes(value)
    if plainly:
        return found or [value.strip()]
    return [one for one in found if not _FILE.fullmatch(one)]  # "Test: `tests/a_test.go`" names a file


def _typed(code: str) -> Iterator[str]:
    for row in code.split("\n"):
        line = row.strip().removeprefix("$ ").strip()
        if line and not line.startswith(("#", "```", "~~~")):
            yield line


def _paths(value: str) -> list[str]:
    found = _codes(value)
    if found:
        return [one for one in found if set(one) & set("./*")]  # no names of functions
    named = (part.strip() for part in value.partition(" — ")[0].split(","))
    return [name for name in named if name and " " not in name]


def _dependent(phases: Sequence[Phase], named: Sequence[Sequence[str]], labels: Sequence[str]) -> Iterator[Phase]:
    """The phases with the numbers of those that they depend on, which are named by the numbers that the text gives."""
    numbers: dict[str, int] = {}
    for phase, name in zip(phases, labels, strict=True):
        numbers.setdefault(name or "-", phase.number)
    for phase in phases:  # a phase that the text gives no number takes that of no other
        numbers.setdefault(str(phase.number), phase.number)
    for phase, names in zip(phases, named, strict=True):
        found = (numbers.get(name, 0) for name in names)
        yield phase._replace(depends=tuple(dict.fromkeys(one for one in found if one not in (0, phase.number))))
