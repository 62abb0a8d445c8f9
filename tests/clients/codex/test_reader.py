"""The reader against recordings: each fact of a session is found once, and nothing that the client made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.clients.codex.reader import CodexReader
from clew.core.cost.uses import UsageFold
from clew.core.records.transcript import (
    Ask,
    Call,
    Compaction,
    Context,
    Delegate,
    Edit,
    Interruption,
    Model,
    Other,
    Plan,
    Poll,
    Prompt,
    Question,
    Read,
    Reply,
    Result,
    Run,
    Running,
    Spawned,
    Summary,
    Todo,
    Todos,
    Unreadable,
    Usage,
)
from clew.distill.session import ToolStep, build
from clew.distill.work import survey

from .recordings import OLDER, RUN, SCRIPTS, SESSION, WORK, called, completed, line, meta, of, records, typed

DATA = WORK.read_bytes()


def test_the_users_words_and_nothing_else_are_prompts() -> None:
    """Every message stands there twice, and beside it the client's own blocks: those would become goals."""
    assert [(one.source, one.text) for one in of(Prompt, DATA)] == [
        ("typed", "The import drops the last row of every file. Find out why."),
        ("typed", "Which port do we take? Then push."),
        ("command", "! git status --short"),
        ("typed", "[image]\nwhat does this plot say?"),
    ]
    assert [one.text for one in of(Prompt, RUN.read_bytes())] == ["go MARK-PROMPT"]
    assert [one.text for one in of(Prompt, OLDER.read_bytes())] == ["Show the rows"]


def test_what_the_agent_said_is_told_once() -> None:
    """And a summary that it wrote for a compaction is no answer of its."""
    assert [one.text for one in of(Reply, DATA)] == ["I read the importer first.", "The last row is kept now."]
    assert [one.text for one in of(Reply, RUN.read_bytes())] == ["end"]
    assert [one.text for one in of(Summary, DATA)] == ["The last row is kept; the push was refused."]
    assert [(one.trigger, one.tokens_before) for one in of(Compaction, DATA)] == [("auto", 0)]
    assert len(of(Interruption, DATA)) == 1


def test_where_it_ran_is_told_by_the_first_line() -> None:
    """A fork copies the lines of another session, the first one among them."""
    assert [one[3:8] for one in of(Context, DATA)] == [(SESSION, "/w/tide", "fix/gauge", "0.125.0", True)]
    forked = meta(forked_from_id="5e55") + meta("/w/other", id="5e55")
    assert [one.cwd for one in of(Context, forked)] == ["/w/tide"]


@pytest.mark.parametrize(
    ("told", "attended"),
    [
        ({"source": "cli"}, True),
        ({"source": "vscode", "originator": "Codex Desktop"}, True),
        ({"source": {"custom": "an app"}}, True),
        ({"source": "exec"}, False),
        ({"source": "mcp"}, False),
        ({"source": "cli", "originator": "codex_exec"}, False),
        ({"source": {"subagent": "review"}}, False),
        ({"source": {"internal": "memory_consolidation"}}, False),
        ({"parent_thread_id": "5e55"}, False),
    ],
)
def test_who_gives_the_prompts(told: dict[str, object], attended: bool) -> None:
    """What a program typed settles nothing in the user's name."""
    assert CodexReader().attended(meta(**told).encode()) == attended
    assert [one.attended for one in of(Context, meta(**told))] == [attended]


def test_each_turn_says_who_began_it() -> None:
    """A person may go on by hand with what a script began, and the other way round."""
    told = ["user", "exec", "odd", "user"]
    turns = [line("event_msg", {"type": "task_started", "turn_attribution": {"turn_trigger": one}}) for one in told]
    found = of(Context, meta(source="exec") + "".join(turns))
    assert [one.attended for one in found] == [False, True, False, True]
    asked = "".join(turn + typed(f"Do {number}") for number, turn in enumerate(turns))
    session = build(records(meta(source="exec") + asked), client="codex")
    assert [session.is_persons(one) for one in session.events] == [True, False, False, True]
    assert (session.id, session.root) == (SESSION, "/w/tide")


