"""The sessions behind the golden files. Each function returns the payload as it is kept: see README.md."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

from clew import wiring
from clew.app.install.init import found, plan
from clew.app.project.opening import ProjectHandle
from clew.app.record.note import NewNote, note
from clew.app.resume.payload import Resumption, resume
from clew.app.tasks.lifecycle import task_new
from clew.documents.profiles import PROFILES
from clew.testing.clock import Chance, Clock
from tests.app.projects import AGENT, PERSON, plain_ports
from tests.recordings.sessions import Recorder
from tests.workspace.repos import Repo, clean_environment

FOLDER = Path(__file__).parent
_DEMO = FOLDER.parents[1] / "examples" / "demo" / "run.py"
_ELSEWHERE = "/home/mira/tide"

_READER = "def rows(lines):\n    return lines[1:-1]\n"
_READER_2 = 'def rows(lines):\n    return [line for line in lines[1:] if not line.startswith("#")]\n'
_TEST = (
    "from tide.reader import rows\n\n\ndef test_last_row_is_kept():\n    assert rows(['head', 'a', '#sum']) == ['a']\n"
)


def killed(folder: Path) -> str:
    demo = _demo()
    home, project = folder / "home", folder / "till"
    environment = {**clean_environment(), "HOME": str(home)}
    demo.record_session(home, project, demo.make_project(project, environment))
    path = project / "till" / "refunds.py"
    path.write_text(path.read_text(encoding="utf-8").replace("ROUND_DOWN", "ROUND_HALF_EVEN"), encoding="utf-8")
    return _placed(_resumed(home, project), project, "/home/mira/till")


def finished(folder: Path) -> str:
    repo = Repo(folder / "tide")
    repo.write("tide/reader.py", _READER)
    repo.commit("Read tide gauges", seconds=1772440000)
    repo.write("tide/reader.py", _READER_2)
    repo.write("tests/test_reader.py", _TEST)
    commit = repo.commit("Keep the last row, skip the checksum", seconds=1772441000)[:7]
    story = Recorder(repo.top)
    story.user(
        "The import drops the last row of every file. Find out why and mend it; the checksum line must not come in."
    )
    story.reply("I'll look at the reader first.").read("tide/reader.py", _READER)
    story.reply(
        "`rows` cuts off the last line whatever it is: the slice `lines[1:-1]` was written for files with a checksum."
    )
    story.run("pytest -q", "bash: pytest: command not found", code=127)
    story.run(
        "python -m pytest -q", "1 failed\nFAILED tests/test_reader.py::test_last_row_is_kept - AssertionError", code=1
    )
    story.edit("tide/reader.py", "return lines[1:-1]", _READER_2.split("    ")[1].rstrip(), original=_READER)
    story.write("tests/test_reader.py", _TEST)
    story.run("python -m pytest -q", "1 passed in 0.01s")
    message = "Keep the last row, skip the checksum"
    story.run(f"git add -A && git commit -m '{message}'", f"[main {commit}] {message}\n 2 files changed")
    story.reply(
        "The last row is kept now, and lines that begin with `#` are skipped wherever they stand, because old gauges"
        " write the checksum first. Committed and tested. Files with Windows line ends are not handled yet."
    )
    story.user("thanks").save(folder / "home")
    return _placed(_resumed(folder / "home", repo.top), repo.top, _ELSEWHERE)


def compacted(folder: Path, budget: int | None = None) -> str:
    story = Recorder(_ELSEWHERE, branch="feat/cache")
    story.user("Cache the tide tables on disk. Never write outside of the cache folder, and no new dependencies.")
    story.reply("I tried `shelve` first: it did not work, because two processes open the same file.")
    story.write("tide/cache.py", "class Cache:\n    pass\n")
    story.compaction(
        "1. Primary Request and Intent:\n   - cache tide tables on disk\n"
        "2. Errors and fixes:\n   - `shelve` locks the file, so a file for each table is used instead\n"
        "3. Pending Tasks:\n   - expire entries in `tide/cache.py` after a week\n"
        "4. Current Work:\n   - writing `Cache.expire`"
    )
    story.user("go on").todos(
        [("One file for each table", "completed"), ("Expire entries after a week", "in_progress")]
    )
    story.edit("tide/cache.py", "    pass", "    def expire(self):\n        ...", original="class Cache:\n    pass\n")
    story.run(
        "python -m pytest -q",
        "2 failed\nFAILED tests/test_cache.py::test_expire - TypeError: expire() missing 'now'",
        code=1,
    )
    story.user("the clock must be passed in, do not call time.time() in there")
    story.reply(
        "Then `expire` takes `now` as an argument. Next steps: pass `now` in `tide/main.py`, then run the tests again."
    )
    path = story.write_to(folder / "carried.jsonl")
    return _resumed(folder, folder, path, budget).document.text


def compacted_200(folder: Path) -> str:
    return compacted(folder, 200)


def plan_refused(folder: Path) -> str:
    story = Recorder(_ELSEWHERE, branch="feat/alerts")
    story.user("Plan how we warn people of spring tides.")
    story.ask("By which way should warnings go out?", ["Mail", "Push", "Both"], "Mail")
    story.plan(
        "# Warn by a service of its own\n\n## Context\nA new daemon polls the tables and sends mail.\n\n"
        "1. Write `tide/daemon.py`\n",
        refused="no daemon: nobody restarts it after a reboot. Use the cron job that is there",
    )
    story.reply("Understood: the cron job sends the mails.")
    story.plan(
        "# Warn from the cron job\n\n## Context\nThe nightly job already reads the tables.\n\n"
        "1. Add `warn(tables)` to `tide/nightly.py`\n"
        "2. Send through the local relay, because the firewall blocks the rest\n"
        "3. Mail once for each tide: keep sent ids in `tide/sent.txt`\n"
    )
    path = story.write_to(folder / "carried.jsonl")
    return _resumed(folder, folder, path).document.text


def profile(name: str, folder: Path) -> str:
    """The killed session of the demo, and what a person and the agent noted beside it, as a document of a profile."""
    demo = _demo()
    home, project = folder / "home", folder / "till"
    demo.record_session(home, project, demo.make_project(project, {**clean_environment(), "HOME": str(home)}))
    ada = plain_ports(home)._replace(channel=lambda: PERSON, actor="ada", now_ms=Clock().tick, chance=Chance("gold"))
    bot = ada._replace(channel=lambda: AGENT, actor="claude-code")
    found(ada, plan(ProjectHandle(ada, project))).ledger.close()
    task_new(ProjectHandle(ada, project), "Refunds of split orders")
    resume(ProjectHandle(ada, project))
    for ports, said in (
        (ada, NewNote("decision", "The odd cent goes to the largest part", "the last part may be zero", locked=True)),
        (bot, NewNote("decision", "Round with Decimal, ROUND_DOWN", "no floats for money")),
        (bot, NewNote("failed", "fsum over floats", "AssertionError: 99.99999999999999 != 100")),
        (ada, NewNote("constraint", "split keeps its signature", "the shop front calls it")),
        (bot, NewNote("hypothesis", "Negative totals round the wrong way", status="active")),
        (
            bot,
            NewNote("hypothesis", "The cent is lost in the database", "the column is an integer", status="eliminated"),
        ),
        (ada, NewNote("question", "Who gets the odd cent of a chargeback?", owner="Mia", blocking=True)),
        (bot, NewNote("risk", "Old receipts were rounded by part", "a check over last month would tell")),
        (bot, NewNote("assumption", "All amounts are in euros", "an order in another currency")),
        (ada, NewNote("reminder", "Tell the shop front's team before the release")),
        (ada, NewNote("deferral", "Chargebacks", "for the next release")),
        (bot, NewNote("next", "Run the new test in tests/test_refunds.py", files=("tests/test_refunds.py",))),
    ):
        note(ProjectHandle(ports, project), said)
    # A little more than it needs: at the edge, whether the last entry is cut would hang on the temporary folder's name.
    budget = 650 if name == "focus" else None
    receiver = "Mia" if name == "team" else ""
    made = resume(ProjectHandle(ada, project), profile=name, budget_tokens=budget, receiver=receiver)
    return _placed(made, project, "/home/mira/till")


STORIES: dict[str, Callable[[Path], str]] = {
    **{f"profile-{name}": partial(profile, name) for name in PROFILES},
    "killed": killed,
    "finished": finished,
    "compacted": compacted,
    "compacted-200": compacted_200,
    "plan-refused": plan_refused,
}


def _resumed(home: Path, folder: Path, path: Path | None = None, budget: int | None = None) -> Resumption:
    doors = wiring.ports({"HOME": os.fspath(home)})
    return resume(ProjectHandle(doors, folder), transcript=path, budget_tokens=budget)


def _placed(found: Resumption, real: Path, shown: str) -> str:
    """The text with the folder's name of a made-up machine in it; the mark, made from the real one, goes."""
    text = found.document.text.replace(f"root {real}", f"root {shown}")
    assert str(real) not in text
    return text.replace(found.document.mark, "MARKED")


def _demo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("clew_demo", _DEMO)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
