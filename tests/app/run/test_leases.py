"""Who works at what on this machine: one holder a round, and what a holder that is gone left is ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew.app.run.leases import LocalLeases, Name, Pulse
from clew.workspace.process import MARK
from clew.workspace.process_tree import started

NAME = Name("T-1", "P-1", 1, 1)
SLEEP = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "clew" / "ledger.db"


def held_by(ledger: Path, pid: int, when: str, client: list[object] | None = None) -> Path:
    """The file of a round that somebody has."""
    leases = LocalLeases(ledger)
    assert leases.claim(NAME)
    (file,) = (ledger.parent / "run").glob("*.json")
    there = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**there, "holder": [pid, when], "client": client or [0, ""]}), encoding="utf-8")
    return file


def test_a_round_is_claimed_seen_and_completed(ledger: Path) -> None:
    leases = LocalLeases(ledger)
    assert leases.claim(NAME) and leases.claim(NAME), "it is ours"
    leases.began(NAME, os.getpid(), started(os.getpid()))
    assert leases.heartbeat(NAME, Pulse("Write a.py", 10, 2, 100, "2026-11-22T01:00:00.000Z"))
    assert {NAME: Pulse("Write a.py", 10, 2, 100, "2026-11-22T01:00:00.000Z")} == leases.pulses()
    leases.complete(NAME)
    assert {} == leases.pulses()


def test_what_somebody_alive_has_is_left_alone(ledger: Path) -> None:
    with subprocess.Popen(SLEEP) as other:
        try:
            held_by(ledger, other.pid, started(other.pid))
            leases = LocalLeases(ledger)
            assert not leases.claim(NAME) and not leases.release(NAME)
            assert not leases.heartbeat(NAME, Pulse()), "a client that works for us is to be ended"
            assert {NAME} == set(leases.held())
        finally:
            other.kill()


def test_what_a_holder_that_is_gone_left_is_ended(ledger: Path) -> None:
    """Its client, by the process that was noted, and what that started, by the mark in its environment."""
    client = subprocess.Popen(SLEEP, start_new_session=True)
    stray = subprocess.Popen(SLEEP, start_new_session=True, env={**os.environ, MARK: NAME.mark})
    held_by(ledger, os.getpid(), "some other start", [client.pid, started(client.pid)])
    assert LocalLeases(ledger).claim(NAME)
    assert client.wait(10) and stray.wait(10)


def test_a_number_that_is_somebody_elses_by_now_is_nobodys(ledger: Path) -> None:
    innocent = subprocess.Popen(SLEEP, start_new_session=True)
    try:
        held_by(ledger, os.getpid(), "some other start", [innocent.pid, "an earlier start"])
        assert LocalLeases(ledger).release(NAME)
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


def test_one_run_at_a_time(ledger: Path) -> None:
    with subprocess.Popen(SLEEP) as other:
        try:
            assert 0 == LocalLeases(ledger).begin()
            file = ledger.parent / "run" / "run.json"
            file.write_text(json.dumps({"holder": [other.pid, started(other.pid)]}), encoding="utf-8")
            assert other.pid == LocalLeases(ledger).begin() == LocalLeases(ledger).runs()
        finally:
            other.kill()
    assert 0 == LocalLeases(ledger).begin()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"holder": 1}', '{"holder": [1]}', '{"name": ["a"], "holder": ["x", 1]}']
)
def test_a_file_that_nobody_can_read_holds_nothing(ledger: Path, text: str) -> None:
    file = held_by(ledger, os.getpid(), "gone")
    file.write_text(text, encoding="utf-8")
    leases = LocalLeases(ledger)
    assert not leases.held() and {} == leases.pulses()
    assert leases.claim(NAME)
