"""`clew phase`: begin a phase of the plan, see what changed, end it."""

from __future__ import annotations

import click

from clew.app.phase.lifecycle import PhaseOutcome, phase_diff, phase_done, phase_reopen, phase_start, phase_stop
from clew.core.settings.table import TOKENS_MOST
from clew.core.text.cleaning import clean
from clew.interfaces.cli.group import CliCommand, Group
from clew.interfaces.cli.here import aside, find_project, present, print_lines, say_notes
from clew.interfaces.cli.options import TokenOption, json_option
from clew.interfaces.cli.validate import told
from clew.interfaces.cli.waiting import Waiting

# As `clew validate`: never 2 (clients read it as "block") and not 1 (an error).
EXIT_STOPPED = 6


command = Group(
    "phase",
    help="""The phases of the plan that is bound here (`clew plan show`). N is a phase's number or id; without it, the
    current one.

A phase is done only when its commands passed on the files as they are. A failure may be fixed once, giving its cause;
the second one stops the phase, and a person decides.
""",
)


@command.command("start")
@click.argument("phase", metavar="[N]", required=False, default="")
@click.option(
    "--budget",
    type=TokenOption(0, TOKENS_MOST),
    metavar="TOKENS",
    default=0,
    help="Token budget (80k), also for the current phase; only a person raises it.",
)
@click.option("--no-baseline", is_flag=True, help="Do not run the commands now (to learn what already fails).")
@json_option()
def start(phase: str, budget: int, no_baseline: bool) -> None:
    """Start a phase, or continue the current one with another budget."""
    with Waiting("Beginning the phase") as waiting:
        moved = phase_start(find_project(), phase, budget=budget, with_baseline=not no_baseline, progress=waiting.at)
    say_notes(moved.notes)
    present(moved, _tell_start)


def _tell_start(moved: PhaseOutcome) -> None:
    budgeted = f", {moved.phase.budget_tokens:,} tokens" if moved.phase.budget_tokens else ""
    phase = moved.phase
    lines = [f"Phase {phase.number} is under way: {phase.title} (attempt {phase.attempt}{budgeted})"]
    if moved.validation is not None:
        failing = [one.name for one in moved.validation.results if one.status in ("failed", "timed-out")]
        said = f"fails already: {', '.join(failing)}" if failing else moved.validation.word
        lines.append(f"Before any work: {said}{_because(moved)}")
    print_lines([*lines, *(f"  [{'x' if step.ticked else ' '}] {step.text}" for step in phase.steps)])
    aside(f'Then: clew phase done {moved.phase.number} --outcome "…"')


@command.command("diff")
@click.argument("phase", metavar="[N]", required=False, default="")
@click.option("--stat", is_flag=True, help="Show only the files, and how much of each changed.")
def diff(phase: str, stat: bool) -> None:
    """Show all changes since the phase began, including untracked files."""
    text = phase_diff(find_project(), phase, stat=stat)
    print("\n".join(clean(line) for line in text.rstrip("\n").split("\n")) if text.strip() else "Nothing changed.")


@command.command("done")
@click.argument("phase", metavar="[N]", required=False, default="")
@click.option(
    "-o", "--outcome", metavar="TEXT", default="", help="What it did, in one line; later sessions are given that."
)
@click.option("--cause", metavar="TEXT", default="", help="After a failure: why it failed, and what you changed.")
@click.option("--commit", "commits", is_flag=True, help="Commit what changed since it began.")
@click.option("--accept-weakened", "accepts", is_flag=True, help="Accept weakened checks (a person).")
@json_option()
def done(phase: str, outcome: str, cause: str, commits: bool, accepts: bool) -> None:
    """Finish a phase: run its commands and the project's, look for weakened checks, create a checkpoint.

    The last line and the exit code are those of `clew validate`; a phase that failed twice ends with STOPPED (6).
    """
    with Waiting("Running the checks") as waiting:
        moved = phase_done(
            find_project(), phase, outcome=outcome, cause=cause, commits=commits, accepts=accepts, progress=waiting.at
        )
    say_notes(moved.notes)
    present(moved, lambda _: print_lines(_done(moved)))
    if moved.asks:
        aside(moved.asks)
    stopped = moved.phase.status == "stopped"
    code = 0 if moved.done else EXIT_STOPPED if stopped else moved.validation.exit_code if moved.validation else 1
    raise SystemExit(code)


@command.command("stop")
@click.argument("phase", metavar="[N]", required=False, default="")
@click.option("--cause", metavar="TEXT", required=True, help="Why it cannot be done this way.")
@json_option()
def stop(phase: str, cause: str) -> None:
    """Stop a phase: the cause becomes a failed approach and a blocker."""
    _tell(phase_stop(find_project(), phase, cause=cause), "is stopped")


@command.command("reopen", cls=CliCommand)
@click.argument("phase", metavar="N")
@click.option("--why", metavar="TEXT", default="", help="Why it is reopened.")
@click.option("--budget", type=TokenOption(0, TOKENS_MOST), metavar="TOKENS", default=0, help="Its token budget.")
@json_option()
def reopen(phase: str, why: str, budget: int) -> None:
    """Reopen a finished phase; only a person reopens one that was stopped."""
    _tell(phase_reopen(find_project(), phase, reason=why, budget=budget), "can be started again")


def _tell(moved: PhaseOutcome, what: str) -> None:
    say_notes(moved.notes)
    present(moved, lambda _: print_lines([f"Phase {moved.phase.number} {what}: {moved.phase.title}"]))
    if moved.asks:
        aside(moved.asks)


def _done(moved: PhaseOutcome) -> list[str]:
    """What became of a claim; the last line is for programs."""
    assert moved.validation is not None
    lines = told(moved.validation)
    lines, last = lines[:-1], lines[-1]
    lines += [f"Ticked: {one}" for one in moved.ticked]
    phase = moved.phase
    if moved.done:
        spent = f", {moved.spent_tokens:,} tokens" if moved.spent_tokens else ""
        made = f", commit {moved.commit[:10]}" if moved.commit else ""
        lines.append(f"Phase {phase.number} is done: {phase.outcome}{made}, checkpoint {moved.checkpoint}{spent}")
        if moved.next is not None:
            lines.append(f"Next is phase {moved.next.number}: {moved.next.title}. Start it in a fresh context.")
        return [*lines, "VALIDATION_OK"]
    if phase.status == "stopped":
        lines.append(
            f"Phase {phase.number} failed twice and is stopped; cause and failure are kept for the next session."
        )
        lines.append("Do not go on with it: say what you found out. A person decides (`clew phase reopen`).")
        return [*lines, "STOPPED"]
    if phase.failed_claims:
        lines.append("One retry: find the cause, fix it with the smallest change, and run")
        lines.append(f'  clew phase done {phase.number} --outcome "…" --cause "why it failed, and what you changed"')
    return [*lines, last]


def _because(moved: PhaseOutcome) -> str:
    reason = moved.validation.reason if moved.validation is not None else ""
    return f" ({reason})" if reason else ""
