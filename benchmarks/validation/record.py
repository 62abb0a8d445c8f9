"""Run every case with its real runner and keep what it printed: `python -m benchmarks.validation.record [RUNNER …]`.

Needs the runners on this machine: `--modules` names a `node_modules` with jest, vitest, typescript and eslint. What is
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

from benchmarks.validation.cases import compiled, javascript, python
from benchmarks.validation.cases.case import Case

FAILURES = Path(__file__).parent / "failures"
CASES = [*python.CASES, *javascript.CASES, *compiled.CASES]


def record(case: Case, modules: str, versions: Path) -> dict[str, object]:
    """One case, run: its exit code and output, with what is known of its first failure."""
    with tempfile.TemporaryDirectory(prefix="case-") as made:
        root = Path(made).resolve() / "repo"
        for path, text in case.files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        if modules and case.runner in ("jest", "vitest", "tsc", "eslint"):
            (root / "node_modules").symlink_to(modules)
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
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
    expected = {"test": case.test, "says": case.says, "values": case.values, "frame": case.frame}
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
    given = parser.parse_args()
    FAILURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cache-") as cache:
        for runner in dict.fromkeys(case.runner for case in CASES):
            if given.runners and runner not in given.runners:
                continue
            rows = []
            for case in (one for one in CASES if one.runner == runner):
                row = record(case, given.modules, Path(cache))
                if not row["exit"]:
                    print(f"{runner}/{case.name}: did not fail", file=sys.stderr)
                rows.append(json.dumps(row, ensure_ascii=False))
            (FAILURES / f"{runner}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
            print(f"{runner}: {len(rows)}")


if __name__ == "__main__":
    main()
