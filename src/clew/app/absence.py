"""Why there is no session to go on from: what was looked at, and what stood in the way."""

from __future__ import annotations

import os
from pathlib import Path

from clew.app.find import Project, found_in
from clew.app.ports import Ports
from clew.core.errors import NotFound

_NAME_ONE = "name a session file or a session's id with --from"
_SHOWN_CHARS = 8


def no_session(ports: Ports, project: Project) -> NotFound:
    """The error that tells apart: no folder of a client, one that cannot be read, only the asking session, nothing."""
    place = project.folders[0]
    where = ", ".join(map(str, ports.session_folders))
    reasons = [_obstacle(folder) for folder in ports.session_folders]
    if reasons and all(reasons):
        told = "; ".join(f"{folder} {why}" for folder, why in zip(ports.session_folders, reasons, strict=True))
        return _error(
            f"no session of {place} can be found: {told}",
            "Only sessions of Claude Code are read. If it keeps them elsewhere or as another user, set "
            f"CLAUDE_CONFIG_DIR as it is set for the client, or {_NAME_ONE}.",
        )
    asking = ports.asking_session
    if asking and any(item.session == asking for item in found_in(ports.locators, project)):
        return _error(
            f"the only session recorded in {place} is the one that asks ({asking[:_SHOWN_CHARS]}; looked in {where})",
            f"Run clew outside of it, or name it: --from {asking[:_SHOWN_CHARS]}",
        )
    return _error(
        f"no session of Claude Code was recorded in {place} (looked in {where})",
        f"Only Claude Code is read. Run clew in the folder where the agent worked, or {_NAME_ONE}.",
    )


def _error(message: str, hint: str) -> NotFound:
    return NotFound(message, code="E-no-session", hint=hint)


def _obstacle(folder: Path) -> str:
    """What keeps `folder` from being looked through, "" if nothing does."""
    try:
        with os.scandir(folder):
            return ""
    except FileNotFoundError:
        return "does not exist"
    except (OSError, ValueError) as error:
        return f"cannot be read ({getattr(error, 'strerror', None) or error})"
