"""Claims about checks: that a command ran, how it went, what it counted, before or after the last edit. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from clew.app.proof.anchors import anchors_in, normal, plain, words_of
from clew.app.proof.facts import ClaimPart, Needle, RecordFacts, ShellFact
from clew.core.gate.shell import outcomes, purposes
from clew.core.gate.shell.walker import Command
from clew.core.gate.shell.words import program
from clew.core.records.file_names import PROSE_FILES
from clew.core.state.draft import Claim, Verdict
from clew.documents.draft import AMISS, check_status

_EDIT: Final = r"(?:the |my |our |that |this )?(?:last|latest|final|most recent) (?:edit|change|code change)s?\b"
_AFTER: Final = re.compile(rf"\b(?:after|since|following) {_EDIT}", re.IGNORECASE)
_WHEN: Final = re.compile(
    rf"[\s,;—–(-]*\b(?:re-?run |re-?ran |run |ran )?(?:before|after|since) {_EDIT}\)?", re.IGNORECASE
)
_AGAIN: Final = re.compile(r"\bre-?(?:run|ran|tested|checked)\b|\bagain\b|\b(?:since|after)\b|\byet\b", re.IGNORECASE)
# What is told so is of more runs than the last one.
_MIXED: Final = re.compile(
    r"\b(?:then|but|except|until|earlier|before|previously|was|were|at first|initially|now|without|first|"
    r"once|fixed|resolved|pre-?existing|flaky)\b|->|→",
    re.IGNORECASE,
)
_STALE: Final = ", before the last edit"
_NONE: Final = re.compile(r"\b(?:no|0|zero|without) (?:warnings?|errors?|failures?|failed|problems?|issues?)\b", re.I)
_PASSED: Final = "passed pass passes passing green ok okay clean succeeded succeeds success successful successfully 0"
_FAILED: Final = "failed fail fails failing failures red broken"
_NOT_RUN: Final = "not never run ran executed untested yet"
_NUMBER: Final = re.compile(r"(?<![\d.])\d{1,7}(?!\d|\.\d)")
# What starts a check of the project's own.
_RUNNERS: Final = frozenset(
    "make just npm pnpm yarn bun task go cargo gradle gradlew mvn rake npx uv poetry dotnet mix".split()
)
_SPAN: Final = re.compile(r"`([^`]+)`")


class ClaimedRun(NamedTuple):
    """A run that a claim speaks of. `outcome` as `outcomes.Outcome`, or "endless": nobody saw its end. `stale`: code
    was edited after it; `followed`: any project file was. `rank`: 0 it ran as the claim has it; 1 with the same words;
    2 with more.
    """

    command: str
    outcome: str
    stale: bool
    followed: bool
    event: int
    text: str
    rank: int


def parts(claim: Claim, text: str, record: RecordFacts) -> Iterator[ClaimPart]:
    """What a claim says of checks, against the last runs of them."""
    has_given = any(one.kind == "check" for one in claim.evidence)
    # Under a heading that says nothing, a command with its outcome is a check all the same.
    if not record.known or not (has_given or claim.kind in ("validation", "finding", "step")):
        return
    told = check_status(text) if claim.kind in ("step", "finding") else claim.status
    status = told.partition(",")[0]
    if has_given and not status:  # how the work stands is shown by what went well
        status = "passed" if claim.kind == "step" else "ran"
    checks = _checks(claim, text, record)
    for name, began, said in checks:
        own = check_status(said).partition(",")[0] if len(checks) > 1 else ""
        runs = _with_end(began) if (own or status) in ("passed", "failed") else began
        yield from _part(name, runs, said, own or status, record)
        if len(checks) == 1 or not has_given:
            yield from _counts(said, runs, record)
        if claim.status.endswith(_STALE) and runs and not runs[-1].followed:
            yield ClaimPart("anchored", f"{name} did not run before the last edit, but after it", doubtful=True)


def restated(claim: Claim, text: str, record: RecordFacts) -> Claim:
    """The claim with its status as of the last edit: a check that ran before it says so."""
    status, mark, _ = claim.status.partition(_STALE)
    if claim.kind != "validation" or status not in ("passed", "failed"):
        return claim
    last = [_with_end(runs)[-1] for _, runs, _ in _checks(claim, text, record) if runs]
    if not last or all(run.followed for run in last) == bool(mark):
        return claim
    text, why = _WHEN.sub("", claim.text), _WHEN.sub("", claim.why).strip(" ,;")
    return claim._replace(text=text, why=why, status=status if mark else status + _STALE)


def _checks(claim: Claim, text: str, record: RecordFacts) -> list[tuple[str, tuple[ClaimedRun, ...], str]]:
    """The check that a claim gives as its evidence, else those that its text names as code, in their order, else all
    tests where it counts some: how it is called, its runs, and what is said of it, the words up to the next one.
    """
    given = [one.text for one in claim.evidence if one.kind == "check"]
    if given:
        return [(f"`{one}`", _runs_of(one, record), text) for one in given]
    spans = [span for span in _SPAN.finditer(text) if _is_check(span[1])]
    if not spans and any(one.kind == "count" for one in anchors_in(text)):
        splits = ((ran, enumerate(purposes.split(ran.command))) for ran in record.ran)
        tested = ((ran, [at for at, part in each if part.purpose == "test"]) for ran, each in splits)
        runs = tuple(_run(ran, numbers, 2, record) for ran, numbers in tested if numbers)
        return [("a test", runs, text)] if runs else []
    starts = [0, *(span.start() for span in spans[1:])]
    ends = [*starts[1:], len(text)]
    # How several went may be told behind the last.
    each = [
        (span[0], _runs_of(span[1], record), text[at:end]) for span, at, end in zip(spans, starts, ends, strict=False)
    ]
    if each and not any(check_status(said) for *_, said in each[:-1]):
        each = [(name, runs, each[-1][2]) for name, runs, _ in each]
    return each


def _with_end(runs: tuple[ClaimedRun, ...]) -> tuple[ClaimedRun, ...]:
    """Of several runs those that ended: a claim of an outcome is of these, also where one more began since."""
    return tuple(run for run in runs if run.outcome != "endless") or runs


def _part(name: str, runs: tuple[ClaimedRun, ...], said: str, status: str, record: RecordFacts) -> Iterator[ClaimPart]:
    if status == "not run" and not runs:
        how: Verdict = "anchored" if record.goes_on else "proved"
        yield ClaimPart(how, f"no run of {name} in the record", covers=f"{name} {_NOT_RUN}")
    elif status == "not run":
        yield ClaimPart("anchored" if _AGAIN.search(said) else "contradicted", f"{name} ran")
    elif not runs and status and record.whose(Needle(normal(name))) & {"user", "summary"}:
        yield ClaimPart("anchored", f"{name} did not run here, but was reported", doubtful=True)
    elif not runs and status:
        yield record.absent(f"{name} did not run in the record")
    elif runs:
        outcome = _outcome(status, said, runs)
        yield _as_it_ran(outcome, name, said, runs[-1]) if outcome.verdict == "proved" else outcome


def _as_it_ran(outcome: ClaimPart, name: str, said: str, last: ClaimedRun) -> ClaimPart:
    """A proof with the words that it accounts for; none, but an anchor, where another command than the told one ran."""
    if last.rank:
        return ClaimPart("anchored", f"{outcome.reason}, which is only part of the claim")
    how = [_FAILED] if last.outcome == "failed" else [_PASSED, *(none[0] for none in _NONE.finditer(said))]
    if last.outcome != "failed" and "warn" in plain(last.text):
        how = [one for one in how if "warn" not in one]
    numbers = (word for word in words_of(last.text) if word[0].isdigit())
    return outcome._replace(covers=" ".join((name, *how, *numbers, *map(str, _numbers(last.text)))))


def _outcome(status: str, said: str, runs: tuple[ClaimedRun, ...]) -> ClaimPart:
    last = runs[-1]
    went = {"vacuous": "ran no test", "hidden": "ran, and proves no outcome", "endless": "has no end in the record"}
    reason = f"`{last.command}` {went.get(last.outcome, last.outcome)}"
    if last.outcome == "endless":
        return ClaimPart("unsupported" if status == "passed" and last.rank < 2 else "anchored", reason)
    if last.rank > 1 and (last.outcome == "failed") != (status == "failed"):
        return ClaimPart("anchored", f"only `{last.command}` ran, not this alone", doubtful=True)
    if status not in ("passed", "failed") or last.outcome == "hidden":
        return ClaimPart("anchored", reason)
    if _AFTER.search(said) and last.stale and status == last.outcome == "passed":
        return ClaimPart("contradicted", f"files were edited after the last run of `{last.command}`")
    if status == last.outcome:
        return ClaimPart("proved", reason + (_STALE if last.followed else ""))
    is_mixed = _MIXED.search(said) or AMISS.search(said)
    is_past = is_mixed and (status == "failed" or any(run.outcome == "passed" for run in runs))
    return ClaimPart("anchored" if is_past else "contradicted", f"the last run of {reason}")


def _counts(said: str, runs: tuple[ClaimedRun, ...], record: RecordFacts) -> Iterator[ClaimPart]:
    """Numbers of tests and errors must be those of the last run, or of an earlier one that the claim compares it to."""
    others = [run.text for run in (record.ran if _MIXED.search(said) else runs)]
    last = _numbers(runs[-1].text) if runs else ()
    for anchor in (one for one in anchors_in(said) if one.kind == "count"):
        if last and not any(int(anchor.digits) in _numbers(text) for text in (runs[-1].text, *others)):
            yield ClaimPart("contradicted", f"“{anchor.text}”: the last run of `{runs[-1].command}` says {last[0]}")


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers of a command's output, before them what its runners count in sum."""
    lines = plain(text).split("\n")
    counts = outcomes.counted(lines) or ()
    return tuple(dict.fromkeys((*filter(None, counts), sum(counts), *map(int, _NUMBER.findall("\n".join(lines))))))


