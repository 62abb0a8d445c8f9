"""The index: a file of SQLite with full text search (FTS5), in the user's cache. It can be deleted at any time.

What stands in it is clean and redacted. A source (a session file, a ledger, a document) has passages; what is found are
passages, and of one session all that match count together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple

import apsw

from clew.app.results import JsonResult
from clew.core.text.terms import is_dense, parts, terms

# Raised when tables or what is put into them change: an index of another version is rebuilt.
VERSION: Final = 2
_SCHEMA: Final = """
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    address TEXT NOT NULL UNIQUE,   -- the file, or the ledger
    sort TEXT NOT NULL,             -- session, item, document
    client TEXT NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL,          -- the top folder that it belongs to
    branch TEXT NOT NULL,
    read INTEGER NOT NULL,          -- bytes that are in the index, up to a line's end
    print TEXT NOT NULL             -- of what is read: the file is still the same one
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY,         -- the row of `words`
    source INTEGER NOT NULL REFERENCES sources (id),
    at INTEGER NOT NULL,            -- the byte where it begins, -1 nowhere
    time TEXT NOT NULL,
    kind TEXT NOT NULL,             -- session, document, or the kind of an item
    item TEXT NOT NULL,             -- the id of an item
    task TEXT NOT NULL,
    standing TEXT NOT NULL          -- of an item that holds no longer, why
);
CREATE INDEX passages_of ON passages (source);
CREATE VIRTUAL TABLE words USING fts5 (
    title, body, names, parts, tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO words (words, rank) VALUES ('rank', 'bm25({weights})');
"""
# How much a match counts in the title, the body, the names and their parts. Chosen on one half of queries with known
# answers (benchmarks/search); the other half gives the figure.
_WEIGHTS: Final = "1.0, 1.0, 1.0, 0.5"
# Of the passages of one session the best count, each less than the one before.
_COUNTED_MAX: Final = 10
_DECAY: Final = 0.7
# Of the passages that match, so many that came into the index last are ranked, which is what costs, and the best of
# them are looked at. A widened question asks for terms that so many passages hold together.
_RANKED_MAX: Final = 1_000
_ROWS_MAX: Final = 100
_WIDENED_ROWS_MAX: Final = 800
# With fewer finds than this the filters are asked of every passage that matches.
_ENOUGH: Final = 50
# Source, number, item, place, score (more is better), standing.
Row = tuple[int, int, str, int, float, str]
_BEST: Final = (
    "SELECT rowid, rank FROM (SELECT rowid, rank FROM words WHERE words MATCH ?"
    f" ORDER BY rowid DESC LIMIT {_RANKED_MAX}) ORDER BY rank LIMIT {_ROWS_MAX}"
)
_GIVEN: Final = "SELECT value ->> 0 AS number, value ->> 1 AS rank FROM json_each(:ranked)"
_EVERY: Final = "SELECT rowid AS number, rank FROM words WHERE words MATCH :match"
_JOINED: Final = (
    "SELECT source, number, item, at, -ranked.rank AS score, standing FROM ({ranked}) AS ranked"
    " JOIN passages ON passages.id = number JOIN sources ON sources.id = source WHERE TRUE {where}"
    f" ORDER BY score DESC LIMIT {_ROWS_MAX}"
)


class SearchSource(NamedTuple):
    """Where passages come from; see the schema. `read` bytes of it are in the index."""

    address: str
    sort: str
    project: str
    client: str = ""
    session: str = ""
    branch: str = ""
    read: int = 0
    print: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text that is found as one: of a session a turn, of a document a section, an item.

    `title` is what was asked, `body` what was said, `names` are commands and paths. `time` is RFC 3339 UTC, "" unknown.
    """

    title: str
    body: str = ""
    names: str = ""
    at: int = -1
    time: str = ""
    kind: str = "session"
    item: str = ""
    task: str = ""
    standing: str = ""


class FoundPlace(JsonResult, frozen=True):
    """What was found in a `file`: a session, an item or a section. `snippet` is a quotation of it; `\\x02` and `\\x03`
    stand around what matched (in no JSON). `passages`: so many of it match. `all_terms`: one of them holds every word
    that was asked for. `standing` is what became of an item that holds no longer: superseded, retracted, …; "" of all
    else.
    """

    sort: str
    kind: str
    client: str
    session: str
    project: str
    branch: str
    file: str
    at: int
    time: str
    item: str
    task: str
    standing: str
    title: str
    snippet: str
    passages: int
    all_terms: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """What is looked for; "" and () are no limit. Times are RFC 3339 UTC or the beginning of one. `file` is a part of a
    path or of a command.
    """

    projects: tuple[str, ...] = ()
    client: str = ""
    since: str = ""
    until: str = ""
    file: str = ""
    kind: str = ""
    task: str = ""


class SearchIndex:
    """An open index. Raises `apsw.Error` where its file cannot be used (`with_cache`)."""

    def __init__(self, path: Path | str) -> None:
        """`path` is the file, ":memory:" for none. Its folder exists."""
        self._db = apsw.Connection(str(path))
        self._db.set_busy_timeout(2_000)
        if self._db.pragma("user_version") != VERSION:
            self._db.pragma("journal_mode", "wal")
            with self._db:
                self._drop_all()
                self._db.execute(_SCHEMA.replace("{weights}", _WEIGHTS))
                self._db.pragma("user_version", VERSION)
        self._db.pragma("synchronous", "off")  # it can be made again

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _drop_all(self) -> None:
        rows = self._db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\'"
        )
        for (name,) in list(rows):
            self._db.execute(f'DROP TABLE "{name}"')

    def sources(self, sort: str = "") -> dict[str, SearchSource]:
        """All that is in the index, by address; of one `sort`, "" all."""
        rows = self._db.execute(
            "SELECT address, sort, project, client, session, branch, read, print FROM sources WHERE ? IN ('', sort)",
            (sort,),
        )
        return {row[0]: SearchSource(*row) for row in rows}

    def put(self, source: SearchSource, passages: Iterable[Passage], *, again: bool) -> None:
        """Add `passages` to a source and note how far it is read; `again`: what was there of it goes first."""
        with self._db:
            if again:
                self._forget(source.address)
            self._db.execute(
                "INSERT INTO sources (address, sort, project, client, session, branch, read, print)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (address) DO UPDATE SET read = excluded.read,"
                " print = excluded.print, project = excluded.project, branch = excluded.branch",
                source,
            )
            ((number,),) = self._db.execute("SELECT id FROM sources WHERE address = ?", (source.address,))
            for one in passages:
                self._db.execute(
                    "INSERT INTO passages (source, at, time, kind, item, task, standing) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (number, one.at, one.time, one.kind, one.item, one.task, one.standing),
                )
                self._db.execute(
                    "INSERT INTO words (rowid, title, body, names, parts) VALUES (last_insert_rowid(), ?, ?, ?, ?)",
                    (one.title, one.body, one.names, parts(f"{one.title}\n{one.body}\n{one.names}")),
                )

    def forget(self, addresses: Iterable[str]) -> None:
        """Take sources out, with all their passages."""
        with self._db:
            for address in addresses:
                self._forget(address)

    def _forget(self, address: str) -> None:
        rows = "SELECT passages.id FROM passages JOIN sources ON sources.id = source WHERE address = ?"
        self._db.execute(f"DELETE FROM words WHERE rowid IN ({rows})", (address,))
        self._db.execute("DELETE FROM passages WHERE source = (SELECT id FROM sources WHERE address = ?)", (address,))
        self._db.execute("DELETE FROM sources WHERE address = ?", (address,))

    def search(self, question: str, filters: Filters, *, limit: int) -> list[FoundPlace]:
        """At most `limit` finds, the best first. Those that hold every word in one passage come before all others,
        found by the rarest words. Among both what holds no longer comes last. [] where `question` holds no word.
        """
        asked = terms(question)
        if not asked:
            return []
        # A part of a name is asked for beside the name, so not every term has to be there.
        every_word = " AND ".join(map(_quoted, terms_of_words(question)))
        newest = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
        matched = {number for (number,) in self._db.execute(newest, (every_word, limit))}
        rows: list[Row] = []
        if len(matched) == limit:
            rows = self._rows(every_word, filters)
            matched.update(number for _, number, *_ in rows)
        if len(rows) < limit:
            rows += self._widened(asked, filters, matched)
        groups: dict[object, list[tuple[float, int]]] = {}
        seen: set[int] = set()
        ended: set[int] = set()
        for source, number, item, at, score, standing in rows:
            if number in seen:
                continue
            seen.add(number)
            if standing:
                ended.add(number)
            groups.setdefault(source if not item and at >= 0 else (source, number), []).append((score, number))
        scored = []
        for found in groups.values():
            found.sort(reverse=True)
            total = sum(score * _DECAY**place for place, (score, _) in enumerate(found[:_COUNTED_MAX]))
            complete = any(number in matched for _, number in found)
            best = next((number for _, number in found if number in matched), found[0][1])
            scored.append((complete, total, best, len(found)))
        scored.sort(key=lambda one: (not one[0], one[2] in ended, -one[1], one[2]))
        return self._hits(scored[:limit], tuple(dict.fromkeys((*asked, *terms_of_words(question)))))

    def _widened(self, asked: Sequence[str], filters: Filters, matched: Iterable[int]) -> list[Row]:
        """Passages that hold some of the rarest terms `asked`, and those that are `matched` anyhow."""
        counts = {term: self._held(term) for term in asked}
        chosen: list[str] = []
        total = 0
        for term in sorted((term for term in asked if counts[term]), key=counts.__getitem__):
            if chosen and total + counts[term] > _WIDENED_ROWS_MAX:
                break
            chosen.append(term)
            total += counts[term]
        return self._rows(" OR ".join(map(_quoted, chosen)), filters, matched) if chosen else []

    def _held(self, term: str) -> int:
        """How many passages hold a term; of more than a widened question may ask for, one more."""
        some = f"SELECT 1 FROM words WHERE words MATCH ? LIMIT {_WIDENED_ROWS_MAX + 1}"
        ((count,),) = self._db.execute(f"SELECT count(*) FROM ({some})", (_quoted(term),))
        return int(count)

    def _stems(self, text: str) -> list[tuple[int, int, str]]:
        """The words of a text as the tokenizer has them: where each begins and ends in its UTF-8, and its stem."""
        made = self._db.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
        found: Any = made(text.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_colocated=False)
        return list(found)

    def _rows(self, match: str, filters: Filters, others: Iterable[int] = ()) -> list[Row]:
        """Passages that match, and the `others`.

        The best of the latest are looked at first; only where filters leave too few of them are all that match joined
        with what the filters ask for, which costs more.
        """
        where, values = _conditions(filters)
        ranked = dict(self._db.execute(_BEST, (match,)))
        is_full = len(ranked) == _ROWS_MAX
        ranked = dict.fromkeys(others, 0.0) | ranked
        if not ranked:
            return []
        values["ranked"] = json.dumps(list(ranked.items()))
        rows = list(self._db.execute(_JOINED.format(ranked=_GIVEN, where=where), values))
        if where and is_full and len(rows) < _ENOUGH:
            rows += self._db.execute(_JOINED.format(ranked=_EVERY, where=where), {"match": match, **values})
        return rows

    def _hits(self, scored: Sequence[tuple[bool, float, int, int]], asked: Sequence[str]) -> list[FoundPlace]:
        stem: Stem = self._stems
        hits = []
        for complete, _, number, count in scored:
            row: Any = self._db.execute(
                "SELECT sort, kind, client, session, project, branch, address, at, time, item, task, standing, title,"
                " body, names FROM words JOIN passages ON passages.id = words.rowid"
                " JOIN sources ON sources.id = source WHERE words.rowid = ?",
                (number,),
            ).get
            *told, title, body, names = row
            values: list[Any] = [*told, title, excerpt((body, names, title), asked, stem), count, complete]
            hits.append(FoundPlace(*values))
        return hits


