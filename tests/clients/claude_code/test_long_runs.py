"""The same few characters over and over: what a pasted log, a progress bar or a hostile file is made of.

Each text is read at two lengths: work that grows with the square is minutes at the length of a real paste.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.core.records.transcript import FileVersion, Interruption, Prompt, Result, Unreadable
from tests.growth import costs_at_most, in_proportion

from .recordings import of, records

SHORT = 2_000

ANSWERED = "User has answered your questions: "

RUNS = [
    *(".", "\n", " ", "(", "`", "[", "<", "</", "é", "a b ", "A=1 ", "-x ", "1 ", "| a | b |\n", "```\n"),
    *("<ide_a>", "</ide_a>", "<ide_a></ide_a>", "<ide_a><ide_b></ide_a>", "<ide_", "</ide_", "<ide_ö>"),
    *("<system-reminder>", "</system-reminder>", "<system-reminder></system-reminder>"),
    *("<system-reminder></system-reminder>\n", "<new-diagnostics></new-diagnostics>x"),
    *("[Request interrupted by user]", "[Request interrupted by user for tool use] ", "<options>", "<bash-input>"),
    *("<command-name>", "<user-memory-input>", "Implement the following plan:", 'a"="b", "'),
    *('"="', "the user said:", "<error>Command was aborted before completion</error>", "Exit code 1\n", "Task #1 "),
]


def prompt(text: Any) -> bytes:
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}}).encode() + b"\n"


def result(text: str, *, is_error: bool = False) -> bytes:
    return prompt([{"type": "tool_result", "tool_use_id": "t", "content": text, "is_error": is_error}])


def reply(*blocks: dict[str, Any]) -> bytes:
    return json.dumps({"type": "assistant", "message": {"id": "m", "model": "x", "content": blocks}}).encode() + b"\n"


def each_place(run: str) -> bytes:
    """The text wherever a session can hold one, alone and behind what the reader looks for."""
    return b"".join(
        [
            *(prompt(run), prompt("fix it " + run), prompt([{"type": "text", "text": run}])),
            *(result(run), result(run, is_error=True), result(ANSWERED + run), result(run + "</system-reminder>")),
            *(reply({"type": "text", "text": run}), reply(call("Bash", command=run)), reply(call("Unknown", a=run))),
            *(run.encode(), b"\n", run.encode().replace(b" ", b"\n"), b"\n"),
        ]
    )


def call(tool: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "t", "name": tool, "input": given}


def stays_in_proportion(data_of: Callable[[int], bytes]) -> None:
    """Reading what `data_of` gives for a length takes time like the length, and not like its square."""
    reader = ClaudeCodeReader()

    def read(data: bytes) -> None:
        reader.read(data, offset=0)
        reader.final(data.rstrip(b"\n"), offset=0)
        for line in data.splitlines()[:20]:
            list(reader.file_versions(line))

    in_proportion(data_of, read, SHORT)


@pytest.mark.parametrize("run", RUNS)
def test_a_run_of_anything_anywhere(run: str) -> None:
    """400 KB of unclosed editor tags took 17 seconds, before any text was cut."""
    stays_in_proportion(lambda count: each_place(run * count))


def test_many_names_that_are_never_closed() -> None:
    """Each name that is looked for to the end of the text in vain costs the whole text."""
    stays_in_proportion(lambda count: prompt("".join(f"<ide_{n}>" for n in range(count))))
    stays_in_proportion(lambda count: prompt("".join(f"<ide_{n}>" for n in range(count)) + "</ide_0>"))
    stays_in_proportion(lambda count: prompt("".join(f"<ide_{n}>x</ide_{n}>" for n in range(count))))


def test_many_answered_results_in_one_line() -> None:
    """The structured copy was decoded again for each: a megabyte took half a minute."""
    block = {"type": "tool_result", "tool_use_id": "t", "content": f'{ANSWERED}"Q"="A"'}
    given = {"answers": {f"question {n}": "yes" for n in range(100)}}

    def line(count: int) -> bytes:
        fields = {"type": "user", "message": {"role": "user", "content": [block] * count}, "toolUseResult": given}
        return json.dumps(fields).encode() + b"\n"

    stays_in_proportion(lambda count: line(count // 4))
    assert [len(found.answers) for found in of(Result, line(3))] == [100, 0, 0]


def versions_of(original: str, edits: list[dict[str, Any]]) -> list[FileVersion]:
    found = {"filePath": "/p/a", "originalFileContents": original, "edits": edits, "userModified": False}
    return list(ClaudeCodeReader().file_versions(json.dumps({"type": "user", "toolUseResult": found}).encode()))


def test_edits_that_double_a_file_prove_nothing() -> None:
    """Forty of them in six kilobytes asked for a terabyte of memory."""
    doubling = {"old_string": "a", "new_string": "aa", "replace_all": True}
    assert [len(version.content) for version in versions_of("a", [doubling] * 20)] == [1 << 20]
    assert versions_of("a", [doubling] * 40) == []


@pytest.mark.parametrize("size", [20_000, 1 << 20])
def test_very_many_edits_of_a_long_file_prove_nothing(size: int) -> None:
    """Each of them goes over the whole text, and a line has room for a million."""
    text = "ab" * (size // 2) + "c"
    edits = [{"old_string": "c" if n % 2 else "d", "new_string": "d" if n % 2 else "c"} for n in range(1, 10_001)]
    assert versions_of(text, edits) == []
    assert len(versions_of(text, edits[:20])) == 1
    costs_at_most(100, lambda: versions_of(text, edits), lambda: versions_of(text, edits[:20]))


def test_marks_of_interruption_without_end_are_one() -> None:
    """A thousand of them ended in the interpreter's recursion limit: clew itself failed, not the line."""
    found = records(prompt("[Request interrupted by user]" * 5_000 + " go on"))
    assert [Interruption, Prompt] == [type(record) for record in found]
    assert [p.text for p in found if isinstance(p, Prompt)] == ["go on"]


def test_a_file_of_short_lines_that_are_none() -> None:
    """A log given as a session was read by three parsers, line by line."""
    in_proportion(lambda count: b"x\n" * count, records, 12_500)
    bad = records(b"x\n" * 50_000)
    assert (50_000, {"not a JSON object"}) == (len(bad), {r.why for r in bad if isinstance(r, Unreadable)})


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":%s,"text":"x"}]}}',
        '{"type":"user","message":{"content":[{"type":"tool_result","content":"'
        + ANSWERED
        + '"}]},"toolUseResult":%s}',
        '{"type":"user","message":{"content":[{"type":"tool_result","content":[%s]}]}}',
        '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":%s}]}}',
        '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"X","input":{"a":%s}}]},"uuid":7}',
    ],
)
def test_depth_just_within_the_parsers_limit(line: str) -> None:
    """What the parser lets through must not overflow in what comes after it."""
    for levels in (*range(900, 1000, 7), 5_000):
        records((line % deep(levels)).encode() + b"\n")
        list(ClaudeCodeReader().file_versions((line % deep(levels)).encode()))


def test_a_number_of_any_length_in_a_part_that_is_passed_over() -> None:
    """The typed decoder skips it, the plain one refuses it: the words beside it stay, and nothing is raised."""
    line = '{"type":"user","message":{"content":[{"type":"tool_result","content":"%s"}]},"toolUseResult":{"a":%s}}\n'
    assert [result.text for result in of(Result, line % ("It stays.", "9" * 5_000))] == ["It stays."]
