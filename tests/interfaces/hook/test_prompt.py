"""At a prompt: it is counted, and the full program starts only if there is something to say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.interfaces.hook.hooks import SILENCE, Hooks, called, installed, prompted, response

FULL = "clew.interfaces.hook.full"


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    """A session whose start was answered, and which has read one file."""
    made = installed(tmp_path)
    page = made.project / "page.md"
    page.write_text("one")
    os.utime(page, (1_700_000_000, 1_700_000_000))
    made.session.mkdir(parents=True)
    (made.session / "started").touch()
    made.run("PostToolUse", called(made, "Read", {"file_path": str(page)}))
    return made


def speaks(hooks: Hooks, **more: str) -> bool:
    return FULL in hooks.imports("UserPromptSubmit", prompted(hooks, **more))


def test_mostly_there_is_nothing_to_say(hooks: Hooks):
    """Every prompt waits for this hook, and every word of it costs tokens."""
    assert SILENCE == hooks.run("UserPromptSubmit", prompted(hooks))
    assert not speaks(hooks)
    assert 2 == (hooks.session / "prompts").stat().st_size


@pytest.mark.parametrize("left", ["due", "broken"])
def test_a_mark_that_somebody_left_is_said(hooks: Hooks, left: str):
    """What a hook could not say when it happened."""
    (hooks.live / "broken" if left == "broken" else hooks.session / "due").touch()
    assert speaks(hooks)


def test_a_threshold_is_said_at_the_prompt_too(hooks: Hooks):
    """A session that talks and calls no tools fills its context as well."""
    (hooks.live / "gates.json").write_text('{"v": 1, "levels": {}, "pressure": {"checkpoint": 100000}}')
    (hooks.project.parent / "transcript.jsonl").write_text("x" * 40_000 + "\n" + response(120_000))
    assert speaks(hooks)


def test_a_session_whose_start_was_not_answered_is_answered_at_its_prompt(hooks: Hooks):
    """The hook of its start was killed, or was installed later. Once: the prompts after it are as cheap as ever."""
    (hooks.session / "started").unlink()
    assert speaks(hooks)
    assert not speaks(hooks)


def test_a_sub_agent_has_no_prompts(hooks: Hooks):
    """What the parent asks of it is no prompt of the session."""
    (hooks.session / "due").touch()
    assert not speaks(hooks, agent_id="a1")
    assert not (hooks.session / "prompts").exists()