def _is_check(code: str) -> bool:
    """Whether a piece of code is a command that checks rather than a name or what one printed."""
    return any(
        part.purpose in ("test", "lint", "build") or (program(part.words[0]) in _RUNNERS and len(part.words) > 1)
        for part in purposes.split(code)
    )


def _runs_of(command: str, record: RecordFacts) -> tuple[ClaimedRun, ...]:
    """The runs of all commands of a shell line: as they are typed, else with the same words but for options, else with
    more words than they have, the first of these that there are; else the last run of each, as one.
    """
    parts = [part for part in purposes.split(command) if program(part.words[0]) != "cd"]
    ranks: tuple[list[ClaimedRun], ...] = ([], [], [])
    for ran in record.ran if parts else ():
        found = [_match(part, ran) for part in parts]
        if all(one is not None for one in found):
            matched, is_whole = dict(filter(None, found)), normal(ran.command) == normal(command)
            run = _run(ran, matched, 0 if is_whole else max(matched.values()), record)
            ranks[run.rank].append(run._replace(outcome="failed") if is_whole and ran.ended and not ran.ok else run)
    return next((tuple(some) for some in ranks if some), ())


def _match(part: Command, ran: ShellFact) -> tuple[int, int] | None:
    """Which of the commands that ran a told one is, as its number and rank."""
    typed, wanted = normal(part.text), words_of_part(part)
    found = []
    for number, (text, there) in enumerate(ran.parts):
        if text == typed or there == wanted:
            found.append((int(text != typed), number))
        elif wanted <= there | {word.rpartition("/")[2] for word in there}:
            found.append((1 if len(wanted) == 1 else 2, number))
    rank, number = min(found, default=(0, -1))
    return (number, rank) if found else None


