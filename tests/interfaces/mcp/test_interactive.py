"""Whether somebody sits at the client, by its command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from clew.interfaces.mcp.server import is_attended


class Client(NamedTuple):
    """A client as the server that it started sees it."""

    argv: tuple[str, ...]
    at_terminal: bool = True
    environment: Mapping[str, str] = {}


def attended(line: str, *, at_terminal: bool = True, **environment: str) -> bool:
    """Whether somebody sits at the client with this command line."""
    return is_attended(Client(tuple(line.split()), at_terminal, environment))


@pytest.mark.parametrize(
    "line",
    [
        "/usr/lib/node_modules/.bin/claude -p hello",
        "node /opt/node_modules/@anthropic-ai/claude-code/cli.js -p hello",
        "/opt/codex-linux-x64/bin/codex exec --json hello",
        "codex -c a=b --model gpt-5 e hello",
        "node --no-warnings /opt/node_modules/@google/gemini-cli/dist/index.js -p hello",
        "/usr/bin/gemini --prompt=hello",
        "opencode run hello",
        "opencode --model a/b run hello",
    ],
)
def test_a_headless_run_is_known(line: str) -> None:
    """Given nobody who reads it, a list of tools only costs."""
    assert not attended(line)


@pytest.mark.parametrize(
    "line",
    [
        "claude",
        "claude --resume X",
        "codex -p work",
        "gemini --prompt-interactive exec",
        "opencode /home/dev/run",
        "claude -- -p",
        "",
        "some-agent exec",
    ],
)
def test_in_doubt_somebody_sits_there(line: str) -> None:
    """A person whose agent has no tools would have to find out why."""
    assert attended(line)


def test_claude_code_says_it_itself() -> None:
    """Its variable holds, whatever stands in a command line."""
    assert not attended("claude", CLAUDE_CODE_SESSION_ATTENDED="0")
    assert attended("claude -p", CLAUDE_CODE_SESSION_ATTENDED="1")


def test_gemini_is_told_apart_as_its_hooks_do() -> None:
    """Given a prompt through a pipe, or CI: hooks that are silent beside tools that are offered would be two answers to
    one question.
    """
    assert attended("gemini")
    assert not attended("gemini", at_terminal=False)
    assert not attended("gemini", CI="true")
    assert attended("gemini --acp", at_terminal=False)
