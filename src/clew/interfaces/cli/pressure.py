"""`clew pressure`: how full a session's context is, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from clew import wiring
from clew.app.context.pressure import Pressure, pressure
from clew.app.cost.prices import known_prices
from clew.core.state.ids import short_session
from clew.core.text.cleaning import one_line, shorten
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import count, find_project, present, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import show_table

_SUBJECT_CHARS = 60


@click.command("pressure", cls=CliCommand, doing="Reading the session")
@click.option("--session", metavar="S", type=click.Path(path_type=Path), help="A session's id, or its file.")
@json_option()
def command(session: Path | None) -> None:
    """Show how much of its context window a session uses (the one that asks, else the newest here), how fast that
    grows, what else speaks for or against continuing, and what to do next.

    Reads the client's own record of the session; nothing is written.
    """
    ports = wiring.ports()
    found = pressure(find_project(), session=session, prices=known_prices(*ports.price_tables()).prices)
    say_notes(found.notes)
    present(found.result(), lambda _: _tell(found))


def _tell(found: Pressure) -> None:
    show_table(("", ""), list(_rows(found)), styles=("bold",))


def _rows(found: Pressure) -> Iterable[tuple[str, str]]:
    signals, limits = found.signals, found.limits
    model = f", {signals.model}" if signals.model else ""
    yield "session", f"{short_session(found.session)} ({found.client}{model})"
    sure = "" if limits.window.is_sure else " (estimated: the model's window is not known for certain)"
    size = f"{signals.context:,} tokens, {found.percent} % of {limits.window.usable:,} usable ones{sure}"
    yield "context", size if signals.context else "unknown: no response reports tokens"
    yield (
        "thresholds",
        (
            f"checkpoint at {limits.checkpoint:,} ({limits.checkpoint_by}), "
            f"compact or hand over at {limits.compact:,} ({limits.compact_by})"
        ),
    )
    left = f"; about {count(found.turns_left, 'turn')} until the client compacts" if found.turns_left >= 0 else ""
    yield "trend", f"{found.growth:,} tokens a turn lately{left}" if found.growth else "not known yet"
    since = "its last compaction" if signals.compactions else "it began"
    yield "work", f"{found.hours:.1f} hours since {since}, {count(signals.prompts, 'prompt')}"
    yield "compacted", f"{count(signals.compactions, 'time')}" if signals.compactions else "never"
    yield "checkpoint", f"{found.saved_s // 60:,} minutes before its last record" if found.saved_s >= 0 else "none"
    if found.turn_usd >= 0:
        responses = "1 response" if signals.next_turn.responses == 1 else f"{signals.next_turn.responses:g} responses"
        yield "next turn", f"about ${found.turn_usd:.3f} by {responses}"
    if found.validated:
        each = f", {found.tokens_per_change:,} tokens for each" if found.tokens else ""
        yield "output", f"{count(found.validated, 'validated change')}{each}"
    if signals.pace.last_s:
        yield "answers", f"begin after {signals.pace.last_s:g} s lately, {signals.pace.first_s:g} s at first"
    for told in _signals(found):
        yield "signal", told
    for reason in found.advice.against:
        yield "not to end", reason
    yield "advice", found.advice.line


def _signals(found: Pressure) -> Iterable[str]:
    """What was counted, each in a clause."""
    signals = found.signals
    for signal, words in (
        (signals.failing, "failed {} in the same way"),
        (signals.undone, "has an edit that was taken back and made again {}"),
        (signals.reread, "was read again {}, though nothing here changed it"),
        (signals.repeated, "came to the same {}, and nothing was changed"),
        (signals.alike, "was said {} in nearly the same words"),
    ):
        if signal is not None:
            yield f"{shorten(one_line(signal.subject), _SUBJECT_CHARS)} {words.format(count(signal.times, 'time'))}"
    last = len(signals.exchanges)
    for number, words in (
        (signals.corrections, "correct what came before"),
        (signals.idle, "brought nothing new"),
        (signals.vague, "ended with words that tell nothing"),
    ):
        if number:
            yield f"{number} of the last {count(last, 'turn')} {words}"
    if signals.topic:
        yield f"this turn went to other files: {shorten(', '.join(signals.topic), _SUBJECT_CHARS)}"
    if signals.pace.is_slower:
        yield "answers take more than twice as long as at first"
