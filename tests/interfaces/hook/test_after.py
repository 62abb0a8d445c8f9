"""After a tool call: marks are left, whoever else leaves marks, and the full program starts only to say something."""

from __future__ import annotations

import json
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.core.records.seen import known
from clew.interfaces.hook import after
from tests.interfaces.hook.hooks import SILENCE, Hooks, called, installed, response

FULL = "clew.interfaces.hook.full"
PAST_THE_GROWTH = "x" * (33 << 10) + "\n"


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    return installed(tmp_path)


def transcript(hooks: Hooks, text: str) -> None:
    with (hooks.project.parent / "transcript.jsonl").open("a") as file:
        file.write(text)


def seen(hooks: Hooks) -> dict[str, tuple[int, int, bool, int]]:
    return known((hooks.session / "seen").read_bytes())[0]


def test_what_was_read_and_written_is_remembered_as_it_was(hooks: Hooks):
    """The next prompt compares with it: what is not in the list can change unseen."""
    page, notebook = hooks.project / "page é.md", hooks.project / "n.ipynb"
    page.write_text("one")
    notebook.write_text("{}")
    hooks.run("PostToolUse", called(hooks, "Read", {"file_path": str(page)}))
    hooks.run("PostToolUse", called(hooks, "NotebookEdit", {"notebook_path": str(notebook)}))
    hooks.run("PostToolUse", called(hooks, "Read", {"file_path": str(hooks.project / "gone")}))
    hooks.run("PostToolUse", called(hooks, "Grep", {"pattern": "x"}))
    hooks.run("PostToolUseFailure", called(hooks, "Edit", {"file_path": __file__}))
    found = seen(hooks)
    assert {
        str(page): (page.stat().st_mtime_ns, 3, False, 0),
        str(notebook): (found[str(notebook)][0], 2, True, 0),
    } == found
    assert (hooks.session / "pending").exists()


def test_a_command_of_the_session_leaves_its_time(hooks: Hooks):
    """What a formatter that the agent ran has changed was not changed from outside, also when the command failed."""
    hooks.run("PostToolUseFailure", called(hooks, "Bash", {"command": "make"}, duration_ms=2000))
    _, [(start, end)] = known((hooks.session / "seen").read_bytes())
    assert 2_000_000_000 == end - start


def test_hooks_of_one_session_at_once_and_in_any_order(hooks: Hooks):
    """Parallel calls run their hooks in parallel: no mark of one may be lost to another."""
    files = [hooks.project / f"file-{number}.py" for number in range(24)]
    for file in files:
        file.write_text(file.name)
    transcript(hooks, response(50_000) + PAST_THE_GROWTH)
    jobs = [("PostToolUse", called(hooks, "Read", {"file_path": str(file)})) for file in files]
    jobs += [("UserPromptSubmit", called(hooks, "", {}))] * 4 + [
        ("PreToolUse", called(hooks, "Bash", {"command": "ls"}))
    ] * 4
    hooks.session.mkdir(parents=True)
    (hooks.session / "started").touch()
    random.Random(7).shuffle(jobs)
    with ThreadPoolExecutor(8) as pool:
        assert {SILENCE} == set(pool.map(lambda job: hooks.run(*job), jobs))
    assert {str(file) for file in files} == seen(hooks).keys()
    assert 4 == (hooks.session / "prompts").stat().st_size
    assert 1 == len((hooks.session / "pulse").read_text().splitlines())
    assert not (hooks.live / "broken").exists()


def test_a_sub_agent_reads_for_its_session_but_has_no_context_of_it(hooks: Hooks):
    """Its events come with the parent's session and transcript: the parent's thresholds are not its business."""
    (hooks.live / "gates.json").write_text('{"v": 1, "levels": {}, "pressure": {"checkpoint": 1000}}')
    transcript(hooks, response(50_000))
    event = called(hooks, "Read", {"file_path": __file__}, agent_id="a65bcced5a93c931f")
    assert FULL not in hooks.imports("PostToolUse", event)
    assert [__file__] == [*seen(hooks)]
    assert not (hooks.session / "pulse").exists()


