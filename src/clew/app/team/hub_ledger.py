"""What a hub keeps of one project, as a ledger that an exchange works on; and who said what, by whose key it came.

An event comes with the key of a device, and that key tells person and device: what the event itself says of its author
is not believed. Each is sent on with a *stamp*, the hub's own word on who said it (`HubSeal`): whoever brings
it back to a hub that was restored from a backup brings the word of its author, and cannot make it another's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import blake2b
from hmac import compare_digest
from typing import Final, NamedTuple, cast

import msgspec

from clew.app.egress.guard import require_clean
from clew.app.keeping.bundle import texts
from clew.app.project.redaction import LedgerRedaction
from clew.app.team.hub_database import HubDatabase
from clew.app.team.hub_wire import SessionOffer, session_mark
from clew.app.team.store import LedgerStore
from clew.core.errors import NotAllowed
from clew.core.state.events import Event, Recorded, timestamp
from clew.core.state.extract import Extract
from clew.core.state.items import Provenance
from clew.ledger.codec import read_event, read_extract, write_line
from clew.ledger.exchange import Holdings, is_for_team, unclear
from clew.ledger.port import Ledger
from clew.ledger.redaction import BY_HAND, REDACTED, REDACTION, purge_event
from clew.secrets.deep import DeepScan

AGENT: Final = "agent"
_DAY_MS: Final = 86_400_000
_FORGOTTEN: Final = "hub.forgotten"


class Author(NamedTuple):
    """Who said an event: a person, on a device, by whose key it came."""

    person: str
    device: str


class HubSeal(NamedTuple):
    """The hub's word on who said an event: `DEVICE.ENVELOPE.DATA.PERSON`, where the second and the third are keyed
    hashes of what it says about itself and of its data. Words that people redact leave the data, so a text that says
    so need not fit.
    """

    key: bytes

    def stamp(self, event: Event, author: Author) -> str:
        """What the hub says of `event`."""
        envelope, data = self._hashes(event, author)
        return f"{author.device}.{envelope}.{data}.{author.person}"

    def author_of(self, event: Event, stamp: str) -> Author | None:
        """Who said `event`, if the hub once said so."""
        device, _, rest = stamp.partition(".")
        envelope, _, rest = rest.partition(".")
        data, _, person = rest.partition(".")
        author = Author(person, device)
        told = (one.encode() for one in (envelope, data))
        is_envelope, is_data = map(compare_digest, told, (one.encode() for one in self._hashes(event, author)))
        item = str(event.data.get("item", ""))
        was_purged = bool(item) and purge_event(event, item, ()) == event
        was_redacted = was_purged or any(REDACTED in text or BY_HAND in text for text in texts(dict(event.data)))
        return author if is_envelope and (is_data or was_redacted) else None

    def _hashes(self, event: Event, author: Author) -> list[str]:
        told = event._replace(key="", session="", worktree="", data={})
        data = msgspec.json.encode(dict(event.data), order="sorted")
        return [self._hash(write_line(told), *author), self._hash(data, event.id, *author)]

    def _hash(self, *parts: bytes | str) -> str:
        joined = msgspec.json.encode([part.decode() if isinstance(part, bytes) else part for part in parts])
        return blake2b(joined, key=self.key, digest_size=16, person=b"clew hub stamp").hexdigest()


def attributed(event: Event, author: Author, account: str) -> Event:
    """`event` as `author` said it, who is called `account` on that device. What it says of itself is not believed:
    words of an agent are an agent's of that person, and words of another person are what this one tells of them.
    Whoever may write may also redact, whoever said so first.
    """
    mine = event.actor in ("", account, author.person)
    if event.provenance != "human":
        known = event.actor.startswith(f"{author.person} (")
        said_by = AGENT if mine else event.actor
        return event._replace(actor=event.actor if known else f"{author.person} ({said_by})")
    if mine:
        return event._replace(actor=author.person)
    provenance: Provenance = "human" if event.kind == REDACTION else "agent"
    return event._replace(actor=f"{author.person} (for {event.actor})", provenance=provenance)


class HubLedger:
    """The events of one project: as much of a `Ledger` as an exchange needs. `authors` says whose each is that was
    read or is to be kept, by its id.
    """

    writable = True

    def __init__(self, database: HubDatabase, project: str, key: bytes) -> None:
        self._database = database
        self.project = project
        self.key = key
        self.authors: dict[str, Author] = {}

    def position(self) -> int:
        return self._database.count("SELECT position FROM projects WHERE id = ?", self.project)

    def events(
        self, *, kinds: Collection[str] | None = None, after: int = 0, upto: int | None = None
    ) -> Iterator[Recorded]:
        sql = "SELECT seq, id, person, device, line FROM events WHERE project = ? AND seq > ?"
        given: list[object] = [self.project, after]
        if kinds is not None:
            sql += f" AND kind IN ({', '.join('?' * len(kinds))})"
            given += kinds
        for seq, name, person, device, line in self._database.rows(f"{sql} ORDER BY seq", *given):
            if upto is None or seq <= upto:
                self.authors[name] = Author(person, device)
                yield Recorded(seq, read_event(line.encode()))

    def versions(self) -> Iterator[tuple[int, Extract]]:
        """None: what rules read off sessions is not kept here."""
        return iter(())

    def append(self, events: Sequence[Event], *, unless_redacted_after: int | None = None) -> tuple[int, ...]:
        database, project = self._database, self.project
        with database.transaction():
            redacted = "SELECT count(*) FROM events WHERE project = ? AND kind = ? AND seq > ?"
            if unless_redacted_after is not None and database.count(
                redacted, project, REDACTION, unless_redacted_after
            ):
                return ()
            move = "UPDATE projects SET position = position + ? WHERE id = ? RETURNING position"
            last = database.count(move, len(events), project)
            for seq, event in enumerate(events, start=last - len(events) + 1):
                author = self.authors[event.id]
                database.rows(
                    "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project, id) DO NOTHING",
                    *(project, seq, event.id, event.kind, event.task, *author, write_line(event).decode()),
                )
            return tuple(range(last - len(events) + 1, last + 1))

    def rewrite(self, change: Callable[[Event, Author], Event], where: str = "", *given: object) -> int:
        """Put what `change` makes of each event in its place; how many are others now."""
        database, changed = self._database, 0
        with database.transaction():
            sql = f"SELECT seq, person, device, line FROM events WHERE project = ? {where}"
            for seq, person, device, line in database.rows(sql, self.project, *given):
                event = read_event(line.encode())
                left = change(event, Author(person, device))
                if left != event:
                    changed += 1
                    update = "UPDATE events SET line = ?, kind = ?, task = ? WHERE project = ? AND seq = ?"
                    database.rows(update, write_line(left).decode(), left.kind, left.task, self.project, seq)
        return changed

    def purge(self, item: str, values: Collection[str]) -> int:
        changed = self.rewrite(lambda event, _: purge_event(event, item, values))
        for session, line in self._sessions():  # whoever read the session sends it again, without the words
            told = [line, *texts(msgspec.json.decode(line))]  # where JSON writes a value otherwise, its text holds it
            if any(value and value in text for value in (item, *values) for text in told):
                gone = "DELETE FROM sessions WHERE project = ? AND session = ?"
                self._database.rows(gone, self.project, session)
        self._database.forget_bytes()
        return changed

    def session_texts(self) -> Iterator[str]:
        """Every text of the sessions that are kept here."""
        return (text for _, line in self._sessions() for text in texts(msgspec.json.decode(line)))

    def exchange_sessions(
        self, lines: Sequence[bytes], author: Author, now_ms: int, *, deep: DeepScan
    ) -> tuple[list[str], list[bytes]]:
        """Keep sessions that a device sends (lines as `SessionOffer` has them), and drop those that are too old: the
        ids of those that are wanted of it, and lines of those of others that it lacks. Raises `InputError`,
        `NotAllowed` for what looks like a secret.
        """
        try:
            offer = msgspec.json.decode(lines[0], type=SessionOffer)
            sent = [(read_extract(line), line.strip()) for line in lines[1:]]
        except (LookupError, ValueError, RecursionError) as error:
            raise unclear(str(error)) from None
        named = ((f"session {one.origin.session}", text) for one, _ in sent for text in texts(one))
        require_clean(named, b"", exit="export", deep=deep)
        rows, project = self._database.rows, self.project
        with self._database.transaction():
            days = self._database.count("SELECT session_days FROM projects WHERE id = ?", project)
            until_ms = now_ms - days * _DAY_MS if days else 0
            rows("DELETE FROM sessions WHERE project = ? AND came_ms < ?", project, until_ms)
            known = rows("SELECT session, person, digest FROM sessions WHERE project = ?", project)
            marks = {session: int(digest) for session, _, digest in known}
            others = {session for session, person, _ in known if person != author.person}
            for extract, line in sent:
                if (session := extract.origin.session) not in others:
                    rows(
                        """INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project, session)
                        DO UPDATE SET digest = excluded.digest, came_ms = excluded.came_ms, line = excluded.line""",
                        *(project, session, *author, str(session_mark(line)), now_ms, line.decode()),
                    )
            lacks = [one for one in others if offer.marks.get(one) != marks[one]]
            sql = "SELECT line FROM sessions WHERE project = ? AND session = ?"
            told = [rows(sql, project, one)[0][0].encode() + b"\n" for one in lacks]
        own = (one for one in offer.marks if one not in others and offer.times.get(one, "") > timestamp(until_ms))
        return [one for one in own if marks.get(one) != offer.marks[one]], told

    def _sessions(self) -> list[tuple[str, str]]:
        found = self._database.rows("SELECT session, line FROM sessions WHERE project = ?", self.project)
        return [(str(session), str(line)) for session, line in found]


def forgotten(event: Event) -> Event:
    """What is left of an event that a hub was told to forget: that there was one. Whoever has it sends it no more."""
    return event._replace(
        key=event.id,
        task="",
        session="",
        worktree="",
        actor="",
        provenance="unattributed",
        kind=_FORGOTTEN,
        v=1,
        data={},
    )


class HubStore(LedgerStore):
    """The hub's side of an exchange with one device. `may_write` is its person's right, `account` what the person is
    called there.
    """

    def __init__(
        self,
        ledger: HubLedger,
        holdings: Holdings,
        seal: HubSeal,
        author: Author,
        *,
        account: str,
        may_write: bool,
        peer_keys: Callable[[], tuple[bytes, ...]],
        deep: DeepScan,
    ) -> None:
        known = cast("Ledger", ledger)
        super().__init__(known, LedgerRedaction(known, str, peer_keys), peer_keys=peer_keys, holdings=holdings)
        self._hub, self._seal, self._author, self._account = ledger, seal, author, account
        self._may_write, self._deep = may_write, deep

    def take(self, events: Sequence[Event]) -> tuple[str, ...]:
        """See `Store.take`. Raises `NotAllowed` for who may not write, and for what looks like a secret; `InputError`
        for what does not travel.
        """
        self.holdings.look()
        new = [event for event in events if event.id not in self.holdings.ids]
        if new and not self._may_write:
            raise NotAllowed(
                f"{self._author.person} may read this project on the hub, and not write",
                code="E-hub-right",
                hint="Nothing was kept. Who runs the hub types `clew hub rights PERSON PROJECT write` there.",
            )
        for event in new:
            if not is_for_team(event):
                raise unclear(f"the event {event.id} ({event.kind[:60]}) is none that leaves a machine")
        asked = (one for one in new if one.id not in self.allowed)
        named = ((f"{one.kind} {one.id}", text) for one in asked for text in texts(dict(one.data)))
        require_clean(named, self._hub.key, exit="export", deep=self._deep)
        said: list[Event] = []
        for event in new:
            stamp = self.stamps.get(event.id, "")
            author = self._seal.author_of(event, stamp) if stamp else None
            self._hub.authors[event.id] = author or self._author
            said.append(event if author else attributed(event, self._author, self._account))
        return super().take(said)

    def give(self, ids: Collection[str]) -> list[Event]:
        """See `Store.give`."""
        events = self.holdings.events(ids)
        self.stamps = {one.id: self._seal.stamp(one, self._hub.authors[one.id]) for one in events}
        return events

    def _texts(self) -> Iterator[str]:
        yield from super()._texts()
        yield from self._hub.session_texts()
