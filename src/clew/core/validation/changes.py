"""A file before and after a change, and what makes a check weaker in one."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, Literal, NamedTuple

# deleted, skipped, loosened: of tests. hidden: a command that cannot fail any more. narrowed: it runs less.
# rigged: the runner is told what to say, or the code asks whether it is being tested.
# fewer: tests, when the phase ends.
Rule = Literal["deleted", "skipped", "loosened", "hidden", "narrowed", "rigged", "fewer"]
_TEST_PATH: Final = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|testing)/|(?:^|/)(?:test_[^/]*|conftest)\.py$|_test\.(?:py|go)$"
    r"|[._](?:test|spec)\.[cm]?[jt]sx?$|(?:^|/)[A-Z]\w*(?:Test|Tests|IT|Spec)\.(?:java|kt)$"
)
_SUFFIXES: Final = {
    "py": "python", "go": "go", "rs": "rust",
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), "javascript"),
}  # fmt: skip


class FileChange(NamedTuple):
    """A file before and after, None where it is not there. `was` is the path from which it was renamed, "" none."""

    path: str
    before: str | None
    after: str | None
    was: str = ""

    @property
    def added(self) -> list[tuple[int, str]]:
        """The lines that were not there before, with their numbers from 1."""
        return _beyond(self.after, self.before)

    @property
    def removed(self) -> list[str]:
        """The lines that are no longer there."""
        return [line for _, line in _beyond(self.before, self.after)]


def _beyond(text: str | None, other: str | None) -> list[tuple[int, str]]:
    """The lines of `text`, with their numbers, that `other` has not, or not as often."""
    known = Counter(line.strip() for line in (other or "").split("\n"))
    found = []
    for number, line in enumerate((text or "").split("\n"), start=1):
        if known[line.strip()] > 0:
            known[line.strip()] -= 1
        elif line.strip():
            found.append((number, line))
    return found


class WeakenedCheck(NamedTuple):
    """By `rule` a check was made weaker, in a file at a line (0 none); `what` is a sentence without its full stop."""

    rule: Rule
    path: str
    line: int
    what: str


def is_test(path: str) -> bool:
    """Whether a file holds tests, by its name."""
    return bool(_TEST_PATH.search(path))


def is_collected(path: str) -> bool:
    """Whether runners look for tests in a file of this name, as they do without being told."""
    name, kind = path.rpartition("/")[2], language(path)
    if kind == "python":
        return name.startswith("test_") or name.endswith("_test.py") or name in ("tests.py", "test.py")
    if kind == "javascript":
        return bool(re.search(r"[._-](?:test|spec)\.[cm]?[jt]sx?$|^test\.|__tests__/|test/", path))
    return name.endswith("_test.go") if kind == "go" else True


def language(path: str) -> str:
    """The language of a file by its name, "" for none that is read here."""
    return _SUFFIXES.get(path.rpartition(".")[2].lower(), "")
