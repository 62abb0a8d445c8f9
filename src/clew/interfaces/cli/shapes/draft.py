"""The JSON shape of drafts. Documented in docs/json.md."""

from __future__ import annotations

from typing import Any

from clew.app.draft.newest import Draft
from clew.interfaces.cli.shapes.dump import dump


def drafted(draft: Draft, shown: str) -> str:
    """`clew draft --json`."""
    return dump({"draft": draft_shape(draft, shown)})


def draft_shape(draft: Draft, shown: str) -> dict[str, Any]:
    """One draft: the same wherever one is shown."""
    return {
        "id": draft.id,
        "short_id": shown,
        "session": draft.session,
        "task": draft.task,
        "time": draft.time,
        "source": draft.source,
        "client": draft.client,
        "model": draft.model,
        "by": draft.by,
        "extent": draft.extent,
        "text": draft.text,
        "claims": [{**claim._asdict(), "stands": claim.stands} for claim in draft.claims],
    }
