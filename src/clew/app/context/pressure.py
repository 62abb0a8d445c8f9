"""Pressure: how full a session's context is, how fast it grows, what speaks for going on or ending it. Only looks."""

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from clew.app.intake.find import pick_session, unreadable
from clew.app.intake.worked import WorkFold
from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.redaction import safe_errors
from clew.app.record.checkpoint import last_checkpoint
from clew.app.results import JsonResult
from clew.clients.port import Reader
from clew.core.context.advice import Circumstances, Deed, advice
from clew.core.context.pressure import Level, crossed, number, percent, thresholds
from clew.core.context.signals import Manner, Pace, Signals, SignalWatch, Turns, TurnSpan
from clew.core.cost.prices import Prices, Tokens
from clew.core.cost.uses import UsageFold
from clew.core.records.transcript import Context
from clew.sessions.log import SessionLog
from clew.sessions.redaction import RecordRedactor
from clew.workspace.times import nanoseconds

# Between two turns so much is still work; a longer pause is none.
_PAUSE_S: Final = 15 * 60


class CountedSignal(JsonResult, frozen=True):
    """What happened `times` times, by the name of the signal (`core.context.signals.Signals`)."""

    signal: str
    subject: str
    times: int


class PressureResult(JsonResult, frozen=True):
    """How it stands with one session. Texts are clean and redacted.

    `percent` is of the usable window, which is `estimated` where the model's is not known for certain. `growth_tokens`:
    tokens a turn on average lately. `turns_left`: so many turns like the last ones until the client drops its context,
    -1 unknown. `hours` of work since the context was last empty. `checkpoint_age_s`: seconds between the last
    checkpoint and the session's last record, -1 where there is none. `next_turn_usd` is what one more turn costs, -1
    unknown. `validated` are checks that passed behind a change, `tokens` all that the session used, for each of those
    `tokens_per_change` (-1 none). `advice` is what to do, `reason` why, `by` what spoke, `against` what speaks against
    ending it, `next` the command.
    """

    session: str
    client: str
    file: Path
    model: str
    context_tokens: int
    window_tokens: int
    usable_tokens: int
    estimated: bool
    percent: int
    crossed: Level
    checkpoint_tokens: int
    checkpoint_by: str
    compact_tokens: int
    compact_by: str
    growth_tokens: int
    turns_left: int
    hours: float
    prompts: int
    compactions: int
    checkpoint_age_s: int
    signals: tuple[CountedSignal, ...]
    step: str
    corrections: int
    vague_replies: int
    topic: tuple[str, ...]
    exchanges: tuple[Manner, ...]
    answers: Pace
    slower: bool
    next_turn: Turns
    next_turn_usd: float
    validated: int
    tokens: int
    tokens_per_change: int
    advice: Deed
    reason: str
    by: str
    against: tuple[str, ...]
    next: str
    notes: tuple[str, ...]


