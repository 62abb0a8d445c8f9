"""All members keep what `clew.ledger.port` promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.ledger.memory import MemoryLedger
from clew.ledger.port import Ledger
from clew.ledger.postgres import ledger as postgres
from clew.ledger.sqlite.opening import open_ledger
from clew.testing.ledgers import LedgerContract, stated
from clew.testing.strategies import PROJECT
from tests.ledger.postgres.server import server


class TestMemory(LedgerContract):
    """The reference."""

    @pytest.fixture
    def ledger(self) -> Ledger:
        return MemoryLedger(PROJECT)

    def test_what_is_kept_is_not_the_callers(self, ledger: Ledger) -> None:
        """A list that is changed after it was recorded must not change the record."""
        tags = ["first"]
        ledger.append([stated(1, tags=tags)])
        tags.append("second")
        ((_, kept),) = ledger.events()
        assert ["first"] == kept.data["tags"]


class TestSqlite(LedgerContract):
    """The one that people use."""

    @pytest.fixture
    def ledger(self, tmp_path: Path) -> Iterator[Ledger]:
        ledger = open_ledger(tmp_path / "clew" / "ledger.db", project=PROJECT, write=True)
        yield ledger
        ledger.close()


class TestPostgres(LedgerContract):
    """The one that a team shares."""

    @pytest.fixture
    def ledger(self) -> Iterator[Ledger]:
        ledger = postgres.open_ledger(server().empty(), project=PROJECT, write=True, make=True)
        yield ledger
        ledger.close()
