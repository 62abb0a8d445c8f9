"""Reads Markdown that SpecStory writes of sessions of Claude Code, Cursor, Codex, Copilot and others.

A turn begins with a line such as `_**User (2026-02-10 14:21:48Z)**_`; the tools that an agent used in it are in
`<tool-use>` blocks. What tools printed stands there unescaped: a line in it can look like a turn, which nobody can tell
from one. Format: docs/clients/generic.md.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from itertools import islice, pairwise
from pathlib import Path
from typing import Final, NamedTuple

from clew.clients.claude_code.prompts import said
from clew.clients.generic.calls import READS, RUNS, SEARCHES, WRITES, words
from clew.clients.generic.document import moment, name_of, text_of
from clew.clients.generic.reading import DocumentReader, Entry
from clew.clients.generic.results import LEADS, Outcome, outcome
from clew.core.records.transcript import (
    Action,
    Ask,
    Call,
    Compaction,
    Context,
    Delegate,
    Edit,
    Interruption,
    Model,
    Other,
    Plan,
    Prompt,
    Question,
    Read,
    Record,
    Reply,
    Result,
    Run,
    Search,
    Summary,
    Todo,
    Todos,
)

OPENING: Final = "<tool-use "
_CLOSING: Final = "</tool-use>"
_BEHIND: Final = ("_**", "---", "<", "Tool use: ")
_NAME: Final = re.compile(r'data-tool-type="(?P<type>[\w-]*)" data-tool-name="(?P<name>[^"\n]*)"')
_SUMMARY: Final = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
_TOOL: Final = re.compile(r"\s*Tool use: \*\*(?P<name>[^*\n]+)\*\*(?P<rest>.*)", re.DOTALL)
_TAGS: Final = re.compile(r"</?(?:tool-use|details)[^>\n]*>")
_TICKED: Final = re.compile(r"`([^`\n]+)`")
_LABELLED: Final = re.compile(r"\b(pattern|path) `([^`\n]*)`")
_DID: Final = re.compile(r"• (?:Read file|Edit file|Run command|Write file|Create file|Delete file): (.+)")
_SOUGHT: Final = re.compile(r'(?:Grep|Searched|Search)[^"\n]* "([^"\n]+)"')
_CHANGED: Final = re.compile(
    r"^(?:The file (?P<a>\S.*?) has been (?:updated|modified)"
    r"|File (?:created|written) successfully at: (?P<b>.+?)\.?$)",
    re.MULTILINE,
)
_PATCHED: Final = re.compile(r"\*\*(?:Add|Update|Delete|Move)\w*: `([^`\n]+)`\*\*")
_SCRIPT: Final = "```bash"
_TODO: Final = re.compile(r"\s*- \[(.)\]\s+(?:[\U0001F321\U0001F525❄️]+\s+)?(.+)")
_STATUSES: Final = {"x": "completed", "X": "completed", "⚡": "in_progress"}
_TASK_MADE: Final = re.compile(r"Task #(\w+)[^:\n]*(?:: *(.*))?")
_TASK_MOVED: Final = re.compile(r"Updated task #(\w+) (?:.*, )?status\b")
_QUESTION: Final = re.compile(r"\*\*(?!Answer:)(.+?)\*\*(?: _\(.*\)_)?")
_OPTION: Final = re.compile(r"- \*\*(.+?)\*\*(?: - .*)?")
_ANSWER: Final = re.compile(r"^\*\*Answer:\*\* ?", re.MULTILINE)
# Of the sort "shell", but no commands.
_NO_SHELLS: Final = frozenset(("LS", "list_directory", "TaskOutput", "BashOutput", "KillShell"))
_DETAIL_CHARS: Final = 200
_SORTS: Final = (("shell", RUNS), ("write", WRITES), ("search", SEARCHES), ("read", READS))


class Used(NamedTuple):
    """A tool by its client's own name, what it did, and what came of it."""

    name: str
    actions: tuple[Action, ...]
    outcome: Outcome


class _Body(NamedTuple):
    """A block taken apart: `rest` of the summary behind the tool's name, `lead` before the first fence, what fences
    gave it (`given`, in the language `language`), what it gave back (`output`), and all rows of it.
    """

    rest: str
    lead: str
    language: str
    given: str
    output: str
    rows: Sequence[str]


