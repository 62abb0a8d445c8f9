"""Whether a session is given anything at all."""

from __future__ import annotations

from typing import Final

from clew.app.ports import Ports, wanted_task
from clew.app.project.runtime_dirs import is_set_aside
from clew.core.records.hook_events import HookEvent
from clew.core.settings import Settings

# Of more a client shows the agent a preview only (`core/records/hook_events.py`); a token has 3 characters and more.
PAYLOAD_TOKENS_MAX: Final = 2000


def is_quiet(ports: Ports, event: HookEvent, settings: Settings, folder: str) -> bool:
    """Whether the session of `event`, with the live folder `folder`, is given nothing: it is a headless run that names
    no task, the setting `inject.on` is off, or somebody marked it as fresh.
    """
    return not settings.on("inject.on") or is_set_aside(folder) or not (event.attended or wanted_task(ports))
