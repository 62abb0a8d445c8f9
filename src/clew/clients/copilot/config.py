"""What GitHub Copilot CLI's settings say that clew has to know. Sources: docs/clients/copilot.md, "Settings"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clew.clients.configured import ClientConfig, Configuration, HookRow, JsonForm, Problem
from clew.clients.copilot.spec import SPEC

_OFF: Final = "Take `disableAllHooks` out, if hooks are to run."


class CopilotConfig(ClientConfig):
    """What differs from other clients."""

    spec = SPEC
    form = JsonForm("the client reads nothing of it", "Fix the file, or put back an older one.", comments=True)

    def problems(
        self,
        layers: Sequence[tuple[Path, Mapping[str, Any]]],
        ours: Sequence[HookRow],  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> Iterator[Problem]:
        for path, values in layers:
            if values.get("disableAllHooks") is True:
                yield Problem(f"{path} switches all hooks off (`disableAllHooks`)", _OFF)

    def judge(
        self,
        found: Configuration,
        layers: Sequence[Mapping[str, Any]],  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> Configuration:
        """It keeps sessions for ever, and no setting says when it drops its context."""
        return found


CONFIG: Final = CopilotConfig
