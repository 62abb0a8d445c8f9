"""The installed command as a process of its own, for what only that shows: exit codes, pipes, signals, start-up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CLEW = Path(sys.executable).with_name("clew")


def environment(home: Path, **more: str) -> dict[str, str]:
    """Ours, for a user whose home is `home`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CLAUDE", "GIT_", "_CLEW", "PYTHON"))}
    return {**kept, "HOME": str(home), **more}


def clew(
    *arguments: str | bytes | Path,
    home: Path,
    cwd: Path,
    seconds: float = 60,
    stdin: bytes | None = None,
    bounds: tuple[str, ...] = (),
    **more: str,
) -> subprocess.CompletedProcess[bytes]:
    """Run `clew ARGUMENTS` in `cwd`, with `stdin` at its stdin (None: ours); `bounds` is a command that runs it."""
    variables = environment(home, **more)
    return subprocess.run(
        [*bounds, CLEW, *arguments],
        cwd=cwd,
        env=variables,
        input=stdin,
        capture_output=True,
        timeout=seconds,
        check=False,
    )
