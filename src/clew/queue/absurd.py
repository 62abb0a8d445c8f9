"""A queue on the PostgreSQL server of the project's ledger, kept by Absurd: its queues, leases and wake-ups, no more.

A project has one of Absurd's queues for each set of tags that phases ask for, whose name tells them: a worker looks
into those that it can serve. An order is a task of Absurd's; each claim is a run of it, and a claim that is given back
ends its run, so that a token is never good twice. Times are the server's.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

import msgspec
import psycopg
from absurd_sdk import Absurd
from absurdctl import BUNDLED_SCHEMA_SQL  # type: ignore[import-untyped]
from psycopg import sql
from psycopg.types.string import StrDumperUnknown

from clew.core.errors import LedgerError, NotFound
from clew.core.state.events import timestamp
from clew.core.state.ids import identity
from clew.ledger.postgres.address import shown
from clew.ledger.postgres.connection import Connection, connect, guarded
from clew.queue.port import OVER, Claim, Job, JobState, Order, Refused, check_tags

SCHEMA: Final = "0.5.1"
_TASK: Final = "clew-phase"
# A job that is given back, or whose worker is lost, is a new run each time.
_RUNS_MAX: Final = 1_000_000
# What Absurd says where a run is not its claimer's any more: cancelled, failed, and all else that it raises by itself.
_REFUSALS: Final = ("AB001", "AB002", "P0001")
_LOCK: Final = "SELECT pg_advisory_xact_lock(7163491525)"
_STATES: Final[dict[str, JobState]] = {
    "pending": "waiting", "sleeping": "waiting", "running": "working", "completed": "done", "failed": "done",
    "cancelled": "cancelled",
}  # fmt: skip
_JOBS: Final = """
    SELECT t.enqueue_at, t.headers ->> 'count', t.task_id::text, t.params, t.state, t.attempts, r.claimed_by,
        r.started_at, r.claim_expires_at, r.available_at, absurd.current_time(),
        coalesce(t.completed_payload #>> '{{}}', (
            SELECT f.failure_reason ->> 'message' FROM absurd.{runs} f
            WHERE f.task_id = t.task_id AND f.state = 'failed' ORDER BY f.attempt DESC LIMIT 1
        ), '')
    FROM absurd.{tasks} t JOIN absurd.{runs} r ON r.run_id = t.last_attempt_run
"""
_SAME: Final = """
    SELECT count(*), max(task_id::text) FILTER (WHERE state NOT IN ('completed', 'failed', 'cancelled'))
    FROM absurd.{tasks} WHERE headers ->> 'key' = %s
