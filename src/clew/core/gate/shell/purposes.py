"""What each command of a shell line is for (the table is in `programs`)."""

import re
from functools import lru_cache

from clew.core.gate.shell.programs import INTERPRETERS, PURPOSES, TASK_RUNNERS, VALUED, Purpose
from clew.core.gate.shell.walker import Command, commands
from clew.core.gate.shell.words import OptionWords, behind_options, program

CHECKS = ("test", "lint", "build")

# What a part of the name of a task tells.
_TASK_NAMES: tuple[tuple[Purpose, tuple[str, ...]], ...] = (
    ("test", ("test", "spec", "verify", "e2e")),
    ("lint", ("lint", "fmt", "format", "typecheck", "type-check", "check", "vet")),
    ("build", ("build", "compile", "bundle", "generate", "package", "assemble")),
)
_TEST_TASKS = frozenset(["ci", "qa"])  # whole names; `npm ci` installs, and no task of its is called so
_RUN_WORDS = frozenset(["run", "run-script", "exec"])


def split(line: str) -> list[Command]:
    """The simple commands of a shell line with their purposes, in order, of which only the first 300. Never raises."""
    return list(_split(line))


@lru_cache(maxsize=256)
def _split(line: str) -> tuple[Command, ...]:
    """Several modules ask for the same line one after the other."""
    return tuple(one._replace(purpose=_purpose(one.words)) for one in commands(line))


def only_looks(line: str) -> bool:
    """Whether nothing in a shell line does more than look: what it prints says nothing about the work."""
    return all(part.purpose == "look" for part in _split(line))


def is_own(line: str) -> bool:
    """Whether a shell line runs clew and else only looks: it is about the ledger, not about the work."""
    return only_looks(line) and any(program(part.words[0]) == "clew" for part in _split(line))


def git_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a git command from its sub-command on, without git's own options."""
    return words[behind_options(words, 1, VALUED["git"].split()) :]


def _purpose(words: tuple[str, ...]) -> Purpose:
    head = program(words[0])
    if head == "python" and len(words) > 1 and words[1].endswith("manage.py"):
        return _purpose(words[1:])
    if head != "git" and _is_dry(head, words):
        return "look"
    names = OptionWords(words[1:], head).operands
    if head in TASK_RUNNERS:
        return _task_purpose(head, names)
    if _TEST_SCRIPT.search(names[0].rpartition("/")[2] if head in INTERPRETERS and names else head):
        return "test"
    keys = (" ".join((head, *names[:count])) for count in (2, 1, 0))
    known: Purpose = next((PURPOSES[key] for key in keys if key in PURPOSES), "other")
    return _git_purpose(known, git_words(words)) if head == "git" else known


# A program of the project's own that tests, by its name.
_TEST_SCRIPT = re.compile(r"^(?:run[_-])?tests?(?:[_-]\w+)*\.\w+$|[_.-](?:test|spec)s?\.\w+$", re.IGNORECASE)


def _task_purpose(head: str, names: list[str]) -> Purpose:
    """What a task runner's task is for, by its name; a bare `make` builds."""
    task = next((name for name in names if name not in _RUN_WORDS and "=" not in name and not name.isdigit()), "")
    if task in _TEST_TASKS and (head not in ("npm", "pnpm") or "run" in names):
        return "test"
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
