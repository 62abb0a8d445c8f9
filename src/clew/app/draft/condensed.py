"""A session's record in short, for a model that writes its hand-off: what was asked, what the agent said, which
commands ran and how they ended. No output of a tool: it is most of a record, and it may hold anything. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from clew.core.records.transcript import (
    Ask,
    Call,
    Compaction,
    Delegate,
    Edit,
    Interruption,
    Plan,
    Prompt,
    Record,
    Reply,
    Result,
    Run,
    Summary,
    Todos,
)
from clew.core.text.cleaning import one_line, shorten
from clew.core.text.tokens import estimate

PROMPT_CHARS: Final = 1_500
REPLY_CHARS: Final = 1_200
COMMAND_CHARS: Final = 200
SUMMARY_CHARS: Final = 3_000
_GAP: Final = "… {:,} lines from before are left out …"


def condensed(records: Sequence[Record], *, root: str, budget_tokens: int) -> str:
    """The record in short, a line each, in at most so many tokens: the first prompt, and the newest of the rest.

    `records` are clean and redacted; paths below `root` lose it.
    """
    rows = [row.replace(f"{root}/", "") if root else row for row in _rows(records)]
    first = next((row for row in rows if row.startswith("user: ")), "")
    room = budget_tokens - estimate(f"{first}\n{_GAP}\n")
    kept: list[str] = []
    for row in reversed(rows):
        room -= estimate(f"{row}\n")
        if room < 0:
            break
        kept.append(row)
    left = len(rows) - len(kept)
    if not left:
        return "\n".join(rows)
    ahead = [first] if first and first in rows[:left] else []
    return "\n".join([*ahead, _GAP.format(left - len(ahead)), *reversed(kept)])


def _rows(records: Sequence[Record]) -> Iterator[str]:
    ended = {record.call: record for record in records if isinstance(record, Result) and not record.agent}
    for record in records:
        if record.agent:
            continue
        if isinstance(record, Prompt):
            yield f"user: {_cut(record.text, PROMPT_CHARS)}"
        elif isinstance(record, Reply) and record.text.strip():
            yield f"agent: {_cut(record.text, REPLY_CHARS)}"
        elif isinstance(record, Call):
            yield from _called(record, ended.get(record.id))
        elif isinstance(record, Summary):
            yield f"the client's summary of what it dropped: {_cut(record.text, SUMMARY_CHARS)}"
        elif isinstance(record, Compaction):
            yield "(the client dropped its context here)"
        elif isinstance(record, Interruption):
            yield "(the user stopped the agent here)"


def _called(call: Call, result: Result | None) -> Iterator[str]:
    """A tool call in short with how it ended; reads and searches are left out, as far as they did not fail."""
    told = _told(call)
    if told:
        yield f"{told}{_outcome(result)}"
    if result is not None:
        if result.reason:
            yield f"user, refusing that: {_cut(result.reason, PROMPT_CHARS)}"
        for question, answer in result.answers:
            yield f"user, asked “{_cut(question, COMMAND_CHARS)}”: {_cut(answer, PROMPT_CHARS)}"


def _told(call: Call) -> str:
    action = call.action
    if isinstance(action, Run):
        return f"$ {_cut(action.command, COMMAND_CHARS)}"
    if isinstance(action, Edit):
        lines = [text.count("\n") + bool(text) for text in (action.added, action.removed)]
        return f"edit {action.path} (+{lines[0]} -{lines[1]} lines)"
    if isinstance(action, Plan):
        return f"plan: {_cut(action.text, REPLY_CHARS)}"
    if isinstance(action, Todos):
        entries = (f"{entry.text or entry.id} ({entry.status})" for entry in action.entries)
        return f"to-do: {_cut('; '.join(entries), REPLY_CHARS)}"
    if isinstance(action, Ask):
        return ""
    return f"sub-agent: {_cut(action.title, COMMAND_CHARS)}" if isinstance(action, Delegate) else ""


def _outcome(result: Result | None) -> str:
    if result is None:
        return " → no end of it is recorded"
    if result.exit_code:
        return f" → exit code {result.exit_code}"
    return "" if result.outcome == "ok" else f" → {result.outcome}"


def _cut(text: str, chars: int) -> str:
    return shorten(one_line(text), chars)
