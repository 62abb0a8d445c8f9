"""The reader against recordings: each fact of a session is found, and nothing that the client made up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.core.records.transcript import (
    Ask,
    Call,
    Compaction,
    Context,
    Edit,
    Interruption,
    Link,
    Plan,
    Prompt,
    Question,
    Read,
    Reply,
    Result,
    Run,
    Search,
    Summary,
    Thought,
    Todo,
    Todos,
    Unreadable,
    Usage,
)

from .recordings import content, of, records

REFUSALS, TASKS, COMPACTIONS = "made-refusals.jsonl", "made-tasks.jsonl", "made-compactions.jsonl"


def line(**fields: Any) -> str:
    return json.dumps(fields) + "\n"


def prompt_line(text: Any, **fields: Any) -> str:
    return line(type="user", message={"role": "user", "content": text}, **fields)


def test_the_users_words_and_nothing_else_are_prompts() -> None:
    """Client echoes taken for prompts would become goals and constraints of the next session."""
    assert [(p.source, p.text) for p in of(Prompt, content(REFUSALS))] == [
        ("typed", "The tide gauge import drops the last row of every file. Find out why."),
        ("typed", "Never push yourself. Make a plan for the checksum instead."),
        ("command", "/exit"),
    ]
    assert [(p.source, p.text) for p in of(Prompt, content(TASKS))] == [
        ("plan", "# Checksums\n\n1. Parse the header\n2. Verify"),
        ("typed", "use the new fixture too"),
        ("command", "! git status --short"),
        ("command", "/review header.py only"),
        ("typed", "[image]\nwhat does this plot say?"),
    ]


def test_a_refusal_carries_the_users_reason_without_the_clients_boilerplate() -> None:
    """The reason is the most valuable sentence of many sessions, and it stands inside a result's text."""
    refused = [r for r in of(Result, content(REFUSALS)) if r.outcome == "rejected"]
    assert [(r.call, r.reason) for r in refused] == [
        ("toolu_02", "No: the last line is a checksum. Skip it only when it starts with #"),
        ("toolu_03", ""),
        ("toolu_05", "Add a step for the tests"),
    ]
    assert len(of(Interruption, content(REFUSALS))) == 1


def test_answers_come_from_the_structured_copy_when_there_is_one() -> None:
    """An answer that holds quotes cannot be split out of the text with certainty."""
    answered = [r for r in of(Result, content(REFUSALS)) if r.answers]
    assert answered[0].answers == (
        ("Which files carry a checksum?", "Only v2"),
        ("What if it is wrong?", 'Stop, and say "line 0" in the log'),
    )
    asked = [c.action for c in of(Call, content(REFUSALS)) if isinstance(c.action, Ask)]
    assert Question("Which files carry a checksum?", ("All", "Only v2")) == asked[0].questions[0]


def test_a_plan_is_followed_from_refusal_to_approval() -> None:
    """Only the result says which of two plans the user accepted."""
    plans = {c.id: c.action.text for c in of(Call, content(REFUSALS)) if isinstance(c.action, Plan)}
    outcomes = {r.call: r.outcome for r in of(Result, content(REFUSALS)) if r.call in plans}
    assert outcomes == {"toolu_05": "rejected", "toolu_06": "ok"}
    assert plans["toolu_06"].endswith("3. Tests")


def test_tools_become_actions() -> None:
    """Distilling knows no client: a tool that stays `Other` is lost to it."""
    actions = [(c.id, c.action) for c in of(Call, content(TASKS))]
    assert [
        ("toolu_11", Todos((Todo("", "Parse the header", "pending"),), whole=False)),
        ("toolu_12", Todos((Todo("1", "", "in_progress"),), whole=False)),
        ("toolu_13", Todos((Todo("1", "Parse the v2 header", ""),), whole=False)),
        ("toolu_14", Todos((Todo("", "Parse", "completed"), Todo("", "Verify", "in_progress")), whole=True)),
        ("toolu_15", Run("pytest -q")),
        ("toolu_16", Search("checksum", "src")),
        ("toolu_17", Search("**/*.py", "")),
        ("toolu_18", Edit("/home/mira/tidepool/header.py", "a", "b")),
        ("toolu_18", Edit("/home/mira/tidepool/header.py", "c", "d")),
        ("toolu_19", Edit("/home/mira/tidepool/notes.txt", "", "v2: sum in line 0\n")),
        ("toolu_20", Edit("/home/mira/tidepool/notes.txt", "line 0", "the first line")),
        ("toolu_21", Run("sleep 900")),
    ] == actions


def test_results_tell_outcome_code_and_task_number() -> None:
    """A failing check that reads as ok would be handed on as done."""
    results = {r.call: r for r in of(Result, content(TASKS))}
    assert (results["toolu_11"].outcome, results["toolu_11"].todo) == ("ok", "1")
    assert (results["toolu_15"].outcome, results["toolu_15"].exit_code) == ("error", 1)
    assert results["toolu_15"].text.startswith("FAILED test_header.py::test_v2")
    assert results["toolu_16"].outcome == "interrupted"
    assert (results["toolu_17"].outcome, *results["toolu_17"][5:7]) == ("error", None, "Folder is gone.")
    assert results["toolu_21"].outcome == "interrupted"


