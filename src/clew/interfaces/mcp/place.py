"""Where a server stands: the project whose sessions it serves, and which session of it asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from clew.app.project import locate
from clew.app.project import runtime_dirs as places
from clew.clients.registry import facts
from clew.core.runtime_dir import live_folder

# Clients that start a server in the folder of the project (each was tried), by the name that they give in the
# handshake, with clew's name of them. Any other is asked for its roots.
CLIENTS: Final[Mapping[str, str]] = {name: client for client, name in facts("HANDSHAKE").items()}


def started_in(environment: Mapping[str, str]) -> Path | None:
    """The folder that the client was started in; None if it is gone."""
    told = environment.get("CLAUDE_PROJECT_DIR", "")
    if told:
        return Path(told)
    try:
        return Path.cwd()
    except OSError:
        return None


def is_opted_in(data: Path, folder: Path | None) -> bool:
    """Whether a person ran `clew init` for the work tree of `folder`, or another one of its repository. `data` is the
    user's data folder of clew. Looks; makes nothing.
    """
    if folder is None or not folder.is_absolute():
        return False
    try:
        return places.is_opted_in(str(data), locate(folder))
    except (OSError, ValueError):
        return False


def folders_of(roots: Iterable[str]) -> list[Path]:
    """The folders on this machine among a client's roots (URIs), in their order."""
    found = []
    for uri in roots:
        parts = urlsplit(uri)
        if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path.startswith("/"):
            found.append(Path(unquote(parts.path)))
    return found


def asking_session(
    data: Path, folder: Path, parent: int, client: str, meta: Mapping[str, Any], environment: Mapping[str, str]
) -> str:
    """The id of the session that calls a tool, "" unknown. `client` is its name in the handshake.

    Codex sends it with each call; the same from any other is somebody's word. Claude Code tells it when it starts the
    server, which lives on when the session is cleared: so first the session is looked for whose client is the process
    that started us (`parent`). What another client inherits of Claude Code's variables is another session's.
    """
    told = meta.get("sessionId") if CLIENTS.get(client) == "codex" else None
    if isinstance(told, str) and told:
        return told
    live = live_folder(str(data), str(folder))
    started = environment.get("CLAUDE_CODE_SESSION_ID", "") if CLIENTS.get(client) == "claude-code" else ""
    return places.session_of(live, parent) or started
