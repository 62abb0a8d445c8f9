"""Reading every fact of a large corpus, against ccusage, which reads usage only.

`python -m benchmarks.facts.run --generator PATH/make_transcripts.py [--client codex] [--size 1.15G] [--pairs 5]`
makes a corpus in a temporary folder, checks what is read against the generator's truth.json, installs ccusage from npm,
and times both as whole cold processes with a warm page cache, in turn. Prints Markdown; exit code 1 if a fact is wrong
or a bar is missed (wall at most 2 × ccusage, all processes together at most 100 MB).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.lib.tables import markdown

CCUSAGE = "20.0.24"  # the newest whose native program was on the registry
WALL_RATIO_MAX = 2.0
MEMORY_MB_MAX = 100.0
ROOT = Path(__file__).parents[2]


class Client(NamedTuple):
    """A client's corpus: its `kind` for the generator, the variable that moves its folder, ccusage's arguments."""

    kind: str
    variable: str
    ccusage: tuple[str, ...]


CLIENTS = {
    "claude-code": Client(
        "claude", "CLAUDE_CONFIG_DIR", ("claude", "daily", "--json", "--offline", "--mode", "calculate")
    ),
    "codex": Client("codex", "CODEX_HOME", ("codex", "daily", "--json", "--offline")),
}


class Cost(NamedTuple):
    """Of one process and its children: seconds, and bytes of peak resident memory."""

    wall_s: float
    cpu_s: float
    peak_bytes: int


def measured(command: Sequence[str], environment: dict[str, str]) -> tuple[Cost, str]:
    """Run `command` to its end; its cost and what it printed. The peak is that of its largest process."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=environment, cwd=ROOT)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"exit code {process.returncode}: {' '.join(command)}")
        output.seek(0)
        unit = 1 if sys.platform == "darwin" else 1024
        return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * unit), output.read().decode()


def installed_ccusage(folder: Path, version: str) -> list[str]:
    """ccusage's native program, without the node script that usually starts it (so that it is at its fastest)."""
    systems = {"Linux": "linux", "Darwin": "darwin"}
    machines = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    package = f"@ccusage/ccusage-{systems[platform.system()]}-{machines[platform.machine()]}"
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"{package}@{version}"]
    subprocess.run(command, check=True, capture_output=True)
    program = folder / "node_modules" / package / "bin" / "ccusage"
    program.chmod(0o755)
    return [str(program)]


def wrong_facts(found: dict[str, Any], truth: dict[str, Any]) -> list[str]:
    """Names of the facts that differ from the generator's."""
    return [name for name, value in found.items() if name in truth and truth[name] != value]


def totals_of(ccusage: str) -> dict[str, int]:
    totals = json.loads(ccusage)["totals"]
    return {name: totals[key] for name, key in CCUSAGE_KEYS.items()}


CCUSAGE_KEYS = {
    "input": "inputTokens",
    "cache_creation": "cacheCreationTokens",
    "cache_read": "cacheReadTokens",
    "output": "outputTokens",
}


def table(ours: list[Cost], theirs: list[Cost]) -> str:
    def row(name: str, unit: str, mine: list[float], other: list[float]) -> tuple[str, ...]:
        ratios = [a / b for a, b in zip(mine, other, strict=True)]
        shown = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
        return name, f"{statistics.median(mine):.2f} {unit}", f"{statistics.median(other):.2f} {unit}", shown

    return markdown(
        ("median of the pairs", "clew, every fact", "ccusage, usage only", "ratio (range)"),
        [
            row("wall", "s", [c.wall_s for c in ours], [c.wall_s for c in theirs]),
            row("cpu", "s", [c.cpu_s for c in ours], [c.cpu_s for c in theirs]),
            row("peak memory", "MB", [c.peak_bytes / 1e6 for c in ours], [c.peak_bytes / 1e6 for c in theirs]),
        ],
    )


def compare(corpus: Path, name: str, ccusage: list[str], pairs: int, workers: int, bytecode: Path) -> bool:
    """Time both in turn and print what came out; whether every bar is held. `bytecode` is a folder that the modules are
    compiled into by the first pair, which does not count: what is installed is compiled.
    """
    truth = json.loads((corpus / "truth.json").read_text(encoding="utf-8"))
    client = CLIENTS[name]
    environment = {**os.environ, client.variable: str(corpus), "HOME": str(corpus), "TZ": "UTC"}
    environment |= {"PYTHONPYCACHEPREFIX": str(bytecode), "PYTHONDONTWRITEBYTECODE": ""}
    us = [sys.executable, "-m", "benchmarks.facts.corpus", str(corpus), "--client", name, "--workers", str(workers)]
    them = [*ccusage, *client.ccusage]
    ours: list[Cost] = []
    theirs: list[Cost] = []
    wrong: set[str] = set()
    agrees = True
    for number in range(pairs + 1):  # the first pair warms the page cache, too
        cost, printed = measured(us, environment)
        found = json.loads(printed)
        wrong.update(wrong_facts(found, truth))
        other, printed = measured(them, environment)
        sums = {name: sum(model[name] for model in truth["models"].values()) for name in CCUSAGE_KEYS}
        agrees = agrees and totals_of(printed) == sums
        if number:
            ours.append(cost._replace(peak_bytes=found["peak_bytes"]))
            theirs.append(other)
    size = f"{truth['bytes'] / 1e9:.2f} GB, {truth['files']:,} files, {truth['lines']:,} lines"
    print(f"{size}, {found['records']:,} records")
    print(
        f"{workers} worker processes, {pairs} pairs in turn, {platform.machine()}, Python {platform.python_version()}\n"
    )
    print(table(ours, theirs))
    print(f"\nFacts that differ from truth.json: {', '.join(sorted(wrong)) or 'none'}.")
    print(f"ccusage's totals equal truth.json: {'yes' if agrees else 'no'}.")
    wall = statistics.median(a.wall_s / b.wall_s for a, b in zip(ours, theirs, strict=True))
    memory = max(c.peak_bytes for c in ours) / 1e6
    print(f"Bars: wall {wall:.2f} of at most {WALL_RATIO_MAX}.")
    print(f"Bars: all processes {memory:.0f} MB of at most {MEMORY_MB_MAX:.0f} MB.")
    return not wrong and wall <= WALL_RATIO_MAX and memory <= MEMORY_MB_MAX


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generator", type=Path, required=True, help="make_transcripts.py")
    parser.add_argument("--client", choices=tuple(CLIENTS), default="claude-code")
    parser.add_argument("--size", help="default: 1.15G, for codex 276M")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--corpus", type=Path, help="use this one, made earlier, instead of making one")
    parser.add_argument("--ccusage", nargs="+", help="command to run instead of installing it")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clew-facts-") as name:
        folder = Path(name)
        corpus = chosen.corpus or folder / "corpus"
        if not chosen.corpus:
            size = chosen.size or ("1.15G" if chosen.client == "claude-code" else "276M")
            kind = CLIENTS[chosen.client].kind
            command = [sys.executable, str(chosen.generator), str(corpus), "--size", size, "--kind", kind]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        ccusage = chosen.ccusage or installed_ccusage(folder / "npm", CCUSAGE)
        held = compare(corpus, chosen.client, ccusage, chosen.pairs, chosen.workers, folder / "bytecode")
    raise SystemExit(0 if held else 1)


if __name__ == "__main__":
    main()
