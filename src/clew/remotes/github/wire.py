"""What GitHub's API answers, as much of it as is read. Tolerant: unknown fields are passed over, missing ones empty."""

from __future__ import annotations

import msgspec


class User(msgspec.Struct):
    """REST, `simple-user`."""

    login: str = ""
    type: str = "User"


class Label(msgspec.Struct):
    """REST, a label of an issue."""

    name: str | None = ""


class IssueWire(msgspec.Struct):
    """REST, `issue`. A pull request is one as well, with a member that says so."""

    number: int
    title: str = ""
    body: str | None = ""
    state: str = "open"
    locked: bool = False
    labels: list[Label | str] = []
    html_url: str = ""
    user: User | None = None
    updated_at: str = ""
    pull_request: dict[str, object] | None = None


class IssueComment(msgspec.Struct):
    """REST, `issue-comment`."""

    id: int
    body: str | None = ""
    html_url: str = ""
    user: User | None = None
    created_at: str = ""


class Branch(msgspec.Struct):
    """REST, one side of a pull request: `owner:branch`."""

    label: str = ""


class Pull(msgspec.Struct):
    """REST, `pull-request`, beside what its issue says."""

    base: Branch = msgspec.field(default_factory=Branch)
    head: Branch = msgspec.field(default_factory=Branch)
    merged_at: str | None = None
    draft: bool | None = False


class PullRequestReview(msgspec.Struct):
    """REST, `pull-request-review`."""

    body: str | None = ""
    state: str = ""
    submitted_at: str | None = ""
    user: User | None = None


class LineComment(msgspec.Struct):
    """REST, `pull-request-review-comment`. `line` is null where the line is gone since."""

    body: str | None = ""
    path: str = ""
    line: int | None = None
    original_line: int | None = None
    created_at: str = ""
    user: User | None = None


class ApiProblem(msgspec.Struct):
    """What comes with a status of 400 and above."""

    message: str = ""
    errors: list[msgspec.Raw] = []


class Actor(msgspec.Struct):
    """GraphQL, `Actor`. Its type is `User`, `Bot`, `Mannequin`, `Organization` or `EnterpriseUserAccount`."""

    login: str = ""
    type: str = msgspec.field(name="__typename", default="")


class ContentEdit(msgspec.Struct):
    """GraphQL, `UserContentEdit`. Its `diff` is the whole text as the edit left it, null where that was deleted."""

    edited: str = msgspec.field(name="editedAt", default="")
    diff: str | None = None
    editor: Actor | None = None


class Page(msgspec.Struct):
    """GraphQL, `PageInfo`."""

    more: bool = msgspec.field(name="hasNextPage", default=False)
    cursor: str | None = msgspec.field(name="endCursor", default=None)


class Edits(msgspec.Struct):
    """GraphQL, a connection, the newest first."""

    page: Page = msgspec.field(name="pageInfo", default_factory=Page)
    nodes: list[ContentEdit | None] | None = None
