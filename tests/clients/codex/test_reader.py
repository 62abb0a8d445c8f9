"""The reader against recordings: each fact of a session is found once, and nothing that the client made up."""

from __future__ import annotations

import pytest

from clew.clients.codex.reader import CodexReader
from clew.core.records import (
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
    Prompt,
    Question,
    Reply,
    Result,
    Run,
    Summary,
    Todo,
    Todos,
    Usage,
)
from clew.core.usage import Tally
from clew.distill.session import Step, build

from .recordings import OLDER, RUN, SESSION, WORK, called, line, meta, of, records, typed

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
    assert [one[3:] for one in of(Context, DATA)] == [(SESSION, "/w/tide", "fix/gauge", "0.125.0", True)]
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
    assert told[0] == ("exec_command", Run("sed -n 1,80p src/gauge.py"))
    steps = ("Find the cut", "completed"), ("Keep the last row", "in_progress"), ("Run the tests", "pending")
    assert told[1][1] == Todos(tuple(Todo("", text, status) for text, status in steps), whole=True)
    assert [action for tool, action in told if isinstance(action, Edit)][:3] == [
        Edit(
            "src/gauge.py",
            "def rows(file):\n    return list(file)[:-1]",
            "def rows(file):\n    return list(file)",
        ),
        Edit("tests/test_rows.py", "", "from gauge import rows\n\ndef test_last(): assert rows([1]) == [1]"),
        Edit("/w/tide/docs/notes.md", "cut", "kept"),
    ]
    assert ("request_user_input", Ask((Question("Which port shall it take?", ("8080", "9090")),))) in told
    assert ("mcp__statebox__notes_get", Other("n1")) in told
    assert ("spawn_agent", Delegate("explorer", "Look for other cuts.")) in told
    assert ("web_search", Other("search · tide gauge checksum line")) in told
    assert told[-1] == ("plan", Plan("1. Parse the header\n2. Verify"))
    assert [one.action for one in of(Call, OLDER.read_bytes())] == [
        Run("ls"),
        Run("cat nowhere"),
        Run("rg -n 'last row' src"),
        Edit("/w/tide/src/old.py", "", ""),
        Edit("/w/tide/src/a.py", "", ""),
        Edit("/w/tide/src/b.py", "a", "b"),
        Run("make"),
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
    quick = {"type": "CommandExecution", "id": "c1", "exit_code": 0, "duration": {"secs": 0, "nanos": 9}}
    late = {**quick, "exit_code": 2, "aggregated_output": "x", "duration": {"secs": 61, "nanos": 0}}
    told = [line("event_msg", {"type": "item_completed", "item": item}) for item in (quick, late)]
    assert [(one.call, one.outcome, one.exit_code) for one in of(Result, "".join(told))] == [("c1", "error", 2)]


def test_a_response_counts_once_and_for_the_model_that_gave_it() -> None:
    """Totals are told again with every change of rate limits, also after the model was changed."""
    assert [one.name for one in of(Model, DATA)] == ["made-5", "made-6"]
    tally = Tally()
    tally.add(records(DATA))
    assert {name: one.responses for name, one in tally.by_model().items()} == {"made-5": 3, "made-6": 1}
    assert all(not one.model for one in of(Usage, DATA))


def test_each_file_of_a_patch_has_its_result() -> None:
    """Or all but the last would count as unknown."""
    steps = [one for one in build(records(DATA), client="codex").events if isinstance(one, Step)]
    told = [(one.call.action.path, one.result) for one in steps if isinstance(one.call.action, Edit)]
    assert [(path, back.outcome if back else "") for path, back in told] == [
        ("src/gauge.py", "ok"),
        ("tests/test_rows.py", "ok"),
        ("/w/tide/docs/notes.md", "ok"),
        ("src/gauge.py", "error"),
    ]


def test_texts_of_hooks_are_told_from_the_clients_own() -> None:
    """A receipt must not be found in instructions that quote one."""
    lines = RUN.read_bytes().split(b"\n")
    given = [text for row in lines for text in CodexReader().injected(row)]
    assert given == ["MARK-SS-startup.", "MARK-UPS-0.", *["MARK-PTU."] * 2, "MARK-SS-compact.", "MARK-PTU."]


def test_a_field_of_another_type_costs_only_itself() -> None:
    """The client changes its format without notice."""
    odd = {"type": "user_message", "message": "Fix it", "images": 3, "local_images": None, "item": [1]}
    assert [one.text for one in of(Prompt, line("event_msg", odd))] == ["Fix it"]
    content = [{"type": "output_text", "text": "Done"}, "odd", {"type": 5, "text": 1}]
    told = line("response_item", {"type": "message", "role": "assistant", "content": content})
    assert [one.text for one in of(Reply, told)] == ["Done"]
    assert of(Usage, line("event_msg", {"type": "token_count", "info": {"total_token_usage": "many"}})) == []
    assert [
        one.text for one in of(Prompt, typed("\ud83d cut").encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    ]
