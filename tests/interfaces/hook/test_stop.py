"""The end of a turn, run as a client runs it: nobody waits for it, unless the session may be asked for a hand-off."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from clew.core.gate import decision as gate
from clew.core.runtime_dir import GATES_VERSION
from clew.documents.draft import REQUEST
from tests.interfaces.hook.hooks import SILENCE, Hooks, installed
from tests.interfaces.hook.test_full import Place
from tests.recordings.sessions import Recorder

NOW = "5e551022-0000-4000-8000-000000000002"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def worked(place: Place) -> None:
    """Half an hour of work in a session that is live."""
    began = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 3600))
    made = Recorder(place.world.top, session=NOW, start=began).user("Fix the moon in src/a.py")
    made.edit("src/a.py", "a = 1", "a = 2", original="a = 1\n").pause(30)
    made.reply("The moon is mended.").save(place.world.home)
    place.run("SessionStart", session_id=NOW)


def has(place: Place, session: str, seconds: float = 20) -> bool:
    """Whether the ledger gets the session before long."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        with place.world.desk(write=False) as at:
            if session in at.ledger.taken():
                return True
        time.sleep(0.1)
    return False


def test_what_was_said_is_taken_in_behind_the_clients_back(place: Place) -> None:
    """A person waits at the end of each turn; the ledger does not need them to."""
    worked(place)
    later = "5e551033-0000-4000-8000-000000000003"
    Recorder(place.world.top, session=later).user("Look at the moon in src/a.py").reply("I did.").save(place.world.home)
    assert SILENCE == place.run("Stop", session_id=NOW)
    assert has(place, later)
    assert "" == place.broken()


def test_a_session_is_asked_in_the_clients_own_form(place: Place) -> None:
    """Claude Code, Codex and Gemini CLI go on with a turn for `decision: block` and its reason; exit code 2 would do so
    too, and so would every failure that ends with it.
    """
    worked(place)
    on = {"CLEW_DRAFT_AT_STOP": "on"}
    said = place.run("Stop", session_id=NOW, variables=on)
    assert (0, "") == (said.code, said.err)
    answer = json.loads(said.out)
    assert {"decision", "reason"} == set(answer), "Codex drops an answer with a key that it does not know"
    assert "block" == answer["decision"] and REQUEST in answer["reason"]
    assert SILENCE == place.run("Stop", session_id=NOW, variables=on)
    assert SILENCE == place.run("Stop.active", session_id=NOW, variables=on)


def fast(hooks: Hooks, **gates: object) -> list[str]:
    """What the process that the client waits for imports at a turn's end."""
    (hooks.live / "gates.json").write_text(json.dumps({"v": GATES_VERSION, **gates}))
    return hooks.imports("Stop", {"session_id": NOW, "cwd": str(hooks.project)})


def test_the_process_that_is_waited_for_loads_next_to_nothing(tmp_path: Path) -> None:
    """Unless the project's settings, which stand beside the gates, say that it may ask."""
    hooks = installed(tmp_path)
    levels = {"levels": dict.fromkeys(gate.GATES, "off")}
    assert not {"clew.wiring", "json", "pathlib", "msgspec"} & set(fast(hooks, **levels))
    assert "clew.wiring" in fast(hooks, **levels, at_stop=True)


def test_in_a_client_that_clew_runs_itself_no_hook_does_anything(place: Place) -> None:
    """`clew draft --ask` must not be given what it is asked for, nor be taken in as a session."""
    for name in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        assert SILENCE == place.run(name, session_id=NOW, variables={"CLEW_ASKED": "1", "CLEW_TASK": "Fix the tide"})
    assert not (place.hooks.live / "sessions").exists() and not (place.hooks.live / "beats").exists()
