"""A project that was opted in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.mcp.servers import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)
