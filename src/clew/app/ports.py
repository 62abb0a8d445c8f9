"""What use cases need from outside, as values: the wiring picks it, nothing below reads the environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from clew.clients.port import Locator, Reader


class Ports(NamedTuple):
    """Clients to read from, how to redact, and what the environment says.

    `session_folders` are where the locators look, to be named when nothing is there. `asking_session` is the id of the
    session that asks ("" none). `environment` is handed to the processes that are started.
    """

    readers: tuple[Reader, ...]
    locators: tuple[Locator, ...]
    session_folders: tuple[Path, ...]
    redact: Callable[[str], str]
    asking_session: str
    environment: Mapping[str, str]
