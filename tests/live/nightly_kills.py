"""Kills at random moments: `python -m tests.live.nightly_kills [--rounds 100] [--seed N]`.

In each round a session works on a task of its own with the real client, and SIGKILL meets the client, one of our hooks,
or a `clew` that the agent runs. Then the next session's first request must hold what was known: the goal, what was
acknowledged by a command, and what the client's record has of the agent's words; and the ledger must be whole. A client
that was not the one to be killed must have come to its end as if nothing was.

Prints the seed of a failure; the moments themselves depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from clew.ledger.bundle import export_bundle
from clew.ledger.sqlite.opening import open_ledger
from tests.live.claude import Person, Session, descendants, installed, somebody
from tests.live.endpoint import Endpoint, Scripted, bash, edit, read, reminders, said_to_model, say
from tests.live.projects import changes, git, make_project
from tests.live.stories import NEW, OLD, noted

VICTIMS = ("client", "hook", "clew")
ROUNDS_A_WORLD = 10
_MARKS = {"hook": "clewhook", "clew": "bin/clew "}


class Round(NamedTuple):
    """What one round is about: the words by which its facts are known, who is killed, after how many chances to kill
    one of its kind, and how far into its life: the client up to 6 seconds, others up to 40 ms."""

    number: int
    victim: str
    chance: int
    depth: float

    @property
    def task(self) -> str:
        return f"Round {self.number}"

    def word(self, kind: str) -> str:
        return f"{kind}-{self.number}"


def script(this: Round, path: Path) -> list[Scripted]:
    return [
        say("I look.", read(path), noted("decide", f"Fact {this.word('recorded')}", "it was measured")),
        say(f"Decision: keep {this.word('said')} because the bank wants it.", edit(path, OLD, NEW)),
        say("I try.", bash("python3 refunds.py"), noted("reject", f"Way {this.word('tried')}", "off by one")),
        say("Back.", edit(path, NEW, OLD), noted("next", f"Look into {this.word('later')}")),
        say("Done."),
    ]


def victim_killed(this: Round, session: Session, over: threading.Event) -> bool:
    """Wait for the victim and kill it; False if the session was over before."""
    if this.victim == "client":
        if over.wait(this.depth * 6):
            return False
        session.kill()
        return True
    met: set[int] = set()
    while not over.is_set():
        for pid, line in descendants(session.process.pid):
            if _MARKS[this.victim] in line and pid not in met:
                met.add(pid)
                if len(met) >= this.chance:
                    time.sleep(this.depth / 25)
                    if kill(pid):
                        return True
        time.sleep(0.001)
    return False


def kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def play(me: Person, project: Path, this: Round) -> bool:
    """One round; whether somebody was killed in it. Raises AssertionError if something was lost."""
    me.clew("task", "new", this.task, cwd=project)
    over = threading.Event()
    killed: list[bool] = []
    with Endpoint(script(this, project / "refunds.py")) as endpoint:
        with me.start(
            f"Find out why {this.word('asked')} is wrong.", endpoint, project, CLEW_TASK=this.task
        ) as session:
            hunter = threading.Thread(target=lambda: killed.append(victim_killed(this, session, over)))
            hunter.start()
            out, err = session.process.communicate(timeout=120)
            over.set()
            hunter.join()
        if this.victim != "client" or killed == [False]:
            assert (0, 0) == (session.process.returncode, endpoint.left), f"it did not come to its end: {out}{err}"
    me.end_all()
    git(project, "checkout", "-q", "--", ".")
    next_one_knows(me, project, this, acknowledged(endpoint, this), recorded(me, this))
    whole(project)
    return killed == [True]


def acknowledged(endpoint: Endpoint, this: Round) -> list[str]:
    """What a command of the agent's said that it was kept: the model saw the answer."""
    seen = said_to_model(endpoint.main[-1]).splitlines() if endpoint.main else []
    answers = [line for line in seen if line.startswith("Noted ")]
    return [word for word in map(this.word, ("recorded", "tried", "later")) if any(word in line for line in answers)]


def recorded(me: Person, this: Round) -> list[str]:
    """What the client's own record has: the prompt, the agent's words."""
    words = [this.word("asked"), this.word("said")]
    records = [path.read_text(encoding="utf-8") for path in (me.home / ".claude" / "projects").glob("*/*.jsonl")]
    ours = [text for text in records if words[0] in text and '"type":"assistant"' in text]
    return [word for word in words if any(word in text for text in ours)]


def next_one_knows(me: Person, project: Path, this: Round, told: list[str], seen: list[str]) -> None:
    with Endpoint([say("I go on.")]) as endpoint:
        ran = me.run("Go on.", endpoint, project, CLEW_TASK=this.task)
    assert (0, "") == (ran.code, ran.err), ran
    (payload,) = reminders(endpoint.main[0], "SessionStart")
    lost = [word for word in (*told, *seen) if word not in payload]
    assert not lost, f"{lost} of {told} and {seen} were lost:\n{payload}"
    assert [] == changes(project)
    assert {} == me.settled()


def whole(project: Path) -> None:
    """The ledger can be read to its last event, and every task can be folded."""
    ledger = open_ledger(project / ".git" / "clew" / "ledger.db", write=True)
    try:
        list(export_bundle(ledger))
        ledger.fold("")
    finally:
        ledger.close()


def rounds(count: int, seed: int) -> Counter[str]:
    """Play `count` rounds: how many of each victim were killed. Raises AssertionError with the first loss."""
    chance, killed = random.Random(seed), Counter[str]()
    client = installed()
    for start in range(0, count, ROUNDS_A_WORLD):
        with tempfile.TemporaryDirectory() as folder, somebody(client, Path(folder, "home")) as me:
            project = make_project(Path(folder, "till"))
            me.clew("init", cwd=project)
            for number in range(start, min(start + ROUNDS_A_WORLD, count)):
                this = Round(
                    number, VICTIMS[number % 3], chance.randint(1, 12 if number % 3 == 1 else 3), chance.random()
                )
                try:
                    killed[this.victim] += play(me, project, this)
                except AssertionError:
                    print(f"failed: {this}", file=sys.stderr)
                    raise
    return killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else time.time_ns() % 1_000_000
    try:
        killed = rounds(chosen.rounds, seed)
    except BaseException:
        print(f"failed: --seed {seed}", file=sys.stderr)
        raise
    print(f"{chosen.rounds} rounds, killed: {dict(killed)}; nothing that was known was lost")


if __name__ == "__main__":
    main()
