"""What came into a context before each response, in the order in which clients write."""

from __future__ import annotations

from clew.core.audit.contexts import Contexts, Response, command_name
from clew.core.records.context_parts import ContextPart
from clew.core.records.transcript import Call, Compaction, Prompt, Read, Record, Reply, Result, Run, Usage


def words(text: str) -> int:
    return len(text.split())


def usage(message: str, context: int, output: int = 1, agent: str = "") -> Usage:
    return Usage(0, "2026-11-20T10:00:00Z", agent, message, "", "m", context, 0, 0, output)


def prompt(text: str) -> Prompt:
    return Prompt(0, "", "", text, "typed", "", "")


def reply(text: str) -> Reply:
    return Reply(0, "", "", text, "")


def result(call: str, text: str, outcome: str = "ok") -> Result:
    return Result(0, "", "", call, outcome, None, text, "", (), "")


def made(*lines: list[Record], parts: dict[int, list[ContextPart]] | None = None, has_inputs: bool = False) -> Contexts:
    found = Contexts(words, has_inputs=has_inputs)
    for number, line in enumerate(lines):
        found.take(line, (parts or {}).get(number, []))
    return found


def groups(response: Response) -> list[tuple[str, int]]:
    return [(one.group, one.tokens) for one in response.pieces]


def test_words_and_usage_on_one_line_belong_to_the_next_context() -> None:
    """As Claude Code writes: each line of a response has the usage of it all."""
    found = made(
        [prompt("make it ten")],
        [reply("I look first"), usage("m1", 100)],
        [Call(0, "", "", "c1", "Read", Read("a", 0, 0)), usage("m1", 100, 40)],
        [result("c1", "a b c d")],
        [reply("Done it is"), usage("m2", 120)],
    ).chains()[""]
    assert [("prompts", 3)] == groups(found[0])
    assert ["words", "calls", "results"] == [group for group, _ in groups(found[1])]
    assert (True, False, 40) == (found[0].starts, found[1].starts, found[1].before)


def test_usage_behind_what_the_model_did_is_of_what_stood_before_that() -> None:
    """As Codex writes: calls, perhaps their results, then the tokens of the response that made them."""
    found = made(
        [prompt("make it ten")],
        [Call(0, "", "", "c1", "shell", Run("ls"))],
        [result("c1", "a b c d")],
        [usage("1", 100)],
        [reply("That is all")],
        [usage("2", 120)],
    ).chains()[""]
    assert [("prompts", 3)] == groups(found[0])
    assert ["calls", "results"] == [group for group, _ in groups(found[1])]


def test_a_compaction_begins_a_context_anew() -> None:
    """What stood before is gone; a micro-compaction drops results only."""
    drop = Compaction(0, "", "", "auto", 100, 0)
    found = made(
        [prompt("one")], [usage("1", 100)], [result("c", "x y")], [drop], [prompt("two words")], [usage("2", 50)],
        [drop._replace(trigger="micro")], [usage("3", 40)],
    ).chains()[""]  # fmt: skip
    assert [True, True, False] == [one.starts for one in found]
    assert [("prompts", 2)] == groups(found[1])


def test_input_is_what_was_sent_and_a_script_s_results_are_not_shown() -> None:
    """Where a reader tells what was sent to calls, a result of a call that the model did not make is none of it."""
    sent = ContextPart(0, "", "input", "c1", 'Read {"path": "a"}')
    lines: list[list[Record]] = [
        [prompt("go")],
        [Call(0, "", "", "c1", "Read", Read("a", 0, 0)), usage("1", 10)],
        [result("c1", "a b"), result("exec-7", "never shown to the model")],
        [usage("2", 20)],
    ]
    found = made(*lines, parts={1: [sent]}, has_inputs=True).chains()[""]
    assert [("calls", 3), ("results", 2)] == groups(found[1])


def test_parts_count_for_their_lines_of_the_bill() -> None:
    """Of hooks those of clew's own are told apart, and a picture has no size yet."""
    parts = [
        ContextPart(0, "", "hook", "SessionStart", "<clew-data abc123>\nx\n</clew-data abc123>"),
        ContextPart(0, "", "hook", "SessionStart", "you have powers"),
        ContextPart(0, "", "rules", "AGENTS.md", "be good"),
        ContextPart(0, "", "image", "image", ""),
        ContextPart(0, "", "loaded", "WebFetch", ""),
    ]
    (one,) = made([prompt("go")], [usage("1", 10)], parts={0: parts}).chains()[""]
    told = [(piece.group, piece.name) for piece in one.pieces[1:]]
    assert [("hooks", "clew"), ("hooks", "others: SessionStart"), ("rules", "AGENTS.md")] == told[:3]
    assert [("images", 0, True), ("tools", 0, True)] == [(p.group, p.tokens, p.most > 0) for p in one.pieces[4:]]


def test_commands_are_named_by_what_they_do() -> None:
    """Whatever stands before them."""
    lines = {
        "cd /x && git -C y diff --stat": "git diff",
        "rg -n tide src": "rg",
        "npm run test -- --watch": "npm run test",
        "sed -n '1,20p' a.py": "sed",
        "export A=1; go test ./...": "go test",
        "": "shell",
    }
    assert lines == {line: command_name(line).replace("shell", "shell") for line in lines}
