-- Ledgers of any number of projects in one database. docs/reference/ledger.md explains them. NUL, which a `text` cannot
-- hold, is escaped (`connection.py`). What is sorted, or searched by its beginning, is sorted as Python does it ("C").
CREATE TABLE clew.ledger (
    id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- A ULID.
    project text    NOT NULL UNIQUE,
    -- What hashes of redacted values are keyed with.
    key     bytea   NOT NULL,
    -- How often words were purged: what was folded before is folded again.
    purges  integer NOT NULL DEFAULT 0
);

-- Whoever changes a ledger locks its row above first, so positions become visible in order.
CREATE TABLE clew.event (
    ledger      integer NOT NULL,
    seq         bigint  NOT NULL,
    id          text    NOT NULL,
    key         text    NOT NULL,
    project     text    NOT NULL,
    task        text    NOT NULL,
    session     text    NOT NULL,
    worktree    text    NOT NULL,
    actor       text    NOT NULL,
    provenance  text    NOT NULL,
    visibility  text    NOT NULL,
    said_at     text    NOT NULL,
    recorded_at text COLLATE "C" NOT NULL,
    kind        text    NOT NULL,
    v           bigint  NOT NULL,
    -- A flat JSON object as it was written: `jsonb` would change numbers.
    data        text    NOT NULL,
    -- The id of the item, task or checkpoint that it speaks of, '' if there is none: a copy out of `data`.
    about       text COLLATE "C" NOT NULL,
    PRIMARY KEY (ledger, seq),
    UNIQUE (ledger, key)
);
CREATE INDEX event_by_task ON clew.event (ledger, task, seq);
CREATE INDEX event_by_kind ON clew.event (ledger, kind, seq);
CREATE INDEX event_by_about ON clew.event (ledger, about) WHERE about <> '';

-- What rules read off a session, as versions: one counts now (`until` is null), the others counted when a checkpoint
-- was taken. A version counts at the position n if since <= n < until.
CREATE TABLE clew.extract (
    row       bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ledger    integer NOT NULL,
    session   text COLLATE "C" NOT NULL,
    task      text    NOT NULL,
    worktree  text    NOT NULL,
    last_time text COLLATE "C" NOT NULL,
    -- A JSON array: `core.state.items.Origin`.
    origin    text    NOT NULL,
    rules     bigint  NOT NULL,
    extent    bigint  NOT NULL,
    digest    text    NOT NULL,
    since     bigint  NOT NULL,
    until     bigint,
    -- The rows of its items in their order, and their ranks, which change with every item that joins.
    items     bigint[] NOT NULL,
    ranks     bigint[] NOT NULL
);
CREATE UNIQUE INDEX extract_now ON clew.extract (ledger, session) WHERE until IS NULL;
CREATE INDEX extract_by_session ON clew.extract (ledger, session, since);
CREATE INDEX extract_by_task ON clew.extract (ledger, task);

-- The items of extracts. Versions of one session's extract share the rows of items that did not change.
CREATE TABLE clew.inferred (
    row     bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ledger  integer NOT NULL,
    id      text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    since   bigint  NOT NULL,
    until   bigint,
    -- A JSON array: `core.state.items.Item` without its rank.
    item    text    NOT NULL
);
CREATE INDEX inferred_by_id ON clew.inferred (ledger, id);

-- What the events of a task up to `seq` fold to by this version of the fold. Can be deleted.
CREATE TABLE clew.snapshot (
    ledger   integer NOT NULL,
    task     text    NOT NULL,
    seq      bigint  NOT NULL,
    fold     integer NOT NULL,
    -- msgpack: an object of entities.
    entities bytea   NOT NULL,
    PRIMARY KEY (ledger, task)
);
