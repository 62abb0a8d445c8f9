"""The extracts of a task's sessions, for whoever wants what still counts: of many older ones only what lasts is read.
It is kept beside the ledger (`sessions/cache.py`) and brought up to date as sessions come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from clew.app.project.session import ProjectSession
from clew.core.state.carry_over import carried
from clew.core.state.extract import Extract
from clew.core.state.fold import Entities, values
from clew.core.state.projection import in_turn, kind_of_id
from clew.ledger.port import SessionExtent
from clew.sessions.cache import FOLDER_NAME, LastingExtracts, forget_all, keep_lasting, recall_lasting

# Raised when `core.state.carry_over.carried` makes something else of the same.
_VERSION: Final = 1
# With fewer sessions all are read. So many of the newest are read whole: they may still grow.
_SESSIONS_MIN: Final = 64
_WHOLE: Final = 16
# By these fields something that was stated holds no more.
_ENDED: Final = frozenset(("redacted", "retracted", "superseded_by", "resolved"))


def extracts_of(at: ProjectSession, task: str) -> list[Extract]:
    """The extracts of a task, `in_turn`; of older sessions only what lasts, where there are many. Beside these a state
    may want what somebody said something about (`complete`). Asked again of the same it reads nothing.
    """
    taken = at.ledger.taken()
    if at.lasting is None or at.lasting[0] != (task, taken):
        at.lasting = (task, dict(taken)), _extracts_of(at, task, taken)
    return at.lasting[1]


def _extracts_of(at: ProjectSession, task: str, taken: Mapping[str, SessionExtent]) -> list[Extract]:
    own = {name: (one.rules, one.extent) for name, one in taken.items() if one.task == task}
    if not task or len(own) < _SESSIONS_MIN or not all(rules > 0 for rules, _ in own.values()):
        return in_turn(at.ledger.extracts(task=task))
    folder, stamp = at.location.ledger.parent / FOLDER_NAME, at.redact.stones.stamp(at.ledger.key, _VERSION)
    lasting = recall_lasting(folder, task, stamp)
    found = _with_newer(at, own, lasting) if lasting is not None else None
    if lasting is None or found is None:
        found = list(at.ledger.extracts(task=task))
    elif len(found) - len(lasting.extracts) < 2 * _WHOLE:
        return found
    older = carried(found[:-_WHOLE])
    if at.ledger.writable:
        names = (one.origin.session for one in older)
        keep_lasting(folder, task, stamp, LastingExtracts({name: own[name] for name in names}, older))
        if at.redact.look_again():  # meanwhile: its words may stand there by our own hand
            forget_all(folder)
    return [*older, *found[-_WHOLE:]]


def _with_newer(at: ProjectSession, own: dict[str, tuple[int, int]], lasting: LastingExtracts) -> list[Extract] | None:
    """What lasts, and all of the sessions that came since; None where one of the older ones has changed."""
    newer = own.keys() - lasting.sessions.keys()
    if len(newer) > _SESSIONS_MIN or not lasting.sessions.items() <= own.items():
        return None
    found = [one for name in newer for one in at.ledger.extracts(session=name)]
    found.sort(key=_order)
    is_behind = all(_order(lasting.extracts[-1]) < _order(one) for one in found[:1])
    return [*lasting.extracts, *found] if is_behind and len(found) == len(newer) else None


def _order(extract: Extract) -> tuple[str, str]:
    return extract.origin.last_time, extract.origin.session


def complete(at: ProjectSession, task: str, extracts: Sequence[Extract], names: Iterable[str]) -> Sequence[Extract]:
    """`extracts`, those of which only what lasts is at hand with the items `names` as well: somebody spoke of them."""
    parts = {one.origin.session: {item.id for item in one.items} for one in extracts if one.is_part}
    there = {item.id for one in extracts for item in one.items}
    lacking = {name for name in names if kind_of_id(name) is not None} - there if parts else set[str]()
    if not lacking:
        return extracts
    held = {one.origin.session: one for one in at.ledger.extracts(task=task, holding=lacking)}
    found = []
    for one in extracts:
        whole = held.get(one.origin.session) if one.is_part else None
        if whole is not None:
            kept = {item.id: item for item in one.items}
            wanted = (kept.get(item.id, item) for item in whole.items if item.id in kept or item.id in lacking)
            found.append(one._replace(items=tuple(wanted)))
        else:
            found.append(one)
    return found


def needs_all(entities: Entities, extracts: Sequence[Extract]) -> bool:
    """Whether what is stated can only be held against all that older sessions left: hand-offs that they wrote, and what
    an agent called next before they were over.
    """
    parts = [one for one in extracts if one.is_part]
    if not parts:
        return False
    sessions = {one.origin.session for one in parts}
    drafted = (change.session for one in entities.values() for change in one if "draft" in change.fields)
    said = [one[0] for name, one in entities.items() if kind_of_id(name) == "next" and _ENDED.isdisjoint(values(one))]
    last = max(said, default=None)
    is_behind = last is None or last.provenance == "human" or last.said_at > parts[-1].origin.first_time
    return not is_behind or not sessions.isdisjoint(drafted)
