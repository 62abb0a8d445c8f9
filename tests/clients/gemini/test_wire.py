"""Session files of all ages, whole, torn and broken, entry by entry."""

from __future__ import annotations

import io
import json

import pytest

from clew.clients.gemini import wire
from clew.clients.gemini.wire import Broken, entries
from tests.clients.gemini.recordings import DOCUMENT, HEADER

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
