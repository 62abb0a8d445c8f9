"""`clew rules`: the lines that tell an agent without hooks how to use clew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clew.core.text import clean, one_line
from clew.interfaces.cli.here import aside, here, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.parser import Command, Parser, UsageError

if TYPE_CHECKING:
    from clew.app.rules import Ruled

_SAID = {
    "written": "Put the block into",
    "removed": "Took the block out of",
    "present": "The block is in",
    "absent": "The block is not in",
}


def _arguments(parser: Parser) -> None:
    parser.add_argument("file", nargs="?", metavar="[FILE]", type=Path)
    parser.add_argument(
        "--write", action="store_true", help="Put them at the end of FILE, which must be there, between two marks."
    )
    parser.add_argument("--remove", action="store_true", help="Take them out of FILE again: it is as it was before.")
    json_option(parser)


def run(file: Path | None, write: bool, remove: bool, as_json: bool) -> None:
    """For agents that can run commands and have no hooks of clew: a few lines for the rules file that they read
    (AGENTS.md, GEMINI.md, .cursorrules …).

    Without --write and --remove nothing is changed: the block is printed, and which rules files there are. No rules
    file is ever made. Doing it twice is doing it once.
    """
    from clew import wiring
    from clew.app.rules import BLOCK, rules

    if (write or remove) and file is None:
        raise UsageError("name the rules FILE")
    if write and remove:
        raise UsageError("--write and --remove exclude each other")
    folder = here()
    done = rules(
        wiring.ports(),
        wiring.machine(),
        wiring.configurations(),
        folder,
        folder / file if file is not None else None,
        wanted="write" if write else "remove" if remove else "look",
    )
    if as_json:
        from clew.interfaces.cli.shapes.rules import ruled

        print(ruled(done))
        return
    if not write and not remove:
        print(BLOCK)
    for line in _told(done):
        (print if write or remove else aside)(one_line(clean(line)))
    say_notes(done.notes)


def _told(done: Ruled) -> list[str]:
    """What was done in the file that was named, or which rules files there are."""
    if done.file is not None:
        return [f"{_SAID[done.did]} {done.file}."]
    told = []
    for one in done.files:
        has = "has the block" if one.has_block else f"can take it: clew rules {one.name} --write"
        hooked = f" (not needed by {', '.join(one.hooked)}: hooks of clew run there)" if one.hooked else ""
        told.append(f"{one.name} {has}{hooked}")
    return told or ["There is no rules file here."]


command = Command("Print how an agent without hooks uses clew, for its rules file.", run, _arguments)
