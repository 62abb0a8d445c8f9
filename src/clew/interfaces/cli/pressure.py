"""`clew pressure`: how full a session's context is, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from clew import wiring
from clew.app.context.pressure import PressureResult, pressure
from clew.app.cost.prices import known_prices
from clew.core.context.advice import Advice
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
    present(found, _tell)


def _tell(found: PressureResult) -> None:
    show_table(("", ""), list(_rows(found)), styles=("bold",))


def _rows(found: PressureResult) -> Iterable[tuple[str, str]]:
    model = f", {found.model}" if found.model else ""
    yield "session", f"{short_session(found.session)} ({found.client}{model})"
    sure = " (estimated: the model's window is not known for certain)" if found.estimated else ""
    size = f"{found.context_tokens:,} tokens, {found.percent} % of {found.usable_tokens:,} usable ones{sure}"
    yield "context", size if found.context_tokens else "unknown: no response reports tokens"
    first = f"checkpoint at {found.checkpoint_tokens:,} ({found.checkpoint_by})"
    yield "thresholds", f"{first}, compact or hand over at {found.compact_tokens:,} ({found.compact_by})"
    left = f"; about {count(found.turns_left, 'turn')} until the client compacts" if found.turns_left >= 0 else ""
    yield "trend", f"{found.growth_tokens:,} tokens a turn lately{left}" if found.growth_tokens else "not known yet"
    since = "its last compaction" if found.compactions else "it began"
    yield "work", f"{found.hours:.1f} hours since {since}, {count(found.prompts, 'prompt')}"
    yield "compacted", f"{count(found.compactions, 'time')}" if found.compactions else "never"
    age_s = found.checkpoint_age_s
    yield "checkpoint", f"{age_s // 60:,} minutes before its last record" if age_s >= 0 else "none"
    if found.next_turn_usd >= 0:
        responses = "1 response" if found.next_turn.responses == 1 else f"{found.next_turn.responses:g} responses"
        yield "next turn", f"about ${found.next_turn_usd:.3f} by {responses}"
    if found.validated:
        each = f", {found.tokens_per_change:,} tokens for each" if found.tokens else ""
        yield "output", f"{count(found.validated, 'validated change')}{each}"
    if found.answers.last_s:
        yield "answers", f"begin after {found.answers.last_s:g} s lately, {found.answers.first_s:g} s at first"
    for told in _signals(found):
        yield "signal", told
    for reason in found.against:
        yield "not to end", reason
    yield "advice", Advice(found.advice, found.reason, found.next).line


_COUNTED = {
    "failing": "failed {} in the same way",
    "undone": "has an edit that was taken back and made again {}",
    "reread": "was read again {}, though nothing here changed it",
    "repeated": "came to the same {}, and nothing was changed",
    "alike": "was said {} in nearly the same words",
}


def _signals(found: PressureResult) -> Iterable[str]:
    """What was counted, each in a clause."""
    for one in found.signals:
        words = _COUNTED[one.signal].format(count(one.times, "time"))
        yield f"{shorten(one_line(one.subject), _SUBJECT_CHARS)} {words}"
    last = len(found.exchanges)
    for number, words in (
        (found.corrections, "correct what came before"),
        (found.vague_replies, "ended with words that tell nothing"),
    ):
        if number:
            yield f"{number} of the last {count(last, 'turn')} {words}"
    if found.topic:
        yield f"this turn went to other files: {shorten(', '.join(found.topic), _SUBJECT_CHARS)}"
    if found.slower:
        yield "answers take more than twice as long as at first"
