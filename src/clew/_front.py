"""The library's front door: use cases with their adapters picked. Reached through `import clew`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from clew import wiring
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.resume import payload as resuming
from clew.core.errors import InputError

if TYPE_CHECKING:
    from clew.app.library import Project
    from clew.app.look.sessions import SessionDigest
    from clew.app.look.show import Showing
    from clew.app.resume.payload import ResumeOptions, Resumption

__all__ = ["digest", "open", "resume", "show"]


def open(
    folder: str | os.PathLike[str] = ".",
    *,
    create: bool = False,
    task: str | None = None,
    actor: str = "",
    ledger: str = "",
) -> Project:
    """The project that `folder` is in, with its ledger open: `with clew.open() as project`.

    `create`: a folder without a ledger gets one, as by `clew init`, and `task` is opened if there is none of that name.
    `task`: a task's id or title; without it the one that is bound to this work tree and branch, if any. `actor`: who
    is said to have recorded things, such as the agent's name. `ledger`: with `create` the address of the PostgreSQL
    database (`postgres://USER@HOST/DATABASE`) that keeps a new project's ledger; where one is kept it is that one.
    Raises `clew.ClewError`: no ledger, no such task, a ledger that cannot be read. See docs/reference/library.md.
    """
    from clew.app.library import open_library  # here: it needs a good part of clew, and `resume` does not

    return open_library(wiring.ports(), _absolute(folder), create=create, task=task, actor=actor, ledger=ledger)


def resume(folder: str | os.PathLike[str] = ".", **options: Unpack[ResumeOptions]) -> Resumption:
    """The payload that lets the next session in `folder` go on, with what it was made from.

    Where a ledger is kept, what sessions left is imported, and it is the state of `task`, else of the task that is
    bound to this work tree and branch. Otherwise it is the newest session of the project that `folder` is in, and
    nothing is written. The `options` are those of `ResumeOptions`; of the profile `rehydrate` the budget is by default
    the setting `resume.budget_tokens`, 1,500 if nobody set it.
    Raises `clew.ClewError`: no session, a file that is none, a budget too small. See docs/reference/errors.md for the
    codes.
    """
    ports, place = wiring.ports(), _absolute(folder)
    settings = ports.settings(locate(place).root)
    options["transcript"] = _named(options.get("transcript"))
    if options.get("budget_tokens") is None and options.get("profile", resuming.REHYDRATE) == resuming.REHYDRATE:
        options["budget_tokens"] = settings.number("resume.budget_tokens")
    found = resuming.resume(ProjectHandle(ports, place), **options)
    return found._replace(notes=(*settings.notes, *found.notes))


def show(
    item: str | None = None, *, folder: str | os.PathLike[str] = ".", transcript: str | os.PathLike[str] | None = None
) -> Showing:
    """The item whose id begins with `item`, with its evidence; all items if it is None.

    The session is picked as in `resume`. Raises `clew.ClewError`: no such item, or several.
    """
    from clew.app.look import show as showing  # here: as above

    return showing.show(ProjectHandle(wiring.ports(), _absolute(folder)), item, transcript=_named(transcript))


def digest(
    session: str | os.PathLike[str] | None = None, *, folder: str | os.PathLike[str] = ".", budget_tokens: int = 6_000
) -> SessionDigest:
    """A session's record in short, for whoever goes on with its work where no hand-off was written.

    `session`: its file, its id, or a beginning of it that no other shares; None: the newest session of the project that
    `folder` is in, but not the one that asks. Nothing is written. Raises `clew.ClewError`.
    """
    from clew.app.look import sessions as digesting  # here: as above

    named = _named(session) or ""
    return digesting.digest(
        ProjectHandle(wiring.ports(), _absolute(folder)), session=named, budget_tokens=budget_tokens
    )


def _absolute(folder: str | os.PathLike[str]) -> Path:
    """`folder` from the root on. Raises `InputError`: it is not a path, or the folder that we stand in is gone."""
    try:
        place = Path(folder).absolute()
    except FileNotFoundError:
        raise InputError(
            "the current folder does not exist any more", code="E-folder-gone", hint="Change to one that does."
        ) from None
    if "\0" in str(place):
        raise InputError(f"{folder!r} is not a path", code="E-folder-gone", hint="Name an existing folder.")
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
