"""The blocks in which SpecStory shows what a tool was given and what it gave back: to actions and an outcome.

Every client's exporter has its own way to lay one out; they agree on a summary that names the tool, on paths, patterns
and commands between backticks, and on fences, the last of which holds the output. Fences in an output are not escaped.
"""

import re
from collections.abc import Iterable, Sequence
from html import unescape
from itertools import islice, pairwise
from typing import Final, NamedTuple

from clew.clients.generic.reading import LEADS, READS, RUNS, SEARCHES, WRITES, outcome, words
from clew.clients.tools import CallOutcome
from clew.core.records.transcript import (
    Action,
    Ask,
    Delegate,
    Edit,
    Other,
    Plan,
    Question,
    Read,
    Run,
    Search,
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
    outcome: CallOutcome


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


def closings(rows: Sequence[str]) -> list[int]:
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


def used(rows: Sequence[str]) -> Used | None:
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


def _answered(found: CallOutcome, asked: Sequence[Question], inside: str) -> CallOutcome:
    """`found` with the answers, which stand in the order of the questions."""
    given = [text.strip() for text in _ANSWER.split(_TAGS.sub("", inside))[1:]]
    pairs = tuple((question.text, answer) for question, answer in zip(asked, given, strict=False) if answer)
    return found._replace(answers=pairs) if pairs else found
