"""`clew memory` and `clew learn --topic`: as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.interfaces.cli.conftest import Desk


def test_a_learning_is_triaged_by_a_program(desk: Desk) -> None:
    """Listed as JSON, decided by JSON; a rule is a person's."""
    desk.bot("learn", "The cart fixture needs UTC", "--tag", "GOTCHA")
    desk.bot("learn", "Always run the generator first")
    waits = json.loads(desk.bot("memory", "triage", "--json").out)["candidates"]
    assert [False, True] == [one["is_rule"] for one in waits]
    assert "[instruction" in desk.bot("memory", "triage").out
    decisions = desk.shop.home / "decisions.json"
    decisions.write_text(json.dumps([{"id": one["id"], "deed": "keep"} for one in waits]))
    assert "E-not-a-person" in desk.bot("memory", "triage", "--decide", str(decisions)).err
    decisions.write_text(json.dumps([{"id": waits[0]["id"], "deed": "keep", "topic": "Test set-up"}]))
    assert "1 kept" in desk.bot("memory", "triage", "--decide", str(decisions), "--dry-run").out
    assert "1 kept" in desk.bot("memory", "triage", "--decide", str(decisions)).out
    assert "- test-set-up: 1 fact" in desk.ada("memory", "show").out
    assert "The cart fixture needs UTC" in desk.ada("memory", "show", "test set-up").out
    decisions.write_text("no json")
    assert "E-memory-decision" in desk.bot("memory", "triage", "--decide", str(decisions)).err


def test_facts_are_put_shown_edited_checked_and_taken_back(desk: Desk) -> None:
    """Straight into memory, with an id that leads to every wording."""
    desk.ada("learn", "Postgres listens on 5433", "--topic", "infrastructure", "--always")
    assert "Postgres listens on 5433" in desk.ada("memory", "show").out
    facts = json.loads(desk.ada("memory", "show", "infrastructure", "--json").out)["facts"]
    [fact] = facts
    assert (True, "human") == (fact["pinned"], fact["provenance"])
    assert 0 == desk.ada("memory", "edit", fact["short_id"], "Postgres listens on 6433").code
    shown = desk.ada("memory", "show", fact["short_id"]).out
    assert "Postgres listens on 6433" in shown and "pinned" in shown
    assert 0 == desk.ada("memory", "check").code
    desk.ada("learn", "We are currently working on the port", "--topic", "infrastructure")
    found = desk.ada("memory", "check")
    assert 1 == found.code and "state" in found.out
    assert [] != json.loads(desk.ada("memory", "check", "--json").out)["findings"]
    desk.ada("retract", fact["short_id"])
    assert "6433" not in desk.ada("memory", "show", "infrastructure").out
    assert "E-no-fact" in desk.ada("memory", "show", "nowhere").err


def test_a_folder_is_read(desk: Desk, tmp_path: Path) -> None:
    """It stays as it is."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "MEMORY.md").write_text("# Memory\n\n- [db](db.md) — the database\n")
    (theirs / "db.md").write_text("---\nname: DB\ndescription: The database\n---\n\n- It listens on 5433\n")
    assert "3 new wait for triage" in desk.ada("memory", "import", str(theirs)).out
    assert "E-memory-folder" in desk.ada("memory", "import", str(tmp_path / "none")).err


def test_your_own_memory_holds_everywhere(desk: Desk) -> None:
    """Apart from the project's."""
    assert "E-memory-none" in desk.ada("memory", "show", "--user").err
    assert 0 == desk.ada("learn", "Answers in German are fine", "--user").code
    assert "user: 1 fact" in desk.ada("memory", "show", "--user").out
    assert "German" not in desk.ada("memory", "show").out
    assert 64 == desk.ada("learn", "x", "--always").code
