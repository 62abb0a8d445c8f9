"""Shell commands of a session: what each one is for, and how it really went. The tables are most of it."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from clew.core.tuples import NamedTuple
from clew.distill import shell

Purpose = Literal["test", "lint", "build", "commit", "push", "revert", "rewrite", "pull-request", "look", "other"]
# vacuous: a test run that ran no test. hidden: neither the exit status nor the output tells.
Outcome = Literal["passed", "failed", "vacuous", "hidden"]

# A program, or a program with its sub-command, and what it is for.
_PROGRAMS: tuple[tuple[Purpose, str], ...] = (
    ("test", "pytest, py.test, unittest, tox, nox, jest, vitest, mocha, ava, rspec, phpunit, ctest, go test, "
             "cargo test, cargo nextest, playwright test, cypress run, dotnet test, swift test, bazel test, mix test, "
             "deno test, dart test, flutter test, sbt test, lein test"),
    ("lint", "golangci-lint, ruff, flake8, pylint, mypy, pyright, black, isort, eslint, prettier, biome, tsc, "
             "stylelint, shellcheck, hadolint, gofmt, goimports, gofumpt, staticcheck, rubocop, clang-format, "
             "clang-tidy, ktlint, detekt, swiftlint, pre-commit, lint-imports, go vet, cargo clippy, cargo fmt, "
             "cargo check, dotnet format, mix format, deno lint, deno fmt, deno check"),
    ("build", "ninja, webpack, rollup, esbuild, goreleaser, javac, gcc, g++, clang, rustc, build, go build, "
              "go install, go generate, go mod, cargo build, cargo run, dotnet build, swift build, bazel build, "
              "docker build, docker compose build, docker buildx build, docker-compose build, vite build, uv build, "
              "hatch build, poetry build, mix compile"),
    ("look", "rg, grep, egrep, fgrep, ag, ack, find, fd, ls, tree, cat, bat, head, tail, less, more, sed, awk, cut, "
             "sort, uniq, wc, file, stat, du, df, pwd, which, whereis, type, command, echo, printf, env, date, whoami, "
             "id, uname, ps, top, diff, cmp, jq, yq, xxd, od, strings, tee, touch, mkdir, sleep, true, false, test, [, "
             "[[, read, export, set, cd, pushd, popd, source, ., kill, pkill, pgrep, lsof, man, help, open, gh, "
             "git status, git log, git show, git diff, git blame, git grep, git branch, git remote, git rev-parse, "
             "git ls-files, git ls-tree, git cat-file, git describe, git reflog, git shortlog, git config, git fetch, "
             "git add, git name-rev, git merge-base, git rev-list, git worktree, git tag, git for-each-ref, "
             "git check-ignore, git count-objects, git stash list, git stash show, clew"),
    ("commit", "git commit"),
    ("push", "git push"),
    ("revert", "git restore, git revert"),
    ("rewrite", "git rebase, git merge, git cherry-pick, git pull, git reset, git switch, git checkout, git stash"),
    ("pull-request", "gh pr create"),
)  # fmt: skip
_PURPOSES = {name.strip(): purpose for purpose, names in _PROGRAMS for name in names.split(",")}

# Programs that run tasks by name, and what a part of a name tells.
_TASK_RUNNERS = frozenset(
    ["npm", "pnpm", "yarn", "bun", "make", "gmake", "just", "task", "mise", "rake", "gradle", "gradlew", "mvn", "mvnw",
     "hatch", "cmake", "invoke", "nx", "turbo", "composer", "manage.py"]
)  # fmt: skip
_TASK_NAMES: tuple[tuple[Purpose, tuple[str, ...]], ...] = (
    ("test", ("test", "spec", "verify", "e2e")),
    ("lint", ("lint", "fmt", "format", "typecheck", "type-check", "check", "vet")),
    ("build", ("build", "compile", "bundle", "generate", "package", "assemble")),
)
_RUN_WORDS = frozenset(["run", "run-script", "exec"])

# Options, and a few words, that take the next word as their value, by program.
_VALUED = {
    "git": "-C -c --git-dir --work-tree", "gh": "-R --repo", "go": "-C",
    "cargo": "-C --manifest-path --config --color",
    "npm": "--prefix -w --workspace", "pnpm": "-C --dir -F --filter", "yarn": "--cwd workspace", "bun": "--cwd",
    "make": "-C -f -I --directory --file", "gmake": "-C -f", "just": "-f --justfile -d --working-directory",
    "task": "-d --dir -t --taskfile", "gradle": "-p --project-dir -b", "gradlew": "-p --project-dir -b",
    "mvn": "-f --file -pl --projects -P", "mvnw": "-f --file -pl --projects -P", "cmake": "-S -B",
    "docker": "-H --host -c --context -f --file -p --project-name", "docker-compose": "-f --file -p --project-name",
}  # fmt: skip


class Simple(NamedTuple):
    """One simple command of a shell line. `words` has no wrappers, variables or redirections in front."""

    text: str
    words: tuple[str, ...]
    purpose: Purpose
    joined_by: str  # the operator behind it: "&&", "||", "|", ";", "&" or ""


# More stand in no line that somebody wrote, and what came of each is read off those behind it.
_COMMANDS_MAX = 300


def split(line: str) -> list[Simple]:
    """The simple commands of a shell line, in order, of which only the first 300. Never raises.

    A here-document's body is left out.
    """
    return list(_split(line))


@lru_cache(maxsize=256)
def _split(line: str) -> tuple[Simple, ...]:
    """Several modules ask for the same line one after the other."""
    found = shell.cut(line)[:_COMMANDS_MAX]
    return tuple(Simple(text, words, _purpose(words), joint) for text, words, joint in found)


def only_looks(line: str) -> bool:
    """Whether nothing in a shell line does more than look: what it prints says nothing about the work."""
    return all(part.purpose == "look" for part in _split(line))


def is_own(line: str) -> bool:
    """Whether a shell line runs clew and else only looks: it is about the ledger, not about the work."""
    return only_looks(line) and any(shell.program(part.words[0]) == "clew" for part in _split(line))


def git_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a git command from its sub-command on, without git's own options."""
    return words[shell.behind_options(words, 1, _VALUED["git"].split()) :]


