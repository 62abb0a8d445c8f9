"""The JSON shapes of reading commands. Documented in docs/json.md; fields are added, never renamed or removed."""

from __future__ import annotations

from typing import Any

import msgspec

from clew.app.resume import Resumption
from clew.app.show import Showing
from clew.core.files import Drift
from clew.core.ids import shortest_prefixes
from clew.core.items import Item


def resumption(found: Resumption) -> str:
    """`clew resume --json`."""
    document, state = found.document, found.state
    ids = shortest_prefixes(item.id for item in state.items)
    shown = set(document.shown)
    verdict = found.verdict
    return _dump(
        {
            "text": document.text,
            "tokens": document.tokens,
            "mark": document.mark,
            "verdict": {"kind": verdict.kind, "reason": verdict.reason} if verdict else None,
            "session": {**state.origin._asdict(), "file": str(found.transcript), "bytes": found.captured.size},
            "items": [{**_item(item, ids[item.id]), "shown": item.id in shown} for item in state.items],
            "drift": _drift(found.drift) if found.drift else None,
            "usage": {
                "context_tokens": found.captured.usage.context,
                "models": {name: totals._asdict() for name, totals in found.captured.usage.by_model().items()},
            },
            "notes": list(found.notes),
        }
    )


def showing(found: Showing) -> str:
    """`clew show --json`: the chosen item with its evidence, or all items."""
    pairs = list(zip(found.items, found.ids, strict=True))
    if found.chosen is None:
        return _dump({"file": str(found.transcript), "items": [_item(item, name) for item, name in pairs]})
    name = next(shown for item, shown in pairs if item is found.chosen)
    return _dump({"file": str(found.transcript), "line": found.line, "item": _item(found.chosen, name)})


def _item(item: Item, shown_id: str) -> dict[str, Any]:
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
    }


def _drift(drift: Drift) -> dict[str, Any]:
    return {
        "root": drift.tree.root,
        "branch": drift.tree.branch,
        "head": drift.tree.head,
        "dirty": list(drift.tree.dirty),
        "files": [{**file._asdict(), "commits": [commit._asdict() for commit in file.commits]} for file in drift.files],
        "commits_since": [commit._asdict() for commit in drift.commits_since],
    }


def _dump(shape: dict[str, Any]) -> str:
    """Indented JSON. Paths that are not UTF-8 are said with replacement characters: JSON has no other way."""
    return msgspec.json.format(msgspec.json.encode(_encodable(shape)), indent=2).decode()


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, dict):
        return {key: _encodable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encodable(inner) for inner in value]
    return value
