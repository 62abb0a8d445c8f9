"""Advice: what to do now with a session, why, and why not. Pure; docs/reference/pressure.md."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from clew.core.context.pressure import Level, Thresholds, crossed, spoke, thousands
from clew.core.context.signals import EXCHANGES, Signals
from clew.core.text.cleaning import one_line, shorten, shorten_code

CORRECTIONS_MIN: Final = 4
_COMPACT: Final = "compact with the text that `clew resume --profile focus` prints"
_SUBJECT_CHARS: Final = 60
_FILES_SHOWN: Final = 2

Deed = Literal["go on", "checkpoint", "compact", "hand over", "start fresh"]


class Circumstances(NamedTuple):
    """What advice depends on beside the context. `hours` of work since the context was last empty, and how many are
    taken; `turn_usd` is what one more turn costs (-1 unknown), `turn_cents_most` what it may (0: anything).

    `is_saved`: nothing worth a checkpoint happened since the last one (true where no ledger is kept). `is_hunt`: the
    task is to find one certain bug. `is_kept`: there is a ledger, in which a checkpoint can be taken.
    """

    hours: float = 0.0
    is_saved: bool = True
    is_hunt: bool = False
    hours_most: float = 4.0
    turn_usd: float = -1.0
    turn_cents_most: int = 0
    is_kept: bool = True


class Advice(NamedTuple):
    """What to do, why, and the command that comes next ("" none). `by` is what spoke: a signal, a setting, a share.
    `against` are reasons not to end the session now, each in a clause.
    """

    deed: Deed
    reason: str
    command: str
    by: str = ""
    against: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The advice as one line."""
        then = f" Next: {self.command}" if self.command else ""
        return f"{self.deed[0].upper()}{self.deed[1:]}: {self.reason}.{then}"


def advice(context: int, limits: Thresholds, signals: Signals, about: Circumstances) -> Advice:
    """What to do now with a session. The strongest reason speaks: a loop, a threshold, the hours, a compaction, what
    was said, another topic, the price.
    """
    found = next(_reasons(context, limits, signals, about))
    return found._replace(against=tuple(_against(signals, about)))


def _reasons(context: int, limits: Thresholds, signals: Signals, about: Circumstances) -> Iterator[Advice]:
    """All that holds, the strongest first; the last one always does."""
    level = crossed(context, limits)
    over = f"the context is {thousands(context)} tokens, over {spoke(level, limits)}" if level else ""
    times = f"{signals.compactions} times" if signals.compactions > 1 else "once"
    if loop := _loop(signals):
        yield _ending("start fresh", loop[1], loop[0], signals, about)
    if level == "compact":
        if not signals.compactions:
            yield Advice("compact", over, _COMPACT, limits.compact_by)
        yield _ending("hand over", f"{over}, and was compacted {times}", limits.compact_by, signals, about, level=level)
    if about.hours >= about.hours_most:
        yield _ending(
            "start fresh", f"{about.hours:.1f} hours of work in one context", "pressure.hours", signals, about
        )
    if signals.compactions:
        yield _ending("hand over", f"the context was compacted {times}", "compactions", signals, about)
    yield from _of_exchanges(context, limits, signals, about)
    if about.turn_cents_most and about.turn_usd * 100 >= about.turn_cents_most:
        dear = f"one more turn costs about {_usd(about.turn_usd)}, over {_usd(about.turn_cents_most / 100)}"
        yield Advice("compact", dear, _COMPACT, "pressure.turn_cents")
    if level == "checkpoint":
        if not about.is_kept:
            bare = f"{over}, and no ledger is kept here"
            yield Advice("checkpoint", bare, "`clew init`, then `clew checkpoint`", limits.checkpoint_by)
        if about.is_saved:
            yield Advice("go on", f"{over}, and no edit is without a checkpoint", "", limits.checkpoint_by)
        yield Advice("checkpoint", over, "`clew checkpoint`", limits.checkpoint_by)
    if not context:
        yield Advice("go on", "no response reports tokens, so it is not known how full the context is", "", "usage")
    left = f"{thousands(limits.checkpoint - context)} tokens are left to the first threshold, {limits.checkpoint_by}"
    yield Advice("go on", left, "", limits.checkpoint_by)


def _of_exchanges(context: int, limits: Thresholds, signals: Signals, about: Circumstances) -> Iterator[Advice]:
    """What the last exchanges tell. Rules on words are sometimes wrong, so one alone never speaks."""
    if signals.corrections >= CORRECTIONS_MIN:
        said = f"{signals.corrections} of the last {EXCHANGES} messages correct what came before"
        yield _ending("hand over", said, "corrections", signals, about)
    if signals.topic and context >= limits.checkpoint // 2:
        names = ", ".join(one.rpartition("/")[2] for one in signals.topic[:_FILES_SHOWN])
        more = f" and {len(signals.topic) - _FILES_SHOWN} more" if len(signals.topic) > _FILES_SHOWN else ""
        said = f"the work went to other files ({one_line(shorten(names, _SUBJECT_CHARS))}{more}) in a context of"
        yield _ending("start fresh", f"{said} {thousands(context)} tokens", "topic", signals, about)


def _loop(signals: Signals) -> tuple[str, str] | None:
    """Which signal says that the session turns in circles, and that in a clause."""
    if signals.failing:
        subject = one_line(shorten_code(signals.failing.subject, _SUBJECT_CHARS))
        return "failing", f"`{subject}` failed {signals.failing.times} times in the same way"
    if signals.undone:
        path, times = signals.undone
        return "undone", f"the same edit of {path} was taken back and made again {times} times"
    if signals.repeated:
        subject = one_line(shorten_code(signals.repeated.subject, _SUBJECT_CHARS))
        return "repeated", f"{subject} came to the same {signals.repeated.times} times, and nothing was changed"
    if signals.alike:
        subject = shorten(one_line(signals.alike.subject), _SUBJECT_CHARS)
        return "alike", f"{signals.alike.times} replies are nearly alike (“{subject}”)"
    return None


def _ending(deed: Deed, reason: str, by: str, signals: Signals, about: Circumstances, *, level: Level = "") -> Advice:
    """The advice to end a session, or what is better where it should not end now. A loop ends it in any case."""
    step = shorten(one_line(signals.step), _SUBJECT_CHARS)
    loop = _loop(signals)
    if not loop:
        if about.is_hunt:
            why = f"{reason}, but a hunt for one bug keeps its context"
            return Advice("compact", why, _COMPACT, by) if level == "compact" else Advice("go on", why, "", by)
        if step and deed == "start fresh":
            return Advice("compact", f"{reason}, but “{step}” is under way", _COMPACT, by)
    first = "" if about.is_saved else "`clew checkpoint`, then "
    if deed == "hand over":
        where = f"when “{step}” is done, " if step else ""
        return Advice(deed, f"{reason}; at the next step boundary", f"{where}{first}a new session", by)
    record = "`clew reject` what failed, then " if loop else ""
    return Advice(deed, reason, f"{record}{first}a new session", by)


def _against(signals: Signals, about: Circumstances) -> Iterator[str]:
    if signals.step:
        yield f"“{shorten(one_line(signals.step), _SUBJECT_CHARS)}” is under way: compact instead"
    if not about.is_saved:
        yield "edits or commits are in no checkpoint yet: take one first"
    if about.is_hunt:
        yield "the task is to find one bug: its context is worth keeping"


def _usd(value: float) -> str:
    return f"${value:.2f}" if value >= 0.1 else f"${value:.3f}"
