"""A hub: people, their devices, what each may do with which project, and exchanges over it (docs/reference/hub.md).

A device shows its key with each request; all that is said comes from the person that the key belongs to. Keys and codes
are kept as hashes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hmac import compare_digest
from typing import Final, Literal, NamedTuple, cast, get_args

import msgspec

from clew.app.project.device import are_keys
from clew.app.project.tombstones import exchange_key
from clew.app.results import JsonResult
from clew.app.team.hub_database import HubDatabase
from clew.app.team.hub_ledger import Author, HubLedger, HubSeal, HubStore, forgotten
from clew.app.team.hub_wire import (
    JoinAnswer,
    JoinRequest,
    ProjectAnswer,
    ProjectRequest,
    SessionAnswer,
    SimilarProject,
    hash_of,
)
from clew.app.team.side import check_hello
from clew.core.errors import ClewError, InputError, NotAllowed, NotFound
from clew.core.state.events import Event, timestamp
from clew.core.state.ids import drawn, ulid
from clew.ledger.exchange import (
    EXCHANGE_VERSION,
    Closed,
    Hello,
    Holdings,
    answer_call,
    decode_message,
    encode_message,
    fingerprint,
    refusal_of,
    unclear,
)
from clew.ledger.port import Ledger
from clew.ledger.portable import is_ulid
from clew.secrets.deep import DeepScan

Level = Literal["none", "read", "write", "own"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
INVITE_MS: Final = 15 * 60_000
_KEY_BYTES: Final = 32
_NAME: Final = re.compile(r"[^\W_][\w.@-]*(?: [\w.@-]+)*")
_NAME_CHARS_MAX: Final = 40
_TEXT_CHARS_MAX: Final = 200
_DAY_MS: Final = 86_400_000
_SEEN_MS: Final = 60_000
# Each key that devices hash redacted values under costs a look at every text.
_KEYS_MAX: Final = 256


class Caller(NamedTuple):
    """Whom the key of a request belongs to. `account` is what the person is called on that device."""

    person: str
    device: str
    account: str
    is_owner: bool


class HubDevice(NamedTuple):
    """A device. `seen` is the time of its last request, `revoked` when its key ceased to count ("" it does)."""

    id: str
    name: str
    seen: str
    revoked: str


class HubPerson(NamedTuple):
    """A person, with devices, and rights as "LEVEL TITLE (PROJECT)"."""

    name: str
    owner: bool
    devices: tuple[HubDevice, ...]
    rights: tuple[str, ...]


class HubProject(NamedTuple):
    """A project: how many `events` and `sessions` of it are kept, and for how many days sessions are (0: always)."""

    id: str
    title: str
    events: int
    sessions: int
    session_days: int


class HubStatus(JsonResult, frozen=True):
    """What a hub keeps. `schema` is the version of its database, `id` the hub's ULID."""

    id: str
    place: str
    schema: int
    projects: tuple[HubProject, ...]
    people: tuple[HubPerson, ...]


class Forgot(NamedTuple):
    """What was forgotten: `events` lost what they said, `devices` and `sessions` are gone. `left` is how many events of
    that author or task are there afterwards (0), `mentions` how many of others' hold the name.
    """

    events: int
    devices: int
    sessions: int
    left: int
    mentions: int


