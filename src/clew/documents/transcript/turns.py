"""What a reader wants to see of a record, in order: what was asked, said and done, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from clew.core.records.transcript import (
    Ask,
    Call,
    Compaction,
    Delegate,
    Edit,
    Interruption,
    Other,
    Plan,
    Prompt,
    Read,
    Record,
    Reply,
    Result,
    Run,
    Search,
    Summary,
    Todos,
)

Sort = Literal["prompt", "reply", "tool", "mark"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a session. `title` is one line, `text` what stands below it, `outcome` of a tool ("" unknown).
    `at` is its byte in the record.
    """

    sort: Sort
    title: str
    text: str
    time: str
    at: int
    outcome: str = ""


def entries(records: Iterable[Record]) -> Iterator[Entry]:
    """The entries of the main chain, in file order; a tool's result stands with its call."""
    kept = [record for record in records if not record.agent]
    results = {record.call: record for record in kept if isinstance(record, Result)}
    for record in kept:
        match record:
            case Prompt():
                yield Entry("prompt", "User", record.text, record.time, record.at)
            case Reply():
                yield Entry("reply", "Agent", record.text, record.time, record.at)
            case Call():
                yield _of_call(record, results.get(record.id))
            case Compaction():
                yield Entry("mark", f"The context was compacted ({record.trigger})", "", record.time, record.at)
            case Summary():
                yield Entry("mark", "The client's summary", record.text, record.time, record.at)
            case Interruption():
                yield Entry("mark", "The user interrupted", "", record.time, record.at)


def _of_call(call: Call, result: Result | None) -> Entry:
    title, body = _action(call)
    answer = result.text.strip() if result is not None else ""
    text = "\n\n".join(part for part in (body, answer) if part)
    outcome = ""
    if result is not None:
        outcome = result.outcome if result.exit_code in (None, 0) else f"exit {result.exit_code}"
    return Entry("tool", title, text, call.time, call.at, outcome)


def _action(call: Call) -> tuple[str, str]:
    match call.action:
        case Run(command=command):
            first, _, rest = command.partition("\n")
            return f"$ {first}", rest
        case Read(path=path):
            return f"read {path}", ""
        case Edit(path=path, removed=removed, added=added):
            lines = [f"-{line}" for line in removed.splitlines()] + [f"+{line}" for line in added.splitlines()]
            return f"edit {path}", "\n".join(lines)
        case Search(pattern=pattern, path=path):
            return f"search {pattern} {path}".rstrip(), ""
        case Plan(text=text):
            return "plan", text
        case Todos(entries=todos):
            return "to-dos", "\n".join(f"[{one.status}] {one.text}" for one in todos)
        case Ask(questions=questions):
            return "question", "\n".join(one.text for one in questions)
        case Delegate(title=title, prompt=prompt):
            return f"sub-agent: {title}", prompt
        case Other(detail=detail):
            return f"{call.tool} {detail}".strip(), ""
    return call.tool, ""
