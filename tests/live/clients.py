"""Every client that stories are told of, and who has several of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.live import claude, codex, copilot, gemini, opencode, people

DRIVERS: Final[Mapping[str, type[people.Person]]] = {
    driver.name: driver for driver in (claude.Person, codex.Person, gemini.Person, opencode.Person, copilot.Person)
}
CLIENTS: Final = tuple(DRIVERS)


@contextmanager
def owner(home: Path, *clients: str) -> Iterator[tuple[people.Person, ...]]:
    """One person as the user of each of some clients, all in one home. Raises Missing."""
    with ExitStack() as stack:
        yield tuple(
            stack.enter_context(people.present(DRIVERS[client](DRIVERS[client].package.installed(), home)))
            for client in clients
        )