class Hub:
    """`now_ms`: milliseconds since 1970; `chance(n)`: n random bytes. Raises `LedgerError` where the store fails."""

    def __init__(
        self,
        database: HubDatabase,
        *,
        now_ms: Callable[[], int],
        chance: Callable[[int], bytes],
        deep: DeepScan = lambda: None,
    ) -> None:
        database.check()
        self._database = database
        self._now_ms, self._chance, self._deep = now_ms, chance, deep
        self._ledgers: dict[str, tuple[HubLedger, Holdings]] = {}
        self.id, key = database.rows("SELECT id, key FROM hub")[0]
        self._seal = HubSeal(bytes.fromhex(key))

    @property
    def _now(self) -> str:
        return timestamp(self._now_ms())

    # People and devices.

    def invite(self, person: str, *, owner: bool = False) -> str:
        """A code by which one device joins for `person`, within 15 minutes. Raises `InputError`."""
        if not _NAME.fullmatch(person) or len(person) > _NAME_CHARS_MAX:
            raise InputError(
                f"{person[:60]!r} is no name",
                code="E-hub-name",
                hint=f"Use letters, digits and single blanks, {_NAME_CHARS_MAX} at most: `clew hub invite Mia`.",
            )
        code = drawn(self._chance(10)) + drawn(self._chance(10))
        until_ms = self._now_ms() + INVITE_MS
        with self._database.transaction():
            known = "INSERT INTO people VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING"
            self._database.rows(known, self._known_name(person), int(owner), self._now)
            self._database.rows(
                "INSERT INTO invites VALUES (?, ?, ?, '')", hash_of(code), self._known_name(person), until_ms
            )
            self._database.rows("DELETE FROM invites WHERE until_ms < ?", self._now_ms() - _DAY_MS)
        return code

    def join(self, asked: JoinRequest) -> JoinAnswer:
        """A device joins. Of several that bring one code one does. Raises `NotAllowed` (E-hub-code), `InputError`."""
        is_hash = len(asked.key_hash) == 64 and are_keys([asked.key_hash])
        if not is_hash or max(len(asked.name), len(asked.account)) > _TEXT_CHARS_MAX:
            raise unclear("it names no device and key")
        use = "UPDATE invites SET used = ? WHERE code_hash = ? AND used = '' AND until_ms > ? RETURNING person"
        device = ulid(self._now_ms(), self._chance(10))
        with self._database.transaction():
            found = self._database.rows(use, self._now, hash_of(asked.code), self._now_ms())
            if not found:
                raise NotAllowed(
                    "the code does not count: it was used, it is older than 15 minutes, or it is none",
                    code="E-hub-code",
                    hint="Have a new one made where the hub runs: `clew hub invite NAME`.",
                )
            person = found[0][0]
            row = (device, person, asked.name, asked.account, asked.key_hash, self._now, self._now)
            self._database.rows("INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?, ?, '')", *row)
        return JoinAnswer(self.id, device, person)

    def caller(self, key: str) -> Caller:
        """Whom `key` (DEVICE.SECRET) belongs to. Raises `NotAllowed` (E-hub-key)."""
        device, _, secret = key.partition(".")
        sql = """SELECT person, account, key_hash, revoked, (SELECT owner FROM people WHERE name = person)
            FROM devices WHERE id = ?"""
        found = self._database.rows(sql, device)
        person, account, kept, revoked, owner = found[0] if found else ("", "", "", "", 0)
        if not compare_digest(hash_of(secret), kept or hash_of("")) or not found or revoked:
            raise NotAllowed(
                "the hub does not know this device's key, or it was revoked",
                code="E-hub-key",
                hint="Ask who runs the hub for a code (`clew hub invite NAME`), and join again: `clew join URL#CODE`.",
            )
        lately = timestamp(self._now_ms() - _SEEN_MS)  # not every request is worth a write
        self._database.rows("UPDATE devices SET seen = ? WHERE id = ? AND seen < ?", self._now, device, lately)
        return Caller(person, device, account, bool(owner))

    def revoke(self, wanted: str) -> tuple[HubDevice, ...]:
        """End the key of the device that `wanted` begins the id of, or all of a person; what they said stays. Raises
        `NotFound`, and `InputError` where several devices begin so.
        """
        with self._database.transaction():
            people = [one for one in self.status().people if one.name.casefold() == wanted.casefold()]
            every = [device for one in (people or self.status().people) for device in one.devices]
            found = [one for one in every if people or (wanted and one.id.startswith(wanted.upper()))]
            if not found:
                raise _unknown("device or person", wanted)
            if len(found) > 1 and not people:
                listed = ", ".join(f"{one.id} ({one.name})" for one in found)
                raise InputError(
                    f"{wanted[:60]!r} begins {len(found)} devices: {listed}",
                    code="E-hub-device",
                    hint="Nothing was revoked. Type more of the id of the one that is meant.",
                )
            for device in found:
                self._database.rows(
                    "UPDATE devices SET revoked = ? WHERE id = ? AND revoked = ''", self._now, device.id
                )
            for one in people:
                self._database.rows("DELETE FROM invites WHERE person = ?", one.name)
        return tuple(found)

    # Projects and rights.

    def grant(self, person: str, project: str, level: Level) -> tuple[str, str]:
        """Let `person` do so much with a project from now on; its id and title. Raises `NotFound`."""
        with self._database.transaction():
            name = self._known_name(person)
            if not self._database.rows("SELECT 1 FROM people WHERE name = ?", name):
                raise _unknown("person", person)
            one, title = self._project(project)
            self._set_right(one, name, level)
        return one, title

    def keep_sessions(self, project: str, days: int) -> tuple[str, str]:
        """Keep sessions of a project for so many days (0: always); its id and title."""
        one, title = self._project(project)
        self._database.rows("UPDATE projects SET session_days = ? WHERE id = ?", days, one)
        return one, title

    def level(self, project: str, person: str) -> Level:
        """What a person may do with a project."""
        found = self._database.rows("SELECT level FROM rights WHERE project = ? AND person = ?", project, person)
        return cast("Level", found[0][0]) if found else "none"

    def add_project(self, caller: Caller, asked: ProjectRequest) -> ProjectAnswer:
        """Have a project, unless it is here or the caller has to say first whether it is one of those like it. Raises
        `NotAllowed`.
        """
        if not is_ulid(asked.id) or max(len(asked.title), len(asked.remote), len(asked.root)) > _TEXT_CHARS_MAX:
            raise unclear("it names no project")
        with self._database.transaction():
            rows = self._database.rows(
                """SELECT id, title, remote, root FROM projects JOIN rights ON project = id
                WHERE person = ? AND level <> 'none'""",
                caller.person,
            )
            if asked.id in (row[0] for row in rows):
                return ProjectAnswer([])
            similar = [
                SimilarProject(one, title, "remote" if asked.remote and remote == asked.remote else "first commit")
                for one, title, remote, root in rows
                if (asked.remote and remote == asked.remote) or (asked.root and root == asked.root)
            ]
            if similar and not asked.apart:
                return ProjectAnswer(similar)
            if not caller.is_owner or self._database.rows("SELECT 1 FROM projects WHERE id = ?", asked.id):
                raise _denied(asked.id)
            row = (asked.id, asked.title, asked.remote, asked.root, self._chance(_KEY_BYTES).hex())
            self._database.rows("INSERT INTO projects VALUES (?, ?, ?, ?, ?, 0, 0)", *row)
            self._set_right(asked.id, caller.person, "own")
        return ProjectAnswer([])

    # Exchanges.

    def exchange(self, caller: Caller, project: str, lines: Iterable[bytes]) -> list[bytes]:
        """The answer to a talk's messages, as far as they go (`answer_call`). The last one may be a refusal."""
        said: list[bytes] = []
        try:
            with self._database.lock, self._store(caller, project) as (store, answer):
                talk = answer_call(store, answer)
                next(talk)
                for line in lines:
                    message = decode_message(line)
                    if isinstance(message, Closed):
                        raise unclear("it breaks off")
                    said += map(encode_message, talk.send(message))
                talk.send(Closed())
        except StopIteration:
            pass
        except ClewError as error:
            said.append(encode_message(refusal_of(error)))
        return said

    def sessions(self, caller: Caller, project: str, lines: Sequence[bytes]) -> list[bytes]:
        """Keep sessions of the caller's that come, and tell those of others that it lacks (`SessionOffer`). Raises
        `InputError`, `NotAllowed`, `NotFound`.
        """
        level = self.level(project, caller.person)
        if level == "none" or (level == "read" and len(lines) > 1):
            raise _denied(project)
        author = Author(caller.person, caller.device)
        ledger = HubLedger(self._database, project, b"")
        wanted, told = ledger.exchange_sessions(lines, author, self._now_ms(), deep=self._deep)
        return [msgspec.json.encode(SessionAnswer(wanted if level != "read" else [])) + b"\n", *told]

    @contextmanager
    def _store(self, caller: Caller, project: str) -> Iterator[tuple[HubStore, Callable[[Hello], Hello]]]:
        level = self.level(project, caller.person)
        if level == "none":
            raise _denied(project)
        if project not in self._ledgers:
            key = bytes.fromhex(self._database.rows("SELECT key FROM projects WHERE id = ?", project)[0][0])
            made = HubLedger(self._database, project, key)
            self._ledgers[project] = made, Holdings(cast("Ledger", made))
        ledger, holdings = self._ledgers[project]
        holdings.look()

        def peers() -> list[str]:
            found = self._database.rows("SELECT DISTINCT key FROM peers WHERE project = ?", project)
            return [str(row[0]) for row in found]

        store = HubStore(
            ledger,
            holdings,
            self._seal,
            Author(caller.person, caller.device),
            account=caller.account,
            may_write=level != "read",
            peer_keys=lambda: tuple(map(bytes.fromhex, peers())),
            deep=self._deep,
        )

        def answer(theirs: Hello) -> Hello:
            check_hello(theirs)
            own, known = exchange_key(ledger.key).hex(), peers()
            if level != "read":  # who may not write redacts nothing
                new = [key for key in dict.fromkeys([theirs.key, *theirs.others]) if key not in (own, *known)]
                keep = "INSERT INTO peers VALUES (?, ?, '', ?) ON CONFLICT DO NOTHING"
                for key in new[: max(0, _KEYS_MAX - len(known))]:
                    self._database.rows(keep, project, caller.device, key)
            holds = fingerprint(holdings.travelling())
            return Hello(EXCHANGE_VERSION, project, self.id, "hub", own, peers(), holds, keeps_nothing=level == "read")

        yield store, answer

    # Care.

    def status(self) -> HubStatus:
        """What is kept."""
        rows = self._database.rows
        titles = dict(rows("SELECT id, title FROM projects"))
        rights = rows("SELECT person, level, project FROM rights WHERE level <> 'none' ORDER BY project")
        devices = rows("SELECT person, id, name, seen, revoked FROM devices ORDER BY id")
        people = [
            HubPerson(
                name,
                bool(owner),
                tuple(HubDevice(*row[1:]) for row in devices if row[0] == name),
                tuple(f"{level} {titles[project]} ({project})" for person, level, project in rights if person == name),
            )
            for name, owner in rows("SELECT name, owner FROM people ORDER BY since, name")
        ]
        projects = rows(
            """SELECT id, title, (SELECT count(*) FROM events WHERE project = projects.id),
            (SELECT count(*) FROM sessions WHERE project = projects.id), session_days
            FROM projects ORDER BY title, id"""
        )
        version = self._database.version
        return HubStatus(
            self.id, self._database.place, version, tuple(HubProject(*row) for row in projects), tuple(people)
        )

    def forget_person(self, wanted: str) -> Forgot:
        """Take out what a person said, the devices, rights and the name. Raises `NotFound`."""
        database, name = self._database, self._known_name(wanted)
        with database.transaction():
            if not database.rows("SELECT 1 FROM people WHERE name = ?", name):
                raise _unknown("person", wanted)
            devices = database.count("SELECT count(*) FROM devices WHERE person = ?", name)
            sessions = database.count("SELECT count(*) FROM sessions WHERE person = ?", name)
            events = sum(
                HubLedger(database, row[0], b"").rewrite(lambda event, _: forgotten(event), "AND person = ?", name)
                for row in database.rows("SELECT id FROM projects")
            )
            for sql in (
                "DELETE FROM peers WHERE device IN (SELECT id FROM devices WHERE person = ?)",
                "DELETE FROM peers WHERE name IN (SELECT name FROM devices WHERE person = ?)",  # once kept there
            ):
                database.rows(sql, name)
            for table in ("devices", "sessions", "rights", "invites"):
                database.rows(f"DELETE FROM {table} WHERE person = ?", name)
            database.rows("DELETE FROM people WHERE name = ?", name)
            database.rows("UPDATE events SET person = '', device = '' WHERE person = ?", name)
            left = sum(
                database.count(f"SELECT count(*) FROM {table} WHERE person = ?", name)
                for table in ("devices", "sessions", "rights", "invites", "events")
            )
            mentions = sum(name in line for (line,) in database.rows("SELECT line FROM events"))
        self._ledgers.clear()
        database.forget_bytes()
        return Forgot(events, devices, sessions, left, mentions)

    def forget_task(self, task: str) -> Forgot:
        """Take out all that was said of a task (its whole id), in whatever project. Raises `NotFound`."""
        database = self._database

        def about(event: Event) -> bool:
            return task in (event.task, event.data.get("task"))

        with database.transaction():
            ledgers = [HubLedger(database, row[0], b"") for row in database.rows("SELECT id FROM projects")]
            events = sum(one.rewrite(lambda event, _: forgotten(event) if about(event) else event) for one in ledgers)
            if not events:
                raise _unknown("task", task)
            left = sum(about(event) for one in ledgers for _, event in one.events())
            mentions = sum(task in line for (line,) in database.rows("SELECT line FROM events"))
        self._ledgers.clear()
        database.forget_bytes()
        return Forgot(events, 0, 0, left, mentions)

    def _known_name(self, person: str) -> str:
        """A person's name as it is known here: case does not tell people apart."""
        names = [row[0] for row in self._database.rows("SELECT name FROM people")]
        return next((name for name in names if name.casefold() == person.casefold()), person)

    def _project(self, wanted: str) -> tuple[str, str]:
        """The project of that id or title: its id and title."""
        rows = self._database.rows("SELECT id, title FROM projects")
        found = [row for row in rows if wanted == row[1]] or [
            row for row in rows if wanted and row[0].startswith(wanted.upper())
        ]
        if len(found) != 1:
            raise _unknown("project" if not found else "single project", wanted)
        return found[0][0], found[0][1]

    def _set_right(self, project: str, person: str, level: Level) -> None:
        sql = "INSERT INTO rights VALUES (?, ?, ?) ON CONFLICT (project, person) DO UPDATE SET level = excluded.level"
        self._database.rows(sql, project, person, level)


