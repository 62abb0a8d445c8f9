"""Claims about checks: that a command ran, how it went, what it counted, before or after the last edit. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from clew.app.proof.anchors import WORD_FIRST, anchors_in, normal, plain, words_of
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
_AFTER_FILE: Final = re.compile(
    r"\b(?:after|since) (?:the |my )?(?:last )?(?:changes?|edits?|fix) (?:of|to|in) `?([\w./-]+\w)`?", re.IGNORECASE
)
_AGAIN: Final = re.compile(r"\bre-?(?:run|ran|tested|checked)\b|\bagain\b|\b(?:since|after)\b|\byet\b", re.IGNORECASE)
_MIXED: Final = re.compile(
    r"\b(?:then|but|except|until|earlier|before|previously|was|were|at first|initially|now|without|first|"
    r"once|fixed|resolved|pre-?existing|flaky)\b|->|→",
    re.IGNORECASE,
)
_STALE: Final = ", before the last edit"
_NONE: Final = re.compile(r"\b(?:no|0|zero|without) (warnings?|errors?|failures?|failed|problems?|issues?)\b", re.I)
_PASSED: Final = "passed pass passes passing green ok okay clean succeeded succeeds success successful successfully 0"
_FAILED: Final = "failed fail fails failing failures red broken"
_NOT_RUN: Final = "not never run ran executed untested yet"
# What stands beside a number that counts these, as patterns.
_UNITS: Final[Mapping[str, str]] = {
    "passed": r"test|pass|ok\b|ran\b|collected|spec|example|case|total|assert|suite|check|succe",
    "failed": r"fail|error|problem|issue|violation|✗|✖",
    "warned": r"warn",
    "skipped": r"skip|xfail|ignored|pending|deselect",
}
# What starts a check of the project's own.
_RUNNERS: Final = frozenset(
    "make just npm pnpm yarn bun task go cargo gradle gradlew mvn rake npx uv poetry dotnet mix".split()
)
# How a run is told of that began, and of which nobody saw the end.
_ENDLESS: Final = re.compile(
    r"\b(?:no (?:result|end|output|answer)|(?:result|outcome)s? (?:is |are )?(?:not )?(?:un)?known|unknown|"
    r"unfinished|(?:not|never|n.t) (?:finish|end|return|complete)\w*|(?:still|was) running|interrupted|hung|hangs)\b",
    re.IGNORECASE,
)
_SPAN: Final = re.compile(r"`([^`]+)`")


class ClaimedRun(NamedTuple):
    """A run that a claim speaks of. `outcome` as `outcomes.Outcome`; `stale`: code was edited after it; `followed`: any
    project file was. `rank`: 0 it ran as the claim has it; 1 with the same words; 2 with more.
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
    sayings = _sayings(claim, text, record)
    has_given = any(one.kind == "check" for one in claim.evidence)
    # Under a heading that says nothing, a command with its outcome is a check all the same.
    if not record.known or not (has_given or claim.kind in ("validation", "finding", "step")):
        return
    told = check_status(text) if claim.kind in ("step", "finding") else claim.status
    status = told.partition(",")[0]
    if has_given and not status:  # how the work stands is shown by what went well
        status = "passed" if claim.kind == "step" else "ran"
    for name, runs, said in reversed(sayings):  # how several went may be told behind the last
        own = check_status(said).partition(",")[0]
        if _ENDLESS.search(said) and own != "passed" and _began(name, runs, record):
            yield ClaimPart("anchored", f"{name} began, and has no end in the record")
            continue
        status = (own if len(sayings) > 1 else "") or status
        yield from _part(name, runs, said, status, record)
        if claim.status.endswith(_STALE) and runs and not runs[-1].followed:
            yield ClaimPart("anchored", f"{name} did not run before the last edit, but after it", doubtful=True)


def restated(claim: Claim, text: str, record: RecordFacts) -> Claim:
    """The claim with its status as of the last edit: a check that ran before it says so."""
    status, mark, _ = claim.status.partition(_STALE)
    if claim.kind != "validation" or status not in ("passed", "failed"):
        return claim
    last = [runs[-1] for _, runs, _ in _sayings(claim, text, record) if runs]
    if not last or all(run.followed for run in last) == bool(mark):
        return claim
    text, why = _WHEN.sub("", claim.text), _WHEN.sub("", claim.why).strip(" ,;")
    return claim._replace(text=text, why=why, status=status if mark else status + _STALE)


def _sayings(claim: Claim, text: str, record: RecordFacts) -> list[tuple[str, tuple[ClaimedRun, ...], str]]:
    """The check that a claim gives as its evidence, else those that its text names as code, in their order, else all
    tests where it counts some: how it is called, its runs, and what is said of it, the words up to the next one.
    """
    given = [one.text for one in claim.evidence if one.kind == "check"]
    if given:
        return [(" and ".join(f"`{one}`" for one in given), _runs_of(" && ".join(given), record), text)]
    spans = [span for span in _SPAN.finditer(text) if _is_check(span[1])]
    if not spans and any(one.group == "passed" for one in anchors_in(text)):  # of tests at all
        splits = ((ran, enumerate(purposes.split(ran.command))) for ran in record.ran)
        tested = ((ran, [at for at, part in each if part.purpose == "test"]) for ran, each in splits)
        runs = tuple(_run(ran, numbers, 2, record) for ran, numbers in tested if numbers)
        return [("a test", runs, text)] if runs else []
    ends = [span.start() for span in spans[1:]] + [len(text)]
    starts = [span.start() for span in spans] if len(spans) > 1 else [0]
    each = zip(spans, starts, ends, strict=False)
    return [(span[0], _runs_of(span[1], record), text[start:end]) for span, start, end in each]


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
        after = _AFTER_FILE.search(said)
        if after and any(at > runs[-1].event and f"/{path}".endswith(f"/{after[1]}") for path, at in record.edits):
            yield ClaimPart("contradicted", f"{after[1]} was edited after the last run of `{runs[-1].command}`")
        yield from _counts(said, runs, record)


