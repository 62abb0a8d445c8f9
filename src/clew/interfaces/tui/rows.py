"""What the picker says of a stack, in words and bars. Pure; every text here is clean, on one line, without a secret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from clew.app.egress.guard import Scanned
from clew.app.stack.editing import Editing, Trial
from clew.app.stack.gather import Got, Missed
from clew.app.stack.stack_file import Entry
from clew.core.errors import NotAllowed

HEADS: Final = ("On", "Source", "Tokens", "", "Share", "Budget", "Prio")
# The width of each column; the source has what is left.
NUMBERS: Final = (2, 4, 5, 6)
WIDTHS: Final = (3, 0, 13, 8, 5, 7, 4)
TOTAL_CELLS: Final = 20
_FULL: Final = "█"
_LIGHT: Final = "░"
_FREE: Final = "·"

State = Literal["in", "trimmed", "no room", "failed", "loading", "off"]
STYLES: Final[dict[State, str]] = {
    "in": "", "trimmed": "yellow", "no room": "yellow", "failed": "red", "loading": "italic", "off": "dim"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A source as it is shown: its cells, and the state that its colour stands for (a cell says it in words)."""

    cells: tuple[str, ...]
    state: State


def bar(part: int, whole: int, scale: int, cells: int, rest: str = _LIGHT) -> str:
    """`part` of `whole`, the rest of it drawn as `rest`, where `scale` fills all cells; each shows if it is there."""
    if scale <= 0:
        return ""
    full = min(cells, max(part * cells // scale, part > 0))
    light = min(cells - full, max((whole - part) * cells // scale, whole > part))
    return _FULL * full + rest * light


def row_of(editing: Editing, entry: Entry, trial: Trial | None) -> Row:
    """The row of a source."""
    spec = entry.spec
    section = trial.sections.get(entry.name) if trial and not spec.off else None
    state: State = "loading"
    if spec.off:
        state = "off"
    elif isinstance(editing.result(entry), Missed):
        state = "failed"
    elif section:
        state = "no room" if not section.is_in else "trimmed" if section.told else "in"
    tokens = "…" if state == "loading" else str(state)
    share = drawn = ""
    if section and trial:
        largest = max(one.whole_tokens for one in trial.sections.values())
        drawn = bar(section.tokens, section.whole_tokens, largest, WIDTHS[3])
        share = f"{100 * section.tokens / trial.tokens:.0f} %" if trial.tokens else ""
        if section.is_in:
            tokens = f"{section.tokens:,}" + (f"/{section.whole_tokens:,}" if section.told else "")
    budget = f"{spec.budget:,}" if spec.budget else "-"
    mark = "[ ]" if spec.off else "[x]"
    cells = (mark, editing.shown(entry.name), tokens, drawn, share, budget, f"{spec.priority or '-'}")
    return Row(cells, state)


def detail(editing: Editing, entry: Entry, trial: Trial | None) -> list[str]:
    """What is to be known of one source beside its row."""
    name, result = editing.shown(entry.name), editing.result(entry)
    if entry.spec.off:
        return [f"{name}: off, it stays in the file and is not in the text."]
    if isinstance(result, Missed):
        return [f"{name}: {editing.told(result)}"]
    if not isinstance(result, Got):
        return [f"{name}: not fetched yet."]
    lines = [f"{name}: from {editing.shown(result.fetched.provenance)}"]
    section = trial.sections.get(entry.name) if trial else None
    told = (section.told,) if section else ()
    lines += [editing.shown(note) for note in (*told, *result.fetched.notes) if note]
    return lines


def total(editing: Editing, trial: Trial | None) -> str:
    """The tokens against the budget, and what counted them."""
    if trial is None:
        return "Counting …"
    drawn = bar(trial.tokens, trial.room, trial.room, TOTAL_CELLS, _FREE)
    return f"Total  {drawn}  {trial.tokens:,} of {trial.room:,} tokens ({editing.counter})"


def balance(trial: Trial | None) -> str:
    """What has no room, and what is not there."""
    if trial is None:
        return ""
    return " ".join(_balance(trial))


def _balance(trial: Trial) -> Iterator[str]:
    if trial.problem:
        yield trial.problem
    trimmed = sum(one.is_in and bool(one.told) for one in trial.sections.values())
    out = sum(not one.is_in for one in trial.sections.values())
    over = trial.wanted - trial.room
    if trimmed or out:
        parts = [f"{trimmed} trimmed"] * bool(trimmed) + [f"{out} without room"] * bool(out)
        much = f", {over:,} over the budget" if over > 0 else ""
        own = "" if over > 0 else " by sources' own budgets"
        yield f"Untrimmed it is {trial.wanted:,} tokens{much}: {', '.join(parts)}{own}."
    elif trial.packed:
        yield "Nothing is trimmed."
    if trial.open:
        yield f"Loading: {trial.open}."
    if trial.missing:
        yield f"Could not be had: {trial.missing}."


def scan_line(trial: Trial | None, found: Scanned | str | None) -> str:
    """What the look for secrets gave: `found` is a refusal in words, or what looked; None: it still looks."""
    if trial is None or trial.packed is None:
        return "No text yet to look for secrets in."
    if found is None:
        return "Looking for secrets …"
    if isinstance(found, str):
        return found
    return " ".join((f"No secret found ({found.engine}).", *found.notes))


def said(refusal: NotAllowed) -> str:
    """Why nothing may leave, in short: rule and place of what was found come first."""
    found = refusal.message.partition(": ")[2] if refusal.code == "E-egress-secret" else ""
    return f"Secret found: {found}" if found else f"Refused: {refusal.message}"