def make_hub(
    database: HubDatabase,
    owner: str,
    *,
    now_ms: Callable[[], int],
    chance: Callable[[int], bytes],
    deep: DeepScan = lambda: None,
) -> tuple[Hub, str]:
    """The hub in `database`, and where it is new the code by which its owner joins, else "". Raises `LedgerError` where
    its schema is another: it moves by `migrate_hub` alone.
    """
    code = ""
    if not database.version:
        database.migrate()
        database.rows("INSERT INTO hub VALUES (?, ?)", ulid(now_ms(), chance(10)), chance(_KEY_BYTES).hex())
    hub = Hub(database, now_ms=now_ms, chance=chance, deep=deep)
    if not database.rows("SELECT 1 FROM devices"):
        code = hub.invite(owner, owner=True)
    return hub, code


def _denied(project: str) -> NotFound:
    return NotFound(
        f"the hub has no project {project[:40]} for you",
        code="E-hub-project",
        hint="Whoever runs the hub lets you in there: `clew hub rights PERSON PROJECT write`. An owner's first "
        "`clew sync` brings a project.",
    )


def _unknown(what: str, wanted: str) -> NotFound:
    return NotFound(
        f"the hub knows no {what} {wanted[:60]!r}",
        code="E-hub-unknown",
        hint="`clew hub people` and `clew hub status` list them.",
    )
