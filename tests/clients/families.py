"""All clients' families, for the suites that hold each against the others."""

from __future__ import annotations

import os
from pathlib import Path

from clew import wiring
from clew.clients.port import Reader
from clew.clients.registry import Family

READERS: tuple[Reader, ...] = tuple(wiring.ports({"HOME": os.devnull}, plugins=False).readers)


class Made(Family):
    """A family of nothing but a reader."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader.name, "", {}, Path())
        self._reader = reader

    def reader(self) -> Reader:
        return self._reader


def others(client: str) -> tuple[Reader, ...]:
    """The readers of every other client."""
    return tuple(one for one in READERS if one.name != client)


# Settings in JSON as people have them: the last one with hooks and servers of others.
JSON: tuple[bytes, ...] = (
    b"{}",
    b"{ }\n",
    b'\xef\xbb\xbf{"model": "x"}',
    b'{\r\n\t"a": [1, 2],\r\n\t"hooks": {}\r\n}\r\n',
    b'{"a": "\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87", "mcpServers": {}, "mcp": {}}',
    b'{\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bell"}]}]},\n'
    b'  "mcpServers": {"other": {"command": "serve"}},\n  "mcp": {"other": {"type": "local"}}\n}\n',
)
