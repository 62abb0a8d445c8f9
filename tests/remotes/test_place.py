"""Repositories by what git calls their remotes, and issues by what people call them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.errors import InputError
from clew.remotes.place import (
    RemoteRepository,
    is_chosen,
    issue_named,
    reference,
    remote_of,
    repository_in,
    repository_named,
)

_TILL = RemoteRepository("github.com", "acme", "till")


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/till.git",
        "https://github.com/acme/till",
        "https://user:token@github.com/acme/till.git/",
        "git@github.com:acme/till.git",
        "ssh://git@github.com/acme/till.git",
        "ssh://git@ssh.github.com:443/acme/till.git",
        "git://GitHub.com/acme/till",
    ],
)
def test_a_remote_names_its_repository(url: str) -> None:
    """However it is reached."""
    assert repository_in(url) == _TILL


@pytest.mark.parametrize(
    "url", ["", "/srv/git/till.git", "../till", "file:///srv/till", "https://github.com/acme", "a b"]
)
def test_a_folder_is_no_server(url: str) -> None:
    """Nor is half a URL."""
    assert repository_in(url) is None


def test_issues_are_asked_for_where_the_user_pushes() -> None:
    """What `gh repo set-default` chose comes first; never an upstream by itself."""
    urls = {"remote.upstream.url": "https://github.com/big/till", "remote.origin.url": "git@github.com:acme/till"}
    assert remote_of(urls) == _TILL
    chosen = remote_of({**urls, "remote.upstream.gh-resolved": "base"})
    assert chosen is not None and chosen.owner == "big"
    assert remote_of({"remote.mine.url": "git@github.com:acme/till"}) == _TILL
    assert remote_of({"remote.a.url": "/srv/a", "remote.b.url": "/srv/b"}) is None


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("24", (_TILL, 24)),
        ("#24", (_TILL, 24)),
        ("other/shop#7", (RemoteRepository("github.com", "other", "shop"), 7)),
        ("https://git.example/a/b/issues/3#issuecomment-1", (RemoteRepository("git.example", "a", "b"), 3)),
        ("http://127.0.0.1:8080/a/b/issues/3", (RemoteRepository("127.0.0.1:8080", "a", "b"), 3)),
    ],
)
def test_an_issue_is_named_in_many_ways(named: str, found: tuple[RemoteRepository, int]) -> None:
    """As people copy it."""
    assert issue_named(named, _TILL) == found


@pytest.mark.parametrize(
    "named", ["", "0", "#0", "T-7k2q", "tides", "https://github.com/acme/till/pull/3", "24 25", "٣"]
)
def test_what_names_no_issue_is_said(named: str) -> None:
    """A task's name is none."""
    with pytest.raises(InputError) as caught:
        issue_named(named, _TILL)
    assert caught.value.code == "E-issue-number"


def test_a_number_needs_a_repository() -> None:
    """A URL does not."""
    with pytest.raises(InputError) as caught:
        issue_named("24", None)
    assert caught.value.code == "E-issue-repository"
    assert issue_named("https://github.com/acme/till/issues/1", None) == (_TILL, 1)


def test_a_repository_is_named_with_or_without_its_server() -> None:
    """Without one it is on the server of this clone."""
    assert repository_named("acme/till", None) == _TILL
    assert repository_named("git.example/acme/till", _TILL).host == "git.example"
    with pytest.raises(InputError):
        repository_named("till", _TILL)


@given(text=st.text(max_size=60))
def test_no_text_makes_it_fail(text: str) -> None:
    """Whatever is typed is an issue or none."""
    found = reference(text)
    assert found is None or found.number >= 0
    repository_in(text)


def test_a_server_is_chosen_by_the_clone_or_by_its_user() -> None:
    """Never by an issue's URL."""
    here = repository_in("git@git.example:acme/till.git")
    assert is_chosen("github.com", None, {})
    assert is_chosen("git.example", here, {})
    assert is_chosen("git.other", here, {"GH_HOST": "Git.Other"})
    assert not is_chosen("evil.example", here, {"GH_HOST": "git.other"})
    assert not is_chosen("evil.ghe.com", None, {})
