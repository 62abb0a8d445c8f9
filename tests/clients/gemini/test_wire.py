"""Session files of all ages, whole, torn and broken, entry by entry."""

from __future__ import annotations

import io
import json

import pytest

from clew.clients.gemini import wire
from clew.clients.gemini.wire import Broken, entries, is_ours
from tests.clients.gemini.recordings import DOCUMENT, HEADER, TURNS

LINE = json.dumps(HEADER).encode() + b"\n"


def test_broken_lines_cost_only_themselves() -> None:
    """A crash of the machine leaves zeros in the middle of a file."""
    found = list(entries(io.BytesIO(LINE + b"\0\0\0\n\n[1]\n" + LINE + b'{"torn": ')))
    assert found == [HEADER, Broken(3, "holds NUL bytes"), Broken(3, "not a JSON object"), HEADER]


def test_a_first_line_that_is_broken_costs_only_itself() -> None:
    """The file is still one of lines."""
    assert list(entries(io.BytesIO(b'{"cut": \n' + LINE))) == [Broken(8, "not JSON"), HEADER]
    assert list(entries(io.BytesIO(b"\n\n" + LINE))) == [HEADER]
    assert list(entries(io.BytesIO(b""))) == list(entries(io.BytesIO(b"\n"))) == []


def test_a_line_that_is_too_long_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client writes whole files and pictures into a line."""
    monkeypatch.setattr(wire, "LINE_BYTES_MAX", 200)
    long = b'{"id": "' + b"x" * 1000 + b'"}\n'
    assert list(entries(io.BytesIO(LINE + long + LINE))) == [HEADER, Broken(len(long) - 1, "line too long"), HEADER]
    monkeypatch.setattr(wire, "DOCUMENT_BYTES_MAX", 300)
    assert list(entries(io.BytesIO(DOCUMENT.read_bytes()))) == [Broken(301, "document too long")]


def test_a_session_is_known_by_its_first_bytes() -> None:
    """Also a document whose fields stand in another order, and an answer in a file of its own."""
    whole = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    assert is_ours(TURNS.read_bytes()) and is_ours(DOCUMENT.read_bytes()) and is_ours(LINE)
    assert is_ours(json.dumps(whole, sort_keys=True, indent=2).encode())
    assert is_ours(json.dumps(whole["messages"][1], indent=2).encode())
    assert is_ours(b"\xef\xbb\xbf" + LINE)
    for other in (
        b"",
        b"[]",
        b"{}",
        b'{"type": "user", "message": {}}',
        b'{"sessionId": "x"}',
        b"# projectHash sessionId",
    ):
        assert not is_ours(other)
