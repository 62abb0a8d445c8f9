"""Whole `clew resume --from` on a 4 MB session against a bare interpreter start, and with a ledger that has it.

    python -m benchmarks.resume.run [--pairs 21] [--transcript FILE] [--clew PROGRAM] [--check]

The session is made by seed (or given); the work tree is a real repository whose files are not those of the session,
as it is for a file from another machine. With a ledger the same session was taken in before and ran in the work tree,
so its files are compared as well. Point `--clew` at a base install (no development tools beside it) for the figure
that users see. The bar: at most 16 times `python -I -S -c pass`. `--check` exits 1 when it is missed.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.lib.tables import markdown
from benchmarks.lib.timing import interleaved, ratio
from benchmarks.resume import transcript
from clew.clients.claude_code.spec import slug

BAR = 16.0
SIZE_BYTES = 4 << 20
ID = "5e551011-0000-4000-8000-000000000001"


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
        kept = _with_ledger(folder, session, arguments.clew)
        samples = interleaved({"ours": ours, "kept": kept, "bare": bare}, rounds=arguments.pairs, cwd=project)
    wall = ratio([s.wall_s for s in samples["ours"]], [s.wall_s for s in samples["bare"]])
    peak = max(sample.peak_mb for sample in samples["ours"])
    rows = []
    for name, label in (("ours", "`clew resume --from`"), ("kept", "`clew resume`, taken in before")):
        cpu = ratio([s.cpu_s for s in samples[name]], [s.cpu_s for s in samples["bare"]])
        rows.append(
            [label, str(ratio([s.wall_s for s in samples[name]], [s.wall_s for s in samples["bare"]])), str(cpu)]
        )
    print(markdown(["4 MB, times a bare start", "wall", "cpu"], rows))
    missed = wall.median > BAR
    told = f"{'MISSED' if missed else 'held'} by wall time"
    print(f"\npeak memory {peak:.0f} MB; bar {BAR:.0f}, {told}; {arguments.pairs} pairs")
    return int(arguments.check and missed)


def _with_ledger(folder: Path, session: Path, clew: Path) -> list[str]:
    """A command that runs `clew resume` where the session ran, in a project whose ledger has it."""
    top, home = (folder / "kept").resolve(), folder / "home"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    text = session.read_text(encoding="utf-8")
    cwd = re.search(r'"cwd":\s*"([^"]+)"', text)
    place = home / ".claude" / "projects" / slug(str(top))
    place.mkdir(parents=True)
    (place / f"{ID}.jsonl").write_text(text.replace(cwd[1], str(top)) if cwd else text, encoding="utf-8")
    command = ["env", f"HOME={home}", "CLAUDE_CONFIG_DIR=", str(clew.absolute())]
    for words in (["init"], ["resume"]):
        subprocess.run([*command, *words], cwd=top, check=True, capture_output=True)
    return ["sh", "-c", f"cd {shlex.quote(str(top))} && exec {shlex.join([*command, 'resume'])}"]


def _real_python() -> str:
    """The interpreter itself: a launcher in front of it would make the yardstick longer."""
    return str(Path(sys.executable).resolve())


if __name__ == "__main__":
    sys.exit(main())
