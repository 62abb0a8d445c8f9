"""Writes the parts of a session's status line into its live folder, for the hook that prints it (core/status_line)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from clew.core.status_line import pack
from clew.core.text import clean, one_line
from clew.workspace.atomic import replace


def write_line(folder: Path, *, task: str, phase: str = "", saved_ms: int = 0, alarm: str = "") -> None:
    """Keep the parts in `folder`, a session's live folder that exists; a folder that cannot be written is left alone.

    `saved_ms` is the time of the last checkpoint, in milliseconds since 1970, 0 if there is none. The texts are made
    clean here; that they hold no secrets is the caller's business.
    """
    texts = [one_line(clean(text)) for text in (task, phase, alarm)]
    parts = pack(task=texts[0], phase=texts[1], saved_s=saved_ms // 1000, alarm=texts[2])
    with suppress(OSError):
        replace(folder / "line", parts.encode("utf-8", "replace"), mode=0o600)
