"""The client families, found by the convention of their folders.

A family is a package whose modules have the same names in every family. `__init__.py` says where the client keeps its
things and imports nothing, since every hook loads it; a part is imported when it is first asked for, and one that a
family does not have is missing:

| module | gives |
| --- | --- |
| `__init__` | `home_of`, `sessions_of`, `ASKING`, `VARIABLES`, `HANDSHAKE`; some `ANONYMOUS`, `PLACE`, `PLUGIN_MARK` |
| `reader` | `READER` |
| `paths` | `locator(environment, user)`, `settings_of(home, project)` |
| `install` | `installer(environment, user, server=…)` |
| `config` | `configured(environment, user)` |
| `launch` | `LAUNCHER` |
| `dialect` | how the client speaks with hooks (`interfaces/hook/entry.py` imports it by itself) |

clew's own families lie beside this module; other packages bring theirs by an entry point of the group `clew.clients`,
whose name is the client's and whose value is the package (docs/clients/README.md).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from clew.clients.configured import Configured
    from clew.clients.installing import Installer
    from clew.clients.launching import Launcher
    from clew.clients.port import Locator, Reader

# In the order in which they are asked. A start of clew must not look through a folder for them.
CLIENTS: Final = ("claude-code", "codex", "gemini", "opencode")
# Formats of documents that a person names: they lie nowhere of their own. Asked behind the clients.
DOCUMENTS: Final = ("chat",)
GROUP: Final = "clew.clients"


class Family:
    """A client family: `package` has its modules. `user` is the user's home folder."""

    def __init__(self, name: str, package: str, environment: Mapping[str, str], user: Path) -> None:
        self.name = name
        self._package = package
        self._environment = environment
        self._user = user

    @property
    def sessions(self) -> Path | None:
        """The folder in which its sessions lie: a client that was never used has no such folder. None for documents."""
        found = self._about("sessions_of")
        return found(self._environment, self._user) if found else None

    @property
    def is_used(self) -> bool:
        """Whether there is a place for its sessions."""
        return (folder := self.sessions) is not None and folder.exists()

    @property
    def asking(self) -> str:
        """The variable that it sets in what it starts: the session that asks is not the one to go on from. "" none."""
        return str(self._about("ASKING") or "")

    @property
    def is_anonymous(self) -> bool:
        """Whether that variable tells only that the client runs a command, and not which session does."""
        return bool(self._about("ANONYMOUS"))

    def reader(self) -> Reader | None:
        """What reads its sessions."""
        module = self._part("reader")
        return module.READER if module else None

    def locator(self) -> Locator | None:
        """What finds its sessions."""
        module = self._part("paths")
        return module.locator(self._environment, self._user) if module else None

    def installer(self, *, server: bool) -> Installer | None:
        """How clew gets into it; with `server` the MCP server, too."""
        module = self._part("install")
        return module.installer(self._environment, self._user, server=server) if module else None

    def configured(self) -> Configured | None:
        """What its settings say on this machine."""
        module = self._part("config")
        return module.configured(self._environment, self._user) if module else None

    def launcher(self) -> Launcher | None:
        """How it is started."""
        module = self._part("launch")
        return module.LAUNCHER if module else None

    def settings(self, project: Path) -> tuple[Path, ...]:
        """The files that decide which hooks run in `project`."""
        module, home = self._part("paths"), self._about("home_of")
        return module.settings_of(home(self._environment, self._user), project) if module and home else ()

    def _about(self, name: str) -> Any:
        try:
            return getattr(_imported(self._package), name, None)
        except Exception as error:  # anybody wrote it
            raise self._broken(error) from error

    def _part(self, module: str) -> Any:
        """One of its modules, None for one that it does not have. Raises `Unavailable` for one that fails to load."""
        try:
            return _imported(f"{self._package}.{module}")
        except ModuleNotFoundError as error:
            if error.name == f"{self._package}.{module}":
                return None
            raise self._broken(error) from error
        except Exception as error:  # anybody wrote it
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> Exception:
        from clew.core.errors import Unavailable  # here: clew's own families load

        return Unavailable(
            f"the package {self._package} for the client {self.name} cannot be loaded: {error}",
            code="E-plugin",
            hint="Mend or uninstall the package that brings it.",
        )


class Registry:
    """The families of a user whose home folder is `user`. With `plugins` also those that other installed packages
    bring, which are looked for when they are first asked for. A hook has none: whatever is installed would run in it.
    """

    def __init__(self, environment: Mapping[str, str], user: Path, *, plugins: bool = True) -> None:
        self._of = environment, user
        self._plugins: tuple[Family, ...] | None = None if plugins else ()
        self.own = tuple(Family(name, _package(name), *self._of) for name in CLIENTS)

    def clients(self) -> Iterator[Family]:
        """clew's own clients, and behind them those of other packages."""
        yield from self.own
        if self._plugins is None:
            self._plugins = tuple(Family(name, package, *self._of) for name, package in _entry_points())
        yield from self._plugins

    def readable(self) -> Iterator[Family]:
        """All of them, and behind them the formats of documents, which are the most general ones."""
        yield from self.clients()
        for name in DOCUMENTS:
            yield Family(name, f"{__package__}.generic.{name}", *self._of)


def fact(client: str, name: str) -> Any:
    """What the package of one of clew's own clients says under `name`, None for nothing."""
    return getattr(_imported(_package(client)), name, None) if client in CLIENTS else None


def facts(name: str) -> dict[str, Any]:
    """What the packages of clew's own clients say under `name`, by client; those that say nothing are left out."""
    found = {client: fact(client, name) for client in CLIENTS}
    return {client: value for client, value in found.items() if value}


def _package(client: str) -> str:
    return f"{__package__}.{client.replace('-', '_')}"


def _imported(module: str) -> Any:
    return __import__(module, fromlist=["*"])


def _entry_points() -> Iterator[tuple[str, str]]:
    """Names and packages of the families that other packages declare."""
    if not any(map(_declares, sys.path)):
        return
    from importlib.metadata import entry_points  # here: dear, and hardly anybody has a plugin

    for entry in entry_points(group=GROUP):
        if entry.name not in (*CLIENTS, *DOCUMENTS):
            yield entry.name, entry.module


def _declares(folder: str) -> bool:
    """Whether a package that is installed in `folder` declares an entry point of the group."""
    mark = f"[{GROUP}]".encode()
    try:
        with os.scandir(folder or ".") as entries:
            known = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    for path in known:
        try:
            with open(f"{path}/entry_points.txt", "rb", buffering=0) as file:  # noqa: PTH123 - a hundred of them
                if mark in file.read():
                    return True
        except OSError:
            continue
    return False