def _began(name: str, runs: tuple[ClaimedRun, ...], record: RecordFacts) -> bool:
    """Whether a command began once more behind its last run, and the record has no end of that."""
    return any(normal(name) in line and at > (runs[-1].event if runs else -1) for line, at in record.endless)


def _as_it_ran(outcome: ClaimPart, name: str, said: str, last: ClaimedRun) -> ClaimPart:
    """A proof with the words that it accounts for; none, but an anchor, where another command than the told one ran."""
    if last.rank:
        return ClaimPart("anchored", f"{outcome.reason}, which is only part of the claim")
    counts = [anchor for anchor in anchors_in(said) if anchor.kind == "count"]
    unknown = {one.digits for one in counts if int(one.digits) not in counts_in(last.text, one.group)}
    how = [_FAILED] if last.outcome == "failed" else [_PASSED, *(none[0] for none in _NONE.finditer(said))]
    if last.outcome != "failed" and "warn" in plain(last.text):
        how = [one for one in how if "warn" not in one]
    numbers = {*(one.digits for one in counts), *(word for word in words_of(last.text) if word[0].isdigit())}
    return outcome._replace(covers=" ".join((name, *how, *(numbers - unknown))))


def _outcome(status: str, said: str, runs: tuple[ClaimedRun, ...]) -> ClaimPart:
    last = runs[-1]
    went = {"vacuous": "ran no test", "hidden": "ran, and proves no outcome"}.get(last.outcome, last.outcome)
    if last.rank > 1 and (last.outcome == "failed") != (status == "failed"):
        return ClaimPart("anchored", f"only `{last.command}` ran, not this alone", doubtful=True)
    if status not in ("passed", "failed") or last.outcome == "hidden":
        return ClaimPart("anchored", f"`{last.command}` {went}")
    if _AFTER.search(said) and last.stale and status == last.outcome == "passed":
        return ClaimPart("contradicted", f"files were edited after the last run of `{last.command}`")
    if status == last.outcome:
        return ClaimPart("proved", f"`{last.command}` {went}" + (_STALE if last.followed else ""))
    is_mixed = _MIXED.search(said) or AMISS.search(said)
    is_past = is_mixed and (status == "failed" or any(run.outcome == "passed" for run in runs))
    return ClaimPart("anchored" if is_past else "contradicted", f"the last run of `{last.command}` {went}")


def _counts(said: str, runs: tuple[ClaimedRun, ...], record: RecordFacts) -> Iterator[ClaimPart]:
    """Numbers of tests and errors must be those of the last run, or of an earlier one that the claim compares it to."""
    others = record.ran if _MIXED.search(said) else [run for run in runs if not run.followed]
    for anchor in (one for one in anchors_in(said) if one.kind == "count"):
        last = counts_in(runs[-1].text, anchor.group)
        if last and not any(int(anchor.digits) in counts_in(run.text, anchor.group) for run in (runs[-1], *others)):
            yield ClaimPart("contradicted", f"“{anchor.text}”: the last run of `{runs[-1].command}` says {last[0]}")


def counts_in(text: str, group: str) -> tuple[int, ...]:
    """The numbers that a command's output gives for what is counted ("passed", "failed" …), and their sum."""
    units = _UNITS[group]
    number, others = r"(\d{1,7})(?!\d|\.\d)", "|".join(words for name, words in _UNITS.items() if name != group)
    # Behind those the numbers that belong to another word, in this order or that.
    pairs = re.findall(
        rf"(?<![\d.]){number}[ \t]+(?:tests? |of \d+ )?(?:{units})|(?:{units})\w*[:=( ]+{number}"
        rf"|\d{{1,7}}[ \t]+(?:tests? |of \d+ )?(?:{others})\w*|{WORD_FIRST}\d+",
        plain(text),
    )
    found = [int(one or other) for one, other in pairs if one or other]
    return (*found, sum(found)) if len(found) > 1 else tuple(found)


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
            ranks[run.rank].append(run._replace(outcome="failed") if is_whole and not ran.ok else run)
    runs = next((tuple(some) for some in ranks if some), ())
    each = [_runs_of(part.text, record)[-1:] for part in parts] if not runs and len(parts) > 1 else []
    if each and all(each):  # they ran one by one, and nobody typed them so
        single = sorted((some[0] for some in each), key=lambda run: run.event)
        outcome, text = _of_all({run.outcome for run in single}), "\n".join(run.text for run in single)
        return (single[0]._replace(outcome=outcome, text=text, rank=1),)
    return runs


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
    outcome = "hidden" if is_look else _of_all(each)
    command = " && ".join(ran.parts[number][0] for number in sorted(numbers))
    later = [path for path, at in record.edits if at > ran.event]
    is_stale = any(not path.endswith(PROSE_FILES) for path in later)
    return ClaimedRun(command, outcome, is_stale, bool(later), ran.event, ran.text, rank)
