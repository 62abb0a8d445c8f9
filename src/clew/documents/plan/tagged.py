"""Plans whose tasks are elements, as GSD writes them:

```xml
<task type="auto">
  <name>Task 1: Write the window</name>
  <files>src/windows.py</files>
  <verify>python -m pytest -q tests/test_windows.py</verify>
  <done>the 61st call is refused</done>
</task>
```

What stands in `<output>` and the like is a template for later: no step is in it. A check-point has no name; what it
shows or asks is the step. Source: `.planning/phases/*/*-PLAN.md` as people keep them in public repositories.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from clew.core.gate.shell.purposes import split
from clew.core.plan.plan import Step
from clew.core.text.cleaning import one_line, shorten
from clew.core.text.segments import segments
from clew.documents.plan.openers import TITLE_CHARS_MAX, step_of

_CODE: Final = re.compile(r"`([^`\n]+)`")
_SPACES: Final = re.compile(r"[,\s]+")
_SENTENCE: Final = re.compile(r"\s(?:the|an?|that|is|are|and)\s|[.!?]$", re.IGNORECASE)
# What names the step of a task, in this order.
_NAMES: Final = ("name", "title", "what-built", "decision", "action")
_CHECKS: Final = ("verification", "success_criteria")


class Tagged(NamedTuple):
    """What such a plan says. `steps` are the tasks, then the boxes of its checks."""

    title: str
    steps: tuple[Step, ...]
    validate: tuple[str, ...]
    files: tuple[str, ...]


def read_tagged(text: str) -> Tagged | None:
    """The plan that the elements of a text make; None where no `<task>` in it has a name."""
    tasks = list(_elements(text, "task")) if "<task" in text and "</task>" in text else []
    if tasks:  # in a block of code they are an example, or what is to be written
        code = [one for one in segments(text[: tasks[0][1]].split("\n")) if one.form == "code"]
        tasks = [] if code and code[-1].last > text.count("\n", 0, tasks[0][1]) else tasks
    named = [(found, at) for body, at in tasks if (found := _named(body)) is not None]
    if not named:
        return None
    steps = [Step(words, line=text.count("\n", 0, at + inner), box=False) for (words, inner), at in named]
    for name in _CHECKS:
        for body, at in _elements(text, name):
            first = text.count("\n", 0, at)
            boxes = (one for one in segments(body.split("\n")) if one.box)
            steps += [step_of(one._replace(first=one.first + first)) for one in boxes]
    validate = [command for body, _ in tasks for words, _ in _elements(body, "verify") for command in _commands(words)]
    files = [name for body, _ in tasks for words, _ in _elements(body, "files") for name in _SPACES.split(words)]
    goal = next((one_line(words) for words, _ in _elements(text, "objective")), "")
    title = shorten(goal.partition(". ")[0].rstrip("."), TITLE_CHARS_MAX)
    kept = (name.strip("`") for name in files)
    return Tagged(title, tuple(steps), tuple(dict.fromkeys(validate)), tuple(dict.fromkeys(filter(None, kept))))


def _elements(text: str, name: str) -> Iterator[tuple[str, int]]:
    """The bodies of the elements of this name with the places where they begin, in time linear in the text."""
    opening, end = re.compile(rf"<{name}(?:\s[^<>]*)?>"), f"</{name}>"
    at = 0
    while (begin := opening.search(text, at)) is not None and (stop := text.find(end, begin.end())) >= 0:
        yield text[begin.end() : stop], begin.end()
        at = stop + len(end)


def _named(body: str) -> tuple[str, int] | None:
    """The words of a task's step and where they stand in it."""
    for name in _NAMES:
        for words, at in _elements(body, name):
            if told := one_line(words):
                return shorten(told, TITLE_CHARS_MAX), at + len(words) - len(words.lstrip())
    return None


def _commands(words: str) -> Iterator[str]:
    """The commands among what proves a task: `<automated>`, what stands in back-quotes, lines that begin a program."""
    automated = [body for body, _ in _elements(words, "automated")]
    for row in "\n".join(automated or [words]).split("\n"):
        line = row.strip()
        coded = _CODE.findall(line)
        yield from (one for one in coded or [line] if one and (automated or _is_command(one)))


def _is_command(line: str) -> bool:
    return _SENTENCE.search(line) is None and any(part.purpose not in ("", "other", "look") for part in split(line)[:1])
