"""A hub that is served over loopback, for stories."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from clew.app.project.opening import ProjectHandle
from clew.app.team.hub import Hub, make_hub
from clew.app.team.hub_client import join_hub, sync_hub
from clew.app.team.hub_database import HubDatabase, open_database
from clew.app.team.side import SyncOptions, SyncResult
from clew.interfaces.hub.server import listening, server
from clew.testing.clock import Chance, Clock
from tests.app.projects import World


class Served(NamedTuple):
    """A hub with its address, the code by which its owner joins, and its clock."""

    hub: Hub
    database: HubDatabase
    url: str
    code: str
    clock: Clock

    def lets_in(self, world: World, name: str, level: str = "write", *, past: bool = True) -> None:
        """`name` joins with the machine `world`, and may do so much with all projects."""
        join_hub(world.ports, world.top, f"{self.url}#{self.hub.invite(name)}", past=past)
        for project in self.hub.status().projects:
            self.hub.grant(name, project.id, level)  # type: ignore[arg-type]

    def synced(self, world: World, **options: object) -> SyncResult:
        """The project of `world` after an exchange with the hub."""
        project = ProjectHandle(world.ports, world.top, bool(options.pop("dry_run", False)))
        return sync_hub(project, self.url, SyncOptions(**options))  # type: ignore[arg-type]


@contextmanager
def served(address: Path | str, *, port: int = 0, patience_s: float = 30.0) -> Iterator[Served]:
    """The hub with this database, until the end. Its requests are counted by whoever looks at `hub`."""
    clock, database = Clock(), open_database(str(address))
    hub, code = make_hub(database, "Ada", now_ms=clock, chance=Chance("hub"))
    listener = listening("127.0.0.1", port)
    running = server(hub, patience_s=patience_s)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Served(hub, database, f"http://127.0.0.1:{listener.getsockname()[1]}", code, clock)
    finally:
        running.should_exit = True
        thread.join(20)
        listener.close()
        database.close()
        assert not thread.is_alive()