def test_a_read_result_is_given_without_the_clients_reminder() -> None:
    """Reminders are addressed to the model; quoted in a payload they would be obeyed again."""
    read = next(r for r in of(Result, content(REFUSALS)) if r.call == "toolu_01")
    assert "reminder" not in read.text
    assert [Read("/home/mira/tidepool/importer.py", 0, 0)] == [
        c.action for c in of(Call, content(REFUSALS)) if c.id == "toolu_01"
    ]


def test_thoughts_are_kept_where_the_client_leaves_them_in_the_clear() -> None:
    """Newer versions write a signature alone, which says nothing to anybody."""
    blocks = [
        {"type": "thinking", "thinking": "The lock is never given back.", "signature": "c2lnbmF0dXJl"},
        {"type": "thinking", "thinking": "", "signature": "c2lnbmF0dXJl"},
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
        {"type": "text", "text": "I give the lock back."},
    ]
    data = line(type="assistant", message={"id": "m1", "model": "m", "role": "assistant", "content": blocks})
    assert [one.text for one in of(Thought, data)] == ["The lock is never given back."]
    assert [one.text for one in of(Reply, data)] == ["I give the lock back."]


def test_compactions_of_all_kinds_and_their_summaries() -> None:
    """Pressure is counted from the last compaction on."""
    assert [c[3:] for c in of(Compaction, content(COMPACTIONS))] == [("micro", 90_000, 70_000), ("manual", 120_000, 0)]
    assert [c[3:] for c in of(Compaction, content("2.1.330-compaction.jsonl"))] == [("auto", 195_095, 2_837)]
    assert ["own package" in s.text for s in of(Summary, content(COMPACTIONS))] == [True]


def test_context_follows_the_session_when_it_moves() -> None:
    """The last working folder and branch are where the next session has to start."""
    seen = of(Context, content(COMPACTIONS))
    assert (seen[0].cwd, seen[0].branch, seen[0].version) == ("/home/mira/tidepool", "main", "2.0.29")
    assert (seen[-1].cwd, seen[-1].branch) == ("/home/mira/tidepool/packages", "feat/package")


def test_every_line_of_a_response_gives_its_usage_and_made_up_ones_none() -> None:
    """The tally needs every snapshot to keep the last; the client's own error messages cost nothing."""
    seen = [(u.message, u.request, u.output) for u in of(Usage, content(REFUSALS)) if u.message == "msg_r1"]
    assert seen == [("msg_r1", "req_r1", 3), ("msg_r1", "req_r1", 3), ("msg_r1", "req_r1", 140)]
    assert "msg_syn" not in {u.message for u in of(Usage, content(TASKS))}
    assert [r for r in of(Reply, content(TASKS)) if "overloaded" in r.text] == []


def test_a_pull_request_is_a_link() -> None:
    """The next session must not open a second one."""
    assert [(link.text, link.url) for link in of(Link, content(REFUSALS))] == [
        ("mira/tidepool#41", "https://example.org/mira/tidepool/pull/41")
    ]


@pytest.mark.parametrize(
    "broken",
    [
        {"uuid": 7},
        {"timestamp": None, "isSidechain": "no", "cwd": ["/x"]},
        {"requestId": {"a": 1}, "isMeta": 0, "agentId": 3.5},
        {"compactMetadata": "auto", "attachment": []},
        {"toolUseResult": {"answers": 1}},
        {"prNumber": 10**40},
    ],
)
def test_a_field_of_a_wrong_type_loses_only_itself(broken: dict[str, Any]) -> None:
    """One drifting field must not take the user's words with it."""
    assert [p.text for p in of(Prompt, prompt_line("keep this", **broken))] == ["keep this"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{broken\n", "not JSON"),
        (b"\x00" * 300 + b"\n", "holds NUL bytes"),
        (b'{"a":' + b"[" * 200_000 + b"\n", "nested too deeply"),
        (b"[" * 100_000 + b"]" * 100_000 + b"\n", "not a JSON object"),
        (b'"massive error"\n', "not a JSON object"),
        ('{"type":"user"}\n'.encode("utf-16"), "holds NUL bytes"),
        (b"\xff\xfe\xfd\n", "not a JSON object"),
    ],
)
def test_what_is_no_line_becomes_unreadable(data: bytes, why: str) -> None:
    """Damage is reported at its place, and what stands behind it is still read."""
    found = records(data + prompt_line("after").encode())
    assert why == next(r.why for r in found if isinstance(r, Unreadable))
    assert [r.text for r in found if isinstance(r, Prompt)] == ["after"] or data.startswith(b"\xff\xfe{")


