"""What OpenCode recorded, as neutral records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.clients.lines import read_file
from clew.clients.opencode.reader import OpenCodeReader
from clew.clients.opencode.rendering import of_export, of_rows
from clew.clients.opencode.store import Stored
from clew.core.records.transcript import (
    Ask,
    Call,
    Compaction,
    Context,
    Delegate,
    Edit,
    Interruption,
    Prompt,
    Read,
    Record,
    Reply,
    Result,
    Run,
    Summary,
    Todo,
    Todos,
    Unreadable,
    Usage,
)

from .recordings import EXPORT, STORY, answer, made, tool, user

READER = OpenCodeReader()
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def records(path: Path) -> list[Record]:
    return [record for batch in read_file(path, READER) for record in batch.records]


def test_the_recorded_session_is_told_as_it_went() -> None:
    """All that a session leaves: words, deeds and how they ended."""
    found = records(STORY)
    assert [one.text for one in found if isinstance(one, Prompt)] == [
        "Page the feed",
        "Go on, but keep the old parameter",
        "Wait for the release",
        "Wait once more",
    ]
    deeds = [one.action for one in found if isinstance(one, Call)]
    assert deeds == [
        Read("/repo/a.txt", 0, 0),
        Run("echo FORBIDDEN"),
        Run("grep gamma a.txt; exit 3"),
        Edit("/repo/a.txt", "beta", "BETA"),
        Edit("/repo/b.txt", "", "one\ntwo\n"),
        Todos(
            (
                Todo("", "page the feed", "in_progress"),
                Todo("", "drop the flag", "deleted"),
                Todo("", "write the test", "pending"),
            ),
            True,
        ),
        Edit("/repo/a.txt", "nothere", "x"),
        Run("rm -rf build"),
        Delegate("look", "SUBAGENT do look"),
        Run("echo after"),
        Run("sleep 30"),
        Run("sleep 31"),  # in which the client was killed: it has no result
    ]
    ends = [(one.outcome, one.exit_code) for one in found if isinstance(one, Result)]
    assert ends == [
        *(("ok", None), ("denied", None), ("error", 3), ("ok", None), ("ok", None), ("ok", None), ("error", None)),
        *(("rejected", None), ("ok", None), ("ok", 0), ("interrupted", None)),
    ]
    assert sum(isinstance(one, Interruption) for one in found) == 1
    (dropped,) = (one for one in found if isinstance(one, Compaction))
    assert (dropped.trigger, dropped.tokens_before) == ("auto", 95_000)
    assert [one.text for one in found if isinstance(one, Summary)] == ["## Objective\n- the scripted summary"]
    assert {one.cwd for one in found if isinstance(one, Context)} == {"/repo"}
    assert not [one for one in found if isinstance(one, Reply) and "summary" in one.text]


def test_database_and_export_give_the_same_lines() -> None:
    """So it does not matter which of them somebody hands in, and places hold in both."""
    with READER.open(STORY) as stored, READER.open(EXPORT) as exported:
        assert stored.read() == exported.read()


def test_lines_that_are_done_stay_as_they_are(tmp_path: Path) -> None:
    """A document traces to its place also when the session went on."""
    running = tool("bash", {"command": "make"}, "running")
    before = made(tmp_path, user("go"), answer({"type": "text", "text": "I build."}, running))
    with READER.open(before) as stream:
        early = stream.read()
    connection = apsw.Connection(str(before.parent))
    done = tool("bash", {"command": "make"}, output="fine", metadata={"exit": 0})
    connection.execute("UPDATE part SET data = ? WHERE id = 'prt_1_1'", (json.dumps(done),))
    connection.execute("""UPDATE message SET data = json_set(data, '$.summary', json('{"diffs":[1]}'))
                          WHERE id = 'msg_0'""")
    connection.close()
    with READER.open(before) as stream:
        late = stream.read()
    assert late.startswith(early[: early.index(b'"part"', early.index(b"I build.") + 1)])
    assert [type(one) for one in records(before)][-3:] == [Context, Call, Result]


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ({"output": "x", "metadata": {"exit": 0}}, ("ok", 0, "")),
        ({"output": "x", "metadata": {"exit": 2}}, ("error", 2, "")),
        ({"output": "x", "metadata": {"exit": None}}, ("interrupted", None, "")),
        ({"status": "error", "error": "ENOENT"}, ("error", None, "")),
        ({"status": "error", "error": "Tool execution aborted", "metadata": {}}, ("interrupted", None, "")),
        ({"status": "error", "error": "The user dismissed this question"}, ("rejected", None, "")),
        (
            {
                "status": "error",
                "error": "The user rejected permission to use this specific tool call. "
                "User provided the following feedback: not on production",
            },
            ("rejected", None, "not on production"),
        ),
    ],
)
def test_how_a_call_ended(tmp_path: Path, state: dict[str, Any], outcome: tuple[str, int | None, str]) -> None:
    """What failed must not be tried again, what was refused not at all."""
    path = made(tmp_path, user("go"), answer(tool("bash", {"command": "make"}, **state)))
    (found,) = (one for one in records(path) if isinstance(one, Result))
    assert (found.outcome, found.exit_code, found.reason) == outcome


def test_a_call_that_the_model_still_writes_is_none(tmp_path: Path) -> None:
    """Nothing of it ran yet."""
    path = made(tmp_path, user("go"), answer(tool("bash", {}, "pending")))
    assert not [one for one in records(path) if isinstance(one, Call)]


def test_questions_and_their_answers(tmp_path: Path) -> None:
    """Decisions of a person."""
    questions = [
        {"question": "Which cursor?", "options": [{"label": "opaque"}, {"label": "plain"}]},
        {"question": "And the old one?", "options": []},
    ]
    asked = tool("question", {"questions": questions}, output="…", metadata={"answers": [["opaque"], []]})
    found = records(made(tmp_path, user("go"), answer(asked)))
    (call,) = (one for one in found if isinstance(one, Call))
    assert isinstance(call.action, Ask)
    assert call.action.questions[0].options == ("opaque", "plain")
    (result,) = (one for one in found if isinstance(one, Result))
    assert result.answers == (("Which cursor?", "opaque"),)


@pytest.mark.parametrize(
    ("part", "prompts"),
    [
        ({"type": "text", "text": "hello"}, [("hello", "typed")]),
        ({"type": "text", "text": '"two \\"odd\\" words"'}, [('two "odd" words', "typed")]),
        ({"type": "text", "text": '"one" and "two"', "synthetic": True}, []),
        ({"type": "text", "text": "seen by nobody", "ignored": True}, []),
        ({"type": "text", "text": "  "}, []),
        ({"type": "file", "mime": "image/png", "url": "data:…"}, [("[image]", "typed")]),
        ({"type": "file", "mime": "text/plain", "filename": "a.txt"}, []),
        ({"type": "subtask", "command": "review", "prompt": "the diff"}, [("/review the diff", "command")]),
    ],
)
def test_what_counts_as_words_of_the_user(tmp_path: Path, part: dict[str, Any], prompts: list[tuple[str, str]]) -> None:
    """What the client and plugins put beside them is not."""
    found = records(made(tmp_path, ({"role": "user"}, [part])))
    assert [(one.text, one.source) for one in found if isinstance(one, Prompt)] == prompts


def test_a_compaction_that_failed_dropped_nothing(tmp_path: Path) -> None:
    """Only a summary that is done takes the place of what was said."""
    asks = ({"role": "user"}, [{"type": "compaction", "auto": False}])
    text = {"type": "text", "text": "half a sum"}
    failed = answer(text, summary=True, parentID="msg_1", finish=None, error={"name": "APIError"})
    assert not [one for one in records(made(tmp_path, user("go"), asks, failed)) if isinstance(one, Compaction)]


def test_what_was_taken_back_is_not_told(tmp_path: Path) -> None:
    """The client has put the files back as well; it drops the messages when the next one comes. Usage was used."""
    used = {"type": "step-finish", "tokens": {"input": 7, "output": 1}}
    messages = (user("keep"), answer({"type": "text", "text": "kept"}), user("undo me"))
    gone = answer({"type": "text", "text": "gone"}, used)
    path = made(tmp_path, *messages, gone, revert=json.dumps({"messageID": "msg_2", "snapshot": "x"}))
    found = records(path)
    assert [one.text for one in found if isinstance(one, Prompt | Reply)] == ["keep", "kept"]
    assert [type(one) for one in found[-2:]] == [Interruption, Usage]


def test_tokens_without_a_finished_step_count_once(tmp_path: Path) -> None:
    """Other versions keep them in the message alone; this one in both places."""
    tokens = {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 3, "write": 4}}
    once = answer({"type": "text", "text": "x"}, tokens=tokens)
    twice = answer({"type": "step-finish", "tokens": tokens}, tokens=tokens)
    found = [one for one in records(made(tmp_path, user("go"), once, twice)) if isinstance(one, Usage)]
    assert [(one.input, one.cache_write, one.cache_read, one.output) for one in found] == [(5, 4, 3, 3)] * 2


def test_rows_that_hold_rubbish_cost_only_themselves(tmp_path: Path) -> None:
    """A disk that was full, a tool that wrote into the database."""
    path = made(tmp_path, user("one"), user("two"), user("three"))
    connection = apsw.Connection(str(path.parent))
    for sql in (
        "UPDATE part SET data = '{ \n no' WHERE id = 'prt_0_0'",
        "UPDATE message SET data = x'ff' WHERE id = 'msg_1'",
    ):
        connection.execute(sql)
    connection.close()
    found = records(path)
    assert sum(isinstance(one, Unreadable) for one in found) == 2
    assert [one.text for one in found if isinstance(one, Prompt)] == ["three"]


def test_whole_files_that_a_session_saw() -> None:
    """By them clew knows what changed since."""
    with READER.open(STORY) as stream:
        found = [version for line in stream.read().split(b"\n") for version in READER.file_versions(line)]
    assert [(one.path, one.content) for one in found] == [
        ("/repo/a.txt", b"alpha\nbeta\ngamma\n"),
        ("/repo/a.txt", b"alpha\nBETA\ngamma\n"),
        ("/repo/b.txt", b"one\ntwo\n"),
    ]


def versions(path: Path) -> list[tuple[str, bytes]]:
    with READER.open(path) as stream:
        found = [one for line in stream.read().split(b"\n") for one in READER.file_versions(line)]
    return [(one.path, one.content) for one in found]


def test_an_edit_proves_what_came_of_a_file_that_was_read(tmp_path: Path) -> None:
    """Without it every edit of the client's own looks like a change from outside. Where it is not certain what was
    written, nothing is claimed.
    """

    def edit(old: str, new: str, path: str = "/repo/a", **fields: Any) -> dict[str, Any]:
        return tool("edit", {"filePath": path, "oldString": old, "newString": new, **fields}, output="done")

    wrote = tool("write", {"filePath": "/repo/a", "content": "a\nb\na\n"}, output="done")
    path = made(
        tmp_path, user("go"), answer(wrote, edit("b", "c"), edit("a", "x", replaceAll=True), edit("c", "d", "a"))
    )
    expected = [b"a\nb\na\n", b"a\nc\na\n", b"x\nc\nx\n", b"x\nd\nx\n"]
    assert [content for _, content in versions(path)] == expected
    for unsure in (edit("a", "x"), edit("z", "x"), edit("b", "c", "/repo/other"), edit("", "x")):
        (tmp_path / "opencode.db").unlink()
        path = made(tmp_path, user("go"), answer(wrote, unsure, edit("b", "c")))
        own = unsure["state"]["input"]["filePath"] == "/repo/a"
        assert [content for _, content in versions(path)] == expected[: 1 if own else 2]


def test_a_patch_that_keeps_what_came_of_its_files_proves_it(tmp_path: Path) -> None:
    """Other versions keep only how lines changed, which proves nothing."""
    files = [
        {"filePath": "/repo/a", "type": "update", "after": "one\n"},
        {"filePath": "/repo/b", "type": "move", "movePath": "/repo/c", "after": "two\n"},
        {"filePath": "/repo/d", "type": "delete", "after": ""},
        {"filePath": "/repo/e", "type": "update", "patch": "@@"},
    ]
    patch = tool("apply_patch", {"patchText": "*** Begin Patch"}, output="done", metadata={"files": files})
    assert versions(made(tmp_path, user("go"), answer(patch))) == [("/repo/a", b"one\n"), ("/repo/c", b"two\n")]


@pytest.mark.parametrize(
    "change",
    [
        {"lineStart": 2},
        {"lineEnd": 2},
        {"truncated": True},
        {"type": "directory"},
        {"text": "a (line truncated to 2000 chars)"},
    ],
)
def test_a_part_of_a_file_proves_nothing(tmp_path: Path, change: dict[str, Any]) -> None:
    """What was not seen may be anything."""
    shown = {"type": "file", "path": "/repo/a", "text": "a\nb\nc", "lineStart": 1, "lineEnd": 3, "totalLines": 3}
    read = tool(
        "read", {"filePath": "/repo/a"}, output="…", metadata={"display": {**shown, "truncated": False, **change}}
    )
    with READER.open(made(tmp_path, user("go"), answer(read))) as stream:
        assert not [one for line in stream.read().split(b"\n") for one in READER.file_versions(line)]


def test_the_log_of_a_plugin_is_read(tmp_path: Path) -> None:
    """A call and its result have no id there; the result's input also holds the environment."""
    given = {"command": "make test", "description": "tests"}
    lines: list[dict[str, Any]] = [
        {"type": "user", "timestamp": "2026-01-11T14:02:32.646Z", "content": "run the tests"},
        {"type": "tool_use", "timestamp": "2026-01-11T14:02:33.000Z", "tool_name": "bash", "tool_input": given},
        {
            "type": "tool_result",
            "timestamp": "2026-01-11T14:02:34.000Z",
            "tool_name": "bash",
            "tool_input": {**given, "env": {"CI": "true"}},
            "tool_output": {"output": "1 failed\n", "exit": 1},
        },
    ]
    path = tmp_path / "ses_x.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert READER.recognises(path.read_bytes())
    prompt, call, result = records(path)
    assert isinstance(prompt, Prompt) and prompt.text == "run the tests"
    assert isinstance(call, Call) and isinstance(result, Result)
    assert (call.id, call.action, result.call, result.outcome, result.exit_code) == (
        *(result.call, Run("make test"), call.id, "error", 1),
    )


