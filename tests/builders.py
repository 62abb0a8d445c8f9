"""Neutral records for tests, in the words of a story: what was asked, said, run and changed, in order.

Every builder gives a piece: the records of one thing that happened, without places, times or call ids. `laid_out` puts
pieces in order and numbers them, as a session file would.
"""

from __future__ import annotations

from typing import TypeAlias

from clew.core.records.transcript import (
    Action,
    Ask,
    Call,
    Compaction,
    Context,
    Delegate,
    Edit,
    Interruption,
    Link,
    Other,
    Plan,
    Prompt,
    Question,
    Read,
    Record,
    Reply,
    Result,
    Run,
    Summary,
    Thought,
    Todo,
    Todos,
)
from clew.core.state.items import Item, State
from clew.distill.distil import distil
from clew.distill.session import Session, build
from clew.distill.work import SessionWork, survey

ROOT = "/home/ada/shop"
SESSION = "5e551011"
LINE_BYTES = 100

Piece: TypeAlias = tuple[Record, ...]


def prompt(text: str, *, source: str = "typed", uid: str = "", parent: str = "") -> Piece:
    return (Prompt(0, "", "", text, source, uid, parent),)


def plan_prompt(text: str) -> Piece:
    """The client pasted an accepted plan as the first prompt of a fresh context."""
    return prompt(text, source="plan")


def reply(text: str) -> Piece:
    return (Reply(0, "", "", text, ""),)


def thought(text: str) -> Piece:
    return (Thought(0, "", "", text),)


def summary(text: str) -> Piece:
    return (Compaction(0, "", "", "auto", 150_000, 0), Summary(0, "", "", text))


def stop() -> Piece:
    return (Interruption(0, "", ""),)


def link(text: str, url: str) -> Piece:
    return (Link(0, "", "", text, url),)


def call(action: Action, text: str = "", *, tool: str = "", ok: bool = True) -> Piece:
    """A tool call and its result."""
    name = tool or type(action).__name__
    outcome = "ok" if ok else "error"
    return (Call(0, "", "", "", name, action), Result(0, "", "", "", outcome, None, text, "", (), ""))


def run(command: str, text: str = "", *, exit_code: int = 0) -> Piece:
    started, ended = call(Run(command), text, tool="Bash", ok=exit_code == 0)
    assert isinstance(ended, Result)
    return (started, ended._replace(exit_code=exit_code))


def edit(path: str, added: str = "x = 1\n", removed: str = "", *, ok: bool = True) -> Piece:
    return call(Edit(path, removed, added), ok=ok)


def read(path: str, *, ok: bool = True) -> Piece:
    return call(Read(path, 0, 0), "" if ok else "File does not exist.", ok=ok)


def plan(text: str) -> Piece:
    """A plan put forward and accepted; see `refused` and `unanswered`."""
    return call(Plan(text), tool="ExitPlanMode")


def todo_list(*entries: tuple[str, str]) -> Piece:
    """The whole to-do list, as (text, status)."""
    return call(Todos(tuple(Todo("", text, status) for text, status in entries), whole=True), tool="TodoWrite")


def new_task(text: str, number: str) -> Piece:
    """One task more; the client's answer tells its number."""
    started, ended = call(Todos((Todo("", text, "pending"),), whole=False), tool="TaskCreate")
    assert isinstance(ended, Result)
    return (started, ended._replace(todo=number))


def set_task(number: str, status: str) -> Piece:
    return call(Todos((Todo(number, "", status),), whole=False), tool="TaskUpdate")


def ask(question: str, options: tuple[str, ...], answer: str) -> Piece:
    return ask_all((question, options, answer))


def ask_all(*questions: tuple[str, tuple[str, ...], str]) -> Piece:
    """Several questions at once, each (text, options, answer)."""
    action = Ask(tuple(Question(text, options) for text, options, _ in questions))
    started, ended = call(action, tool="AskUserQuestion")
    assert isinstance(ended, Result)
    return (started, ended._replace(answers=tuple((text, answer) for text, _, answer in questions)))


def delegate(title: str, answer: str) -> Piece:
    return call(Delegate(title, f"Please do: {title}"), answer, tool="Task")


def other(tool: str, detail: str, error: str) -> Piece:
    """Any other tool, answering with an error."""
    return call(Other(detail), error, tool=tool, ok=False)


def refused(piece: Piece, reason: str = "") -> Piece:
    """The same call, refused by the user."""
    return tuple(_with_outcome(record, "rejected", reason) for record in piece)


def interrupted(piece: Piece) -> Piece:
    """The same call, stopped by the user before it was done."""
    return tuple(_with_outcome(record, "interrupted", "") for record in piece)


def _with_outcome(record: Record, outcome: str, reason: str) -> Record:
    return record._replace(outcome=outcome, reason=reason) if isinstance(record, Result) else record


def unanswered(piece: Piece) -> Piece:
    """The same call in a record that ends before the result."""
    return tuple(record for record in piece if not isinstance(record, Result))


def by(agent: str, *pieces: Piece) -> Piece:
    """The same, done by a sub-agent."""
    return tuple(record._replace(agent=agent) for piece in pieces for record in piece)


def given_by_program(*pieces: Piece) -> Piece:
    """The same in a headless run: prompts, answers and refusals come from a program."""
    start = Context(0, "", "", SESSION, ROOT, "main", "1.0", attended=False)
    return (start, *(record for piece in pieces for record in piece), start._replace(attended=True))


def laid_out(*pieces: Piece, branch: str = "main") -> list[Record]:
    """The pieces as one file: a context line, then a line and a second for each record, and a number for each call."""
    records: list[Record] = [Context(0, _time(0), "", SESSION, ROOT, branch, "1.0")]
    for number, piece in enumerate(pieces):
        for record in piece:
            line = len(records)
            record = record._replace(at=line * LINE_BYTES, time=_time(line))  # noqa: PLW2901
            if isinstance(record, Call) and not record.id:
                record = record._replace(id=f"call-{number}")  # noqa: PLW2901
            elif isinstance(record, Result) and not record.call:
                record = record._replace(call=f"call-{number}")  # noqa: PLW2901
            records.append(record)
    return records


def _time(second: int) -> str:
    return f"2026-03-04T{10 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"


def session(*pieces: Piece, branch: str = "main") -> Session:
    return build(laid_out(*pieces, branch=branch), client="claude-code")


def worked(*pieces: Piece) -> SessionWork:
    """What was really done, as tools tell it."""
    return survey(session(*pieces))


def distilled(*pieces: Piece) -> State:
    return distil(session(*pieces))


def items(state: State, kind: str) -> list[Item]:
    """The items of one kind, most important first."""
    return sorted((item for item in state.items if item.kind == kind), key=lambda item: item.rank)


def texts(state: State, kind: str = "") -> list[str]:
    """The texts of the items (of one kind), most important first."""
    chosen = (item for item in state.items if not kind or item.kind == kind)
    return [item.text for item in sorted(chosen, key=lambda item: item.rank)]
