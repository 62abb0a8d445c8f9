"""The checks that a session ran: tests, linters, builds, each with how its last run went."""

import re
from typing import NamedTuple

from clew.core.gate.shell import purposes
from clew.core.gate.shell.outcomes import Outcome, error_line, outcome
from clew.core.text.cleaning import one_line
from clew.distill.ran import Ran
from clew.distill.tree import after_cd

# Where an output went: that says nothing of the check, and the file is gone by the next session.
_SENT = re.compile(r"(?:\s+(?:\d|&)?(?:>>?|<)(?:&\d|\s*[^\s\"'&|<>]+))+$")


class Check(NamedTuple):
    """The last run of one check. `command` is as typed, without the redirections at its end. `stale`: what changed
    files after it (the last edit, the end of a rebase), "" nothing. `error`: what a failed one said first.
    """

    command: str
    purpose: str
    outcome: Outcome
    stale: str
    error: str
    event: int


# Options that change what a check prints or how fast it is, and not what it is of.
_SHOWING = re.compile(
    r"-[qvsxn]+\d*|-j\d*|auto|-count=1|-race|--|--(?:quiet|verbose|silent|tb|colou?r|maxfail|exitfirst|no-\w+|short|ci)\b.*"
)


class Checks:
    """The last run of each check. One check is known by its words without wrappers, variables and redirections, and by
    the folder that it ran in.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._last: dict[tuple[str, tuple[str, ...]], Check] = {}

    def take(self, ran: Ran) -> None:
        """Read one shell line that came to its end, or whose end is not known."""
        outcomes = {
            number: outcome(ran.parts, number, ran.text, exit_ok=ran.ok)
            for number, part in enumerate(ran.parts)
            if part.purpose in purposes.CHECKS
        }
        said = error_line(ran.text) if "failed" in outcomes.values() else ""
        folders = self._folders(ran)
        for number, went in outcomes.items():
            part = ran.parts[number]
            self._last[folders[number], part.words] = Check(
                _SENT.sub("", one_line(part.text)),
                part.purpose,
                went,
                "",
                said if went == "failed" else "",
                ran.event,
            )

    def _folders(self, ran: Ran) -> list[str]:
        """The folder of each command of the line."""
        folders = []
        folder = ran.folder
        for part in ran.parts:
            if part.words[0] in ("cd", "pushd"):
                folder = after_cd(folder, part.words[1:2], self._root)
            folders.append(folder)
        return folders

    def forget(self, ran: Ran) -> None:
        """Drop what is known from this line only: it never ran, so it says nothing about the work."""
        self._last = {key: check for key, check in self._last.items() if check.event != ran.event}

    def all(self, *, last_edit: int, last_rebase: int) -> tuple[Check, ...]:
        """All checks in the order of their last runs, but none that did not pass and that a later pass of a wider one
        settled. Both arguments index the events, -1 if there was none.
        """
        checks = []
        passed = [(key, check) for key, check in self._last.items() if check.outcome == "passed"]
        for key, check in self._last.items():
            if check.outcome != "passed" and any(
                later.event > check.event and _is_wider(wide, key) for wide, later in passed
            ):
                continue
            since = "the last edit" if check.event < last_edit else "the end of the rebase"
            is_stale = check.event < max(last_edit, last_rebase)
            checks.append(check._replace(stale=since) if is_stale else check)
        return tuple(sorted(checks, key=lambda check: check.event))


def _is_wider(wide: tuple[str, tuple[str, ...]], narrow: tuple[str, tuple[str, ...]]) -> bool:
    """Whether a check is of all that another one is of: the same command with fewer words, or with places that hold
    those of the other (`./...`, a folder).
    """
    (folder, words), (other, narrower) = wide, narrow
    if folder != other or words[0] != narrower[0]:
        return False
    mine = [word for word in words if not _SHOWING.fullmatch(word)]
    theirs = [word for word in narrower if not _SHOWING.fullmatch(word)]
    own = [word for word in theirs if word not in mine]
    return all(word in theirs or any(_holds(word, one) for one in own) for word in mine)


def _holds(place: str, path: str) -> bool:
    """Whether a word names a place that holds the one which another word names."""
    if place.startswith("-") or path.startswith("-"):
        return False
    above = place.removesuffix("...").rstrip("/").removeprefix("./")
    is_place = place != above or "/" in place or place == "."
    return is_place and (above in ("", ".") or f"{path.removeprefix('./')}/".startswith((above + "/", above + "::")))
