"""GitHub's issues as a `Tracker`: which requests, and what their answers mean. How requests are made: `requests.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.core.errors import ClewError, InputError
from clew.remotes.github import wire
from clew.remotes.github.problems import unreachable
from clew.remotes.github.requests import Requests, Unsure
from clew.remotes.place import Repository
from clew.remotes.port import Comment, Issue, Revision, passes

# A hundred to a page. Whoever has more issues with clew's label finds one by its number (`clew issue link`).
_PAGES_MAX: Final = 20
_EDIT_PAGES_MAX: Final = 5
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
    """Implements `clew.remotes.port.Tracker`."""

    def __init__(self, repository: Repository, requests: Requests) -> None:
        self._repository = repository
        self._requests = requests

    @property
    def repository(self) -> Repository:
        return self._repository

    def elsewhere(self, repository: Repository) -> GitHubTracker:
        return GitHubTracker(repository, self._requests)

    def issue(self, number: int, *, etag: str = "") -> Issue | None:
        headers = {"If-None-Match": etag} if etag else {}
        answer = self._requests.ask("GET", self._issue(number), what=self._named(number), headers=headers)
        if answer.status == 304:
            return None
        return self._read(answer.content, wire.Issue, number=number, etag=answer.headers.get("etag", ""))

    def find(self, marker: str, *, label: str, since: str = "") -> Issue | None:
        ways = [{"labels": label}, *([{"since": since}] if since else [])]
        for way in ways:
            params = {"state": "all", "sort": "created", "direction": "asc", "per_page": "100", **way}
            for row in self._pages(f"{self._path}/issues", params, what=f"issues of {self._repository}"):
                found = self._decoded(row, wire.Issue)
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
            return self._read(answer.content, wire.Issue, number=0)
        raise unreachable(self._repository.host, "it answers nothing that tells whether the issue was opened")

    def edit(self, number: int, *, title: str | None = None, body: str | None = None) -> Issue:
        sent = {name: value for name, value in (("title", title), ("body", body)) if value is not None}
        answer = self._requests.ask("PATCH", self._issue(number), json=sent, what=self._named(number))
        return self._read(answer.content, wire.Issue, number=number)

    def add_label(self, number: int, label: str) -> None:
        path = f"{self._issue(number)}/labels"
        for _ in range(_TRIES):
            try:
                self._requests.ask("POST", path, json={"labels": [label]}, what=self._named(number))
                return
            except Unsure:  # a label that is there already is put there again without harm
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
                found.append(_revision(edit or wire.Edit(found[-1].at if found else "~")))
            if not edits.page.more:
                break
            after = edits.page.cursor
        else:
            found.append(_revision(wire.Edit()))  # those that are older still
        found.reverse()  # of two edits within a second the newer one came first
        return tuple(sorted(found, key=lambda one: one.at))

    def comment(self, number: int, body: str, *, marker: str) -> Comment:
        path = f"{self._issue(number)}/comments"
        for _ in range(_TRIES):
            for row in self._pages(path, {"per_page": "100"}, what=self._named(number)):
                there = self._decoded(row, wire.Comment)
                if marker in (there.body or ""):
                    return _comment(there)
            try:
                answer = self._requests.ask("POST", path, json={"body": body}, what=self._named(number))
            except Unsure:
                continue
            return _comment(self._decoded(answer.content, wire.Comment))
        raise unreachable(self._repository.host, "it answers nothing that tells whether the comment was made")

    @property
    def _path(self) -> str:
        return f"/repos/{self._repository.owner}/{self._repository.name}"

    def _issue(self, number: int) -> str:
        return f"{self._path}/issues/{number}"

    def _named(self, number: int) -> str:
        return f"{self._repository}#{number}"

    def _pages(self, path: str, params: dict[str, str], *, what: str) -> Iterator[msgspec.Raw]:
        """The rows of all pages of a list."""
        answer = self._requests.ask("GET", path, params=params, what=what)
        for _ in range(_PAGES_MAX):
            yield from self._decoded(answer.content, list[msgspec.Raw])
            if not answer.following:
                return
            answer = self._requests.ask("GET", answer.following, what=what)

    def _decoded(self, content: Any, shape: Any) -> Any:
        try:
            return msgspec.json.decode(content, type=shape)
        except (ValueError, RecursionError) as problem:
            raise unreachable(self._repository.host, "it answers something else than its API does") from problem

    def _read(self, content: bytes, shape: type[wire.Issue], *, number: int, etag: str = "") -> Issue:
        found = self._decoded(content, shape)
        if found.pull_request is not None:
            raise InputError(
                f"{self._named(number)} is a pull request, no issue",
                code="E-issue-number",
                hint="Name an issue: what a pull request says is its author's.",
            )
        return self._told(found, etag)

    def _told(self, found: wire.Issue, etag: str) -> Issue:
        """The issue where it is now: a renamed repository and an issue that was moved answer from their new place."""
        shown = _SHOWN.fullmatch(found.html_url)
        repository = self._repository
        if shown is not None:
            repository = Repository(repository.host, shown[2], shown[3])
        return Issue(
            repository=repository,
            number=found.number,
            title=found.title,
            body=(found.body or "").replace("\r\n", "\n"),
            is_open=found.state == "open",
            locked=found.locked,
            labels=tuple(one if isinstance(one, str) else one.name or "" for one in found.labels),
            url=found.html_url,
            author=found.user.login if found.user else "",
            updated_at=found.updated_at,
            etag=etag,
        )


def _revision(edit: wire.Edit) -> Revision:
    editor = edit.editor or wire.Actor()
    body = None if edit.diff is None else edit.diff.replace("\r\n", "\n")
    return Revision(edit.edited, editor.login, editor.type == "User", body)


def _comment(found: wire.Comment) -> Comment:
    return Comment(found.id, found.body or "", found.user.login if found.user else "", found.html_url)
