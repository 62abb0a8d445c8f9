"""GitHub Copilot CLI's family against the suites that clew ships."""

from __future__ import annotations

from pathlib import Path

from clew.clients.copilot.install import CopilotInstaller
from clew.clients.copilot.reader import CopilotReader
from clew.core.cost.uses import Totals
from clew.testing.installers import InstallerContract
from clew.testing.readers import ReaderContract
from tests.clients.families import JSON, others

from .recordings import STORY, called, ended, event, session


class TestReader(ReaderContract):
    """A recording of the real client. Its last line adds up what was used, but for the compaction (1,000 and 10)."""

    reader = CopilotReader()
    others = others("copilot")
    recordings = (STORY,)
    usage = {STORY.name: Totals(13, 13_000, 0, 0, 130)}
    compacted = (STORY.name,)
    headless = (STORY.name,)
    apart = {STORY.name: "SUBAGENT"}
    injected = {STORY.name: "note of <PostToolUse>"}
    started = (STORY.name,)
    strangers = {STORY.name: "WRITE-A-HAND-OFF"}

    def planted(self, folder: Path, secret: str) -> Path:
        return session(
            folder,
            event("user.message", content=f"Use {secret} for the push", messageId="m1"),
            called("bash", {"command": f"echo {secret}"}),
            ended(f"TOKEN={secret}\n<shellId: 0 completed with exit code 0>"),
        )


class TestInstaller(InstallerContract):
    """Servers as people have them; the hooks are a file of our own."""

    texts = {"mcp-config.json": JSON}
    broken = {"mcp-config.json": b'{"mcpServers": }'}

    def installer(self, home: Path) -> CopilotInstaller:
        return CopilotInstaller.of({}, home, server=True)
