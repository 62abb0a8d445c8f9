"""A run made ready: an approved plan to carry out, whose commands are trusted, and the client that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from clew.app.cost.spent import Spend, spent
from clew.app.install.entries import Machine
from clew.app.launching.launch import hooks_bring
from clew.app.launching.worker import JobResult, work
from clew.app.phase.route import route_of
from clew.app.plan.where import phase_named, plan_here, refused
from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation, locate
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.trust import command_content, project_at, trusted
from clew.app.results import JsonResult
from clew.app.run.context import Outside, Run, RunOptions, Worker
from clew.app.run.leases import Pulse
from clew.app.run.working import permissions
from clew.app.validate.configured import configured
from clew.clients.configured import ClientConfig
from clew.clients.launching import Began, Called, Happening, Job, Launcher, Permissions, Spoke, Used
from clew.core.errors import ClewError, InputError, NotAllowed
from clew.core.plan.next_actions import Limits, is_through
from clew.core.plan.phase_machine import PhaseRefusal
from clew.core.plan.plan import Phase, Plan
from clew.core.settings import Settings
from clew.core.state.events import timestamp
from clew.core.state.ids import ulid
from clew.core.text.cleaning import one_line, shorten
from clew.workspace.git import Git
from clew.workspace.repository import Repository, find, head

_ACT_CHARS: Final = 120
_MEASURE_MS: Final = 4_000


class Planned(JsonResult, frozen=True):
    """What would be done for one phase. `model` "" is the client's own. `budget_tokens` 0: none. `before`: what a
    person has to do before, "" nothing.
    """

    number: int
    title: str
    status: str
    tier: str
    model: str
    budget_tokens: int
    after: tuple[int, ...]
    apart: bool
    edit: bool
    commands: tuple[str, ...]
    network: bool
    servers: tuple[str, ...]
    checks: tuple[str, ...]
    before: str


class Preview(JsonResult, frozen=True):
    """What a run would do. `notes` are what the client cannot be kept to; `limits` hold for each phase."""

    client: str
    branch: str
    jobs: int
    review: bool
    limits: Limits
    phases: tuple[Planned, ...]
    notes: tuple[str, ...]


def checked_place(project: ProjectHandle, outside: Outside) -> tuple[ProjectLocation, Repository]:
    """Where clients are to work. Raises `InputError` and `NotAllowed` where nobody may have them do so."""
    location = locate(project.folder)
    repository = find(location.root)
    if repository is None:
        raise InputError(
            "a run commits what each phase did, and this folder is in no git repository",
            code="E-no-repository",
            hint="Run `git init`, commit what is there, and begin the run again.",
        )
    if outside.below:
        raise NotAllowed(
            f"a run starts clients that work with nobody at them; it is not started for an agent: {outside.below}",
            code="E-run-agent",
            hint="A person, or a schedule of theirs, starts it: `clew run`.",
        )
    return location, repository


def made_ready(project: ProjectHandle, options: RunOptions, worker: Worker, outside: Outside) -> Run:
    """A run of the plan that is bound at `folder`. Raises `InputError` and `NotAllowed`: it may not be begun."""
    location, repository = checked_place(project, outside)
    with open_project(project.ports, location.root, write=False) as at:
        task, plan = plan_here(at)
        if plan.mode != "approved":
            raise refused(PhaseRefusal("unapproved", "the plan is not one that a person approved as it is"))
        for word in options.only:
            phase_named(plan, word)
    settings = project.ports.settings(location.root)
    at_head = head(repository)
    untrusted = untrusted_checks(project.ports, location.root)
    return Run(
        ports=project.ports._replace(task=task),
        top=location.root,
        task=task,
        identity=ulid(project.ports.now_ms(), project.ports.chance(10)),
        worker=worker,
        limits=limits_of(settings, options.jobs),
        outside=outside,
        options=options,
        branch=at_head.branch if at_head else "",
        context_tokens=settings.number("run.context_tokens"),
        retry_s=settings.number("run.retry_s"),
        barred=f"nobody trusted {', '.join(untrusted)}, so nothing can be proved: `clew trust`" if untrusted else "",
    )


def limits_of(settings: Settings, jobs: int) -> Limits:
    """What the settings allow each phase of a run."""
    return Limits(
        jobs,
        settings.number("run.contexts"),
        settings.number("run.phase_minutes") * 60,
        settings.number("budget.phase_cents"),
        settings.number("budget.phase_tokens"),
    )


def preview(run: Run, worker: LocalWorker) -> Preview:
    """What the run would do, without doing anything."""
    plan, _ = run.look()
    meant = {phase_named(plan, word).id for word in run.options.only} or {one.id for one in plan.phases}
    untrusted = untrusted_checks(run.ports, run.top)
    rows = [
        _planned(run, worker, plan, one, untrusted) for one in plan.phases if one.id in meant and not is_through(one)
    ]
    gaps = worker.gaps(run.top, Permissions(edit=rows[0].edit, commands=rows[0].commands)) if rows else ()
    return Preview(worker.client, run.branch, run.limits.jobs, run.options.reviews, run.limits, tuple(rows), gaps)


def _planned(run: Run, worker: LocalWorker, plan: Plan, phase: Phase, untrusted: tuple[str, ...]) -> Planned:
    allowed = permissions(run.top, phase)
    before = f"nobody trusted {', '.join(untrusted)}: `clew trust`" if untrusted else ""
    if phase.status == "stopped":
        before = f"it is stopped: `clew phase reopen {phase.number}` lets it be started again"
    return Planned.of(
        phase,
        model=worker.model(phase, plan),
        budget_tokens=phase.budget_tokens or run.limits.tokens,
        after=phase.depends,
        apart=run.limits.jobs > 1,
        edit=allowed.edit,
        commands=allowed.commands,
        network=False,  # neither the web nor MCP servers are allowed to any client of a run
        servers=(),
        checks=tuple(dict.fromkeys((*phase.validate, *(check.name for check in configured(run.top))))),
        before=before,
    )


def missing_commits(run: Run) -> tuple[str, ...]:
    """Of phases that are done, those whose commit the branch has not: sentences for the person."""
    git = Git(run.repository, environment=run.ports.environment)
    missing = []
    for one in run.look()[0].phases:
        try:
            is_held = not (is_through(one) and one.commit) or git.holds("HEAD", one.commit)
        except ClewError:
            is_held = False  # git does not know it
        if not is_held:
            commit, branch = one.commit[:10], run.branch or "HEAD"
            missing.append(f"phase {one.number} is done by the commit {commit}, which {branch} does not have")
    return tuple(missing)


def untrusted_checks(ports: Ports, top: Path) -> tuple[str, ...]:
    """The names of the project's commands that nobody trusted: they would not be run."""
    project = project_at(top)
    return tuple(
        check.name
        for check in configured(top)
        if not trusted(ports.trust_store, project, "command", command_content(check.table))
    )


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