def pressure(project: ProjectHandle, *, session: Path | None = None, prices: Prices | None = None) -> PressureResult:
    """The pressure in `session` (a file, or an id), else in the one that asks, else in the newest one of the project
    that `folder` (absolute) is in. Without `prices` none is said. Raises `NotFound` and `InputError`.
    """
    with safe_errors(project.ports.redact):
        path, reader = pick_session(project, session or "", agents=True, asking=project.ports.asking_session)
        name, signals, validated, tokens = _watched(path, reader, project.ports)
        location = locate(project.folder)
        settings = project.ports.settings(location.root)
        told = project.ports.told_window(location.root, reader.name).measured(signals.window)
        limits = thresholds(signals.model, settings, client=reader.name, context=signals.largest, told=told)
        hours = _hours(signals.turns)
        saved, is_hunt, notes = _kept(project.ports, location)
        turn_usd = _price(signals, prices)
        about = Circumstances(
            hours,
            saved is None or not signals.edited or (bool(saved) and _seconds_between(signals.edited, saved) >= 0),
            is_hunt,
            number(settings, "pressure.hours", signals.model, reader.name)[0],
            turn_usd,
            number(settings, "pressure.turn_cents", signals.model, reader.name)[0],
            location.has_ledger,
        )
        said = advice(signals.context, limits, signals, about)
        counted = ((one, getattr(signals, one)) for one in ("failing", "undone", "repeated", "reread", "alike"))
        return PressureResult.of(
            signals,
            session=name or path.stem,
            client=reader.name,
            file=path,
            context_tokens=signals.context,
            window_tokens=limits.window.tokens,
            usable_tokens=limits.window.usable,
            estimated=not limits.window.is_sure,
            percent=percent(signals.context, limits),
            crossed=crossed(signals.context, limits),
            checkpoint_tokens=limits.checkpoint,
            checkpoint_by=limits.checkpoint_by,
            compact_tokens=limits.compact,
            compact_by=limits.compact_by,
            growth_tokens=signals.growth,
            turns_left=max(0, (limits.window.usable - signals.context) // signals.growth) if signals.growth else -1,
            hours=round(hours, 2),
            checkpoint_age_s=_seconds_between(saved or "", signals.turns[-1].last_time if signals.turns else ""),
            signals=tuple(CountedSignal.of(found, signal=one) for one, found in counted if found is not None),
            vague_replies=signals.vague,
            answers=signals.pace,
            slower=signals.pace.is_slower,
            next_turn_usd=turn_usd,
            validated=validated,
            tokens=tokens,
            tokens_per_change=tokens // validated if validated else -1,
            advice=said.deed,
            reason=said.reason,
            by=said.by,
            against=said.against,
            next=said.command,
            notes=notes,
        )


def _watched(path: Path, reader: Reader, ports: Ports) -> tuple[str, Signals, int, int]:
    """The id of a session file's session ("" unknown) and its signals, texts clean and redacted; its validated changes,
    and its tokens.
    """
    name, watch, work, usage = "", SignalWatch(), WorkFold(None), UsageFold()
    try:
        for batch in SessionLog(path, reader).batches():
            watch.add(batch.records)
            usage.add(batch.records)
            for record in batch.records:
                if isinstance(record, Context) and not record.agent:
                    name = name or record.session
                deque(work.of(record), 0)
    except OSError as error:
        raise unreadable(path, error) from error
    safe = RecordRedactor(ports.redact)
    tokens = sum(use.tokens.total for use in usage.responses.values())
    return safe.text(name), safe.values(watch.signals()), work.passed, tokens


def _kept(ports: Ports, location: ProjectLocation) -> tuple[str | None, bool, tuple[str, ...]]:
    """When the last checkpoint was taken ("" never, None: nothing is kept), and whether the task is to find a bug."""
    if not location.has_ledger:
        return None, False, ("clew is not initialised here (`clew init`), so there are no checkpoints.",)
    with open_project(ports, location.root, write=False) as at:
        here = at.task()
        task = at.task_of(here)
        last = last_checkpoint(at.ledger, here)
        return last.time if last else "", task is not None and task.type == "debug", ()


def _price(signals: Signals, prices: Prices | None) -> float:
    """USD of one more turn like the last ones with the context as it is; -1 where usage or price is unknown."""
    turn = signals.next_turn
    if prices is None or not turn.responses or not signals.turns:
        return -1.0
    price = prices.price(signals.model, day=signals.turns[-1].last_time[:10], context=signals.context)
    if price is None:
        return -1.0
    tokens = Tokens(turn.input, turn.cache_write, 0, turn.cache_read, turn.output)
    return round(price.of(tokens), 6)


def _seconds_between(first: str, last: str) -> int:
    """Whole seconds from the time `first` to `last`, 0 if it was later; -1 where one of them is unknown."""
    start, end = nanoseconds(first), nanoseconds(last)
    return -1 if start is None or end is None else max(0, (end - start) // 1_000_000_000)


def _hours(turns: Sequence[TurnSpan]) -> float:
    """Hours of work in these turns, without the long pauses between them."""
    seconds = 0
    before: int | None = None
    for turn in turns:
        start, end = nanoseconds(turn.first_time), nanoseconds(turn.last_time)
        if start is None or end is None:
            continue
        if before is not None and 0 < start - before <= _PAUSE_S * 1_000_000_000:
            seconds += (start - before) // 1_000_000_000
        seconds += max(0, end - start) // 1_000_000_000
        before = end
    return seconds / 3600
