"""The picture in the README: `python examples/demo/picture.py docs/terminal.svg` runs the demonstration once more, for
real, and draws what `clew` printed. Paths of the temporary folder are shown as `~`, sections left out as `…`; nothing
else is changed. Colours are the picture's own.
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

from run import HERE, make_project, record_session

COLUMNS = 104
SHOWN = ("Goal", "Where we are", "Failed", "Next action", "Changed")
# What rich would load from another host: whoever looks at the picture has a monospaced font.
_FONT = re.compile(r"@font-face\s*\{[^}]*\}")
_STYLES = (
    (re.compile(r"^\$ .*$", re.MULTILINE), "bold green"),
    (re.compile(r"^#+ .*$", re.MULTILINE), "bold cyan"),
    (re.compile(r"^Struck: .*$", re.MULTILINE), "bold red"),
    (re.compile(r"✓"), "bold green"),
    (re.compile(r"“[^”]*”"), "yellow"),
    (re.compile(r"\(verify first\)"), "bold magenta"),
    (re.compile(r"^</?clew-data .*$", re.MULTILINE), "dim"),
)


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="clew-demo-") as temporary:
        shown = _recorded(Path(temporary).resolve())
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    text = Text(shown)
    for pattern, style in _STYLES:
        text.highlight_regex(pattern, style)
    console.print(text)
    target.write_text(_FONT.sub("", console.export_svg(title="clew", theme=MONOKAI)), encoding="utf-8")


def _recorded(folder: Path) -> str:
    """What a killed agent's hand-off is answered with, and what the next session is given."""
    home, project = folder / "home", folder / "till"
    environment = {**os.environ, "HOME": str(home), "LC_ALL": "C.UTF-8"}
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    commit = make_project(project, environment)
    session = record_session(home, project, commit)
    program = Path(sys.executable).with_name("clew")

    def clew(*words: str, given: str = "", **more: str) -> str:
        done = subprocess.run(
            [program, *words],
            cwd=project,
            env={**environment, **more},
            input=given,
            text=True,
            capture_output=True,
            check=True,
        )
        return done.stdout.replace(str(folder), "~")

    clew("init", "--client", "none")
    draft = (HERE / "handoff.md").read_text(encoding="utf-8").replace("@COMMIT@", commit)
    answered = clew("checkpoint", "--draft", "-", given=draft, CLAUDE_CODE_SESSION_ID=session)
    changed = project / "till" / "refunds.py"
    changed.write_text(changed.read_text(encoding="utf-8").replace("ROUND_DOWN", "ROUND_HALF_EVEN"), encoding="utf-8")
    kept = "\n".join(row for row in answered.splitlines() if row.startswith(("Kept", "Struck")))
    resumed = _cut(clew("resume"))
    return (
        "# An agent hands off; one of its ten entries is a lie.\n$ clew checkpoint --draft - < handoff.md\n"
        f"{kept}\n\n# It is killed, somebody edits a file, the next session begins:\n$ clew resume\n{resumed}"
    )


def _cut(payload: str) -> str:
    """The payload with those of its sections that tell the story, and `…` in the place of others."""
    head, *sections = re.split(r"(?m)^(?=## )", payload)
    kept = [one if one.startswith(tuple(f"## {name}" for name in SHOWN)) else "…\n" for one in sections]
    return re.sub(r"(…\n)+", "…\n\n", head + "".join(kept))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
