"""The JSON shapes of checkpoints. Documented in docs/json.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clew.app.catchup import Taken
from clew.app.checkpoint import Checkpoint
from clew.interfaces.cli.shapes.draft import draft_shape
from clew.interfaces.cli.shapes.dump import dump


def taking(taken: Taken) -> str:
    """`clew checkpoint --json`."""
    return dump(
        {
            "checkpoint": checkpoint_shape(taken.checkpoint, taken.shown),
            "spooled": taken.spooled,
            "dry_run": taken.dry_run,
            "notes": list(taken.notes),
            "draft": draft_shape(taken.draft.draft, taken.draft_shown) if taken.draft is not None else None,
            "asks": taken.asks,
        }
    )


def listing(listed: Sequence[tuple[Checkpoint, str]]) -> str:
    """`clew checkpoint --list --json`."""
    return dump({"checkpoints": [checkpoint_shape(one, shown) for one, shown in listed]})


def checkpoint_shape(one: Checkpoint, shown_id: str) -> dict[str, Any]:
    """One checkpoint: the same wherever one is shown."""
    return {
        "id": one.id,
        "short_id": shown_id,
        "name": one.name,
        "reason": one.reason,
        "message": one.message,
        "task": one.task,
        "time": one.time,
        "head": one.head,
        "branch": one.branch,
        "root": one.worktree,
        "files": [{"path": path, "blob": blob} for blob, path in one.files],
        "context_tokens": one.context_tokens,
        "output_tokens": one.output_tokens,
        "session": one.session,
        "by": one.by,
        "position": one.seq,
    }
