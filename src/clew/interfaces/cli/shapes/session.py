"""The JSON shapes of reading commands. Documented in docs/json.md; fields are added, never renamed or removed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clew.app.resume import Resumption
from clew.app.show import Showing
from clew.core.files import Drift
from clew.core.ids import shortest_prefixes
from clew.core.items import Item
from clew.core.tasks import Task
from clew.core.view import Known, source_of
from clew.interfaces.cli.shapes.draft import draft_shape
from clew.interfaces.cli.shapes.dump import dump

if TYPE_CHECKING:
    from clew.app.checkpoint import Checkpoint


def resumption(found: Resumption) -> str:
    """`clew resume --json`."""
    document, state = found.document, found.state
    ids = found.ids or shortest_prefixes(item.id for item in state.items)
    shown = set(document.shown)
    verdict = found.verdict
    return dump(
        {
            "text": document.text,
            "tokens": document.tokens,
            "mark": document.mark,
            "verdict": {"kind": verdict.kind, "reason": verdict.reason} if verdict else None,
            "session": {
                **state.origin._asdict(),
                "file": str(found.transcript or ""),
                "bytes": found.captured.size,
            },
            "task": _task(found.task, found.ids),
            "checkpoint": _checkpoint(found.at, found.ids),
            "items": [{**item_shape(item, ids[item.id]), "shown": item.id in shown} for item in state.items],
            "drift": drift_shape(found.drift) if found.drift else None,
            "usage": {
                "context_tokens": found.captured.usage.context,
                "models": {name: totals._asdict() for name, totals in found.captured.usage.by_model().items()},
            },
            "notes": list(found.notes),
        }
    )


def showing(found: Showing) -> str:
    """`clew show --json`: the chosen item with its evidence, a task, a checkpoint, or all items."""
    entries = {entry.item.id: entry for entry in found.entries}
    shapes = [
        {**item_shape(item, name), **(_stands(entries[item.id]) if item.id in entries else {})}
        for item, name in zip(found.items, found.ids, strict=True)
    ]
    told: dict[str, Any] = {"file": str(found.transcript or "")}
    if found.entries or found.task is not None or found.checkpoint is not None:
        told |= {"task": _task(found.task, found.names), "checkpoint": _checkpoint(found.checkpoint, found.names)}
    if found.draft is not None:
        shown = (found.names or {}).get(found.draft.id, found.draft.id)
        return dump({**told, "draft": draft_shape(found.draft, shown), "items": []})
    if found.chosen is None:
        return dump({**told, "items": shapes})
    item = next(shape for shape, one in zip(shapes, found.items, strict=True) if one is found.chosen)
    history = {"history": _history(found)} if found.entries else {}
    return dump({**told, "line": found.line, "item": item, **history})


def _stands(entry: Known) -> dict[str, Any]:
    return {"standing": entry.standing, "because": entry.because, "source": source_of(entry)}


def _history(found: Showing) -> list[dict[str, Any]]:
    from clew.interfaces.cli.shapes.log import line_shape  # here: as below

    return [line_shape(line) for line in found.history]


def _task(task: Task | None, ids: Mapping[str, str] | None) -> dict[str, Any] | None:
    if task is None:
        return None
    from clew.interfaces.cli.shapes.task import task_shape  # here: without a ledger there are none

    return task_shape(task, (ids or {}).get(task.id, task.id))


def _checkpoint(checkpoint: Checkpoint | None, ids: Mapping[str, str] | None) -> dict[str, Any] | None:
    if checkpoint is None:
        return None
    from clew.interfaces.cli.shapes.checkpoint import checkpoint_shape

    return checkpoint_shape(checkpoint, (ids or {}).get(checkpoint.id, checkpoint.id))


def item_shape(item: Item, shown_id: str) -> dict[str, Any]:
    """One item: the same wherever an item is shown."""
    return {
        "id": item.id,
        "short_id": shown_id,
        "kind": item.kind,
        "label": item.label,
        "text": item.text,
        "why": item.why,
        "status": item.status,
        "provenance": item.provenance,
        "files": list(item.files),
        "rank": item.rank,
        "time": item.time,
        "session": item.place.session,
        "byte": item.place.at,
        "quote": item.place.quote,
        "pinned": item.pinned,
        "locked": item.locked,
        "blocking": item.blocking,
        "owner": item.owner,
        "answer": item.answer,
        "actor": item.actor,
    }


def drift_shape(drift: Drift) -> dict[str, Any]:
    """How the disk stands to what was recorded."""
    return {
        "root": drift.tree.root,
        "branch": drift.tree.branch,
        "head": drift.tree.head,
        "dirty": list(drift.tree.dirty),
        "files": [{**file._asdict(), "commits": [commit._asdict() for commit in file.commits]} for file in drift.files],
        "commits_since": [commit._asdict() for commit in drift.commits_since],
    }
