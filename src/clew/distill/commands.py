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
CHECKS = ("test", "lint", "build")

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
    """One simple command of a shell line (`shell.Command`), with what it is for."""

    text: str
    words: tuple[str, ...]
    purpose: Purpose
    joined_by: str
    is_masked: bool = False


def split(line: str) -> list[Simple]:
    """The simple commands of a shell line, in order, of which only the first 300. Never raises.

    A here-document's body is left out.
    """
    return list(_split(line))


@lru_cache(maxsize=256)
def _split(line: str) -> tuple[Simple, ...]:
    """Several modules ask for the same line one after the other."""
    found = shell.cut(line)
    return tuple(Simple(one.text, one.words, _purpose(one.words), one.joined_by, one.is_masked) for one in found)


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
    if head != "git" and _is_dry(head, words):
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


_SHOWING = frozenset(["--dry-run", "--short", "--porcelain", "--long"])  # with these git commits nothing


def _git_purpose(known: Purpose, rest: tuple[str, ...]) -> Purpose:
    """The purpose of a git command where its options change what the sub-command is for."""
    verb = rest[0] if rest else ""
    if verb == "commit" and not _SHOWING.isdisjoint(rest):
        return "look"
    if verb == "restore" and "--staged" in rest and "--worktree" not in rest:
        return "look"
    if verb == "checkout" and ("--" in rest or (len(rest) > 1 and "." in rest[-1] and not rest[1].startswith("-"))):
        return "revert"
    return "revert" if verb == "reset" and "--hard" in rest else known


# What only lists, shows or plans checks nothing, nor does what is told not to fail.
_DRY = frozenset(
    ["--version", "--help", "--dry-run", "--collect-only", "--co", "--list", "--list-tests", "--listTests", "--no-run",
     "--fixtures", "--markers", "--setup-plan", "--setup-only", "--just-print", "--recon", "--question", "--touch",
     "--if-present", "--exit-zero", "--notest", "--print-config", "--show-config", "--show-files", "-DskipTests",
     "-list", "--suppress-tests", "--skip-tests"]
)  # fmt: skip
_DRY_LETTERS = {
    "make": "nqt", "gmake": "nqt", "just": "n", "ninja": "n", "task": "n", "rake": "nP", "gradle": "m", "gradlew": "m",
    "ctest": "N", "tox": "l", "nox": "l", "go": "nc",
}  # fmt: skip


def _is_dry(head: str, words: tuple[str, ...]) -> bool:
    """Whether a check only shows what it would do, or is told not to fail."""
    letters = set(_DRY_LETTERS.get(head, ""))
    return any(
        word.partition("=")[0] in _DRY
        or (word[:1] == "-" and word[1:].isalpha() and letters & set(word[1:]) and (head != "go" or len(word) == 2))
        for word in words[1:]
    )


# What runners print at their end, of tests (True) and of other checks. Any program prints "error" and "ok".
_FAILED = {
    True: r"\b[1-9]\d* (?:failed|failing|failures?)\b|\b[1-9]\d* errors? in [\d.]+s|test result: FAILED"
    r"|(?-i:^(?:--- )?FAIL(?:ED)?\b|^ERROR:? \S)",
    False: r"\b[1-9]\d* (?:errors?|problems?|issues?)\b|^BUILD FAILED|^[\w./-]+:\d+(?::\d+)?: error\b",
}
_PASSED = {
    True: r"\b[1-9]\d* (?:passed|passing)\b|^ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))(?!.*\[no tests)|^OK \([1-9]"
    r"|\b[1-9]\d* (?:tests?|examples|specs|runs)\b.{0,60}\b0 failures|^Ran [1-9]\d* tests? in .{0,40}\n{1,3}OK\b"
    r"|^Tests run: [1-9]\d*, Failures: 0, Errors: 0",
    False: r"All checks passed|Success: no issues|no issues found|\b0 (?:issues|errors|problems)\b|BUILD SUCCESS"
    r"|✓ built|\bfiles? (?:already formatted|left unchanged)",
}
# What goes wrong in words of no runner.
_WENT_WRONG = r"^[ \t]*(?:ERROR\b|Traceback|error[:\[]|fatal:|panic:)|exit status [12]\b|[✗✖]"
# A run that ran nothing; the second tells it of one package of several.
_NO_TEST = (
    r"collected 0 items|/ 0 selected|no tests? (?:ran\b|found|files found|executed)|no examples found"
    r"|error: no tests to run|warning: no tests to run|no test is available|(?:ran|executed) 0 tests|^[ \t]+0 passing"
    r"|^=*[ \t]*\d+ deselected in"
)
_NO_TEST_OK = "warning: no tests to run"
_NO_TEST_HERE = r"\[no tests? (?:to run|files)\]|^running 0 tests"
_CUT = "\n…\n"  # what a reader leaves in the place of the middle of a long output
_READ_CHARS = 20_000  # so much of an output's beginning, and of its end, is read for such words