def test_what_was_called_is_read_by_its_meaning() -> None:
    """A patch is an edit wherever it stands, of each of its files; a script in a shell is that script."""
    told = [(one.tool, one.action) for one in of(Call, DATA)]
    assert told[0] == ("exec_command", Run("sed -n 1,80p src/gauge.py", "/w/tide"))
    steps = ("Find the cut", "completed"), ("Keep the last row", "in_progress"), ("Run the tests", "pending")
    assert told[1][1] == Todos(tuple(Todo("", text, status) for text, status in steps), whole=True)
    assert [action for tool, action in told if isinstance(action, Edit)][:3] == [
        Edit("src/gauge.py", "def rows(file):\n    return list(file)[:-1]", "def rows(file):\n    return list(file)"),
        Edit("tests/test_rows.py", "", "from gauge import rows\n\ndef test_last(): assert rows([1]) == [1]"),
        Edit("/w/tide/docs/notes.md", "cut", "kept"),
    ]
    assert ("request_user_input", Ask((Question("Which port shall it take?", ("8080", "9090")),))) in told
    assert ("mcp__statebox__notes_get", Other("n1")) in told
    assert ("spawn_agent", Delegate("explorer", "Look for other cuts.")) in told
    assert ("web_search", Other("search · tide gauge checksum line")) in told
    assert told[-1] == ("plan", Plan("1. Parse the header\n2. Verify"))
    assert [one.action for one in of(Call, OLDER.read_bytes())] == [
        Run("ls", "/w/tide"),
        Run("cat nowhere"),
        Run("rg -n 'last row' src", "/w/tide"),
        Edit("/w/tide/src/old.py", "", "", deletes=True),
        Edit("/w/tide/src/a.py", "", "", deletes=True),
        Edit("/w/tide/src/b.py", "a", "b"),
        Run("make", "/w/tide"),
    ]


def test_what_came_back_says_how_it_went() -> None:
    """Exit codes tell what was validated, and a refusal is the user's word."""
    told = {one.call: (one.outcome, one.exit_code, one.text.strip()) for one in of(Result, DATA)}
    assert told["call_01"] == ("ok", 0, "def rows(file):\n    return list(file)[:-1]")
    assert told["call_03"] == ("error", 1, "1 failed, 4 passed in 0.30s")
    assert told["call_04"][:2] == ("ok", 0) and told["call_04"][2].startswith("Success.")
    assert told["call_09"][:2] == ("rejected", None)
    assert told["call_10"][:2] == ("error", None)
    assert told["call_13"] == ("interrupted", None, "aborted by user after 12.3s")
    [asked] = [one for one in of(Result, DATA) if one.answers]
    assert asked.answers == (("port", "9090"),)
    older = [(one.outcome, one.exit_code) for one in of(Result, OLDER.read_bytes())]
    assert older == [("ok", 0), ("error", 1), ("error", 2), ("ok", 0), ("error", None)]


def test_a_command_that_outlives_its_answer_ends_later() -> None:
    """Long test runs are the ones that matter, and their first answer says only that they go on."""
    [first] = [one for one in of(Result, DATA) if one.call == "call_06"]
    assert (first.outcome, first.exit_code, first.text) == ("ok", 0, "12 passed in 4.10s\n")
    running = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\nso far"
    assert of(Result, called("exec_command", {"cmd": "make"}, running)) == []
    [begun] = of(Running, called("exec_command", {"cmd": "make"}, running))
    assert (begun.process, begun.text) == ("7", "so far")
    [look] = of(Call, called("write_stdin", {"session_id": 7, "chars": ""}, running.replace("so far", "more")))
    assert look.action == Poll("7")
    [failed] = of(Result, called("write_stdin", {"session_id": 8}, "write_stdin failed: Unknown process id 8"))
    assert (failed.outcome, failed.exit_code) == ("error", None)
    quick = {"type": "CommandExecution", "id": "c1", "exit_code": 0, "duration": {"secs": 0, "nanos": 9}}
    late = {**quick, "exit_code": 2, "aggregated_output": "x", "duration": {"secs": 61, "nanos": 0}}
    told = [line("event_msg", {"type": "item_completed", "item": item}) for item in (quick, late)]
    assert [(one.call, one.outcome, one.exit_code) for one in of(Result, "".join(told))] == [("c1", "error", 2)]


def test_what_is_typed_into_a_command_may_be_answered_by_its_end() -> None:
    """`y` at a prompt, or Ctrl-C: the exit code is the command's."""
    wall = "Wall time: 1.0 seconds\n"
    begun = called("exec_command", {"cmd": "npm publish"}, f"{wall}Process running with session ID 7\nOutput:\nGo on? ")
    answer = f"{wall}Process exited with code 0\nOutput:\npublished"
    typed_in = called("write_stdin", {"session_id": 7, "chars": "y\n"}, answer, call="c2")
    [step] = [one for one in build(records(begun + typed_in), client="codex").events if isinstance(one, ToolStep)]
    assert step.done and step.result is not None and step.result.text == "Go on? published"


