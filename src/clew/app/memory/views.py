"""The pages of a memory on disk: views of its ledger, written when it changes (docs/reference/memory.md)."""

from __future__ import annotations

from typing import Final

from clew.app.memory.intake import strays_on
from clew.app.memory.pages import INDEX, index_page, topic_page
from clew.app.memory.store import FOLDER, OpenMemory
from clew.app.project import PROJECT_FOLDER
from clew.app.project.views import ViewFile, Views, Wrote
from clew.core.state.facts import Fact
from clew.workspace.disk import Disk
from clew.workspace.inside import names

_PREFIX: Final = f"{PROJECT_FOLDER}/{FOLDER}"
_PAGES_MAX: Final = 500


def views_of(memory: OpenMemory) -> Views:
    """Where the pages of a memory are written."""
    location = memory.at.location
    return Views(location.root, location.ledger.parent)


def prefix_of(memory: OpenMemory) -> str:
    """Where they lie under the root of `views_of`."""
    return "" if memory.is_users else _PREFIX


def memory_views(memory: OpenMemory) -> list[ViewFile]:
    """The pages as they are to be. Without a fact there is none."""
    found = memory.facts()
    strays = strays_on(memory, views_of(memory), prefix_of(memory))
    by_topic: dict[str, list[Fact]] = {}
    for one in found:
        by_topic.setdefault(one.topic, []).append(one)
    shown = memory.at.ledger.shortest([one.id for one in found])
    pages = [ViewFile(_path(memory, INDEX), index_page(title_of(memory), found))] if found else []
    for topic, mine in by_topic.items():
        path = _path(memory, f"{topic}.md")
        pages.append(ViewFile(path, topic_page(topic, mine, shown, strays.get(path, ()))))
    return pages


def refresh(memory: OpenMemory) -> list[Wrote]:
    """Write the pages that differ; those of topics that are empty now are removed, unless somebody changed them."""
    wanted = memory_views(memory)
    kept = {one.path for one in wanted}
    there = names(Disk(memory.at.location.root), prefix_of(memory), ending=".md", deep=False, limit=_PAGES_MAX)
    gone = [path for name in there if (path := name.lstrip("/")) not in kept]
    return views_of(memory).write(wanted, gone=gone, dry_run=memory.at.dry_run)


def title_of(memory: OpenMemory) -> str:
    """Whose memory it is, for its index."""
    name = memory.at.location.root.name
    return "of the user" if memory.is_users else memory.at.redact(name)


def _path(memory: OpenMemory, name: str) -> str:
    prefix = prefix_of(memory)
    return f"{prefix}/{name}" if prefix else name
