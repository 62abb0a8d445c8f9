"""Gemini CLI's family against the suites that clew ships."""

from __future__ import annotations

from pathlib import Path

from clew.clients.gemini.reader import GeminiReader
from clew.clients.gemini.settings import GeminiInstaller
from clew.core.cost.uses import Totals
from clew.testing.installers import InstallerContract
from clew.testing.readers import ReaderContract
from tests.clients.families import JSON, others

from .recordings import DOCUMENT, FOLDER, STORY, TURNS, called, message, session


class TestReader(ReaderContract):
    """A recording of the real client, and made ones in its shape. Figures were added up by hand from its `total`s: the
    input of a response is what did not come from the cache, its output what it thought as well.
    """

    reader = GeminiReader()
    others = others("gemini")
    recordings = (STORY, DOCUMENT, TURNS)
    usage = {
        STORY.name: Totals(8, 37_000, 0, 0, 80),
        DOCUMENT.name: Totals(3, 8_100, 0, 10_000, 325),
        TURNS.name: Totals(9, 68_000, 0, 5_000, 275),
    }
    compacted = (STORY.name, TURNS.name)
    apart = {STORY.name: "deep investigation"}
    helpers = (FOLDER / "0.61.0-subagent.jsonl",)
    injected = {STORY.name: "note of <AfterTool>", TURNS.name: "clew note: <ab12>"}
    untold = frozenset(
        {"headless", "started", "strangers"}
    )  # all three were made without anybody: docs/clients/gemini.md

    def planted(self, folder: Path, secret: str) -> Path:
        call = called("run_shell_command", f"Output: TOKEN={secret}", args={"command": f"echo {secret}"})
        return session(
            folder,
            message("u1", "user", [{"text": f"Use {secret} for the push"}]),
            message("g1", "gemini", f"I use {secret}.", toolCalls=[call], model="gemini-made"),
        )


class TestInstaller(InstallerContract):
    """Settings as people have them."""

    texts = {"settings.json": JSON}
    broken = {"settings.json": b'{"model": }'}

    def installer(self, home: Path) -> GeminiInstaller:
        return GeminiInstaller.of({}, home, server=True)
