"""A run made ready: that there is an approved plan to carry out, whose commands are trusted, and a client to do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clew.app.plan.where import phase_named, plan_here, refused
from clew.app.ports import Ports
from clew.app.project import ProjectLocation, locate, open_project
from clew.app.project.opening import ProjectHandle
from clew.app.project.trust import command_content, project_at, trusted
from clew.app.results import JsonResult
from clew.app.run.context import Ask, Run, RunOptions, Tell, ledger_of
from clew.app.run.leases import LocalLeases
from clew.app.run.worker import LocalWorker, Worker
from clew.app.run.working import permissions
from clew.app.validate.configured import configured
from clew.core.errors import ClewError, InputError, NotAllowed
from clew.core.plan.next_actions import Limits, is_through
from clew.core.plan.phase_machine import PhaseRefusal
from clew.core.settings import Settings
from clew.core.state.ids import ulid
from clew.workspace.git import Git
from clew.workspace.repository import Repository, find, head


@dataclass(frozen=True, slots=True)
class Outside:
    """What a run is given from outside: who is told and asked, how it sleeps, a clock that does not run while the
    machine sleeps (seconds), why this may come from an agent's client ("" it does not).
    """

    tell: Tell
    ask: Ask
    sleep: Callable[[float], None]
    monotonic: Callable[[], float]
    below: str = ""


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
        leases=LocalLeases(ledger_of(location.root)),
        limits=limits_of(settings, options.jobs),
        tell=outside.tell,
        ask=outside.ask,
        sleep=outside.sleep,
        monotonic=outside.monotonic,
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
    rows, allowed = [], []
    for phase in plan.phases:
        if phase.id not in meant or (phase.status == "done" and (phase.merged or not phase.place)):
            continue
        allowed.append(permissions(run.top, phase))
        checks = tuple(dict.fromkeys((*phase.validate, *(check.name for check in configured(run.top)))))
        rows.append(
            Planned(
                phase.number,
                phase.title,
                phase.status,
                phase.tier,
                worker.model(phase, plan),
                phase.budget_tokens or run.limits.tokens,
                phase.depends,
                run.limits.jobs > 1,
                allowed[-1].edit,
                allowed[-1].commands,
                False,  # neither the web nor MCP servers are allowed to any client of a run
                (),
                checks,
                _why_not(phase.status, phase.number, untrusted),
            )
        )
    gaps = worker.gaps(run.top, allowed[0]) if allowed else ()
    return Preview(worker.client, run.branch, run.limits.jobs, run.options.reviews, run.limits, tuple(rows), gaps)


def missing_commits(run: Run) -> tuple[str, ...]:
    """Of phases that are done, those whose commit the branch has not: sentences for the person."""
    git = Git(run.repository, environment=run.ports.environment)
    done = [one for one in run.look()[0].phases if is_through(one) and one.commit]
    return tuple(
        f"phase {one.number} is done by the commit {one.commit[:10]}, which {run.branch or 'HEAD'} does not have"
        for one in done
        if not _is_held(git, one.commit)
    )


def _is_held(git: Git, commit: str) -> bool:
    try:
        return git.holds("HEAD", commit)
    except ClewError:
        return False  # git does not know it


def untrusted_checks(ports: Ports, top: Path) -> tuple[str, ...]:
    """The names of the project's commands that nobody trusted: they would not be run."""
    project = project_at(top)
    return tuple(
        check.name
        for check in configured(top)
        if not trusted(ports.trust_store, project, "command", command_content(check.table))
    )


def _why_not(status: str, number: int, untrusted: tuple[str, ...]) -> str:
    if status == "stopped":
        return f"it is stopped: `clew phase reopen {number}` lets it be started again"
    if untrusted:
        return f"nobody trusted {', '.join(untrusted)}: `clew trust`"
    return ""
