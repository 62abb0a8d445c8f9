"""A project with a memory, where learnings come from agents, people and files."""

from __future__ import annotations

from collections.abc import Sequence

from clew.app.memory import use
from clew.app.memory.candidates import Candidate, candidates
from clew.app.memory.store import open_memory
from clew.app.memory.triage import Decision, Deed, Triage
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.core.state.facts import Fact, facts
from tests.app.recorders import Shop


class Shelf(Shop):
    """A shop with a memory."""

    def facts(self) -> list[Fact]:
        """The facts that stand."""
        with self.desk(write=False) as at:
            return list(facts(at.ledger.fold("").entities))

    def waits(self) -> list[Candidate]:
        """What waits to be triaged."""
        with open_memory(self.by_person, "project", write=False) as memory:
            return candidates(memory)

    def learn(self, text: str, *, by: Ports | None = None, tags: tuple[str, ...] = ("GOTCHA",), why: str = "") -> str:
        """Somebody learns something; its id."""
        return self.noted("learning", text, by=by, tags=tags, why=why)

    def triage(self, deed: Deed, *, by: Ports | None = None, **fields: str) -> Triage:
        """Do the same with all that waits."""

        def choose(found: Sequence[Candidate], _: Sequence[Fact]) -> list[Decision]:
            return [Decision(one, deed, **fields) for one in found]

        return use.triage(ProjectHandle(by or self.ada, self.top), "project", choose)

    def page(self, topic: str) -> str:
        """The page of a topic, as it lies there."""
        return (self.top / ".clew" / "memory" / f"{topic}.md").read_text()
