"""`clew run`: have the plan's phases carried out by a headless client."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Collection
from pathlib import Path

import click

from clew import wiring
from clew.app.launching.launch import known_launcher, program_of
from clew.app.ports import Ports
from clew.app.project import locate
from clew.app.run.context import Outside, Run, RunOptions
from clew.app.run.prepare import LocalWorker, Planned, Preview, made_ready, missing_commits, preview
from clew.app.run.runner import carried_out
from clew.app.run.summary import RunSummary
from clew.clients.launching import Launcher
from clew.clients.registry import CLIENTS
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, find_project, present, print_lines, say_notes
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.run_board import show, watched
from clew.interfaces.cli.run_progress import Progress

EXIT_HALTED = 6  # as `clew phase done`: a person is needed


@click.command("run", cls=CliCommand)
@click.option("--phase", "only", metavar="N", multiple=True, help="Only this phase (repeatable).")
@click.option(
    "--jobs",
    metavar="K",
    type=click.IntRange(1, 16),
    default=1,
    help="How many phases to run in parallel, each in its own work tree.",
)
@click.option("--client", metavar="CLIENT", default="", help=f"Who works: {', '.join(CLIENTS)}.")
@click.option("--review", "reviews", is_flag=True, help="Stop at each diff: accept it, or say what to change.")
@click.option("--no-baseline", is_flag=True, help="Do not run the commands when a phase begins.")
@click.option("--on-workers", is_flag=True, help="Have `clew worker` on any machines do it; merge what they did.")
@click.option("--remote", metavar="NAME", default="origin", help="By which code gets to workers and back (origin).")
@click.option("--dry-run", is_flag=True, help="Show what would be done, with which model, permissions and budget.")
@click.option("--watch", is_flag=True, help="Watch the current run, from this or another terminal.")
@click.option("--status", "tells", is_flag=True, help="Show the state of the run.")
@json_option()
def command(
    only: tuple[str, ...],
    jobs: int,
    client: str,
    reviews: bool,
    no_baseline: bool,
    on_workers: bool,
    remote: str,
    dry_run: bool,
    watch: bool,
    tells: bool,
    as_json: bool,
) -> None:
    """Carry out the approved plan phase by phase, each in a fresh context with its own prompt, budget and permissions.
    A phase is checked, retried once with its first failure, and committed before the next one starts. If it is killed,
    run `clew run` again to continue.

    Nothing is pushed, but for branches `clew/phase/…` with --on-workers. Exits with 0 when all is done, and with HALTED
    (6) when it needs a person; it says what for.
    """
    if watch or tells:
        if dry_run or only or reviews:
            raise click.UsageError("--watch and --status look at a run; they go with --json alone")
        show(as_json=as_json) if tells else watched(as_json=as_json)
        return
    progress = Progress(as_json=as_json)
    options = RunOptions(only, jobs, reviews, not no_baseline)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what is under way is ended and recorded
    if on_workers:
        if dry_run or reviews or jobs > 1:
            raise click.UsageError("--on-workers goes with --phase, --client, --remote and --json alone")
        run, found = _on_workers(options, client, remote, progress)
    else:
        run, worker = _ready(options, client, progress)
        if dry_run:
            present(preview(run, worker), as_json, _show_preview)
            return
        say_notes(missing_commits(run))
        with progress:
            found = carried_out(run)
    say_notes(found.notes)
    progress.summary(found)
    if found.word != "done":
        raise SystemExit(130 if run.interrupted else EXIT_HALTED)


def _ready(options: RunOptions, client: str, progress: Progress) -> tuple[Run, LocalWorker]:
    project = find_project()
    top = locate(project.folder).root
    worker = worker_of(project.ports, top, launcher_of(client, project.ports.settings(top).text("run.client")))
    return made_ready(project, options, worker, outside_of(progress)), worker


def _on_workers(options: RunOptions, client: str, remote: str, progress: Progress) -> tuple[Run, RunSummary]:
    from clew.app.worker.branches import PhaseBranches
    from clew.app.worker.dispatch import Dispatch, Elsewhere

    project = find_project()
    if client:
        known_launcher(wiring.launchers(), client)
    run = made_ready(project, options, Elsewhere(), outside_of(progress))
    say_notes(missing_commits(run))
    queue = wiring.open_queue(locate(run.top).ledger, make=True)
    branches = PhaseBranches(run.ports, run.repository, remote)
    with progress:
        return run, Dispatch(run, queue, branches, client).carried_out()


def outside_of(progress: Progress) -> Outside:
    """What a run is given of this process."""
    return Outside(progress.tell, progress.ask, time.sleep, time.monotonic, wiring.below_client())


def worker_of(ports: Ports, top: Path, launcher: Launcher) -> LocalWorker:
    """The client of `launcher`, as it works on this machine."""
    configured = next(one for one in wiring.configurations() if one.name == launcher.client)
    return LocalWorker(ports, top, wiring.machine(), launcher, configured, shutil.which)


def launcher_of(named: str, setting: str) -> Launcher:
    """The client that is named, else that of the setting, else the first that is installed."""
    launchers = wiring.launchers()
    name = named or (setting if setting != "auto" else "")
    if name:
        found = known_launcher(launchers, name)
    else:
        able = [one for one in launchers.values() if one.command]
        found = next((one for one in able if shutil.which(one.program)), able[0])
    program_of(found, shutil.which)  # nothing is begun that cannot be done
    return found


def _show_preview(found: Preview) -> None:
    print_lines(_preview_lines(found))
    aside("Nothing was done: it is a dry run.")


def _preview_lines(found: Preview) -> list[str]:
    limits = found.limits
    bounds = [f"{limits.seconds // 60} minutes" if limits.seconds else "", f"{limits.contexts} contexts"]
    bounds += [f"{limits.cents / 100:.2f} US dollars" if limits.cents else ""]
    where = "each in a work tree of its own" if found.jobs > 1 else "in this work tree"
    review = "; a person looks through each diff" if found.review else ""
    lines = [
        f"{found.client} on {found.branch or 'no branch'}: {len(found.phases)} phases, {found.jobs} at a time, {where}",
        f"Each phase: at most {', '.join(filter(None, bounds))}{review}",
    ]
    shared = (
        [one for one in found.phases[0].commands if all(one in each.commands for each in found.phases)]
        if found.phases
        else []
    )
    if shared:
        lines.append(f"Each may run {', '.join(shared)}")
    for one in found.phases:
        lines += _phase_lines(one, shared)
    lines += [f"Note: {one}." for one in found.notes]
    lines.append("All else is denied. Nothing is pushed.")
    return lines


def _phase_lines(one: Planned, shared: Collection[str]) -> list[str]:
    budget = f"{one.budget_tokens:,} tokens" if one.budget_tokens else "no budget"
    after = f", after {', '.join(map(str, one.after))}" if one.after else ""
    tier = f" (tier {one.tier})" if one.tier else ""
    may = ["change files here" if one.edit else "read only"]
    own = [command for command in one.commands if command not in shared]
    may += [f"run {', '.join(own)}"] if own else []
    lines = [
        f"Phase {one.number} ({one.status}{after}): {one.title}",
        f"  model: {one.model or 'its own'}{tier}; {budget}",
        f"  may: {'; '.join(may)}",
        f"  proved by: {', '.join(one.checks) or 'nothing: it cannot be done'}",
    ]
    return [*lines, f"  before: {one.before}"] if one.before else lines
