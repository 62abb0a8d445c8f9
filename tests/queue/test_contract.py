"""All queues keep what `clew.queue.port` promises."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from clew.core.errors import LedgerError
from clew.queue.absurd import AbsurdQueue
from clew.queue.port import Queue
from clew.testing.clock import Clock
from clew.testing.queues import LEASE_S, QueueContract, QueuePlace, order
from clew.testing.strategies import PROJECT
from tests.ledger.postgres.server import server
from tests.queue.memory import MemoryQueue


class InMemory:
    """The reference."""

    def __init__(self) -> None:
        self._clock = Clock()
        self._queue = MemoryQueue(self._clock)

    def open(self) -> Queue:
        return self._queue

    def jump(self, seconds: float) -> None:
        self._clock.tick(int(seconds * 1000))

    def restart(self) -> None:
        """It lives as long as its process."""


class OnServer:
    """Absurd, on a real server. Its clock is the database's setting `absurd.fake_now`."""

    def __init__(self) -> None:
        self.address = server().empty("queues")
        server().sql("DROP SCHEMA IF EXISTS absurd CASCADE", "queues")
        self._now_s = datetime(2026, 11, 28, 12, tzinfo=UTC).timestamp()
        self.jump(0)

    def open(self) -> Queue:
        return AbsurdQueue(self.address, PROJECT, make=True)

    def jump(self, seconds: float) -> None:
        self._now_s += seconds
        now = datetime.fromtimestamp(self._now_s, UTC).isoformat()
        server().sql(f"ALTER DATABASE queues SET absurd.fake_now = '{now}'")

    def restart(self) -> None:
        server().stop()
        server().start()


class TestMemory(QueueContract):
    @pytest.fixture
    def place(self) -> QueuePlace:
        return InMemory()


class TestAbsurd(QueueContract):
    @pytest.fixture
    def place(self) -> QueuePlace:
        return OnServer()


def test_projects_that_share_a_server_do_not_see_each_others_orders() -> None:
    place = OnServer()
    mine, theirs = place.open(), AbsurdQueue(place.address, "01KANQ0000000000000000PRJ9")
    mine.put(order(1))
    assert (None, ()) == (theirs.claim("bob", (), LEASE_S), theirs.jobs())
    for one in (mine, theirs):
        one.close()


def test_looking_makes_nothing_and_another_schema_is_left_alone() -> None:
    """Whoever only asks how it stands changes no database; one that another Absurd made is named."""
    place = OnServer()
    looker = AbsurdQueue(place.address, PROJECT)
    assert () == looker.jobs() and [] == server().sql("SELECT FROM pg_namespace WHERE nspname = 'absurd'", "queues")
    looker.close()
    place.open().close()
    statement = "CREATE OR REPLACE FUNCTION absurd.get_schema_version() RETURNS text LANGUAGE sql AS $$SELECT '0.4'$$"
    server().sql(statement, "queues")
    with pytest.raises(LedgerError, match=r"Absurd 0\.4") as raised:
        place.open()
    assert "E-worker-schema" == raised.value.code
    server().sql("GRANT CONNECT ON DATABASE queues TO ada; DROP SCHEMA absurd CASCADE", "queues")
    with pytest.raises(LedgerError, match="may create no schema"):
        AbsurdQueue(server().address("queues", user="ada", password="hunter2"), PROJECT, make=True)


def test_what_is_no_order_is_passed_over() -> None:
    """Anybody who may write to the database can put anything there: a base that is an option for git, say."""
    place = OnServer()
    queue = place.open()
    queue.put(order(1))
    (name,) = [row[0] for row in server().sql("SELECT queue_name FROM absurd.queues", "queues")]
    for forged in ({}, {**json.loads(_told(1)), "base": "--upload-pack=x"}, {**json.loads(_told(1)), "tags": ["a b"]}):
        text = json.dumps(forged).replace("'", "''")
        server().sql(f"SELECT absurd.spawn_task('{name}', 'clew-phase', '{text}')", "queues")
    claims = [queue.claim("ada", (), LEASE_S) for _ in range(3)]
    assert [1] == [one.order.number for one in claims if one is not None] and 1 == len(queue.jobs())
    queue.close()


def _told(number: int) -> str:
    one = order(number)
    return json.dumps({name: getattr(one, name) for name in one.__struct_fields__})
