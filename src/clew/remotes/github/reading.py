"""GitHub's issues and pull requests as `Discussions`: which requests, and what their answers mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.core.errors import InputError
from clew.remotes.github import wire
from clew.remotes.github.problems import unreachable
from clew.remotes.github.requests import Requests
from clew.remotes.place import Repository
from clew.remotes.reading import Discussion, Said, State

# A hundred to a page.
_PAGES_MAX: Final = 10
DIFF_BYTES_MAX: Final = 5 << 20
_DIFF: Final = {"Accept": "application/vnd.github.diff"}


class GitHubDiscussions:
    """Implements `clew.remotes.reading.Discussions`."""

    def __init__(self, repository: Repository, requests: Requests) -> None:
        self._repository = repository
        self._requests = requests
        self._path = f"/repos/{repository.owner}/{repository.name}"

    def discussion(self, number: int, *, comments: bool = True, diff: bool = False) -> Discussion:
        what = f"{self._repository}#{number}"
        issue = self._one(f"issues/{number}", wire.Issue, what)
        pull = self._one(f"pulls/{number}", wire.Pull, what) if issue.pull_request is not None else None
        said, cut = self._said(number, is_pull=pull is not None, what=what) if comments else ([], False)
        return Discussion(
            repository=self._repository,
            number=issue.number,
            title=issue.title,
            body=(issue.body or "").replace("\r\n", "\n"),
            author=_login(issue.user),
            state=_state(issue, pull),
            labels=tuple(one if isinstance(one, str) else one.name or "" for one in issue.labels),
            url=issue.html_url,
            updated_at=issue.updated_at,
            said=tuple(sorted(said, key=lambda one: one.at)),
            cut=cut,
            into=pull.base.label if pull else "",
            of=pull.head.label if pull else "",
            diff=self._diff(number, what) if pull is not None and diff else "",
        )

    def _said(self, number: int, *, is_pull: bool, what: str) -> tuple[list[Said], bool]:
        lists: list[tuple[str, Any]] = [(f"issues/{number}/comments", wire.Comment)]
        if is_pull:
            lists += [(f"pulls/{number}/reviews", wire.Review), (f"pulls/{number}/comments", wire.LineComment)]
        found, cut = [], False
        for path, shape in lists:
            rows = list(self._pages(path, shape, what))
            cut = cut or len(rows) == _PAGES_MAX * 100
            found += [_told(row) for row in rows if (row.body or "").strip()]
        return found, cut

    def _diff(self, number: int, what: str) -> str:
        answer = self._requests.ask("GET", f"{self._path}/pulls/{number}", what=f"the diff of {what}", headers=_DIFF)
        if len(answer.content) > DIFF_BYTES_MAX:
            raise InputError(
                f"the diff of {what} has more than {DIFF_BYTES_MAX >> 20} MiB",
                code="E-source-large",
                hint="Leave `diff` out; fetch the branch, and use a `git-diff` source with `paths`.",
            )
        return answer.content.decode("utf-8", "replace")

    def _one(self, path: str, shape: Any, what: str) -> Any:
        return self._decoded(self._requests.ask("GET", f"{self._path}/{path}", what=what).content, shape)

    def _pages(self, path: str, shape: Any, what: str) -> Iterator[Any]:
        answer = self._requests.ask("GET", f"{self._path}/{path}", params={"per_page": "100"}, what=what)
        for page in range(_PAGES_MAX):
            yield from self._decoded(answer.content, list[shape])
            if not answer.following or page + 1 == _PAGES_MAX:
                return
            answer = self._requests.ask("GET", answer.following, what=what)

    def _decoded(self, content: bytes, shape: Any) -> Any:
        try:
            return msgspec.json.decode(content, type=shape)
        except (ValueError, RecursionError) as problem:
            raise unreachable(self._repository.host, "it answers something else than its API does") from problem


def _state(issue: wire.Issue, pull: wire.Pull | None) -> State:
    if pull is not None and pull.merged_at:
        return "merged"
    if issue.state != "open":
        return "closed"
    return "draft" if pull is not None and pull.draft else "open"


def _told(row: wire.Comment | wire.Review | wire.LineComment) -> Said:
    body = (row.body or "").replace("\r\n", "\n")
    if isinstance(row, wire.Review):
        return Said(_login(row.user), row.submitted_at or "", body, row.state.lower().replace("_", " "))
    if isinstance(row, wire.LineComment):
        line = row.line or row.original_line
        return Said(_login(row.user), row.created_at, body, f"{row.path}:{line}" if line else row.path)
    return Said(_login(row.user), row.created_at, body)


def _login(user: wire.User | None) -> str:
    return user.login if user else ""
