"""What a tracker offers: issues that hold a document, who edited them, comments, and discussions to read.

Texts come from a server, so they are anybody's; who takes them in cleans and redacts them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from clew.core.errors import Unavailable
from clew.remotes.place import RemoteRepository

# What passes by itself: the network, the server, a limit of requests. What was to be sent waits for it.
PASSING: Final = frozenset(("E-issue-unreachable", "E-issue-limit"))


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue as the server has it. `repository` and `number` are where it is now: it may have been moved.

    `body` has "\\n" as line end. `author` is the login of who opened it. `updated_at` is RFC 3339 UTC. `etag` names
    this version, "" where the server named none.
    """

    repository: RemoteRepository
    number: int
    title: str
    body: str
    is_open: bool
    locked: bool
    labels: tuple[str, ...]
    url: str
    author: str
    updated_at: str
    etag: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """The body as one edit left it. `login` is who edited ("" not told), `is_person`: by a user's account, no bot's.
    `body` None: one or more edits stood here, and their text is not told (deleted from the history, or too old).
    """

    at: str
    login: str
    is_person: bool
    body: str | None


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment. `id` is the server's number."""

    id: int
    body: str
    login: str
    url: str


class Tracker(Protocol):
    """The issues of one repository. Every method may wait for the network, a bounded time.

    Raises `Unavailable` with a code of `PASSING` where it may work later, `Unavailable` (E-issue-access) without a
    login that the server takes, `NotAllowed` (E-issue-forbidden), `NotFound` (E-issue-missing), `InputError`
    (E-issue-refused). What is written may be asked for again: no call of `create` or `comment` makes a second one of
    the same marker, also where an answer was lost.
    """

    @property
    def repository(self) -> RemoteRepository:
        """Which one, as it was asked for."""
        ...

    def elsewhere(self, repository: RemoteRepository) -> Tracker:
        """The same login for another repository of the server: an issue was moved there."""
        ...

    def issue(self, number: int, *, etag: str = "") -> Issue | None:
        """One issue; None if it is as it was when the server gave that `etag`."""
        ...

    def find(self, marker: str, *, label: str, since: str = "") -> Issue | None:
        """The oldest issue whose body holds `marker`, among those with the label, then (with `since`, RFC 3339) among
        those changed after that.
        """
        ...

    def create(self, title: str, body: str, *, label: str, marker: str) -> Issue:
        """Open an issue. `marker` stands in the body."""
        ...

    def edit(self, number: int, *, title: str | None = None, body: str | None = None) -> Issue:
        """Replace title or body."""
        ...

    def add_label(self, number: int, label: str) -> None:
        """Put a label on an issue, beside those that it has."""
        ...

    def revisions(self, number: int) -> tuple[Revision, ...] | None:
        """How the body came to be, the oldest first, with a revision without a body for each gap. () if nobody edited
        it, None where the server does not tell.
        """
        ...

    def comment(self, number: int, body: str, *, marker: str) -> Comment:
        """Say something, unless a comment holds `marker` already: then that one."""
        ...


# How a tracker for a repository is reached. Raises `Unavailable` without a login, or without the extra.
Connect: TypeAlias = Callable[[RemoteRepository], Tracker]


def passes(error: Exception) -> bool:
    """Whether what failed may work later."""
    return isinstance(error, Unavailable) and error.code in PASSING


State = Literal["open", "closed", "merged", "draft"]


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that was said. `at` is RFC 3339 UTC; `about` is what it is about ("" the whole): a review's verdict, or
    the place in a file.
    """

    login: str
    at: str
    body: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Discussion:
    """An issue, or a pull request with `into` the branch that it is for and `of` the one that it brings ("" an issue).
    `said` is in the order of time, `cut` where there was more than is read. `diff` is "" where it was not asked for.
    """

    repository: RemoteRepository
    number: int
    title: str
    body: str
    author: str
    state: State
    labels: tuple[str, ...]
    url: str
    updated_at: str
    said: tuple[Remark, ...]
    cut: bool = False
    into: str = ""
    of: str = ""
    diff: str = ""


class Discussions(Protocol):
    """Reads the issues and pull requests of one repository. Every call may wait for the network, a bounded time; errors
    are those of `Tracker`.
    """

    def discussion(self, number: int, *, comments: bool = True, diff: bool = False) -> Discussion:
        """One of them; with `comments` and, of a pull request, reviews; with `diff` what it changes."""
        ...


# How the discussions of a repository are reached. Raises `Unavailable` without a login, or without the extra.
ConnectDiscussions: TypeAlias = Callable[[RemoteRepository], Discussions]