def find_closings(rows: Sequence[str]) -> list[int]:
    """For each row the one that closes a block that begins there; the row before itself where nothing does.

    A row that closes one and is followed by what can follow comes before one that stands in the middle of a text.
    """
    found = [0] * len(rows)
    strict = loose = -1
    behind = ""  # the next row that is not empty
    for index in range(len(rows) - 1, -1, -1):
        row = rows[index].rstrip()
        if row.endswith(_CLOSING):
            loose = index
            is_last = index + 1 == len(rows) or not rows[index + 1].strip()
            if is_last and (not behind or behind.startswith(_BEHIND)):
                strict = index
        found[index] = next((end for end in (strict, loose) if end >= 0), index - 1)
        behind = row or behind
    return found


def is_bare(rows: Sequence[str], index: int) -> bool:
    """Whether a tool begins at a row of a turn that has no block. In files of 2025 its name stands alone behind an
    empty row. A turn that was carried over from another client's session is all a tool's: a patch, or a script with
    what the client says of its end; without that it is only shown.
    """
    row = rows[index]
    if _PATCHED.fullmatch(row) or row == _SCRIPT:
        if any(before.strip() for before in islice(rows, index)):
            return False
        return row != _SCRIPT or any(one == "```" and told.startswith(LEADS) for one, told in pairwise(rows[index:]))
    return row.startswith("Tool use: **") and not (index and rows[index - 1].strip())


def bare_end(rows: Sequence[str], index: int) -> int:
    """The last row of it: before the next rule or tool, if it is not all of the turn."""
    if not rows[index].startswith("Tool use: **"):
        return len(rows) - 1
    end, fenced = index, False
    while end + 1 < len(rows):
        row = rows[end + 1]
        fenced ^= row.startswith("```")
        if not fenced and (row == "---" or is_bare(rows, end + 1)):
            break
        end += 1
    return end


def read_tool_use(rows: Sequence[str]) -> Used | None:
    """What a block tells; None if it names no tool."""
    text = "\n".join(rows)
    tag = _NAME.search(rows[0])
    summary = _SUMMARY.search(text)
    told = _TOOL.match(summary[1] if summary else text)
    bare = "exec_command" if rows[0] == _SCRIPT else "apply_patch" if _PATCHED.fullmatch(rows[0]) else ""
    name = tag["name"] if tag else told["name"] if told else bare
    if not name:
        return None
    inside = text[summary.end() :] if summary else told["rest"].partition("\n")[2] if told else text
    rest = (told["rest"] if summary else told["rest"].partition("\n")[0]) if told else ""
    body = _taken_apart(unescape(rest.strip()), inside)
    sort = _sort(name, tag["type"] if tag else "")
    found = outcome(body.output)
    if name == "AskUserQuestion":
        asked = _questions(body.rows)
        return Used(name, (Ask(asked),), _answered(found, asked, inside))
    if name == "ExitPlanMode":
        return Used(name, (Plan(body.given or body.lead),), found)
    return Used(name, tuple(_actions(name, sort, body)), found)


def _sort(name: str, told: str) -> str:
    """The sort of a tool as the block has it; by its name where that says nothing."""
    if told not in ("", "unknown", "generic", "mcp"):
        return told
    named = words(name)
    return next((sort for sort, known in _SORTS if named & known), "todo" if "todo" in named else told)


def _taken_apart(rest: str, inside: str) -> _Body:
    rows = _TAGS.sub("", inside).strip("\n").split("\n")
    fences = [index for index, row in enumerate(rows) if row.startswith("```")] or [len(rows)]
    first, last = fences[0], fences[-1] if len(fences) > 1 else len(rows)
    lead, language = "\n".join(rows[:first]).strip(), "".join(rows[first : first + 1]).strip("` ")
    held = "\n".join(rows[first + 1 : last])
    # The last fence of its own, right behind another one, holds the output.
    for end, start in reversed([*pairwise(fences)]):
        is_apart = rows[end] == "```" and not "".join(rows[end + 1 : start]).strip()
        if first < end and start < last and is_apart and rows[start] in ("```", "```text"):
            given, output = "\n".join(rows[first + 1 : end]), "\n".join(rows[start + 1 : last])
            return _Body(rest, lead, language, given, output, rows)
    given, output = ("", held) if language in ("", "text") else (held, "")
    return _Body(rest, lead, language, given, output, rows)


