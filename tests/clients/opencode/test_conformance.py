"""OpenCode's family against the suites that clew ships."""

from __future__ import annotations

from pathlib import Path

from clew.clients.installing import Installer
from clew.clients.opencode.reader import OpenCodeReader
from clew.clients.opencode.settings import OpenCodeInstaller
from clew.core.cost.uses import Totals
from clew.testing.installers import InstallerContract
from clew.testing.readers import ReaderContract
from tests.clients.families import others

from .recordings import DATABASE, EXPORT, HELPER, SESSION, STORY, answer, made, tool, user


class TestReader(ReaderContract):
    """The client's own figures are those in its table of sessions: output and reasoning stand apart there."""

    reader = OpenCodeReader()
    others = others("opencode")
    recordings = (STORY, EXPORT)
    usage = {SESSION: Totals(8, 97_800, 0, 700, 125 + 35), EXPORT.name: Totals(8, 97_800, 0, 700, 125 + 35)}
    untold = frozenset({"started", "strangers"})
    compacted = (SESSION, EXPORT.name)
    headless = (SESSION, EXPORT.name)
    apart = {SESSION: "SUBAGENT", EXPORT.name: "SUBAGENT"}
    helpers = (DATABASE / HELPER,)
    injected = {SESSION: "PAYLOAD-MARK", EXPORT.name: "PAYLOAD-MARK"}

    def planted(self, folder: Path, secret: str) -> Path:
        printed = tool("bash", {"command": "env"}, output=f"TOKEN={secret}\n", metadata={"exit": 0})
        return made(folder, user(f"Use {secret} for the push"), answer(printed))


class TestInstaller(InstallerContract):
    """The settings get a server only; the plugin is a file of its own."""

    texts = {
        "opencode.json": (
            b'{"$schema": "https://opencode.ai/config.json"}',
            b'// mine\n{\n\t"model": "lab/large", // large\n\t"mcp": {"docs": {"type": "remote", "url": "x"},},\n}\n',
        )
    }
    broken = {"opencode.json": b"{"}

    def installer(self, home: Path) -> Installer:
        return OpenCodeInstaller.of({}, home, server=True)