def _purpose(words: tuple[str, ...]) -> Purpose:
    head = shell.program(words[0])
    if head == "python" and len(words) > 1 and words[1].endswith("manage.py"):
        return _purpose(words[1:])
    if head != "git" and ("--version" in words or "--help" in words):
        return "look"
    names = _names(head, words)
    if head in _TASK_RUNNERS:
        return _task_purpose(head, names)
    if _TEST_SCRIPT.search(names[0].rpartition("/")[2] if head in _INTERPRETERS and names else head):
        return "test"
    keys = (" ".join((head, *names[:count])) for count in (2, 1, 0))
    known: Purpose = next((_PURPOSES[key] for key in keys if key in _PURPOSES), "other")
    return _git_purpose(known, git_words(words)) if head == "git" else known


# A program of the project's own that tests, by its name.
_INTERPRETERS = frozenset(
    ["python", "node", "bash", "sh", "zsh", "ruby", "perl", "php", "deno", "bun", "tsx", "ts-node"]
)
_TEST_SCRIPT = re.compile(r"^(?:run[_-])?tests?(?:[_-]\w+)*\.\w+$|[_.-](?:test|spec)s?\.\w+$", re.IGNORECASE)


def _names(head: str, words: tuple[str, ...]) -> list[str]:
    """The words behind the program that are neither options nor their values: its sub-commands, then its operands."""
    valued = _VALUED.get(head, "").split()
    return [
        word
        for before, word in pairwise(words)
        if not word.startswith("-") and before not in valued and word not in valued
    ]


def _task_purpose(head: str, names: list[str]) -> Purpose:
    """What a task runner's task is for, by its name; a bare `make` builds."""
    task = next((name for name in names if name not in _RUN_WORDS and "=" not in name and not name.isdigit()), "")
    for purpose, parts in _TASK_NAMES:
        if any(part in task for part in parts):
            return purpose
    return "build" if head in ("make", "gmake", "cmake") else "other"


def _git_purpose(known: Purpose, rest: tuple[str, ...]) -> Purpose:
    """The purpose of a git command where its options change what the sub-command is for."""
    verb = rest[0] if rest else ""
    if verb == "commit" and "--dry-run" in rest:
        return "look"
    if verb == "restore" and "--staged" in rest and "--worktree" not in rest:
        return "look"
    if verb == "checkout" and ("--" in rest or (len(rest) > 1 and "." in rest[-1] and not rest[1].startswith("-"))):
        return "revert"
    return "revert" if verb == "reset" and "--hard" in rest else known


