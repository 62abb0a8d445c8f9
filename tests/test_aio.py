"""The front door for asyncio."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path
from typing import Any

import pytest

import clew
from clew import aio

TALK: list[dict[str, Any]] = [
    {"role": role, "content": f"{turn}: " + "we go on with the refunds " * 40}
    for turn in range(8)
    for role in ("user", "assistant")
]


def test_all_that_a_project_can_is_there_to_be_awaited() -> None:
    """A method that is forgotten here is one that asyncio programs call in their loop."""
    public = {name for name, what in vars(clew.Project).items() if not name.startswith("_") and callable(what)}
    assert public - {"close"} == {name for name, what in vars(aio.Project).items() if not name.startswith("_")}
    for name in public - {"close"}:
        method = getattr(aio.Project, name)
        assert inspect.iscoroutinefunction(method) and method.__doc__ == getattr(clew.Project, name).__doc__


def test_a_project_under_asyncio(tmp_path: Path) -> None:
    """Record, save, restore, payload; then a second opening sees it all."""

    async def first() -> str:
        async with aio.open(tmp_path, create=True, actor="bot") as project:
            await project.record("constraint", "The signature of split() stays")
            await asyncio.gather(*(project.record("finding", f"Finding {number}") for number in range(10)))
            await project.save("bot", {"step": 1})
            return await project.save("bot", {"step": 2})

    async def second() -> tuple[int, clew.Saved | None, str]:
        async with aio.open(tmp_path) as project:
            state, saved = await asyncio.gather(project.state(), project.restore("bot"))
            return len(state.items), saved, (await project.payload()).text

    name = asyncio.run(first())
    count, saved, text = asyncio.run(second())
    assert saved is not None and (11, name, {"step": 2}) == (count, saved.id, saved.state)
    assert "The signature of split() stays" in text


def test_the_loop_goes_on_while_the_ledger_works(tmp_path: Path) -> None:
    """Whatever waits for the disk or for another writer must not stop everything else in the program."""

    async def run() -> int:
        ticks = 0
        async with aio.open(tmp_path, create=True) as project:
            held = threading.Event()
            # The project's one thread is busy; what is asked for meanwhile waits for it, the loop does not.
            busy = asyncio.get_running_loop().run_in_executor(project._thread, held.wait)
            waiting = asyncio.ensure_future(project.save("a", {"step": 1}))
            for _ in range(5):
                await asyncio.sleep(0.001)
                ticks += 1
                assert not waiting.done()
            held.set()
            await waiting
            await busy
            return ticks

    assert 5 == asyncio.run(run())


def test_errors_come_out_of_the_thread_and_it_ends(tmp_path: Path) -> None:
    """The same errors as without asyncio; no thread is left behind."""

    async def run() -> None:
        with pytest.raises(clew.NotFound):
            async with aio.open(tmp_path):
                raise AssertionError("there is no ledger")
        async with aio.open(tmp_path, create=True) as project:
            with pytest.raises(clew.NotFound):
                await project.resolve("D-zzzz")

    asyncio.run(run())
    assert not [one for one in threading.enumerate() if one.name.startswith("clew")]


def test_compacting_with_a_coroutine_gives_the_same(tmp_path: Path) -> None:
    """One protocol, two drivers: the same bytes."""

    async def summarise(older: list[Any], focus: str | None) -> str:
        await asyncio.sleep(0)
        return f"{len(older)} messages, {focus}."

    def at_once(older: list[Any], focus: str | None) -> str:
        return f"{len(older)} messages, {focus}."

    async def fails(older: list[Any], focus: str | None) -> str:
        raise RuntimeError("overloaded")

    async def run() -> list[clew.Compacted]:
        async with aio.open(tmp_path, create=True) as project:
            await project.record("constraint", "The signature of split() stays")
            return [
                await aio.maybe_compact(TALK, 900, summarise, "all", project=project),
                await aio.maybe_compact(TALK, 900, at_once, "all", project=project),
                await aio.maybe_compact(TALK, 900, fails, "all", project=project),
                await aio.maybe_compact(TALK, 10**6, fails),
            ]

    first, second, failed, below = asyncio.run(run())
    with clew.open(tmp_path) as project:
        plain = clew.maybe_compact(TALK, 900, at_once, "all", project=project)
    assert plain == first == second and first.was_compacted and "split()" in first.recalled
    assert ("summary-failed", TALK, "below-threshold") == (failed.reason, failed.messages, below.reason)


def test_a_compaction_that_is_cancelled_leaves_nothing_behind() -> None:
    """A time limit around a turn is usual; it is no failed summary."""

    async def hangs(older: list[Any], focus: str | None) -> str:
        await asyncio.sleep(60)
        return "late"

    async def run() -> None:
        await asyncio.wait_for(aio.maybe_compact(TALK, 900, hangs), 0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(run())
