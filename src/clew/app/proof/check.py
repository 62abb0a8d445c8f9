"""Claims about checks: that a command ran, how it went, what it counted, before or after the last edit. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import anchors_in, normal, plain
from clew.app.proof.beside import words_of
from clew.app.proof.facts import Needle, Part, RecordFacts
from clew.app.proof.runs import Mention, Run, mentions, names_command
from clew.app.proof.scan import counts_in
from clew.core.state.draft import Claim, Verdict
from clew.documents.draft import check_status

_EDIT: Final = r"(?:the |my |our |that |this )?(?:last|latest|final|most recent) (?:edit|change|code change)s?\b"
_AFTER: Final = re.compile(rf"\b(?:after|since|following) {_EDIT}", re.IGNORECASE)
_AFTER_CLAUSE: Final = re.compile(
    rf"[\s,;—–(-]*\b(?:re-?run |re-?ran |run |ran )?(?:after|since) {_EDIT}\)?", re.IGNORECASE
)
_BEFORE_CLAUSE: Final = re.compile(rf"[\s,;—–(-]*\b(?:run |ran )?before {_EDIT}\)?", re.IGNORECASE)
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
# Where a claim of another kind tells of a check in passing.
_SPOKEN: Final = re.compile(
    r"(?<!should )(?<!must )\b(?:tests?|suite|specs|checks|lint(?:er)?|build|pytest|mypy|ruff|vitest|jest|tsc)\b"
    r"(?: (?!should|must|until|when|if|to)[\w`./-]+){0,3} (?:pass(?:es|ed)?|(?:is|are|all) (?:green|passing))\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:until|when|once|if|unless|so that|should|must|make sure|before|needs?)\b", re.IGNORECASE
)
_NONE: Final = re.compile(r"\b(?:no|0|zero|without) (warnings?|errors?|failures?|problems?|issues?)\b", re.IGNORECASE)
_NO_FAILURE: Final = re.compile(r"\b(?:0|no|zero|without) (?:errors?|failures?|failed|problems?|issues?)\b", re.I)
_PASSED: Final = "passed pass passes passing green ok okay clean succeeded succeeds success successful successfully 0"
_FAILED: Final = "failed fail fails failing failures red broken"
_NOT_RUN: Final = "not never run ran executed untested yet"
_TELLING: Final = frozenset(("step", "goal", "finding"))


def parts(claim: Claim, text: str, record: RecordFacts) -> Iterator[Part]:
    """What a claim says of checks, against the last runs of them."""
    if not record.known:
        return
    # Under a heading that says nothing, a command with its outcome is a check all the same.
    is_check = claim.kind == "validation" or (claim.kind == "finding" and names_command(text))
    if is_check:
        told = claim.status if claim.kind == "validation" else check_status(text)
        for mention, said, status in _sayings(text, told.partition(",")[0], record):
            yield from _part(mention, said, status, record)
            if claim.status.endswith(_STALE) and mention.runs and not mention.runs[-1].followed:
                yield Part("anchored", f"{mention.name} did not run before the last edit, but after it", doubtful=True)
    elif claim.kind in _TELLING and (spoken := _SPOKEN.search(text)) and not _CONDITION.search(text):
        for mention, _, status in _sayings(spoken[0], "passed", record):
            yield from _part(mention, text, status, record)


def restated(claim: Claim, text: str, record: RecordFacts) -> Claim:
    """The claim with its status as of the last edit: a check that ran before it says so."""
    status, mark, _ = claim.status.partition(_STALE)
    if claim.kind != "validation" or status not in ("passed", "failed"):
        return claim
    runs = [mention.runs[-1] for mention in mentions(text, record) if mention.runs]
    if not runs or all(run.followed for run in runs) == bool(mark):
        return claim
    if mark:
        return claim._replace(
            text=_BEFORE_CLAUSE.sub("", claim.text), why=_BEFORE_CLAUSE.sub("", claim.why).strip(" ,;"), status=status
        )
    return claim._replace(
        text=_AFTER_CLAUSE.sub("", claim.text),
        why=_AFTER_CLAUSE.sub("", claim.why).strip(" ,;"),
        status=status + _STALE,
    )


def _sayings(text: str, status: str, record: RecordFacts) -> Iterator[tuple[Mention, str, str]]:
    """Each check that a text speaks of with what is said of it: the words up to the next one, and its status, which
    may be told behind several at once.
    """
    found = mentions(text, record)
    if not found:
        return
    ends = [mention.start for mention in found[1:]] + [len(text)]
    told = [text[mention.start : end] for mention, end in zip(found, ends, strict=True)]
    if len(found) == 1:
        yield found[0], text, status
        return
    later = status
    sayings = []
    for mention, said in zip(reversed(found), reversed(told), strict=True):
        later = check_status(said).partition(",")[0] or later
        sayings.append((mention, said, later))
    yield from reversed(sayings)


def _part(mention: Mention, said: str, status: str, record: RecordFacts) -> Iterator[Part]:
    runs = mention.runs
    if status == "not run":
        if not runs:
            how: Verdict = "anchored" if record.goes_on else "proved"
            yield Part(how, f"no run of {mention.name} in the record", covers=f"{mention.name} {_NOT_RUN}")
        elif _AGAIN.search(said):
            yield Part("anchored", f"{mention.name} ran before")
        else:
            yield Part("contradicted", f"{mention.name} ran")
    elif not runs:
        told = record.whose(Needle(normal(mention.name))) & {"user", "summary"}
        if status and told:
            yield Part("anchored", f"{mention.name} did not run here, but was told of", doubtful=True)
        elif status:
            yield record.absent(f"{mention.name} did not run in the record")
    else:
        outcome = _outcome(status, said, runs)
        if outcome.verdict == "proved":
            outcome = _as_it_ran(outcome, mention, said, runs[-1])
        yield outcome
        if (after := _AFTER_FILE.search(said)) and runs[-1].event < last_edit(after[1], record):
            yield Part("contradicted", f"{after[1]} was edited after the last run of `{runs[-1].command}`")
        yield from _counts(said, runs, record)


def _as_it_ran(outcome: Part, mention: Mention, said: str, last: Run) -> Part:
    """A proof with the words that it accounts for; none, but an anchor, where another command than the told one ran."""
    if not last.exact:
        return Part("anchored", f"{outcome.reason}, which is not all that is told")
    printed = [word for word in words_of(last.text) if word[0].isdigit()]
    counted = [anchor for anchor in anchors_in(said) if anchor.kind == "count"]
    needles = [anchor.ways[0][0] for anchor in counted]
    known = {one.text for one in needles if int(one.text) in counts_in(last.text, one.how)}
    unknown = {one.text for one in needles} - known
    how = [_FAILED] if last.outcome == "failed" else [_PASSED, *(none[0] for none in _NO_FAILURE.finditer(said))]
    if last.outcome != "failed" and "warn" not in plain(last.text):
        how.append("no zero without warnings")
    numbers = (*known, *(word for word in printed if word not in unknown))
    return outcome._replace(covers=" ".join((mention.name, *how, *numbers)))


def last_edit(path: str, record: RecordFacts) -> int:
    """The event of a file's last edit, -1 none."""
    return max((event for one, event in record.edits if one == path or one.endswith("/" + path)), default=-1)


