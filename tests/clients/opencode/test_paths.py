"""The client's sessions as the locator gives them to an intake."""

from __future__ import annotations

from pathlib import Path

import apsw

from clew.app.intake.ingest import ingest
from clew.clients.opencode.paths import OpenCodeLocator
from tests.app.projects import World

from .recordings import MADE, answer, stored, tables_in, told, user

_REPLY = {"type": "text", "text": "Decision: keep `moon()` in src/a.py because the loader needs it. " * 20}


def test_a_session_is_taken_in_again_after_something_was_taken_back(tmp_path: Path) -> None:
    """Given a user who went back and said something else: the client drops messages, and the session is shorter than it
    was. What is new in it must not wait until it is as long again.
    """
    world = World(tmp_path)
    path = world.home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    connection = apsw.Connection(str(path))
    tables_in(connection)
    stored(
        connection, [user("Fix the tide"), answer(_REPLY), user("Now the moon"), answer(_REPLY)], runs_in=str(world.top)
    )
    with world.desk() as at:
        assert ingest(world.ports, at).taken == (MADE,)
        assert ingest(world.ports, at).taken == ()
        connection.execute("DELETE FROM message WHERE id >= 'msg_2'")
        connection.execute("DELETE FROM part WHERE message_id >= 'msg_2'")
        told(connection, *user("Rather never touch the moon"), session=MADE, at=4)
        connection.close()
        again = ingest(world.ports, at)
        assert (again.taken, again.shrunk) == ((MADE,), ())
        (extract,) = at.ledger.extracts(session=MADE)
    assert [item.text for item in extract.items if "Rather never touch the moon" in item.text]


def test_a_session_without_a_message_holds_nothing(tmp_path: Path) -> None:
    """The client makes one as soon as somebody opens it; to read it would cost every start of another."""
    path = tmp_path / "opencode.db"
    connection = apsw.Connection(str(path))
    tables_in(connection)
    stored(connection, [], runs_in="/repo")
    (empty,) = OpenCodeLocator(path).sessions_of(Path("/repo"))
    assert empty.size == 0
    told(connection, *user("hello"), session=MADE, at=1)
    connection.close()
    (begun,) = OpenCodeLocator(path).sessions_of(Path("/repo"))
    assert begun.size > 0
