"""A session written out as a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.app.keeping.purge import purge
from clew.app.keeping.session_export import FORMS, Form, export_session
from clew.app.project.opening import ProjectHandle
from clew.app.record.note import NewNote, note
from tests.app.recorders import Shop
from tests.recordings.sessions import Recorder

SESSION = "b0000000-0000-4000-8000-000000000001"


@pytest.mark.parametrize("form", FORMS)
def test_what_a_person_redacted_stays_away_wherever_it_is_asked_from(tmp_path: Path, form: Form) -> None:
    """Redacted by hand where the session ran, words stand in no document that is made elsewhere either."""
    shop = Shop(tmp_path)
    Recorder(shop.top, session=SESSION).user("Ask the harbourmaster, Captain Ahab").reply("Captain Ahab said no.").save(
        shop.home
    )
    item = note(ProjectHandle(shop.ada, shop.top), NewNote("finding", "Captain Ahab said no")).item
    assert item is not None
    purge(ProjectHandle(shop.ada, shop.top), item.id, value="Captain Ahab")
    for folder in (shop.top, tmp_path):
        text = export_session(ProjectHandle(shop.ada, folder), Path(SESSION[:8]), None, form, force=False).text
        assert "harbourmaster" in text and "Ahab" not in text
