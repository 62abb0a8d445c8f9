"""Every file that clew owns beside the ledger: whether it still holds what was written, by what it is named or ends
with. A disk that decays says nothing by itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from clew.app.archive.archiving import archive_of
from clew.app.cost.index import INDEX_NAME as USAGE
from clew.app.cost.prices import TABLE_NAME
from clew.app.egress.clean_texts import CACHE_NAME as CLEAN
from clew.app.health.finding import HealthFinding, count
from clew.app.ports import Ports
from clew.app.project import ProjectLocation
from clew.app.project.cache_database import damage
from clew.app.project.gates import is_sound
from clew.app.project.runtime_dirs import read_small
from clew.app.project.watch import KEPT
from clew.app.search.search import INDEX_NAME as SEARCHES
from clew.app.stack.counting import CACHE_NAME as COUNTS
from clew.app.stack.lock import store_of
from clew.core.cost.budget import BUDGET
from clew.core.errors import ClewError
from clew.core.runtime_dir import GATES
from clew.sessions.cache import FOLDER_NAME, torn
from clew.workspace.objects import DamagedObject

_GATES_BYTES_MAX: Final = 16 << 20
_NAMED_MAX: Final = 3
_CHECKPOINT: Final = "Any command that records something rewrites it, such as `clew checkpoint`."


def gates(places: Sequence[Path], position: int) -> Iterator[HealthFinding]:
    """Whether the rules that hooks read are what was written, and those of the ledger as it is now."""
    for live in places:
        try:
            text = read_small(str(live / GATES), most=_GATES_BYTES_MAX)
            behind = position - int(json.loads(text)["position"])
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            yield HealthFinding("gates", "wrong", f"{live / GATES} cannot be read: no gate holds", _CHECKPOINT)
            continue
        if not is_sound(text):
            said = f"{live / GATES} is not what was written: a gate may not hold"
            yield HealthFinding("gates", "wrong", said, _CHECKPOINT)
        elif behind > 0:
            told = f"the gates' rules are {count(behind, 'event')} behind the ledger"
            yield HealthFinding("gates", "warn", told, _CHECKPOINT)


def live(places: Sequence[Path]) -> Iterator[HealthFinding]:
    """Whether what hooks keep in the live folders is what was written: budgets, and what watched files held."""
    bad = []
    for place in places:
        bad += _unless_json([place / BUDGET])
        bad += [one for one in _files(place / KEPT, "?" * 64) if one.name != _digest(one)]
        bad += _unless_json(_files(place / KEPT, "*.json"))
    if bad:
        mend = "`clew gate restore` can no longer restore these; move them away: the next session saves them again."
        yield HealthFinding("live", "wrong", f"{_named(bad)} not what was written", mend)


def kept(ports: Ports, location: ProjectLocation) -> Iterator[HealthFinding]:
    """Archived sessions, texts of stacks, caches, trust and prices."""
    archive = archive_of(ports)
    sessions = archive.sessions()
    lost = [one.session for one in sessions if not _is_whole(lambda one=one: archive.content(one))]  # type: ignore[misc]
    unread = _unless_json(_files(archive.folder, "sessions/*/*.json"))
    if lost or unread:
        said = f"of {count(len(sessions) + len(unread), 'archived session')} {len(lost) + len(unread)} cannot be given"
        mend = "`clew archive` keeps them again as long as the client has them."
        yield HealthFinding("archive", "wrong", f"{said} back: {_listed([*lost, *map(str, unread)])}", mend)
    elif sessions:
        yield HealthFinding("archive", "fine", f"{count(len(sessions), 'archived session')}: each is what was kept")
    store = store_of(ports, location)
    stacks = [store.path(one) for one in store.digests() if not _is_whole(lambda one=one: store.content(one))]  # type: ignore[misc]
    if stacks:
        mend = "Delete them; `clew stack build` rebuilds the texts from their sources."
        yield HealthFinding("stacks", "warn", f"{_named(stacks)} not what was kept", mend)
    yield from _caches(ports, location)
    table = ports.trust_store.parent / TABLE_NAME
    for path, mend in (
        (ports.trust_store, "Move it away, and trust what you use again: `clew trust`."),
        (table, "`clew cost --refresh-prices` gets it again."),
    ):
        if _unless_json([path]):
            yield HealthFinding("files", "wrong", f"{path} is not what was written", mend)


def _caches(ports: Ports, location: ProjectLocation) -> Iterator[HealthFinding]:
    bad = [path for name in (SEARCHES, USAGE, COUNTS, CLEAN) if damage(path := ports.cache_folder / name)]
    bad += torn(location.ledger.parent / FOLDER_NAME)
    if bad:
        mend = "Nothing: they are rebuilt when they are next used."
        yield HealthFinding("caches", "info", f"{_named(bad)} not what was written", mend)


def _is_whole(content: Callable[[], Iterable[bytes]]) -> bool:
    try:
        for _ in content():
            pass
    except (OSError, ClewError, DamagedObject):
        return False
    return True


def _unless_json(paths: Iterable[Path]) -> list[Path]:
    """Those of the files that are there and hold no JSON object."""
    bad = []
    for path in paths:
        try:
            if not isinstance(json.loads(path.read_bytes()), dict):
                bad.append(path)
        except (OSError, ValueError, RecursionError):
            if not os.path.lexists(path):
                continue
            bad.append(path)
    return bad


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern)) if os.path.isdir(folder) else []  # noqa: PTH112


def _digest(path: Path) -> str:
    with suppress(OSError):
        return sha256(path.read_bytes()).hexdigest()
    return ""


def _named(paths: Sequence[Path]) -> str:
    return f"{_listed(list(map(str, paths)))} {'is' if len(paths) == 1 else 'are'}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED_MAX]) + (f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else "")
