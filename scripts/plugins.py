"""Writes the plugins that clients install from this repository: `python scripts/plugins.py [--check]`.

One source, the texts of `clew init`; a folder for each client below `plugins/`, the list of a marketplace where one
exists. What is there names no path and no version of anything but itself: commands and tools call `clew`.

`--check` writes nothing, names what would change, and ends with 1 if anything would.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from clew import __version__
from clew.clients.claude_code.install import ClaudeCodeInstaller
from clew.clients.codex.install import CodexInstaller
from clew.clients.gemini.install import GeminiInstaller
from clew.clients.installing import ABOUT, ON_PATH, Installer, slash_commands
from clew.clients.opencode.install import OpenCodeInstaller

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path("plugins")
_INSTALLERS: tuple[type[Installer], ...] = (ClaudeCodeInstaller, CodexInstaller, GeminiInstaller)
_OWNER = {"name": "The clew project"}
_SPEC = "https://agent-plugins.org/schemas/1.0.0"


def files() -> dict[Path, str]:
    """Every file, from the top of the repository on."""
    made: dict[Path, str] = {}
    for kind in _INSTALLERS:
        installer = kind(Path(), server=Path("settings"))
        parts = installer.published(FOLDER / installer.name, version=__version__)
        made |= {own.path: own.text for own in parts.placed}
    path = FOLDER / "claude-code" / ".claude-plugin" / "plugin.json"
    made[path] = _json({**json.loads(made[path]), "author": _OWNER, "license": "MIT"})
    made |= _portable() | _opencode()
    entry = {"name": "clew", "description": ABOUT}
    claude = {
        "name": "clew",
        "description": ABOUT,
        "owner": _OWNER,
        "plugins": [{**entry, "source": "./plugins/claude-code"}],
    }
    made[Path(".claude-plugin/marketplace.json")] = _json(claude)
    codex = {
        **entry,
        "source": {"source": "local", "path": "./plugins/codex"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    made[Path(".agents/plugins/marketplace.json")] = _json({"name": "clew", "plugins": [codex]})
    return made


def _portable() -> dict[Path, str]:
    """The plugin for any client that knows Agent Plugins 1.0 (https://agent-plugins.org): skills and servers alone."""
    folder = FOLDER / "agent-plugin"
    codex = CodexInstaller(Path())
    made = {own.path: own.text for own in codex.texts(folder, codex.prefix) if own.path.name == "SKILL.md"}
    about = {"$schema": f"{_SPEC}/plugin.schema.json", "name": "clew", "version": __version__, "description": ABOUT}
    made[folder / "plugin.json"] = _json({**about, "license": "MIT"})
    server = {"type": "stdio", "command": "clew", "args": ["mcp"]}
    made[folder / "mcp.json"] = _json({"$schema": f"{_SPEC}/mcp.schema.json", "mcpServers": {"clew": server}})
    return made


def _opencode() -> dict[Path, str]:
    """A plugin of OpenCode is a module: it adds our commands and server to the client's settings as they are loaded."""
    folder = FOLDER / "opencode"
    commands = {f"clew-{one.name}": {"description": one.description, "template": one.text} for one in slash_commands()}
    server = OpenCodeInstaller(Path()).server_entry(ON_PATH)
    module = (
        f"// {ABOUT}\n// What is set already stays: a file of `clew init` or of your own wins.\n\n"
        f"const COMMANDS = {json.dumps(commands, indent=2, ensure_ascii=False)}\n\n"
        f"const SERVER = {json.dumps(server)}\n\n"
        "export const ClewCommands = async () => ({\n"
        "  config: async (config) => {\n"
        "    config.command = { ...COMMANDS, ...config.command }\n"
        "    config.mcp = { clew: SERVER, ...config.mcp }\n"
        "  },\n})\n"
    )
    about = {"name": "clew-opencode", "version": __version__, "description": ABOUT, "license": "MIT"}
    package = {**about, "type": "module", "main": "index.js", "files": ["index.js"]}
    return {folder / "index.js": module, folder / "package.json": _json(package)}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    made = files()
    there = {path.relative_to(ROOT) for path in (ROOT / FOLDER).rglob("*") if path.is_file()} | set(made)
    stale = [path for path in sorted(there) if _text(ROOT / path) != made.get(path)]
    if "--check" in arguments:
        for path in stale:
            print(f"{path} is not as scripts/plugins.py makes it")
        return int(bool(stale))
    shutil.rmtree(ROOT / FOLDER, ignore_errors=True)
    for path, text in made.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
    print("\n".join(f"written {path}" for path in stale) or "nothing changed")
    return 0


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
