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
from clew.distill.ran import Ran
from clew.distill.tree import Change

_REMEMBERED_MAX = 4
_READ_CHARS = 20_000
_NOT_THERE = re.compile(
    r"command not found|No module named|not recognized as|No such file or directory|executable file not found"
    r"|Unknown command"
)
# Words that tell of the environment, and not of what was asked of it: a program, an option, a right is not there.
_OF_ENVIRONMENT = re.compile(
    r"(?:un(?:known|recogni[sz]ed|supported)|invalid|illegal|ambiguous)[ :]+(?:option|argument|flag|subcommand)"
    r"|no such |not (?:installed|supported|available|recognized)|requires? |ERESOLVE|externally-managed"
    r"|permission denied|EACCES|EPERM|not permitted|cannot find (?:module|package|the)|could not find"
    r"|unable to (?:find|locate|resolve)|version|read-only|no space|not enough|dubious ownership|certificate|must be"
    r"|missing",
    re.IGNORECASE,
)
# A call that a rule kept from running, where a client tells of it as of a failure.
_REFUSED = re.compile(r"hook error:|blocked by|permission to use|approval (?:policy|required)|requires approval", re.I)
# What passes by itself (another process, the network, the time), and a shell that could not read the line, which is a
# slip of the hand. Neither says anything of the environment.
_PASSING = re.compile(
    r"\block(?:ed|file)?\b|\.lock\b|timed?[ -]?out|deadline exceeded|\bETIMEDOUT|\bECONN|\bEAI_AGAIN|network"
    r"|could not resolve|connection (?:refused|reset|closed)|temporar(?:y|ily)|rate limit|too many requests"
    r"|\b(?:429|502|503|504)\b"
    r"|resource busy|text file busy|already in use|unmatched |syntax error near|parse error near|unexpected EOF while"
    r"|unterminated quoted",
    re.IGNORECASE,
)
# How a check that really ran tells that the code, not the command, is wrong.
_HAS_RESULT = re.compile(r"(?m)^(?:FAIL(?:ED)?\b|---)|\b[1-9]\d* (?:fail(?:ed|ing|ures?)|errors?|problems?|issues?)\b")
_TASK = re.compile(r"[a-z][a-z-]*")


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
        self._failing: list[Ran] = []

    def take(self, ran: Ran, checks: Checks) -> None:
        """Remember a failing line; when a changed form works with no edit in between, that is a fact.

        The check that never ran because of it is dropped from `checks`.
        """
        if not _acting(ran.parts) or _is_scratch(ran):
            return
        if not ran.ok:
            self._failing.append(ran)
            del self._failing[:-_REMEMBERED_MAX]
            return
        for position in range(len(self._failing) - 1, -1, -1):
            failing = self._failing[position]
            seen = failing.ended <= ran.began  # else nobody had seen it fail
            if seen and failing.command != ran.command and _is_variant(failing, ran):
                del self._failing[position:]
                error = outcomes.error_line(failing.text)
                if error and _is_of_environment(failing.text):
                    self.found.append(
                        Fix(one_line(failing.command), one_line(error), one_line(ran.command), failing.event)
                    )
                    checks.forget(failing)
                return

    def edited(self) -> None:
        """A file was changed: what works from now on may work because of that."""
        self._failing.clear()


def _is_variant(failing: Ran, working: Ran) -> bool:
    """Whether two lines are two tries at the same thing, of which only the first cannot work here: two checks of one
    kind where the first one's program is not there, else the same task of the same program in other words. The same
    words again are a flaky command, not another one.
    """
    first, second = _acting(failing.parts)[0], _acting(working.parts)[0]
    is_missing = _NOT_THERE.search(failing.text[-_READ_CHARS:]) is not None
    if first.purpose != second.purpose or first.purpose == "commit":
        return False
    if first.purpose in purposes.CHECKS and (is_missing or _HAS_RESULT.search(failing.text[-_READ_CHARS:])):
        return is_missing
    mine, theirs = set(first.words), set(second.words)
    if first.words == second.words:
        return is_missing
    shared = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
    return first.words[0] == second.words[0] and shared >= 0.5 and not _is_another_task(first, second)


def _is_of_environment(text: str) -> bool:
    """Whether a command that failed says so of what is there, and not of the code, a rule or the moment."""
    text = text[-_READ_CHARS:]
    is_here = _NOT_THERE.search(text) or _OF_ENVIRONMENT.search(text)
    return is_here is not None and _REFUSED.search(text) is None and not passes_by_itself(text)


def _is_scratch(ran: Ran) -> bool:
    """Whether a line is about what is only tried out: it names a scratch folder, or goes to one."""
    words = [word for part in ran.parts for word in part.words]
    return any(word.startswith(_SCRATCH) or "mktemp" in word for word in words)


_SCRATCH = ("/tmp/", "/private/tmp/", "/var/folders/", "/var/tmp/", "$TMPDIR", "$(mktemp")


def _is_another_task(one: Command, other: Command) -> bool:
    """Whether a program is told to do something else: `go build`, `go vet`; but `npm test`, `npm run test`."""
    first, second = one.words[1:2], other.words[1:2]
    named = all(_TASK.fullmatch(word) for word in (*first, *second))
    return bool(first and second and named and first[0] not in other.words and second[0] not in one.words)


def _acting(parts: list[Command]) -> list[Command]:
    return [part for part in parts if part.purpose != "look"]


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
