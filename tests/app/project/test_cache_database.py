"""Caches: what can be had again is had again, and a person hears of it once."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.app.cost.index import File, UsageIndex
from clew.app.project.cache_database import DigestNumbers, damage, with_cache
from clew.app.search.index import Filters, Passage, SearchIndex, SearchSource
from clew.core.errors import Unavailable


def searched(index: SearchIndex) -> int:
    if not index.sources():
        index.put(
            SearchSource("/s", "session", "/p"),
            [Passage(f"tide {n}", "ten " * 50, at=n) for n in range(200)],
            again=True,
        )
    return len(index.sources()) and len(index.search("tide 7", Filters(), limit=3))


def counted(index: UsageIndex) -> int:
    if not index.files():
        who = ("claude-code", "s", "/p", "", "m")
        rows = [(bytes([n]) * 12, who, n * 60, "Bash", 1, 2, 3, 4, 5) for n in range(1, 200)]
        index.put([(File("/s", 10, 10, "abc", '["s", "/p", "m", []]'), rows)])
    return sum(row.responses for row in index.rows(since=0, until=0, folders=None, tools=True)) and index.files()["/s"]


Harm = Callable[[bytes, random.Random], bytes]


def put_in(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(16) + data[at:]


def every_97th(data: bytes, _: random.Random) -> bytes:
    return bytes(byte ^ 0xFF if at % 97 == 0 else byte for at, byte in enumerate(data))


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def zeroed(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return (data[:at] + bytes(4096) + data[at + 4096 :])[: len(data)]


def junk(data: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(len(data))


@pytest.mark.parametrize("harm", [put_in, every_97th, cut, zeroed, junk], ids=lambda harm: harm.__name__)
@pytest.mark.parametrize(("opened", "use"), [(SearchIndex, searched), (UsageIndex, counted)])
def test_a_damaged_cache_is_made_anew_and_that_is_said_once(
    tmp_path: Path,
    opened: Callable[[Path], Any],
    use: Callable[[Any], int],
    harm: Callable[[bytes, random.Random], bytes],
) -> None:
    """Whatever a disk did to it: the answer comes, and the next one without a word."""
    path, chance = tmp_path / "cache" / "x.db", random.Random(7)
    right, notes = with_cache(path, opened, use, code="E-x")
    assert not notes and not damage(path) and 0 == path.stat().st_mode & 0o77
    whole = path.read_bytes()
    told = 0
    for _ in range(12):
        path.write_bytes(harm(whole, chance))
        found, notes = with_cache(path, opened, use, code="E-x")
        told += bool(notes)
        assert found == right or not notes  # a number that is another one is seen by nobody
        assert not with_cache(path, opened, use, code="E-x")[1]
    assert told or harm in (put_in, cut, zeroed)
    assert [path] == list(path.parent.iterdir())


def test_a_fault_of_ours_costs_no_cache(tmp_path: Path) -> None:
    """What goes wrong with a new one as well is no damage: what was counted stays."""
    path = tmp_path / "x.db"
    with_cache(path, UsageIndex, counted, code="E-x")
    with pytest.raises(KeyError):
        with_cache(path, UsageIndex, lambda _: {}["no"], code="E-x")
    assert (["/s"], ()) == with_cache(path, UsageIndex, lambda index: list(index.files()), code="E-x")


@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError, apsw.BusyError, apsw.ReadOnlyError])
def test_what_the_system_refuses_is_told_and_nothing_is_thrown_away(tmp_path: Path, error: type[apsw.Error]) -> None:
    """A full disk is not mended by deleting what is on it."""
    path = tmp_path / "x.db"
    with_cache(path, UsageIndex, counted, code="E-x")
    whole = path.read_bytes()

    def refused(_: UsageIndex) -> None:
        raise error("no")

    with pytest.raises(Unavailable) as told:
        with_cache(path, UsageIndex, refused, code="E-x")
    assert "E-x" == told.value.code and str(path) in told.value.message and whole == path.read_bytes()


def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.db").mkdir()
    with pytest.raises(Unavailable) as told:
        with_cache(tmp_path / "x.db", UsageIndex, counted, code="E-x")
    assert "E-x" == told.value.code


def test_numbers_are_remembered_where_that_can_be(tmp_path: Path) -> None:
    """Given a file that is damaged, all is forgotten; given a folder that is none, nothing is ever remembered."""
    path = tmp_path / "numbers.db"
    DigestNumbers(path).keep({b"one": 1, b"two": 2})
    assert {b"two": 2} == DigestNumbers(path).known([b"two", b"three"])
    path.write_bytes(b"no database" * 1000)
    assert {} == DigestNumbers(path).known([b"two"])
    DigestNumbers(path / "below").keep({b"one": 1})
    assert {} == DigestNumbers(path / "below").known([b"one"])