def terms_of_words(question: str) -> tuple[str, ...]:
    """The words that one passage has to hold: as `terms`, a name written in humps as its parts (which are indexed)."""
    found: dict[str, None] = {}
    for word in question.split():
        split = "" if is_dense(word) else parts(word)
        found.update(dict.fromkeys(terms(split or word)))
    return tuple(found)


def _quoted(term: str) -> str:
    return f'"{term}"' + "*" * (len(term) == 1 and is_dense(term))  # a character begins the pairs that it is in


def _conditions(filters: Filters) -> tuple[str, dict[str, str]]:
    tests = {
        "client": "client = :client",
        "since": "time >= :since",
        "until": "time < :until",
        "file": "(SELECT instr(lower(names), lower(:file)) FROM words WHERE words.rowid = number)",
        "kind": "kind = :kind",
        "task": "task = :task",
    }
    given = {name: str(getattr(filters, name)) for name in tests if getattr(filters, name)}
    where = "".join(f" AND {tests[name]}" for name in given)
    if filters.projects:
        given["projects"] = json.dumps(filters.projects)
        where += " AND project IN (SELECT value FROM json_each(:projects))"
    return where, given


OPEN: Final = "\x02"
CLOSE: Final = "\x03"
_CHARS: Final = 160
_BEFORE_CHARS: Final = 40
# So many places are looked at as the beginning of an excerpt.
_MATCHES_MAX: Final = 300

