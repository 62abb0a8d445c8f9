"""The picture of `clew stack edit` in the guide: `python scripts/stack_picture.py docs/pictures/stack.svg` makes a
project and a stack in it by clew's own commands, opens the picker over it without a terminal, and draws its screen.

Tokens are estimated, and clew's own rules look for secrets, whatever else is installed; so it is the same everywhere.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from clew import wiring
from clew.app.stack.editing import Editing
from clew.app.stack.gather import SNIPPETS, Given
from clew.core.text.counter import ESTIMATED
from clew.interfaces.tui.picker import Picker

SIZE = (92, 22)
# What rich would load from another host: whoever looks at the picture has a monospaced font.
_FONT = re.compile(r"@font-face\s*\{[^}]*\}")
_DAY = "2026-11-20T10:00:00Z"
_BANK = "".join(
    f'def {name}(amount):\n    """{about}"""\n    return book("{name}", amount)\n\n\n'
    for name, about in (
        ("refund", "Give an amount back."),
        ("charge", "Take an amount."),
        ("hold", "Keep an amount for later."),
        ("release", "Let go of what was kept."),
        ("settle", "Close the day."),
    )
)
_SOURCES = (
    ("snippet", "review"),
    ("files", "README.md", "src/**", "--budget", "150"),
    ("git-diff", "main", "--priority", "2"),
    ("git-log", "main..HEAD"),
    ("command", "git status --short"),
    ("text", "Refunds above 200 need a second signature.", "--key", "origin=mail from Bo", "--key", "date=2026-11-20"),
)


def picture() -> str:
    """The screen as an SVG."""
    with tempfile.TemporaryDirectory(prefix="clew-stack-") as temporary:
        home, project = Path(temporary).resolve() / "home", Path(temporary).resolve() / "till"
        environment = _environment(home)
        _make(project, home, environment)
        ports = wiring.ports(environment)._replace(deep_scan=lambda: None)
        given = Given(ESTIMATED, wiring.user_folder(environment, "config") / SNIPPETS)
        editing = Editing(ports, given, project, "refunds")
        picker = Picker(editing, parse=_nothing, copy=lambda _: None)
        return _FONT.sub("", asyncio.run(_drawn(picker)))


async def _drawn(picker: Picker) -> str:
    async with picker.run_test(size=SIZE) as pilot:
        for keys in ((), ("down", "down", "down", "space"), ("up", "up")):
            await pilot.press(*keys)
            while not picker.is_settled:
                await asyncio.sleep(0.02)
        await pilot.pause()
        return picker.export_screenshot(title="clew stack edit refunds")


def _environment(home: Path) -> dict[str, str]:
    dropped = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in dropped and not name.startswith("GIT_")}
    names = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_AUTHOR_DATE": _DAY}
    again = {name.replace("AUTHOR", "COMMITTER"): value for name, value in names.items()}
    return {**kept, **names, **again, "HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C.UTF-8"}


def _make(project: Path, home: Path, environment: dict[str, str]) -> None:
    """A project with a branch, a snippet of its user's, and the stack."""

    def run(*words: str) -> None:
        subprocess.run(words, cwd=project, env=environment, check=True, capture_output=True)

    def write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    write(project / "README.md", "# till\n\nBooks what a shop takes and gives back.\n")
    write(project / "src/till/bank.py", _BANK)
    write(home / ".config/clew/snippets/review.md", "Review this for amounts that may become negative.\n")
    run("git", "init", "-q", "-b", "main")
    run("git", "add", ".")
    run("git", "commit", "-qm", "Begin")
    run("git", "switch", "-qc", "refunds")
    write(project / "src/till/bank.py", _BANK.replace('book("refund", amount)', 'book("refund", -abs(amount))'))
    run("git", "commit", "-qam", "Refunds are negative")
    clew = (sys.executable, "-m", "clew", "stack")
    run(*clew, "new", "refunds", "--title", "Refunds", "--budget", "600")
    for words in _SOURCES:
        run(*clew, "add", "refunds", *words)


def _nothing(_: str) -> tuple[str, tuple[str, ...], dict[str, str]]:
    raise AssertionError("nothing is typed here")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")
