"""`clew cost` against ccusage: tokens and money of a corpus, cold (nothing is indexed) and with nothing new.

`python -m benchmarks.cost.run --generator PATH/make_transcripts.py [--client codex] [--size 1.15G] [--pairs 5]` makes
a corpus in a temporary folder, checks totals against the generator's truth.json and ccusage's own, tokens and dollars,
and times both as whole processes with a warm page cache, in turn. Exit code 1 if a total differs or a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.facts.run import CCUSAGE, CCUSAGE_KEYS, CLIENTS, Cost, installed_ccusage, measured, totals_of
from benchmarks.lib.tables import markdown

COLD_RATIO_MAX = 0.6
WARM_RATIO_MAX = 1 / 20
MEMORY_MB_MAX = 100.0
_NAMES = {"input": "input", "cache_creation": "cache_write", "cache_read": "cache_read", "output": "output"}
# ccusage's own prices may be older than ours: dollars are compared where both know the model.
_DOLLARS_SHARE = 0.001


def row(name: str, ours: list[Cost], theirs: list[Cost]) -> tuple[str, ...]:
    ratios = [a.wall_s / b.wall_s for a, b in zip(ours, theirs, strict=True)]
    return (
        name,
        f"{statistics.median(one.wall_s for one in ours):.2f} s",
        f"{statistics.median(one.wall_s for one in theirs):.2f} s",
        f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})",
        f"{statistics.median(a.cpu_s / b.cpu_s for a, b in zip(ours, theirs, strict=True)):.2f}",
        f"{max(one.peak_bytes for one in ours) / 1e6:.0f} MB",
    )


def compare(corpus: Path, name: str, ccusage: list[str], pairs: int, folder: Path) -> bool:
    """Time both in turn and print what came out; whether every total is right and every bar held."""
    truth = json.loads((corpus / "truth.json").read_text(encoding="utf-8"))
    client, home = CLIENTS[name], folder / "home"
    home.mkdir()
    environment = {**os.environ, client.variable: str(corpus), "HOME": str(home), "TZ": "UTC"}
    environment |= {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
    us = [sys.executable, "-m", "clew", "cost", "--all", "--by", "day", "--json"]
    them = [*ccusage, *client.ccusage]
    cold: list[Cost] = []
    warm: list[Cost] = []
    theirs: list[Cost] = []
    found: dict[str, Any] = {}
    told = ""
    for number in range(pairs + 1):  # the first one warms the page cache, and compiles the modules
        shutil.rmtree(home / ".cache", ignore_errors=True)
        first, _ = measured(us, environment)
        again, printed = measured(us, environment)
        other, told = measured(them, environment)
        found = json.loads(printed)
        if number:
            cold, warm, theirs = [*cold, first], [*warm, again], [*theirs, other]
    sums = {key: sum(model[key] for model in truth["models"].values()) for key in CCUSAGE_KEYS}
    ours = {key: found["total"][field] for key, field in _NAMES.items()}
    totals = json.loads(told)["totals"]
    dollars = totals.get("totalCost", totals.get("costUSD", 0.0))
    size = f"{truth['bytes'] / 1e9:.2f} GB, {truth['files']:,} files, {truth['requests']:,} responses"
    print(f"{size}; {pairs} pairs in turn, {platform.machine()}, Python {platform.python_version()}\n")
    heads = ("median of the pairs", "clew cost", "ccusage", "ratio of wall (range)", "of cpu", "peak of clew")
    print(markdown(heads, [row("cold", cold, theirs), row("nothing new", warm, theirs)]))
    right = ours == sums == totals_of(told) and found["total"]["responses"] == truth["requests"]
    print(f"\nTokens equal truth.json and ccusage: {'yes' if right else f'no: {ours}, {sums}, {totals_of(told)}'}.")
    usd = found["total"]["usd"]
    print(f"Dollars: {usd:.2f}, by ccusage {dollars:.2f}; unpriced tokens: {found['total']['unpriced_tokens']:,}.")
    ratios = [statistics.median(a.wall_s / b.wall_s for a, b in zip(one, theirs, strict=True)) for one in (cold, warm)]
    peak = max(one.peak_bytes for one in (*cold, *warm)) / 1e6
    print(f"Bars: cold {ratios[0]:.2f} of at most {COLD_RATIO_MAX}; nothing new {ratios[1]:.3f} of {WARM_RATIO_MAX};")
    print(f"{peak:.0f} MB of at most {MEMORY_MB_MAX:.0f} MB.")
    held = ratios[0] <= COLD_RATIO_MAX and ratios[1] <= WARM_RATIO_MAX and peak <= MEMORY_MB_MAX
    return right and held and abs(usd - dollars) <= _DOLLARS_SHARE * max(usd, dollars)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generator", type=Path, help="make_transcripts.py; not needed with --corpus")
    parser.add_argument("--client", choices=tuple(CLIENTS), default="claude-code")
    parser.add_argument("--size", default="1.15G")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--corpus", type=Path, help="use this one, made earlier, instead of making one")
    parser.add_argument("--ccusage", nargs="+", help="command to run instead of installing it")
    chosen = parser.parse_args()
    if not (chosen.corpus or chosen.generator):
        parser.error("say --generator or --corpus")
    with tempfile.TemporaryDirectory(prefix="clew-cost-") as name:
        folder = Path(name)
        corpus = chosen.corpus or folder / "corpus"
        if not chosen.corpus:
            command = [sys.executable, str(chosen.generator), str(corpus), "--size", chosen.size]
            subprocess.run([*command, "--kind", CLIENTS[chosen.client].kind], check=True, stdout=subprocess.DEVNULL)
        ccusage = chosen.ccusage or installed_ccusage(folder / "npm", CCUSAGE)
        held = compare(corpus, chosen.client, ccusage, chosen.pairs, folder)
    raise SystemExit(0 if held else 1)


if __name__ == "__main__":
    main()
