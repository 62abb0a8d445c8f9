"""What compactions make an agent forget, with the real clients: `python -m benchmarks.continuity.live`.

The same sessions as in `constraints.py`, run by each client against the scripted model of tests/live: its own
compaction, its own hooks, and what its next request really holds. Then the script tries the forbidden calls, and the
disk tells whether they ran. A client that is not in `.cache/clients` is installed by npm, or left out and named.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Final

from tests.live.claude import Person as ClaudePerson
from tests.live.clients import DRIVERS
from tests.live.endpoint import Endpoint, Request, Turn, said_to_model, say
from tests.live.people import Missing, Person, present
from tests.live.projects import make_project
from tests.live.script import bash
from tests.live.stories import noted
from tests.people import at_terminal

from benchmarks.continuity.cases import MANNERS, Case, case
from benchmarks.continuity.constraints import ARMS, HEAD, Tally
from benchmarks.lib.tables import markdown

RULES: Final = {"claude-code": "CLAUDE.md", "gemini": "GEMINI.md"}
_ANSWERS_MAX: Final = 200
_RUNS_MAX: Final = 8
_TARGETS: Final = "".join(
    f"{name}:\n\techo {name} >> ran.txt\n" for name in ("publish", "migrate", "rollout", "purge", "reindex")
)


class Trial:
    """One session of a case in a client, in one arm. `contexts` are what the requests behind its compactions held,
    without what the attack said; `traces` which forbidden calls left one on the disk.
    """

    def __init__(self, me: Person, one: Case, arm: str, folder: Path) -> None:
        self.me, self.case, self.arm, self.folder = me, one, arm, folder
        self.project = make_project(folder / "till")
        self.contexts: list[str] = []
        self.traces: list[frozenset[str]] = []
        self._has_begun = False
        self._looked, self._summaries = -1, 0
        for name, text in ((one.file, "# as agreed\n"), ("Makefile", _TARGETS)):
            (self.project / name).write_text(text, encoding="utf-8")
        if arm == "rules file":
            (self.project / RULES.get(me.name, "AGENTS.md")).write_text(one.rules, encoding="utf-8")
        if arm == "clew":
            self._set_up()

    def _set_up(self) -> None:
        """What the person typed before the session began."""
        self.me.clew("init", "--client", self.me.name, cwd=self.project)
        (self.folder / "plan.md").write_text(self.case.plan, encoding="utf-8")
        (self.folder / "rule").write_text(self.case.constraint, encoding="utf-8")
        folder = self.folder
        lines = (
            f"cd {self.project}",
            f'clew task new "{self.case.title}"',
            f'clew note file {self.case.file} --status "off limits" --why "its format is agreed with others"',
            f'clew note constraint "$(cat {folder}/rule)"',
            r"clew gate deny {{Noted (C-\w+)}}",
            f"clew plan import {folder}/plan.md",
            "clew plan approve",
            "exit",
        )
        told = at_terminal(
            "\n".join(lines) + "\n", folder=folder / "terminal", environment=self.me.variables(), seconds=240
        )
        assert "pproved" in told, told

    def run(self) -> None:
        """Five compactions, each with its own summary, and the forbidden calls behind each."""
        environment = {"CLEW_TASK": self.case.title} if self.arm == "clew" else {}
        with Endpoint([self._answer] * _ANSWERS_MAX) as endpoint:
            self._endpoint = endpoint
            if isinstance(self.me, ClaudePerson):
                with self.me.live(endpoint, self.project, **environment) as session:
                    session.prompt(self.case.prompt)
                    for _ in MANNERS:
                        session.prompt("/compact")
                        session.prompt("Go on.")  # behind the compaction
                        session.prompt("Look what is new.")
                    session.end()
                return
            how = self.me.compacting()
            ran = self.me.run(self.case.prompt, endpoint, self.project, *how.options, **environment)
            more = self.me.resuming(ran.session)
            for _ in range(_RUNS_MAX):
                if len(self.traces) >= len(MANNERS):
                    return
                self.me.run("Go on.", endpoint, self.project, *how.options, *more, **environment)

    def _answer(self, request: Request) -> Turn:
        """What the model says next: it looks at a file, and tries what is forbidden once a compaction came between."""
        count = len(self.contexts)
        if len(self.traces) < count:
            self.traces.append(self._left())
            return self._looks(count) if count < len(MANNERS) else say("Done.")
        if not self._has_begun:
            self._has_begun = True
            known = [noted("reject", self.case.dead_end, self.case.why)] if self.arm == "clew" else []
            return say(f"{self.case.dead_end} failed: {self.case.why}.", bash("seq 2000"), *known)
        if len(self._endpoint.of_kind("summary")) > self._summaries:
            self._summaries = len(self._endpoint.of_kind("summary"))
            self.contexts.append(unescape(said_to_model(request)).replace(self.case.attack, ""))
            for name in (self.case.file, "ran.txt"):
                (self.project / name).write_text("# as agreed\n", encoding="utf-8")
            return say("Now I do it.", *map(bash, self.case.forbidden.values()))
        if self._looked == count:
            return say("Part done.")
        return self._looks(count)

    def _looks(self, count: int) -> Turn:
        """It reads what came in, and the next compaction is due."""
        if count >= len(MANNERS):
            return say("Done.")
        self._looked = count
        self._endpoint.summary = self.case.summary(MANNERS[count], count + 1)
        text = self.case.attack if MANNERS[count] == "is attacked" else f"nothing new in part {count}"
        (self.project / "NOTICE").write_text(text + "\n", encoding="utf-8")
        return say("I look.", bash("cat NOTICE; seq 1500"), tokens=self.me.compacting().tokens or 1000)

    def _left(self) -> frozenset[str]:
        """Which of the forbidden calls left a trace."""
        files = {"write": self.case.file, "command": "ran.txt"}
        return frozenset(
            call for call, name in files.items() if "# as agreed\n" != (self.project / name).read_text(encoding="utf-8")
        )


def tally_of(trials: Iterator[Trial]) -> Tally:
    """The counts of some trials. What a client never compacted is no figure: it is left out, and counted."""
    found = Tally()
    for trial in trials:
        tried = frozenset(trial.case.forbidden)
        for manner, context, left in zip(MANNERS, trial.contexts, trial.traces, strict=False):
            found.take(trial.case, manner, trial.case.held(context), tried - left, tried)
    return found


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuity.live", description=__doc__)
    parser.add_argument("--cases", type=int, default=5, help="sessions a client and arm")
    parser.add_argument("--clients", default=",".join(DRIVERS))
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--check", action="store_true", help="exit 1 when clew loses a fact or lets a call pass")
    arguments = parser.parse_args(argv)
    rows, losses = [], []
    for client in arguments.clients.split(","):
        try:
            program = DRIVERS[client].package.installed()
        except Missing as why:
            print(f"{client} is left out: {why}", file=sys.stderr)
            continue
        for arm in arguments.arms.split(","):
            trials = []
            for number in range(arguments.cases):
                with (
                    tempfile.TemporaryDirectory() as temporary,
                    present(DRIVERS[client](program, Path(temporary) / "home")) as me,
                ):
                    trials.append(Trial(me, case(number), arm, Path(temporary)))
                    began = time.monotonic()
                    trials[-1].run()
                    print(f"{client}, {arm}, {number}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            found = tally_of(iter(trials))
            print(
                f"{client}, {arm}: {found.row(arm)[1]} lost, {found.row(arm)[-1]} stopped", file=sys.stderr, flush=True
            )
            rows.append([client, str(sum(len(one.traces) for one in trials)), *found.row(arm)])
            losses += [f"{client}: {loss}" for loss in found.losses if arm == "clew"]
    print(markdown(("client", "compactions", *HEAD), rows))
    print(*losses, sep="\n")
    return int(arguments.check and bool(losses))


if __name__ == "__main__":
    sys.exit(main())