def _actions(name: str, sort: str, body: _Body) -> Iterable[Action]:
    if name == "TaskCreate" and (made := _TASK_MADE.match(body.output)):
        return (Todos((Todo(made[1], made[2] or body.lead, "pending"),), False),)
    if name == "TaskUpdate" and (moved := _TASK_MOVED.match(body.output)):
        return (Todos((Todo(moved[1], "", "in_progress"),), False),)
    if sort == "shell" and name not in _NO_SHELLS and (command := _command(body)):
        return (Run(command),)
    if sort == "write":
        return _edits(body)
    if sort in ("task", "todo") and (todos := [one for row in body.rows if (one := _TODO.fullmatch(row))]):
        return (Todos(tuple(Todo("", one[2].strip(), _STATUSES.get(one[1], "pending")) for one in todos), True),)
    if sort == "search":
        return (_search(body),)
    path = _path(body)
    if sort == "read" and path and "://" not in path:
        return (Read(path, 0, 0),)
    if name in ("Task", "Agent"):
        return (Delegate(body.lead.partition("\n")[0], body.lead),)
    return (Other(" ".join(f"{body.rest} {body.lead}".split())[:_DETAIL_CHARS]),)


def _command(body: _Body) -> str:
    if body.language in ("bash", "sh", "shell", "zsh", "powershell") and body.given:
        return body.given
    if did := _DID.search(body.rest):
        return did[1].strip()
    lines = (line.strip() for line in (*body.lead.split("\n")[::-1], body.rest))
    return next((line[1:-1] for line in lines if len(line) > 2 and line[0] == line[-1] == "`"), "")


def _path(body: _Body) -> str:
    found = _DID.search(body.rest) or _TICKED.search(body.lead) or _TICKED.search(body.rest)
    return found[1].strip() if found else ""


def _search(body: _Body) -> Action:
    told = f"{body.rest}\n{body.lead}"
    labelled = dict(_LABELLED.findall(told))
    sought = _SOUGHT.search(told) or _TICKED.search(told)
    pattern = labelled.get("pattern") or (sought[1] if sought else "")
    return Search(pattern, labelled.get("path", "")) if pattern else Other(" ".join(told.split())[:_DETAIL_CHARS])


def _edits(body: _Body) -> list[Action]:
    """What was changed: of each file that the block names, what its differences take out and put in."""
    changed = _CHANGED.search(body.output)
    path = (changed["a"] or changed["b"] if changed else "") or _path(body)
    if body.language != "diff":
        return [Edit(path, "", body.given) if path else Other("")]
    sides: dict[str, tuple[list[str], list[str]]] = {}
    inside = False
    for row in body.rows:
        if not inside and (named := _PATCHED.search(row)):
            path = named[1]
        elif row.startswith("```"):
            inside = not inside and row.startswith("```diff")
        elif inside and path and row.startswith(("-", "+")):
            sides.setdefault(path, ([], []))[row[0] == "+"].append(unescape(row[1:]))
    edits: list[Action] = [Edit(name, "\n".join(removed), "\n".join(added)) for name, (removed, added) in sides.items()]
    return edits or [Other("")]


def _questions(rows: Iterable[str]) -> tuple[Question, ...]:
    asked: list[tuple[str, list[str]]] = []
    for row in rows:
        if row.startswith(("```", "**Answer:")):
            break
        if found := _OPTION.fullmatch(row):
            if asked:
                asked[-1][1].append(found[1])
        elif found := _QUESTION.fullmatch(row):
            asked.append((found[1], []))
    return tuple(Question(text, tuple(options)) for text, options in asked)


def _answered(found: Outcome, asked: Sequence[Question], inside: str) -> Outcome:
    """`found` with the answers, which stand in the order of the questions."""
    given = [text.strip() for text in _ANSWER.split(_TAGS.sub("", inside))[1:]]
    pairs = tuple((question.text, answer) for question, answer in zip(asked, given, strict=False) if answer)
    return found._replace(answers=pairs) if pairs else found


