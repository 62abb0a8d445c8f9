"""The published plugins in the real clients: each takes its own and offers what is in it. No model is asked."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.live import claude, codex, gemini, opencode
from tests.live.people import Missing, Package

ROOT = Path(__file__).parents[2]


@pytest.fixture
def market(tmp_path: Path) -> Path:
    """A checkout with nothing but plugins and lists of them."""
    place = tmp_path / "market"
    for name in ("plugins", ".claude-plugin", ".agents"):
        shutil.copytree(ROOT / name, place / name)
    return place


def asked(package: Package, home: Path, cwd: Path, *lines: str) -> str:
    """What a client prints to several of its command lines, as a user with a home of its own."""
    try:
        program = package.installed()
    except Missing as why:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(why))
    home.mkdir(exist_ok=True)
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    quiet |= {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), **quiet}
    printed = ""
    for line in lines:
        done = subprocess.run(
            [str(program), *line.split()], cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=180,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        printed += done.stdout + done.stderr
    return printed


def test_claude_code_installs_it_from_the_marketplace(market: Path, tmp_path: Path) -> None:
    told = asked(
        claude.Person.package, tmp_path / "home", market, "plugin validate .", "plugin marketplace add ./",
        "plugin install clew@clew", "plugin details clew",
    )  # fmt: skip
    assert "Skills (7)  checkpoint, clew, fresh, handoff, issue, plan, resume" in told
    assert "MCP servers (1)  clew" in told
    assert '"clew@clew": true' in (tmp_path / "home/.claude/settings.json").read_text()


def test_codex_installs_it_from_the_marketplace(market: Path, tmp_path: Path) -> None:
    told = asked(
        codex.Person.package, tmp_path / "home", market, "plugin marketplace add ./", "plugin add clew@clew", "mcp list"
    )
    assert "clew  clew     mcp" in told
    assert '[plugins."clew@clew"]\nenabled = true' in (tmp_path / "home/.codex/config.toml").read_text()


def test_gemini_links_the_extension(market: Path, tmp_path: Path) -> None:
    folder = market / "plugins/gemini"
    told = asked(
        gemini.Person.package, tmp_path / "home", market, f"extensions validate {folder}",
        f"extensions link {folder} --consent", "extensions list",
    )  # fmt: skip
    assert "MCP servers:\n  clew" in told
    assert (tmp_path / "home/.gemini/extensions/clew").is_dir()


def test_opencode_takes_commands_and_server(market: Path, tmp_path: Path) -> None:
    place = tmp_path / "work"
    place.mkdir()
    (place / "opencode.json").write_text(f'{{"plugin": ["file://{market}/plugins/opencode/index.js"]}}')
    told = asked(opencode.Person.package, tmp_path / "home", place, "debug config")
    assert '"clew-resume": {' in told
    assert '"command": [\n        "clew",\n        "mcp"\n      ]' in told
