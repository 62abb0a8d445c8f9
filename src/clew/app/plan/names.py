"""Plan drift: what a plan names, looked for in the tree. A plan that names what is not there was written for another
tree, or made up.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal, NamedTuple

from clew.app.ports import Ports
from clew.app.project import ProjectSession
from clew.core.errors import Unavailable
from clew.core.plan.plan import Plan
from clew.documents.plan.names import Named, named
from clew.workspace.git import Git
from clew.workspace.symbols import Symbol, symbols

# verified: one thing has this name. missing: nothing has, and the plan does not say that it is to be made. ambiguous:
# several have. uncheckable: it is still to come, or is used and nowhere defined, or the tree could not be read.
Standing = Literal["verified", "missing", "ambiguous", "uncheckable"]
NAMES_MAX: Final = 200
_PLACES_MAX: Final = 3
_FILES_MAX: Final = 50_000


class NameFound(NamedTuple):
    """A name of a plan with how it stands. `places` are where it was found (PATH or PATH:LINE), `why` is a clause."""

    name: Named
    standing: Standing
    why: str
    places: tuple[str, ...] = ()


def names_checked(ports: Ports, at: ProjectSession, plan: Plan) -> tuple[NameFound, ...]:
    """What the plan names, in its order, each with how it stands in the work tree as it is now."""
    found = named(plan)[:NAMES_MAX]
    if not found:
        return ()
    root = at.location.root
    try:
        git = Git.at(root, environment=ports.environment)
        files = [path for path in git.files() if (root / path).exists()] if git else _listed(root)
    except Unavailable:
        return tuple(NameFound(one, "uncheckable", "git does not answer") for one in found)
    wanted = {one.name for one in found if one.kind == "symbol"}
    known = symbols(root, files, wanted) if wanted else {}
    folders = {folder for path in files for folder in _above(path)}
    return tuple(
        _symbol(one, known[one.name]) if one.kind == "symbol" else _file(one, root, files, folders) for one in found
    )


def _file(one: Named, root: Path, files: list[str], folders: set[str]) -> NameFound:
    path = one.name.removeprefix("./").rstrip("/")
    if any(sign in path for sign in "*?["):
        return NameFound(one, "uncheckable", "it is a pattern")
    if path in folders or path in files:
        return NameFound(one, "verified", "it is there", (path,))
    if ".." in path.split("/") or path.startswith("/"):
        return NameFound(one, "uncheckable", "it is outside the work tree")
    same = [name for name in files if name.endswith(f"/{path}")]
    if len(same) == 1:
        return NameFound(one, "verified", f"it is {same[0]}", (same[0],))
    if same:
        return NameFound(one, "ambiguous", f"{len(same)} files end so", tuple(same[:_PLACES_MAX]))
    if one.is_ahead:
        return NameFound(one, "uncheckable", "it is to be made")
    if (root / path).exists():
        return NameFound(one, "verified", "it is there, and git ignores it", (path,))
    base = path.rpartition("/")[2]
    moved = [name for name in files if name.rpartition("/")[2] == base]
    why = f"no such file; {moved[0]} has its name" if len(moved) == 1 else "no such file"
    return NameFound(one, "missing", why, tuple(moved[:_PLACES_MAX]))


def _symbol(one: Named, found: Symbol) -> NameFound:
    places = tuple(f"{place.path}:{place.line}" for place in found.defined)
    if len(places) == 1:
        return NameFound(one, "verified", "it is defined", places)
    if places:
        return NameFound(one, "ambiguous", f"it is defined in {len(places)} places", places[:_PLACES_MAX])
    if found.occurs is not None:
        place = f"{found.occurs.path}:{found.occurs.line}"
        return NameFound(one, "uncheckable", "it is used, and its definition was not found", (place,))
    if one.is_ahead or not found.complete:
        return NameFound(one, "uncheckable", "it is to be made" if one.is_ahead else "not all files could be read")
    return NameFound(one, "missing", "no source file has this name")


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _listed(root: Path) -> list[str]:
    """The files below a folder that is no repository; hidden folders are left out."""
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in names]
        if len(found) > _FILES_MAX:
            break
    return found
