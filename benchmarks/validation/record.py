"""Run every case with its real runner and keep what it printed: `python -m benchmarks.validation.record [RUNNER …]`.

Needs the runners on this machine: `--modules` names a `node_modules` with those of JavaScript, `--path` a folder of
programs that comes before all others. A case that is recorded already stays as it is; `--again` runs it anew. What is
kept (`failures/RUNNER.jsonl`) has the case's folder replaced by `/repo`, so that a record is of no machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.validation.cases import compiled, javascript, others, python
from benchmarks.validation.cases.case import Case

FAILURES = Path(__file__).parent / "failures"
CASES = [*python.CASES, *javascript.CASES, *compiled.CASES, *others.CASES]


def record(case: Case, modules: str, path: str, versions: Path) -> dict[str, object]:
    """One case, run: its exit code and output, with what is known of its first failure."""
    with tempfile.TemporaryDirectory(prefix="case-") as made:
        root = Path(made).resolve() / "repo"
        for name, text in case.files.items():
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        if modules and ("package.json" in case.files or "node_modules" in case.command):
            (root / "node_modules").symlink_to(modules)
        environment = {
            **os.environ,
            "PATH": f"{path}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "CARGO_TERM_COLOR": "never",
        }
        environment |= {
            "PYTHONDONTWRITEBYTECODE": "1",
            "CARGO_TARGET_DIR": str(versions / "cargo"),
            "LC_ALL": "C.UTF-8",
        }
        environment.pop("PYTEST_ADDOPTS", None)
        done = subprocess.run(
            ["/bin/sh", "-c", case.command], cwd=root, env=environment, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180, errors="replace", check=False,
        )  # fmt: skip
        output = done.stdout.replace(str(root), "/repo").replace(str(versions), "/cache")
        if modules:
            output = output.replace(os.path.relpath(Path(modules).resolve(), root), "node_modules")
            output = output.replace(modules, "/repo/node_modules").replace(
                str(Path(modules).resolve()), "/repo/node_modules"
            )
        output = output.replace(str(Path(sys.base_prefix)), "/usr/python").replace(sys.prefix, "/usr/venv")
        output = output.replace(path, "/usr/bin") if path else output
    expected = {"test": case.test, "says": case.says, "values": case.values, "frame": case.frame}
    if case.is_empty:
        expected = {"empty": True}
    return {
        "runner": case.runner,
        "name": case.name,
        "command": case.command,
        "exit": done.returncode,
        **expected,
        "output": output,
    }


def main() -> None:
    """Record the runners that are named, all without a name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runners", nargs="*")
    parser.add_argument("--modules", default="")
    parser.add_argument("--path", default="")
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args()
    FAILURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cache-") as cache:
        for runner in dict.fromkeys(case.runner for case in CASES):
            if given.runners and runner not in given.runners:
                continue
            kept = FAILURES / f"{runner}.jsonl"
            rows = kept.read_text(encoding="utf-8").splitlines() if kept.exists() and not given.again else []
            known = {json.loads(row)["name"] for row in rows}
            for case in (one for one in CASES if one.runner == runner and one.name not in known):
                row = record(case, given.modules, given.path, Path(cache))
                if bool(row["exit"]) == case.is_empty:
                    print(f"{runner}/{case.name}: exit {row['exit']}", file=sys.stderr)
                rows.append(json.dumps(row, ensure_ascii=False))
            kept.write_text("\n".join(rows) + "\n", encoding="utf-8")
            print(f"{runner}: {len(rows)}")


if __name__ == "__main__":
    main()
