"""The client families, found by the convention of their folders.

A family is a package whose modules have the same names in every family. `__init__.py` is empty, since every hook loads
it; a part is imported when it is first asked for, and one that a family does not have is missing:

| module | gives |
| --- | --- |
| `spec` | `SPEC`, what is known of the client as data |
| `reader` | `READER` |
| `paths` | `locator(environment, user)` |
| `install` | `INSTALLER`, a kind of `clew.clients.installing.Installer` |
| `config` | `CONFIG`, a kind of `clew.clients.configured.ClientConfig` |
| `launch` | `LAUNCHER` |
| `dialect` | how the client speaks with hooks (`interfaces/hook/entry.py` imports it by itself) |

clew's own families are the folders beside this module that have a `spec`; other packages bring theirs by an entry point
of the group `clew.clients`, whose name is the client's and whose value is the package (docs/clients/README.md).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clew.core.errors import Unavailable

if TYPE_CHECKING:
    from clew.clients.configured import ClientConfig
    from clew.clients.installing import Installer
    from clew.clients.launching import Launcher
    from clew.clients.port import Locator, Reader
    from clew.clients.spec import ClientSpec
    from clew.core.state.authority import Agents

_FOLDER: Final = os.path.dirname(__file__)  # noqa: PTH120 - every start asks
# In the order in which they are asked.
CLIENTS: Final = tuple(
    sorted(name.replace("_", "-") for name in os.listdir(_FOLDER) if os.path.exists(f"{_FOLDER}/{name}/spec.py"))  # noqa: PTH110, PTH208
)
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
    def spec(self) -> ClientSpec | None:
        """What is known of it as data; None for a format of documents."""
        module = self._part("spec")
        return module.SPEC if module else None

    @property
    def sessions(self) -> Path | None:
        """The folder in which its sessions lie: a client that was never used has no such folder. None for documents."""
        return self.spec.sessions(self._environment, self._user) if self.spec else None

    @property
    def is_used(self) -> bool:
        """Whether there is a place for its sessions."""
        return (folder := self.sessions) is not None and folder.exists()

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
        return module.INSTALLER.of(self._environment, self._user, server=server) if module else None

    def config(self) -> ClientConfig | None:
        """What its settings say on this machine."""
        module, spec = self._part("config"), self.spec
        return module.CONFIG(spec.home(self._environment, self._user)) if module and spec else None

    def launcher(self) -> Launcher | None:
        """How it is started."""
        module = self._part("launch")
        return module.LAUNCHER if module else None

    def settings(self, project: Path) -> tuple[Path, ...]:
        """The files that decide which hooks run in `project`."""
        return self.spec.settings_of(self.spec.home(self._environment, self._user), project) if self.spec else ()

    def _part(self, module: str) -> Any:
        """One of its modules, None for one that it does not have. Raises `Unavailable` for one that fails to load."""
        try:
            return __import__(f"{self._package}.{module}", fromlist=["*"])
        except ModuleNotFoundError as error:
            if error.name == f"{self._package}.{module}":
                return None
            raise self._broken(error) from error
        except Exception as error:  # anybody wrote it
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> Exception:
        return Unavailable(
            f"the package {self._package} for the client {self.name} cannot be loaded: {error}",
            code="E-plugin",
            hint="Fix or uninstall the package that brings it.",
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


def spec_of(client: str) -> ClientSpec | None:
    """What is known of one of clew's own clients; None for any other."""
    return __import__(f"{_package(client)}.spec", fromlist=["*"]).SPEC if client in CLIENTS else None


def specs() -> tuple[ClientSpec, ...]:
    """What is known of each of clew's own clients."""
    return tuple(spec for client in CLIENTS if (spec := spec_of(client)))


def agents() -> Agents:
    """By what agents' clients are known: clew's own, and others."""
    from clew.core.state.authority import STRANGERS, Agents  # here: most starts ask only for sessions

    own = specs()
    told = {name for spec in own for name in (spec.asking, *spec.marks) if name}
    return Agents((*(spec.program for spec in own), *STRANGERS.programs), STRANGERS.marks | told)


def _package(client: str) -> str:
    return f"{__package__}.{client.replace('-', '_')}"


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
