"""docs/reference/library.md and examples/library: what stands there runs, and prints what stands below it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

from tests.interfaces.cli.binary import environment
from tests.workspace.repos import Repo

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "library.md"
HARNESS = ROOT / "examples" / "library" / "harness.py"
_EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], env=environment(cwd), cwd=cwd, capture_output=True, text=True, timeout=60
    )


def test_every_example_prints_what_stands_below_it(tmp_path: Path) -> None:
    """One after the other in one project, each in a process of its own, as a reader tries them."""
    text = PAGE.read_text(encoding="utf-8")
    examples = _EXAMPLE.findall(text)
    assert len(examples) == text.count("```python") == 5
    repo = Repo(tmp_path / "till")
    repo.write("till/refunds.py", "pass\n")
    repo.commit("Begin")
    for code, shown in examples:
        done = run("-c", code, cwd=tmp_path / "till")
        assert (0, "") == (done.returncode, done.stderr)
        printed = done.stdout.rstrip("\n").split("\n")
        expected = shown.rstrip("\n").split("\n")
        # A line that ends with "…" is cut there.
        cut = [
            line[: len(row) - 1] + "…" if row.endswith("…") else line
            for row, line in zip(expected, printed, strict=False)
        ]
        assert expected == cut + printed[len(expected) :]


def test_every_name_that_is_offered_is_on_the_page() -> None:
    """A name that only the source knows is found by nobody."""
    import clew

    text = PAGE.read_text(encoding="utf-8")
    words = set(re.findall(r"\w+", text))
    inner = {"Event", "Item", "Resumption", "Showing", "Saved", "__version__"}
    assert set(clew.__all__) - inner <= words
    assert {name for name in vars(clew.Project) if not name.startswith("_")} <= words


def test_the_harness_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    """What the whole library is for: killed twice, it reads each part once and ends with a payload."""
    folder = tmp_path / "till"
    folder.mkdir()
    killed = run(HARNESS, folder, "--die", "4", cwd=tmp_path)
    assert (-signal.SIGKILL, "") == (killed.returncode, killed.stderr)
    killed = run(HARNESS, folder, "--die", "9", cwd=tmp_path)
    assert killed.returncode == -signal.SIGKILL
    done = run(HARNESS, folder, cwd=tmp_path)
    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith("going on behind turn 9 with ")
    assert "- Part 5 rounds with math.ceil" in done.stdout and "- Part 10 rounds" in done.stdout
    assert "- Change nothing: only read" in done.stdout


def test_the_harness_says_how_it_is_called(tmp_path: Path) -> None:
    """A traceback is no first impression."""
    for arguments in ((), (tmp_path / "new",), (tmp_path, "--die"), (tmp_path, "--die", "soon")):
        done = run(HARNESS, *arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr.split()[0]) == (1, "usage:")
    assert list(tmp_path.iterdir()) == []