def test_a_threshold_that_was_crossed_is_said_once(hooks: Hooks):
    """The full program costs ten times as much as the hook: it starts when there is something new to say."""
    event = called(hooks, "Bash", {"command": "ls"})
    (hooks.live / "gates.json").write_text(
        '{"v": 1, "levels": {}, "pressure": {"checkpoint": 100000, "compact": 160000}}'
    )
    transcript(hooks, response(99_999) + PAST_THE_GROWTH)
    assert FULL not in hooks.imports("PostToolUse", event)
    transcript(hooks, response(100_000))
    assert FULL not in hooks.imports("PostToolUse", event), "the transcript has hardly grown: nobody looks"
    transcript(hooks, PAST_THE_GROWTH)
    assert FULL in hooks.imports("PostToolUse", event)
    (hooks.session / "told.json").write_text('{"thresholds": ["checkpoint"]}')
    transcript(hooks, response(150_000) + PAST_THE_GROWTH)
    assert FULL not in hooks.imports("PostToolUse", event)
    transcript(hooks, response(160_000) + PAST_THE_GROWTH)
    assert FULL in hooks.imports("PostToolUseFailure", event)


def test_a_transcript_that_is_no_file_is_passed_over(hooks: Hooks):
    """Reading a pipe would hang the tool call until the client's patience ends."""
    pipe = hooks.project.parent / "pipe"
    subprocess.run(["mkfifo", pipe], check=True)
    event = called(hooks, "Bash", {"command": "ls"}, transcript_path=str(pipe))
    assert SILENCE == hooks.run("PostToolUse", event)
    assert SILENCE == hooks.run("PostToolUse", called(hooks, "Bash", {}, transcript_path=str(hooks.project)))


def test_200_kb_on_stdin_leave_the_same_marks(hooks: Hooks):
    """Tools return whole files; nothing of them is kept here."""
    event = called(hooks, "Read", {"file_path": __file__}, tool_response={"file": {"content": "secret " * 30_000}})
    assert len(json.dumps(event)) > 200_000
    assert SILENCE == hooks.run("PostToolUse", event)
    assert not [trace for trace in hooks.traces() if b"secret" in (hooks.live / trace).read_bytes()]


def test_the_thresholds_of_the_model_go_before_those_of_the_place(hooks: Hooks):
    """Which model runs is known only after a look; a window of a million tokens is not full at 160,000."""
    (hooks.live / "gates.json").write_text('{"v": 1, "levels": {}, "pressure": {"compact": 116900}}')
    transcript(hooks, response(150_000))
    hooks.session.mkdir(parents=True)
    event, live, folder = called(hooks, "Bash", {}), str(hooks.live), str(hooks.session)
    assert after.crossed(event, live, folder)
    (hooks.session / "told.json").write_text('{"pressure": {"compact": 200000}}')
    assert not after.crossed(event, live, folder)


def test_a_window_that_the_client_tells_has_its_own_thresholds(hooks: Hooks):
    """Given a window of 95,000 tokens that no threshold was made for yet, the full program makes them, once."""
    (hooks.live / "gates.json").write_text('{"v": 1, "levels": {}, "pressure": {"compact": 116900}}')
    hooks.session.mkdir(parents=True)
    codex = hooks._replace(client="codex")
    last = {"last_token_usage": {"total_tokens": 30_000}, "model_context_window": 95_000}
    (hooks.project.parent / "transcript.jsonl").write_text(
        json.dumps({"type": "event_msg", "payload": {"type": "token_count", "info": last}}) + "\n"
    )
    event, live, folder = called(codex, "Bash", {}) | {"client": "codex"}, str(hooks.live), str(hooks.session)
    assert after.crossed(event, live, folder)
    (hooks.session / "told.json").write_text('{"pressure": {"compact": 43400}, "window": 95000}')
    assert not after.crossed(event, live, folder)
