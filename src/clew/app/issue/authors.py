"""Who changed what in an issue: from the versions that the server tells, one change after the other. Pure.

A server's word says which account edited. That makes nobody a person here: only those whom the person trusts are, and
only for what they wrote by hand; what a program of ours wrote in somebody's name is that program's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from clew.app.issue.body import Body
from clew.core.state.items import Authority
from clew.documents.entry import Entry
from clew.documents.pairing import normal
from clew.documents.reconcile import FIELDS, Did, EntryChange


@dataclass(frozen=True, slots=True)
class Author:
    """Who edited, by the server's word; `login` "" where it does not tell. `is_trusted`: counts as a person's here."""

    login: str = ""
    is_trusted: bool = False

    @property
    def authority(self) -> Authority:
        """The class of what they say."""
        if self.is_trusted:
            return Authority("human", f"{self.login} edited the issue, and is trusted")
        return Authority("unattributed", f"{self.login or 'somebody'} edited the issue")


UNKNOWN: Final = Author()


@dataclass(frozen=True, slots=True)
class IssueVersion:
    """The issue as one edit left it."""

    author: Author
    body: Body


_FIELDS: Final[dict[Did, Callable[[Entry], object]]] = {
    "added": lambda entry: (entry.kind, normal(entry.text), entry.why),
    "removed": lambda entry: (entry.kind, normal(entry.text)),
    "reworded": lambda entry: (normal(entry.text), entry.why),
    **{did: attrgetter(*names) for did, names in FIELDS},
}


def author_of(change: EntryChange, versions: Sequence[IssueVersion]) -> Author:
    """Who made a change: whose version is the first from which on it stands. `versions` are those since the base, the
    oldest first; without one nobody knows.
    """
    meant = change.after or change.before
    assert meant is not None
    told = _FIELDS[change.did]

    def stands(body: Body) -> bool:
        there = [one for one in body.entries if _is(one, meant)]
        if change.did == "removed":
            return not there
        return any(told(one) == told(meant) for one in there)

    return _since(versions, stands)


def author_of_text(words: str, versions: Sequence[IssueVersion], *, gone: bool = False) -> Author:
    """The same of words that are no entry: who wrote them, or took them out."""
    plain = normal(words)

    def stands(body: Body) -> bool:
        return (plain in normal(" ".join(raw.text for raw in body.raws))) != gone

    return _since(versions, stands)


def least(*authors: Author) -> Author:
    """Of several who had a hand in it, the one whose word counts least."""
    return min(authors, key=lambda one: one.is_trusted)


def _is(entry: Entry, meant: Entry) -> bool:
    """Whether an entry of a version is the one that is meant."""
    if meant.id and entry.id:
        return meant.id == entry.id
    return normal(entry.text) == normal(meant.text)


def _since(versions: Sequence[IssueVersion], stands: Callable[[Body], bool]) -> Author:
    found = UNKNOWN
    for version in reversed(versions):
        if not stands(version.body):
            break
        found = version.author
    return found
