"""Whether somebody sits at the client, by its command line."""

from __future__ import annotations

import pytest

from clew.interfaces.mcp.attended import is_attended


@pytest.mark.parametrize(
    "line",
    [
        "/usr/lib/node_modules/.bin/claude -p hello",
        "claude --resume X --print hello",
        "node /opt/node_modules/@anthropic-ai/claude-code/cli.js -p hello",
        "/opt/codex-linux-x64/bin/codex exec --json hello",
        "codex -m gpt-5 exec hello",
        "codex -c a=b exec hello",
        "codex -c a=b --model gpt-5 e hello",
        "node --no-warnings /opt/node_modules/@google/gemini-cli/dist/index.js -p hello",
        "/usr/bin/gemini --prompt=hello",
        "/usr/bin/gemini -yp hello",
        "opencode run hello",
        "opencode --model a/b run hello",
        "opencode serve",
    ],
)
def test_a_headless_run_is_known(line: str) -> None:
    """Given nobody who reads it, a list of tools only costs."""
    assert not is_attended({}, line.split())


@pytest.mark.parametrize(
    "line",
    [
        "claude",
        "claude --resume X",
        "codex -p work",
        "codex resume --last",
        "node /opt/node_modules/@google/gemini-cli/dist/index.js",
        "gemini --prompt-interactive exec",
        "opencode",
        "opencode /home/dev/run",
        "codex -- exec",
        "claude -- -p",
        "",
        "some-agent exec",
    ],
)
def test_in_doubt_somebody_sits_there(line: str) -> None:
    """A person whose agent has no tools would have to find out why."""
    assert is_attended({}, line.split())


def test_claude_code_says_it_itself() -> None:
    """Its variable holds, whatever stands in a command line."""
    assert not is_attended({"CLAUDE_CODE_SESSION_ATTENDED": "0"}, ["claude"])
    assert is_attended({"CLAUDE_CODE_SESSION_ATTENDED": "1"}, ["claude", "-p"])
