"""The MCP server, started as clients are told to start it, and asked for its tools. It is given nothing to do."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from clew.app.health.finding import HealthFinding, count
from clew.app.install.entries import Machine, hook_command
from clew.clients.installing import server_command
from clew.core.text.cleaning import clean, one_line, shorten
from clew.workspace.process import Finished, LimitExceeded, run

_TIMEOUT_S: Final = 60
# Two seconds are usual: the SDK is imported.
_SLOW_S: Final = 10
_WORDS_CHARS: Final = 160
_CHECK: Final = "server"
_AGAIN: Final = "Run `clew init` again; if that does not help, reinstall clew."
_TOOLS, _BEYOND = 2, 3
_ASKED: Final[tuple[dict[str, Any], ...]] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "clew-doctor", "version": "0"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": _TOOLS, "method": "tools/list"},
    # Up to here the server answers by itself; this one it hands to the SDK, whatever that says to it.
    {"id": _BEYOND, "method": "resources/list"},
)


def examine(machine: Machine, environment: Mapping[str, str], scratch: Path) -> HealthFinding:
    """Whether the server of `machine` starts and lists its tools. `scratch` is a folder for what it is asked; it stands
    in the caller's own. Raises OSError where `scratch` cannot be written.
    """
    command = server_command(hook_command(machine))
    asked = scratch / "asked.jsonl"
    asked.write_text("".join(f"{json.dumps({'jsonrpc': '2.0', **one})}\n" for one in _ASKED))
    begun = time.perf_counter()
    try:
        done = run(
            [command.program, *command.arguments], environment=environment, timeout_s=_TIMEOUT_S, given=str(asked)
        )
    except OSError as error:
        said = f"{command.program} cannot be started: {error.strerror or type(error).__name__}"
        return HealthFinding(_CHECK, "wrong", said, _AGAIN)
    except LimitExceeded as error:
        return HealthFinding(_CHECK, "wrong", f"the MCP server had to be stopped: {error}", _AGAIN)
    took_s = time.perf_counter() - begun
    answers = _answers(done.out)
    if _TOOLS not in answers or _BEYOND not in answers:
        return HealthFinding(_CHECK, "wrong", f"the MCP server does not answer{_words(done)}", _AGAIN)
    tools = _tools(answers[_TOOLS])
    said = f"the MCP server answers, {took_s:.1f} s, and offers {count(tools, 'tool') if tools else 'nothing'} here"
    if took_s > _SLOW_S:
        return HealthFinding(_CHECK, "warn", said, "Is the machine busy? If it goes on, report it with this figure.")
    return HealthFinding(_CHECK, "fine", said)


def _answers(out: bytes) -> dict[Any, dict[str, Any]]:
    """The answers by the number of what was asked."""
    found = {}
    for line in out.splitlines():
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict) and isinstance(told.get("id"), int):
            found[told["id"]] = told
    return found


def _tools(answer: dict[str, Any]) -> int:
    result = answer.get("result")
    tools = result.get("tools") if isinstance(result, dict) else None
    return len(tools) if isinstance(tools, list) else 0


def _words(done: Finished) -> str:
    last = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2]
    told = [f"exit code {done.code}"] if done.code else []
    told += [shorten(one_line(clean(last)), _WORDS_CHARS)] if last else []
    return f" ({': '.join(told)})" if told else ""
