"""Where a server stands: the project whose sessions it serves, and which session of it asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from clew.app.project import locate
from clew.app.project import runtime_dirs as places
from clew.clients.registry import specs
from clew.clients.spec import ClientSpec
from clew.core.runtime_dir import live_folder

# Clients that start a server in the project's folder (each was tried), by their names in the handshake
CLIENTS: Final[Mapping[str, ClientSpec]] = {spec.handshake: spec for spec in specs() if spec.handshake}


def started_in(environment: Mapping[str, str]) -> Path | None:
    """The folder that the client was started in; None if it is gone."""
    variables = (spec.server_place for spec in CLIENTS.values())
    told = next((environment[name] for name in variables if environment.get(name)), "")
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

    Some send it with each call; the same from any other is somebody's word. Some tell it when they start the server,
    which lives on when the session is cleared: so first the session is looked for whose client is the process that
    started us (`parent`). What another client inherits of such a variable is another session's.
    """
    spec = CLIENTS.get(client)
    told = meta.get("sessionId") if spec and spec.session_in_calls else None
    if isinstance(told, str) and told:
        return told
    live = live_folder(str(data), str(folder))
    started = environment.get(spec.server_session, "") if spec and spec.server_session else ""
    return places.session_of(live, parent) or started
