"""A server that speaks GitHub's API, and who asks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest

from clew.remotes.github.requests import Requests
from clew.remotes.github.tracker import GitHubTracker
from clew.remotes.place import RemoteRepository
from tests.remotes.github.server import Server, serving

NAME = "acme/till"
NOW_S = 1_795_400_000.0


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        made.forge.repository(NAME)
        yield made


class Slept(list[float]):
    """The pauses that were made, in seconds; none of them takes any time."""


@pytest.fixture
def slept() -> Slept:
    return Slept()


Ask = Callable[..., GitHubTracker]


@pytest.fixture
def ask(server: Server, slept: Slept) -> Ask:
    """Somebody asks the server, with a token, and patience: on a busy machine our own server may be late."""

    def tracker(name: str = NAME, token: str = "token-of-ada", patience_s: float = 60) -> GitHubTracker:
        owner, _, repository = name.partition("/")
        timeout = httpx.Timeout(patience_s)
        requests = Requests(server.host, token, sleep=slept.append, now_s=lambda: NOW_S, timeout=timeout)
        return GitHubTracker(RemoteRepository(server.host, owner, repository), requests)

    return tracker
