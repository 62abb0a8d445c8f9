"""A project with an ignored environment file, the adapters for its user, and work trees of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.app.ports import Ports
from clew.workspace.repository import Repository, find
from tests.app.worlds import ports, project
from tests.workspace.repos import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = project(tmp_path / "shop", app_py="TAX = 1\n")
    made.write(".gitignore", ".env*\n.clew/\nconfig/local/\n__pycache__/\n")
    made.commit("Leave out")
    return made


@pytest.fixture
def world(tmp_path: Path) -> Ports:
    return ports(tmp_path / "home", GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull)


@pytest.fixture
def repository(repo: Repo) -> Repository:
    found = find(repo.top)
    assert found is not None
    return found


def inside(path: Path) -> Repo:
    """A hand on git in a work tree."""
    return Repo(path, make=False)
