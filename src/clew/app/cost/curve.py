"""The context of one session from its first response to its last, and where it was compacted."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from clew.app.intake.find import named, newest, project_at, reader_for, unreadable
from clew.app.ports import Ports
from clew.clients.files import read_file
from clew.core.errors import NotFound
from clew.core.records.transcript import Compaction, Context, Usage


@dataclass(frozen=True, slots=True)
class ContextCurve:
    """`tokens` are those of context that each response on the main chain was given, in order; `compactions` are the
    places in them before which it was compacted. `began` and `ended` are times, "" unknown.
    """

    client: str
    session: str
    tokens: tuple[int, ...]
    compactions: tuple[int, ...]
    began: str
    ended: str


def context_curve(ports: Ports, folder: Path, wanted: str = "") -> ContextCurve:
    """Of the session that `wanted` names (a file, or the beginning of an id), or of the newest of the project that
    `folder` is in. Raises `NotFound` and `InputError` where there is none, or it cannot be read.
    """
    if wanted:
        path = named(Path(wanted), ports.locators, agents=True)
        reader = reader_for(path, ports.readers)
    else:
        found = next(newest(ports.locators, ports.readers, project_at(folder), excluded=""), None)
        if found is None:
            raise NotFound(
                f"no session of {os.fspath(folder)} was found", code="E-no-session", hint="Name one: `--session S`."
            )
        path, reader = found[0].path, found[1]
    tokens: list[int] = []
    compactions: list[int] = []
    session, last, times = "", "", ["", ""]
    try:
        for batch in read_file(path, reader):
            for record in batch.records:
                if isinstance(record, Usage) and not record.agent:
                    size = record.context
                    if record.message and record.message == last:
                        tokens[-1] = size
                    elif size:
                        tokens.append(size)
                        last = record.message
                        times = [times[0] or record.time, record.time]
                elif isinstance(record, Compaction) and not record.agent and record.trigger != "micro":
                    compactions.append(len(tokens))
                elif isinstance(record, Context) and not record.agent:
                    session = session or record.session
    except OSError as error:
        raise unreadable(path, error) from error
    return ContextCurve(
        reader.name, ports.redact(session or path.stem), tuple(tokens), tuple(dict.fromkeys(compactions)), *times
    )
