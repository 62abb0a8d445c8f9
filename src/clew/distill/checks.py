"""The checks that a session ran: tests, linters, builds, each with how its last run went."""

import re
from typing import NamedTuple

from clew.core.gate.shell import purposes
from clew.core.gate.shell.outcomes import Outcome, error_line, outcome
from clew.core.gate.shell.words import program
from clew.core.text.cleaning import one_line
from clew.core.validation.first_failure import first_failure
from clew.distill.ran import Ran

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


# Programs that hand on some of the lines which a check prints. Of these `grep` may leave out those that tell a failure.
_FILTERS = frozenset(["tail", "head", "tee", "cat", "grep", "egrep", "rg", "sed", "awk", "cut", "sort", "uniq", "tr"])
_PICKING = frozenset(["grep", "egrep", "rg", "sed", "awk"])
_AROUND = frozenset(["cd", "pushd", "export", "set", "source", ".", "mkdir", "sleep"])
# Summaries: what failed is told beside what passed.
_SAYS_FAILED = r"\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|^\W*(?:[A-Z]+ )*(?:FAIL(?:ED|URE)?)\b"
_SAYS_PASSED = r"\b[1-9]\d* passed\b.{0,80} in [\d.]+ ?m?s"
_SAYS_WELL = r"\b[1-9]\d* (?:tests? )?(?:passed|passing)\b|^\W*(?:[A-Z][A-Z-]+:? )+(?:OK|PASS(?:ED)?|SUCCESS)\W*$"


def _in_own_words(ran: Ran, number: int) -> Outcome:
    """How the one check of a line went by the words that are left of it behind pipes which hide its exit status."""
    behind = [part for part, before in zip(ran.parts[number + 1 :], ran.parts[number:], strict=False)
              if before.joined_by == "|"]  # fmt: skip
    others = [part for at, part in enumerate(ran.parts) if at != number and part not in behind]
    is_alone = all(program(part.words[0]) in _AROUND for part in others) and ran.parts[-1].joined_by != "&"
    is_filtered = behind and all(program(part.words[0]) in _FILTERS for part in behind)
    if not is_alone or not is_filtered or ran.parts[number].purpose != "test":
        return "hidden"
    if re.search(_SAYS_FAILED, ran.text, re.MULTILINE):
        return "failed"
    picks = [part.text for part in behind if program(part.words[0]) in _PICKING]
    is_whole = all("fail" in text.lower() for text in picks)
    says_well = re.search(_SAYS_WELL if is_whole else _SAYS_PASSED, ran.text, re.MULTILINE)
    return "passed" if says_well else "hidden"


def _first_failure(text: str) -> str:
    """The test that failed first and what it said; of other checks what they said."""
    found = first_failure(text)
    said = one_line(found.message.strip().split("\n", 1)[0] if found.runner else error_line(text))
    return f"{found.test}: {said}" if found.test and found.test not in said else said


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
