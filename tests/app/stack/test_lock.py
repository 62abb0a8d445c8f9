"""What a lock keeps is given again to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.app.stack.lock import VERSION, Lock, keep, sha256_of, text_of
from clew.documents.stack import document
from clew.workspace.objects import Objects

_TEXT = st.text(st.characters(blacklist_categories=("Cs",)), max_size=200)


def _lock(store: Objects, own: list[str], pieces: list[str]) -> Lock:
    names = [keep(store, ([text] for text in texts)) for texts in (own, pieces)]
    whole = sha256_of(document(own, pieces))
    return Lock(VERSION, "", "", "", 0, 0, whole, (), (), names[0], names[1])


@settings(max_examples=80, deadline=None)
@given(st.lists(_TEXT, max_size=3), st.lists(_TEXT, max_size=4))
def test_any_pieces_come_back(tmp_path_factory: pytest.TempPathFactory, own: list[str], pieces: list[str]) -> None:
    """In their order, however they were cut."""
    store = Objects(tmp_path_factory.mktemp("s") / "o", level=3)
    assert "".join(document(own, pieces)) == text_of(store, _lock(store, own, pieces), "x")
