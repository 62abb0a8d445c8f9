"""The readers of documents against the suite that clew ships."""

from __future__ import annotations

from pathlib import Path

from clew.core.cost.uses import Totals
from clew.core.records.transcript import Context, Prompt, Result, Unreadable
from clew.testing.readers import ReaderContract
from tests.clients.families import others

from .recordings import CHAT, MESSAGES, records

_NOTHING = Totals(0, 0, 0, 0, 0)


class TestChat(ReaderContract):
    """Messages say neither what was used nor where anything ran."""

    reader = CHAT
    others = others("chat")
    recordings = (MESSAGES,)
    usage = {MESSAGES.name: _NOTHING}
    untold = frozenset({"headless", "compacted", "apart", "injected", "started", "strangers"})

    def test_every_recording_is_read_whole(self) -> None:
        """A message that cannot be read is a part of somebody's day; no folder is made up for it."""
        for path in self.recordings:
            found = records(path, self.reader)
            assert not [one for one in found if isinstance(one, Unreadable)], path.name
            assert any(isinstance(one, Prompt) for one in found), path.name
            contexts = [one for one in found if isinstance(one, Context)]
            assert contexts and all(one.session and not one.cwd for one in contexts), path.name

    def planted(self, folder: Path, secret: str) -> Path:
        path = folder / "messages.jsonl"
        told = MESSAGES.read_text(encoding="utf-8").replace("Make the tide ten.", f"Use {secret}.")
        path.write_text(told.replace("1 failed", f"TOKEN={secret}"), encoding="utf-8")
        assert any(isinstance(one, Result) for one in records(path, self.reader))
        return path
