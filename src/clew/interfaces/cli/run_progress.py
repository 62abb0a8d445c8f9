"""What a run tells while it goes on: a board that renews itself on a terminal, lines on a pipe, JSON for programs."""

from __future__ import annotations

import sys
import time
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from clew.app.results import to_json
from clew.app.run.context import ProgressEvent, Said
from clew.app.run.summary import RunSummary
from clew.core.text.cleaning import clean, one_line, shorten
from clew.interfaces.cli.here import aside, remark
from clew.interfaces.cli.screen import is_screen

if TYPE_CHECKING:
    from rich.live import Live

_ACT_CHARS = 90
_ACT_EVERY_S = 10.0


class Progress:
    """Tells a person, or a program (`as_json`: a line each on stdout), what a run does; and asks the person."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
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
                self._line(_line(told))

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
            aside(_line(told))

    def _renew(self) -> None:
        if self._live is not None:
            rows = [_line(one) for _, one in sorted(self._acts.items())]
            self._live.update(Text("\n".join(rows)))


_MARKS = {"done": "✓", "started": "·", "planned": "·", "stopped": "✗"}


def _line(told: ProgressEvent) -> str:
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
