"""The server's entry: Codex waits for it, and starts also where clew is gone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.clients.codex.settings import CodexInstaller
from clew.clients.installing import HookCommand

GIVEN = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "codex", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
    {"jsonrpc": "2.0", "id": "two", "method": "ping"},
]


def answers(program: str, tmp_path: Path) -> list[dict[str, Any]]:
    entry = CodexInstaller(tmp_path).server_entry(HookCommand(program, ("-c", "pass")))
    lines = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in GIVEN)
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input=lines.encode(),
        capture_output=True,
        env={"HOME": str(tmp_path)},
        timeout=60,
    )
    assert (0, b"") == (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("gone", ["interpreter", "package"])
def test_codex_starts_after_clew_is_gone(tmp_path: Path, gone: str) -> None:
    """`pip uninstall` knows nothing of the entry, and a required server that does not answer stops the client."""
    python = tmp_path / "python"
    if gone == "package":
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
        python.chmod(0o700)
    first, tools, ping = answers(str(python), tmp_path)
    assert (0, "2025-06-18", "clew") == (
        first["id"],
        first["result"]["protocolVersion"],
        first["result"]["serverInfo"]["name"],
    )
    assert {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}} == tools
    assert {"jsonrpc": "2.0", "id": "two", "result": {}} == ping


def test_while_it_is_there_the_server_itself_answers(tmp_path: Path) -> None:
    first = answers(sys.executable, tmp_path)[0]
    assert (0, "2025-06-18") == (first["id"], first["result"]["protocolVersion"])
    assert "0" != first["result"]["serverInfo"]["version"]
