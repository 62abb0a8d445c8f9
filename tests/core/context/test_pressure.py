"""Pressure: windows, thresholds, and which advice speaks."""

from __future__ import annotations

import pytest

from clew.core.context.advice import Circumstances, advice
from clew.core.context.pressure import (
    Thresholds,
    ToldWindow,
    crossed,
    percent,
    thousands,
    threshold_line,
    thresholds,
    window,
)
from clew.core.context.signals import Manner, Signal, Signals
from clew.core.settings import Given, Settings, resolve

BUILT_IN = resolve([], trusted=lambda *_: False)
CALM = Signals("claude-sonnet-4-5", 0, 0, 0, 1, (), None, None, None, None, "", "")
LOOP = CALM._replace(failing=Signal("pytest -q", 4))


def settings(**numbers: int) -> Settings:
    """The settings of somebody who set these numbers ("_" after the group for the dot)."""
    given = [Given("user", f"pressure.{name}", value, "here") for name, value in numbers.items()]
    return resolve(given, trusted=lambda *_: False)


def limits(model: str = "claude-haiku-4-5") -> Thresholds:
    return thresholds(model, BUILT_IN)


@pytest.mark.parametrize(
    ("model", "tokens", "sure"),
    [
        ("claude-haiku-4-5-20251001", 200_000, True),
        ("claude-opus-4-1-20250805", 200_000, True),
        ("claude-opus-4-7", 1_000_000, True),
        ("claude-sonnet-5", 1_000_000, True),
        ("claude-sonnet-4-5-20250929", 200_000, False),
        ("claude-sonnet-4-5-20250929[1m]", 1_000_000, True),
        ("claude-opus-4-6", 200_000, False),
        ("opus[1M]", 1_000_000, True),
        ("gemini-2.5-pro", 1_048_576, True),
        ("google/gemini-3-flash-preview", 1_048_576, True),
        ("us.anthropic.claude-opus-4-8-v1:0", 1_000_000, True),
        ("some-other-model", 200_000, False),
        ("", 200_000, False),
    ],
)
def test_windows_by_name(model: str, tokens: int, sure: bool) -> None:
    """A wrong window warns far too early, or never."""
    found = window(model)
    assert (tokens, sure) == (found.tokens, found.is_sure)


def test_what_was_seen_or_said_is_stronger_than_a_name() -> None:
    """The name in a session file does not tell that somebody asked for the long window."""
    assert 1_000_000 == window("claude-sonnet-4-5", context=230_000).tokens
    assert (500_000, True) == window("claude-sonnet-4-5", told=ToldWindow(500_000))[::2]
    assert (
        400_000
        == thresholds("claude-opus-4-7", settings(window_tokens=400_000), told=ToldWindow(500_000)).window.tokens
    )


def test_the_distance_is_to_the_client_s_own_compaction() -> None:
    """The client compacts 33,000 tokens before the window ends: what lies behind that is never used."""
    assert 167_000 == window("claude-haiku-4-5").usable
    assert 200_000 == window("claude-haiku-4-5", told=ToldWindow(0, False)).usable
    assert 67_000 == window("claude-haiku-4-5", told=ToldWindow(100_000)).usable
    assert 0 < window("", told=ToldWindow(1_000)).usable <= 1_000
    assert 524_288 == window("gemini-2.5-pro").usable, "at half of it, where its client was not told otherwise"
    assert 1_048_576 == window("gemini-2.5-pro", told=ToldWindow(0, False)).usable
    assert 200_000 == limits("gemini-2.5-pro").compact


def test_of_two_windows_the_smaller_one_ends_it() -> None:
    """What the client measures, and what somebody told it."""
    assert 95_000 == ToldWindow(120_000).measured(95_000).tokens == ToldWindow().measured(95_000).tokens
    assert 90_000 == ToldWindow(90_000).measured(95_000).tokens == ToldWindow(90_000).measured(0).tokens


def test_a_model_s_own_number_comes_before_its_client_s_and_both_before_that_for_all() -> None:
    """A small model loses the thread earlier; where nobody knows the model yet, the least number is looked at."""
    numbers = {
        "pressure.compact_tokens": 90_000,
        "pressure.codex.compact_tokens": 80_000,
        "pressure.gpt-5.compact_tokens": 70_000,
        "pressure.gpt-5.2.compact_tokens": 75_000,
    }
    said = resolve([Given("user", name, value, "f") for name, value in numbers.items()], trusted=lambda *_: False)
    assert (75_000, "pressure.gpt-5.2.compact_tokens") == thresholds("gpt-5.2-codex", said, client="codex")[1:4:2]
    assert 70_000 == thresholds("gpt-5", said, client="codex").compact
    assert 80_000 == thresholds("o9", said, client="codex").compact
    assert (90_000, "pressure.compact_tokens") == thresholds("claude-opus-5", said, client="claude-code")[1:4:2]
    assert 70_000 == thresholds("", said).compact


def test_a_threshold_is_the_smaller_one_of_share_and_number() -> None:
    """In a window of a million a share alone would warn at 580,000 tokens, where a model is long past its best."""
    short, long = limits("claude-haiku-4-5"), limits("claude-opus-4-7")
    assert (100_000, 116_900) == short[:2]
    assert (100_000, 200_000) == long[:2]
    assert ("pressure.checkpoint_tokens", "70 % of 167k usable tokens") == short[2:4]
    tight = thresholds("", settings(checkpoint_percent=10, compact_tokens=50_000))
    assert (16_700, 50_000) == tight[:2]
    assert "10 % of about 167k usable tokens" == tight.checkpoint_by