# Commands that answer by their exit status: what stands behind `grep -q x f &&` may never have run. The other looks
# hardly ever fail.
_ANSWERS = frozenset(
    ["rg", "grep", "egrep", "fgrep", "ag", "ack", "test", "[", "[[", "diff", "cmp", "which", "type", "command", "pgrep",
     "false", "clew"]
)  # fmt: skip
# Looks that print what others wrote. Behind a pipe some hand on the end of what a check prints, and nothing else.
_LOUD = frozenset(
    "rg grep egrep fgrep ag ack cat bat head tail less more sed awk cut sort uniq jq yq diff source . gh".split()
)
_LOUD_GIT = frozenset(["log", "show", "diff", "grep", "blame", "reflog", "shortlog"])
_HANDING_ON = {True: frozenset(["tail", "tee", "cat"]), False: frozenset(["tail", "tee", "cat", "head"])}


def outcome(parts: Sequence[Simple], index: int, text: str, *, exit_ok: bool | None) -> Outcome:
    """How the command at `index` went, from the exit status of the whole line (None unknown) and the output.

    "passed" needs a run that ended and an exit of its own which that of the line proves or, behind a pipe or before a
    `;`, a runner's own last words that nothing else in the line can have printed. What goes on in the background, what
    is negated and what may fail without harm (`|| true`) never passed.
    """
    part = parts[index]
    if any(later.joined_by == "&" for later in parts[index:]):
        return "hidden"
    chain = _chain(parts, index)
    said = _said(parts, index, text, exit_ok=exit_ok)
    is_sure = not part.is_masked and not any(parts[at].joined_by == "||" for at in chain[:-1])
    if said == "vacuous":
        return said
    if exit_ok is None or not is_sure or chain[-1] < len(parts) - 1 or part.joined_by == "|":
        return said if said and (is_sure or said == "failed") else "hidden"
    if exit_ok:
        return "passed"
    if not any(_may_fail(parts[at]) for at in chain if at != index):
        return "failed"
    behind = {_said(parts, at, text, exit_ok=exit_ok) for at in chain if at > index}
    if said == "failed":
        return "hidden" if "failed" in behind else said
    return "passed" if said or behind & {"passed", "failed"} else "hidden"


def _chain(parts: Sequence[Simple], index: int) -> range:
    """The places of the commands that are put together with the one at `index` by anything but ";" and "&"."""
    first = last = index
    while first and parts[first - 1].joined_by not in (";", "&"):
        first -= 1
    while last < len(parts) - 1 and parts[last].joined_by not in (";", "&"):
        last += 1
    return range(first, last + 1)


def _may_fail(part: Simple) -> bool:
    return part.joined_by != "|" and (part.purpose != "look" or shell.program(part.words[0]) in _ANSWERS)


def _said(
    parts: Sequence[Simple], index: int, text: str, *, exit_ok: bool | None
) -> Literal["", "passed", "failed", "vacuous"]:
    """What the output says of the check at `index`; "" where it says nothing, or what may be of something else."""
    part = parts[index]
    is_test = part.purpose == "test"
    if not text or part.purpose not in CHECKS:
        return ""
    others = [at for at in range(len(parts)) if at != index]
    checks = [parts[at].purpose == "test" for at in others if parts[at].purpose in CHECKS]
    if is_test in checks:
        return ""
    if len(text) > 2 * _READ_CHARS:
        text = text[:_READ_CHARS] + _CUT + text[-_READ_CHARS:]
    says = _signs(text, is_test=is_test, is_whole=part.joined_by != "|" and _CUT not in text)
    says = says or ("failed" if not checks and _has(_WENT_WRONG, text, 0) else "")
    if says in ("", "vacuous") or (says == "failed" and exit_ok is False):
        return says
    return "" if any(_is_loud(parts, at, is_test=is_test) for at in others) else says


@lru_cache(maxsize=4)
def _signs(text: str, *, is_test: bool, is_whole: bool) -> Literal["", "passed", "failed", "vacuous"]:
    """Read an output, once for all that is asked of it. `is_whole`: no pipe or cut may have left out a part of it."""
    if _has(_FAILED[is_test], text):
        return "failed"
    if is_test and 0 < text.count(_NO_TEST_OK) >= len(re.findall(r"(?m)^ok[ \t]", text)):
        return "vacuous"  # `go test -v` says "ok" of packages in which nothing ran
    if _has(_PASSED[is_test], text):
        return "passed"
    if is_test and (_has(_NO_TEST, text) or (is_whole and _has(_NO_TEST_HERE, text))):
        return "vacuous"
    return ""


def _has(pattern: str, text: str, flags: int = re.IGNORECASE) -> bool:
    return re.search(pattern, text, flags | re.MULTILINE) is not None


def _is_loud(parts: Sequence[Simple], at: int, *, is_test: bool) -> bool:
    """Whether a command of the line may print what reads like the end of a check."""
    part = parts[at]
    head = shell.program(part.words[0])
    if at and parts[at - 1].joined_by == "|":
        return head not in _HANDING_ON[is_test]
    if head in ("echo", "printf"):
        text = part.text.replace("$?", "")
        return any(mark in text for mark in "$%`\\") or _has(f"{_FAILED[is_test]}|{_PASSED[is_test]}", text)
    if head == "git":
        return git_words(part.words)[:1] == () or git_words(part.words)[0] in _LOUD_GIT
    return head in _LOUD or part.purpose in ("other", "pull-request")


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
