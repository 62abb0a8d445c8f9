"""Hooks are started by a client: here by this process, under the name of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_NAME = Path("/proc/self/comm")


@contextmanager
def called(name: str) -> Iterator[None]:
    """Let the system call this process so (Linux)."""
    before = _NAME.read_text() if _NAME.exists() else ""
    if before:
        _NAME.write_text(name)
    try:
        yield
    finally:
        if before:
            _NAME.write_text(before.strip())


@pytest.fixture(autouse=True)
def _client() -> Iterator[None]:
    with called("claude"):
        yield
