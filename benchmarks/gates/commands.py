"""What recorded sessions did, in order, read by clew's own readers: for what is measured on them. Nothing is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from clew.clients.lines import read_file
from clew.clients.registry import Registry
from clew.core.records.transcript import Call, Edit, Result, Run

_HEAD_BYTES = 65_536


class Done(NamedTuple):
    """A call with its result: a shell line (`command`), or an edit of `path`; both "" for another tool. `failed`: as
    the client tells.
    """

    tool: str
    command: str
    path: str
    failed: bool
    text: str


def sessions(folder: Path) -> Iterator[tuple[str, list[Done]]]:
    """The calls of every session file below `folder` that a reader knows, by the file's name."""
    readers = [
        reader for one in Registry(os.environ, Path.home(), plugins=False).readable() if (reader := one.reader())
    ]
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
        reader = next((one for one in readers if one.recognises(head)), None)
        if reader is None:
            continue
        records = [record for batch in read_file(path, reader, 0) for record in batch.records]
        results = {record.call: record for record in records if isinstance(record, Result)}
        done = [_done(one, results.get(one.id)) for one in records if isinstance(one, Call)]
        if done:
            yield path.relative_to(folder).as_posix(), done


def _done(call: Call, result: Result | None) -> Done:
    command = call.action.command if isinstance(call.action, Run) else ""
    path = call.action.path if isinstance(call.action, Edit) else ""
    failed = result is not None and (result.outcome == "error" or bool(result.exit_code))
    return Done(call.tool, command, path, failed, result.text if result else "")


def shell_lines(folder: Path) -> list[str]:
    """Every shell line of the sessions, and of what else the JSON of their files names as a command; none twice."""
    found = {one.command.strip() for _, done in sessions(folder) for one in done}
    for path in sorted(folder.rglob("*.json*")):
        for row in path.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError):
                found |= set(_named(json.loads(row)))
    return sorted(found - {""})


def _named(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, one in value.items():
            if name in ("command", "cmd"):
                words = one[-1:] if isinstance(one, list) else [one]
                yield from (word.strip() for word in words if isinstance(word, str))
            else:
                yield from _named(one)
    elif isinstance(value, list):
        for one in value:
            yield from _named(one)
