"""Every benchmark once and small, so that none rots. No bar is judged here: timings on a busy machine prove nothing.

    python -m benchmarks.smoke

What needs the network or material that is not in the repository (a peer to compare with, transcripts) is left out.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.recall.keys import load_all
from benchmarks.resume import transcript

_KB = 1024


def main() -> int:
    assert load_all(), "every key loads"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        corpus = folder / "projects" / "-home-dev-shop"
        corpus.mkdir(parents=True)
        for number in range(3):
            transcript.write(corpus / f"session-{number}.jsonl", size_bytes=300 * _KB, seed=number)
        second = folder / "second"
        runs = {
            "resume": "resume.run --pairs 1",
            "facts: every record of a small corpus": f"facts.corpus {folder} --workers 1",
            "growth": "growth --grows sessions --sizes 3,24",
            "page": "page --sessions 5 --tasks 2 --events 2 --idle 1",
            "run": "run.run --phases 1 --rounds 1",
            "memory": "memory.run merges --merges 2 --facts 3",
            "drift": "drift.run --pairs 1 --files 200 --tracked 300",
            "ledger": "ledger.run --rounds 2 --events 2000 --checkpoints 50",
            "install: settings come back": f"install.configs {_settings(folder)}",
            "validation: first failures": "validation.first",
            "validation: planted cheats": "validation.cheats --suite python --limit 2",
            "attacks: on words": "attacks forgeries leaks alarms",
            "made: the second set": f"made {second} --set second",
            "made: its keys can fail": f"recall.check_keys {second} --keys {second / 'keys'}",
            "proof": f"proof.run {_drafts(folder)}",
            "hooks": "hooks.run --pairs 1 --guards 4",
            "gates": "gates.run --forms 20 --tricks 20",
            "audit": "audit.run",
            "continuity: constraints": "continuity.constraints --cases 2 --check",
            "continuity: successor": "continuity.successor --repositories 1",
            "gates: repeats": "gates.repeats",
            "pressure": "pressure.run tests/recordings",
            "saves": "saves.run --saves 50 --turns 10",
            "worktrees": "worktrees.fuzz --rounds 20",
            "worktrees: killed": "worktrees.kills --rounds 2",
            "issue": "issue.histories --histories 5",
            "stack": "stack.run --megabytes 0.5 --rounds 1",
            "tokens": "tokens.check --limit 20",
            "secrets: fabricated ones": f"secrets.make_secrets {folder / 'secrets'} --each 1",
            "secrets: engines": "secrets.engines clew --trees docs",
        }
        failed = [name for name, words in runs.items() if not _passes(name, words)]
    return int(bool(failed))


def _settings(folder: Path) -> Path:
    """A folder with a settings file."""
    place = folder / "settings"
    place.mkdir()
    (place / "settings.json").write_text('{\n  "model": "opus",\n  "hooks": {"Stop": []}\n}\n', encoding="utf-8")
    return place


def _drafts(folder: Path) -> Path:
    """A folder with a session, its draft and a lie about it."""
    place = folder / "made"
    (place / "drafts").mkdir(parents=True)
    (place / "sessions").mkdir()
    transcript.write(place / "sessions" / "shop.jsonl", size_bytes=100 * _KB)
    (place / "drafts" / "shop.md").write_text("## State\n- nothing pushed\n", encoding="utf-8")
    lie = '{"draft": "shop", "section": "State", "claim": "Committed 9f9f9f1", "kind": "commit"}\n'
    (place / "lies.jsonl").write_text(lie, encoding="utf-8")
    return place


def _passes(name: str, words: str) -> bool:
    """Whether a module of `benchmarks` with its arguments ends well; paths in it have no spaces."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", *f"benchmarks.{words}".split()], capture_output=True, text=True, check=False
    )
    print(f"{'ok  ' if done.returncode == 0 else 'FAIL'} {name} ({time.monotonic() - start:.1f} s)")
    if done.returncode != 0:
        print(done.stdout[-2000:] + done.stderr[-2000:])
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
