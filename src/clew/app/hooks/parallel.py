"""Several sessions that are live in one work tree: the mark by which their hooks look at each other's work
(`interfaces/hook/parallel.py`), and what a prompt tells of a HEAD that another one moved.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.app.ports import Ports
from clew.app.project.runtime_dirs import LiveSession, lives, process_of, read_small, write_small
from clew.app.project.session import ProjectSession
from clew.core.records import seen
from clew.core.records.hook_events import HookEvent
from clew.core.runtime_dir import LABEL, PARALLEL, REFLOG_SIZE, live_folder, parse_parallel, session_folder
from clew.core.state.requests import first_sentence
from clew.core.text.cleaning import shorten
from clew.documents.escaping import claimed, safe
from clew.workspace import repository

_TOPIC_CHARS: Final = 60
_MOVE_CHARS: Final = 80
_LIST_BYTES: Final = 16 << 20
_NEWS_BYTES: Final = 64 << 10
_SECOND_NS: Final = 1_000_000_000
_ID_CHARS: Final = 7


def mark_parallel(at: ProjectSession, data: str, others: Sequence[LiveSession], here: str) -> None:
    """Let the hooks of this work tree know which sessions are live in it: `others`, and the one whose folder
    is `here` ("": it is over). Where that leaves one, there is nothing to know.
    """
    root = at.location.root
    places = lives(Path(data), [root])
    found = {here: _text(f"{here}/{LABEL}")} if here else {}
    for one in others:
        live = live_folder(data, one.place)
        if live and Path(live) in places:
            folder = session_folder(live, one.session)
            found[folder] = _text(f"{folder}/{LABEL}") or _who(at, one.session)
    if len(found) < 2:
        for place in places:
            with suppress(OSError):
                (place / PARALLEL).unlink()
        return
    repo = repository.find(at.location.root)
    log = str(repo.git_dir / "logs" / "HEAD") if repo else ""
    rows = [f"{folder}\t{process_of(folder)}\t{who}" for folder, who in found.items()]
    for place in places:
        before = _text(f"{place}/{PARALLEL}").partition("\n")[0]
        head = before if log and before.startswith(f"{log}\t") else f"{log}\t{_size(log)}"
        with suppress(OSError):
            write_small(f"{place}/{PARALLEL}", "\n".join([head, *rows]))


def _who(at: ProjectSession, session: str) -> str:
    """Who a session is that began alone, by what is on record of it."""
    extract = next(iter(at.ledger.extracts(session=session)), None)
    goals = [item.text for item in extract.items if item.kind == "goal"] if extract is not None else []
    return _label(extract.origin.client, goals[-1]) if extract is not None and goals else ""


def _label(client: str, topic: str) -> str:
    """Who a session is, as the warnings to others call it. `topic` is redacted."""
    quoted = shorten(claimed(safe(first_sentence(topic))), _TOPIC_CHARS).rstrip(".")
    return f"{client}, “{quoted}”" if quoted else client


def _size(log: str) -> int:
    try:
        return Path(log).stat().st_size if log else 0
    except OSError:
        return 0


def at_prompt(ports: Ports, event: HookEvent, live: str, folder: str, root: Path) -> tuple[str, int]:
    """A sentence on a HEAD that another session moved since this one last used git ("" none), and how long the reflog
    is now, to be kept once that was said (`REFLOG_SIZE`); -1 where nothing is known. A first prompt beside others says
    who this session is.
    """
    place = next((one for one in (live, *_above(live, root)) if os.path.lexists(f"{one}/{PARALLEL}")), "")
    if not place:
        return "", -1
    if not os.path.lexists(f"{folder}/{LABEL}"):
        with suppress(OSError):
            write_small(f"{folder}/{LABEL}", _label(event.client, ports.redact(event.prompt)))
    log, began, others = parse_parallel(_text(f"{place}/{PARALLEL}"), folder)
    size, noted = _size(log), _text(f"{folder}/{REFLOG_SIZE}") or began
    if not noted.isdecimal():
        return "", -1
    known = int(noted)
    return (_moved(ports, log, known, others) if known < size else ""), size


def _above(live: str, root: Path) -> list[str]:
    """The live folder of the work tree's top, where `live` is one of a folder in it."""
    head, cut, _ = live.rpartition(f"{root}/")
    return [f"{head}{cut}{Path(live).name}"] if cut else []


def _moved(ports: Ports, log: str, known: int, others: Mapping[str, str]) -> str:
    """A sentence on the moves of HEAD behind the byte `known` of its reflog, which the hooks of another session prove:
    it ran a command of git then, and looked at HEAD behind it.
    """
    with Path(log).open("rb") as file:
        file.seek(known)
        lines = file.read(_NEWS_BYTES).splitlines(keepends=True)
    end, moves = known, []
    for line in lines:
        end += len(line)
        head, _, text = line.rstrip(b"\n").decode("utf-8", "replace").partition("\t")
        words = head.split(" ")
        second = words[-2] if len(words) > 3 else ""
        who = next((one for one in others if second.isdigit() and _ran_git(one, int(second), end)), "")
        if who:
            moves.append((words[0], words[1], text, who))
    if not moves:
        return ""
    label = _text(f"{moves[-1][3]}/{LABEL}") or others[moves[-1][3]]
    name = f"another session ({label})" if label else "another session"
    what = ports.redact(claimed(safe(shorten(moves[-1][2], _MOVE_CHARS))))
    way = f"{moves[0][0][:_ID_CHARS]} to {moves[-1][1][:_ID_CHARS]}"
    return f"HEAD was moved from {way} by {name} ({what}). Look at `git status` before you go on."


def _ran_git(folder: str, second: int, end: int) -> bool:
    """Whether a session ran a command in that second, and one of git behind which the reflog had so many bytes."""
    noted = _text(f"{folder}/{REFLOG_SIZE}")
    if not noted.isdecimal() or int(noted) < end:
        return False
    try:
        lines = Path(folder, "seen").read_bytes()[-_LIST_BYTES:]
    except OSError:
        return False
    return seen.ran(lines, second * _SECOND_NS, around_ns=_SECOND_NS)


def _text(path: str) -> str:
    try:
        return read_small(path).strip()
    except OSError:
        return ""