# What programs print. A line's first word, a part of it, or "<number> <unit>" tells how a run went.
_FAILED_FIRST = frozenset(["FAIL", "FAILED", "ERROR", "Traceback"])
_FAILED_STARTS = ("error:", "error[", "fatal:", "panic:")
_FAILED_PARTS = ("FAILED", "exit status 1", "exit status 2", "✗", "✖")
_FAILED_UNITS = frozenset(["failed", "failing", "failure", "error", "problem", "issue"])
_PASSED_FIRST = frozenset(["ok", "PASS", "OK"])
_PASSED_PARTS = (
    "test result: ok", "BUILD SUCCESS", "All checks passed", "Success: no issues", "no issues found", "✓", "✔"
)  # fmt: skip
_PASSED_UNITS = frozenset(["passed", "passing"])
_CLEAN_UNITS = frozenset(["issue", "error", "problem", "failure"])  # none of these is a pass
_UNITS = tuple(sorted(_FAILED_UNITS | _PASSED_UNITS | _CLEAN_UNITS))  # whatever else is counted tells nothing
# Only tests say these.
_TEST_FAILED_FIRST = frozenset(["FAIL", "FAILED", "---"])
_TEST_FAILED_UNITS = frozenset(["failed", "failing", "failure"])
_TEST_RAN_PARTS = ("test session starts", "short test summary", "test result:", "running 0 tests")
# A run that ran nothing, in lower case; the second table tells it of one package of several.
_NO_TEST_AT_ALL = (
    "collected 0 items", "/ 0 selected", "no tests ran", "no tests found", "no test files found", "no tests executed",
    "no examples found", "ran 0 tests", "executed 0 tests", "error: no tests to run", "no test is available",
    "  0 passing",
)  # fmt: skip
_NO_TEST_HERE = ("[no tests to run]", "[no test files]", "running 0 tests")
_NO_TEST_MARKS = ("no ", " 0 ")  # each of them holds one of these
# A line that begins with none of these, nor with a blank before it, tells by a part or a count only.
_TELLING_STARTS = (*_FAILED_FIRST, *_FAILED_STARTS, *_PASSED_FIRST, *_TEST_FAILED_FIRST)
_DIGIT = re.compile("[0-9]")
_CUT = "\n…\n"  # what a reader leaves in the place of the middle of a long output

# Commands that answer by their exit status: what stands behind `grep -q x f &&` may never have run. The other looks
# hardly ever fail.
_ANSWERS = frozenset(
    ["rg", "grep", "egrep", "fgrep", "ag", "ack", "test", "[", "[[", "diff", "cmp", "which", "type", "command", "pgrep",
     "false", "clew"]
)  # fmt: skip


class _Signs(NamedTuple):
    """What an output says. `order`: "passed" and "failed" as its lines say so. `nothing`: no test was run."""

    order: tuple[str, ...]
    tests_ran: bool
    tests_failed: bool
    nothing: bool

    @property
    def passed_first(self) -> bool:
        return self.order[:1] == ("passed",)


def outcome(parts: list[Simple], index: int, text: str, *, exit_ok: bool) -> Outcome:
    """How the command at `index` went, from the exit status of the whole line and the output.

    A pipe or `|| true` behind a command hides its exit status; then only words in the output count, and without any
    the outcome is "hidden".
    """
    part = parts[index]
    behind = [later.joined_by for later in parts[index:]]
    whole = part.joined_by != "|" and _CUT not in text
    if part.purpose == "test" and _within(text.lower(), _NO_TEST_MARKS) and _signs(text, whole=whole).nothing:
        return "vacuous"
    if exit_ok and behind[0] in ("", "&&") and not {";", "||", "&"} & set(behind):
        return "passed"  # most runs: their output need not be read
    signs = _signs(text, whole=whole)
    if not exit_ok and set(behind[:-1]) <= {"&&"} and not behind[-1]:
        return _in_failed_chain(*_chain(parts, index), signs)
    if "failed" in signs.order:
        return "failed"
    return "passed" if "passed" in signs.order else "hidden"


def _chain(parts: list[Simple], index: int) -> tuple[list[bool], int]:
    """The commands joined by "&&" that may have ended the line: whether each runs tests. And the place of `index`."""
    start = index
    while start and parts[start - 1].joined_by == "&&":
        start -= 1
    kept = [
        at
        for at, part in enumerate(parts[start:], start)
        if at == index or part.purpose != "look" or shell.program(part.words[0]) in _ANSWERS
    ]
    return [parts[at].purpose == "test" for at in kept], kept.index(index)


