"""A client of this machine at work for a run: what `app/launching/worker.py` does, in a run's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from clew.app.cost.spent import Spend, spent
from clew.app.install.entries import Machine
from clew.app.launching.launch import hooks_bring
from clew.app.launching.worker import JobResult, work
from clew.app.phase.route import route_of
from clew.app.ports import Ports
from clew.app.project import locate
from clew.app.project.opening import ProjectHandle
from clew.app.run.leases import Pulse
from clew.clients.configured import ClientConfig
from clew.clients.launching import Began, Called, Happening, Job, Launcher, Permissions, Spoke, Used
from clew.core.errors import ClewError
from clew.core.plan.plan import Phase, Plan
from clew.core.state.events import timestamp
from clew.core.text.cleaning import one_line, shorten

_ACT_CHARS: Final = 120
_MEASURE_MS: Final = 4_000


class Worker(Protocol):
    """Has one client of one family work to its end."""

    @property
    def client(self) -> str:
        """The name of the client's family."""
        ...

    def model(self, phase: Phase, plan: Plan) -> str:
        """The model for a phase, "" the client's own."""
        ...

    def brings_payload(self, folder: Path) -> bool:
        """Whether hooks of ours bring the payload there, so that the prompt needs none."""
        ...

    def __call__(
        self, job: Job, *, began: Callable[[int, str], None], seen: Callable[[Pulse], None], until: Callable[[], str]
    ) -> JobResult:
        """Have it work. `began` is told its process, and the word of its start, before it is given anything to do;
        `seen` what it does; `until` is asked often, and ends it by giving a reason.
        """
        ...


@dataclass(frozen=True, slots=True)
class LocalWorker:
    """`Worker` of this machine: the client of `launcher`."""

    ports: Ports
    top: Path
    machine: Machine
    launcher: Launcher
    configured: ClientConfig
    find_program: Callable[[str], str | None]

    @property
    def client(self) -> str:
        return self.launcher.client

    def model(self, phase: Phase, plan: Plan) -> str:
        return route_of(self.ports.settings(self.top), phase, self.client, plan).model

    def brings_payload(self, folder: Path) -> bool:
        settings = self.ports.settings(locate(folder).root)
        return settings.on("inject.on") and hooks_bring(
            ProjectHandle(self.ports, folder), self.machine, self.configured
        )

    def gaps(self, folder: Path, allow: Permissions) -> tuple[str, ...]:
        """What of the permissions the client cannot be kept to: clauses for people."""
        return self.launcher.gaps(Job("", str(folder), allow=allow))

    def __call__(
        self, job: Job, *, began: Callable[[int, str], None], seen: Callable[[Pulse], None], until: Callable[[], str]
    ) -> JobResult:
        watch = _Seeing(self.ports, seen)
        done = work(
            self.ports, self.launcher, job, on=watch.happened, until=until, on_started=began,
            find_program=self.find_program,
        )  # fmt: skip
        tokens, cents = watch.measured(done.session)
        return replace(done, tokens=tokens or done.tokens, cost_usd=max(cents / 100, done.cost_usd))


class _Seeing:
    """What a client does, as pulses; what it costs is read off its own record, every few seconds."""

    def __init__(self, ports: Ports, seen: Callable[[Pulse], None]) -> None:
        self._ports, self._seen = ports, seen
        self._pulse = Pulse()
        self._session = ""
        self._since_ms = self._measured_ms = ports.now_ms()

    def happened(self, one: Happening) -> None:
        act = ""
        match one:
            case Began(session):
                self._session = session
            case Called(tool, target):
                act = f"{tool} {one_line(target)}".strip()
            case Spoke(text):
                act = one_line(text)
            case Used(context):
                self._pulse = self._pulse._replace(context=context or self._pulse.context)
            case _:
                return
        if self._ports.now_ms() - self._measured_ms > _MEASURE_MS:
            self.measured(self._session)
        self._seen(self._pulse._replace(act=shorten(act, _ACT_CHARS) or self._pulse.act))

    def measured(self, session: str) -> tuple[int, int]:
        """Tokens and cents since it began, by the client's record; as they were where that cannot be read."""
        try:
            found = spent(self._ports, {session}, timestamp(self._since_ms)) if session else Spend()
        except ClewError:
            found = Spend()
        self._measured_ms = self._ports.now_ms()
        tokens, cents = max(found.fresh, self._pulse.tokens), max(round(found.cents), self._pulse.cents)
        self._pulse = self._pulse._replace(tokens=tokens, cents=cents)
        return tokens, cents
