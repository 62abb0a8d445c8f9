"""Claims about checks: that a command ran, how it went, what it counted, before or after the last edit. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import anchors_in, normal
from clew.app.proof.facts import Part, Ran, RecordFacts
from clew.app.proof.scan import counts_in
from clew.core.draft import Claim
from clew.core.tuples import NamedTuple
from clew.distill import commands, shell
from clew.distill.checks import Check
from clew.distill.tree import PROSE_FILES

_AFTER: Final = re.compile(
    r"\b(?:after|since|following) (?:the |my |our |that |this )?(?:last|latest|final|most recent)", re.I
)
_AFTER_CLAUSE: Final = re.compile(
    r"[\s,;—–(-]*\b(?:run |ran )?(?:after|since) (?:the |my )?(?:last|latest|final|most recent) (?:edit|change)s?\b\)?",
    re.I,
)
_AGAIN: Final = re.compile(r"\bre-?(?:run|ran|tested|checked)\b|\bagain\b|\b(?:since|after)\b|\byet\b", re.IGNORECASE)
_MIXED: Final = re.compile(
    r"\b(?:then|but|except|until|earlier|before|previously|was|were|at first|initially|now|without|"
    r"pre-?existing|flaky)\b|->|→",
    re.IGNORECASE,
)
_PURPOSES: Final = (
    ("test", re.compile(r"\b(?:tests?|suite|specs?)\b", re.IGNORECASE)),
    ("lint", re.compile(r"\b(?:lint\w*|type-?checks?|typecheck\w*|types|format\w*|vet)\b", re.IGNORECASE)),
    ("build", re.compile(r"\b(?:builds?|compil\w+)\b", re.IGNORECASE)),
)
# Tools whose names say that they check, so that naming one claims that it ran.
_TOOLS: Final = re.compile(
    r"\b(pytest|mypy|pyright|ruff|flake8|pylint|black|isort|tox|nox|eslint|prettier|tsc|jest|vitest|mocha|playwright|"
    r"cypress|golangci-lint|gofmt|goimports|staticcheck|go vet|go test|go build|cargo test|cargo clippy|clippy|"
    r"cargo fmt|cargo check|cargo build|rustfmt|shellcheck|hadolint|rubocop|rspec|phpunit|ctest|clang-format|"
    r"clang-tidy|biome|stylelint|detekt|ktlint|swiftlint|pre-commit|"
    r"bandit|semgrep|pip-audit|npm audit|import-linter|lint-imports)\b",
    re.IGNORECASE,
)
_RUNNERS: Final = frozenset(
    "make just npm pnpm yarn bun task go cargo gradle gradlew mvn rake npx uv poetry dotnet mix".split()
)
_SPAN: Final = re.compile(r"`([^`]+)`")


class Run(NamedTuple):
    """A run that a claim speaks of. `outcome` as `commands.Outcome`; `stale`: code was edited after it; `followed`: any
    project file was.
    """

    command: str
    outcome: str
    stale: bool
    followed: bool
    event: int
    text: str


def parts(claim: Claim, text: str, record: RecordFacts) -> Iterator[Part]:
    """What a claim of a check says, against the last runs of it."""
    if claim.kind != "validation" or not record.known:
        return
    runs, missing = matching(text, record)
    status = claim.status.partition(",")[0]
    if status == "not run":
        if not runs or _AGAIN.search(text):
            yield Part(
                "proved" if not runs else "anchored", "no run of it in the record" if not runs else "it ran before"
            )
        elif len(runs) == 1 or missing:
            yield Part("contradicted", f"`{runs[-1].command}` ran")
        return
    if missing and status:
        yield Part("unsupported", f"{missing} did not run in the record")
        return
    if not runs:
        if status and any(pattern.search(text) for _, pattern in _PURPOSES):
            yield Part("unsupported", "no such check ran in the record")
        return
    yield from _outcome(status, text, runs)
    yield from _counts(text, runs, record)


def restated(claim: Claim, text: str, record: RecordFacts) -> Claim:
    """The claim with its status as of the last edit: a check that ran earlier says so."""
    if claim.kind != "validation" or claim.status not in ("passed", "failed"):
        return claim
    runs, missing = matching(text, record)
    if not runs or missing or not all(run.followed for run in runs):
        return claim
    return claim._replace(
        text=_AFTER_CLAUSE.sub("", claim.text),
        why=_AFTER_CLAUSE.sub("", claim.why).strip(" ,;"),
        status=f"{claim.status}, before the last edit",
    )


def _outcome(status: str, text: str, runs: list[Run]) -> Iterator[Part]:
    last = runs[-1]
    if status == "passed":
        if last.outcome in ("failed", "vacuous"):
            why = "failed" if last.outcome == "failed" else "ran no test"
            is_past = len(runs) > 1 and _MIXED.search(text) is not None
            yield Part("anchored" if is_past else "contradicted", f"the last run of `{last.command}` {why}")
        elif last.outcome == "hidden":
            yield Part("anchored", f"`{last.command}` ran, how it ended is hidden by a pipe or chain")
        elif _AFTER.search(text) and last.stale:
            yield Part("contradicted", f"files were edited after the last run of `{last.command}`")
        else:
            yield Part("proved", f"`{last.command}` passed" + (", before the last edit" if last.followed else ""))
    elif status == "failed":
        failed = [run for run in runs if run.outcome == "failed"]
        if last.outcome == "failed":
            yield Part("proved", f"`{last.command}` failed")
        elif last.outcome == "hidden" or failed or _MIXED.search(text):
            yield Part("anchored", f"`{last.command}` ran")
        else:
            yield Part("contradicted", f"the last run of `{last.command}` passed")
    else:
        yield Part("anchored", f"`{last.command}` ran")


def _counts(text: str, runs: list[Run], record: RecordFacts) -> Iterator[Part]:
    """Numbers of tests and errors must be those of the last run, or of an earlier one that the claim compares it to."""
    for anchor in anchors_in(text):
        if anchor.kind != "count":
            continue
        needle = anchor.ways[0][0]
        number = int(needle.text)
        last = counts_in(runs[-1].text, needle.how)
        if (
            not last
            or number in last
            or any(number in counts_in(run.text, needle.how) for run in runs if not run.followed)
        ):
            continue
        earlier = any(number in counts_in(ran.text, needle.how) for ran in record.ran)
        if earlier and (_MIXED.search(text) or len(runs) > 1):
            continue
        yield Part("contradicted", f"“{anchor.text}”: the last run of `{runs[-1].command}` says {last[0]}")


def matching(text: str, record: RecordFacts) -> tuple[list[Run], str]:
    """The runs that a claim speaks of, in order; and a command or tool that it names and that never ran, "" none."""
    found: list[Run] = []
    for span in _SPAN.findall(text):
        simple = [part for part in commands.split(span) if _is_command(part.words)]
        for part in simple:
            runs = _runs_of(part.words, record)
            if not runs:
                return [], f"`{part.text}`"
            found += runs
    rest = _SPAN.sub(" ", text)
    for tool in dict.fromkeys(name.lower() for name in _TOOLS.findall(rest)):
        runs = _runs_of(tuple(tool.split()), record)
        if not runs and not any(tool in ran.command for ran in record.ran):
            return [], tool
        found += runs
    if not found:
        found = _generic(rest, record)
    unique = {(run.command, run.event): run for run in found}
    return sorted(unique.values(), key=lambda run: run.event), ""


def _is_command(words: tuple[str, ...]) -> bool:
    """Whether a piece of code is a command rather than a name or what one printed."""
    head = shell.program(words[0])
    if _TOOLS.fullmatch(head) or (head in _RUNNERS and len(words) > 1):
        return True
    known = commands.split(" ".join(words))
    return bool(known) and known[0].purpose in ("test", "lint", "build")


def _runs_of(words: tuple[str, ...], record: RecordFacts) -> list[Run]:
    """The runs of a command: those lines that hold all its words, options aside; of checks with their outcome."""
    wanted = {normal(word).rstrip("/") for word in words if not word.startswith("-") and "=" not in word} - {
        "run",
        "...",
        "",
    }
    wanted = {word for word in wanted if word not in (".", "./...")} or wanted
    runs: list[Run] = []
    for ran in record.ran:
        if wanted <= {*ran.words, *(word.rpartition("/")[2] for word in ran.words)}:
            runs.append(_run(ran, wanted, record))
    return runs


def _run(ran: Ran, wanted: set[str], record: RecordFacts) -> Run:
    of_line = [check for check in record.checks if check.event == ran.event]
    best = next((check for check in of_line if wanted <= _words(check)), None)
    outcome = best.outcome if best else _outcome_of(ran, wanted)
    return _with_edits(best.command if best else ran.command[:80], outcome, ran.event, ran.text, record)


def _words(check: Check) -> set[str]:
    words = {normal(word).rstrip("/") for part in commands.split(check.command) for word in part.words}
    return words | {word.rpartition("/")[2] for word in words}


def _outcome_of(ran: Ran, wanted: set[str]) -> str:
    """How a line that is no check's last run went."""
    parts = commands.split(ran.command)
    for number, part in enumerate(parts):
        words = {normal(word).rstrip("/") for word in part.words}
        if wanted <= words | {word.rpartition("/")[2] for word in words}:
            return commands.outcome(parts, number, ran.text, exit_ok=ran.ok)
    return "passed" if ran.ok else "failed"


def _generic(text: str, record: RecordFacts) -> list[Run]:
    """The checks of a purpose that a claim tells in plain words: all that ran."""
    for purpose, pattern in _PURPOSES:
        if pattern.search(text):
            texts = {ran.event: ran.text for ran in record.ran}
            return [
                _with_edits(check.command, check.outcome, check.event, texts.get(check.event, ""), record)
                for check in record.checks
                if check.purpose == purpose
            ]
    return []


def _with_edits(command: str, outcome: str, event: int, text: str, record: RecordFacts) -> Run:
    later = [path for path, at in record.edits if at > event]
    return Run(command, outcome, any(not path.endswith(PROSE_FILES) for path in later), bool(later), event, text)
