"""The extracts of a task's sessions, for whoever wants what still counts: of many older ones only what lasts is read.
It is kept beside the ledger (`sessions/cache.py`) and brought up to date as sessions come.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.app.project.session import ProjectSession
from clew.core.state.carry_over import carried
from clew.core.state.extract import Extract
from clew.core.state.fold import Change, Entities, Entity, values
from clew.core.state.projection import in_turn, kind_of_id, known
from clew.ledger.port import SessionExtent
from clew.sessions.cache import FOLDER_NAME, LastingExtracts, forget_all, keep_lasting, recall_lasting

# Raised when `core.state.carry_over.carried` makes something else of the same.
_VERSION: Final = 2
# With fewer sessions all are read. So many of the newest are read whole: they may still grow.
_SESSIONS_MIN: Final = 64
_WHOLE: Final = 16
# By these fields something that was stated holds no more.
_ENDED: Final = frozenset(("redacted", "retracted", "superseded_by", "resolved"))


def extracts_of(at: ProjectSession, task: str) -> list[Extract]:
    """The extracts of a task, `in_turn`; of older sessions only what lasts, where there are many. Beside these a state
    may want what somebody said something about (`complete`), or all of them (`needs_all`). Asked again of the same it
    reads nothing.
    """
    taken = at.ledger.taken()
    if at.lasting is None or at.lasting[0] != (task, taken):
        at.lasting = (task, dict(taken)), *_read(at, task, taken)
    return at.lasting[1]


def _read(at: ProjectSession, task: str, taken: Mapping[str, SessionExtent]) -> tuple[list[Extract], str]:
    """The extracts, and what was said of the claims in them when they were made."""
    own = {name: (one.rules, one.extent) for name, one in taken.items() if one.task == task}
    if task and len(own) >= _SESSIONS_MIN and all(rules > 0 for rules, _ in own.values()):
        lasting = recall_lasting(*_place(at), task)
        found = _with_newer(at, own, lasting) if lasting is not None else None
        if lasting is not None and found is not None:
            return found, lasting.claims
    return in_turn(at.ledger.extracts(task=task)), ""


def _with_newer(
    at: ProjectSession, own: Mapping[str, tuple[int, int]], lasting: LastingExtracts
) -> list[Extract] | None:
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


def _place(at: ProjectSession) -> tuple[Path, str]:
    """Where it is kept, and under which stamp."""
    return at.location.ledger.parent / FOLDER_NAME, at.redact.stones.stamp(at.ledger.key, _VERSION)


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
            wanted = (item for item in whole.items if item.id in lacking)
            found.append(one._replace(items=(*one.items, *wanted)))
        else:
            found.append(one)
    return found


def needs_all(at: ProjectSession, entities: Entities, extracts: Sequence[Extract]) -> bool:
    """Whether what is stated can only be held against all that older sessions left: what was said of the claims of
    their drafts since, a draft of a session that nobody has read, and what an agent called next before they were over.
    """
    parts = {one.origin.session for one in extracts if one.is_part}
    if not parts or at.lasting is None:
        return False
    sessions = {one.origin.session for one in extracts}
    drafted = {change.session for one in entities.values() for change in one if "draft" in change.fields}
    said = [one[0] for name, one in entities.items() if kind_of_id(name) == "next" and _ENDED.isdisjoint(values(one))]
    last = max((one for one in said if "draft" not in one.fields), default=None)
    until = max(one.origin.first_time for one in extracts if one.is_part)
    is_old = last is not None and last.provenance != "human" and last.said_at <= until
    return is_old or not drafted <= sessions or _claims_of(entities, parts) != at.lasting[2]


def _claims_of(entities: Entities, sessions: Collection[str]) -> str:
    """What is another text once something more is said of the claims that these sessions' drafts made."""

    def is_claim(entity: Entity) -> bool:
        return any("draft" in change.fields and change.session in sessions for change in entity)

    changes: list[Change] = [change for one in entities.values() if is_claim(one) for change in one]
    return f"{len(changes)} {max((change.event for change in changes), default='')}"


def keep_up(at: ProjectSession, task: str, entities: Entities, extracts: Sequence[Extract]) -> None:
    """Keep what lasts of `extracts` for the next command, where it would else read many of them."""
    whole = [one for one in extracts if not one.is_part]
    known_now = at.ledger.taken()
    is_long = bool(task) and len(extracts) >= _SESSIONS_MIN and len(whole) >= 2 * _WHOLE
    if not (is_long and at.ledger.writable):
        return
    if any(one.rules <= 0 or known_now[one.origin.session] != (task, one.rules, one.extent) for one in whole):
        return
    claims = [one.item for one in known(entities, extracts).values() if one.item.draft and one.standing == "live"]
    older = carried(extracts[:-_WHOLE], claims)
    names = {one.origin.session for one in older}
    sessions = {name: (known_now[name].rules, known_now[name].extent) for name in names}
    lasting = LastingExtracts(sessions, _claims_of(entities, names), older)
    folder, stamp = _place(at)
    keep_lasting(folder, stamp, task, lasting)
    if at.redact.look_again():  # meanwhile: its words may stand there by our own hand
        forget_all(folder)
    at.lasting = (task, dict(known_now)), [*older, *extracts[-_WHOLE:]], lasting.claims
