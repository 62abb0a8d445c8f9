"""Why there is no session to go on from: what was looked at, and what stood in the way."""

from __future__ import annotations

import os
from pathlib import Path

from clew.app.intake.find import Project, found_in, unread
from clew.app.ports import Ports
from clew.core.errors import NotFound

_NAME_ONE = "name a session file or a session's id (`--from` or `--session`, whichever the command has)"
_ELSEWHERE = (
    "Sessions of Claude Code, Codex, Gemini CLI and OpenCode are looked for. If one keeps them elsewhere, set the "
    "variable that moves it (CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME, XDG_DATA_HOME) as it is set for the "
    f"client, or {_NAME_ONE}."
)
_MISSING = "does not exist"
_SHOWN_CHARS = 8


def no_session(ports: Ports, project: Project, *, kept: bool = False) -> NotFound:
    """The error that tells apart: nothing of any client, what cannot be read, only the asking session, nothing here.

    `kept`: the project keeps a ledger, in which nothing stands either.
    """
    place, folders = project.folders[0], ports.session_folders()
    reasons = [(folder, _obstacle(folder)) for folder in folders]
    there = [folder for folder, why in reasons if not why]
    obstacles = [f"{folder} {why}" for folder, why in reasons if why and why != _MISSING]
    closed = "; ".join([*obstacles, *unread(ports.locators)])
    if kept and not closed and not ports.asking_session:
        return _error(
            f"nothing is known of {place} yet: no session ran there, and nothing was noted",
            'Work with an agent there, or begin by hand: `clew note goal "…"`.',
        )
    if not there:
        every = ", ".join(map(str, folders))
        return _error(f"no session of {place} can be found: {closed or f'there is none of {every}'}", _ELSEWHERE)
    where = ", ".join(map(str, there)) + (f"; {closed}" if closed else "")
    asking = ports.asking_session
    if asking and any(item.session == asking for item in found_in(ports.locators, project)):
        return _error(
            f"the only session recorded in {place} is the one that asks ({asking[:_SHOWN_CHARS]}; looked in {where})",
            f"Run clew outside of it, or name it: --from {asking[:_SHOWN_CHARS]}",
        )
    return _error(
        f"no session was recorded in {place} (looked in {where})",
        f"Run clew in the folder where the agent worked, or {_NAME_ONE}.",
    )


def _error(message: str, hint: str) -> NotFound:
    return NotFound(message, code="E-no-session", hint=hint)


def _obstacle(folder: Path) -> str:
    """What keeps `folder` from being looked through, "" if nothing does."""
    try:
        with os.scandir(folder):
            return ""
    except FileNotFoundError:
        return _MISSING
    except (OSError, ValueError) as error:
        return f"cannot be read ({getattr(error, 'strerror', None) or error})"
