"""What scripts call, of versions that write no events for it: the script is all there is, and what it printed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.clients.codex.calls import ToolCall, calls_in
from clew.core.records.transcript import Call, Edit, Poll, Result, Run, Running, Todos
from clew.distill.session import ToolStep, build
from clew.distill.work import survey
from tests.growth import in_proportion

from .recordings import records

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-old\n+new\n*** End Patch"
DONE = "Script completed\nWall time 0.2 seconds\nOutput:\n"


def line(payload: dict[str, Any], **fields: Any) -> str:
    return json.dumps({"timestamp": "", "type": "response_item", "payload": payload, **fields}) + "\n"


def ran(script: str, *printed: str, lead: str = DONE, **fields: Any) -> str:
    """A script, and what came of it if anything was `printed`."""
    called = {"type": "custom_tool_call", "call_id": "c1", "name": "exec", "input": script}
    output = [{"type": "input_text", "text": text} for text in (lead, *printed)]
    answer = {"type": "custom_tool_call_output", "call_id": "c1", "output": output}
    return line(called, **fields) + (line(answer, **fields) if printed else "")


def ends(data: str) -> list[tuple[str, str, int | None]]:
    """The commands of a session, and how each ended; "" where nothing tells."""
    steps = [one for one in build(records(data), client="codex").events if isinstance(one, ToolStep)]
    told = [(one.call.action.command, one.result) for one in steps if isinstance(one.call.action, Run)]
    return [(command, back.outcome if back else "", back.exit_code if back else None) for command, back in told]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            'const r = await tools.exec_command({"cmd":"npm test","workdir":"/w"});',
            {"cmd": "npm test", "workdir": "/w"},
        ),
        (
            "text(await tools.exec_command({cmd: 'ls', yield_time_ms: 1_000, tty: false,}))",
            {"cmd": "ls", "yield_time_ms": 1000, "tty": False},
        ),
        ("tools.exec_command({cmd: 'a ' + \"b\" + `c ${d}`})", {"cmd": "a bc ${d}"}),
        ("const cmd = 'ls';\nawait tools.exec_command({cmd})", {"cmd": "ls"}),
        ("tools.exec_command({cmd: 'ls', workdir: where(1, {a: 2}), n: -1.5})", {"cmd": "ls", "n": -1.5}),
        ("tools.exec_command({cmd: ['git', 'status']})", {"cmd": ["git", "status"]}),
        (r"tools.exec_command({cmd: 'it\'s \u0041\x42\n'})", {"cmd": "it's AB\n"}),
        (r"tools?.exec_command({cmd: String.raw`\d`})", {"cmd": r"\d"}),
        ("tools.exec_command(given)", None),
        ("tools.exec_command({cmd: [a].join(' ')})", {}),
        ("tools.exec_command({cmd: 'ls'", None),
    ],
)
def test_arguments_that_are_written_out(script: str, expected: Any) -> None:
    """What is worked out while the script runs is not known, and must not be guessed."""
    assert calls_in(script) == [ToolCall("exec_command", expected)]


def test_what_stands_in_texts_and_comments_is_not_called() -> None:
    """Scripts hold other scripts: in patches, in what they print, in what was taken out."""
    quiet = (
        "// tools.a({})\n/* tools.b({}) */ 'tools.c({})'; \"tools.d({})\"; `tools.e({})`; my.tools.f({}); mytools.g({})"
    )
    assert calls_in(quiet) == []
    patch = "const patch = [\n  '*** Begin Patch',\n  'it\\'s',\n].join('\\n');\nawait tools.apply_patch(patch)"
    assert calls_in(patch) == [ToolCall("apply_patch", "*** Begin Patch\nit's")]
    again = "let cmd = 'ls'; cmd2 = 1; let cmd = find(); tools.exec_command({cmd})"
    assert calls_in(again) == [ToolCall("exec_command", {})]


def test_each_command_of_a_script_is_one() -> None:
    """With its outcome if the script printed what the command answered: as it is, or several in a list."""
    two = "const r = await Promise.all([tools.exec_command({cmd: 'make a'}), tools.exec_command({cmd: 'make b'})]);"
    answers = '{"exit_code":0,"output":"fine"}', '{"exit_code":2,"output":"broken"}'
    expected = [("make a", "ok", 0), ("make b", "error", 2)]
    assert ends(ran(two, *answers)) == expected
    assert ends(ran(two, f"[{','.join(answers)}]")) == expected
    assert ends(ran(two, "\n".join(answers))) == [("make a", "", None), ("make b", "", None)]


@pytest.mark.parametrize("printed", ["12 passed", '{"exit_code":0,"output":"a"}', "", '[{"exit_code":0}]'])
def test_what_is_not_told_is_not_known(printed: str) -> None:
    """The script came to its end, which says nothing of two commands of which it printed one, or none."""
    two = "await tools.exec_command({cmd: 'make'}); await tools.exec_command({cmd: 'make check'});"
    assert ends(ran(two, printed)) == [("make", "", None), ("make check", "", None)]
    looped = "for (const cmd of all) text(await tools.exec_command({cmd})); await tools.exec_command({cmd: 'make'});"
    assert ends(ran(looped, printed)) == [("make", "", None)]


def test_a_command_that_goes_on_behind_a_script_ends_later() -> None:
    """Another script looks at it."""
    begun = records(ran("text(await tools.exec_command({cmd: 'make'}))", '{"session_id":7,"output":"so far"}'))
    assert [(one.call, one.process, one.text) for one in begun if isinstance(one, Running)] == [
        ("c1:1/1", "7", "so far")
    ]
    look = "text(await tools.write_stdin({session_id: 7, chars: ''}))"
    [poll] = [one for one in records(ran(look)) if isinstance(one, Call) and isinstance(one.action, Poll)]
    assert poll.action == Poll("7")
    later = ran(look, '{"exit_code":1,"output":"1 failed"}').replace('"c1', '"c2')
    whole = ran("text(await tools.exec_command({cmd: 'make'}))", '{"session_id":7,"output":"so far"}') + later
    assert ends(whole) == [("make", "error", 1)]


def test_the_text_that_a_script_printed_is_that_of_its_one_command() -> None:
    """Most scripts print `r.output` alone: what runners and git say in it counts, how the command ended is unknown."""
    script = "const r = await tools.exec_command({cmd: 'pytest -q'}); text(r.output)"
    [back] = [one for one in records(ran(script, "430 passed in 9.1s")) if isinstance(one, Result) and ":" in one.call]
    assert (back.call, back.outcome, back.exit_code, back.text) == ("c1:1/1", "unknown", None, "430 passed in 9.1s")
    work = survey(build(records(ran(script, "430 passed in 9.1s")), client="codex"))
    assert [(check.command, check.outcome) for check in work.checks] == [("pytest -q", "passed")]
    silent = survey(build(records(ran(script, "no words of a runner")), client="codex"))
    assert [(check.command, check.outcome) for check in silent.checks] == [("pytest -q", "hidden")]


def test_a_look_whose_script_prints_text_tells_what_its_command_printed() -> None:
    """A later look may still tell the end."""
    begun = ran("text(await tools.exec_command({cmd: 'pytest -q'}))", '{"session_id":7,"output":"..."}')
    look = "const r = await tools.write_stdin({session_id: 7, chars: ''}); text(r.output)"
    text = ran(look, "430 passed in 9.1s").replace('"c1', '"c2')
    assert ends(begun + text) == [("pytest -q", "unknown", None)]
    end = ran(look, '{"exit_code":0,"output":""}').replace('"c1', '"c3')
    assert ends(begun + text + end) == [("pytest -q", "ok", 0)]


def test_a_patch_of_a_script_is_an_edit() -> None:
    """One that did not fit is none, also where the script went on."""
    script = f"const patch = {json.dumps(PATCH)};\ntext(await tools.apply_patch(patch));"
    for lead, printed, outcome in (
        (DONE, "{}", "ok"),
        (DONE, "apply_patch verification failed: Failed to find expected lines", "error"),
        ("Script failed\nWall time 0.1 seconds\nOutput:\n", "Script error:\nboom", "interrupted"),
    ):
        found = records(ran(script, printed, lead=lead))
        [edit] = [one for one in found if isinstance(one, Call) and isinstance(one.action, Edit)]
        assert edit.action == Edit("src/a.py", "old", "new")
        assert [one.outcome for one in found if isinstance(one, Result) and one.call == edit.id] == [outcome]


def test_where_events_tell_of_the_calls_the_script_is_not_read_for_them() -> None:
    """Or each would count twice. The plan has no event."""
    script = (
        "await tools.exec_command({cmd: 'ls'}); await tools.update_plan({plan: [{step: 'Look', status: 'completed'}]})"
    )
    told = [
        one.action for one in records(ran(script, '{"exit_code":0,"output":""}', ordinal=7)) if isinstance(one, Call)
    ]
    assert [type(one).__name__ for one in told] == ["Todos", "Other"]
    assert isinstance(told[0], Todos) and [one.text for one in told[0].entries] == ["Look"]


def test_a_script_in_a_function_call_is_one_too() -> None:
    """Other versions hand it over as a field."""
    for name, field in (("functions.exec", "source"), ("exec", "input"), ("exec", "code")):
        given = json.dumps({field: "tools.exec_command({cmd: 'ls'})"})
        called = line({"type": "function_call", "call_id": "c1", "name": name, "arguments": given})
        assert next(one.action for one in records(called) if isinstance(one, Call)) == Run("ls")


@pytest.mark.parametrize(
    "run", ["tools.exec_command({", "/*", "`a", "tools.x([[", "const a='b';", "String.raw`", "${", "tools.a({b: c("]
)
def test_a_script_of_any_length_is_read_in_proportion(run: str) -> None:
    """What a model writes over and over must not hold up everything else."""
    in_proportion(lambda count: run * count, calls_in, 4_000)
