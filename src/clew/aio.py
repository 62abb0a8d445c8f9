"""The front door for programs that run under asyncio: the same names as in `clew`, awaited.

    async with clew.aio.open(".") as project:
        await project.record("decision", "Amounts are integer cents", why="floats lost a cent")

Calls on a ledger are short and blocking, so each open project has one thread of its own that makes them in the order
they were asked for. A call that is cancelled while it runs still finishes there.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from clew import _front
from clew.app.context.compact import recalled, without_goal
from clew.app.library import Project as _Project
from clew.core.context.compaction import KEEP_LAST, Compacted, Recall, compacting
from clew.core.context.messages import Message, tokens_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["Project", "maybe_compact", "open"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _awaited(method: Callable[Concatenate[_Project, _P], _R]) -> Callable[Concatenate[Project, _P], Awaitable[_R]]:
    """A method of the open project, made in its thread."""

    @wraps(method)
    async def call(self: Project, /, *args: _P.args, **named: _P.kwargs) -> _R:
        return await _in_thread(self._thread, partial(method, self._project, *args, **named))

    return call


class Project:
    """An open project: `clew.Project` with methods to be awaited. Made by `clew.aio.open`."""

    def __init__(self, project: _Project, thread: Executor) -> None:
        """Programs call `clew.aio.open`."""
        self._project = project
        self._thread = thread

    work_on = _awaited(_Project.work_on)
    record = _awaited(_Project.record)
    import_file = _awaited(_Project.import_file)
    answer = _awaited(_Project.answer)
    resolve = _awaited(_Project.resolve)
    supersede = _awaited(_Project.supersede)
    retract = _awaited(_Project.retract)
    pin = _awaited(_Project.pin)
    checkpoint = _awaited(_Project.checkpoint)
    state = _awaited(_Project.state)
    payload = _awaited(_Project.payload)
    digest = _awaited(_Project.digest)
    drift = _awaited(_Project.drift)
    log = _awaited(_Project.log)
    save = _awaited(_Project.save)
    restore = _awaited(_Project.restore)


@asynccontextmanager
async def open(
    folder: str | os.PathLike[str] = ".",
    *,
    create: bool = False,
    task: str | None = None,
    actor: str = "",
    ledger: str = "",
) -> AsyncIterator[Project]:
    """As `clew.open`: `async with clew.aio.open() as project`."""
    from concurrent.futures import ThreadPoolExecutor

    thread = ThreadPoolExecutor(1, thread_name_prefix="clew")
    try:
        opened = partial(_front.open, folder, create=create, task=task, actor=actor, ledger=ledger)
        project = await _in_thread(thread, opened)
        try:
            yield Project(project, thread)
        finally:
            await _in_thread(thread, project.close)
    finally:
        thread.shutdown()  # it has nothing left to do: closing was the last


async def maybe_compact(
    messages: Sequence[Message],
    threshold: int,
    summarise: Callable[[list[Message], str | None], Awaitable[str] | str],
    focus: str | None = None,
    *,
    keep_last: int = KEEP_LAST,
    count: Callable[[Message], int] = tokens_of,
    pinned: Callable[[Message], bool] | None = None,
    project: Project | None = None,
) -> Compacted:
    """As `clew.maybe_compact`; `summarise` may be a coroutine function, and is then awaited."""
    steps = compacting(messages, threshold, focus, keep_last=keep_last, count=count, pinned=pinned)
    try:
        request = next(steps)
        while True:
            if isinstance(request, Recall):
                live = without_goal((await project.state()).items) if project else ()
                request = steps.send(recalled(live, request.summary))
                continue
            try:
                answer = summarise(request.messages, request.focus)
                summary = await answer if isinstance(answer, Awaitable) else answer
            except Exception as error:
                request = steps.throw(error)
            else:
                request = steps.send(summary)
    except StopIteration as done:
        result: Compacted = done.value
        return result


async def _in_thread(thread: Executor, work: Callable[[], _R]) -> _R:
    import asyncio

    return await asyncio.get_running_loop().run_in_executor(thread, work)