def _outcome(status: str, said: str, runs: tuple[Run, ...]) -> Part:
    last = runs[-1]
    if not last.alike and (last.outcome == "failed") != (status == "failed"):
        return Part("anchored", f"only `{last.command}` ran, not this alone", doubtful=True)
    if status not in ("passed", "failed"):
        return Part("anchored", f"`{last.command}` ran")
    if last.outcome == "hidden":
        return Part("anchored", f"`{last.command}` ran; a pipe or chain hides how it ended")
    if status == "failed":
        if last.outcome == "failed":
            return Part("proved", f"`{last.command}` failed")
        if _MIXED.search(said):
            return Part("anchored", f"`{last.command}` ran")
        return Part("contradicted", f"the last run of `{last.command}` passed")
    if last.outcome in ("failed", "vacuous"):
        why = "failed" if last.outcome == "failed" else "ran no test"
        is_past = any(run.outcome == "passed" for run in runs) and _MIXED.search(said) is not None
        return Part("anchored" if is_past else "contradicted", f"the last run of `{last.command}` {why}")
    if _AFTER.search(said) and last.stale:
        return Part("contradicted", f"files were edited after the last run of `{last.command}`")
    return Part("proved", f"`{last.command}` passed" + (_STALE if last.followed else ""))


def _counts(said: str, runs: tuple[Run, ...], record: RecordFacts) -> Iterator[Part]:
    """Numbers of tests and errors must be those of the last run, or of an earlier one that the claim compares it to."""
    for none in _NONE.finditer(said):
        numbers = re.findall(rf"(?<![\d.])(\d{{1,7}}) {none[1][:5]}", plain(runs[-1].text))
        if numbers and not any(int(number) == 0 for number in numbers):
            yield Part("contradicted", f"“{none[0]}”: the last run of `{runs[-1].command}` says {numbers[-1]}")
    for anchor in anchors_in(said):
        if anchor.kind != "count":
            continue
        needle = anchor.ways[0][0]
        number = int(needle.text)
        last = counts_in(runs[-1].text, needle.how)
        if not last or number in last:
            continue
        fresh = [run for run in runs if not run.followed]
        others = record.ran if _MIXED.search(said) else fresh
        if not any(number in counts_in(other.text, needle.how) for other in others):
            yield Part("contradicted", f"“{anchor.text}”: the last run of `{runs[-1].command}` says {last[0]}")
