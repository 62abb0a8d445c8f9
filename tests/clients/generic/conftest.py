"""The readers of documents."""

from __future__ import annotations

import pytest

from clew.clients.port import Reader

from .recordings import CHAT


@pytest.fixture
def readers() -> tuple[Reader, ...]:
    return (CHAT,)
