"""The picture in the guide: `python examples/run/picture.py docs/pictures/run.svg` carries out a plan of four phases
with `clew run`, for real, and draws what was printed. The client is `client.py`, since no model is asked; its first
answer for phase 1 is wrong. Colours are the picture's own.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text
from tests.app.run.kills import Project

COLUMNS = 118
HERE = Path(__file__).parent
PLAN = """\
# Refunds in cents

## Phase 1: Split without losing a cent

- [ ] Give the rest of the division to the first parts, in `split.py`
- validate: `python3 -c 'from split import split; assert sum(split(100, 3)) == 100, split(100, 3)'`
- budget: 80k

## Phase 2: Refuse amounts below zero

- [ ] Raise in `refuse.py`
- validate: `python3 -c 'import refuse'`
- budget: 60k
- depends: 1

## Phase 3: Tell amounts

- [ ] Write `told` in `tell.py`
- validate: `python3 -c 'from tell import told; assert told(250) == "2.50"'`
- budget: 60k
- depends: 1

## Phase 4: Put it together

- [ ] Import all three in `till.py`
- validate: `python3 -c 'import till'`
- budget: 60k
- depends: 2, 3
"""
_FONT = re.compile(r"@font-face\s*\{[^}]*\}")
_STYLES = (
    (re.compile(r"^\$ .*$", re.MULTILINE), "bold green"),
    (re.compile(r"^\d\d:\d\d:\d\d ", re.MULTILINE), "dim"),
    (re.compile(r"(?<=phase \d: )is (?:done|merged).*$", re.MULTILINE), "green"),
    (re.compile(r"the checks failed.*$", re.MULTILINE), "bold red"),
    (re.compile(r"^✓", re.MULTILINE), "bold green"),
    (re.compile(r"^DONE$", re.MULTILINE), "bold green"),
)


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="clew-run-") as folder:
        shown = recorded(Path(folder))
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    text = Text(shown)
    for pattern, style in _STYLES:
        text.highlight_regex(pattern, style)
    console.print(text)
    target.write_text(_FONT.sub("", console.export_svg(title="clew run", theme=MONOKAI)), encoding="utf-8")


def recorded(folder: Path) -> str:
    """What `clew run` prints, and what is in the branch then."""
    project = Project(folder, plan=PLAN, program=HERE / "client.py")
    program = Path(sys.executable).with_name("clew")
    done = subprocess.run(
        [program, "run", "--jobs", "2"], cwd=project.five.top, env=dict(project.environment), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    log = project.five.repo.git("log", "--graph", "--format=%s", "-8")
    kept = [row for row in done.stdout.splitlines() if not re.search(r"phase \d: (?:python3|the checks run)", row)]
    said = "\n".join(row if len(row) <= COLUMNS else f"{row[: COLUMNS - 1]}…" for row in kept)
    return f"$ clew run --jobs 2\n{said}\n\n$ git log --graph --format=%s\n{log}".replace(os.fspath(folder), "~")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
