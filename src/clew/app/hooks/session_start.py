"""A session begins, or goes on with an empty context: what is imported, and what it is given (SPEC C4).

Nothing is given in sub-agents, in headless runs without a task in `CLEW_TASK`, where the setting `inject.on` is off,
and in a session that was marked as fresh. What was left is taken in all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clew.app.hooks import quota as talk
from clew.app.hooks.receipts import given, has_spoken, settle
from clew.app.hooks.session_task import count_for_named, keep_line, note_named
from clew.app.hooks.start_context import at_start, handed_over, neighbours, plan_block, with_memory, with_record
from clew.app.intake.sessions import Sessions
from clew.app.ports import TASK_VARIABLE, Ports, wanted_task
from clew.app.project import runtime_dirs as places
from clew.app.project.gates import refresh
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task
from clew.app.project.runtime_dirs import LiveSession, is_quiet
from clew.app.project.session import ProjectSession
from clew.app.resume.current_state import up_to_date
from clew.core.errors import ClewError
from clew.core.records.hook_events import CONTEXT_UNITS_MAX, SILENCE, Answer, HookEvent, units
from clew.core.runtime_dir import PARALLEL
from clew.core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.app.hooks.receipts import InjectedText
    from clew.app.project.reading import LiveItems
    from clew.app.project.runtime_dirs import LiveSession

_DEADLINE: Final = "hook.deadline_ms"


def session_start(
    ports: Ports, event: HookEvent, data: str, *, again: bool = False, told: InjectedText | None = None
) -> Answer:
    """What the session of `event` is given. `data` is the user's data folder, which says where a person opted in.

    `event` may also be a prompt: that of a session whose start no hook heard, or `again` for one whose text did not get
    there. Without a source it is a start if the agent has said nothing yet, and else the session goes on. `told`: what
    it was given already, as it was prepared.
    `ports` are an agent's, and the session that asks is the event's. Raises `ClewError` and `OSError`.
    """
    folder = Path(event.folder)
    if event.agent or not event.session or not folder.is_absolute():
        return SILENCE
    location = locate(folder)
    live = places.opened(data, location, event.folder) if location.has_ledger else ""
    here = places.enter(live, event.session, event.pid, event.folder) if live else ""
    if not here:
        return SILENCE
    places.prune(live, ports.now_ms() / 1000, but=event.session)
    settings, wanted = ports.settings(location.root), wanted_task(ports)
    with up_to_date(ProjectHandle(ports, folder), deadline=_DEADLINE) as (at, sessions, _):
        whole = cache(at.standing)
        refresh(ports, at, whole=whole)  # settings and branches change without a word in the ledger
        count_for_named(at, live)
        with suppress(ClewError):  # told below, if anything is
            note_named(here, find_task(at, wanted).id if wanted else "")
        settle(ports, at, sessions)
        if not event.source:
            event = event._replace(source="resume" if has_spoken(ports, sessions, event.session) else "startup")
        keep_line(at, here)
        others = places.running(
            data, at.location, ports.now_ms() / 1000, but=event.session, pid=event.pid, rests=at.rests
        )
        _mark(at, data, others, live, here)
        if at.location.exchange_file.exists():
            from clew.app.project.device import start_sync  # here: few exchange

            start_sync(ports, at.location.root, at.location.exchange_file)
        count = 0
        if event.source == "compact":  # thresholds count again
            count = (talk.told(here) if again else talk.compacted(here)).compactions
        if is_quiet(ports, event, settings, here):
            return SILENCE
        try:
            offer = offered(ports, at, sessions, event, whole(), others=others, here=here, count=count)
            if told is not None:
                offer = offer._replace(text=told.text, mark=told.mark, tokens=told.tokens)
        except ClewError as error:
            if not wanted:
                raise
            return Answer(message=f"clew: {TASK_VARIABLE} names nothing that can be loaded: {error.message}")
        if not offer.text or units(offer.text) >= CONTEXT_UNITS_MAX:
            return SILENCE
        if offer.mark and not event.unseen:
            given(at, event, offer, again=again)
        return Answer(context=offer.text + _to_confirm(live, event, offer, settings))


def _mark(at: ProjectSession, data: str, others: Sequence[LiveSession], live: str, here: str) -> None:
    """Keep the mark of sessions that are live beside this one; most are alone, and none was left of others."""
    if others or Path(live, PARALLEL).exists():
        from clew.app.hooks.parallel import mark_parallel

        mark_parallel(at, data, others, here)


def offered(
    ports: Ports,
    at: ProjectSession,
    sessions: Sessions,
    event: HookEvent,
    whole: LiveItems,
    *,
    others: Sequence[LiveSession],
    here: str = "",
    count: int = 0,
) -> InjectedText:
    """All that a session which starts is offered, while `others` run; `whole` is what stands in the project, `here` its
    live folder, `count` the how manieth compaction it is. Nothing is written where the ledger of `at` cannot be.
    """
    settings, wanted = ports.settings(at.location.root), wanted_task(ports)
    offer = _offer(ports, at, sessions, event, settings, others, here, count)
    offer = with_record(at, sessions, event, settings, offer)
    task = find_task(at, wanted).id if wanted else at.task()
    if whole.orders:
        from clew.app.hooks.orders_given import with_orders  # here: quiet starts write nothing

        offer = with_orders(at, event, offer, whole, task, count=count)
    return with_memory(ports, at, event, settings, offer)


def _offer(
    ports: Ports,
    at: ProjectSession,
    sessions: Sessions,
    event: HookEvent,
    settings: Settings,
    others: Sequence[LiveSession],
    here: str,
    count: int,
) -> InjectedText:
    """What this start is offered, with a word on other sessions where the context is new to them. Each sort of offer is
    loaded where it is wanted: together they are as much as the rest of a start.
    """
    folder, wanted = Path(event.folder), wanted_task(ports)
    if event.source == "compact":
        from clew.app.hooks.delta import after_compaction

        plan = plan_block(at, event)
        return after_compaction(at, event, here, count=count, beside=plan).beside(plan)
    handed = handed_over(ports, at, event) if event.source in ("startup", "clear") and not wanted else None
    if handed is not None:
        return handed
    plan = ""
    if event.source in ("resume", "fork"):
        from clew.app.hooks.delta import since_then

        offer = since_then(ProjectHandle(ports, folder), at, sessions, event)
        plan = plan_block(at, event, resumed=True)
    else:
        offer = at_start(ProjectHandle(ports, folder), at, sessions, wanted=wanted, settings=settings, others=others)
        plan = plan_block(at, event, only_open=not offer.items)
    offer = offer.beside(plan)
    if not others:
        return offer
    warning = neighbours(at, others)
    return offer.behind(warning) if warning else offer


def _to_confirm(live: str, event: HookEvent, offer: InjectedText, settings: Settings) -> str:
    """What the confirm gate asks behind a whole payload, "" where it is off."""
    level = settings.gate("gate.confirm")
    if level == "off" or not offer.items:
        return ""
    from clew.app.hooks.confirm import close_confirm
    from clew.core.gate.confirm import question

    asked = close_confirm(live, event.session, offer.mark, question(offer.items), level=level)
    return f"{asked}\n" if asked else ""
