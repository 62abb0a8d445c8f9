"""Issues and pull requests as sources, asked of a server that speaks GitHub's API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from clew.core.errors import ClewError
from clew.remotes.github.requests import Requests
from clew.remotes.github.tracker import GitHubTracker
from clew.remotes.place import RemoteRepository
from clew.sources.port import Fetched, SourceContext
from clew.sources.registry import source, spec_of
from clew.workspace.git import Git
from tests.remotes.github.server import Pull, Server, serving
from tests.workspace.repos import Repo, clean_environment

NAME = "acme/till"


def context_of(server: Server, folder: Path) -> SourceContext:
    """A clone of the server's repository, and somebody who has a login there."""
    repo = Repo(folder / "till")
    repo.git("remote", "add", "origin", f"http://{server.host}/{NAME}.git")

    def connect(repository: RemoteRepository) -> GitHubTracker:
        requests = Requests(
            repository.host, "token-of-ada", sleep=lambda _: None, now_s=lambda: 0.0, timeout=httpx.Timeout(5.0)
        )
        return GitHubTracker(repository, requests)

    return SourceContext(root=repo.top, git=Git.at(repo.top, environment=clean_environment()), discussions=connect)


def fetched(at: SourceContext, *issues: str | int, **more: Any) -> Fetched:
    table = {"kind": "github", "issues": list(issues), **more}
    return source("github").fetch(spec_of(table, "source 1"), at, table)


@contextmanager
def told() -> Iterator[Server]:
    """A server with an issue and a pull request."""
    with serving() as made:
        issue = made.forge.open(NAME, "bo", "Tides\nare off", "By an hour.\r\nOr two.", ("bug",))
        made.forge.comment(NAME, issue.number, "ada", "Since Friday.")
        pull = made.forge.open(NAME, "ada", "Fix the tides", "Closes #1.")
        made.forge.comment(NAME, pull.number, "bo", "Thanks.").at = "2026-11-23T10:00:00Z"
        made.pulls[NAME, pull.number] = Pull(
            head="ada:mend",
            merged_at="2026-11-24T10:00:00Z",
            diff="diff --git a/t.py b/t.py\n+tide = 2\n",
            reviews=(("bo", "CHANGES_REQUESTED", "Not yet.", "2026-11-22T10:00:00Z"), ("bo", "APPROVED", "", "")),
            lines=(
                ("bo", "t.py", 7, "Off by one?", "2026-11-22T10:00:01Z"),
                ("bo", "u.py", None, "Gone.", "2026-11-22T10:00:02Z"),
            ),
        )
        yield made


@pytest.fixture
def server() -> Iterator[Server]:
    with told() as made:
        yield made


def test_an_issue_comes_with_what_was_said(server: Server, tmp_path: Path) -> None:
    """By number or by address, once; title and logins in one line."""
    at = context_of(server, tmp_path)
    found = fetched(at, 1, f"http://{server.host}/{NAME}/issues/1")
    [part] = found.parts
    time = server.forge.issues[NAME][1].comments[0].at
    assert (f"{NAME}#1", "markdown") == (part.name, part.language)
    assert (
        f"# Issue #1: Tides are off\n\nopen · by bo · `bug` · http://{server.host}/{NAME}/issues/1\n\n"
        f"By an hour.\nOr two.\n\n## ada, {time}\n\nSince Friday.\n"
    ) == part.text
    assert f"1 issue of {NAME}, 1 comments, last changed {time}" == found.provenance
    assert "Since Friday" not in fetched(at, 1, comments=False).parts[0].text


def test_a_pull_request_comes_with_its_reviews_and_its_diff(server: Server, tmp_path: Path) -> None:
    """In the order of time, each with what it is about."""
    found = fetched(context_of(server, tmp_path), f"http://{server.host}/{NAME}/pull/2/files", diff=True)
    assert [f"{NAME}#2", f"{NAME}#2.diff"] == [part.name for part in found.parts]
    rows = found.parts[0].text.split("\n")
    assert "# Pull request #2: Fix the tides" == rows[0]
    assert rows[2].startswith("merged · by ada · ") and rows[2].endswith("ada:mend into acme:main")
    heads = [row for row in rows if row.startswith("## ")]
    assert [
        "## bo, 2026-11-22T10:00:00Z, changes requested",
        "## bo, 2026-11-22T10:00:01Z, t.py:7",
        "## bo, 2026-11-22T10:00:02Z, u.py:3",
    ] == heads[:3]
    assert 4 == len(heads)
    assert "+tide = 2" in found.parts[1].text and "diff" == found.parts[1].language
    assert found.provenance.startswith(f"1 pull request of {NAME}, 4 comments")


def test_many_comments_come_page_by_page_and_a_cut_is_said(server: Server, tmp_path: Path) -> None:
    """A thousand are enough for anybody."""
    for number in range(1_050):
        server.forge.comment(NAME, 1, "bo", f"word {number}")
    found = fetched(context_of(server, tmp_path), 1)
    assert "word 998" in found.parts[0].text and "word 999" not in found.parts[0].text
    assert (f"Of {NAME}#1 not all comments were read.",) == found.notes


def test_a_bad_moment_is_sat_out(server: Server, tmp_path: Path) -> None:
    """As for the issues that clew keeps."""
    server.fail("GET", "/issues/1$", 502)
    server.fail("GET", "/comments", 429, Retry_After="2")
    assert "Since Friday" in fetched(context_of(server, tmp_path), 1).parts[0].text
    assert 0 == server.pending_faults


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("9", "E-issue-missing"),
        ("https://evil.example/acme/till/issues/1", "E-source-refused"),
        ("the first one", "E-issue-number"),
    ],
)
def test_what_cannot_be_had_is_said(server: Server, tmp_path: Path, named: str, code: str) -> None:
    """A login is shown to GitHub and the clone's own server, whatever a stack names."""
    with pytest.raises(ClewError) as refused:
        fetched(context_of(server, tmp_path), named)
    assert code == refused.value.code
    assert all(request.path.endswith("/issues/9") for request in server.came)
