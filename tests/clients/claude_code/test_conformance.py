"""Claude Code's family against the suites that clew ships."""

from __future__ import annotations

from pathlib import Path

from clew.clients.claude_code.reader import ClaudeCodeReader
from clew.clients.claude_code.settings import ClaudeCodeInstaller
from clew.core.cost.uses import Totals
from clew.testing.installers import InstallerContract
from clew.testing.readers import ReaderContract
from tests.clients.families import JSON, others
from tests.recordings.sessions import Recorder

from .recordings import FOLDER


class TestReader(ReaderContract):
    """Recordings of the real client, and made ones in its shape. Figures were added up by hand from the lines."""

    reader = ClaudeCodeReader()
    others = others("claude-code")
    recordings = (
        FOLDER / "2.1.330-compaction.jsonl",
        *(FOLDER / f"made-{name}.jsonl" for name in ("compactions", "refusals", "tasks")),
        FOLDER / "more" / "made-background.jsonl",
    )
    usage = {
        "2.1.330-compaction.jsonl": Totals(5, 325_000, 0, 0, 250),
        "made-refusals.jsonl": Totals(6, 30, 4_800, 126_000, 590),
        "made-tasks.jsonl": Totals(8, 40, 6_400, 168_000, 720),
    }
    compacted = ("2.1.330-compaction.jsonl", "made-compactions.jsonl")
    headless = ("2.1.330-compaction.jsonl",)
    helpers = (FOLDER / "2.1.330-subagent.jsonl",)
    started = ("made-background.jsonl",)
    strangers = {"made-background.jsonl": "STRANGER"}
    injected = {"2.1.330-compaction.jsonl": "MARK-SS-compact."}

    def planted(self, folder: Path, secret: str) -> Path:
        story = Recorder("/w/tide").user(f"Use {secret} for the push").run("env", f"TOKEN={secret}")
        return story.write_to(folder / "s.jsonl")


class TestInstaller(InstallerContract):
    """Settings as people have them."""

    texts = {"settings.json": JSON}
    broken = {"settings.json": b'{"model": }'}

    def installer(self, home: Path) -> ClaudeCodeInstaller:
        return ClaudeCodeInstaller(home / ".claude")