_TITLES: Final = ("<!-- Generated by SpecStory", "## SpecStory")
_TURN: Final = re.compile(r"_\*\*(User|Agent|Assistant)( - sidechain)?(?: \(([^\n]*)\))?\*\*_[ \t]*")
_ANY_TURN: Final = re.compile(rf"^{_TURN.pattern}$", re.MULTILINE)
_SESSION: Final = re.compile(r"<!-- (.{1,60}?) Session ([\w.:@-]{1,120}) \((.*)\) -->")
_HEAD_ROWS: Final = 20
_MODEL: Final = re.compile(r"(?:model )?([A-Za-z][\w./:-]*\d[\w./:-]*)")
# Where SpecStory puts its files, below the folder that the session ran in.
_HISTORY: Final = (".specstory", "history")
_THINKS: Final = ("<think>", "</think>")


class _Turn(NamedTuple):
    """A turn: the number of its first row (from 1), who speaks, and the rows behind its head."""

    row: int
    is_user: bool
    agent: str
    time: str
    model: str
    rows: Sequence[str]


class SpecStoryReader(DocumentReader):
    """Implements `clew.clients.port.Reader`."""

    name = "specstory"

    def recognises(self, head: bytes) -> bool:
        text = text_of(head)
        return text.lstrip().startswith(_TITLES) and _ANY_TURN.search(text) is not None

    def entries(self, data: bytes, path: Path) -> Iterator[Entry]:
        rows = text_of(data).split("\n")
        session = next((found[2] for row in rows[:_HEAD_ROWS] if (found := _SESSION.fullmatch(row.strip()))), "")
        turns = list(_turns(rows))
        told = list(_told(turns, session or name_of((turn.time, "\n".join(turn.rows).strip()) for turn in turns)))
        is_at_home = path.parts[-3:-1] == _HISTORY and path.is_absolute()
        cwd = str(path.parents[2]) if is_at_home else _folder(record for _, records in told for record in records)
        for row, records in told:
            yield row, [one._replace(cwd=cwd) if isinstance(one, Context) else one for one in records]


READER: Final = SpecStoryReader()


def _folder(records: Iterable[Record]) -> str:
    """The folder that the session ran in, "" unknown, of a file that lies elsewhere: SpecStory shortens a path below it
    in some blocks and not in others, so that a file which stands in both ways tells where the one begins.
    """
    actions = (record.action for record in records if isinstance(record, Call))
    names = {action.path for action in actions if isinstance(action, (Edit, Read))}
    ends = {name.removeprefix(".") for name in names if name.startswith("./")}
    found = Counter(name.removesuffix(end) for name in names for end in ends if name[:1] == "/" and name.endswith(end))
    return min(found, key=lambda folder: (-found[folder], folder), default="")


def _told(turns: Sequence[_Turn], session: str) -> Iterator[Entry]:
    """What the turns hold, in a folder that is not known yet."""
    model, command = "", None
    begun = set[str]()  # tasks
    for turn in turns:
        context = Context(0, turn.time, turn.agent, session, "", "", "")
        if turn.is_user:
            words = list(_words(turn)) if not turn.agent else []  # else it is what an agent told another one
            if command != turn.time:  # else the client put there what a command of the user's stands for
                yield turn.row, [context, *words]
            is_command = any(isinstance(one, Prompt) and one.source == "command" for one in words)
            command = turn.time if is_command or command == turn.time else None
            continue
        command = None
        if turn.model and turn.model != model and not turn.agent:
            model = turn.model
            yield turn.row, [Model(0, turn.time, "", model)]
        for row, records in _parts(turn):
            moved = [_as_moved(one, begun) for one in records]
            yield row, [context, *moved] if any(isinstance(one, Result) for one in moved) else moved


def _as_moved(record: Record, begun: set[str]) -> Record:
    """A call that moves a task on, with the state that it is in then. What is written does not tell that: a task that
    was begun before is done.
    """
    action = record.action if isinstance(record, Call) else None
    if not isinstance(record, Call) or not isinstance(action, Todos) or action.whole or action.entries[0].text:
        return record
    task = action.entries[0]
    if task.id not in begun:
        begun.add(task.id)
        return record
    return record._replace(action=Todos((task._replace(status="completed"),), False))


