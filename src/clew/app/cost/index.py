"""The index of tokens: a SQLite file in the user's cache with a row for each response, brought up to date from what
session files hold beyond what it counts. It can be deleted at any time; then what clients deleted since is no longer
counted.

No text of a session stands in it but names: of models, tools, sessions and folders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import apsw
import msgspec

from clew.app.intake.find import reader_at
from clew.app.ports import Ports
from clew.clients.port import Transcript, UsageLocator
from clew.core.cost.prices import Tokens
from clew.core.cost.uses import ResponseUse, UsageFold
from clew.sessions.log import Cursor, SessionLog

INDEX_NAME: Final = "usage.db"
QUARTER_S: Final = 900
# Raised when tables or what is put into them change: an index of another version is rebuilt.
VERSION: Final = 3
# So many responses are put into the index at once.
_HELD_MAX: Final = 20_000
_SCHEMA: Final = """
CREATE TABLE files (
    address TEXT PRIMARY KEY,
    size INTEGER NOT NULL,          -- as it was found
    read INTEGER NOT NULL,          -- so far it is counted, up to a line's end
    print TEXT NOT NULL,            -- of what is read: the file is still the same one
    state TEXT NOT NULL             -- what the next line needs to know of those before it, as JSON
) WITHOUT ROWID;
CREATE TABLE origins (              -- who used tokens
    id INTEGER PRIMARY KEY,
    client TEXT NOT NULL,
    session TEXT NOT NULL,
    folder TEXT NOT NULL,           -- where it ran
    agent TEXT NOT NULL,            -- of a sub-agent, '' the session itself
    model TEXT NOT NULL,
    UNIQUE (session, folder, agent, model, client)
);
CREATE TABLE responses (
    key BLOB PRIMARY KEY,
    origin INTEGER NOT NULL REFERENCES origins (id),
    at INTEGER NOT NULL,            -- seconds since 1970; 0 unknown
    tools TEXT NOT NULL,            -- that it called, one a line
    input INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cache_write_long INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    output INTEGER NOT NULL
) WITHOUT ROWID;
"""
# The last snapshot of a response holds, but none that is shorter: a copy may be cut. Whose it is stays as it was first
# met: a session that goes on from a copy did not make what it copied.
_PUT: Final = """
INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    tools = CASE WHEN instr(tools, excluded.tools) THEN tools
        ELSE trim(tools || char(10) || excluded.tools, char(10)) END,
    input = excluded.input, cache_write = excluded.cache_write, cache_write_long = excluded.cache_write_long,
    cache_read = excluded.cache_read, output = excluded.output
WHERE excluded.output >= output AND (
    excluded.output > output OR excluded.input <> input OR excluded.cache_read <> cache_read
    OR excluded.cache_write <> cache_write OR NOT instr(tools, excluded.tools))
