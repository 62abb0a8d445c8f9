"""`clew note` and its aliases: what is typed is what is kept."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from clew.ledger.sqlite.opening import open_ledger
from tests.interfaces.cli.binary import CLEW, environment
from tests.interfaces.cli.conftest import Desk
from tests.workspace.repos import Repo


def test_what_is_noted_is_said_and_kept(desk: Desk) -> None:
    """One line that holds the id, and a command that shows more."""
    code, out, err = desk.ada("note", "decision", "Use Decimal", "for money", "--why", "cents", "--lock")
    name, entry = next(iter(desk.shop.known().items()))
    assert (code, out) == (0, f"Noted {name[:6]} (decision): Use Decimal for money\n")
    assert err == f"next: clew show {name[:6]}\n"
    assert (entry.item.text, entry.item.why, entry.item.locked) == ("Use Decimal for money", "cents", True)


def test_every_option_reaches_the_item(desk: Desk) -> None:
    """Each by its own name."""
    typed: list[tuple[str, ...]] = [
        ("question", "Who?", "--owner", "bob", "--blocking", "--file", "src/a.py:1", "--file", "README.md"),
        ("deferral", "Later", "--until", "the release"),
        ("hypothesis", "The moon", "--status", "eliminated"),
        ("learning", "Mind the gap", "--tag", "gotcha", "--tag", "REUSE"),
        ("failed", "round()", "--guard", "round(*)", "--guard", "import math"),
    ]
    for arguments in typed:
        assert desk.ada("note", *arguments).code == 0
    data = [recorded.event.data for recorded in desk.shop.events()]
    assert {"owner": "bob", "blocking": True, "files": ["src/a.py", "README.md"]}.items() <= data[0].items()
    assert data[1]["until"] == "the release"
    assert data[2]["status"] == "eliminated"
    assert data[3]["tags"] == ["GOTCHA", "REUSE"]
    assert data[4]["guard"] == ["round(*)", "import math"]


@pytest.mark.parametrize(
    ("typed", "kind", "field"),
    [
        (("decide", "Use Decimal", "--why", "cents", "--lock"), "decision", {"locked": True}),
        (("reject", "round()", "--why", "cents", "--guard", "round(*)"), "failed", {"guard": ["round(*)"]}),
        (("learn", "Mind the gap", "--tag", "GOTCHA"), "learning", {"tags": ["GOTCHA"]}),
        (("ask", "Who?", "--owner", "bob", "--blocking"), "question", {"owner": "bob", "blocking": True}),
        (("next", "Go on", "--file", "src/a.py:3"), "next", {"files": ["src/a.py"]}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_an_alias_is_a_note_in_one_word(
    typed: tuple[str, ...], kind: str, field: dict[str, object], desk: Desk
) -> None:
    """Nothing else than the note of that kind."""
    assert desk.ada(*typed).code == 0
    (recorded,) = desk.shop.events()
    assert {"kind": kind, **field}.items() <= recorded.event.data.items()


def test_a_text_comes_from_stdin(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of several lines is piped in, whatever bytes are in it."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"It fails\nE   99 != 100\n\xff")))
    assert desk.ada("reject", "-").code == 0
    (entry,) = desk.shop.known().values()
    assert (entry.item.text, entry.item.why) == ("It fails", "E   99 != 100\n\ufffd")


def test_what_is_no_text_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture that was piped in by mistake is nothing that the next session has to know."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\x89PNG\0\0\rIHDR")))
    done = desk.ada("reject", "-")
    assert (64, "") == (done.code, done.out) and "is not text" in done.err
    assert not desk.shop.known()


def test_json_has_the_documented_fields(desk: Desk) -> None:
    """Agents read it: did it change anything, and which id is it."""
    code, out, err = desk.bot("note", "risk", "The moon", "--json")
    shape = json.loads(out)
    assert (code, err) == (0, "")
    assert set(shape) == {"changed", "said", "next", "notes", "item", "task", "events", "spooled", "dry_run"}
    assert (shape["changed"], shape["item"]["provenance"], shape["item"]["standing"]) == (True, "agent", "live")
    assert [event["kind"] for event in shape["events"]] == ["item.stated"]
    again = json.loads(desk.bot("note", "risk", "The moon", "--json").out)
    assert (again["changed"], again["events"], again["item"]["id"]) == (False, [], shape["item"]["id"])


def test_the_same_note_from_many_processes_at_once_is_one(tmp_path: Path) -> None:
    """Sub-agents that run side by side find out the same: none of them knows of the others, and none fails."""
    repo = Repo(tmp_path / "tide")
    folder = repo.top / ".git" / "clew"
    open_ledger(folder / "ledger.db", project="01KANQ0000000000000000PRJ0", write=True).close()
    started = [
        subprocess.Popen(
            [CLEW, "note", "finding", "The tide is ten", "--json"],
            cwd=repo.top,
            env=environment(tmp_path),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    done = [process.communicate(timeout=60) for process in started]
    assert [process.returncode for process in started] == [0] * 4, done
    assert len({json.loads(out)["item"]["id"] for out, _ in done}) == 1
    ledger = open_ledger(folder / "ledger.db", write=False)
    (recorded,) = ledger.events()
    ledger.close()
    assert recorded.event.provenance == "agent"  # a test is no person at a terminal