def test_crossing_is_told_once_in_one_line_with_its_reason() -> None:
    """Advice without a reason is ignored, and long advice costs what it wants to save."""
    short = limits()
    assert ("", "checkpoint", "compact") == tuple(crossed(n, short) for n in (99_999, 100_000, 116_900))
    assert "" == threshold_line(50_000, short)
    first, second = threshold_line(104_000, short), threshold_line(120_000, short)
    assert "104k tokens, over 100k (pressure.checkpoint_tokens)" in first
    assert "`clew checkpoint`" in first
    assert "117k (70 % of 167k usable tokens)" in second
    assert "hand over" in threshold_line(120_000, short, compactions=1)
    for line in (first, second, threshold_line(120_000, short, compactions=1)):
        assert "\n" not in line
        assert len(line) < 200


def deed(context: int, signals: Signals = CALM, **about: object) -> str:
    return advice(context, limits(), signals, Circumstances(**about)).deed  # type: ignore[arg-type]


def test_the_strongest_reason_speaks() -> None:
    """One line, one deed: a loop before a threshold, a threshold before the hours."""
    assert "go on" == deed(20_000)
    assert "checkpoint" == deed(105_000, is_saved=False)
    assert "go on" == deed(105_000, is_saved=True)
    assert ("go on", "usage") == advice(0, limits(), CALM, Circumstances())[::3]
    assert "`clew init`" in advice(105_000, limits(), CALM, Circumstances(is_kept=False)).command
    assert "compact" == deed(130_000)
    assert "hand over" == deed(130_000, CALM._replace(compactions=1))
    assert "hand over" == deed(20_000, CALM._replace(compactions=1))
    assert "start fresh" == deed(20_000, hours=4.5)
    assert "start fresh" == deed(20_000, LOOP)
    assert "start fresh" == deed(130_000, LOOP)


def test_when_not_to_end() -> None:
    """In the middle of a step, in a hunt for one bug, or before anything is saved, an end loses more than it gains."""
    busy = CALM._replace(step="write the parser")
    assert "compact" == deed(20_000, busy, hours=5.0)
    assert "go on" == deed(20_000, hours=5.0, is_hunt=True)
    assert "compact" == deed(130_000, CALM._replace(compactions=1), is_hunt=True)
    fresh = advice(20_000, limits(), CALM, Circumstances(5.0, is_saved=False))
    assert "`clew checkpoint`, then a new session" == fresh.command
    later = advice(20_000, limits(), busy._replace(compactions=2), Circumstances())
    assert ("hand over", "when “write the parser” is done, a new session") == (later.deed, later.command)
    assert "compacted 2 times" in later.line
    assert "start fresh" == deed(20_000, busy._replace(failing=LOOP.failing), hours=5.0, is_hunt=True)


def test_what_the_last_exchanges_tell_ends_a_session_at_the_next_boundary() -> None:
    """Rules on words are sometimes wrong: one alone never speaks."""
    wrong = Manner("No", corrects=True)
    assert "go on" == deed(20_000, CALM._replace(exchanges=(wrong,) * 3))
    found = advice(20_000, limits(), CALM._replace(exchanges=(wrong,) * 4), Circumstances())
    assert ("hand over", "corrections") == (found.deed, found.by)
    assert "4 of the last 10 messages correct" in found.reason


def test_another_topic_asks_for_a_fresh_session_once_the_context_is_worth_it() -> None:
    """A small context of something else bothers nobody."""
    moved = CALM._replace(exchanges=(Manner("Mail", elsewhere=("mail/queue.py", "mail/send.py", "mail/a.py")),))
    found = advice(60_000, limits(), moved, Circumstances())
    assert ("start fresh", "topic") == (found.deed, found.by)
    assert "(queue.py, send.py and 1 more)" in found.reason
    assert "go on" == deed(30_000, moved)
    assert "compact" == deed(60_000, moved._replace(step="move the queue"))


def test_a_turn_that_costs_more_than_it_may() -> None:
    """Who set a price is told when one more turn is over it; who set none, never."""
    found = advice(60_000, limits(), CALM, Circumstances(turn_usd=0.31, turn_cents_most=25))
    assert ("compact", "pressure.turn_cents") == (found.deed, found.by)
    assert "about $0.31, over $0.25" in found.reason
    assert "go on" == deed(60_000, turn_usd=9.0) == deed(60_000, turn_cents_most=25)


def test_every_reason_not_to_end_is_said() -> None:
    """Also where the advice is to go on: somebody may end it all the same."""
    found = advice(20_000, limits(), CALM._replace(step="write it"), Circumstances(0, is_saved=False, is_hunt=True))
    assert ["“write it” is under way", "edits or commits are in no", "the task is to find one bug"] == [
        reason[: len(start)]
        for reason, start in zip(
            found.against, ("“write it” is under way", "edits or commits are in no", "the task is to find one bug"),
            strict=True,
        )
    ]  # fmt: skip
    assert () == advice(20_000, limits(), CALM, Circumstances()).against


def test_advice_names_its_evidence() -> None:
    """Who is told to stop wants to see why."""
    found = advice(20_000, limits(), LOOP, Circumstances())
    assert "`pytest -q` failed 4 times in the same way" in found.reason
    assert "`clew reject`" in found.command
    hostile = LOOP._replace(failing=Signal("x" * 500 + "\n" * 9, 4))
    assert len(advice(20_000, limits(), hostile, Circumstances()).line) < 300
    assert "\n" not in advice(20_000, limits(), hostile, Circumstances()).line


def test_numbers_as_people_say_them() -> None:
    """Nobody reads 104327."""
    assert ["900", "104k", "1M", "1.25M"] == [thousands(n) for n in (900, 104_327, 999_900, 1_250_000)]
    assert ["999.99M", "1B", "1.72B"] == [thousands(n) for n in (999_990_000, 999_999_999, 1_717_908_991)]
    assert 59 == percent(100_000, limits())