@pytest.mark.parametrize("data", [b'{"info": {"id": "ses_x"', b'{"info": {"id": "ses_x"}, "messages": [' + b"\xff" * 9])
def test_a_torn_export_is_an_error_that_says_so(tmp_path: Path, data: bytes) -> None:
    """Somebody saved it while it was printed."""
    path = tmp_path / "export.json"
    path.write_bytes(data)
    with pytest.raises(OSError, match="cannot be read"):
        READER.open(path)


@given(st.data())
def test_no_change_of_a_rows_type_raises(data: st.DataObject) -> None:
    """The client changes its format without notice: any value can stand anywhere, in an export and in the database."""
    document = json.loads(EXPORT.read_bytes())
    place: Any = document
    while True:
        key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else list(range(len(place)))))
        if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.integers(0, 5))):
            break
        place = place[key]
    place[key] = data.draw(_JSON)
    for line in of_export(document).split(b"\n"):
        READER.read(line + b"\n", offset=0)
        list(READER.file_versions(line))
    messages = [("m", json.dumps(data.draw(_JSON)).encode())]
    parts = [("p", "m", json.dumps({"type": data.draw(_JSON), "state": data.draw(_JSON)}).encode())]
    READER.read(of_rows(Stored({"id": "s", "permission": "[[7]]", "revert": "7"}, messages, parts)), offset=0)
