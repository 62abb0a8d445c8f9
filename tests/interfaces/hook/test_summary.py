"""The summary of a compaction is kept for the start that follows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.hook.hooks import SESSION, SILENCE, Hooks, installed


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    return installed(tmp_path)


def ended(hooks: Hooks, words: str, **more: str) -> str | None:
    """What is kept after a sub-agent has ended with `words`; without `more` one that made a compaction's summary."""
    event = {"session_id": SESSION, "agent_id": "a1", "agent_type": "", "last_assistant_message": words, **more}
    assert SILENCE == hooks.run("SubagentStop", event)
    kept = hooks.session / "summary"
    return kept.read_text() if kept.exists() else None


def test_the_words_that_the_model_will_see_are_kept(hooks: Hooks):
    """The model sees the summary without the analysis before it: what stands only in that is lost."""
    assert "1. Intent: é" == ended(hooks, "<analysis>a thought</analysis>\n<summary>\n1. Intent: é\n</summary>")
    assert "no tags at all" == ended(hooks, "no tags at all")
    assert "cut <off" == ended(hooks, "<summary>cut <off")
    assert [hooks.session / "summary"] == list(hooks.session.iterdir())


def test_no_secret_of_a_summary_is_kept(hooks: Hooks):
    """It may lie there for days, where the client was killed before the start that reads it."""
    token = "ghp_" + "R7t2Kq9ZbX4mW1vN8cY5sD3fG6hJ0pLaQeTu"
    kept = ended(hooks, f"<summary>Push with {token} as before</summary>")
    assert kept is not None
    assert token not in kept
    assert kept.startswith("Push with [redacted:")


def test_what_a_sub_agent_says_is_no_summary(hooks: Hooks):
    """Else its report would pass for what the session still knows."""
    assert ended(hooks, "<summary>I looked</summary>", agent_type="general-purpose") is None
