"""What GitHub Copilot CLI's settings say that clew has to know. Sources: docs/clients/copilot.md, "Settings"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clew.clients.configured import ClientConfig, JsonForm, Problem, SettingLayers
from clew.clients.copilot.spec import SPEC

_OFF: Final = "Take `disableAllHooks` out, if hooks are to run."


class CopilotConfig(ClientConfig):
    """What differs from other clients. It keeps sessions for ever, and no setting says when it drops its context."""

    spec = SPEC
    form = JsonForm("the client reads nothing of it", "Fix the file, or put back an older one.", comments=True)

    def problems(self, told: SettingLayers) -> Iterator[Problem]:
        for path, values in told.files:
            if values.get("disableAllHooks") is True:
                yield Problem(f"{path} switches all hooks off (`disableAllHooks`)", _OFF)


CONFIG: Final = CopilotConfig
