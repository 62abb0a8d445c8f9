"""The list of sessions: what it costs."""

from __future__ import annotations

from pathlib import Path

from clew.app.look.sessions import sessions
from clew.app.project.opening import ProjectHandle
from tests.app.recorders import Shop
from tests.recordings.sessions import Recorder


def test_what_waits_is_told_by_its_beginning(tmp_path: Path) -> None:
    """Given sessions that nobody took in yet, to list them costs no reading of them: there may be hundreds."""
    shop = Shop(tmp_path)
    waiting = Recorder(shop.top, session="b0000000-0000-4000-8000-000000000001").user("Now the moon").reply("It is so.")
    waiting.save(shop.home)
    elsewhere = (
        Recorder(tmp_path / "tide-moon", session="b0000000-0000-4000-8000-000000000002").user("Rise").reply("Risen.")
    )
    elsewhere.save(shop.home)
    seen: list[str] = []

    def redact(text: str) -> str:
        seen.append(text)
        return text

    found = sessions(ProjectHandle(shop.ada._replace(redact=redact, redactor=lambda _: redact), shop.top))
    assert [(one.session[-1], one.stands) for one in found.sessions] == [("1", "unread")]
    assert not any("It is so" in text for text in seen)
