"""A session for readers: its entries, and these as Markdown or as one HTML page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal

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
from clew.core.text.cleaning import one_line
from clew.core.text.page import render_page

Sort = Literal["prompt", "reply", "tool", "mark"]


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One thing in a session. `title` is one line, `text` what stands below it, `outcome` of a tool ("" unknown).
    `at` is its byte in the record.
    """

    sort: Sort
    title: str
    text: str
    time: str
    at: int
    outcome: str = ""


def entries(records: Iterable[Record]) -> Iterator[SessionEntry]:
    """The entries of the main chain, in file order; a tool's result stands with its call."""
    kept = [record for record in records if not record.agent]
    results = {record.call: record for record in kept if isinstance(record, Result)}
    for record in kept:
        match record:
            case Prompt():
                yield SessionEntry("prompt", "User", record.text, record.time, record.at)
            case Reply():
                yield SessionEntry("reply", "Agent", record.text, record.time, record.at)
            case Call():
                yield _of_call(record, results.get(record.id))
            case Compaction():
                yield SessionEntry("mark", f"The context was compacted ({record.trigger})", "", record.time, record.at)
            case Summary():
                yield SessionEntry("mark", "The client's summary", record.text, record.time, record.at)
            case Interruption():
                yield SessionEntry("mark", "The user interrupted", "", record.time, record.at)


def _of_call(call: Call, result: Result | None) -> SessionEntry:
    title, body = _action(call)
    answer = result.text.strip() if result is not None else ""
    text = "\n\n".join(part for part in (body, answer) if part)
    outcome = ""
    if result is not None:
        outcome = result.outcome if result.exit_code in (None, 0) else f"exit {result.exit_code}"
    return SessionEntry("tool", title, text, call.time, call.at, outcome)


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


_FENCE = re.compile(r"`{3,}")


def markdown(title: str, about: Iterable[tuple[str, str]], found: Iterable[SessionEntry]) -> str:
    """The document: `title`, what it is `about` (names and values), then the entries."""
    lines = [f"# {_inline(title)}", ""]
    lines += [f"- {name}: {_inline(value)}" for name, value in about if value]
    for entry in found:
        lines += ["", *_markdown_of(entry)]
    return "\n".join(lines) + "\n"


def _markdown_of(entry: SessionEntry) -> Iterator[str]:
    moment = f" · {entry.time[11:16]}" if entry.time else ""
    if entry.sort in ("prompt", "reply"):
        yield f"## {entry.title}{moment}"
        yield ""
        yield from (f"> {line}".rstrip() for line in _harmless(entry.text.splitlines()))
        return
    outcome = f" ({entry.outcome})" if entry.outcome not in ("", "ok") else ""
    yield f"### {_inline(entry.title)}{outcome}{moment}"
    if entry.text:
        fence = "`" * max(3, *(len(run) + 1 for run in _FENCE.findall(entry.text)), 3)
        yield ""
        yield fence + "text"
        yield from entry.text.splitlines()
        yield fence


def _harmless(lines: Sequence[str]) -> Iterator[str]:
    """Lines of anybody's Markdown that load no picture and are no HTML; what stands between fences is left as it is."""
    fenced = _fenced(lines)
    for number, line in enumerate(lines):
        yield line if number in fenced else line.replace("![", "&#33;[").replace("<", "&lt;")


def _fenced(lines: Sequence[str]) -> set[int]:
    """The lines between fences and the fences, by number. None where a fence stands anywhere but at a line's beginning:
    there it may be a list's or a quotation's, and where it ends no look at a line tells.
    """
    signs = [line for line in lines if "```" in line or "~~~" in line]
    if not all(line.startswith(("```", "~~~")) for line in signs):
        return set()
    found: set[int] = set()
    fence = ""
    for number, line in enumerate(lines):
        mark = line[: len(line) - len(line.lstrip(line[:1]))] if line.startswith(("```", "~~~")) else ""
        if fence:
            found.add(number)
            if mark[:1] == fence[0] and len(mark) >= len(fence) and not line[len(mark) :].strip():
                fence = ""
        elif mark and not (mark[0] == "`" and "`" in line[len(mark) :]):  # that is code within a line
            fence = mark
            found.add(number)
    return found


def _inline(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>!#|])", r"\\\1", one_line(text))


_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --mark: #b60 }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem }
dt { opacity: .7 } dd { margin: 0; overflow-wrap: anywhere }
section { border-left: 3px solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1rem 0 }
section.prompt { border-color: #27c; background: var(--soft) } section.mark { border-color: var(--mark) }
h2 { font-size: .85rem; margin: .3rem 0; opacity: .75 } time { float: right; font-weight: normal }
p, pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0 }
details { margin: .5rem 0 .5rem 1rem; border: 1px solid var(--line); border-radius: 4px; padding: .2rem .6rem }
summary { cursor: pointer; font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere }
pre { font: .8rem/1.4 ui-monospace, monospace; max-height: 30rem; overflow: auto } .failed summary { color: #c33 }
"""


def page(title: str, about: Iterable[tuple[str, str]], found: Iterable[SessionEntry]) -> str:
    """The page: as `markdown`. All text is escaped, and a policy forbids whatever would still load something."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(one_line(value))}</dd>" for name, value in about if value)
    pieces = (piece for entry in found for piece in _html_of(entry))
    return render_page(title, _STYLE, f"<dl>{rows}</dl>\n" + "\n".join(pieces))


def _html_of(entry: SessionEntry) -> Iterator[str]:
    moment = f"<time>{escape(entry.time[:16].replace('T', ' '))}</time>" if entry.time else ""
    if entry.sort == "tool":
        failed = entry.outcome not in ("", "ok")
        told = f" — {escape(entry.outcome)}" if failed else ""
        kind = ' class="failed"' if failed else ""
        body = f"<pre>{escape(entry.text)}</pre>" if entry.text else ""
        yield f"<details{kind}><summary>{escape(one_line(entry.title))}{told}{moment}</summary>{body}</details>"
        return
    body = f"<p>{escape(entry.text)}</p>" if entry.text else ""
    yield f'<section class="{entry.sort}" id="at-{entry.at}"><h2>{escape(entry.title)}{moment}</h2>{body}</section>'
