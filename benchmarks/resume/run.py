"""Whole `clew resume --from` on a 4 MB session against a bare interpreter start.

    python -m benchmarks.resume.run [--pairs 21] [--transcript FILE] [--clew PROGRAM] [--check]

The session is made by seed (or given); the work tree is a real repository whose files are not those of the session,
as it is for a file from another machine. Point `--clew` at a base install (no development tools beside it) for the
figure that users see. The bar: at most 16 times `python -I -S -c pass`. `--check` exits 1 when it is missed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.lib.tables import markdown
from benchmarks.lib.timing import interleaved, ratio
from benchmarks.resume import transcript

BAR = 16.0
SIZE_BYTES = 4 << 20


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.resume.run", description="Start to payload.")
    parser.add_argument("--pairs", type=int, default=21)
    parser.add_argument("--transcript", type=Path)
    parser.add_argument("--clew", type=Path, default=Path(sys.executable).with_name("clew"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        session = arguments.transcript
        if session is None:
            session = folder / "session.jsonl"
            transcript.write(session, size_bytes=SIZE_BYTES)
        project = folder / "project"
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        bare = [_real_python(), "-I", "-S", "-c", "pass"]
        ours = [str(arguments.clew.absolute()), "resume", "--from", str(session.absolute())]
        samples = interleaved({"ours": ours, "bare": bare}, rounds=arguments.pairs, cwd=project)
    wall = ratio([s.wall_s for s in samples["ours"]], [s.wall_s for s in samples["bare"]])
    cpu = ratio([s.cpu_s for s in samples["ours"]], [s.cpu_s for s in samples["bare"]])
    peak = max(sample.peak_mb for sample in samples["ours"])
    print(markdown(["`clew resume --from`, 4 MB", "times a bare start"], [["wall", str(wall)], ["cpu", str(cpu)]]))
    missed = wall.median > BAR
    told = f"{'MISSED' if missed else 'held'} by wall time"
    print(f"\npeak memory {peak:.0f} MB; bar {BAR:.0f}, {told}; {arguments.pairs} pairs")
    return int(arguments.check and missed)


def _real_python() -> str:
    """The interpreter itself: a launcher in front of it would make the yardstick longer."""
    return str(Path(sys.executable).resolve())


if __name__ == "__main__":
    sys.exit(main())
