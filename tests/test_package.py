"""A wheel, built and installed as people do it, and what is shipped in it beside the code."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clew.interfaces.cli.main import COMMANDS

ROOT = Path(__file__).parents[1]
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of a copy of the tree: the build writes into the tree that it builds."""
    if importlib.util.find_spec("hatchling") is None and not os.environ.get("CI"):
        pytest.skip("hatchling is not installed: run `make setup`")
    tree = tmp_path_factory.mktemp("tree")
    for name in ("src", "scripts", "docs"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tree)
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=tree)
    (made,) = (tree / "dist").iterdir()
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing of ours but the wheel; what clew needs it takes from the one of the tests."""
    place = tmp_path_factory.mktemp("installed") / "env"
    venv.create(place, symlinks=True)
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")  # the .pth files in there are not read
    pip = [sys.executable, "-m", "pip", "--python", str(place)] if importlib.util.find_spec("pip") else ["uv", "pip"]
    python = [] if pip[0] == sys.executable else ["--python", str(place)]
    _run([*pip, "install", "-q", *python, "--no-index", "--no-deps", str(wheel)])
    return place


def _run(command: list[str], *, cwd: Path = ROOT, home: Path | None = None) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CLEW", "XDG"))}
    done = subprocess.run(
        command, cwd=cwd, env={**kept, **({"HOME": str(home)} if home else {})}, capture_output=True, timeout=300
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_a_wheel_is_installed_and_leads_on(installed: Path, tmp_path: Path) -> None:
    """Given the wheel alone, when a project is begun and a goal noted, then the payload has it."""
    clew, folder = str(installed / "bin" / "clew"), tmp_path / "work"
    folder.mkdir()
    _run(["git", "init", "-q"], cwd=folder)
    _run([clew, "init", "--client", "none"], cwd=folder, home=tmp_path)
    _run([clew, "note", "goal", "Refund in cents"], cwd=folder, home=tmp_path)
    assert "Refund in cents" in _run([clew, "resume"], cwd=folder, home=tmp_path)
    found = _run([str(installed / "bin" / "python"), "-c", "import clew; print(clew.__file__)"], cwd=folder)
    assert Path(found.strip()).is_relative_to(installed)


def test_the_documentation_is_where_the_package_says(installed: Path, tmp_path: Path) -> None:
    """Where there is no browser, `clew help --web` prints the address."""
    printed = _run([str(installed / "bin" / "clew"), "help", "--web"], cwd=tmp_path, home=tmp_path)
    assert printed.strip() == URLS["Documentation"]


def test_every_command_has_a_manual_page(installed: Path) -> None:
    """`man clew-task` shows what `clew task --help` and the help of its parts show."""
    pages = {path.name: path.read_text("utf-8") for path in (installed / "share" / "man" / "man1").iterdir()}
    assert {f"clew-{name}.1" for name in COMMANDS} | {"clew.1"} == set(pages)
    assert all(page.startswith(".TH ") and ".SH DESCRIPTION" in page for page in pages.values())
    assert '.SS "clew task split"' in pages["clew-task.1"].replace("\\-", "-")


@pytest.fixture(scope="module")
def schemas(wheel: Path) -> dict[str, dict[str, Any]]:
    """The schemas in the wheel, by name."""
    with zipfile.ZipFile(wheel) as held:
        names = [name for name in held.namelist() if name.startswith("clew/schemas/")]
        return {Path(name).name.removesuffix(".schema.json"): json.loads(held.read(name)) for name in names}


def test_what_is_printed_fits_its_schema(installed: Path, schemas: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    """A program that reads `--json` can check it, or make its types from the schema."""
    clew, folder = str(installed / "bin" / "clew"), tmp_path / "work"
    folder.mkdir()
    _run([clew, "init", "--client", "none"], cwd=folder, home=tmp_path)
    _run([clew, "decide", "Cents are integers"], cwd=folder, home=tmp_path)
    for command, name in (("log", "event-log"), ("doctor", "examination")):
        printed = json.loads(_run([clew, command, "--json"], cwd=folder, home=tmp_path))
        Draft202012Validator(schemas[name]).validate(printed)
        del printed[schemas[name]["required"][0]]
        assert not Draft202012Validator(schemas[name]).is_valid(printed)


def test_schemas_are_shipped_and_hold(schemas: dict[str, dict[str, Any]]) -> None:
    """A settings file with a typing error and a stack with an unknown key are found by their schemas."""
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    settings, stack = (Draft202012Validator(schemas[name]) for name in ("settings", "stack"))
    good = {"resume": {"budget_tokens": 1500}, "route": {"build": {"codex": "gpt"}}, "gate": {"plan": "warn"}}
    assert settings.is_valid(good)
    assert not settings.is_valid({"gate": {"plan": "wran"}})
    assert not settings.is_valid({"pressure": {"codex": {"hours": "four"}}})
    assert stack.is_valid({"title": "Tides", "source": [{"kind": "files", "paths": ["src/**"]}]})
    assert not stack.is_valid({"source": [{"kind": "files", "path": "src"}]})


def test_the_lock_names_the_public_index_alone() -> None:
    """A mirror of somebody's machine would be asked by everybody; and what the project needs is all in it."""
    lock = (ROOT / "uv.lock").read_text("utf-8")
    assert {"https://pypi.org", "https://files.pythonhosted.org"} == set(re.findall(r"https?://[^/\"]+", lock))
    locked = {package["name"] for package in tomllib.loads(lock)["package"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    assert {re.split(r"[^\w.-]", name)[0].lower().replace("_", "-").replace(".", "-") for name in wanted} <= {
        name.replace(".", "-") for name in locked
    }
