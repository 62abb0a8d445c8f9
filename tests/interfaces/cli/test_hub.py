"""`clew hub` and `clew join` as people type them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clew.app.team.hub import make_hub
from clew.app.team.hub_database import MIGRATIONS, open_database
from clew.testing.clock import Chance, Clock
from tests.interfaces.cli.conftest import Desk


def hub_of(desk: Desk, *, upto: int = len(MIGRATIONS)) -> Path:
    """A hub's data where this user keeps it; in an older schema if asked."""
    path = desk.shop.ada.trust_store.with_name("hub.db")
    database = open_database(str(path))
    database.migrate(upto)
    database.rows("INSERT INTO hub VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ab')")
    if upto == len(MIGRATIONS):
        make_hub(database, "Ada", now_ms=Clock(), chance=Chance())
    database.close()
    return path


def test_from_the_first_command_to_a_shared_task(desk: Desk, tmp_path: Path) -> None:
    """A hub in a process of its own prints the line by which its owner joins; it ends when it is told to."""
    environment = {**os.environ, "HOME": str(desk.shop.home), "PYTHONPATH": os.pathsep.join(sys.path), "USER": "ada"}
    line = [sys.executable, "-m", "clew", "hub", "up", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert "its data is in" in process.stdout.readline()
            process.stdout.readline()
            link = process.stdout.readline().split("clew join ")[1].strip()
            assert "[E-hub-there]" in desk.ada("hub", "up", "--listen", "127.0.0.1:0").err
            assert f"clew join {link.partition('#')[0]}#" in desk.ada("hub", "invite", "Mia").out
            assert "(owner): no project yet" in desk.ada("hub", "people").out
            desk.ada("task", "new", "Tides")
            ran = desk.ada("join", link)
            assert (ran.code, "Joined http://127.0.0.1:" in ran.out, "1 open task from before" in ran.err) == (
                0,
                True,
                True,
            )
            assert "1 task from before or kept private" in desk.ada("sync").out
            assert "goes to others" in desk.ada("task", "share").out
            assert re.search(r"[1-9]\d* sent, 0 received", desk.ada("sync").out)
            told = json.loads(desk.ada("hub", "status", "--json").out)
            assert [(one["title"], one["events"] > 0) for one in told["projects"]] == [(desk.shop.top.name, True)]
            assert "own" in desk.ada("hub", "people").out
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)


def test_people_come_and_go(desk: Desk) -> None:
    hub_of(desk)
    assert "clew join http://127.0.0.1:8765#" in desk.ada("hub", "invite", "Mia").out
    assert "[E-hub-unknown]" in desk.ada("hub", "rights", "mia", "tide", "write").err
    assert desk.ada("hub", "rights", "Mia").code == 64
    assert "Mia: no rights" in desk.ada("hub", "people").out
    assert "[E-hub-unknown]" in desk.ada("hub", "revoke", "nobody").err
    assert "Left: 0." in desk.ada("hub", "forget", "Mia").out
    assert "Mia" not in desk.ada("hub", "people").out
    assert "[E-hub-name]" in desk.ada("hub", "invite", "Mia (agent)").err


def test_data_of_an_older_version_is_moved_when_a_person_says_so(desk: Desk, tmp_path: Path) -> None:
    """Until then nothing is changed, and the hub does not start; a copy from before is kept."""
    path = hub_of(desk, upto=1)
    before = path.read_bytes()
    for words in (["status"], ["invite", "Mia"], ["up", "--listen", "127.0.0.1:0"]):
        assert "[E-hub-schema]" in desk.ada("hub", *words).err
    assert "from schema 1 to 2" in desk.ada("hub", "migrate", "--dry-run").out
    assert path.read_bytes() == before
    copy = tmp_path / "before.db"
    assert "Brought from schema 1 to 2" in desk.ada("hub", "migrate", "--backup", str(copy)).out
    assert "schema 2" in desk.ada("hub", "status").out
    assert "Nothing to do" in desk.ada("hub", "migrate").out
    database = open_database(str(copy))
    assert (database.version, database.rows("SELECT id FROM hub")) == (1, [("01ARZ3NDEKTSV4RRFFQ69G5FAV",)])
    database.close()


def test_a_copy_of_the_data_is_a_hub(desk: Desk, tmp_path: Path) -> None:
    hub_of(desk)
    copy, new = tmp_path / "copy.db", tmp_path / "new.db"
    desk.ada("hub", "invite", "Mia")
    assert "Copied" in desk.ada("hub", "backup", str(copy)).out
    assert "[E-hub-there]" in desk.ada("hub", "backup", str(copy)).err
    assert "Filled" in desk.ada("hub", "backup", str(copy), "--restore", "--sqlite", str(new)).out
    assert "[E-hub-there]" in desk.ada("hub", "backup", str(copy), "--restore").err
    assert "Mia" in desk.ada("hub", "people").out


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("hub up --listen here", 64, "HOST:PORT"),
        ("hub up --listen 256.0.0.1:1", 1, "[E-hub-listen]"),
        ("hub people --sqlite a --postgres b", 64, "say one"),
        ("join http://hub.example#x", 1, "[E-hub-url]"),
        ("join http://127.0.0.1:1#x", 1, "[E-hub-away]"),
        ("join http://127.0.0.1:1", 1, "[E-hub-key]"),
        ("task share --private Nothing", 1, "[E-no-task]"),
    ],
)
def test_what_cannot_be_done_is_said(desk: Desk, line: str, code: int, said: str) -> None:
    ran = desk.ada(*line.split())
    assert (ran.code, said in ran.err) == (code, True), ran


def test_a_damaged_file_of_keys_is_named(desk: Desk) -> None:
    desk.shop.ada.trust_store.parent.mkdir(parents=True, exist_ok=True)
    for name, line in (("hubs.json", "join http://127.0.0.1:1"), ("hub.json", "hub people")):
        desk.shop.ada.trust_store.with_name(name).write_text("{")
        assert "[E-hub-keys]" in desk.ada(*line.split()).err
