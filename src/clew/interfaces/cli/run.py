"""`clew run`: have the plan's phases carried out by a headless client."""

from __future__ import annotations

import signal

import click

from clew.clients.registry import CLIENTS
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.options import json_option


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
@click.option("--remote", metavar="NAME", default="origin", help="By which code gets to workers and back.")
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
) -> None:
    """Carry out the approved plan phase by phase, each in a fresh context with its own prompt, budget and permissions.
    A phase is checked, retried once with its first failure, and committed before the next one starts. If it is killed,
    run `clew run` again to continue.

    Nothing is pushed, but for branches `clew/phase/…` with --on-workers. Exits with 0 when all is done, and with HALTED
    (6) when it needs a person; it says what for.
    """
    if (watch or tells) and (dry_run or only or reviews):
        raise click.UsageError("--watch and --status look at a run; they go with --json alone")
    if on_workers and (dry_run or reviews or jobs > 1):
        raise click.UsageError("--on-workers goes with --phase, --client, --remote and --json alone")
    # Here: a run needs a third of clew, and its help none of that.
    from clew.app.run.context import RunOptions
    from clew.interfaces.cli import running

    if tells:
        running.show_board()
        return
    if watch:
        running.watch()
        return
    options = RunOptions(only, jobs, reviews, not no_baseline)
    if dry_run:
        running.show_preview(options, client)
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what is under way is ended and recorded
    progress = running.Progress()
    if on_workers:
        code = running.carry_out_on_workers(options, client, remote, progress)
    else:
        code = running.carry_out(options, client, progress)
    if code:
        raise SystemExit(code)
