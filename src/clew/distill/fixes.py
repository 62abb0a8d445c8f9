"""Commands that fail in this environment, paired with the variant that works, and edits that a check refuted: what each
new session finds out again.
"""

import re
from typing import NamedTuple

from clew.core.gate.shell import outcomes, purposes
from clew.core.gate.shell.cut import Command
from clew.core.records.file_names import PROSE_FILES
from clew.core.text.cleaning import one_line
from clew.distill.checks import Check, Checks
from clew.distill.shell_lines import Ran
from clew.distill.tree import Change

_REMEMBERED_MAX = 4
_READ_CHARS = 20_000
_NOT_THERE = (
    r"command not found|No module named|not recognized as|No such file or directory|executable file not found"
    r"|Unknown command"
)
# Words that tell of the environment, and not of what was asked of it: a program, an option, a right is not there.
_OF_ENVIRONMENT = re.compile(
    rf"{_NOT_THERE}|(?:un(?:known|recogni[sz]ed|supported)|invalid|illegal|ambiguous)[ :]+(?:option|argument|flag)"
    r"|no such |not (?:installed|supported|available)|requires? |ERESOLVE|externally-managed|permission denied|EACCES"
    r"|EPERM|not permitted|cannot find (?:module|package|the)|unable to (?:find|locate|resolve)|version|read-only"
    r"|dubious ownership|certificate|must be|missing",
    re.IGNORECASE,
)
# What passes by itself (another process, the network, the time), a slip of the hand, a rule that kept it from running.
_PASSING = re.compile(
    r"\block(?:ed|file)?\b|\.lock\b|timed?[ -]?out|deadline exceeded|\bETIMEDOUT|\bECONN|\bEAI_AGAIN|network"
    r"|could not resolve|connection (?:refused|reset|closed)|temporar(?:y|ily)|rate limit|too many requests"
    r"|\b(?:429|502|503|504)\b|resource busy|text file busy|already in use|unmatched |syntax error near"
    r"|parse error near|unexpected EOF while|unterminated quoted"
    r"|hook error:|blocked by|permission to use|approval (?:policy|required)|requires approval",
    re.IGNORECASE,
)
_SCRATCH = ("/tmp/", "/private/tmp/", "/var/folders/", "/var/tmp/", "$TMPDIR", "$(mktemp")


class Fix(NamedTuple):
    """A command that fails in this environment, what it said, and the variant that works.

    For a file that is not where it was looked for, both are paths and `error` is "".
    """

    failing: str
    error: str
    working: str
    event: int


def passes_by_itself(text: str) -> bool:
    """Whether what a command or tool said tells of trouble that is over by the next try."""
    return _PASSING.search(text[-_READ_CHARS:]) is not None


class Fixes:
    """The pairs found so far, and the last failures that are still without one."""

    def __init__(self) -> None:
        self.found: list[Fix] = []
        self._failing: list[tuple[Ran, Command]] = []

    def take(self, ran: Ran, checks: Checks) -> None:
        """Remember a failing line that speaks of the environment; when another form of it works with no edit in
        between, that is a fact. The check that never ran because of it is dropped from `checks`.
        """
        parts = [part for part in ran.parts if part.purpose != "look"]
        if not parts or any(word.startswith(_SCRATCH) for part in ran.parts for word in part.words):
            return
        if not ran.ok:
            self._failing = [*self._failing, (ran, parts[0])][-_REMEMBERED_MAX:]
            return
        for failing, part in reversed(self._failing):
            if failing.ended <= ran.began and failing.command != ran.command and _is_variant(failing, part, parts[0]):
                self._failing.clear()
                said = failing.text[-_READ_CHARS:]
                if (error := one_line(outcomes.error_line(failing.text))) and _OF_ENVIRONMENT.search(said):
                    self.found.append(Fix(one_line(failing.command), error, one_line(ran.command), failing.event))
                    checks.forget(failing)
                return

    def edited(self) -> None:
        """A file was changed: what works from now on may work because of that."""
        self._failing.clear()


def _is_variant(failing: Ran, first: Command, second: Command) -> bool:
    """Whether two commands are two tries at the same thing, of which the first cannot work here: two checks of one kind
    where the first one's program is not there, else the same task of a program in other words.
    """
    said = failing.text[-_READ_CHARS:]
    if first.purpose != second.purpose or first.purpose == "commit" or passes_by_itself(said):
        return False
    if first.purpose in purposes.CHECKS:
        if re.search(_NOT_THERE, said):
            return True
        if outcomes.signs(said, is_test=first.purpose == "test", is_whole=False):  # it ran
            return False
    return first.words[:2] == second.words[:2] and first.words != second.words


class DeadEnd(NamedTuple):
    """Edits that a check refuted and that were replaced: a line that they put in, the check and what that said."""

    files: tuple[str, ...]
    tried: str
    check: str
    error: str
    event: int


_LINE_CHARS_MIN = 6  # a shorter one (`else:`, `}`) stands everywhere


class Attempts:
    """Edits, the checks that failed behind them, and which of them were taken out again before the check passed."""

    def __init__(self) -> None:
        self.dead: list[DeadEnd] = []
        self._open: list[Change] = []  # edited since the last check
        self._refuted: list[tuple[Change, Check]] = []
        self._replaced: list[tuple[Change, Check]] = []

    def edited(self, change: Change) -> None:
        """An edit of a project file was made."""
        taken = _own_lines(change.removed, change.added)
        for one in [*self._refuted]:
            put = _own_lines(one[0].added, one[0].removed)
            if one[0].path == change.path and 2 * len(put & taken) > len(put):
                self._refuted.remove(one)
                self._replaced.append(one)
        if not change.path.endswith(PROSE_FILES) and _own_lines(change.added, change.removed):
            self._open.append(change)

    def checked(self, checks: list[Check]) -> None:
        """These checks ran. What passes confirms what stands, and that what it refuted before was wrong."""
        for check in checks:
            if check.outcome == "failed" and check.error:
                self._refuted += [(change, check) for change in self._open]
                self._open = []
            elif check.outcome == "passed":
                mine = [one for one in self._replaced if one[1].purpose == check.purpose]
                for by in dict.fromkeys(by for _, by in mine):
                    changes = [change for change, one in mine if one == by]
                    files = tuple(dict.fromkeys(change.path for change in changes))
                    tried = _first_line(changes[-1])
                    self.dead.append(DeadEnd(files, tried, by.command, by.error, changes[-1].event))
                self._replaced = [one for one in self._replaced if one not in mine]
                self._refuted = [one for one in self._refuted if one[1].purpose != check.purpose]
                self._open = []


def _own_lines(text: str, other: str) -> set[str]:
    """The lines of a text that say something and are not in the other."""
    lines = {line.strip() for line in text.split("\n")} - {line.strip() for line in other.split("\n")}
    return {line for line in lines if len(line) >= _LINE_CHARS_MIN}


def _first_line(change: Change) -> str:
    own = _own_lines(change.added, change.removed)
    return next(line.strip() for line in change.added.split("\n") if line.strip() in own)
