"""What every queue of phases promises (`clew.queue.port`), as tests. A member subclasses `QueueContract`, and gives
`place`: what opens the queue, and moves its clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Protocol

import pytest

from clew.core.errors import InputError, LedgerError
from clew.queue.port import Claim, Order, Queue, Refused

LEASE_S = 60
TASK = "T-7k2q000000000000"


def order(number: int, *tags: str) -> Order:
    """An order of the phase with this number."""
    return Order(TASK, f"P-{number:016}", number, f"Part {number}", "run-1", "a" * 40, tags)


class QueuePlace(Protocol):
    """Where a queue is kept."""

    def open(self) -> Queue:
        """The queue, as another process opens it."""
        ...

    def jump(self, seconds: float) -> None:
        """Move the queue's clock; it stands still otherwise. What is open then is opened anew."""
        ...

    def restart(self) -> None:
        """What keeps the queue goes down, and comes up again."""
        ...


class QueueContract:
    """The promises. A process that is frozen or killed, and one behind a network that is cut, say nothing: to the queue
    they are the same, and its clock goes on.
    """

    @pytest.fixture
    def queue(self, place: QueuePlace) -> Iterator[Callable[[], Queue]]:
        """What opens the queue; all that it opened is closed in the end."""
        self._opened = ExitStack()
        yield lambda: self._opened.enter_context(closing(place.open()))
        self._opened.close()

    def test_an_order_is_claimed_once_and_completed(self, queue: Callable[[], Queue]) -> None:
        one = queue()
        job = one.put(order(1))
        assert one.put(order(1)) == one.put(order(1, "gpu")) == job, "of one thing there is one job"
        assert [("waiting", "", 0)] == [(each.state, each.until, each.attempts) for each in one.jobs()]
        claim = one.claim("ada", (), LEASE_S)
        assert claim is not None and (job, order(1), 1) == (claim.job, claim.order, claim.attempt)
        assert queue().claim("bob", (), LEASE_S) is None
        ((told),) = one.jobs()
        assert ("working", "ada") == (told.state, told.worker) and told.since < told.until
        one.complete(claim, "all is done")
        ((told),) = one.jobs()
        assert ("done", "", "all is done") == (told.state, told.worker, told.result)
        assert one.put(order(1)) != job, "what is over can be ordered again"
        assert ["done", "waiting"] == [each.state for each in one.jobs()]

    def test_many_who_claim_at_once_have_different_orders(self, queue: Callable[[], Queue]) -> None:
        for number in range(8):
            queue().put(order(number))
        workers = [queue() for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            claimed = [*pool.map(lambda one: [one.claim("w", (), LEASE_S) for _ in range(3)], workers)]
        jobs = [one.job for each in claimed for one in each if one is not None]
        assert 8 == len(jobs) == len(set(jobs))

    def test_many_who_order_the_same_at_once_order_it_once(self, queue: Callable[[], Queue]) -> None:
        everybody = [queue() for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            assert 1 == len({*pool.map(lambda one: one.put(order(1, "gpu")), everybody)})

    def test_a_worker_takes_only_what_its_machine_can_do(self, queue: Callable[[], Queue]) -> None:
        """And what fewer can do comes first."""
        one = queue()
        for each in (order(1), order(2, "linux", "gpu"), order(3, "client=codex")):
            one.put(each)
        assert [1] == numbers(one, "linux")
        assert [2] == numbers(one, "gpu", "linux", "arm")
        assert [3] == numbers(one, "client=codex")
        with pytest.raises(InputError, match="too long"):
            one.put(order(4, *(f"{'long' * 4}-{n}" for n in range(3))))

    def test_who_was_frozen_for_longer_than_its_lease_is_refused(
        self, queue: Callable[[], Queue], place: QueuePlace
    ) -> None:
        """Killed, frozen, cut off: another one has it, and what the first one says is not heard any more."""
        job = queue().put(order(1))
        first = claimed(queue(), "ada")
        place.jump(LEASE_S + 1)
        assert ["lost"] == [one.state for one in queue().jobs()]
        second = claimed(queue(), "bob")
        assert (job, job, 2) == (first.job, second.job, second.attempt) and first.token != second.token
        refused(queue(), first)
        queue().extend(second, LEASE_S)
        assert ["bob"] == [one.worker for one in queue().jobs()]
        queue().complete(second, "")
        refused(queue(), second)

    def test_signs_of_life_hold_a_claim(self, queue: Callable[[], Queue], place: QueuePlace) -> None:
        queue().put(order(1))
        claim = claimed(queue(), "ada")
        for _ in range(3):
            place.jump(LEASE_S - 1)
            queue().extend(claim, LEASE_S)
        assert queue().claim("bob", (), LEASE_S) is None

    def test_a_clock_that_is_put_back_gives_nothing_away(self, queue: Callable[[], Queue], place: QueuePlace) -> None:
        """A lease then holds for longer; one that is put on ends leases, and who had one is refused."""
        queue().put(order(1))
        claim = claimed(queue(), "ada")
        place.jump(-2 * 86_400)
        assert queue().claim("bob", (), LEASE_S) is None
        queue().extend(claim, LEASE_S)
        place.jump(2 * 86_400)
        claimed(queue(), "bob")
        refused(queue(), claim)

    def test_what_is_given_back_wakes_when_it_is_due(self, queue: Callable[[], Queue], place: QueuePlace) -> None:
        queue().put(order(1))
        claim = claimed(queue(), "ada")
        queue().release(claim, 3600, "a limit")
        refused(queue(), claim)
        ((told),) = queue().jobs()
        assert ("waiting", "", 1, "a limit") == (told.state, told.worker, told.attempts, told.result) and told.until
        assert queue().claim("bob", (), LEASE_S) is None
        place.jump(3601)
        again = claimed(queue(), "bob")
        refused(queue(), claim)
        queue().release(again, 0, "Ctrl-C")
        claimed(queue(), "ada")

    def test_a_cancelled_order_is_nobodys(self, queue: Callable[[], Queue]) -> None:
        """Neither of who has it, nor of who would come."""
        jobs = [queue().put(order(number)) for number in (1, 2)]
        claim = claimed(queue(), "ada")
        for job in jobs * 2:
            queue().cancel(job)
        refused(queue(), claim)
        assert queue().claim("bob", (), LEASE_S) is None
        assert ["cancelled", "cancelled"] == [one.state for one in queue().jobs()]
        assert queue().put(order(1)) not in jobs

    def test_a_restart_loses_nothing(self, queue: Callable[[], Queue], place: QueuePlace) -> None:
        """Who has something has it still, on a connection that is made anew."""
        for number in (1, 2):
            queue().put(order(number))
        holder = queue()
        claim = claimed(holder, "ada")
        place.restart()
        retried(lambda: holder.extend(claim, LEASE_S))
        assert {"working", "waiting"} == {one.state for one in holder.jobs()}
        holder.complete(claim, "")
        claimed(holder, "ada")


def claimed(queue: Queue, worker: str) -> Claim:
    """What the worker claims; there has to be something."""
    found = queue.claim(worker, (), LEASE_S)
    assert found is not None
    return found


def numbers(queue: Queue, *tags: str) -> list[int]:
    """What a worker with these tags can claim, which it does."""
    found = []
    while (claim := queue.claim("w", tags, LEASE_S)) is not None:
        found.append(claim.order.number)
    return found


def refused(queue: Queue, claim: Claim) -> None:
    """Nothing that is said under the claim is heard."""
    with pytest.raises(Refused):
        queue.extend(claim, LEASE_S)
    with pytest.raises(Refused):
        queue.complete(claim, "late")
    with pytest.raises(Refused):
        queue.release(claim, 0, "late")


def retried(deed: Callable[[], None]) -> None:
    """Do it, once more if the server was away."""
    try:
        deed()
    except LedgerError:
        deed()