def _of_all(outcomes: set[str]) -> str:
    return "failed" if "failed" in outcomes else next(iter(outcomes)) if len(outcomes) == 1 else "hidden"


def words_of_part(part: Command) -> frozenset[str]:
    """The words of a command that tell it from others."""
    words = (word for word in part.words if not word.startswith("-") and "=" not in word)
    plain = [normal(word).strip("'\"").rstrip("/") for word in words]
    kept = [word for word in plain if word not in ("run", "...", "", ".", "./...")]
    return frozenset(kept or plain)


def _run(ran: ShellFact, numbers: Iterable[int], rank: int, record: RecordFacts) -> ClaimedRun:
    """What became of some of the commands of a shell line."""
    split = purposes.split(ran.command)
    each: set[str] = {outcomes.outcome(split, number, ran.text, exit_ok=ran.ok) for number in numbers}
    is_look = ran.ok and all(split[number].purpose == "look" for number in numbers)  # as a dry run is
    outcome = "endless" if not ran.ended else "hidden" if is_look else _of_all(each)
    command = " && ".join(ran.parts[number][0] for number in sorted(numbers))
    later = [path for path, at in record.edits if at > ran.event]
    is_stale = any(not path.endswith(PROSE_FILES) for path in later)
    return ClaimedRun(command, outcome, is_stale, bool(later), ran.event, ran.text, rank)
