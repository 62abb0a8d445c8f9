"""`clew why PATH:LINE`, as people and programs read it."""

from __future__ import annotations

import json

from tests.interfaces.cli.conftest import Desk
from tests.recordings.sessions import Recorder


def test_a_line_tells_its_session_request_and_how_to_read_on(desk: Desk) -> None:
    text = "def tide_of(moon, harbour):\n    return harbour.level(moon)\n"
    made = Recorder(desk.shop.top, session="5e551044-1").user("Count the tide by the moon").write("tide.py", text)
    made.save(desk.shop.home)
    (desk.shop.top / "tide.py").write_text(text)
    head, asked, more = desk.ada("why", "tide.py:2").out.splitlines()
    assert head.startswith("tide.py:2  claude-code session 5e551044, 2026-03-02 09:0")
    assert head.endswith(", not committed") and "    asked: Count the tide by the moon" == asked
    assert 0 == desk.ada(*more.split()[1:]).code
    found = json.loads(desk.ada("why", "tide.py", "--json").out)
    assert (2, 0) == (found["asked"], found["unknown"])
    [one] = found["authors"]
    assert (1, 2, "5e551044-1") == (one["first"], one["last"], one["session"])


def test_what_is_not_proven_is_said_not_to_be_known(desk: Desk) -> None:
    (desk.shop.top / "typed.py").write_text("def typed_by_a_person(level):\n")
    ran = desk.ada("why", "typed.py:1")
    assert (0, "typed.py:1  not known: no session's edit is proven to have written it\n") == (ran.code, ran.out)
    assert "E-why-path" in desk.ada("why", "gone.py").err
