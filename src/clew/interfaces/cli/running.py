"""Carrying out a run for `clew run` and `clew worker`, and what is told of it meanwhile: a board that renews itself on
a terminal, lines on a pipe, JSON for programs.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Collection
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING

import click
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from clew import wiring
from clew.app.launching.launch import known_launcher, program_of
from clew.app.ports import Ports
from clew.app.project.location import locate
from clew.app.results import to_json
from clew.app.run.context import Outside, ProgressEvent, Run, RunOptions, Said
from clew.app.run.prepare import LocalWorker, Planned, Preview, made_ready, missing_commits, preview
from clew.app.run.runner import carried_out
from clew.app.run.summary import Board, RunSummary, board
from clew.app.worker.branches import PhaseBranches
from clew.app.worker.dispatch import Dispatch, Elsewhere
from clew.clients.launching import Launcher
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cli.here import aside, find_project, present, print_lines, remark, say_notes
from clew.interfaces.cli.options import wants_json
from clew.interfaces.cli.screen import aligned, is_screen, show_table, table_of

if TYPE_CHECKING:
    from rich.console import RenderableType

EXIT_HALTED = 6  # as `clew phase done`: a person is needed
EXIT_INTERRUPTED = 130


def carry_out(options: RunOptions, client: str, progress: Progress) -> int:
    """Run the plan here and tell what came of it; the exit code."""
    run, _ = _ready(options, client, progress)
    say_notes(missing_commits(run))
    with progress:
        found = carried_out(run)
    return _ended(run, found, progress)


def carry_out_on_workers(options: RunOptions, client: str, remote: str, progress: Progress) -> int:
    """Have workers run the plan, and merge what they did; the exit code."""
    project = find_project()
    if client:
        known_launcher(wiring.launchers(), client)
    run = made_ready(project, options, Elsewhere(), outside_of(progress))
    say_notes(missing_commits(run))
    queue = wiring.open_queue(locate(run.top).ledger, make=True)
    branches = PhaseBranches(run.ports, run.repository, remote)
    with progress:
        found = Dispatch(run, queue, branches, client).carried_out()
    return _ended(run, found, progress)


def _ended(run: Run, found: RunSummary, progress: Progress) -> int:
    say_notes(found.notes)
    progress.summary(found)
    return 0 if found.word == "done" else EXIT_INTERRUPTED if run.interrupted else EXIT_HALTED


def show_preview(options: RunOptions, client: str) -> None:
    """What a run would do."""
    present(preview(*_ready(options, client, Progress())), _show_preview)


def _ready(options: RunOptions, client: str, progress: Progress) -> tuple[Run, LocalWorker]:
    project = find_project()
    top = locate(project.folder).root
    worker = worker_of(project.ports, top, launcher_of(client, project.ports.settings(top).text("run.client")))
    return made_ready(project, options, worker, outside_of(progress)), worker


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


_EVERY_S = 1.0
_OVER = ("done", "halted", "none")


def show_board() -> None:
    """How the run stands, once."""
    present(board(find_project()), _show)


def _show(found: Board) -> None:
    print(_head(found))
    show_table(_HEADS, _rows(found), styles=_STYLES, spare=_SPARE)


def watch() -> None:
    """The same, renewed until the run is over; lines on a pipe, whenever something changed."""
    if wants_json() or not is_screen(sys.stdout):
        _follow()
        return
    console = Console(highlight=False, emoji=False, markup=False)
    found = board(find_project())
    with Live(_drawn(found, console.width), console=console, refresh_per_second=2) as live:
        while found.word not in _OVER:
            time.sleep(_EVERY_S)
            found = board(find_project())
            live.update(_drawn(found, console.width))


def _follow() -> None:
    last = ""
    while True:
        found = board(find_project())
        lines = [_head(found), *aligned(_rows(found))]
        now = to_json(found, indent=-1) if wants_json() else "\n".join(lines)
        if now != last:
            print(now, flush=True)
            last = now
        if found.word in _OVER:
            return
        time.sleep(_EVERY_S)


_HEADS = ("phase", "status", "attempt", "tokens", "cost", "title", "last")
_STYLES = ("", "cyan", "", "", "", "bold")
# The columns that a narrow terminal goes without.
_SPARE = (2, 4, 3)


def _head(found: Board) -> str:
    done = sum(one.status == "done" for one in found.phases)
    words = {
        "runs": f"is under way (process {found.process})",
        "waits": f"waits until {found.until}: {found.why}",
        "gone": "was cut off; `clew run` goes on",
        "done": "is done",
        "halted": "needs a person; `clew run --dry-run` says for what",
        "none": "was not begun; `clew run` begins it",
    }
    cost = f", {found.tokens:,} tokens" if found.tokens else ""
    cost += f", ${found.cents / 100:.2f}" if found.cents else ""
    return one_line(clean(f"{found.title}: {done} of {len(found.phases)} phases{cost}; the run {words[found.word]}"))


def _rows(found: Board) -> list[tuple[str, ...]]:
    pulses = {one.phase: one for one in found.working}
    rows: list[tuple[str, ...]] = []
    for one in found.phases:
        pulse = pulses.get(one.number)
        tokens = one.tokens + (pulse.tokens if pulse else 0)
        cents = one.cents + (pulse.cents if pulse else 0)
        last = pulse.act if pulse else one.why
        rows.append(
            (
                str(one.number),
                "working" if pulse else one.status,
                str(one.attempt or ""),
                f"{tokens:,}" if tokens else "",
                f"${cents / 100:.2f}" if cents else "",
                shorten(one_line(clean(one.title)), 40),
                one_line(clean(last)),
            )
        )
    return rows


def _drawn(found: Board, width: int) -> RenderableType:
    table = table_of(_HEADS, _rows(found), width, styles=_STYLES, spare=_SPARE)
    return Group(Text(_head(found), style="bold"), table)


_ACT_CHARS = 90
_ACT_EVERY_S = 10.0


class Progress:
    """Tells a person, or a program (`as_json`: a line each on stdout), what a run does; and asks the person."""

    def __init__(self) -> None:
        self._as_json = wants_json()
        self._lock = Lock()
        # While a person is asked, what other phases tell waits; the phases do not.
        self._asking: list[ProgressEvent] | None = None
        self._one_question = Lock()
        self._live: Live | None = None
        self._acts: dict[int, ProgressEvent] = {}
        self._acted: dict[int, float] = {}

    def __enter__(self) -> Progress:
        if not self._as_json and is_screen(sys.stderr):
            console = Console(stderr=True, highlight=False, emoji=False, markup=False)
            self._live = Live(console=console, refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def tell(self, told: ProgressEvent) -> None:
        """One thing that happened; from any thread."""
        with self._lock:
            if self._asking is not None:
                self._asking.append(told)
            elif self._as_json:
                print(to_json(told, indent=-1), flush=True)
            elif told.event == "halted":
                return  # the summary, which comes at once, tells it
            elif told.event == "act" and self._live is not None:
                self._acts[told.phase] = told
                self._renew()
            elif told.event == "act":
                self._seldom(told)
            elif not (told.event == "checks" and self._live is not None):
                self._acts.pop(told.phase, None)
                self._line(_event_line(told))

    def ask(self, number: int, title: str, diff: str) -> Said | None:
        """Show the diff of a phase, and ask the person: accepted, what is to be changed, or None: not now."""
        if self._as_json or not sys.stdin.isatty():
            return None
        with self._one_question:
            with self._lock:
                self._asking = []
                if self._live is not None:
                    self._live.stop()
            try:
                return _asked(number, title, diff)
            finally:
                with self._lock:
                    if self._live is not None:
                        self._live.start()
                    meanwhile, self._asking = self._asking, None
                for told in meanwhile:
                    self.tell(told)

    def summary(self, found: RunSummary) -> None:
        """What came of it, on stdout."""
        if self._as_json:
            print(to_json(found, indent=-1))
            return
        halted = {number for number, _, _ in found.halts}
        for row in found.phases:
            why = f": {row.why}" if row.why else ""
            cost = f" ({row.tokens:,} tokens)" if row.tokens else ""
            mark = "·" if row.status == "done" and row.number in halted else _MARKS[row.status]
            print(one_line(clean(f"{mark} Phase {row.number} {row.status}: {row.title}{why}{cost}")))
        for number, why, _ in found.halts:
            if not number:
                print(one_line(clean(f"Ended: {why}")))
        for step in dict.fromkeys(step for _, _, step in found.halts if step):
            remark(f"next: {step}")
        if found.handoff:
            aside(f"Handed over in {found.handoff}.")
        print("DONE" if found.word == "done" else "HALTED")

    def _line(self, line: str) -> None:
        if self._live is not None:
            self._live.console.print(line)
            self._renew()
        else:
            aside(line)

    def _seldom(self, told: ProgressEvent) -> None:
        """What a client does, on a pipe: a line now and then."""
        now = time.monotonic()
        if now - self._acted.get(told.phase, 0.0) > _ACT_EVERY_S:
            self._acted[told.phase] = now
            aside(_event_line(told))

    def _renew(self) -> None:
        if self._live is not None:
            rows = [_event_line(one) for _, one in sorted(self._acts.items())]
            self._live.update(Text("\n".join(rows)))


_MARKS = {"done": "✓", "started": "·", "planned": "·", "stopped": "✗"}


def _event_line(told: ProgressEvent) -> str:
    where = f"phase {told.phase}" if told.phase else "run"
    cost = f"  {told.tokens:,} tokens" if told.tokens else ""
    cost += f", ${told.cents / 100:.2f}" if told.cents else ""
    clock = told.time[11:19]
    return f"{clock} {where}: {_WORDS.get(told.event, '')}{shorten(told.text, _ACT_CHARS * 3)}{cost}"


_WORDS = {
    "phase": "begins: ", "done": "is done: ", "stopped": "is stopped: ", "merged": "is merged ", "waits": "waits ",
    "recovered": "recovered: ",
}  # fmt: skip


def _asked(number: int, title: str, diff: str) -> Said | None:
    text = "\n".join([f"Phase {number}: {one_line(clean(title))}", "", *map(clean, diff.split("\n"))])
    click.echo_via_pager(text)
    while True:
        said = click.prompt(
            f"Phase {number}: [a]ccept, [s]how again, [q] end the run here, or say what is to be changed",
            default="", show_default=False, err=True,
        ).strip()  # fmt: skip
        if said.lower() in ("a", "accept", "y", "yes"):
            return ("accepted", "")
        if said.lower() in ("q", "quit"):
            return None
        if said.lower() in ("s", "show"):
            click.echo_via_pager(text)
        elif said:
            return ("changes", said)