"""


class AbsurdQueue:
    """`Queue` of the project with the id `project` in the database at `address`. A connection that broke is made anew
    by the next call. With `make` the schema of Absurd is made where it is not there.
    """

    def __init__(self, address: str, project: str, *, make: bool = False) -> None:
        """Raises `LedgerError`: those of a ledger on a server, and E-worker-schema."""
        self._address = address
        self._place = shown(address)
        self._front = f"clew_{identity('queue', project)}"
        self._open: Connection | None = None
        try:
            with self._asked() as connection:
                self._is_there = _prepared(connection, self._place, make=make)
        except BaseException:
            self.close()
            raise

    def put(self, order: Order) -> str:
        check_tags(order.tags)
        name = "+".join((self._front, *sorted(order.tags)))
        with self._asked() as connection:
            client = Absurd(connection, queue_name=name)
            if name not in client.list_queues():
                with connection.transaction():  # who makes tables that another one uses would wait for it, and it back
                    connection.execute(_LOCK)
                    if name not in client.list_queues():
                        client.create_queue()
            count = 0
            for one in self._queues(connection):  # with other tags it is the same thing
                row = connection.execute(_named(_SAME, one), (order.key,)).fetchone()
                if row and row[1]:
                    return str(row[1])
                count += row[0] if row else 0
            # Two who count the same make one task.
            made = client.spawn(
                _TASK, msgspec.to_builtins(order), max_attempts=_RUNS_MAX, queue=name,
                headers={"key": order.key, "count": count}, idempotency_key=f"{order.key}:{count}",
            )  # fmt: skip
        return str(made["task_id"])

    def claim(self, worker: str, tags: Collection[str], lease_s: int) -> Claim | None:
        with self._asked() as connection:
            mine = [name for name in self._queues(connection) if set(name.split("+")[1:]) <= set(tags)]
            for name in sorted(mine, key=len, reverse=True):  # what fewer can do comes first
                client = Absurd(connection, queue_name=name)
                while tasks := client.claim_tasks(1, lease_s, worker):
                    (task,) = tasks
                    token = f"{name} {task['run_id']}"
                    try:
                        order = msgspec.convert(task["params"], Order)
                    except msgspec.ValidationError as error:
                        _act(connection, "complete_run", token, json.dumps(f"it is no order of clew's ({error})"))
                        continue
                    return Claim(str(task["task_id"]), token, order, task["attempt"])
        return None

    def extend(self, claim: Claim, lease_s: int) -> None:
        with self._asked() as connection:
            _act(connection, "extend_claim", claim.token, lease_s)

    def complete(self, claim: Claim, result: str) -> None:
        with self._asked() as connection:
            _act(connection, "complete_run", claim.token, json.dumps(result))

    def release(self, claim: Claim, after_s: float, why: str) -> None:
        with self._asked() as connection:
            reason = json.dumps({"name": "given back", "message": why})
            _act(connection, "fail_run", claim.token, reason, after_s)

    def cancel(self, job: str) -> None:
        for name, one in self._all():
            if one.id == job:
                with self._asked() as connection:
                    Absurd(connection, queue_name=name).cancel_task(job)
                return
        raise NotFound(f"there is no job {job}", code="E-worker-job")

    def jobs(self) -> tuple[Job, ...]:
        return tuple(job for _, job in self._all())

    def close(self) -> None:
        if self._open is not None:
            self._open.close()

    def _all(self) -> list[tuple[str, Job]]:
        """Each job with the queue that it is in, oldest first; those about one thing as they were put."""
        if not self._is_there:
            return []
        with self._asked() as connection:
            rows = [(name, row) for name in self._queues(connection) for row in connection.execute(_named(_JOBS, name))]
        rows.sort(key=lambda one: (one[1][0], int(one[1][1] or 0)))
        return [(name, job) for name, (_, _, *row) in rows if (job := _job(row)) is not None]

    def _queues(self, connection: Connection) -> list[str]:
        names = Absurd(connection, queue_name=self._front).list_queues()
        return [name for name in names if name.partition("+")[0] == self._front]

    @contextmanager
    def _asked(self) -> Iterator[Connection]:
        if self._open is None or self._open.closed:
            self._open = connect(self._address)
            # Functions are found by the types of what they are given, and a plain text is taken for any.
            self._open.adapters.register_dumper(str, StrDumperUnknown)
        with guarded(self._place):
            try:
                yield self._open
            except psycopg.OperationalError:
                self._open.close()  # one that was cut in an answer is of no more use
                raise


def _act(connection: Connection, function: str, token: str, *more: Any) -> None:
    """Call one of Absurd's functions about a claim. Raises `Refused`."""
    name, _, run = token.partition(" ")
    given = ", ".join(["%s"] * len(more))
    if function == "fail_run":
        given = "%s, absurd.current_time() + make_interval(secs => %s)"
    try:
        connection.execute(f"SELECT absurd.{function}(%s, %s, {given})", (name, run, *more))
    except psycopg.Error as error:
        if error.sqlstate in _REFUSALS:
            raise Refused(str(error).partition("\n")[0]) from error
        raise


def _named(statement: str, queue: str) -> sql.Composed:
    return sql.SQL(statement).format(tasks=sql.Identifier(f"t_{queue}"), runs=sql.Identifier(f"r_{queue}"))


def _job(row: Sequence[Any]) -> Job | None:
    """A row of `_JOBS` from its id on; None for one that is no order of ours."""
    name, params, word, attempts, worker, since, until, available, now, result = row
    try:
        order = msgspec.convert(params, Order)
    except msgspec.ValidationError:
        return None
    state = _STATES[word]
    attempts -= since is None  # Absurd counts the run that waits to be claimed
    if state == "working":
        state = "lost" if until <= now else "working"
        return Job(name, order, state, worker, _time(since), _time(until), attempts, result)
    waits = "" if state in OVER or available <= now else _time(available)
    return Job(name, order, state, until=waits, attempts=attempts, result=result)


def _time(when: datetime) -> str:
    return timestamp(int(when.timestamp() * 1000))


def _prepared(connection: Connection, place: str, *, make: bool) -> bool:
    """Whether Absurd's schema is there, made if it has to be. Raises `LedgerError` for one of another version."""
    with connection.transaction():
        connection.execute(_LOCK)  # of several that find none, one makes it
        row = connection.execute("SELECT to_regprocedure('absurd.get_schema_version()') IS NOT NULL").fetchone()
        row = connection.execute("SELECT absurd.get_schema_version()").fetchone() if row and row[0] else None
        found = str(row[0]) if row else ""
        if found == SCHEMA:
            return True
        if not found and not make:
            return False
        if found:
            raise LedgerError(
                f"{place} has the queues of Absurd {found}, and this clew works with {SCHEMA}",
                code="E-worker-schema",
                hint=f"`absurdctl migrate` (of absurdctl {SCHEMA}) brings an older schema on; for a newer one update "
                "clew here.",
            )
        try:
            connection.execute(BUNDLED_SCHEMA_SQL)
        except psycopg.errors.InsufficientPrivilege as error:
            raise LedgerError(
                f"the queue of workers cannot be made in {place}: this user may create no schema there",
                code="E-worker-schema",
                hint="Whoever owns the database runs `clew worker` once, or grants CREATE on it.",
            ) from error
    return True
