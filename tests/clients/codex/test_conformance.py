"""Codex's family against the suites that clew ships."""

from __future__ import annotations

from pathlib import Path

from clew.clients.codex.reader import CodexReader
from clew.clients.codex.settings import CodexInstaller
from clew.core.cost.uses import Totals
from clew.testing.installers import InstallerContract
from clew.testing.readers import ReaderContract
from tests.clients.families import JSON, others

from .recordings import HELPER, OLDER, RUN, SCRIPTS, WORK, called, meta, typed

TOML = (
    b"",
    b"# mine\n",
    b'model = "x"',
    b'\xef\xbb\xbfmodel = "x"\r\n[tui]\r\nanimations = true\r\n',
    b"[mcp_servers]\n",
    b'# keys  here\n[mcp_servers.other] # theirs\ncommand = "serve"\nargs = [\n  "a", # one\n]\n\n\n'
    b'[projects."/w/tide"]\ntrust_level = "trusted"\n',
)


class TestReader(ReaderContract):
    """A recording of the real client, and made ones in its shape. Figures are the last totals that the client tells,
    without what came from the cache.
    """

    reader = CodexReader()
    others = others("codex")
    recordings = (RUN, SCRIPTS, WORK, OLDER)
    usage = {
        RUN.name: Totals(5, 133_409, 0, 0, 36),
        SCRIPTS.name: Totals(6, 6_000, 0, 0, 60),
        WORK.name: Totals(4, 8_000, 0, 33_500, 740),
        OLDER.name: Totals(2, 1_500, 0, 5_000, 160),
    }
    compacted = (RUN.name, WORK.name)
    headless = (RUN.name, SCRIPTS.name)
    started = (WORK.name,)
    untold = frozenset(("strangers",))
    apart = {WORK.name: "HELPER-FOUND"}
    injected = {RUN.name: "MARK-SS-compact."}

    def planted(self, folder: Path, secret: str) -> Path:
        path = folder / "rollout.jsonl"
        ran = called(
            "exec_command", {"cmd": f"echo {secret}"}, f"Process exited with code 0\nOutput:\nTOKEN={secret}\n"
        )
        path.write_text(meta() + typed(f"Use {secret} for the push") + ran)
        return path

    def test_a_helpers_session_is_known(self) -> None:
        """Its file lies among the sessions, and only the first line tells: nobody sits there."""
        assert not self.reader.attended(HELPER.read_bytes())


class TestInstaller(InstallerContract):
    """Settings as people have them."""

    texts = {"hooks.json": [text for text in JSON if not text.startswith(b"\xef")], "config.toml": TOML}
    broken = {"hooks.json": b'{"hooks": }', "config.toml": b"model = \n"}

    def installer(self, home: Path) -> CodexInstaller:
        return CodexInstaller.of({}, home, server=True)
