-- What each row holds is checked by a checksum of its columns (`ledger/checksum.py`), since a byte that changes on the
-- disk may leave a text that reads well. Rows that are there get theirs now. In no checksum are the positions, which the
-- indexes hold as well, and `filed` and `until`, which change.
ALTER TABLE event ADD COLUMN checksum INTEGER;
UPDATE event SET checksum = clew_checksum(
    id, key, project, task, session, worktree, actor, provenance, visibility, said_at, recorded_at, kind, v, about, data
);

ALTER TABLE extract ADD COLUMN checksum INTEGER;
UPDATE extract SET checksum = clew_checksum(
    session, task, worktree, last_time, origin, rules, extent, digest, since, items
);

ALTER TABLE inferred ADD COLUMN checksum INTEGER;
UPDATE inferred SET checksum = clew_checksum(id, session, since, item);

INSERT INTO meta (name, value)
SELECT 'checksum', clew_checksum(project.value, key.value)
FROM meta AS project, meta AS key WHERE project.name = 'project' AND key.name = 'key';

-- A snapshot is kept as a row for each entity, so that one is written when it changes, and a command that needs a few of
-- a hundred thousand reads those. Can be deleted.
DROP TABLE snapshot;

CREATE TABLE snapshot (
    task TEXT PRIMARY KEY,
    -- What the events up to here fold to, by this version of the fold.
    seq  INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    -- So many rows of `entity` belong to it.
    size INTEGER NOT NULL
) STRICT;

CREATE TABLE entity (
    task     TEXT NOT NULL,
    name     TEXT NOT NULL,
    -- What the entity is alike with (`core/state/crowd.py`), '' if it is to be looked at by itself; and where it stands
    -- among those.
    sort     TEXT NOT NULL,
    said     TEXT NOT NULL,
    -- Of `changes` (msgpack).
    checksum INTEGER NOT NULL,
    changes  BLOB NOT NULL,
    PRIMARY KEY (task, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX entity_by_sort ON entity (task, sort, said);
