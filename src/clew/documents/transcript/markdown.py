"""A session as Markdown. What others wrote stands in quotations and fences, so that it can make no heading of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from clew.core.text.cleaning import one_line
from clew.documents.transcript.turns import Entry

_FENCE = re.compile(r"`{3,}")


def markdown(title: str, about: Iterable[tuple[str, str]], found: Iterable[Entry]) -> str:
    """The document: `title`, what it is `about` (names and values), then the entries."""
    lines = [f"# {_inline(title)}", ""]
    lines += [f"- {name}: {_inline(value)}" for name, value in about if value]
    for entry in found:
        lines += ["", *_entry(entry)]
    return "\n".join(lines) + "\n"


def _entry(entry: Entry) -> Iterator[str]:
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
