"""The library's front door: use cases with their adapters picked. Reached through `import clew`."""

from __future__ import annotations

import os
from pathlib import Path

from clew import wiring
from clew.app import resume as resuming
from clew.app import show as showing
from clew.app.resume import Resumption
from clew.app.show import Showing
from clew.core.errors import InputError

__all__ = ["Resumption", "Showing", "resume", "show"]


def resume(
    folder: str | os.PathLike[str] = ".",
    *,
    transcript: str | os.PathLike[str] | None = None,
    budget_tokens: int | None = None,
    profile: str = "rehydrate",
) -> Resumption:
    """The payload that lets the next session in `folder` go on, with what it was made from. Writes nothing.

    `transcript`: the session file to go on from, or a session's id or a beginning of it that no other shares; without
    it the newest session of the project that `folder` is in.
    `budget_tokens`: the most estimated o200k tokens that the text may have (default: the profile's own, 1,000).
    Raises `clew.ClewError`: no session, a file that is none, a budget too small. See docs/errors.md for the codes.
    """
    return resuming.resume(
        wiring.ports(),
        folder=_absolute(folder),
        transcript=_named(transcript),
        budget_tokens=budget_tokens,
        profile=profile,
    )


def show(
    item: str | None = None,
    *,
    folder: str | os.PathLike[str] = ".",
    transcript: str | os.PathLike[str] | None = None,
) -> Showing:
    """The item whose id begins with `item`, with its evidence; all items if it is None.

    The session is picked as in `resume`. Raises `clew.ClewError`: no such item, or several.
    """
    return showing.show(
        wiring.ports(),
        item,
        folder=_absolute(folder),
        transcript=_named(transcript),
    )


def _absolute(folder: str | os.PathLike[str]) -> Path:
    """`folder` from the root on. Raises `InputError`: it is no path, or the folder that we stand in is gone."""
    try:
        place = Path(folder).absolute()
    except FileNotFoundError:
        raise InputError(
            "the current folder does not exist any more", code="E-folder-gone", hint="Change to one that does."
        ) from None
    if "\0" in str(place):
        raise InputError(f"{folder!r} is no path", code="E-folder-gone", hint="Name an existing folder.")
    return place


def _named(transcript: str | os.PathLike[str] | None) -> Path | None:
    """`transcript` as a path. Raises `InputError`: an empty name, which would be the current folder."""
    if transcript is None:
        return None
    if not os.fspath(transcript):
        raise InputError(
            "the name of the session file is empty",
            code="E-transcript-missing",
            hint="Name a session file (.jsonl) or a session's id.",
        )
    return Path(transcript)
