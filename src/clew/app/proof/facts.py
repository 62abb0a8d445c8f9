"""What claims are proved against: facts of a session's record and of the disk, as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from clew.core.state.draft import Verdict
from clew.distill.checks import Check
from clew.distill.commits import CommitDone

# Who brought words into the record: the user, the agent (prose and what it handed to tools), a tool's answer, a summary
# that the client made of what it dropped.
Source = Literal["user", "agent", "call", "tool", "summary"]
NOWHERE: Final[frozenset[Source]] = frozenset()


class Needle(NamedTuple):
    """Words that a claim needs in the record, `normal` (`anchors.py`). `how`: "part" of any text; "word": not within a
    longer number; "name": a word by itself; "near": a number with one of `beside` near it; "line": in one line with all
    of `beside`; "ratio": the whole of one whose part is `beside` (of any without it);
    "ref": the number of a pull request or issue; else a count of what is named so (`scan.py`).
    """

    text: str
    how: str = "part"
    beside: tuple[str, ...] = ()


class Ran(NamedTuple):
    """One shell line that came to its end. `parts`: each of its commands as (`normal` text without redirections, the
    words that tell it from others). `text`: the front and the end of what it printed. `event` orders it among all that
    happened.
    """

    command: str
    parts: tuple[tuple[str, frozenset[str]], ...]
    ok: bool
    text: str
    event: int


class Push(NamedTuple):
    """A push that went through, with the branches that git told of; () if it told none."""

    event: int
    branches: frozenset[str]


class Part(NamedTuple):
    """What one thing that a claim says comes to. `doubtful`: it is anchored, but not as the claim has it. `covers`: the
    words of a claim that it accounts for, where it is about no more than them.
    """

    verdict: Verdict
    reason: str
    doubtful: bool = False
    covers: str = ""


class Chosen(NamedTuple):
    """What the user chose of what the agent offered, `normal`, and what else was offered."""

    answer: str
    others: tuple[str, ...]


class RecordFacts(NamedTuple):
    """What a session's record says. `seen`: for each needle, whose words hold it. `user`: what the user said, `normal`,
    each prompt, answer and reason; `agreed`: what the agent had said before a short yes. `files`: how each edited file
    stands (`FileWork.status`), `edits`: each change of a project file as (path, event), `read` paths. `pushed`: the
    event of the last push, -1 none. `acts`: (word, event) of what commands did (merged, released …). `opened`: a pull
    request or an issue was opened. `branches`: that of commits, by id. `written`: names of files that a tool or a
    command may have written. `asked`: what the agent asked in prose, `normal`, and nobody answered.
    `given`: what the session was given of earlier ones, `normal`. `goes_on`: it begins with the summary of an earlier
    session, whose acts it does not hold.
    """

    known: bool = False
    seen: Mapping[Needle, frozenset[Source]] = {}
    user: tuple[str, ...] = ()
    agreed: tuple[str, ...] = ()
    commits: tuple[CommitDone, ...] = ()
    pushed: int = -1
    checks: tuple[Check, ...] = ()
    ran: tuple[Ran, ...] = ()
    files: Mapping[str, str] = {}
    edits: tuple[tuple[str, int], ...] = ()
    read: frozenset[str] = frozenset()
    acts: Mapping[str, int] = {}
    chosen: tuple[Chosen, ...] = ()
    opened: bool = False
    branches: Mapping[str, str] = {}
    pushes: tuple[Push, ...] = ()
    written: frozenset[str] = frozenset()
    asked: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    goes_on: bool = False

    def absent(self, reason: str) -> Part:
        """What it comes to that something is not in the record."""
        if self.goes_on:
            return Part("anchored", f"{reason}, but it goes on from an earlier one", doubtful=True)
        return Part("unsupported", reason)

    def whose(self, needle: Needle) -> frozenset[Source]:
        """Whose words hold a needle."""
        return self.seen.get(needle, NOWHERE)


class DiskFacts(NamedTuple):
    """How the work tree stands. `known` False: there is none, or git did not answer. `dirty`: paths that differ from
    HEAD, or are untracked (a folder with "/"). `commits`: subject by the id of the newest ones, and of those that
    claims name. `exists`: those of the claims' paths that are there. `touched`: the ids of the commits that touched
    them, by path. `named`: those of the claims' names that the tracked files' names hold.
    """

    known: bool = False
    dirty: frozenset[str] = frozenset()
    branch: str = ""
    commits: Mapping[str, str] = {}
    exists: frozenset[str] = frozenset()
    touched: Mapping[str, frozenset[str]] = {}
    named: frozenset[str] = frozenset()

    def is_dirty(self, path: str) -> bool:
        """Whether a path, or a folder that holds it, differs from HEAD."""
        return any(one == path or (one.endswith("/") and path.startswith(one)) for one in self.dirty)
