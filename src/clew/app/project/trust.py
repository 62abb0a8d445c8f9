"""What a person trusts of what came with a repository: hashes of exactly that, kept by the user
(docs/reference/trust.md).
"""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.app.project.authority import require_person
from clew.app.project.untrusted_content import Sort, Thing, digest, program_content, untrusted_content
from clew.core.errors import InputError
from clew.core.settings import Setting
from clew.core.state.items import Authority
from clew.workspace.atomic import replace
from clew.workspace.repository import find, resolved

_VERSION: Final = 1
# Rows of this sort name tools of which a person said that they only read.
_TOOL: Final = "tool"
_STORE_BYTES_MAX: Final = 16 << 20


class TrustedProject(NamedTuple):
    """A project as trust knows it. `root` is where its files are; `key` is the folder that all its work trees share,
    so that a clone elsewhere has to be trusted again, whatever identity it says it has."""

    key: str
    root: Path


class TrustStatus(NamedTuple):
    """A thing, and whether exactly this content of it is trusted."""

    thing: Thing
    trusted: bool


def project_at(root: Path) -> TrustedProject:
    """The project whose top is `root`."""
    repository = find(root)
    return TrustedProject(str(repository.common_dir if repository else resolved(root)), root)


def standings(store: Path, project: TrustedProject) -> tuple[TrustStatus, ...]:
    """All that came with the project. Raises `InputError` if the user's store cannot be used."""
    known = _hashes(_read(store), project.key)
    return tuple(
        TrustStatus(thing, not thing.problem and (thing.sort, thing.sha256) in known)
        for thing in untrusted_content(project.root)
    )


def untrusted(store: Path, project: TrustedProject) -> tuple[Thing, ...]:
    """What nobody trusts, or can: nothing of it is run or given to a session, and one line should name it."""
    return tuple(standing.thing for standing in standings(store, project) if not standing.trusted)


def trusted(store: Path, project: TrustedProject, sort: Sort, content: bytes) -> bool:
    """Whether a person trusted exactly this content. Ask before each use, with the bytes that are used.

    `content` is the whole file of a document, `untrusted_content.command_content` of a command.
    """
    return (sort, digest(sort, content)) in _hashes(_read(store), project.key)


def trusted_program(store: Path, project: TrustedProject, setting: Setting, program: str) -> bool:
    """Whether a person trusted that the project's file names this program in this setting."""
    return trusted(store, project, "program", program_content(setting, program))


def trust(
    store: Path, project: TrustedProject, things: Sequence[Thing], *, said: Authority, time: str
) -> tuple[Thing, ...]:
    """Record that `things`, as they were shown, are trusted; those that were not before.

    `said` is what the channel allows. What was trusted earlier stays so: another branch may hold it. A thing
    with a problem is left out. Raises `NotAllowed`, `InputError`.
    """
    logins = all(thing.sort == "login" for thing in things) and bool(things)
    names = "\n".join(f"{thing.name} ({thing.sha256[:12]})" for thing in things if not thing.problem)
    require_person(said, "login" if logins else "content", about=lambda: names)
    content = _read(store)
    known = _hashes(content, project.key)
    new = tuple(thing for thing in things if not thing.problem and (thing.sort, thing.sha256) not in known)
    if new:
        rows = [
            {"sort": thing.sort, "name": thing.name, "place": thing.place, "sha256": thing.sha256, "at": time}
            for thing in new
        ]
        projects = {**content, project.key: [*content.get(project.key, []), *rows]}
        _write(store, projects)
    return new


def allow_tool(store: Path, project: TrustedProject, tool: str, *, said: Authority, time: str) -> bool:
    """Record that `tool` only reads, so that it passes while a plan is open; whether that is new.

    Raises `NotAllowed`, `InputError`.
    """
    require_person(said, "tool")
    content = _read(store)
    if tool in allowed_tools(store, project):
        return False
    row = {"sort": _TOOL, "name": tool, "place": "", "sha256": "", "at": time}
    _write(store, {**content, project.key: [*content.get(project.key, []), row]})
    return True


