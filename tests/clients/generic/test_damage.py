"""Damaged and hostile documents: an error that says so, or what is whole; never a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.clients.port import Reader
from clew.core.records.transcript import Unreadable

from .recordings import CHAT, MESSAGES, records

_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_MANY = settings(max_examples=100, deadline=None, suppress_health_check=(HealthCheck.function_scoped_fixture,))


def _opened(path: Path, data: bytes, reader: Reader) -> None:
    """Whatever stands in the document, its rendering is one that the reader reads."""
    path.write_bytes(data)
    reader.recognises(data[: 64 << 10])
    try:
        found = records(path, reader)
    except OSError as error:
        assert error.strerror
        return
    assert not [one for one in found if isinstance(one, Unreadable)]


@_MANY
@given(st.data())
def test_bytes_that_were_changed(tmp_path: Path, data: st.DataObject) -> None:
    """A disk error, a merge conflict, an editor in another encoding."""
    path, reader = MESSAGES, CHAT
    whole = path.read_bytes()
    at, length = data.draw(st.integers(0, len(whole))), data.draw(st.integers(0, 200))
    _opened(tmp_path / path.name, whole[:at] + data.draw(st.binary(max_size=12)) + whole[at + length :], reader)


@_MANY
@given(st.data())
def test_values_of_another_type(tmp_path: Path, data: st.DataObject) -> None:
    """Programs change what they write without notice: anything can stand anywhere."""
    value = place = [json.loads(line) for line in MESSAGES.read_text(encoding="utf-8").splitlines()]
    while True:
        keys: list[Any] = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans())):
            break
        place = place[key]
    place[key] = data.draw(_ANY)
    _opened(tmp_path / "chat.json", json.dumps(value).encode(), CHAT)
