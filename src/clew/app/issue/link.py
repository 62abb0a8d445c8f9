"""What the ledger knows of the issue of a task: where it is, which bodies of it were written and taken in, what waits.

Knows nothing about the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clew.app.issue.body import HiddenBlock
from clew.app.project.session import ProjectSession
from clew.app.results import JsonResult
from clew.core.state.events import Event, Value
from clew.core.state.ids import identity
from clew.core.state.projection import number_of
from clew.remotes.place import RemoteRepository
from clew.remotes.port import Issue

KINDS: Final = ("issue.linked", "issue.base", "issue.written", "issue.commented", "issue.queued")
# A line that is longer is kept in pieces of this length.
_LINE_CHARS_MAX: Final = 8_000
_BEGINS, _GOES_ON = " ", "+"


@dataclass(frozen=True, slots=True)
class Base:
    """A body that the issue had or was about to have. `pulled`: it was seen there, and taken in; else it was written,
    and `arrived` if the server said so. `done` are the phases that it told as done and that were not done here.
    """

    pulled: bool
    rev: str
    text: str
    title: str
    etag: str
    done: tuple[str, ...]
    at: str
    arrived: bool = False


@dataclass(frozen=True, slots=True)
class IssueLink:
    """The issue of a task. `number` 0: it was not opened yet. `queued` is why a push waits, "" none does, since
    `queued_at`. `commented` are ids of phases whose comment was made. `hids` are all hidden ids that it had. `seed` is
    where it was when it was linked first: from it follow the ids of what people add there, for everybody the same.
    """

    task: str
    hid: str
    hids: frozenset[str] = frozenset()
    seed: str = ""
    repository: RemoteRepository | None = None
    number: int = 0
    url: str = ""
    bases: tuple[Base, ...] = ()
    commented: frozenset[str] = frozenset()
    queued: str = ""
    queued_at: str = ""
    synced_at: str = ""
    known_done: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_linked(self) -> bool:
        """Whether the issue is known to be there."""
        return self.repository is not None and self.number > 0

    @property
    def place(self) -> str:
        """Where it is, "" where that is not known."""
        return place_of(self.repository, self.number) if self.repository else ""

    @property
    def named(self) -> str:
        """`owner/name#24`, as people say it."""
        return f"{self.repository}#{self.number}"


class LinkRow(JsonResult, frozen=True):
    """The issue of a task, as it is told (`IssueLink`)."""

    repository: RemoteRepository | None
    number: int
    url: str
    queued: str
    queued_at: str
    synced_at: str

    @property
    def is_linked(self) -> bool:
        """Whether the issue is known to be there."""
        return self.repository is not None and self.number > 0

    @property
    def named(self) -> str:
        """`owner/name#24`, as people say it."""
        return f"{self.repository}#{self.number}"


def place_of(repository: RemoteRepository, number: int) -> str:
    """Where an issue is, in one word."""
    return f"{repository.key}#{number}"


def link_of(at: ProjectSession, task: str) -> IssueLink:
    """What is known of the task's issue. Without one it has the hidden id that a new one would get, which follows from
    project and task.
    """
    link = IssueLink(task, identity("issue", at.ledger.project, task))
    for recorded in at.ledger.events(task=task, kinds=KINDS):
        link = _after(link, recorded.event)
    return link


def links(at: ProjectSession) -> list[IssueLink]:
    """The issues of all tasks, those that are known to be there or that wait."""
    found = (link_of(at, one.id) for one in at.tasks())
    return [one for one in found if one.is_linked or one.queued]


def _after(link: IssueLink, event: Event) -> IssueLink:
    data = event.data
    told = {name: str(data.get(name, "")) for name in ("hid", "rev", "url")}
    if event.kind == "issue.linked":
        owner, _, name = str(data.get("repository", "")).partition("/")
        place, number = RemoteRepository(str(data.get("host", "")), owner, name), number_of(data.get("number"))
        is_same = told["hid"] in link.hids or told["hid"] == link.hid or link.place == place_of(place, number)
        if not is_same:  # what was known of another issue says nothing of this one
            link = IssueLink(link.task, told["hid"])
        seed = str(data.get("at", "")) or link.seed or place_of(place, number)
        hids = link.hids | {link.hid, told["hid"]}
        return replace(
            link, hid=told["hid"], hids=hids, repository=place, number=number, url=told["url"] or link.url, seed=seed
        )
    if told["hid"] not in link.hids and told["hid"] != link.hid:
        return link
    if event.kind == "issue.queued":
        return replace(link, queued=str(data.get("reason", "")), queued_at=event.recorded_at)
    if event.kind == "issue.commented":
        return replace(link, commented=link.commented | {str(data.get("phase", ""))})
    if event.kind == "issue.written":
        bases = tuple(replace(one, arrived=one.arrived or one.rev == told["rev"]) for one in link.bases)
        return replace(link, bases=bases, queued="", queued_at="", synced_at=event.recorded_at)
    done = data.get("done")
    base = Base(
        pulled=data.get("way") == "pulled",
        rev=told["rev"],
        text=_joined(data.get("body")),
        title=str(data.get("title", "")),
        etag=str(data.get("etag", "")),
        done=tuple(done) if isinstance(done, list) else (),
        at=event.recorded_at,
    )
    synced = event.recorded_at if base.pulled else link.synced_at
    return replace(link, bases=(*link.bases, base), known_done=link.known_done.union(base.done), synced_at=synced)


def base_for(link: IssueLink, block: HiddenBlock | None) -> Base | None:
    """The body that the one with this `block` was made from, as far as this ledger knows; None if it knows none.

    The newest that was imported, or that the block names: a body that was to be written may never have got there
    (somebody killed us), and one that did may have been overwritten from a form that was opened before.
    """
    rev = block.rev if block else ""
    seen = block.seen if block else ()
    is_ours = any(one.rev == rev for one in link.bases if rev)
    for base in reversed(link.bases):
        if base.pulled or (rev and base.rev == rev):
            return base
        if not is_ours and (base.rev in seen or base.arrived):
            return base
    return None


def linked_event(at: ProjectSession, link: IssueLink, issue: Issue, *, hid: str, seed: str = "") -> list[Event]:
    """The event that says where the issue is, unless that is known."""
    is_known = link.hid == hid and (link.repository, link.number, link.url) == (
        issue.repository,
        issue.number,
        issue.url,
    )
    if is_known:
        return []
    data: dict[str, Value] = {
        "hid": hid,
        "host": issue.repository.host,
        "repository": str(issue.repository),
        "number": issue.number,
        "url": issue.url,
    }
    if seed:
        data["at"] = seed
    return [at.event("issue.linked", data, task=link.task)]


def base_event(
    at: ProjectSession, link: IssueLink, *, text: str, rev: str, pulled: bool, issue: Issue | None, title: str = "",
    done: Sequence[str] = (),
) -> Event:  # fmt: skip
    """The event that keeps a body, as far as it may be kept: what looks like a secret is replaced in it."""
    data: dict[str, Value] = {
        "hid": link.hid,
        "way": "pulled" if pulled else "pushed",
        "rev": rev,
        "body": _lines(at.safe_lines(text)),
    }
    if title:
        data["title"] = title
    if issue is not None:
        more: dict[str, Value] = {
            "title": issue.title,
            "etag": issue.etag if pulled else "",
            "url": issue.url,
            "open": issue.is_open,
            "locked": issue.locked,
            "labels": list(issue.labels),
            "updated": issue.updated_at,
            "done": list(done),
        }
        data |= {name: value for name, value in more.items() if value not in ("", [])}
    return at.event("issue.base", data, task=link.task)


def _lines(text: str) -> list[str]:
    """A text in lines, each behind a blank; the pieces of a very long one behind a sign that they go on."""
    found: list[str] = []
    for line in text.split("\n"):
        starts = range(0, max(len(line), 1), _LINE_CHARS_MAX)
        found += [f"{_GOES_ON if at else _BEGINS}{line[at : at + _LINE_CHARS_MAX]}" for at in starts]
    return found


def _joined(lines: Value) -> str:
    if not isinstance(lines, list):
        return ""
    return "".join(line[1:] if line[:1] == _GOES_ON else f"\n{line[1:]}" for line in lines)[1:]
