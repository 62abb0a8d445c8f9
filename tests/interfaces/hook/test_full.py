"""The hooks that start the whole program, run as a client runs them: with the recorded inputs, in a real project."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from clew.app.hooks.receipts import receipts
from tests.app.projects import World, open_task, state_item
from tests.interfaces.hook.hooks import SILENCE, Said, installed
from tests.recordings.sessions import Recorder

RECORDED = Path(__file__).parents[2] / "recordings" / "claude-code" / "hooks"
EARLIER = "5e551011-0000-4000-8000-000000000001"


class Place:
    """A project with a ledger and a task, a killed session in it, and the installed hooks."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder)
        self.hooks = installed(folder)._replace(project=self.world.top, data=self.world.home / ".local/share/clew")
        (folder / "data" / "clew").rename(self._ready(self.hooks.data))
        self.hooks.live.mkdir(parents=True)
        (self.hooks.live / "root").write_text(str(self.world.top))
        with self.world.desk() as at:
            state_item(at, "constraint", "Never change the public API", task=open_task(at, "Fix the tide"))
        started = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 3600))
        made = Recorder(self.world.top, session=EARLIER, start=started).user("Fix the tide in src/a.py")
        made.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n")
        made.call("Bash", {"command": "sleep 100"}).save(self.world.home)

    @staticmethod
    def _ready(data: Path) -> Path:
        data.parent.mkdir(parents=True)
        return data

    def run(self, name: str, *, event: str = "", variables: dict[str, str] | None = None, **fields: Any) -> Said:
        """The hook of a recorded input, which happened here."""
        given = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
        given |= {"cwd": str(self.world.top), "transcript_path": str(self.world.home / "x.jsonl"), **fields}
        own = self.hooks.environment() | {"HOME": str(self.world.home), "CLAUDE_CODE_SESSION_ATTENDED": "1"}
        return self.hooks.run(event or name.partition(".")[0], given, environment=own | (variables or {}))

    def context(self, said: Said) -> str:
        """What the model gets to see."""
        assert (0, "") == (said.code, said.err), said
        found = json.loads(said.out)["hookSpecificOutput"]
        return str(found["additionalContext"])

    def broken(self) -> str:
        """What a hook that failed left, "" none."""
        place = self.hooks.live / "broken"
        return place.read_text() if place.exists() else ""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_session_that_starts_is_given_what_a_killed_one_left(place: Place) -> None:
    """Through the command that stands in the client's settings, from its own input to what its model sees."""
    text = place.context(place.run("SessionStart"))
    assert text.startswith("clew: the task “Fix the tide”") and "Never change the public API" in text
    assert "sleep 100" in text and "" == place.broken()
    with place.world.desk(write=False) as at:
        assert ["startup"] == [one.source for one in receipts(at)]


def test_a_hook_that_fails_is_told_at_the_next_prompt(place: Place) -> None:
    """The client saw nothing of it, so somebody has to say it, once."""
    ledger = place.world.top / ".git" / "clew" / "ledger.db"
    ledger.write_bytes(b"no ledger at all" * 300)
    session = json.loads((RECORDED / "UserPromptSubmit.json").read_text())["session_id"]
    assert SILENCE == place.run("SessionStart", session_id=session)
    assert place.broken().startswith("claude-code SessionStart ")
    said = place.run("UserPromptSubmit")
    assert "a hook of it failed" in json.loads(said.out)["systemMessage"]
    assert SILENCE == place.run("UserPromptSubmit")


def test_hooks_of_two_sessions_at_once_lose_nothing(place: Place) -> None:
    """Two clients in one work tree start and stop at the same moment."""
    from concurrent.futures import ThreadPoolExecutor

    names = [f"aaaa-{number}" for number in range(3)]
    with ThreadPoolExecutor(3) as pool:
        said = list(pool.map(lambda name: place.run("SessionStart", session_id=name), names))
    assert all("Fix the tide" in place.context(one) for one in said)
    with ThreadPoolExecutor(3) as pool:
        assert [SILENCE] * 3 == list(pool.map(lambda name: place.run("Stop", session_id=name), names))
    assert "" == place.broken()
    with place.world.desk(write=False) as at:
        assert sorted(names) == sorted(one.session for one in receipts(at))


def test_a_start_with_nothing_to_take_in_loads_nothing_to_read_or_write_with(place: Place) -> None:
    """Most of what a start costs is loading: what reads sessions is for those that were not read yet."""
    place.run("SessionStart")
    given = json.loads((RECORDED / "SessionStart.json").read_text()) | {"cwd": str(place.world.top)}
    own = place.hooks.environment() | {"HOME": str(place.world.home), "CLAUDE_CODE_SESSION_ATTENDED": "0"}
    said = place.hooks.run("SessionStart", given, environment=own, options=["-X", "importtime"])
    loaded = set(re.findall(r"\| +([\w.]+)$", said.err, re.MULTILINE))
    assert "clew.app.hooks.session_start" in loaded and "" == said.out
    unwanted = {name for name in loaded if name.startswith(("clew.distill.", "clew.documents.", "clew.interfaces.cli"))}
    assert {"clew.distill.version"} == unwanted
    assert loaded.isdisjoint(("click", "rich", "subprocess", "shutil", "clew.app.resume.payload", "clew.workspace.git"))
