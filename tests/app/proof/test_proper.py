"""Names in prose that nobody in the record has: the entry stays, and its writer hears of it."""

from __future__ import annotations

from typing import Final

import pytest

from clew.app.proof import IN_DOUBT, DiskFacts, facts_in_records, prove
from clew.core.state.draft import Judged
from clew.documents.draft import claims_in
from tests.builders import ROOT, Piece, edit, laid_out, prompt, reply, run

_NO_DISK: Final = DiskFacts()
STORY: Final[tuple[Piece, ...]] = (
    prompt("Put the sessions into a store that is not the disk. Ada asked for it, and it has to be done for Friday."),
    reply("Memcached would do."),
    edit(f"{ROOT}/src/store.py", "import psycopg  # postgresql\n"),
    run("pytest", "12 passed in 0.31s"),
)
_GERMAN: Final = (prompt("Bitte lege die Sitzungen in einer Datenbank ab, und nicht auf der Platte."), *STORY[1:])


def judged(heading: str, entry: str, *pieces: Piece, disk: DiskFacts = _NO_DISK) -> Judged:
    claims = claims_in(f"## {heading}\n- {entry}")
    facts = facts_in_records(laid_out(*(pieces or STORY)), claims, client="claude-code", root=ROOT)
    (one,) = prove(claims, facts, disk)
    return one


@pytest.mark.parametrize(
    ("heading", "entry"),
    [
        ("Decisions", "Sessions live in Redis"),
        ("Decisions", "Redis as the store for sessions"),
        ("Decisions", "Sessions live in Postgres — Mia said so"),
        ("Findings", "The store was agreed on with Mia, Ada was asked"),
    ],
)
def test_a_name_that_nobody_has_is_in_doubt(heading: str, entry: str) -> None:
    """An invented product or person is passed on as known."""
    one = judged(heading, entry)
    assert (one.verdict, one.reason.startswith(IN_DOUBT)) == ("anchored", True), one.reason


@pytest.mark.parametrize(
    ("heading", "entry"),
    [
        ("Decisions", "Sessions live in Postgres, as Ada asked"),
        ("Decisions", "Memcached as the store was not taken"),
        ("Decisions", "Sessions live in the store. Later ones too"),
        ("Next", "Ask whether Redis may be used"),
        ("Findings", "The store is told of under Open"),
        ("Findings", "It says “Sessions live in Redis” nowhere, nor `class Redis`"),
    ],
)
def test_a_name_of_the_record_is_not(heading: str, entry: str) -> None:
    """What is doubted without a reason teaches to pass over doubts."""
    one = judged(heading, entry)
    assert not one.reason.startswith(f"{IN_DOUBT}: nobody speaks of"), one.reason


def test_the_names_of_files_count() -> None:
    """The tree knows of what the session never looked at."""
    entry = "Sessions live in Redis"
    assert not judged("Decisions", entry, disk=DiskFacts(named=frozenset(("redis",)))).reason.startswith(IN_DOUBT)


def test_where_all_nouns_begin_so_there_is_no_telling() -> None:
    """German is written like that."""
    assert not judged("Findings", "die Sitzungen sind in der Tabelle abgelegt", *_GERMAN).reason.startswith(IN_DOUBT)
