"""Tools of clients while a plan is open."""

from __future__ import annotations

from clew.core.gate.tools import refusal


def test_tools_that_read_pass_and_unknown_ones_do_not() -> None:
    """An allow-list: a later client's tool is refused until somebody says that it reads."""
    for tool in ("Read", "Grep", "Agent", "update_plan", "read_file", "todowrite", "mcp__clew__record", "clew_show"):
        assert "" == refusal(tool, ())
    for tool in ("CronCreate", "write_stdin", "mcp__files__write", "save_memory", "batch", ""):
        assert refusal(tool, ())


def test_what_a_person_allowed_passes_by_its_whole_name() -> None:
    """Another tool of the same server is another one."""
    assert "" == refusal("mcp__hub__get_issue", ["mcp__hub__get_issue"])
    assert "clew gate allow mcp__hub__close_issue" in refusal("mcp__hub__close_issue", ["mcp__hub__get_issue"])
