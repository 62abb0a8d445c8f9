"""GitHub's issues as a `Tracker`, and issues and pull requests as `Discussions`: which requests, and what their answers
mean. How requests are made: `requests.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from clew.core.errors import ClewError, InputError
from clew.remotes.github import wire
from clew.remotes.github.requests import Requests, Unsure, unreachable
from clew.remotes.place import RemoteRepository
from clew.remotes.port import Comment, Discussion, Issue, Remark, Revision, State, passes

# A hundred to a page. Whoever has more issues with clew's label finds one by its number (`clew issue link`).
_PAGES_MAX: Final = 20
_EDIT_PAGES_MAX: Final = 5
_DISCUSSION_PAGES_MAX: Final = 10
DIFF_BYTES_MAX: Final = 5 << 20
_DIFF: Final = {"Accept": "application/vnd.github.diff"}
_TRIES: Final = 3
_SHOWN: Final = re.compile(r"https?://([^/]+)/([^/]+)/([^/]+)/(issues|pull)/\d+")

_EDITS: Final = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      userContentEdits(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { editedAt diff editor { __typename login } }
      }
    }
  }
}
"""


class GitHubTracker:
    """Implements `clew.remotes.port.Tracker` and `Discussions`."""

    def __init__(self, repository: RemoteRepository, requests: Requests) -> None:
        self._repository = repository
        self._requests = requests

    @property
    def repository(self) -> RemoteRepository:
        return self._repository

    def elsewhere(self, repository: RemoteRepository) -> GitHubTracker:
        return GitHubTracker(repository, self._requests)

    def issue(self, number: int, *, etag: str = "") -> Issue | None:
        headers = {"If-None-Match": etag} if etag else {}
        answer = self._requests.ask("GET", self._issue(number), what=self._named(number), headers=headers)
        if answer.status == 304:
            return None
        return self._read(answer.content, wire.IssueWire, number=number, etag=answer.headers.get("etag", ""))

    def find(self, marker: str, *, label: str, since: str = "") -> Issue | None:
        ways = [{"labels": label}, *([{"since": since}] if since else [])]
        for way in ways:
            params = {"state": "all", "sort": "created", "direction": "asc", **way}
            for found in self._pages(f"{self._path}/issues", wire.IssueWire, f"issues of {self._repository}", params):
                if marker in (found.body or "") and found.pull_request is None:
                    return self._told(found, "")
        return None

    def create(self, title: str, body: str, *, label: str, marker: str) -> Issue:
        sent = {"title": title, "body": body, "labels": [label]}
        since = self._requests.now()
        for _ in range(_TRIES):
            try:
                answer = self._requests.ask(
                    "POST", f"{self._path}/issues", json=sent, what=f"issues of {self._repository}"
                )
            except Unsure:
                if found := self.find(marker, label=label, since=since):
                    return found
                continue
            return self._read(answer.content, wire.IssueWire, number=0)
        raise unreachable(self._repository.host, "it answers nothing that tells whether the issue was opened")

    def edit(self, number: int, *, title: str | None = None, body: str | None = None) -> Issue:
        sent = {name: value for name, value in (("title", title), ("body", body)) if value is not None}
        answer = self._requests.ask("PATCH", self._issue(number), json=sent, what=self._named(number))
        return self._read(answer.content, wire.IssueWire, number=number)

    def add_label(self, number: int, label: str) -> None:
        path = f"{self._issue(number)}/labels"
        for _ in range(_TRIES):
            try:
                self._requests.ask("POST", path, json={"labels": [label]}, what=self._named(number))
                return
            except Unsure:  # a label that exists already is put there again without harm
                continue
        raise unreachable(self._repository.host, "it does not answer")

    def revisions(self, number: int) -> tuple[Revision, ...] | None:
        found: list[Revision] = []
        after: str | None = None
        for _ in range(_EDIT_PAGES_MAX):
            where = {"owner": self._repository.owner, "name": self._repository.name, "number": number, "after": after}
            try:
                data = self._requests.query(_EDITS, where, what=self._named(number))
                told = data["repository"]["issue"]["userContentEdits"]
                edits = msgspec.convert(told, wire.Edits)
            except (KeyError, TypeError, msgspec.ValidationError):
                return None
            except ClewError as problem:
                if passes(problem):
                    raise
                return None  # it takes the right to write, and not every server or token offers it
            for edit in edits.nodes or ():
                # A node that is not told stands where it was: beside the next newer one.
                found.append(_revision(edit or wire.ContentEdit(found[-1].at if found else "~")))
            if not edits.page.more:
                break
            after = edits.page.cursor
        else:
            found.append(_revision(wire.ContentEdit()))  # those that are older still
        found.reverse()  # of two edits within a second the newer one came first
        return tuple(sorted(found, key=lambda one: one.at))

    def comment(self, number: int, body: str, *, marker: str) -> Comment:
        path = f"{self._issue(number)}/comments"
        for _ in range(_TRIES):
            for there in self._pages(path, wire.IssueComment, self._named(number)):
                if marker in (there.body or ""):
                    return _comment(there)
            try:
                answer = self._requests.ask("POST", path, json={"body": body}, what=self._named(number))
            except Unsure:
                continue
            return _comment(self._decoded(answer.content, wire.IssueComment))
        raise unreachable(self._repository.host, "it answers nothing that tells whether the comment was made")

    def discussion(self, number: int, *, comments: bool = True, diff: bool = False) -> Discussion:
        what = self._named(number)
        found = self._one(self._issue(number), wire.IssueWire, what)
        pull = self._one(self._pull(number), wire.Pull, what) if found.pull_request is not None else None
        said, cut = self._said(number, is_pull=pull is not None) if comments else ([], False)
        issue = self._told(found, "")
        return Discussion(
            repository=self._repository,
            number=issue.number,
            title=issue.title,
            body=issue.body,
            author=issue.author,
            state=_state(found, pull),
            labels=issue.labels,
            url=issue.url,
            updated_at=issue.updated_at,
            said=tuple(sorted(said, key=lambda one: one.at)),
            cut=cut,
            into=pull.base.label if pull else "",
            of=pull.head.label if pull else "",
            diff=self._diff(number) if pull is not None and diff else "",
        )

    def _said(self, number: int, *, is_pull: bool) -> tuple[list[Remark], bool]:
        lists: list[tuple[str, Any]] = [(f"{self._issue(number)}/comments", wire.IssueComment)]
        if is_pull:
            pull = self._pull(number)
            lists += [(f"{pull}/reviews", wire.PullRequestReview), (f"{pull}/comments", wire.LineComment)]
        found, cut = [], False
        for path, shape in lists:
            rows = list(self._pages(path, shape, self._named(number), limit=_DISCUSSION_PAGES_MAX))
            cut = cut or len(rows) == _DISCUSSION_PAGES_MAX * 100
            found += [_message(row) for row in rows if (row.body or "").strip()]
        return found, cut

    def _diff(self, number: int) -> str:
        what = f"the diff of {self._named(number)}"
        answer = self._requests.ask("GET", self._pull(number), what=what, headers=_DIFF)
        if len(answer.content) > DIFF_BYTES_MAX:
            raise InputError(
                f"{what} has more than {DIFF_BYTES_MAX >> 20} MiB",
                code="E-source-large",
                hint="Leave `diff` out; fetch the branch, and use a `git-diff` source with `paths`.",
            )
        return answer.content.decode("utf-8", "replace")

    @property
    def _path(self) -> str:
        return f"/repos/{self._repository.owner}/{self._repository.name}"

    def _issue(self, number: int) -> str:
        return f"{self._path}/issues/{number}"

    def _pull(self, number: int) -> str:
        return f"{self._path}/pulls/{number}"

    def _named(self, number: int) -> str:
        return f"{self._repository}#{number}"

    def _pages(
        self,
        path: str,
        shape: Any,
        what: str,
        params: Mapping[str, str] = MappingProxyType({}),
        limit: int = _PAGES_MAX,
    ) -> Iterator[Any]:
        """The rows of the first `limit` pages of a list."""
        answer = self._requests.ask("GET", path, params={"per_page": "100", **params}, what=what)
        for page in range(limit):
            yield from self._decoded(answer.content, list[shape])
            if not answer.following or page + 1 == limit:
                return
            answer = self._requests.ask("GET", answer.following, what=what)

    def _one(self, path: str, shape: Any, what: str) -> Any:
        return self._decoded(self._requests.ask("GET", path, what=what).content, shape)

    def _decoded(self, content: Any, shape: Any) -> Any:
        try:
            return msgspec.json.decode(content, type=shape)
        except (ValueError, RecursionError) as problem:
            raise unreachable(self._repository.host, "it answers something else than its API does") from problem

    def _read(self, content: bytes, shape: type[wire.IssueWire], *, number: int, etag: str = "") -> Issue:
        found = self._decoded(content, shape)
        if found.pull_request is not None:
            raise InputError(
                f"{self._named(number)} is a pull request, no issue",
                code="E-issue-number",
                hint="Name an issue: what a pull request says is its author's.",
            )
        return self._told(found, etag)

    def _told(self, found: wire.IssueWire, etag: str) -> Issue:
        """The issue where it is now: a renamed repository and an issue that was moved answer from their new place."""
        shown = _SHOWN.fullmatch(found.html_url)
        repository = self._repository
        if shown is not None:
            repository = RemoteRepository(repository.host, shown[2], shown[3])
        return Issue(
            repository=repository,
            number=found.number,
            title=found.title,
            body=(found.body or "").replace("\r\n", "\n"),
            is_open=found.state == "open",
            locked=found.locked,
            labels=tuple(one if isinstance(one, str) else one.name or "" for one in found.labels),
            url=found.html_url,
            author=_login(found.user),
            updated_at=found.updated_at,
            etag=etag,
        )


def _revision(edit: wire.ContentEdit) -> Revision:
    editor = edit.editor or wire.Actor()
    body = None if edit.diff is None else edit.diff.replace("\r\n", "\n")
    return Revision(edit.edited, editor.login, editor.type == "User", body)


def _comment(found: wire.IssueComment) -> Comment:
    return Comment(found.id, found.body or "", _login(found.user), found.html_url)


def _state(issue: wire.IssueWire, pull: wire.Pull | None) -> State:
    if pull is not None and pull.merged_at:
        return "merged"
    if issue.state != "open":
        return "closed"
    return "draft" if pull is not None and pull.draft else "open"


def _message(row: wire.IssueComment | wire.PullRequestReview | wire.LineComment) -> Remark:
    body = (row.body or "").replace("\r\n", "\n")
    if isinstance(row, wire.PullRequestReview):
        return Remark(_login(row.user), row.submitted_at or "", body, row.state.lower().replace("_", " "))
    if isinstance(row, wire.LineComment):
        line = row.line or row.original_line
        return Remark(_login(row.user), row.created_at, body, f"{row.path}:{line}" if line else row.path)
    return Remark(_login(row.user), row.created_at, body)


def _login(user: wire.User | None) -> str:
    return user.login if user else ""
