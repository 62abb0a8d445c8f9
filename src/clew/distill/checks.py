"""The checks that a session ran: tests, linters, builds, each with how its last run went."""

import re
from typing import NamedTuple

from clew.core.gate.shell import purposes
from clew.core.gate.shell.outcomes import Outcome, error_line, outcome
from clew.core.text.cleaning import one_line
from clew.distill.shell_lines import ShellOutcome

# Where an output went: that says nothing of the check, and the file is gone by the next session.
_SENT = re.compile(r"(?:\s+(?:\d|&)?(?:>>?|<)(?:&\d|\s*[^\s\"'&|<>]+))+$")


class CheckRun(NamedTuple):
    """The last run of one check. `command` is as typed, without the redirections at its end. `stale`: what changed
    files after it (the last edit, the end of a rebase), "" nothing. `error`: what a failed one said first. `printed`:
    what one that passed printed where it was the only check of its line, else "".
    """

    command: str
    purpose: str
    outcome: Outcome
    stale: str
    error: str
    event: int
    printed: str = ""

    def tests(self) -> str:
        """How many tests passed, by the runner's own closing lines: "66 tests"; "" where they do not tell."""
        if self.purpose != "test" or not self.printed:
            return ""
        from clew.core.validation.first_failure import tally  # here, as below

        ran = tally(self.printed).ran
        return f"{ran} test{'s' * (ran > 1)}" if ran else ""


def _first_failure(text: str) -> str:
    """The test that failed first and what it said; of other checks what they said."""
    from clew.core.validation.first_failure import first_failure  # here: it reads the outputs of some forty runners

    found = first_failure(text)
    test, _, said = found.test.partition(" - ")  # a summary of pytest's tells both
    said = said or one_line(found.message.strip().split("\n", 1)[0] if found.runner else error_line(text))
    return f"{test}: {said}" if test and test not in said else said


class Checks:
    """The last run of each check. One check is known by its words without wrappers, variables and redirections, and by
    the folder that it ran in.
    """

    def __init__(self) -> None:
        self._last: dict[tuple[str, tuple[str, ...]], CheckRun] = {}

    def take(self, ran: ShellOutcome) -> None:
        """Read the checks of one shell line that came to its end, or whose end is not known."""
        is_alone = sum(part.purpose in purposes.CHECKS for part in ran.parts) == 1
        for number, part in enumerate(ran.parts):
            if part.purpose in purposes.CHECKS:
                went = outcome(ran.parts, number, ran.text, exit_ok=ran.ok)
                said = _first_failure(ran.text) if went == "failed" else ""
                printed = ran.text if is_alone and went == "passed" else ""
                check = CheckRun(_SENT.sub("", one_line(part.text)), part.purpose, went, "", said, ran.event, printed)
                self._last[ran.folders[number], part.words] = check

    def all(self, *, last_edit: int, last_rebase: int) -> list[CheckRun]:
        """All checks in the order of their last runs. Both arguments index the events, -1 if there was none."""
        since = {True: "the last edit", False: "the end of the rebase"}
        checks = [
            one._replace(stale=since[one.event < last_edit] if one.event < max(last_edit, last_rebase) else "")
            for one in self._last.values()
        ]
        return sorted(checks, key=lambda check: check.event)
