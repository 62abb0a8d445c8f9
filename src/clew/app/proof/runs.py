"""The runs of a record that a sentence speaks of: by a command in it, by a tool's name, or by what is checked. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.app.proof.anchors import normal, plain_word
from clew.app.proof.facts import Ran, RecordFacts
from clew.core.gate.shell import outcomes, purposes
from clew.core.gate.shell.cut import Command
from clew.core.gate.shell.words import program
from clew.core.records.file_names import PROSE_FILES

_PURPOSES: Final = (
    ("test", re.compile(r"\b(?:tests?|suite|specs?)\b", re.IGNORECASE)),
    ("lint", re.compile(r"\b(?:lint\w*|type-?checks?|typecheck\w*|formatt\w+|fmt|vet)\b", re.IGNORECASE)),
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
_BY_HAND: Final = re.compile(r"\bmanual(?:ly)?\b|\bby hand\b|\bbrowser\b", re.IGNORECASE)
_SPAN: Final = re.compile(r"`([^`]+)`")


class Run(NamedTuple):
    """A run that a claim speaks of. `outcome` as `outcomes.Outcome`; `stale`: code was edited after it; `followed`: any
    project file was. `exact`: it ran as the claim has it, and not with other operands or options that choose.
    `alike`: it is what the claim means all the same: a bare tool's name means any run of it.
    """

    command: str
    outcome: str
    stale: bool
    followed: bool
    event: int
    text: str
    exact: bool = True
    alike: bool = True


class Mention(NamedTuple):
    """A check that a sentence speaks of from `start` on, as `name`, with its runs in order; () if it never ran."""

    start: int
    name: str
    runs: tuple[Run, ...]


def mentions(text: str, record: RecordFacts) -> list[Mention]:
    """The checks that a text speaks of, in its order."""
    found = [
        Mention(span.start(), f"`{span[1]}`", _runs_of_line(parts, record))
        for span in _SPAN.finditer(text)
        if (parts := [part for part in purposes.split(span[1]) if _is_command(part)])
    ]
    rest = _SPAN.sub(lambda span: " " * len(span[0]), text)
    for tool in _TOOLS.finditer(rest):
        name = tool[1].lower()
        runs = _runs_of(name, tuple(name.split()), record)
        if runs or not any(name in ran.command for ran in record.ran):
            found.append(Mention(tool.start(), name, runs))
    return sorted(found) if found else _generic(rest, record)


def names_command(text: str) -> bool:
    """Whether a text names a command that checks, as code."""
    return any(_is_command(part) for span in _SPAN.finditer(text) for part in purposes.split(span[1]))


def _is_command(part: Command) -> bool:
    """Whether a piece of code is a command rather than a name or what one printed."""
    head = program(part.words[0])
    named = _TOOLS.fullmatch(head) is not None or (head in _RUNNERS and len(part.words) > 1)
    return named or part.purpose in ("test", "lint", "build")


def _runs_of_line(parts: list[Command], record: RecordFacts) -> tuple[Run, ...]:
    """The runs of a shell line: those that held all its commands, else the last one of each, as one."""
    each = [_runs_of(part.text, part.words, record) for part in parts]
    if len(each) == 1:
        return each[0]
    if not all(each):
        return ()
    together = set.intersection(*({run.event for run in runs} for runs in each))
    groups = [[run for runs in each for run in runs if run.event == event] for event in sorted(together)]
    return tuple(_joined(group) for group in groups or [[runs[-1] for runs in each]])


def _joined(runs: list[Run]) -> Run:
    """Several commands as one: it passed if all did."""
    outcomes = {run.outcome for run in runs}
    outcome = "failed" if "failed" in outcomes else next(iter(outcomes)) if len(outcomes) == 1 else "hidden"
    texts = "\n".join(dict.fromkeys(run.text for run in runs))
    return Run(
        " && ".join(dict.fromkeys(run.command for run in runs)),
        outcome,
        any(run.stale for run in runs),
        any(run.followed for run in runs),
        max(run.event for run in runs),
        texts,
        all(run.exact for run in runs),
        all(run.alike for run in runs),
    )


def _runs_of(typed: str, words: tuple[str, ...], record: RecordFacts) -> tuple[Run, ...]:
    """The runs of a command: as it is typed, else with the same words but for options, else with more words than it
    has: the first of these that there are.
    """
    typed = normal(typed)
    wanted = frozenset(_told_apart(words))
    ranks: tuple[list[Run], ...] = ([], [], [])
    for ran in record.ran:
        for number, (text, words_there) in enumerate(ran.parts):
            rank = 0 if text == typed else 1 if words_there == wanted else 2
            if rank < 2 or wanted <= words_there | {word.rpartition("/")[2] for word in words_there}:
                exact = rank == 0 or (_runs_the_same(wanted, words_there) and _options(text) <= _options(typed))
                run = _run(ran, number, record)
                ranks[rank].append(run._replace(exact=exact, alike=rank < 2 or len(wanted) == 1))
                break
    return tuple(next((runs for runs in ranks if runs), ()))


def _told_apart(words: tuple[str, ...]) -> list[str]:
    """The words of a command that tell it from others."""
    plain = [plain_word(word) for word in words if not word.startswith("-") and "=" not in word]
    kept = [word for word in plain if word not in ("run", "...", "", ".", "./...")]
    return kept or plain


def words_of_part(part: Command) -> frozenset[str]:
    """The same of a command that ran."""
    return frozenset(_told_apart(part.words))


# What starts another program, and options that change what is printed only.
_STARTERS: Final = frozenset("uv npx poetry pnpm yarn bun env python python3 exec time".split())
_PLAIN_OPTION: Final = re.compile(
    r"-[qvsxrAn\d]{1,4}|-m|--(?:tb|colou?r|no-header|quiet|verbose|no-progress|pretty|durations|no-cov)(?:=.*)?|--"
)


def _runs_the_same(wanted: frozenset[str], there: frozenset[str]) -> bool:
    """Whether a command that ran has no more operands than one that is told."""
    names = {word.rpartition("/")[2] for word in there - wanted}
    return wanted <= there and names <= _STARTERS


def _options(typed: str) -> frozenset[str]:
    """The options of a command that choose what it looks at."""
    words = typed.split()
    return frozenset(word for word in words if word.startswith("-") and not _PLAIN_OPTION.fullmatch(word))


def _run(ran: Ran, number: int, record: RecordFacts) -> Run:
    split = purposes.split(ran.command)
    outcome = outcomes.outcome(split, number, ran.text, exit_ok=ran.ok) if number < len(split) else "hidden"
    return _with_edits(ran.parts[number][0], outcome, ran, record)


def _generic(text: str, record: RecordFacts) -> list[Mention]:
    """The checks of a purpose that a text tells of in plain words: all that ran."""
    if _BY_HAND.search(text):
        return []
    lines = {ran.event: ran for ran in record.ran}
    for purpose, pattern in _PURPOSES:
        if told := pattern.search(text):
            runs = (
                _with_edits(check.command, check.outcome, lines[check.event], record)._replace(
                    exact=_is_whole(check.command)
                )
                for check in record.checks
                if check.purpose == purpose and check.event in lines
            )
            return [Mention(told.start(), f"a check of {told[0]}", tuple(runs))]
    return []


_WHOLE: Final = frozenset(
    "test tests check checks lint build go cargo make just npm pnpm yarn bun task mvn gradle gradlew dotnet rake swift "
    "src typecheck fmt vet ci all".split()
)


def _is_whole(command: str) -> bool:
    """Whether a check's command names no part of what it looks at."""
    parts = purposes.split(command)
    words = {word.rpartition("/")[2] for part in parts for word in words_of_part(part)}
    narrow = {word for word in words - _WHOLE - _STARTERS if not _TOOLS.fullmatch(word)}
    return not narrow and not _options(normal(command))


def _with_edits(command: str, outcome: str, ran: Ran, record: RecordFacts) -> Run:
    later = [path for path, at in record.edits if at > ran.event]
    is_stale = any(not path.endswith(PROSE_FILES) for path in later)
    return Run(command, outcome, is_stale, bool(later), ran.event, ran.text)
