"""`clew worker`: a machine that carries out phases of plans that others run."""

from __future__ import annotations

import platform
import shutil
import signal
from typing import TYPE_CHECKING

import click

from clew import wiring
from clew.app.project.location import locate
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import aside, find_project, present
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.screen import show_table

if TYPE_CHECKING:
    from clew.app.worker.dispatch import JobRow, WorkerBoard

# The queue is asked so often within a lease, and at least every second.
_LOOKS = 20


@click.command("worker", cls=CliCommand)
@click.option("--tags", metavar="TAG,…", default="", help="What this machine has: phases with other `tags:` are left.")
@click.option("--jobs", metavar="K", type=click.IntRange(1, 16), default=1, help="How many phases at a time.")
@click.option("--client", metavar="CLIENT", default="", help="Who works where a run names no client.")
@click.option("--remote", metavar="NAME", default="origin", help="By which code comes and goes.")
@click.option("--name", metavar="NAME", default="", help="What others see (default: USER@HOST).")
@click.option(
    "--lease", "lease_s", metavar="S", type=click.IntRange(1, 3600), default=60,
    help="Seconds without a sign of life after which another worker takes a phase over.",
)  # fmt: skip
@click.option("--no-baseline", is_flag=True, help="Do not run the commands when a phase begins.")
@click.option("--status", "tells", is_flag=True, help="Show who works on what of this plan.")
@json_option()
def command(
    tags: str, jobs: int, client: str, remote: str, name: str, lease_s: int, no_baseline: bool, tells: bool
) -> None:
    """Carry out phases that `clew run --on-workers`, anywhere, has put into the queue of the team's ledger. Each is
    checked and committed here, and pushed as a branch `clew/phase/…`; nothing else is pushed.

    Ctrl-C ends what is under way and then the worker; a second one gives it back, for another worker.
    """
    # Here: a worker needs a third of clew, and its help none of that.
    from clew.app.worker.dispatch import worker_board
    from clew.app.worker.worker import WorkerOptions, ready_worker
    from clew.interfaces.cli.running import Progress, launcher_of, outside_of, worker_of

    project = find_project()
    ports, location = project.ports, locate(project.folder)
    if tells:
        present(worker_board(project, wiring.open_queue(location.ledger)), _show)
        return
    first = launcher_of(client, ports.settings(location.root).text("run.client"))
    able = [one for one in wiring.launchers().values() if one.command and shutil.which(one.program)]
    clients = {one.client: worker_of(ports, location.root, one) for one in (first, *able)}
    who = f"{ports.actor or 'somebody'}@{platform.node()}"
    had = tuple(one for one in tags.lower().replace(",", " ").split() if one)
    options = WorkerOptions(
        name or who, clients, had, jobs, remote, lease_s, min(1.0, lease_s / _LOOKS), not no_baseline
    )
    with Progress() as progress:
        worker = ready_worker(
            project, options, lambda: wiring.open_queue(location.ledger, make=True), outside_of(progress)
        )

        def end(*_: object) -> None:
            worker.ending = True  # a service that is stopped has little time: as Ctrl-C twice
            raise KeyboardInterrupt

        signal.signal(signal.SIGTERM, end)
        has = f" ({', '.join(had)})" if had else ""
        aside(f"{options.name}{has} waits for phases; Ctrl-C ends it.")
        worker.serve()


def _show(found: WorkerBoard) -> None:
    if not found.jobs:
        print("No phase of this plan is in the queue.")
        return
    show_table(_HEADS, [_row(one) for one in found.jobs], spare=(4, 3))


_HEADS = ("Phase", "Title", "State", "Taken", "Said last")


def _row(one: JobRow) -> tuple[str, ...]:
    state = f"{one.state}: {one.worker}" if one.worker else one.state
    if one.state == "waiting":
        state += f" until {one.until}" if one.until else ""
        state += f" ({', '.join(one.tags)})" if one.tags else ""
    return (str(one.phase), one.title, state, f"{one.attempts} times" if one.attempts != 1 else "once", one.why)