"""


class File(NamedTuple):
    """How far a session's file is counted; see the schema."""

    address: str
    size: int
    read: int
    print: str
    state: str


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Responses of one origin within one stretch of time. `at` is the first second of that, 0 unknown; `tools` are
    those that each of them called. What went into each is more than `above` tokens, and no more than the next bound.
    """

    client: str
    session: str
    folder: str
    agent: str
    model: str
    at: int
    tools: tuple[str, ...]
    above: int
    responses: int
    tokens: Tokens


# As the index keeps it: its key, whose it is (see the schema), when, the tools, tokens of each kind.
Response: TypeAlias = tuple[Any, ...]


def responses_of(client: str, uses: Mapping[str, ResponseUse]) -> list[Response]:
    """What is put into the index for uses of a `client` by their keys."""
    known: dict[tuple[str, ...], tuple[str, ...]] = {}  # most responses of a file have one origin
    found = []
    for key, use in uses.items():
        digest = blake2b(f"{client} {key}".encode("utf-8", "surrogatepass"), digest_size=12).digest()
        who = (client, use.session, use.cwd, use.agent, use.model)
        found.append((digest, known.setdefault(who, who), _seconds(use.time), "\n".join(use.tools), *use.tokens))
    return found


class UsageIndex:
    """An open index. Raises `apsw.Error` where its file cannot be used (`with_cache`)."""

    def __init__(self, path: Path | str) -> None:
        """`path` is the file, ":memory:" for none. Its folder exists."""
        self._db = apsw.Connection(str(path))
        self._db.set_busy_timeout(5_000)
        if self._db.pragma("user_version") != VERSION:
            self._db.pragma("journal_mode", "wal")
            with self._db:
                for name in ("responses", "origins", "files"):
                    self._db.execute(f"DROP TABLE IF EXISTS {name}")
                self._db.execute(_SCHEMA)
                self._db.pragma("user_version", VERSION)
        self._db.pragma("synchronous", "off")  # it can be made again
        self._origins: dict[tuple[str, ...], int] = {}

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def files(self) -> dict[str, File]:
        """How far each file is counted, by address."""
        rows = self._db.execute("SELECT address, size, read, print, state FROM files")
        return {address: File(address, size, read, mark, state) for address, size, read, mark, state in rows}

    def put(self, files: Iterable[tuple[File, Iterable[Response]]]) -> None:
        """Add what files hold beyond what was known of them."""
        with self._db:
            for file, responses in files:
                rows = [(digest, self._origin(who), *rest) for digest, who, *rest in responses]
                self._db.executemany(_PUT, rows)
                self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", file)

    def _origin(self, who: tuple[str, ...]) -> int:
        known = self._origins.get(who)
        if known is None:
            self._db.execute(
                "INSERT OR IGNORE INTO origins (client, session, folder, agent, model) VALUES (?, ?, ?, ?, ?)", who
            )
            ((known,),) = self._db.execute(
                "SELECT id FROM origins WHERE client = ? AND session = ? AND folder = ? AND agent = ? AND model = ?",
                who,
            )
            self._origins[who] = known
        return known

    def models(self) -> list[str]:
        """Names of models that made responses."""
        return [model for (model,) in self._db.execute("SELECT DISTINCT model FROM origins")]

    def folders(self) -> list[str]:
        """Where sessions ran."""
        return [folder for (folder,) in self._db.execute("SELECT DISTINCT folder FROM origins")]

    def rows(
        self,
        *,
        since: int,
        until: int,
        folders: Iterable[str] | None,
        client: str = "",
        session: str = "",
        sessions: Iterable[str] | None = None,
        step_s: int = QUARTER_S,
        tools: bool = False,
        bounds: Sequence[int] = (),
    ) -> Iterator[UsageRow]:
        """Responses from second `since` on and before `until` (0: no limit) of the sessions that ran in `folders` (None
        all), of a `client` and a `session` ("" all; the beginning of its id), and of the `sessions` with these ids
        (None all); together what came within `step_s` seconds. With `tools` they are told apart by them, and always by
        the `bounds` (rising) that what went in is over: from there on a token costs more.
        """
        what = "tools" if tools else "''"
        over = " + ".join(["0", *(f"(input + cache_write + cache_read > {int(bound)})" for bound in bounds)])
        lists = {
            name: msgspec.json.encode(list(many)).decode()
            for name, many in (("folder", folders), ("session", sessions))
            if many is not None
        }
        among = "".join(f" AND {name} IN (SELECT value FROM json_each(?))" for name in lists)
        values: list[int | str] = [since, until or 1 << 62]
        if client or session or lists:
            values += [client, session, session, *lists.values()]
            whose = (
                " AND origin IN (SELECT id FROM origins WHERE ? IN ('', client)"
                f" AND substr(session, 1, length(?)) = ?{among})"
            )
        else:
            whose = ""
        rows = self._db.execute(
            f"SELECT origin, at / {int(step_s)} * {int(step_s)} AS began, {what} AS called, {over} AS size,"
            " count(*), sum(input), sum(cache_write), sum(cache_write_long), sum(cache_read), sum(output)"
            f" FROM responses WHERE at >= ? AND at < ?{whose} GROUP BY origin, began, called, size",
            values,
        )
        named = {
            number: rest
            for number, *rest in self._db.execute("SELECT id, client, session, folder, agent, model FROM origins")
        }
        for origin, began, called, size, count, *tokens in rows:
            given = tuple(dict.fromkeys(filter(None, called.split("\n")))) if called else ()
            client, session, folder, agent, model = named[origin]
            above = (0, *bounds)[size]
            yield UsageRow(client, session, folder, agent, model, began, given, above, count, Tokens(*tokens))


def _seconds(time: str) -> int:
    """Seconds since 1970 of a time as readers give it; 0 for none."""
    try:
        return max(0, int(datetime.fromisoformat(time[:19] + "Z").timestamp())) if time else 0
    except ValueError:  # a day that no calendar has
        return 0


@dataclass(frozen=True, slots=True)
class UsageUpdate:
    """What was done: of `files` that there are `changed` had something new; `unread` cannot be read."""

    files: int = 0
    changed: int = 0
    unread: tuple[Path, ...] = ()


def usage_files(ports: Ports) -> Iterator[Transcript]:
    """All files of this user that tell of tokens, each once, in no order."""
    met: set[Path] = set()
    for locator in ports.locators:
        many = locator.usage_files() if isinstance(locator, UsageLocator) else locator.sessions_of(Path("/"))
        for one in many:
            if one.size and one.path not in met:
                met.add(one.path)
                yield one


def gather(
    ports: Ports, index: UsageIndex, tell: Callable[[int, int], None] = lambda _done, _all: None, *, changed_ns: int = 0
) -> UsageUpdate:
    """Bring the index up to date. `tell` hears how many of the files with something new are done, of how many. Files
    that nobody changed since `changed_ns` are left out.

    Files that were changed first are counted first: so what others copied from them is theirs. What stood in a file
    that is gone, or is written again, stays counted: it was paid for.
    """
    known = index.files()
    count = held = 0
    new = []
    for item in usage_files(ports):
        count += 1
        before = known.get(str(item.path))
        if (before is None or before.size != item.size) and item.modified_ns >= changed_ns:
            new.append((item, before))
    new.sort(key=lambda one: (one[0].modified_ns, str(one[0].path)))
    unread: list[Path] = []
    waiting: list[tuple[File, list[Response]]] = []
    for number, (item, before) in enumerate(new):
        tell(number, len(new))
        try:
            waiting += _counted(ports, item, before)
        except OSError:
            unread.append(item.path)
        held += len(waiting[-1][1]) if waiting else 0
        if held > _HELD_MAX:
            index.put(waiting)
            waiting, held = [], 0
    index.put(waiting)
    return UsageUpdate(count, len(new), tuple(unread))


def _counted(ports: Ports, item: Transcript, before: File | None) -> list[tuple[File, list[Response]]]:
    """How far a file is counted now, and what is new in it; nothing for one that is no session's. Raises `OSError`."""
    reader = ports.readers.named(item.client) or reader_at(item.path, ports.readers)
    if reader is None:
        return []
    log = SessionLog(item.path, reader, Cursor(before.read, before.print) if before else Cursor(), usage_only=True)
    fold = UsageFold(*(msgspec.json.decode(before.state) if before is not None and log.start else [item.session]))
    fold.add(log, str(item.path))
    state = msgspec.json.encode([fold.session, fold.cwd, fold.model, fold.tools, fold.family]).decode()
    return [(File(str(item.path), item.size, *log.cursor, state), responses_of(item.client, fold.responses))]
