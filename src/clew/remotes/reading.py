"""What is read of a tracker beside the issues that clew keeps: an issue or pull request with what was said about it.

Texts come from a server, so they are anybody's; who takes them in cleans and redacts them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from clew.remotes.place import Repository

State = Literal["open", "closed", "merged", "draft"]


@dataclass(frozen=True, slots=True)
class Said:
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

    repository: Repository
    number: int
    title: str
    body: str
    author: str
    state: State
    labels: tuple[str, ...]
    url: str
    updated_at: str
    said: tuple[Said, ...]
    cut: bool = False
    into: str = ""
    of: str = ""
    diff: str = ""


class Discussions(Protocol):
    """Reads the issues and pull requests of one repository. Every call may wait for the network, a bounded time; errors
    are those of `clew.remotes.port.Tracker`.
    """

    def discussion(self, number: int, *, comments: bool = True, diff: bool = False) -> Discussion:
        """One of them; with `comments` and, of a pull request, reviews; with `diff` what it changes."""
        ...


# How the discussions of a repository are reached. Raises `Unavailable` without a login, or without the extra.
ConnectDiscussions: TypeAlias = Callable[[Repository], Discussions]