@pytest.mark.parametrize("text", ["half an emoji \\ud83d", "bytes \udcff outside UTF-8"])
def test_a_damaged_character_does_not_lose_its_line(text: str) -> None:
    """The client cuts strings by UTF-16 units and writes the half that is left."""
    data = f'{{"type":"user","message":{{"role":"user","content":"{text}"}}}}\n'.encode("utf-8", "surrogateescape")
    prompts = of(Prompt, data)
    assert len(prompts) == 1
    prompts[0].text.encode()


def test_empty_lines_and_crlf_are_no_damage() -> None:
    """Files that passed through an editor or a Windows machine read the same."""
    text = prompt_line("one") + "\n \n" + prompt_line("two")
    assert [p.text for p in of(Prompt, text.replace("\n", "\r\n"))] == ["one", "two"]
    assert of(Unreadable, text.replace("\n", "\r\n")) == []


def test_a_first_line_longer_than_the_head_is_recognised_by_its_fields() -> None:
    """A session that begins with a pasted file is still a session."""
    fields = {
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "s",
        "message": {"role": "user", "content": "x" * 99_999},
    }
    head = json.dumps({**fields, "type": "user"}).encode()[: 64 << 10]
    assert ClaudeCodeReader().recognises(head)
    assert ClaudeCodeReader().recognises(b'{"type":"atis-latch","atis":""}\n' + head)


@pytest.mark.parametrize("time", ["2026-03-02T09:00:00.000Z", "2026-03-02T09:00:00Z", "2026-03-02T09:00:00.123456789Z"])
def test_a_time_is_given_as_the_client_wrote_it(time: str) -> None:
    """Items are ordered and dated by it."""
    assert [p.time for p in of(Prompt, prompt_line("one", timestamp=time))] == [time]


def test_every_line_says_where_it_stands() -> None:
    """Which of two ways was left is told by all lines between, and which work tree a file is of by the line of its
    call: a session moves between them.
    """
    place = {"sessionId": "5e55", "gitBranch": "main", "cwd": "/w/tide"}
    call = {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": "/w/fee/a.py", "content": "1"}}
    answer = {"id": "m", "content": [call]}
    data = (
        prompt_line("Go", uuid="u1", parentUuid=None, **place)
        + line(type="progress", uuid="u2", parentUuid="u1", data={"type": "hook_progress"}, **place)
        + line(type="assistant", uuid="u3", parentUuid="u2", message=answer, **(place | {"cwd": "/w/fee"}))
        + line(type="attachment", uuid="u4", parentUuid="u3", attachment={"type": "file"}, **place)
        + line(type="system", subtype="compact_boundary", uuid="u5", parentUuid=None, logicalParentUuid="u4", **place)
        + line(type="assistant", uuid="h1", parentUuid="u3", agentId="a1", message=answer, **place)
        + line(type="last-prompt", sessionId="5e55")
    )
    found = of(Context, data)
    assert [(one.uid, one.parent) for one in found] == [
        ("u1", ""),
        ("u2", "u1"),
        ("u3", "u2"),
        ("u4", "u3"),
        ("u5", "u4"),
    ]
    [edit] = [one for one in of(Call, data) if not one.agent]
    assert [one.cwd for one in found if one.at == edit.at] == ["/w/fee"]


def test_what_is_printed_as_stream_json_names_its_folder_once() -> None:
    """Its lines have other names for some fields, and those of sub-agents are the main session's own otherwise."""
    told = {"session_id": "5e55"}
    data = (
        line(type="system", subtype="hook_started", uuid="u0", **told)
        + line(type="system", subtype="init", uuid="u1", cwd="/w/tide", claude_code_version="2.1.330", **told)
        + line(type="user", message={"content": "Find the cut"}, parent_tool_use_id="t9", uuid="u2", **told)
        + line(type="user", message={"content": "Fix it"}, parent_tool_use_id=None, uuid="u3", **told)
    )
    assert [(one.session, one.cwd, one.agent) for one in of(Context, data)] == [
        ("5e55", "/w/tide", ""),
        ("5e55", "", "t9"),
        ("5e55", "", ""),
    ]
    assert [(one.text, one.agent) for one in of(Prompt, data)] == [("Find the cut", "t9"), ("Fix it", "")]
    written = {"type": "user", "tool_use_result": {"filePath": "/w/a.py", "content": "1\n", "structuredPatch": []}}
    assert [one.content for one in ClaudeCodeReader().file_versions(json.dumps(written).encode())] == [b"1\n"]


def test_what_the_client_said_itself_is_no_prompt() -> None:
    """A wake-up, a notice that helpers were stopped: some versions mark only where it came from."""
    for told in ({"promptSource": "system"}, {"isMeta": True}, {"origin": {"kind": "peer"}}):
        assert of(Prompt, prompt_line("7 background agents were stopped by the user", **told)) == []
    asked = {"type": "queued_command", "prompt": "Go on", "commandMode": "prompt"}
    assert [one.text for one in of(Prompt, line(type="attachment", attachment=asked))] == ["Go on"]
    assert of(Prompt, line(type="attachment", attachment={**asked, "origin": {"kind": "peer"}})) == []
