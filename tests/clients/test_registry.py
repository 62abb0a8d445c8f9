"""The client families: all parts by the same names, and those that other packages bring."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from clew.clients import registry
from clew.clients.registry import CLIENTS, Registry, agents, specs
from clew.core.errors import Unavailable
from tests.interfaces.cli.binary import environment

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "client_plugin"
RECORDING = next((PLUGIN / "tests/recordings/.specstory/history").glob("2026-*.md"))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_family_is_found_by_the_names_of_its_modules(tmp_path: Path, client: str) -> None:
    """A part under another name would be missing without a word: no hooks, no sessions, nothing to go on in."""
    (family,) = (one for one in Registry({}, tmp_path, plugins=False).own if one.name == client)
    reader, locator, launcher = family.reader(), family.locator(), family.launcher()
    assert reader and locator and launcher
    assert {client} == {reader.name, launcher.client}
    installer, configured = family.installer(server=True), family.config()
    assert installer and configured and {client} == {installer.name, configured.name}
    assert family.spec and family.spec.asking and family.settings(tmp_path)
    assert family.sessions and family.sessions.is_relative_to(tmp_path) and not family.is_used
    assert (PLUGIN.parents[1] / "src/clew/clients" / client.replace("-", "_") / "dialect.py").is_file()


def test_every_client_of_ours_is_an_agent_s_by_its_name_and_by_what_it_sets() -> None:
    """Else what it runs would be a person's word. But people export keys and folders of clients in their profiles."""
    known = agents()
    for spec in specs():
        assert spec.program in known.programs and {spec.asking, *spec.marks} <= known.marks
    theirs = "CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_API_KEY OPENCODE_DISABLE_AUTOUPDATE COPILOT_HOME SSH_AGENT_PID PATH"
    assert not known.marks.intersection(theirs.split())
    assert {"CLEW_AGENT", "CLAUDECODE", "CODEX_CI", "GEMINI_CLI", "OPENCODE", "COPILOT_CLI", "QWEN_CODE"} <= known.marks


def test_the_shim_knows_where_each_client_was_started() -> None:
    """It may import nothing, so it makes the variable's name of the client's."""
    for spec in specs():
        assert spec.place in (f"{spec.name.partition('-')[0].upper()}_PROJECT_DIR", "CLEW_PLACE")


def _installed(folder: Path, project: Path = PLUGIN) -> dict[str, str]:
    """The environment of a user who installed the package in `project`: its modules and what says so."""
    told = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = folder / f"{told['name'].replace('-', '_')}-{told['version']}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {told['name']}\nVersion: {told['version']}\n")
    rows = (f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in told["entry-points"].items())  # fmt: skip
    (metadata / "entry_points.txt").write_text("\n".join(rows))
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(project)])}


def _run(code: str, cwd: Path, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(cwd) | variables, cwd=cwd, capture_output=True, text=True
    )
    return f"{done.stdout}{done.stderr}"


def test_a_client_of_another_package_is_known(tmp_path: Path) -> None:
    """Given the example installed, its format is a session like any other; without it nobody knows the file."""
    code = f"from clew.interfaces.cli.main import run; run(['resume', '--from', {str(RECORDING)!r}])"
    assert "specstory session" in _run(code, tmp_path, **_installed(tmp_path / "site"))
    assert "E-transcript-unknown" in _run(code, tmp_path)


def test_a_hook_loads_no_other_package(tmp_path: Path) -> None:
    """Whatever is installed would run at every tool call, and its faults would be the hook's."""
    code = "import os, sys; from clew import wiring; found = wiring.ports(os.environ, plugins=False)\n"
    code += "print([one.name for one in found.readers], found.readers.named('specstory'), list(found.locators))\n"
    code += "print('clew_specstory' in sys.modules, 'importlib.metadata' in sys.modules)"
    told = _run(code, tmp_path, **_installed(tmp_path / "site"))
    assert "specstory" not in told and told.endswith("None []\nFalse False\n")
    assert "plugins=False" in (ROOT / "src/clew/interfaces/hook/full.py").read_text(encoding="utf-8")


def test_where_nobody_has_a_plugin_none_is_looked_for(tmp_path: Path) -> None:
    """What reads the entry points costs as much as half a command."""
    code = "import os, sys; from clew import wiring; list(wiring.ports(os.environ).locators)\n"
    assert "False" in _run(f"{code}print('importlib.metadata' in sys.modules)", tmp_path)


def test_a_part_that_a_package_lacks_is_missing_and_one_that_is_broken_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader alone is a family. A module that fails to load must not look like one that was never there."""
    package = tmp_path / "clew_of_ours"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "reader.py").write_text("import nonesuch_module")
    (package / "launch.py").write_text("LAUNCHER = 1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    family = registry.Family("ours", "clew_of_ours", {}, tmp_path)
    assert (family.locator(), family.installer(server=True), family.config()) == (None, None, None)
    assert (family.sessions, family.spec, family.is_used, family.settings(tmp_path)) == (None, None, False, ())
    for part in (family.reader, family.launcher):
        with pytest.raises(Unavailable, match="ours") as caught:
            part()
        assert caught.value.code == "E-plugin"
