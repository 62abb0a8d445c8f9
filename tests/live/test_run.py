"""Plans carried out by the real clients with nobody at them: to the end, through a failure, through a raised budget."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.live import people
from tests.live.claude import Person
from tests.live.endpoint import Endpoint, Request, Turn, read, said_to_model, say, write
from tests.live.projects import git
from tests.live.stories import opted_in
from tests.live.test_headless_work import MODELS, lead
from tests.people import typed

DEPENDS = ("none", "1", "1", "2, 3", "4")
HALTED = 6
TEST = "from part{0} import answer\n\n\ndef test_answer():\n    assert answer() == {0}\n"
GOOD = "def answer():\n    return {0}\n"
BAD = "def answer():\n    return -{0}\n"


def plan_text(phases: int, budget: str = "200k") -> str:
    rows = ["# Five answers", ""]
    for number, depends in enumerate(DEPENDS[:phases], 1):
        rows += [
            f"## Phase {number}: Answer {number}",
            "",
            f"- [ ] Write `answer` in `part{number}.py`",
            f"- validate: `{sys.executable} -m pytest -q test_part{number}.py`",
            f"- budget: {budget}",
            f"- depends: {depends}",
            "",
        ]
    return "\n".join(rows)


def planned(me: people.Person, project: Path, tmp_path: Path, *, phases: int = 5, budget: str = "200k") -> None:
    """A project with a failing test for each phase, and a plan that a person approved at a terminal."""
    for number in range(1, phases + 1):
        (project / f"test_part{number}.py").write_text(TEST.format(number), encoding="utf-8")
    (project / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n.clew/\n", encoding="utf-8")
    git(project, "config", "user.name", "Dev")
    git(project, "config", "user.email", "dev@example.com")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "Tests first")
    opted_in(me, project)
    file = tmp_path / "plan.md"
    file.write_text(plan_text(phases, budget), encoding="utf-8")
    me.clew("plan", "new", "Five answers", cwd=project)
    me.clew("plan", "import", str(file), cwd=project)
    typing(me, project, tmp_path, "plan", "approve")


def typing(me: people.Person, project: Path, tmp_path: Path, *arguments: str) -> None:
    """A person types a command, and the code that only they see."""
    clew = str(Path(me.variables()["PATH"].split(":")[0]) / "clew")
    place = tmp_path / f"terminal-{'-'.join(arguments[:2])}"
    done = typed([clew, *arguments], cwd=project, folder=place, environment=me.variables(), answers="y\n")
    assert 0 == done.code, done.out


Texts = Callable[[int, int], str]


def works(project: Path, texts: Texts, *, tokens: int = 1000) -> Callable[[Request], Turn]:
    """A model that writes the part of whichever phase it is asked for: `texts(phase, time)` for the n-th time."""
    times: dict[int, int] = {}

    def answer(request: Request) -> Turn:
        seen = said_to_model(request)
        found = re.findall(r"# Phase (\d+) of", seen)
        assert found, seen[-2000:]
        number = int(found[0])
        if any(one.role == "result" for one in request.seen):
            cause = "\nCAUSE: the sign was wrong" if times[number] > 1 else ""
            return say(f"It is written.{cause}\nOUTCOME: answer {number} is there", tokens=tokens)
        times[number] = times.get(number, 0) + 1
        apart = re.search(rf"{re.escape(str(project))}/\.clew/worktrees/[\w.-]*\w", seen)
        folder = Path(apart[0]) if apart else project
        return say("I write it.", write(folder / f"part{number}.py", texts(number, times[number])), tokens=tokens)

    return answer


def run(
    me: people.Person, project: Path, endpoint: Endpoint, *options: str, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """`clew run` as a program starts it."""
    clew = Path(sys.executable).with_name("clew")
    environment = me.variables(endpoint)
    if me.name in MODELS:
        environment |= {f"CLEW_ROUTE_WORK_{me.name.upper().replace('-', '_')}": MODELS[me.name]}
    done = subprocess.run(
        [clew, "run", "--client", me.name, *options],
        cwd=project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=570,
    )  # fmt: skip
    assert code == done.returncode, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def commits(project: Path) -> list[str]:
    """The subjects of what runs committed, oldest first."""
    rows = git(project, "log", "--reverse", "--no-merges", "--format=%s%x00%(trailers:key=Clew-Phase,valueonly)")
    return [row.partition("\0")[0] for row in rows.splitlines() if "\0P-" in row]


def statuses(me: people.Person, project: Path) -> list[str]:
    return [one["status"] for one in json.loads(me.clew("plan", "show", "--json", cwd=project).stdout)["phases"]]


def test_a_plan_of_five_phases_runs_to_its_end(me: Person, project: Path, tmp_path: Path) -> None:
    """Two of them side by side in work trees of their own; each in a context of its own, with the payload; merged."""
    planned(me, project, tmp_path)
    with Endpoint([works(project, lambda number, _: GOOD.format(number))] * 40) as endpoint:
        done = run(me, project, endpoint, "--jobs", "2")
        first = [one for one in endpoint.main if not any(said.role == "result" for said in one.seen)]
    assert done.stdout.endswith("DONE\n")
    assert ["done"] * 5 == statuses(me, project)
    assert sorted(f"answer {number} is there" for number in range(1, 6)) == sorted(commits(project))
    assert "" == git(project, "status", "--porcelain")
    assert 1 == len(git(project, "worktree", "list").splitlines())
    assert 5 == len(first), "a fresh context for each phase"
    assert all("clew-data" in said_to_model(one) for one in first)
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=project, check=True)
    assert {} == me.settled(10)
    shown = json.loads(me.clew("run", "--status", "--json", cwd=project).stdout)
    assert ("done", 0) == (shown["word"], shown["process"])


def test_a_failure_is_mended_once_then_explained(me: Person, project: Path, tmp_path: Path) -> None:
    planned(me, project, tmp_path, phases=2)
    with Endpoint([works(project, lambda number, _: (GOOD if number == 1 else BAD).format(number))] * 20) as endpoint:
        done = run(me, project, endpoint, code=HALTED)
        asked = [said_to_model(one) for one in endpoint.main]
    assert done.stdout.endswith("HALTED\n")
    assert ["done", "stopped"] == statuses(me, project)
    assert any("## What failed" in one and "-2" in one for one in asked)
    told = me.clew("resume", cwd=project).stdout
    assert "Phase 2 (Answer 2) is stopped until a person decides" in told
    assert ["answer 1 is there"] == commits(project)


def test_a_person_raises_a_budget_and_it_goes_on(me: Person, project: Path, tmp_path: Path) -> None:
    """What is spent is not lost: the same attempt goes on from what is there."""
    planned(me, project, tmp_path, phases=1, budget="12k")
    part = project / "part1.py"
    slow = [say("I look again.", read(project / "test_part1.py"), tokens=5000, wait=lambda: time.sleep(2))] * 10
    script = [say("I begin.", write(part, BAD.format(1)), tokens=5000), *slow]
    with Endpoint(script) as endpoint:
        done = run(me, project, endpoint, code=HALTED)
        assert "of its 12,000 tokens" in done.stdout
        assert endpoint.left, "it was ended on the way"
    assert (["started"], BAD.format(1)) == (statuses(me, project), part.read_text(encoding="utf-8"))
    typing(me, project, tmp_path, "phase", "start", "1", "--budget", "200k")
    with Endpoint([works(project, lambda number, _: GOOD.format(number))] * 10) as endpoint:
        assert run(me, project, endpoint).stdout.endswith("DONE\n")
        assert "Another session worked at this phase before you" in said_to_model(endpoint.main[0])
    assert ["answer 1 is there"] == commits(project)


def test_every_client_carries_out_a_phase(anyone: people.Person, project: Path, tmp_path: Path) -> None:
    planned(anyone, project, tmp_path, phases=1)
    with Endpoint([works(project, lambda number, _: GOOD.format(number))] * 10) as endpoint:
        lead(anyone, endpoint)
        done = run(anyone, project, endpoint)
    assert done.stdout.endswith("DONE\n"), done.stderr
    assert ["answer 1 is there"] == commits(project)
    assert {} == anyone.settled(10)