def allowed_tools(store: Path, project: TrustedProject) -> frozenset[str]:
    """The tools of which a person said that they only read. Raises `InputError`."""
    return frozenset(row["name"] for row in _read(store).get(project.key, []) if row["sort"] == _TOOL)


def login_thing(host: str, login: str) -> Thing:
    """The editor of issues who has this login on a server; neither tells case."""
    name = f"{host}/{login}".lower()
    return Thing("login", name, "", name, 0, digest("login", name.encode()), "")


def trusted_logins(store: Path, project: TrustedProject, host: str) -> frozenset[str]:
    """The logins on a server whose edits of issues count as a person's here, in lower case."""
    names = (row["name"] for row in _read(store).get(project.key, []) if row["sort"] == "login")
    return frozenset(name.removeprefix(f"{host.lower()}/") for name in names if name.startswith(f"{host.lower()}/"))


def forget_login(store: Path, project: TrustedProject, login: Thing, *, said: Authority) -> bool:
    """Trust a login no more; whether it was trusted. Raises `NotAllowed`, `InputError`."""
    require_person(said, "revoke")
    content = _read(store)
    rows = content.get(project.key, [])
    left = [row for row in rows if (row["sort"], row["sha256"]) != ("login", login.sha256)]
    if len(left) < len(rows):
        _write(store, {**content, project.key: left})
    return len(left) < len(rows)


def kept(store: Path, project: TrustedProject) -> int:
    """How many contents of the project are trusted, those among them that it does not hold any more."""
    return len(_read(store).get(project.key, []))


def revoke(store: Path, project: TrustedProject, *, said: Authority) -> int:
    """Trust nothing of the project any more; how many hashes are gone. Raises `NotAllowed`, `InputError`."""
    require_person(said, "revoke")
    content = _read(store)
    gone = content.get(project.key, [])
    if gone:
        _write(store, {key: rows for key, rows in content.items() if key != project.key})
    return len(gone)


def _hashes(content: Mapping[str, Sequence[Mapping[str, str]]], key: str) -> frozenset[tuple[str, str]]:
    return frozenset((row["sort"], row["sha256"]) for row in content.get(key, []))


def _read(store: Path) -> dict[str, list[dict[str, str]]]:
    """The store's projects with what is trusted of them. One that cannot be understood is an error, never empty."""
    import json

    try:
        with store.open("rb") as file:
            facts = os.fstat(file.fileno())
            if hasattr(os, "getuid") and (facts.st_uid != os.getuid() or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
                raise _unusable(store, "others may write it", "Make it yours alone (mode 600), and look what is in it.")
            data = file.read(_STORE_BYTES_MAX + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise _unusable(store, f"it cannot be read ({error.strerror})", "Fix its permissions.") from None
    try:
        found: Any = json.loads(data)
        if found["v"] > _VERSION:
            raise _unusable(store, "a newer clew wrote it", "Use that version, or a newer one.")
        return {
            str(key): [{name: str(row[name]) for name in ("sort", "name", "place", "sha256", "at")} for row in rows]
            for key, rows in found["projects"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        hint = "Put it right, or move it away: then nothing is trusted, and `clew trust` asks again."
        raise _unusable(store, "it is damaged", hint) from None


def _write(store: Path, projects: Mapping[str, Sequence[Mapping[str, str]]]) -> None:
    import json

    text = json.dumps({"v": _VERSION, "projects": projects}, indent=1, sort_keys=True)
    try:
        replace(store, text.encode("utf-8", "replace") + b"\n", mode=0o600)
    except OSError as error:
        raise _unusable(
            store, f"it cannot be written ({error.strerror})", "Fix its permissions, or free some room."
        ) from None


def _unusable(store: Path, why: str, hint: str) -> InputError:
    return InputError(f"the list of what is trusted, {store}, cannot be used: {why}", code="E-trust-store", hint=hint)
