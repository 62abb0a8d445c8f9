"""Texts that sessions are given, and their receipts: whether the client put one before the model
(docs/reference/hooks.md, "Receipts").

Each text that a session's start gives holds data with a mark of its own (`core/text/receipt.py`). When the session's
record is imported later, it shows whether that mark got there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from clew.app.intake.find import reader_at
from clew.app.intake.sessions import Sessions
from clew.app.ports import Ports
from clew.app.project.reading import newest_first
from clew.app.project.session import ProjectSession
from clew.clients.port import Reader
from clew.core.records.files import Drift
from clew.core.records.hook_events import CONTEXT_UNITS_MAX, HookEvent, units
from clew.core.records.transcript import Call, Reply
from clew.core.state.events import Data, Event
from clew.core.state.items import Item
from clew.core.text.receipt import OPENING, opening
from clew.core.text.tokens import estimate

# What stands around the texts of an answer, in the units that clients count.
_MARGIN_UNITS: Final = 400


class InjectedText(NamedTuple):
    """A text for the agent, the mark of the data in it (its receipt, "" without data), and what it costs in estimated
    tokens. `items` are those that a whole payload tells, () for any other text. `since`: from when on it tells what
    changed, "" for a text that tells no changes. `session`: whose work a whole payload goes on with, "" for any other
    text, and where no session is known. `compared`: how files differ that were looked at for it.
    """

    text: str
    mark: str
    tokens: int
    items: tuple[Item, ...] = ()
    since: str = ""
    session: str = ""
    compared: Drift | None = None

    def behind(self, sentence: str) -> InjectedText:
        """The same behind a line."""
        text = f"{sentence}\n{self.text}" if self.text else sentence
        return self._replace(text=text, tokens=estimate(text))

    def beside(self, block: str) -> InjectedText:
        """The same with another text behind it, a lead and mostly a data block; as it was where there is no room."""
        if not block or units(self.text) + units(block) + _MARGIN_UNITS > CONTEXT_UNITS_MAX:
            return self
        text = f"{self.text.rstrip()}\n\n{block}" if self.text else block
        mark = self.mark or block.partition(OPENING)[2].partition(">")[0]
        return self._replace(text=text, mark=mark, tokens=estimate(text))


NOTHING: Final = InjectedText("", "", 0)


def whole(lead: str, block: str) -> InjectedText:
    """An offer of a data block (wrapped, with its mark) behind a sentence or two."""
    text = f"{lead}\n{block}"
    return InjectedText(text, block[: block.index(">")].rpartition(" ")[2], estimate(text))


GIVEN: Final = "payload.given"
SEEN: Final = "payload.seen"
# So many of the newest texts are looked after.
_LOOKED_AT_MAX: Final = 100
# So much of a record's end tells whether the agent has spoken lately.
_TAIL_BYTES: Final = 256 << 10
_BLOCK_BYTES: Final = 1 << 20

# `source` of a text that a prompt brought, since that of the start did not get there.
AT_PROMPT: Final = "prompt"
# A mark in a session's live folder: its next prompt starts the full program.
DUE: Final = "due"


class Receipt(NamedTuple):
    """One text that a session was given at `time`: `source` says when (startup, resume, fork, clear, compact, prompt),
    `mark` which one. `delivered`: whether the session's record has it; None while that is not known. `since`: from when
    on it tells what changed, "" if it tells all.
    """

    client: str
    session: str
    source: str
    mark: str
    tokens: int
    time: str
    delivered: bool | None
    since: str = ""


def receipts(at: ProjectSession, *, limit: int = _LOOKED_AT_MAX) -> tuple[Receipt, ...]:
    """What sessions were given, newest first. Reads events only."""
    seen: dict[tuple[str, str], bool] = {}
    found: list[Receipt] = []
    for recorded in newest_first(at.ledger, (GIVEN, SEEN)):
        event = recorded.event
        if event.kind == SEEN:
            seen[_key(event)] = event.data.get("delivered") is True  # of what was given before it
        elif len(found) < limit:
            found.append(_receipt(event, seen.get(_key(event))))
        else:
            break
    return tuple(found)


def given(at: ProjectSession, event: HookEvent, offer: InjectedText, *, again: bool) -> None:
    """Note that a session was given something, or was given it `again`. Activity: it may be lost, and is dropped by
    age.
    """
    if not at.ledger.writable:
        return
    data: Data = {
        "client": event.client,
        "session": event.session,
        "mark": offer.mark,
        "tokens": offer.tokens,
        "source": AT_PROMPT if again else event.source,
        **({"since": offer.since} if offer.since else {}),
    }
    at.append([at.event(GIVEN, data, task=at.task(), visibility="private")])


def settle(ports: Ports, at: ProjectSession, sessions: Sessions) -> list[Receipt]:
    """Look in the records of sessions for what they were given, and note what was found: the receipts as they stand
    then, newest first. A record that did not go on since tells nothing yet.
    """
    known = list(receipts(at))
    if not at.ledger.writable:
        return known
    found: dict[Receipt, bool] = {}
    for session in dict.fromkeys(one.session for one in known if one.delivered is None):
        record = _record(ports, sessions, session)
        if record is not None:
            found |= _found(*record, [one for one in known if one.session == session and one.delivered is None])
    events = []
    for number, one in enumerate(known):
        if one in found:
            known[number] = one._replace(delivered=found[one])
            data: Data = {"session": one.session, "mark": one.mark, "delivered": found[one]}
            events.append(at.event(SEEN, data, task="", visibility="private"))
    if events:
        at.append(events)
    return known


def owed(known: Iterable[Receipt], session: str) -> Receipt | None:
    """What `session` was given last, if that did not get there and was not given again yet; None else."""
    last = next((one for one in known if one.session == session), None)
    return last if last is not None and last.delivered is False and last.source != AT_PROMPT else None


def has_spoken(ports: Ports, sessions: Sessions, session: str) -> bool:
    """Whether the agent of `session` has said or done anything yet, as far as the end of its record tells."""
    record = _record(ports, sessions, session)
    if record is None:
        return False
    path, reader = record
    try:
        with reader.open(path) as file:
            return _spoke(file, reader) is not None
    except OSError:
        return False


def _record(ports: Ports, sessions: Sessions, session: str) -> tuple[Path, Reader] | None:
    file = sessions.files.get(session)
    reader = reader_at(file.path, ports.readers, client=file.client) if file is not None else None
    return (file.path, reader) if file is not None and reader is not None else None


def _found(path: Path, reader: Reader, wanted: list[Receipt]) -> dict[Receipt, bool]:
    """Whether a hook put the data of each text before the model, by the record in `path`. Those are left out behind
    which the agent has not spoken yet: what was given stands in the record before the answer to it.

    The record is opened once: one that is rewritten is rebuilt for that.
    """
    seen: set[Receipt] = set()
    try:
        with reader.open(path) as file:
            for line in _lines(file):
                here = [one for one in wanted if one not in seen and one.mark.encode() in line]
                texts = [*reader.injected(line)] if here else []
                seen.update(one for one in here if any(opening(one.mark) in text for text in texts))
            spoke = _spoke(file, reader) or ""
    except OSError:
        return {}
    return {one: one in seen for one in wanted if one in seen or spoke > one.time}


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream that nothing buffers."""
    rest = b""
    while block := file.read(_BLOCK_BYTES):
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
    yield rest


def _spoke(file: BinaryIO, reader: Reader) -> str | None:
    """When the agent was last at work, as the end of the record tells: "" unknown, None never. Raises `OSError`."""
    cut = max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES)
    file.seek(cut)
    lines = file.read()
    records = reader.read(lines.partition(b"\n")[2] if cut else lines, offset=0).records
    return max((one.time for one in records if isinstance(one, Reply | Call)), default=None)


def _key(event: Event) -> tuple[str, str]:
    return str(event.data.get("session", "")), str(event.data.get("mark", ""))


def _receipt(event: Event, delivered: bool | None) -> Receipt:
    session, mark = _key(event)
    tokens = event.data.get("tokens")
    return Receipt(
        str(event.data.get("client", "")),
        session,
        str(event.data.get("source", "")),
        mark,
        tokens if isinstance(tokens, int) else 0,
        event.said_at,
        delivered,
        str(event.data.get("since", "")),
    )
