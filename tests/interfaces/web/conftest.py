"""One house for each story; one that is only looked at for those that change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.web.house import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A house of this story's own."""
    return House(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A house for several stories that change nothing."""
    return House(tmp_path_factory.mktemp("house"))
