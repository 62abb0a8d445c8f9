"""What the stories with real clients share: the client, somebody who has it, and a project of theirs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.live import people
from tests.live.claude import Person, somebody
from tests.live.clients import CLIENTS, DRIVERS
from tests.live.people import Missing
from tests.live.projects import make_project

Program: TypeAlias = Callable[[str], Path]


@pytest.fixture(scope="session")
def program() -> Program:
    """The program of a client by the client's name. Without it a story is skipped, in CI it fails."""

    @cache
    def installed(client: str) -> Path:
        try:
            return DRIVERS[client].package.installed()
        except Missing as why:
            if os.environ.get("CI"):
                pytest.fail(f"{client} is needed in CI: {why}")
            pytest.skip(str(why))

    return installed


@pytest.fixture(scope="session")
def client(program: Program) -> Path:
    """The program of Claude Code."""
    return program("claude-code")


@pytest.fixture(params=CLIENTS)
def anyone(request: pytest.FixtureRequest, program: Program, tmp_path: Path) -> Iterator[people.Person]:
    """Somebody with an empty home who has one client; a story with `anyone` is told of every client."""
    driver = DRIVERS[request.param]
    with people.present(driver(program(driver.name), tmp_path / "home")) as person:
        yield person
        assert [] == person.broken()


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
