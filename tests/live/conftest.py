"""What the stories with real clients share: the client, somebody who has it, and a project of theirs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.claude import Missing, Person, installed, somebody
from tests.live.projects import make_project


@pytest.fixture(scope="session")
def client() -> Path:
    """The client's program. Without it the stories are skipped, in CI they fail."""
    try:
        return installed()
    except Missing as why:
        if os.environ.get("CI"):
            pytest.fail(f"the client is needed in CI: {why}")
        pytest.skip(str(why))


@pytest.fixture
def me(client: Path, tmp_path: Path) -> Iterator[Person]:
    """Somebody with an empty home. Nothing that they start runs on after the test, and no hook of ours has failed."""
    with somebody(client, tmp_path / "home") as person:
        yield person
        assert [] == person.broken()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small repository with one commit."""
    return make_project(tmp_path / "till")
