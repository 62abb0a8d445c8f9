"""A project where a person and an agent record things, each word a millisecond after the one before."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle, open_project
from clew.app.project.session import Outcome, ProjectSession
from clew.app.record.note import NewNote, note
from clew.core.errors import ClewError
from clew.core.state.events import Recorded
from clew.core.state.items import Authority, Kind
from clew.core.state.projection import Known
from clew.ledger.port import Ledger
from tests.app.projects import AGENT, PERSON, World


class Shop(World):
    """`ada` is the person's ports, `bot` the agent's."""

    def __init__(self, folder: Path, *, ledger: bool = True) -> None:
        super().__init__(folder, ledger=ledger)
        self.ada = self.ports_of(PERSON)
        self.bot = self.ports_of(AGENT)._replace(actor="claude-code", asking_session="5e551011")

    def ports_of(self, authority: Authority) -> Ports:
        """See `World`; the clock ticks whenever it is read."""
        return super().ports_of(authority)._replace(now_ms=self.clock.tick)

    @property
    def by_person(self) -> ProjectHandle:
        """See `World`."""
        return ProjectHandle(self.ada, self.top)

    @property
    def by_agent(self) -> ProjectHandle:
        """See `World`."""
        return ProjectHandle(self.bot, self.top)

    def over(self, ledger: Ledger) -> None:
        """From now on this ledger is the project's, whichever file is named."""
        self.ada, self.bot = (
            ports._replace(open_ledger=lambda path, *, project, write: ledger) for ports in (self.ada, self.bot)
        )

    def noted(self, kind: Kind, text: str, *, by: Ports | None = None, **fields: object) -> str:
        """A note by the person, or by somebody else; its whole id."""
        done = self.note(kind, text, by=by, **fields)
        assert done.item is not None
        return done.item.id

    def note(self, kind: Kind, text: str, *, by: Ports | None = None, **fields: object) -> Outcome:
        """The same with all that was told."""
        return note(
            ProjectHandle(by or self.ada, self.top, bool(fields.pop("dry_run", False))), NewNote(kind, text, **fields)
        )  # type: ignore[arg-type]

    def desk_of(self, ports: Ports) -> AbstractContextManager[ProjectSession]:
        """The desk as somebody opens it to look."""
        return open_project(ports, self.top, write=False)

    def known(self, task: str = "") -> dict[str, Known]:
        """All items of a task, by id."""
        with self.desk(write=False) as at:
            return at.known(task)

    def live(self, task: str = "") -> list[str]:
        """The texts of the items that count, sorted."""
        return sorted(entry.item.text for entry in self.known(task).values() if entry.standing == "live")

    def events(self) -> list[Recorded]:
        """All that was recorded."""
        with self.desk(write=False) as at:
            return list(at.ledger.events())

    def refused(self, change: Callable[[], object]) -> ClewError:
        """What is said to a change that is refused; nothing is recorded then."""
        before = self.events()
        with pytest.raises(ClewError) as caught:
            change()
        assert before == self.events()
        assert caught.value.hint
        return caught.value
