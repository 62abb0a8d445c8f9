"""A tracker in memory: a small store of issues that behaves as a server's does, and a `Tracker` right on top of it.

The store is what a test edits as a person would, in a browser: each edit is a version with its author. A server that
speaks a real API over the same store is in the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from clew.core.errors import NotAllowed, NotFound
from clew.remotes.place import RemoteRepository
from clew.remotes.port import Comment, Issue, Revision

BODY_CHARS_MAX = 65_536


@dataclass(slots=True)
class StoredComment:
    """A comment as the store has it."""

    id: int
    login: str
    body: str
    at: str


@dataclass(slots=True)
class StoredIssue:
    """An issue as the store has it. `versions` are (time, login, type of account, body), the first one its opening.
    A body that is None was deleted from the history.
    """

    number: int
    title: str
    author: str
    versions: list[tuple[str, str, str, str | None]]
    labels: list[str] = field(default_factory=list)
    is_open: bool = True
    locked: bool = False
    deleted: bool = False
    moved_to: tuple[str, int] | None = None
    comments: list[StoredComment] = field(default_factory=list)
    updated_at: str = ""

    @property
    def body(self) -> str:
        """Its text now."""
        return self.versions[-1][3] or ""


class Forge:
    """The repositories of a server, by `owner/name`; `old_names` leads from a name before to the one now."""

    def __init__(self, host: str = "git.example") -> None:
        self.host = host
        self.issues: dict[str, dict[int, StoredIssue]] = {}
        self.old_names: dict[str, str] = {}
        self.readers: set[str] = set()  # logins that may only read: they set no labels and edit nobody's issue
        self._seconds = 1_795_305_600
        self._ids = 0

    def repository(self, name: str) -> dict[int, StoredIssue]:
        """The issues of a repository, which is made where there is none."""
        return self.issues.setdefault(self.old_names.get(name, name), {})

    def now(self) -> str:
        """The server's time, a second later each time that it is asked."""
        self._seconds += 1
        return datetime.fromtimestamp(self._seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def open(self, name: str, login: str, title: str, body: str, labels: tuple[str, ...] = ()) -> StoredIssue:
        """Somebody opens an issue."""
        there = self.repository(name)
        now = self.now()
        kept = [] if login in self.readers else list(labels)
        made = StoredIssue(len(there) + 1, title, login, [(now, login, "User", body)], kept, updated_at=now)
        there[made.number] = made
        return made

    def edit(self, name: str, number: int, login: str, body: str, *, account: str = "User") -> None:
        """Somebody saves another text."""
        issue = self.repository(name)[number]
        if issue.body != body:
            issue.updated_at = self.now()
            issue.versions.append((issue.updated_at, login, account, body))

    def comment(self, name: str, number: int, login: str, body: str) -> StoredComment:
        """Somebody says something."""
        issue = self.repository(name)[number]
        self._ids += 1
        issue.updated_at = self.now()
        issue.comments.append(StoredComment(self._ids, login, body, issue.updated_at))
        return issue.comments[-1]

    def move(self, name: str, number: int, to: str) -> StoredIssue:
        """An issue is transferred to another repository of the server, where it gets another number."""
        issue = self.repository(name)[number]
        made = self.open(to, issue.author, issue.title, issue.body)
        made.versions, made.labels, made.comments = list(issue.versions), list(issue.labels), issue.comments
        issue.moved_to = (to, made.number)
        return made

    def rename(self, name: str, to: str) -> None:
        """A repository gets another name; the old one leads there."""
        self.issues[to] = self.issues.pop(name)
        self.old_names[name] = to

    def url(self, name: str, number: int) -> str:
        """Where people see an issue."""
        return f"https://{self.host}/{name}/issues/{number}"


class MemoryTracker:
    """Implements `clew.remotes.port.Tracker` on a store, as `login`. `before` is called before each request with its
    name, and may raise: what it stands for was not done then. `after` may raise as well: it was done, and the answer
    is lost.
    """

    def __init__(
        self,
        forge: Forge,
        name: str,
        login: str,
        *,
        before: Callable[[str], object] = lambda _: None,
        after: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.forge, self.name, self.login = forge, name, login
        self._before, self._after = before, after

    @property
    def repository(self) -> RemoteRepository:
        owner, _, name = self.name.partition("/")
        return RemoteRepository(self.forge.host, owner, name)

    def elsewhere(self, repository: RemoteRepository) -> MemoryTracker:
        return MemoryTracker(self.forge, str(repository), self.login, before=self._before, after=self._after)

    def issue(self, number: int, *, etag: str = "") -> Issue | None:
        self._before("issue")
        name, found = self._there(number)
        return None if etag and etag == _etag(found) else self._told(name, found)

    def find(self, marker: str, *, label: str, since: str = "") -> Issue | None:
        self._before("find")
        name = self.forge.old_names.get(self.name, self.name)
        for found in self.forge.repository(name).values():
            is_meant = label in found.labels or (since and found.updated_at >= since)
            if is_meant and marker in found.body and found.moved_to is None:
                return self._told(name, found)
        return None

    def create(self, title: str, body: str, *, label: str, marker: str) -> Issue:
        self._before("create")
        found = self.forge.open(self.name, self.login, title, body, (label,))
        self._after("create")
        return self._told(self.name, found)

    def edit(self, number: int, *, title: str | None = None, body: str | None = None) -> Issue:
        self._before("edit")
        name, found = self._there(number)
        if self.login in self.forge.readers and found.author != self.login:
            raise NotAllowed("not allowed", code="E-issue-forbidden")
        if title is not None:
            found.title = title
        if body is not None:
            self.forge.edit(name, found.number, self.login, body)
        self._after("edit")
        return self._told(name, found)

    def add_label(self, number: int, label: str) -> None:
        self._before("label")
        _, found = self._there(number)
        if self.login in self.forge.readers:
            raise NotAllowed("not allowed", code="E-issue-forbidden")
        if label not in found.labels:
            found.labels.append(label)
        self._after("label")

    def revisions(self, number: int) -> tuple[Revision, ...] | None:
        self._before("revisions")
        _, found = self._there(number)
        told = tuple(Revision(at, login, account == "User", body) for at, login, account, body in found.versions)
        return told if len(told) > 1 else ()

    def comment(self, number: int, body: str, *, marker: str) -> Comment:
        self._before("comment")
        name, found = self._there(number)
        there = next((one for one in found.comments if marker in one.body), None)
        if there is None:
            if found.locked:
                raise NotAllowed("it is locked", code="E-issue-forbidden")
            there = self.forge.comment(name, found.number, self.login, body)
        self._after("comment")
        url = f"{self.forge.url(name, found.number)}#issuecomment-{there.id}"
        return Comment(there.id, there.body, there.login, url)

    def _there(self, number: int) -> tuple[str, StoredIssue]:
        name = self.forge.old_names.get(self.name, self.name)
        found = self.forge.repository(name).get(number)
        while found is not None and found.moved_to is not None:
            name, at = found.moved_to
            found = self.forge.repository(name).get(at)
        if found is None or found.deleted:
            raise NotFound(f"{self.name}#{number} is not there", code="E-issue-missing")
        return name, found

    def _told(self, name: str, found: StoredIssue) -> Issue:
        owner, _, repository = name.partition("/")
        return Issue(
            repository=RemoteRepository(self.forge.host, owner, repository),
            number=found.number,
            title=found.title,
            body=found.body.replace("\r\n", "\n"),
            is_open=found.is_open,
            locked=found.locked,
            labels=tuple(found.labels),
            url=self.forge.url(name, found.number),
            author=found.author,
            updated_at=found.updated_at,
            etag=_etag(found),
        )


def _etag(found: StoredIssue) -> str:
    return f'W/"{found.number}-{len(found.versions)}-{found.updated_at}-{found.title}"'
