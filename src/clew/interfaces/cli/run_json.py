"""What `clew run` tells programs (docs/reference/json.md)."""

from __future__ import annotations

from typing import Any, Final

from clew.interfaces.cli.encode import encoded_by
from clew.interfaces.cli.encoder import each, fields

_PHASE: Final = "number title status attempt rounds tokens cents commit place why"
_RUN: Final = fields(
    "v event run word phases halts tokens cents handoff notes",
    v=lambda _: 1,
    event=lambda _: "summary",
    phases=each("phases", _PHASE),
    halts=lambda found: [{"phase": number, "why": why, "next": next_} for number, why, next_ in found.halts],
)
_STATUS: Final = fields(
    "title run word process until why phases working tokens cents",
    phases=each("phases", _PHASE),
    working=lambda found: [{"phase": number, **pulse._asdict()} for number, pulse in found.pulses],
)
_PREVIEW: Final = fields(
    "client branch jobs review=reviews limits phases notes=gaps",
    phases=each(
        "phases", "number title status tier model budget_tokens after apart edit=allow.edit commands=allow.commands "
        "network=allow.network servers=allow.servers checks before=why_not",
    ),
)  # fmt: skip


def summary_json(found: Any) -> str:
    """The last line of a run's events."""
    return encoded_by(_RUN, found, indent=-1)


def status_json(found: Any, *, one_line: bool = False) -> str:
    """How a run stands."""
    return encoded_by(_STATUS, found, indent=-1 if one_line else 2)


def preview_json(found: Any) -> str:
    """What a run would do."""
    return encoded_by(_PREVIEW, found)
