"""What a starting session is given of the memory: the user's in a few lines, and the project's index."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clew.app.memory.store import user_folder
from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.core.state.facts import facts
from clew.core.text.receipt import wrapped
from clew.core.text.tokens import estimate

_INDEX: Final = "MEMORY.md"
_PAGE_BYTES_MAX: Final = 64 << 10
_USER_TOKENS: Final = 150
_TOKENS_MAX: Final = 400
# What the headings and the delimiters take.
_FRAME_TOKENS: Final = 40


def memory_block(ports: Ports, at: ProjectSession) -> str:
    """What a starting session is given of the memory: the user's in a few lines, the project's index; "" for none. At
    most so many tokens as an index may have, in a data block of its own.
    """
    own = _users_index(user_folder(ports))
    known = facts(at.ledger.fold("").entities)
    room = _TOKENS_MAX - estimate(own) - _FRAME_TOKENS
    mine = ""
    if known:
        from clew.app.memory.pages import index_page  # here: most projects keep none

        mine = index_page("", known, tokens_max=room, files=False)
    rows = [*_told(own, "## The user"), *_told(mine, "## This project")]
    if not rows:
        return ""
    return wrapped("\n".join(["# Memory", *rows]) + "\n")


def _told(index: str, title: str) -> list[str]:
    rows = [row for row in index.split("\n") if row.startswith("- ")]
    return [title, *rows] if rows else []


def _users_index(folder: Path) -> str:
    """The user's own index, as clew wrote it, in so many tokens as it may have here."""
    try:
        with (folder / _INDEX).open("rb") as file:
            text = file.read(_PAGE_BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return ""
    rows = [row for row in text.split("\n") if row.startswith("- ")]
    while rows and estimate("\n".join(rows)) > _USER_TOKENS:
        rows.pop()
    return "\n".join(rows)
