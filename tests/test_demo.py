"""`make demo` shows what it claims to show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.interfaces.cli.binary import environment

ROOT = Path(__file__).parents[1]
RUN = ROOT / "examples" / "demo" / "run.py"


def test_the_demonstration_runs_and_shows_the_main_job(tmp_path: Path) -> None:
    """A newcomer starts it first: a hand-off, the lie in it that is struck, the payload; and one by rule."""
    done = subprocess.run(
        [sys.executable, RUN], env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answer, rest = done.stdout.partition("\n3. ")[0], done.stdout.partition("\n4. ")[2]
    drafted, _, by_rule = rest.partition("\n5. ")
    assert "9 of 10 entries stand" in answer and "Struck: line 22" in answer
    assert "is pushed to origin" not in rest
    assert "✓ d7ae388 Make refund shares add up to the total" in drafted
    assert "test_adds_up in tests/test_refunds.py" in drafted.partition("## Next action\n")[2].partition("\n\n")[0]
    assert "## Goal\n- “Refunds of split orders are off by a cent" in by_rule
    assert "python3 -m unittest -q" in by_rule.partition("## Next action\n")[2].partition("\n\n")[0]
    for out in (drafted, by_rule):
        failed = out.partition("## Failed approaches (do not retry)\n")[2].partition("\n\n")[0]
        assert "till/refunds.py" in failed and "no floats for money" in failed
        assert "- till/refunds.py: changed (" in out.partition("## Changed on disk since\n")[2]
        assert "Partly stale: 1 of 2 files changed" in out


def test_the_demonstration_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither in the folder nor in the home of whoever tries it."""
    subprocess.run([sys.executable, RUN], env=environment(tmp_path), cwd=tmp_path, capture_output=True, check=True)
    assert list(tmp_path.iterdir()) == []


def test_the_readme_shows_what_the_demonstration_prints(tmp_path: Path) -> None:
    """Line by line, each up to where it is cut."""
    done = subprocess.run(
        [sys.executable, RUN], env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    printed = done.stdout.split("\n")
    block = (ROOT / "README.md").read_text(encoding="utf-8").partition("```text\n")[2].partition("```")[0]
    shown = [row.removesuffix("…").rstrip() for row in block.split("\n") if row.strip("… ")]
    assert len(shown) > 8
    assert not [row for row in shown if not any(line.startswith(row) for line in printed)]