def _in_failed_chain(chain: list[bool], at: int, signs: _Signs) -> Outcome:
    """How the command at `at` went in `a && b && c` that failed: exactly one of them did, those before it passed.

    The output is that of all; who failed is told by words that only tests say, and by a pass before the first failure.
    """
    if len(chain) == 1:
        return "failed"
    if "failed" not in signs.order:
        return "passed" if signs.passed_first and at < len(chain) - 1 else "hidden"
    by_test = signs.tests_failed or (signs.tests_ran and chain[-1])
    culprits = [place for place, is_test in enumerate(chain) if is_test == by_test]
    if culprits == [at]:
        return "failed"
    if at in culprits:
        if not signs.passed_first:
            return "hidden"
        return "failed" if at == culprits[-1] else "passed"
    return "passed" if culprits and at < culprits[0] else "hidden"


@lru_cache(maxsize=2)
def _signs(text: str, *, whole: bool) -> _Signs:
    """Read an output, once for all commands of its line. `whole`: no pipe or cut may have left out a part of it.

    Most outputs have thousands of lines and few of the words: those that the text does not hold are not looked for in
    its lines.
    """
    order: list[str] = []
    ran = failed = nothing = False
    all_lower = text.lower()
    nowhere, not_here = _within(all_lower, _NO_TEST_AT_ALL), _within(all_lower, _NO_TEST_HERE)
    failing, passing = _within(text, _FAILED_PARTS), _within(text, _PASSED_PARTS)
    counted = _within(all_lower, _UNITS)
    lines = text.splitlines()
    if not (nowhere or not_here or failing or passing or counted):
        lines = [line for line in lines if line.lstrip().startswith(_TELLING_STARTS)]
    for line in lines:
        lower = line.lower() if nowhere or not_here or counted else ""
        if nowhere and any(part in lower for part in nowhere):
            nothing = True
        elif not_here and any(part in lower for part in not_here):
            nothing = nothing or whole
        else:
            first = line.split(maxsplit=1)[:1]
            counts = _counts(lower) if any(unit in lower for unit in counted) and _DIGIT.search(line) else []
            verdict = _verdict(line, first[0].rstrip(":") if first else "", counts, failing, passing)
            tests_failed = _of_failed_tests(first, counts)
            failed = failed or tests_failed
            ran = ran or tests_failed or first == ["ok"] or any(n and unit in _PASSED_UNITS for n, unit in counts)
            order += [verdict] if verdict else []
    told = nothing or ran or any(part in text for part in _TEST_RAN_PARTS)
    return _Signs(tuple(order), told, failed, nothing and not ran and "failed" not in order)


def _within(text: str, parts: tuple[str, ...]) -> list[str]:
    """Those of `parts` that `text` holds."""
    return [part for part in parts if part in text]


def _of_failed_tests(first: list[str], counts: list[tuple[int, str]]) -> bool:
    if first and first[0] in _TEST_FAILED_FIRST:
        return True
    return bool(counts) and any(n and unit in _TEST_FAILED_UNITS for n, unit in counts)


def _verdict(
    line: str, first: str, counts: list[tuple[int, str]], failing: Sequence[str], passing: Sequence[str]
) -> str:
    """ "failed", "passed" or "" for one line of an output that holds `failing` and `passing` parts somewhere."""
    if (
        first in _FAILED_FIRST
        or line.startswith(_FAILED_STARTS)
        or line.lstrip().startswith("--- FAIL")
        or (failing and any(part in line for part in failing))
        or (counts and any(number and unit in _FAILED_UNITS for number, unit in counts))
    ):
        return "failed"
    if (
        first in _PASSED_FIRST
        or (passing and any(part in line for part in passing))
        or (counts and any(unit in _PASSED_UNITS if number else unit in _CLEAN_UNITS for number, unit in counts))
    ):
        return "passed"
    return ""


def _counts(lower: str) -> list[tuple[int, str]]:
    """The (number, unit in the singular) pairs of a line in lower case, as in "2 failed, 7 passed" or "0 issues."."""
    words = [word.strip("()[],.;:=!*") for word in lower.split()]
    return [
        (int(number[:9]), unit.removesuffix("s"))
        for number, unit in pairwise(words)
        if number.isascii() and number.isdecimal()
    ]


_ERROR_PARTS = (
    "error", "fail", "fatal", "not found", "no such", "denied", "refused", "undefined", "cannot", "can't", "unable",
    "invalid", "unexpected", "panic", "traceback", "missing", "unknown",
)  # fmt: skip


def error_line(text: str) -> str:
    """The line of an output that says best what went wrong, "" if there is none."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Exit code ", "<"))]
    for line in lines:
        lower = line.lower()
        if any(part in lower for part in _ERROR_PARTS):
            return line
    return lines[-1] if lines else ""
