"""Conversations that were saved by people: JSON as chats export it (`exports`), or text with speakers (`dialogue`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clew.clients.generic import dialogue, exports, specstory, trajectory
from clew.clients.generic.document import text_of
from clew.clients.generic.rendering import Entry


def recognises(head: bytes) -> bool:
    """Whether a file that begins with `head` is a conversation, and nothing that another reader knows better."""
    if specstory.recognises(head) or trajectory.recognises(head):
        return False
    text = text_of(head).lstrip()
    return exports.recognises(text) if text.startswith(("{", "[")) else dialogue.recognises(text)


def entries(data: bytes, path: Path) -> Iterator[Entry]:
    """What stands in the document `data` at the address `path`. Raises `OSError` if no conversation does."""
    text = text_of(data)
    return exports.entries(text, path) if text.lstrip().startswith(("{", "[")) else dialogue.entries(text)
