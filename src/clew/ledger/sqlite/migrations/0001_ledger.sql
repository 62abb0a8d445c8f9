-- A ledger of one project. Pages that explain it: docs/ledger.md.

-- What is true of the whole file: `project` (a ULID), `key` (the bytes that hashes of redacted values are keyed with), and
-- `filed`: all events up to this position are in all indexes (see `tail.py`).
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO meta (name, value) VALUES ('filed', 0);

-- What happened. Only added to; the exceptions are `prune` (telemetry by age) and `purge` (words that must go).
CREATE TABLE event (
    -- The order of arrival here. Never used twice, because the newest row is never deleted.
    seq         INTEGER PRIMARY KEY,
    -- What makes appending idempotent: the first event with a key is kept.
    key         TEXT NOT NULL UNIQUE,
    id          TEXT NOT NULL,
    project     TEXT NOT NULL,
    task        TEXT NOT NULL,
    session     TEXT NOT NULL,
    worktree    TEXT NOT NULL,
    actor       TEXT NOT NULL,
    provenance  TEXT NOT NULL,
    visibility  TEXT NOT NULL,
    said_at     TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    kind        TEXT NOT NULL,
    v           INTEGER NOT NULL,
    -- The id of the item, task or checkpoint that it speaks of, '' if there is none: a copy out of `data`.
    about       TEXT NOT NULL,
    -- 1 when it is in the two indexes below, else 0.
    filed       INTEGER NOT NULL,
    -- A flat JSON object: as text, or where that is shorter as a BLOB (zlib).
    data        ANY NOT NULL
) STRICT;

-- The fold asks for some kinds of one task since a position, `log` for all of a task, others for a kind of all tasks. One
-- index serves them all (see `events.py`; SQLite puts `seq` behind its columns).
CREATE INDEX event_by_task ON event (task, kind) WHERE filed = 1;

-- Ids are looked up by their beginning, by their neighbours, and for the task of the first event that speaks of them.
CREATE INDEX event_by_about ON event (about) WHERE filed = 1 AND about <> '';

-- What rules read off a session, as versions: one counts now (`until` is null), the others counted when a checkpoint
-- was taken. A version counts at the position n if since <= n < until.
CREATE TABLE extract (
    row        INTEGER PRIMARY KEY,
    session    TEXT NOT NULL,
    task       TEXT NOT NULL,
    worktree   TEXT NOT NULL,
    last_time  TEXT NOT NULL,
    -- A JSON array: `core.items.Origin`.
    origin     TEXT NOT NULL,
    rules      INTEGER NOT NULL,
    extent     INTEGER NOT NULL,
    digest     TEXT NOT NULL,
    since      INTEGER NOT NULL,
    until      INTEGER,
    -- The rows of its items in their order, as steps from one to the next, and their ranks: two JSON arrays in one
    -- (text, or BLOB as above). A rank is here because it changes with every item that joins.
    items      ANY NOT NULL
) STRICT;

CREATE UNIQUE INDEX extract_now ON extract (session) WHERE until IS NULL;
CREATE INDEX extract_now_by_task ON extract (task) WHERE until IS NULL;
CREATE INDEX extract_then ON extract (session, since) WHERE until IS NOT NULL;

-- The items of extracts. Versions of one session's extract share the rows of items that did not change, so that ten
-- thousand checkpoints do not copy them.
CREATE TABLE inferred (
    row     INTEGER PRIMARY KEY,
    id      TEXT NOT NULL,
    session TEXT NOT NULL,
    since   INTEGER NOT NULL,
    until   INTEGER,
    -- A JSON array: `core.items.Item` without its rank.
    item    TEXT NOT NULL
) STRICT;

CREATE INDEX inferred_by_id ON inferred (id);

-- What the events of a task up to `seq` fold to, so that a command folds only what came since. Can be deleted.
CREATE TABLE snapshot (
    task     TEXT PRIMARY KEY,
    seq      INTEGER NOT NULL,
    fold     INTEGER NOT NULL,
    -- CRC-32 of `entities` (msgpack).
    checksum INTEGER NOT NULL,
    entities BLOB NOT NULL
) STRICT;
