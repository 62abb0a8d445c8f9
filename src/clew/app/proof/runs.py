"""The runs of a record that a sentence speaks of: by a command in it, by a tool's name, or by what is checked. Pure."""

from __future__ import annotations

import re
from typing import Final

from clew.app.proof.anchors import normal, plain_word
from clew.app.proof.facts import Ran, RecordFacts
from clew.core.tuples import NamedTuple
from clew.distill import commands, shell
from clew.distill.checks import Check
from clew.distill.tree import PROSE_FILES

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
    """A run that a claim speaks of. `outcome` as `commands.Outcome`; `stale`: code was edited after it; `followed`: any
    project file was.
    """

    command: str
    outcome: str
    stale: bool
    followed: bool
    event: int
    text: str


class Mention(NamedTuple):
    """A check that a sentence speaks of from `start` on, as `name`, with its runs in order; () if it never ran."""

    start: int
    name: str
    runs: tuple[Run, ...]


def mentions(text: str, record: RecordFacts) -> list[Mention]:
    """The checks that a text speaks of, in its order."""
    found = [
        Mention(span.start(), f"`{part.text}`", _runs_of(part.words, record))
        for span in _SPAN.finditer(text)
        for part in commands.split(span[1])
        if _is_command(part.words)
    ]
    rest = _SPAN.sub(lambda span: " " * len(span[0]), text)
    for tool in _TOOLS.finditer(rest):
        name = tool[1].lower()
        runs = _runs_of(tuple(name.split()), record)
        if runs or not any(name in ran.command for ran in record.ran):
            found.append(Mention(tool.start(), name, runs))
    return sorted(found) if found else _generic(rest, record)


def _is_command(words: tuple[str, ...]) -> bool:
    """Whether a piece of code is a command rather than a name or what one printed."""
    head = shell.program(words[0])
    if _TOOLS.fullmatch(head) or (head in _RUNNERS and len(words) > 1):
        return True
    known = commands.split(" ".join(words))
    return bool(known) and known[0].purpose in ("test", "lint", "build")


def _runs_of(words: tuple[str, ...], record: RecordFacts) -> tuple[Run, ...]:
    """The runs of a command: those lines that hold all its words, options aside; of checks with their outcome."""
    wanted = {plain_word(word) for word in words if not word.startswith("-") and "=" not in word} - {"run", "...", ""}
    wanted = {word for word in wanted if word not in (".", "./...")} or wanted
    typed = normal(" ".join(words))
    runs = []
    for ran in record.ran:
        there = {*ran.words, *(word.rpartition("/")[2] for word in ran.words)}
        if wanted <= there or typed in ran.command:
            runs.append(_run(ran, wanted, record))
    return tuple(runs)


def _run(ran: Ran, wanted: set[str], record: RecordFacts) -> Run:
    of_line = [check for check in record.checks if check.event == ran.event]
    best = next((check for check in of_line if wanted <= _words(check)), None)
    outcome = best.outcome if best else _outcome_of(ran, wanted)
    return _with_edits(best.command if best else ran.command[:80], outcome, ran.event, ran.text, record)


def _words(check: Check) -> set[str]:
    words = {plain_word(word) for part in commands.split(check.command) for word in part.words}
    return words | {word.rpartition("/")[2] for word in words}


def _outcome_of(ran: Ran, wanted: set[str]) -> str:
    """How a line that is no check's last run went."""
    parts = commands.split(ran.command)
    for number, part in enumerate(parts):
        words = {plain_word(word) for word in part.words}
        if wanted <= words | {word.rpartition("/")[2] for word in words}:
            return commands.outcome(parts, number, ran.text, exit_ok=ran.ok)
    return "passed" if ran.ok else "failed"


def _generic(text: str, record: RecordFacts) -> list[Mention]:
    """The checks of a purpose that a text tells of in plain words: all that ran."""
    if _BY_HAND.search(text):
        return []
    texts = {ran.event: ran.text for ran in record.ran}
    for purpose, pattern in _PURPOSES:
        if told := pattern.search(text):
            runs = (
                _with_edits(check.command, check.outcome, check.event, texts.get(check.event, ""), record)
                for check in record.checks
                if check.purpose == purpose
            )
            return [Mention(told.start(), f"a check of {told[0]}", tuple(runs))]
    return []


def _with_edits(command: str, outcome: str, event: int, text: str, record: RecordFacts) -> Run:
    later = [path for path, at in record.edits if at > event]
    return Run(command, outcome, any(not path.endswith(PROSE_FILES) for path in later), bool(later), event, text)
