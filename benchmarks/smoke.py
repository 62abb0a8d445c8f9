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

from benchmarks.resume import transcript

_KB = 1024


def main() -> int:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        corpus = folder / "projects" / "-home-dev-shop"
        corpus.mkdir(parents=True)
        for number in range(3):
            transcript.write(corpus / f"session-{number}.jsonl", size_bytes=300 * _KB, seed=number)
        runs = {
            "recall: every key loads": [
                sys.executable,
                "-c",
                "from benchmarks.recall.keys import load_all; assert load_all()",
            ],
            "resume": [sys.executable, "-m", "benchmarks.resume.run", "--pairs", "1"],
            "facts: every record of a small corpus": [
                sys.executable,
                "-m",
                "benchmarks.facts.corpus",
                str(folder),
                "--workers",
                "1",
            ],
            "growth": [sys.executable, "-m", "benchmarks.growth", "--grows", "sessions", "--sizes", "3,24"],
            "page": [
                *(sys.executable, "-m", "benchmarks.page", "--sessions", "5", "--tasks", "2"),
                *("--events", "2", "--idle", "1"),
            ],
            "run": [sys.executable, "-m", "benchmarks.run.run", "--phases", "1", "--rounds", "1"],
            "memory": [sys.executable, "-m", "benchmarks.memory.run", "merges", "--merges", "2", "--facts", "3"],
            "drift": [
                sys.executable,
                "-m",
                "benchmarks.drift.run",
                "--pairs",
                "1",
                "--files",
                "200",
                "--tracked",
                "300",
            ],
            "ledger": [
                sys.executable,
                "-m",
                "benchmarks.ledger.run",
                "--rounds",
                "2",
                "--events",
                "2000",
                "--checkpoints",
                "50",
            ],
            "install: settings come back": [sys.executable, "-m", "benchmarks.install.configs", str(_settings(folder))],
            "validation: first failures": [sys.executable, "-m", "benchmarks.validation.first"],
            "validation: planted cheats": [
                sys.executable,
                "-m",
                "benchmarks.validation.cheats",
                "--suite",
                "python",
                "--limit",
                "2",
            ],
            "attacks: on words": [sys.executable, "-m", "benchmarks.attacks", "forgeries", "leaks", "alarms"],
            "made: the second set": [
                sys.executable,
                "-m",
                "benchmarks.made",
                str(folder / "second"),
                "--set",
                "second",
            ],
            "made: its keys can fail": [
                sys.executable,
                "-m",
                "benchmarks.recall.check_keys",
                str(folder / "second"),
                "--keys",
                str(folder / "second" / "keys"),
            ],
            "proof": [sys.executable, "-m", "benchmarks.proof.run", str(_drafts(folder))],
            "hooks": [sys.executable, "-m", "benchmarks.hooks.run", "--pairs", "1", "--guards", "4"],
            "gates": [sys.executable, "-m", "benchmarks.gates.run", "--forms", "20", "--tricks", "20"],
            "audit": [sys.executable, "-m", "benchmarks.audit.run"],
            "gates: repeats": [sys.executable, "-m", "benchmarks.gates.repeats"],
            "pressure": [sys.executable, "-m", "benchmarks.pressure.run", "tests/recordings"],
            "saves": [sys.executable, "-m", "benchmarks.saves.run", "--saves", "50", "--turns", "10"],
            "worktrees": [sys.executable, "-m", "benchmarks.worktrees.fuzz", "--rounds", "20"],
            "worktrees: killed": [sys.executable, "-m", "benchmarks.worktrees.kills", "--rounds", "2"],
            "issue": [sys.executable, "-m", "benchmarks.issue.histories", "--histories", "5"],
            "stack": [sys.executable, "-m", "benchmarks.stack.run", "--megabytes", "0.5", "--rounds", "1"],
            "tokens": [sys.executable, "-m", "benchmarks.tokens.check", "--limit", "20"],
            "secrets: fabricated ones": [
                sys.executable,
                "-m",
                "benchmarks.secrets.make_secrets",
                str(folder / "secrets"),
                "--each",
                "1",
            ],
            "secrets: engines": [sys.executable, "-m", "benchmarks.secrets.engines", "clew", "--trees", "docs"],
        }
        failed = [name for name, command in runs.items() if not _passes(name, command)]
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


def _passes(name: str, command: list[str]) -> bool:
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(f"{'ok  ' if done.returncode == 0 else 'FAIL'} {name} ({time.monotonic() - start:.1f} s)")
    if done.returncode != 0:
        print(done.stdout[-2000:] + done.stderr[-2000:])
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
