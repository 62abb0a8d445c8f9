"""What compactions make an agent forget, at the level of clew's hooks: `python -m benchmarks.continuity.constraints`.

Each made session (`cases.py`) is compacted five times with a summary that drops, weakens, inverts or lifts what its
user said, or follows an attack inside a tool result. Counted is which facts the next context holds word for word, and
which forbidden calls are stopped. Half of the users say their constraint in the prompt only, half also by `clew note`.
`live.py` does the same with the real clients. Exit code 1 with `--check` when clew loses one fact or stops a call less.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

from tests.app.hooks.hooked import NOW, Hooked
from tests.app.projects import open_task, state_item
from tests.interfaces.hook.hooks import Hooks, called, put_shim
from tests.recordings.sessions import Recorder

from benchmarks.continuity.cases import FACTS, MANNERS, Case, case
from benchmarks.lib.tables import markdown
from clew.app.plan.lifecycle import plan_approve, plan_new, plan_write
from clew.app.record.item import make_gate
from clew.app.record.note import NewNote, note

ARMS: Final = ("client alone", "rules file", "clew")


class Tally:
    """Counts of one arm: facts held and calls stopped of those that were looked at, by what they are."""

    def __init__(self) -> None:
        self.held = Counter[str]()
        self.stopped = Counter[str]()
        self.looked = Counter[str]()
        self.losses: list[str] = []

    def take(
        self, one: Case, manner: str, held: frozenset[str], stopped: frozenset[str], tried: frozenset[str]
    ) -> None:
        """What a compaction left, and what became of the calls behind it."""
        self.held.update(held)
        self.stopped.update(stopped)
        self.looked.update((*FACTS, *tried))
        self.losses += [f"case {one.number}, {manner}: lost {fact}" for fact in FACTS if fact not in held]
        self.losses += [f"case {one.number}, {manner}: not stopped: {call}" for call in sorted(tried - stopped)]

    def row(self, name: str) -> list[str]:
        """A row of the table: facts lost of all, each fact, calls stopped."""
        lost = sum(self.looked[fact] - self.held[fact] for fact in FACTS)
        calls = sorted(set(self.looked) - set(FACTS))
        return [
            name,
            f"{lost:,} of {sum(self.looked[fact] for fact in FACTS):,}",
            *(f"{self.held[fact]} of {self.looked[fact]}" for fact in FACTS),
            f"{sum(self.stopped[call] for call in calls)} of {sum(self.looked[call] for call in calls)}",
        ]


HEAD: Final = ("arm", "facts lost", *FACTS, "forbidden calls stopped")


class _Project(Hooked):
    """A project of somebody who works with clew, with the installed hook path, and one session of a case in it."""

    def __init__(self, folder: Path, one: Case) -> None:
        super().__init__(folder)
        self.case = one
        self.is_stated = one.number % 2 == 0
        self.hooks = Hooks(self.data, self.top)
        put_shim(self.data)
        (self.top / one.file).write_text("# as agreed\n", encoding="utf-8")
        with self.desk() as at:
            task = open_task(at, one.title)
            state_item(at, "file", one.file, task=task, status="off limits", why="its format is agreed with others")
            if self.is_stated:
                rule = state_item(at, "constraint", one.constraint, task=task).data["item"]
        if self.is_stated:
            make_gate(self.by_person, str(rule))
        plan_new(self.by_person, one.title)
        self.clock.tick()
        plan_write(self.by_person, one.plan)
        self.clock.tick()
        plan_approve(self.by_person)
        self.start()
        self.record = Recorder(self.top, session=NOW, start="2026-11-22T00:01:00").user(one.prompt)
        self.record.reply("I look at it.").run("python -m pytest -q", "1 failed", code=1)
        note(self.by_agent, NewNote("failed", one.dead_end, one.why))

    def compacted(self, count: int, manner: str) -> str:
        """The context behind a compaction: the client's summary, and what clew's hook gives beside it."""
        self.clock.tick(300_000)
        if manner == "is attacked":
            self.record.run("cat NOTICE", self.case.attack)
        self.record.reply(f"Part {count} is under way.")
        self.record.save(self.home)
        self.end("before_compaction")
        summary = self.case.summary(manner, count)
        (self.session() / "summary").write_text(summary, encoding="utf-8")
        return f"{summary}\n{self.start('compact').context}"

    def stopped(self, tried: frozenset[str]) -> frozenset[str]:
        """Which of the forbidden calls the installed hook denies."""
        told = {
            call: self.hooks.run("PreToolUse", called(self.hooks, "Bash", {"command": self.case.forbidden[call]})).out
            for call in tried
        }
        return frozenset(call for call, said in told.items() if '"deny"' in said)


def run(cases: int, folder: Path) -> dict[str, Tally]:
    """All cases in all arms."""
    tallies = {arm: Tally() for arm in ARMS}
    for number in range(cases):
        one = case(number)
        project = _Project(folder / f"case{number}", one)
        # A command of which nobody made a gate only warns.
        tried = frozenset(call for call in one.forbidden if project.is_stated or call == "write")
        for count, manner in enumerate(MANNERS, 1):
            summary = one.summary(manner, count)
            tallies["client alone"].take(one, manner, one.held(summary), frozenset(), tried)
            tallies["rules file"].take(one, manner, one.held(f"{one.rules}\n{summary}"), frozenset(), tried)
            context = project.compacted(count, manner)
            tallies["clew"].take(one, manner, one.held(context), project.stopped(tried), tried)
        shutil.rmtree(folder / f"case{number}")
    return tallies


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.continuity.constraints", description=__doc__)
    parser.add_argument("--cases", type=int, default=50)
    parser.add_argument("--check", action="store_true", help="exit 1 when clew loses a fact or lets a call pass")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        tallies = run(arguments.cases, Path(temporary))
    print(markdown(HEAD, [tally.row(arm) for arm, tally in tallies.items()]))
    print(*tallies["clew"].losses, sep="\n")
    return int(arguments.check and bool(tallies["clew"].losses))


if __name__ == "__main__":
    sys.exit(main())
