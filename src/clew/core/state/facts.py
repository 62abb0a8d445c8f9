"""Facts: what is known for good of a project or its user, under topics. A fact is a learning that has a topic; what it
says, and where it came from, is folded from events like all else (SPEC C10). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from clew.core.state.fold import SOURCE, Entities, Entity, values
from clew.core.state.items import Cite, Item, Provenance
from clew.core.state.projection import is_of_memory, known, text_of

# The topics that an index begins with, in this order; others follow by name.
TOPICS: Final = ("user", "project", "infrastructure", "decisions", "gotchas")
# Where a tagged learning goes, if nobody says otherwise.
_BY_TAG: Final[Mapping[str, str]] = {
    "DECISION": "decisions",
    "GOTCHA": "gotchas",
    "CORRECTION": "user",
    "REUSE": "project",
    "LEARNED": "project",
}
_BY_KIND: Final[Mapping[str, str]] = {"decision": "decisions", "constraint": "decisions", "failed": "gotchas"}


class FactSource(NamedTuple):
    """Where a fact came from: the id of a learning or a place in a file, `told` for people, and its own wording where
    that was another ("").
    """

    name: str
    told: str
    text: str


class Fact(NamedTuple):
    """One fact. `text` is one line, `why` more of it, in lines. `files` are what it speaks of, `cites` those of them
    with their content when it was last confirmed. `actor` and `provenance` tell who vouches for it; `time` is when it
    was stated. `sources` are in order of their names.
    """

    id: str
    topic: str
    text: str
    why: str
    tags: tuple[str, ...]
    files: tuple[str, ...]
    cites: tuple[Cite, ...]
    sources: tuple[FactSource, ...]
    provenance: Provenance
    actor: str
    time: str
    pinned: bool

    @property
    def wordings(self) -> tuple[str, ...]:
        """All that it says, in every wording it was ever joined with."""
        return (self.text, *(one.text for one in self.sources if one.text))


def facts(entities: Entities) -> tuple[Fact, ...]:
    """The facts that stand, by topic, the oldest first. `entities` are the project's own."""
    mine = {name: entity for name, entity in entities.items() if _topic(entity)}
    entries = known(mine, ()).values()
    found = [fact_of(one.item, mine[one.item.id]) for one in entries if one.standing == "live"]
    return tuple(sorted(found, key=lambda one: (topic_order(one.topic), one.time, one.id)))


def fact_of(item: Item, entity: Entity) -> Fact:
    """The fact that an item of memory is."""
    fields = values(entity)
    tags = fields.get("tags")
    told = (
        FactSource(name.removeprefix(SOURCE), str(value[0]), str(value[1]))
        for name, value in sorted(fields.items())
        if name.startswith(SOURCE) and isinstance(value, list) and len(value) > 1
    )
    return Fact(
        item.id, _topic(entity), item.text, item.why, tuple(tags) if isinstance(tags, list) else (), item.files,
        item.cites, tuple(told), item.provenance, item.actor, item.time, item.pinned,
    )  # fmt: skip


def covered(entities: Entities) -> frozenset[str]:
    """The sources of all facts, those among them that were dropped since: nothing of it waits any more."""
    names = (name for entity in entities.values() for change in entity for name in change.fields)
    return frozenset(name.removeprefix(SOURCE) for name in names if name.startswith(SOURCE))


def waiting(entities: Entities) -> tuple[Item, ...]:
    """What was read from memory folders and is not triaged yet, in the order in which it was read."""
    mine = {name: entity for name, entity in entities.items() if is_of_memory(entity) and not _topic(entity)}
    live = [entry.item for entry in known(mine, ()).values() if entry.standing == "live"]
    items = [item._replace(source=text_of(values(mine[item.id]).get("source"))) for item in live]
    return tuple(sorted(items, key=lambda one: (one.time, one.id)))


def suggested_topic(item: Item, tags: Iterable[str] = ()) -> str:
    """Under which topic a learning belongs, by its tags, its label and its kind; "project" where nothing tells."""
    words = [*tags, *item.label.upper().replace(",", " ").split()]
    tagged = next((_BY_TAG[word] for word in words if word in _BY_TAG), "")
    stem = item.source.rpartition(":")[0].rpartition("/")[2].removesuffix(".md")  # a file of a memory folder is a topic
    return tagged or topic_name(stem) or _BY_KIND.get(item.kind, "project")


def topic_order(topic: str) -> tuple[int, str]:
    """How topics are sorted: those that an index begins with, then by name."""
    return (TOPICS.index(topic) if topic in TOPICS else len(TOPICS)), topic


def topic_name(text: str) -> str:
    """`text` as the name of a topic and of its file: lower case, letters and digits of any script, dashes; "" none."""
    name = "-".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())
    return "" if name == "memory" else name[:40].strip("-")


def _topic(entity: Entity) -> str:
    return text_of(values(entity).get("topic"))
