"""The doctor's look at the MCP server: started for real, by the interpreter that clients are told of."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from clew import wiring
from clew.app.health import shim


def test_a_server_that_answers_is_fine(tmp_path: Path) -> None:
    """Given a whole installation: also what only the SDK answers comes back, so that it is known to load."""
    found = shim.examine_server(wiring.machine({"HOME": str(tmp_path)}), {"HOME": str(tmp_path)}, tmp_path)
    assert "the MCP server answers" in found.said
    assert found.level in ("fine", "warn")  # a busy machine is slow


def test_an_interpreter_without_clew_is_wrong(tmp_path: Path) -> None:
    """An upgrade of Python leaves the entry in the settings, and a client only says that a server failed."""
    bare = tmp_path / "bin" / "python"
    bare.parent.mkdir()
    bare.symlink_to(os.path.realpath(sys.executable))
    machine = wiring.machine({"HOME": str(tmp_path)})._replace(python=str(bare))
    found = shim.examine_server(machine, {"HOME": str(tmp_path)}, tmp_path)
    assert "wrong" == found.level
    assert "does not answer (exit code 1: " in found.said


def test_an_interpreter_that_is_gone_is_wrong(tmp_path: Path) -> None:
    """Nothing starts: say which program."""
    machine = wiring.machine({"HOME": str(tmp_path)})._replace(python="/nonexistent/python")
    found = shim.examine_server(machine, {"HOME": str(tmp_path)}, tmp_path)
    assert ("wrong", True) == (found.level, found.said.startswith("/nonexistent/python cannot be started"))