# The words of a text: where each begins and ends in its UTF-8, and its stem.
Stem = Callable[[str], list[tuple[int, int, str]]]


def excerpt(texts: Sequence[str], asked: Sequence[str], stem: Stem) -> str:
    """The piece of one of `texts` that holds most of the terms `asked`, of equal ones the first; the beginning of the
    first that is not empty where none holds any.
    """
    wanted = {root for term in asked if not is_dense(term) for _, _, root in stem(term)}
    dense = [term for term in asked if is_dense(term)]
    whole = len(wanted) + len(dense)
    best: tuple[int, str, int, list[tuple[int, int, str]]] | None = None
    for text in texts:
        found = _matches(text, wanted, dense, stem)
        for at, (start, _, _) in enumerate(found[:_MATCHES_MAX]):
            end = start + _CHARS - _BEFORE_CHARS
            held = {term for _, _, term in takewhile(lambda one: one[0] < end, islice(found, at, None))}  # noqa: B023
            if best is None or len(held) > best[0]:
                best = (len(held), text, start, found)
            if len(held) == whole:
                return _piece(text, start, found)
    if best is None:
        return _piece(next((text for text in texts if text.strip()), ""), 0, [])
    return _piece(best[1], best[2], best[3])


def _matches(text: str, wanted: set[str], dense: Sequence[str], stem: Stem) -> list[tuple[int, int, str]]:
    """Where in `text` (in characters) what of it stands that was asked for, in order."""
    found: list[tuple[int, int, str]] = []
    data = text.encode()
    at = place = 0
    for start, end, root in stem(text):
        word = data[start:end]
        hit = root
        if root not in wanted:
            if word.isascii() and (word.islower() or word.istitle()):
                continue
            hit = _part_in(word.decode("utf-8", "replace"), wanted, stem)
        if hit:
            place += len(data[at:start].decode("utf-8", "replace"))
            at = start
            found.append((place, place + len(word.decode("utf-8", "replace")), hit))
    for term in dense:
        begin = text.find(term)
        while begin >= 0:
            found.append((begin, begin + len(term), term))
            begin = text.find(term, begin + 1)
    return sorted(found)


def _part_in(word: str, wanted: set[str], stem: Stem) -> str:
    """The part of a name that was asked for: of `saveTide`, or of one that stands without a space in other words."""
    made = parts(word)
    return next((root for _, _, root in stem(made) if root in wanted), "") if made else ""


def _piece(text: str, match: int, found: Sequence[tuple[int, int, str]]) -> str:
    begin = max(0, match - _BEFORE_CHARS)
    space = text.find(" ", begin, match) if begin else -1
    begin = space + 1 if space >= 0 else begin
    end = min(len(text), begin + _CHARS)
    space = text.rfind(" ", begin + _CHARS // 2, end) if end < len(text) else -1
    end = space if space >= 0 else end
    rows, at = [], begin
    for start, stop, _ in found:
        if begin <= start < end and stop > at:
            rows += [text[at : max(start, at)], OPEN, text[max(start, at) : min(stop, end)], CLOSE]
            at = min(stop, end)
    rows.append(text[at:end])
    told = "".join(rows).replace(f"{CLOSE}{OPEN}", "")
    return f"{'…' * (begin > 0)}{told}{'…' * (end < len(text))}"
