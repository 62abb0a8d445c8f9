"""The checks that a session ran: tests, linters, builds, each with how its last run went."""

import re
from typing import NamedTuple

from clew.core.gate.shell import purposes
from clew.core.gate.shell.outcomes import Outcome, error_line, outcome, signs
from clew.core.gate.shell.words import program
from clew.core.text.cleaning import one_line
from clew.core.validation.first_failure import first_failure
from clew.distill.shell_lines import Ran

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


# Programs that hand on some of the lines which a check prints; those that pick may leave out what tells a failure.
_FILTERS = frozenset(["tail", "head", "tee", "cat"])
_PICKING = frozenset(["grep", "egrep", "rg"])


# The last word of a project's own script: "VERIFY OK".
_VERDICT = r"(?m)^\W*(?:[A-Z][A-Z-]+:? )+(OK|PASS(?:ED)?|SUCCESS|FAIL(?:ED|URE)?)\W*$"


def _in_own_words(ran: Ran, number: int) -> Outcome:
    """How the one check of a line went by its runner's words, of which the pipes behind it have left some."""
    rest = ran.parts[number + 1 :]
    heads = [program(part.words[0]) for part in rest]
    is_whole = all("fail" in part.text.lower() for part, head in zip(rest, heads, strict=True) if head in _PICKING)
    are_filters = _FILTERS | _PICKING >= {*heads} and {part.joined_by for part in ran.parts[number:-1]} == {"|"}
    is_alone = {program(part.words[0]) for part in ran.parts[:number]} <= {"cd", "export"} and not ran.parts[
        -1
    ].joined_by
    if not (rest and are_filters and is_alone and is_whole) or ran.parts[number].purpose != "test":
        return "hidden"
    if said := re.search(_VERDICT, ran.text):
        return "failed" if said[1].startswith("FAIL") else "passed"
    return signs(ran.text, is_test=True, is_whole=False) or "hidden"


def _first_failure(text: str) -> str:
    """The test that failed first and what it said; of other checks what they said."""
    found = first_failure(text)
    test, _, said = found.test.partition(" - ")  # a summary of pytest's tells both
    said = said or one_line(found.message.strip().split("\n", 1)[0] if found.runner else error_line(text))
    return f"{test}: {said}" if test and test not in said else said


# Options that change what a check prints or how fast it is, and not what it is of.
_SHOWING = re.compile(
    r"-[qvsxn]+\d*|-j\d*|auto|-count=1|-race|--|--(?:quiet|verbose|silent|tb|colou?r|maxfail|exitfirst|no-\w+|short|ci)\b.*"
)


class Checks:
    """The last run of each check. One check is known by its words without wrappers, variables and redirections, and by
    the folder that it ran in.
    """

    def __init__(self) -> None:
        self._last: dict[tuple[str, tuple[str, ...]], Check] = {}

    def take(self, ran: Ran) -> list[Check]:
        """Read one shell line that came to its end, or whose end is not known; the checks in it."""
        found = []
        for number, part in enumerate(ran.parts):
            if part.purpose not in purposes.CHECKS:
                continue
            went = outcome(ran.parts, number, ran.text, exit_ok=ran.ok)
            went = _in_own_words(ran, number) if went == "hidden" else went
            said = _first_failure(ran.text) if went == "failed" else ""
            check = Check(_SENT.sub("", one_line(part.text)), part.purpose, went, "", said, ran.event)
            self._last[ran.folders[number], part.words] = check
            found.append(check)
        return found

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
    """Whether a check is of all that another one is of: the same command with no other words than that one has, options
    aside, or with places that hold those of the other (`./...`, a folder).
    """
    (folder, words), (other, own) = wide, narrow
    return (folder, words[0]) == (other, own[0]) and all(
        word in own
        or _SHOWING.fullmatch(word) is not None
        or (word[-1] in "/." and any(one.startswith(word.rstrip(".")) for one in own[1:]))
        for word in words
    )
