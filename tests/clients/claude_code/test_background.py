"""Commands that go on in the background: what was only started is not done, and what ended says how."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.clients.claude_code.reader import going_on, looked, notified
from clew.core.records.transcript import Call, Poll, Prompt, Result, Run, Running
from clew.distill.session import ToolStep, build

from .recordings import of, records

STARTED = "Command running in background with ID: b7x2k. Output is being written to: /tmp/tasks/b7x2k.output."
NOTICE = (
    "<task-notification>\n<task-id>{task}</task-id>\n{call}<output-file>/tmp/tasks/b7x2k.output</output-file>\n"
    "<status>{status}</status>\n<summary>{summary}</summary>\n{result}</task-notification>"
)


def assistant(name: str, call: str, **given: Any) -> str:
    content = [{"type": "tool_use", "id": call, "name": name, "input": given}]
    return json.dumps({"type": "assistant", "message": {"id": "m", "content": content}}) + "\n"


def user(content: Any, **fields: Any) -> str:
    return json.dumps({"type": "user", "message": {"role": "user", "content": content}, **fields}) + "\n"


def answer(call: str, text: str, *, is_error: bool = False) -> str:
    return user([{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": is_error}])


def notice(status: str, summary: str, *, task: str = "b7x2k", call: str = "", result: str = "") -> str:
    told = f"<tool-use-id>{call}</tool-use-id>\n" if call else ""
    return NOTICE.format(
        task=task, call=told, status=status, summary=summary, result=f"<result>{result}</result>\n" if result else ""
    )


BEGUN = assistant("Bash", "t1", command="make check", run_in_background=True) + answer("t1", STARTED)


def outcome(data: str) -> tuple[str, int | None] | None:
    """How `make check` ended as a session sees it; None if nothing tells."""
    [step] = [
        one
        for one in build(records(data), client="claude-code").events
        if isinstance(one, ToolStep) and isinstance(one.call.action, Run)
    ]
    return None if step.result is None else (step.result.outcome, step.result.exit_code)


@pytest.mark.parametrize(
    "said",
    [
        STARTED,
        "Command running in background with ID: b7x2k",
        "Command was manually backgrounded by user with ID: b7x2k. Output is being written to: /tmp/x",
        "Command did not complete within its 120s timeout and was moved to the background (ID: b7x2k). Output is being"
        " written to: /tmp/x. You will be notified when it completes.\nSession cwd remains /w/tide.",
        "Command was moved to the background (ID: b7x2k) so that a message that arrived while it was running can reach"
        " you; it was not interrupted. Output is being written to: /tmp/x.",
        "Command exceeded the assistant-mode blocking budget (15s) and was moved to the background with ID: b7x2k. It"
        " is still running.",
    ],
)
def test_a_started_command_has_no_result(said: str) -> None:
    """It would be told as a check that passed, or as a commit that was made."""
    assert of(Result, answer("t1", said)) == []
    [went_on] = of(Running, answer("t1", "3 files\n" + said))
    assert (went_on.call, went_on.process, went_on.text) == ("t1", "b7x2k", "3 files")
    assert outcome(assistant("Bash", "t1", command="make check") + answer("t1", said)) is None


def test_what_only_quotes_such_an_answer_is_done() -> None:
    """A log or a page that was printed tells of other commands."""
    for text in (STARTED + "\nand\nmore\nlines", "He said: " + STARTED, "12 passed in the background"):
        assert going_on(text) is None
        assert [one.outcome for one in of(Result, answer("t1", text))] == ["ok"]
    assert [one.outcome for one in of(Result, answer("t1", STARTED, is_error=True))] == ["error"]


@pytest.mark.parametrize(
    ("status", "summary", "expected"),
    [
        ("failed", 'Background command "make check" failed with exit code 2', ("error", 2)),
        ("completed", 'Background command "make check" completed (exit code 0)', ("ok", 0)),
        ("completed", 'Background command "try exit code 1" completed (exit code 0)', ("ok", 0)),
        ("killed", 'Background command "make check" was stopped', None),
        ("running", "Background command still runs (exit code 0)", None),
        ("", "Monitor event (exit code 0)", None),
    ],
)
def test_a_notification_tells_the_end(status: str, summary: str, expected: tuple[str, int] | None) -> None:
    """In whichever kind of line it came, in all of them, and with or without the id of the call."""
    told = notice(status, summary)
    by_user = user(told, origin={"kind": "task-notification"}, promptSource="system", isMeta=True)
    queued = json.dumps({"type": "queue-operation", "operation": "enqueue", "content": told}) + "\n"
    attached = {"type": "queued_command", "commandMode": "task-notification", "prompt": told}
    beside = json.dumps({"type": "attachment", "attachment": attached}) + "\n"
    blocks = user([{"type": "text", "text": notice(status, summary, call="t1")}])
    for data in (user(told), by_user, queued, beside, blocks, queued + beside, queued + by_user):
        assert outcome(BEGUN + data) == expected, data
        assert of(Prompt, data) == []


def test_what_looks_at_a_command_tells_the_end_with_all_that_was_printed() -> None:
    """Newer versions tell what was printed in all, older ones what was printed since the last look."""
    going = "<status>running</status>\n\n<stdout>\n1 failed\n</stdout>\n\n<timestamp>2026-01-02T03:04:05Z</timestamp>"
    ended = "<status>failed</status>\n\n<exit_code>1</exit_code>\n\n<stdout>\nlast words\n</stdout>"
    look = assistant("BashOutput", "t2", bash_id="b7x2k"), assistant("BashOutput", "t3", bash_id="b7x2k")
    assert [one.action for one in of(Call, "".join(look))] == [Poll("b7x2k")] * 2
    assert outcome(BEGUN + look[0] + answer("t2", going)) is None
    told = BEGUN + look[0] + answer("t2", going) + look[1] + answer("t3", ended)
    assert outcome(told) == ("error", 1)
    newer = (
        "<retrieval_status>success</retrieval_status>\n\n<task_id>b7x2k</task_id>\n\n<task_type>local_bash</task_type>"
        "\n\n<status>completed</status>\n\n<exit_code>0</exit_code>\n\n<output>\n<exit_code>9</exit_code>\n</output>"
    )
    assert outcome(BEGUN + assistant("TaskOutput", "t2", task_id="b7x2k") + answer("t2", newer)) == ("ok", 0)
    found = looked(newer)
    assert found is not None and (found.task, found.text) == ("b7x2k", "<exit_code>9</exit_code>")


def test_a_command_that_was_stopped_neither_passed_nor_failed() -> None:
    """The agent stops a server, or a check that hangs."""
    for name, field in (("KillShell", "shell_id"), ("TaskStop", "task_id")):
        said = '{"message":"Successfully stopped task: b7x2k (make check)","task_id":"b7x2k"}'
        assert outcome(BEGUN + assistant(name, "t2", **{field: "b7x2k"}) + answer("t2", said)) is None


def test_output_that_looks_like_a_look_is_output() -> None:
    """Programs print such tags as well."""
    for text in ("<status>ok</status>", "<status>completed</status> <b>x</b>", "<status", "<retrieval_status>x"):
        assert looked(text) is None
    assert [one.text for one in of(Result, answer("t1", "<status>200</status>"))] == ["<status>200</status>"]


def test_what_a_helper_answered_comes_later() -> None:
    """The call's first answer only says that it was started."""
    asked = assistant("Agent", "t5", description="Look", prompt="Look for cuts")
    asked += answer("t5", "Async agent launched successfully.\nagentId: a1")
    told = notice("completed", 'Agent "Look" finished', task="a1", call="t5", result="Two cuts in gauge.py")
    [step] = [
        one for one in build(records(asked + user(told)), client="claude-code").events if isinstance(one, ToolStep)
    ]
    assert step.result is not None and step.result.text == "Two cuts in gauge.py"


def test_a_notification_that_breaks_off_tells_nothing() -> None:
    """Or a command would end with a code that nobody said."""
    whole = notice("failed", "Background command failed with exit code 12")
    told = [notified(whole[:end]) for end in range(len(whole))]
    assert {one.exit_code for one in told if one is not None} == {None, 12}