def test_turns_that_were_rolled_back_take_their_edits_along() -> None:
    """The client drops them from the conversation, and their files are not what the next session finds in play."""
    patch = "*** Begin Patch\n*** Add File: {}\n+x = 1\n*** End Patch"
    first = typed("Write a.py") + called("apply_patch", {"input": patch.format("a.py")}, "Success.", call="c1")
    second = typed("Write b.py") + called("apply_patch", {"input": patch.format("b.py")}, "Success.", call="c2")
    back = line("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    session = build(records(meta() + first + second + back + typed("Rather test a.py")), client="codex")
    assert [event.text for event in session.events if isinstance(event, Prompt)] == ["Write a.py", "Rather test a.py"]
    assert [file.path for file in survey(session).files] == ["a.py"]


def test_where_a_sub_agents_own_part_begins() -> None:
    """What stands before was copied: a person spoke to its parent, and nobody but that one to itself."""
    said = "You are the newly spawned agent. The prior conversation history was forked from your parent agent."
    copied = called("spawn_agent", {"message": "Review"}, said)
    assert len(of(Spawned, copied)) == 1
    assert [one.text for one in of(Result, copied)] == [said]


def test_what_a_script_called_is_told_once() -> None:
    """The newest models call tools by a script, and the conversation holds only that: without the events nothing that
    such a session did would be known, and with them in every session everything twice.
    """
    told = [one for one in of(Call, SCRIPTS.read_bytes()) if one.tool != "functions__exec"]
    old, new = "    return [total // parts] * parts", "    return [round(total / parts)] * parts"
    till = "RATE = 1\n\n\ndef price(net):\n    return net * RATE\n"
    assert [(one.tool, one.action) for one in told] == [
        ("exec_command", Run("cat nowhere", "/home/dev")),
        ("exec_command", Run("cat refunds.py", "/repo")),
        (
            "apply_patch",
            Edit("/repo/refunds.py", f"def share(total, parts):\n{old}", f"def share(total, parts):\n{new}"),
        ),
        ("apply_patch", Edit("/repo/notes/cents.md", "", "Amounts are whole cents.\nAlways.\n")),
        ("apply_patch", Edit("/repo/notes/cents.md", "", "", deletes=True)),
        (
            "apply_patch",
            Edit(
                "/repo/notes/amounts.md", "Amounts are whole cents.\nAlways.", "Amounts are whole cents.\nRefunds, too."
            ),
        ),
        ("apply_patch", Edit("/repo/till.py", till, "", deletes=True)),
        ("apply_patch", Edit("/repo/by-shell.md", "", "one\n")),
        ("mcp__tides__level", Other("Brest")),
        ("exec_command", Run("sleep 1.5; echo 1 failed; exit 1", "/repo")),
        ("exec_command", Run("sleep 3", "/repo")),
    ]
    plain = {"type": "FileChange", "id": "call_1", "changes": {"/w/a.py": {"type": "add", "content": "a"}}}
    assert records(completed(plain) + completed({"type": "CommandExecution", "id": "call_2", "command": ["ls"]})) == []


def test_what_a_script_called_says_how_it_went() -> None:
    """Each call by itself; the script only says whether it came to its end."""
    back = {one.call: one for one in of(Result, SCRIPTS.read_bytes())}
    told = [(one.tool, back[one.id]) for one in of(Call, SCRIPTS.read_bytes()) if one.id in back]
    assert [(one.outcome, one.exit_code) for tool, one in told if tool == "exec_command"] == [
        ("error", 1),
        ("ok", 0),
        ("error", 1),
        ("ok", 0),
    ]
    assert {(one.outcome, one.exit_code) for tool, one in told if tool == "apply_patch"} == {("ok", None)}
    assert [(one.outcome, one.text) for tool, one in told if tool.startswith("mcp__")] == [("ok", "3.4 m")]
    scripts = [one for tool, one in told if tool == "functions__exec"]
    assert [one.outcome for one in scripts] == ["ok", "ok", "interrupted", "ok"]  # the one that yielded has no end
    assert scripts[2].text.startswith("Script error:\nError: boom")


def test_calls_of_scripts_in_their_other_forms() -> None:
    """A refusal is the user's word, an error of a server is none of the tool's, and a session that was begun by an
    older version goes on with the older events.
    """
    serve, push = ["bash", "-lc", "serve"], ["bash", "-lc", "git push"]
    declined = {"type": "CommandExecution", "id": "exec-1", "command": push, "status": "declined"}
    called_in_vain = {"server": "tides", "tool": "level", "status": "failed", "error": {"message": "no such harbour"}}
    broken = {"type": "McpToolCall", "id": "exec-2", **called_in_vain}
    seen = {"type": "ImageView", "id": "exec-3", "path": "file:///w/tide/a%20plot.png"}
    killed = {"type": "CommandExecution", "id": "exec-4", "command": serve, "exit_code": -1}
    found = records("".join(completed(one) for one in (declined, broken, seen, killed)))
    assert [one.action for one in found if isinstance(one, Call)] == [
        Run("git push"),
        Other(""),
        Read("/w/tide/a plot.png", 0, 0),
    ]
    assert [(one.outcome, one.text) for one in found if isinstance(one, Result)] == [
        ("rejected", ""),
        ("error", "no such harbour"),
        ("ok", ""),
    ]
    change = {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n", "move_path": None}
    patched = {
        "type": "patch_apply_end",
        "call_id": "exec-5",
        "changes": {"/w/tide/a.py": change},
        "status": "completed",
    }
    assert [one.action for one in of(Call, line("event_msg", patched))] == [Edit("/w/tide/a.py", "a", "b")]
    assert records(line("event_msg", {**patched, "call_id": "call_5"})) == []
    unlike: tuple[Any, ...] = (None, [], {"/w/a.py": 3, "/w/b.py": {"type": "update", "unified_diff": 1}})
    for odd in unlike:
        assert all(isinstance(one, (Call, Result)) for one in records(line("event_msg", {**patched, "changes": odd})))


def test_a_response_counts_once_and_for_the_model_that_gave_it() -> None:
    """Totals are told again with every change of rate limits, also after the model was changed."""
    assert [one.name for one in of(Model, DATA)] == ["made-5", "made-6"]
    tally = UsageFold()
    tally.add(records(DATA))
    assert {name: one.responses for name, one in tally.totals().models.items()} == {"made-5": 3, "made-6": 1}
    assert all(not one.model for one in of(Usage, DATA))


def test_each_file_of_a_patch_has_its_result() -> None:
    """Or all but the last would count as unknown."""
    steps = [one for one in build(records(DATA), client="codex").events if isinstance(one, ToolStep)]
    told = [(one.call.action.path, one.result) for one in steps if isinstance(one.call.action, Edit)]
    assert [(path, back.outcome if back else "") for path, back in told] == [
        ("src/gauge.py", "ok"),
        ("tests/test_rows.py", "ok"),
        ("/w/tide/docs/notes.md", "ok"),
        ("src/gauge.py", "error"),
    ]


@pytest.mark.parametrize("path", [RUN, SCRIPTS, WORK, OLDER], ids=lambda path: path.name)
def test_fields_come_in_any_order(path: Path) -> None:
    """What a line is stands in its middle: a client that writes it elsewhere must not be read slower or otherwise."""
    for row in path.read_bytes().splitlines():
        told = json.loads(row)
        turned = {key: told[key] for key in reversed(told)} | {"payload": dict(reversed(told["payload"].items()))}
        assert records(json.dumps(turned) + "\n") == records(json.dumps(told) + "\n")


def test_what_is_not_read_is_still_looked_at() -> None:
    """A line that was torn in the middle of a file is told, whatever it was; one of a new kind is passed over."""
    for kind, payload in (
        ("response_item", {"type": "reasoning", "encrypted_content": "x" * 99}),
        ("event_msg", {"type": "agent_message", "message": "x" * 99}),
        ("event_msg", {"type": "unheard_of", "message": "x" * 99}),
        ("unheard_of", {"type": "message"}),
    ):
        whole = line(kind, payload)
        assert records(whole) == []
        assert [one.length for one in of(Unreadable, whole[:-9] + "\n" + whole)] == [len(whole) - 9]


def test_counts_that_cannot_be_are_none() -> None:
    """A sum that goes below nothing, or beyond what any program holds, would make every total wrong."""
    last = {"input_tokens": -5, "cached_input_tokens": 1 << 60, "output_tokens": 7}
    told = {"type": "token_count", "info": {"total_token_usage": {"input_tokens": 9}, "last_token_usage": last}}
    [used] = of(Usage, line("event_msg", told))
    assert (used.input, used.cache_write, used.cache_read, used.output) == (0, 0, 0, 7)
