"""The JSON shape of `clew pressure`. Documented in docs/json.md."""

from __future__ import annotations

from typing import Any

from clew.app.pressure import Pressure
from clew.core.pressure import crossed
from clew.core.signals import Signal
from clew.interfaces.cli.shapes.dump import dump


def pressure(found: Pressure) -> str:
    """`clew pressure --json`."""
    signals, limits = found.signals, found.limits
    return dump(
        {
            "session": found.session,
            "client": found.client,
            "file": str(found.file),
            "model": signals.model,
            "context_tokens": signals.context,
            "window_tokens": limits.window.tokens,
            "usable_tokens": limits.window.usable,
            "estimated": not limits.window.is_sure,
            "percent": found.percent,
            "crossed": crossed(signals.context, limits),
            "checkpoint_tokens": limits.checkpoint,
            "checkpoint_by": limits.checkpoint_by,
            "compact_tokens": limits.compact,
            "compact_by": limits.compact_by,
            "growth_tokens": found.growth,
            "turns_left": found.turns_left,
            "hours": round(found.hours, 2),
            "prompts": signals.prompts,
            "compactions": signals.compactions,
            "checkpoint_age_s": found.saved_s,
            "signals": [
                _signal(name, signal)
                for name, signal in (
                    ("failing", signals.failing),
                    ("undone", signals.undone),
                    ("reread", signals.reread),
                    ("alike", signals.alike),
                )
                if signal is not None
            ],
            "step": signals.step,
            "advice": found.advice.deed,
            "reason": found.advice.reason,
            "next": found.advice.command,
            "notes": list(found.notes),
        }
    )


def _signal(name: str, signal: Signal) -> dict[str, Any]:
    return {"signal": name, "subject": signal.subject, "times": signal.times}
