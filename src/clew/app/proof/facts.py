"""What claims are proved against: facts of a session's record and of the disk, as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from clew.core.state.draft import Verdict
from clew.distill.commits import CommitDone

# Who brought words into the record: the user, the agent (prose and what it handed to tools), a tool's answer, a summary
# that the client made of what it dropped.
Source = Literal["user", "agent", "call", "tool", "summary"]


class Needle(NamedTuple):
    """Words that a claim needs in the record, `normal` (`anchors.py`), and a pattern that has to match there."""

    text: str
    pattern: str = ""


class ShellFact(NamedTuple):
    """One shell line, each of its commands as (`normal` text, the words that tell it from others). `ended`: the record
    has its end. `text`: the front and the end of what it printed.
    """

    command: str
    parts: tuple[tuple[str, frozenset[str]], ...]
    ok: bool
    text: str
    event: int
    ended: bool = True


class Push(NamedTuple):
    """A push that went through, with the branches that git told of; () if it told none."""

    event: int
    branches: frozenset[str]


class ClaimPart(NamedTuple):
    """What one thing that a claim says comes to. `doubtful`: not as told. `covers`: words that it accounts for."""

    verdict: Verdict
    reason: str
    doubtful: bool = False
    covers: str = ""


class RecordFacts(NamedTuple):
    """What a session's record says. `seen`: for each needle, whose words hold it. `user`: what the user said, `normal`,
    each prompt, answer and reason. `files`: how each edited file stands (`FileWork.status`), `edits`: each change of a
    project file as (path, event), `read` paths. `pushed`: the event of the last push, -1 none. `branches`: that of
    commits, by id. `written`: names of files that a tool or a command may have written. `given`: what the session was
    given of earlier ones, `normal`. `goes_on`: it begins with the summary of an earlier session, whose acts it does not
    hold.
    """

    known: bool = False
    seen: Mapping[Needle, frozenset[Source]] = {}
    user: tuple[str, ...] = ()
    commits: tuple[CommitDone, ...] = ()
    pushed: int = -1
    ran: tuple[ShellFact, ...] = ()
    files: Mapping[str, str] = {}
    edits: tuple[tuple[str, int], ...] = ()
    read: frozenset[str] = frozenset()
    branches: Mapping[str, str] = {}
    pushes: tuple[Push, ...] = ()
    written: frozenset[str] = frozenset()
    given: tuple[str, ...] = ()
    goes_on: bool = False

    def absent(self, reason: str) -> ClaimPart:
        """What it comes to that something is not in the record."""
        if self.goes_on:
            return ClaimPart("anchored", f"{reason}, but it goes on from an earlier one", doubtful=True)
        return ClaimPart("unsupported", reason)

    def whose(self, needle: Needle) -> frozenset[Source]:
        """Whose words hold a needle."""
        return self.seen.get(needle, frozenset())


class DiskFacts(NamedTuple):
    """How the work tree stands. `known` False: there is none, or git did not answer. `dirty`: paths that differ from
    HEAD, or are untracked (a folder with "/"). `commits`: subject by the id of the newest ones, and of those that
    claims name. `exists`: those of the claims' paths that are there. `touched`: the ids of the commits that touched
    them, by path.
    """

    known: bool = False
    dirty: frozenset[str] = frozenset()
    branch: str = ""
    commits: Mapping[str, str] = {}
    exists: frozenset[str] = frozenset()
    touched: Mapping[str, frozenset[str]] = {}

    def is_dirty(self, path: str) -> bool:
        """Whether a path, or a folder that holds it, differs from HEAD."""
        return any(one == path or (one.endswith("/") and path.startswith(one)) for one in self.dirty)
