"""A user with Claude Code who ran `clew init` in a project: for stories about what the doctor finds."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from clew import wiring
from clew.app.health.doctor import Examination, doctor
from clew.app.health.finding import HealthFinding
from clew.app.install.entries import Machine
from clew.app.install.setup import Choices, set_up
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.runtime_dirs import live_at
from clew.clients.claude_code.settings import ClaudeCodeConfig
from clew.clients.configured import ClientConfig, Configuration
from clew.clients.registry import CLIENTS
from tests.app.worlds import project
from tests.workspace.repos import Repo


class Clinic:
    """`init`: whether hooks were put in and this project opted in."""

    def __init__(self, folder: Path, *, init: bool = True) -> None:
        self.home = folder / "home"
        (self.home / ".claude").mkdir(parents=True)
        self.repo: Repo = project(folder / "tide", src__a_py="a = 1\n")
        self.top = self.repo.top.resolve()
        self.environment: Mapping[str, str] = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.home)}
        self.client: ClientConfig = ClaudeCodeConfig(self.home / ".claude")
        self.settings = self.home / ".claude" / "settings.json"
        if init:
            self.init()

    @property
    def ports(self) -> Ports:
        return wiring.ports(self.environment)

    @property
    def machine(self) -> Machine:
        return wiring.machine(self.environment)._replace(temporary=())

    @property
    def live(self) -> Path:
        """The live folder of the project."""
        found = live_at(self.machine.data, self.top)
        assert found is not None
        return found

    def init(self) -> None:
        """What `clew init` does."""
        installers = wiring.installers(self.environment)
        set_up(ProjectHandle(self.ports, self.top), self.machine, installers, Choices(), find_program=without_clients)

    def configuration(self) -> Configuration:
        """What the client's settings say now."""
        return self.client.read([(self.settings, self.settings.read_bytes())], {})

    def doctor(self) -> Examination:
        """All that the doctor finds."""
        return doctor(ProjectHandle(self.ports, self.top), self.machine, [self.client], find_program=shutil.which)


def without_clients(name: str) -> str | None:
    """Where a program is; a client of this machine's user is none of the story."""
    return None if name in {"claude", *CLIENTS} else shutil.which(name)


def of(findings: Sequence[HealthFinding], check: str) -> HealthFinding:
    """The one finding of a check."""
    [found] = [one for one in findings if one.check == check]
    return found


def bad(findings: Sequence[HealthFinding]) -> dict[str, str]:
    """What is not as it should be: level by check."""
    return {one.check: one.level for one in findings if one.level in ("warn", "wrong")}