def _turns(rows: Sequence[str]) -> Iterator[_Turn]:
    starts = [index for kind, index, _ in _pieces(rows) if kind == "turn"]
    for index, end in zip(starts, [*starts[1:], len(rows)], strict=False):
        head = _TURN.fullmatch(rows[index])
        assert head is not None
        told, is_user = head[3] or "", head[1] == "User"
        model = _MODEL.match(told) if not is_user else None
        agent = "sidechain" if head[2] else ""
        body = _without_rule(rows[index + 1 : end])
        yield _Turn(index + 1, is_user, agent, moment(told), model[1] if model else "", body)


def _pieces(rows: Sequence[str], *, in_turn: bool = False) -> Iterator[tuple[str, int, int]]:
    """What stands in the rows, from row to row (from 0): the head of a "turn", a "tool", a "thought", or a row of
    "prose". `in_turn`: they are of one turn of an agent, who alone thinks; only then a tool without a block is known.
    """
    closings, thoughts = find_closings(rows), _thoughts(rows)
    index, by_agent = 0, in_turn
    while index < len(rows):
        kind, end = "prose", index
        if rows[index].startswith(OPENING):
            kind, end = "tool", max(closings[index], index)
        elif _is_turn(rows, index):
            kind, by_agent = "turn", not rows[index].startswith("_**User")
        elif by_agent and rows[index].lstrip().startswith(_THINKS[0]) and thoughts[index] >= index:
            kind, end = "thought", thoughts[index]
        elif in_turn and is_bare(rows, index):
            kind, end = "tool", bare_end(rows, index)
        yield kind, index, end
        index = end + 1


def _is_turn(rows: Sequence[str], index: int) -> bool:
    """Whether a turn begins at a row: it stands alone, but for the comment that may follow it."""
    row = rows[index]
    if not row.startswith("_**") or not _TURN.fullmatch(row):
        return False
    behind = rows[index + 1].strip() if index + 1 < len(rows) else ""
    return (not index or not rows[index - 1].strip()) and (not behind or behind.startswith("<!-- message-id"))


def _thoughts(rows: Sequence[str]) -> list[int]:
    """For each row the next one that ends what an agent thought; -1 where another thought begins before that."""
    found = [-1] * len(rows)
    end = -1
    for index in range(len(rows) - 1, -1, -1):
        end = index if rows[index].rstrip().endswith(_THINKS[1]) else end
        found[index] = end
        end = -1 if rows[index].startswith(_THINKS[0]) else end
    return found


def _without_rule(rows: Sequence[str]) -> Sequence[str]:
    """The rows of a turn without the rule that ends it, and the comment that names it."""
    end = len(rows)
    while end and not rows[end - 1].strip():
        end -= 1
    if end and rows[end - 1].strip() == "---":
        end -= 1
    kept = list(rows[:end])
    if kept and kept[0].startswith("<!-- message-id"):
        kept[0] = ""
    return kept


def _words(turn: _Turn) -> Iterator[Record]:
    for piece in said("\n".join(turn.rows)):
        if piece.source == "interruption":
            yield Interruption(0, turn.time, "")
        elif piece.source == "summary":  # which is all that is left of a compaction
            yield Compaction(0, turn.time, "", "auto", 0, 0)
            yield Summary(0, turn.time, "", piece.text)
        else:
            yield Prompt(0, turn.time, "", piece.text, piece.source, "", "")


def _parts(turn: _Turn) -> Iterator[Entry]:
    """What an agent said and did in a turn: prose between the blocks of tools."""
    prose: list[str] = []
    begun = 0
    for kind, start, end in _pieces(turn.rows, in_turn=True):
        if kind == "prose" and turn.rows[start].strip() != "---":
            begun = begun if prose else start
            prose.append(turn.rows[start])
        if kind != "tool":
            continue
        yield turn.row + 1 + begun, _reply(turn, prose)
        prose, number = [], turn.row + 1 + start
        if used := read_tool_use(turn.rows[start : end + 1]):
            name, actions, found = used
            calls = [Call(0, turn.time, turn.agent, f"line {number}", name, action) for action in actions]
            yield number, [*calls, Result(0, turn.time, turn.agent, f"line {number}", *found)]
    yield turn.row + 1 + begun, _reply(turn, prose)


def _reply(turn: _Turn, rows: Sequence[str]) -> list[Record]:
    text = "\n".join(rows).strip()
    return [Reply(0, turn.time, turn.agent, text, "")] if text else []
