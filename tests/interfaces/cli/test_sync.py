"""`clew sync` as people type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.conftest import Desk


def test_what_leaves_and_what_waits_is_told(desk: Desk, tmp_path: Path) -> None:
    """First what would leave, by task; then that it is there; then what came since, in `clew status`."""
    (tmp_path / "stick").mkdir()
    desk.ada("task", "new", "Tides")
    desk.ada("decide", "Ten it is")
    ran = desk.ada("sync", "../stick", "--dry-run")
    assert ran.code == 0 and "would leave, 0 would come." in ran.out and "Tides" in ran.out
    told = json.loads(desk.ada("sync", "../stick", "--json").out)["places"][0]
    assert told["sent"] == sum(task["events"] for task in told["tasks"]) > 0 == told["received"]
    assert "nothing new" in desk.ada("sync").out
    desk.ada("decide", "No, eleven")
    assert "1 event to send (`clew sync`)" in desk.ada("status").out
    assert json.loads(desk.ada("status", "--json").out)["exchanges"][0]["waiting"] == 1


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("sync", 1, "[E-sync-place]"),
        ("sync ../nowhere", 1, "[E-sync-place]"),
        ("sync ssh", 64, "./ssh is a folder"),
        ("sync a b", 64, "one folder"),
        ("sync --stdio --json", 64, "--stdio goes with nothing"),
        ("sync --admit 01J", 1, "[E-sync-device]"),
        ("sync . --admit 01J", 64, "--admit goes with nothing"),
    ],
)
def test_what_cannot_be_done_is_said(desk: Desk, line: str, code: int, said: str) -> None:
    ran = desk.ada(*line.split())
    assert (ran.code, said in ran.err) == (code, True), ran


def test_a_damaged_state_of_this_device_is_named(desk: Desk) -> None:
    (desk.shop.top / ".git/clew/exchange.json").write_text("{")
    assert "[E-sync-state]" in desk.ada("sync", ".").err
