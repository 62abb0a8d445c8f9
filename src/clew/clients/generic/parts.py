"""The tools of an agent's turn as SpecStory's first versions wrote them (early 2025): parts without a name.

Rules cut a turn into parts, and each goes on with `_****_`. One that begins with a fence or a list is all a tool's: a
command with what it printed, a difference, a folder's files, results of a search. Format: docs/clients/generic.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clew.clients.generic.blocks import Used
from clew.clients.generic.results import Outcome, outcome
from clew.core.records import Edit, Other, Run

# Agents of the first versions: nobody said which turn a part of one belongs to.
CONTINUED: Final = "_****_"
_RULE: Final = "---"
_COMMAND: Final = "```bash"
_DIFFERENCE: Final = "```diff"
_BEGINNINGS: Final = (_COMMAND, _DIFFERENCE, "<details>", "Tool call timed out")
_NAMED: Final = "Tool use: **"  # it is a block then
_SUMMARY: Final = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
# How a line begins by which a shell or a program says that it failed.
_FAILED: Final = re.compile(
    r"^(?:error: |fatal: |zsh: |bash: |Traceback \(most|\S*python\S*: No module named)", re.MULTILINE | re.IGNORECASE
)
_FILE: Final = re.compile(r"(?<![\w./-])(?:[\w.-]+/)*[\w-]{2,}(?:\.[\w-]+)*\.[A-Za-z]\w{0,3}(?![\w/-])")


def begins(rows: Sequence[str], index: int) -> bool:
    """Whether a part at a row, behind a rule, is a tool's."""
    if not rows[index].startswith(_BEGINNINGS) or _NAMED in "\n".join(rows[index : index + 3]):
        return False
    before = index - 1
    while before >= 0 and not rows[before].strip():
        before -= 1
    return before >= 0 and rows[before].strip() == CONTINUED


def end(rows: Sequence[str], index: int) -> int:
    """The last row of the part: before the rule that the next one follows."""
    last = index
    while last + 1 < len(rows) and not _is_cut(rows, last + 1):
        last += 1
    return last


def _is_cut(rows: Sequence[str], index: int) -> bool:
    if rows[index] != _RULE:
        return False
    return next((row.strip() == CONTINUED for row in rows[index + 1 : index + 4] if row.strip()), False)


class Names:
    """The files that were read so far, by their names: a text calls a file of a folder by its name alone."""

    def __init__(self) -> None:
        self._paths: dict[str, set[str]] = {}

    def note(self, path: str) -> None:
        """A file was read."""
        self._paths.setdefault(path.rpartition("/")[2], set()).add(path)

    def path(self, name: str) -> str:
        """The path of the file that a text calls `name`: itself unless one file of that name was read."""
        known = self._paths.get(name, ())
        return next(iter(known)) if len(known) == 1 else name


def used(rows: Sequence[str], said: Sequence[str], names: Names) -> Used | None:
    """The tool of a part, what it did and what came of it. A difference names no file: it is of the one that the words
    before it, `said`, name, if they name no other. How a command ended is unknown unless what it printed tells. None of
    a call that timed out: nobody knows of what.
    """
    if rows[0].startswith(_COMMAND):
        command, _, printed = "\n".join(rows[1:]).partition("\n```")
        ended = outcome(_unfenced(printed))
        if ended.outcome == "ok":
            ended = ended._replace(outcome="error" if _FAILED.search(ended.text) else "interrupted")
        return Used("run_terminal_cmd", (Run(command.strip()),), ended)
    if rows[0].startswith(_DIFFERENCE):
        named = set(_FILE.findall("\n".join(said)))
        removed = "\n".join(row[2:] for row in rows[1:] if row.startswith("-"))  # a blank stands behind each sign
        added = "\n".join(row[2:] for row in rows[1:] if row.startswith("+"))
        action = Edit(names.path(named.pop()), removed, added) if len(named) == 1 else Other("")
        return Used("edit_file", (action,), Outcome())
    told = _SUMMARY.search("\n".join(rows))
    text = " ".join(told[1].replace("*", "").split()) if told else ""
    return Used("tool", (Other(text),), Outcome()) if text else None


def _unfenced(text: str) -> str:
    rows = text.strip("\n").split("\n")
    return "\n".join(row for row in rows if row.rstrip() != "```").strip()
