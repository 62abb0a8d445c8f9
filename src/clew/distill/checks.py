"""The checks that a session ran: tests, linters, builds, each with how its last run went."""

import re

from clew.core.text import one_line
from clew.core.tuples import NamedTuple
from clew.distill import commands
from clew.distill.commands import Simple
from clew.distill.ran import Ran

# Where an output went: that says nothing of the check, and the file is gone by the next session.
_SENT = re.compile(r"(?:\s+(?:\d|&)?(?:>>?|<)(?:&\d|\s*[^\s\"'&|<>]+))+$")


class Check(NamedTuple):
    """The last run of one check. `command` is as typed, without the redirections at its end. `stale`: what changed
    files after it (the last edit, the end of a rebase), "" nothing. `error`: what a failed one said first.
    """

    command: str
    purpose: str
    outcome: commands.Outcome
    stale: str
    error: str
    event: int


class Checks:
    """The last run of each check. One check is known by its words without wrappers, variables and redirections."""

    def __init__(self) -> None:
        self._last: dict[str, Check] = {}

    def take(self, ran: Ran) -> None:
        """Read one shell line that came to its end."""
        outcomes = {
            number: commands.outcome(ran.parts, number, ran.text, exit_ok=ran.ok)
            for number, part in enumerate(ran.parts)
            if part.purpose in ("test", "lint", "build")
        }
        said = commands.error_line(ran.text) if "failed" in outcomes.values() else ""
        for number, outcome in outcomes.items():
            part = ran.parts[number]
            error = said if outcome == "failed" else ""
            self._last[_key(part)] = Check(
                _SENT.sub("", one_line(part.text)), part.purpose, outcome, "", error, ran.event
            )

    def forget(self, ran: Ran) -> None:
        """Drop what is known from this line only: it never ran, so it says nothing about the work."""
        for part in ran.parts:
            check = self._last.get(_key(part))
            if check is not None and check.event == ran.event:
                del self._last[_key(part)]

    def all(self, *, last_edit: int, last_rebase: int) -> tuple[Check, ...]:
        """All checks in the order of their last runs. Both arguments index the events, -1 if there was none."""
        checks = []
        for check in self._last.values():
            since = "the last edit" if check.event < last_edit else "the end of the rebase"
            is_stale = check.event < max(last_edit, last_rebase)
            checks.append(check._replace(stale=since) if is_stale else check)
        return tuple(sorted(checks, key=lambda check: check.event))


def _key(part: Simple) -> str:
    return " ".join(part.words)
