"""Looking up an item by its id, as people type it."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from clew.app.project import ProjectSession
from clew.core.errors import InputError, NotFound
from clew.core.state.extract import Extract
from clew.core.state.fold import Entities, Entity
from clew.core.state.projection import Known, find_ids, kind_of_id
from clew.core.text.cleaning import clean, one_line, shorten

_CANDIDATES_MAX: Final = 8
_CANDIDATE_CHARS: Final = 40


class FoundItem(NamedTuple):
    """An item with what is known of its task. `shown` is its shortest unique id; `others` are all that
    its sessions left, that are pinned, and on which it depends how it stands; `entities` what is stated of all these.
    """

    entry: Known
    entity: Entity
    task: str
    shown: str
    entities: Entities
    extracts: tuple[Extract, ...]
    others: Mapping[str, Known]

    @property
    def id(self) -> str:
        """Its whole id."""
        return self.entry.item.id


def find_item(at: ProjectSession, wanted: str, beside: Collection[str] = ()) -> FoundItem:
    """The item whose id begins with `wanted` (any case, with or without brackets). `beside` are ids of others that the
    caller asks for.

    Raises `NotFound`, and `InputError` with the candidates where several begin so.
    """
    asked = one_line(clean(wanted))
    prefix = asked.strip("[]")
    names = at.ledger.ids(prefix) if prefix else ()
    found = find_ids([name for name in names if kind_of_id(name) is not None], prefix)
    if not found:
        what = f"no item has the id {prefix}" if prefix else "the id is empty"
        hint = "`clew show` lists the items. What a session left is known once `clew resume` has taken it in."
        if names:
            hint = f"{prefix} is not an item's id: it is a task's (`clew task show`) or a checkpoint's."
        raise NotFound(what, code="E-no-item", hint=hint)
    if len(found) > 1:
        raise _ambiguous(at, prefix, found)
    task = at.home(found[0])
    extracts = at.ledger.extracts(task=task)
    entities, others = at.some(task, {found[0], *beside, *at.pinned(task)}, extracts)
    if found[0] not in others:  # said about, before anybody stated it here: it has no words yet
        raise NotFound(
            f"of the item {found[0]} only later changes are known here, not the item itself",
            code="E-no-item",
            hint="It comes with the rest of its ledger (`clew import`).",
        )
    shown = at.short(found[0])
    return FoundItem(others[found[0]], entities.get(found[0], ()), task, shown, entities, extracts, others)


def _ambiguous(at: ProjectSession, prefix: str, names: tuple[str, ...]) -> InputError:
    shown = at.ledger.shortest(names[:_CANDIDATES_MAX])
    listed = []
    for name in names[:_CANDIDATES_MAX]:
        task = at.home(name)
        entry = at.some(task, [name], at.ledger.extracts(task=task))[1].get(name)
        text = shorten(one_line(clean(entry.item.text)), _CANDIDATE_CHARS) if entry else ""
        listed.append(f"{shown[name]} ({text})" if text else shown[name])
    return InputError(
        f"{prefix} is the beginning of {len(names)} ids",
        code="E-id-ambiguous",
        hint=f"Choose one of: {', '.join(listed)}",
    )
