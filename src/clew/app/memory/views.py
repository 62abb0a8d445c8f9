"""The pages of a memory on the disk: written as they are to be, and read for what somebody added to them by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from clew.app.memory.folder import spans
from clew.app.memory.pages import INDEX, STRAY, PageEntry, by_topic, index_page, plain, shown, topic_page
from clew.app.memory.store import FOLDER, OpenMemory
from clew.app.memory.triage import item_id, read_item
from clew.app.project.location import PROJECT_FOLDER
from clew.app.project.views import ViewFile, Wrote, views_at
from clew.core.state.facts import Fact, covered, facts
from clew.core.state.fold import Entities, values
from clew.documents.escaping import active
from clew.workspace.disk import Disk, names

_PAGES_MAX: Final = 500
_ENTRY: Final = re.compile(r"[-*+] (.*?)(?: ?\[(L-[0-9a-z]{4,16})(?:; [^\]]*)?\]\s*)?")


def take_in_strays(memory: OpenMemory) -> int:
    """Let what somebody added to or changed on a page of ours wait for triage; how much is new."""
    at = memory.at
    entities = at.ledger.fold("").entities
    events = {}
    for path, strays in strays_on(memory).items():
        for one in strays:
            item = item_id(path, one.text, one.why)
            if item not in entities:
                events[item] = read_item(at, item, at.safe(one.text), at.safe_lines(one.why), f"{path}:{one.line}", "")
    at.keep(list(events.values()))
    return len(events)


def strays_on(memory: OpenMemory) -> dict[str, list[PageEntry]]:
    """The entries on the pages of a memory that its ledger does not have, by the page's path."""
    views = views_at(memory.at.location)
    entities = memory.at.ledger.fold("").entities
    topics = by_topic(facts(entities))
    settled = settled_words(entities)
    everywhere = frozenset(plain(wording) for mine in topics.values() for one in mine for wording in one.wordings)
    found = {}
    ids = memory.at.ledger.ids
    for name in names(Disk(views.root), _prefix(memory), ending=".md", deep=False, limit=_PAGES_MAX):
        path = name.lstrip("/")
        file = path.rpartition("/")[2]
        text = views.text_of(path) if file != INDEX else None
        if text is None:
            continue
        mine = topics.get(file[:-3], [])
        if strays := strays_of(text, mine, ids, settled | everywhere, is_ours=views.is_ours(path)):
            found[path] = strays
    return found


def settled_words(entities: Entities) -> frozenset[str]:
    """The words of what was read from files and was dropped, or kept in other words."""
    done = covered(entities)
    found = set()
    for name, entity in entities.items():
        fields = values(entity)
        if fields.get("waits") and (name in done or fields.get("retracted") or fields.get("resolved")):
            found.add(plain(str(fields.get("text", ""))))
    return frozenset(found)


def entries_of(page: str) -> list[PageEntry]:
    """The entries of a topic's page, ours or anybody's: list entries with what is indented below them."""
    found: list[PageEntry] = []
    rows = page.split("\n")
    for first, last, _ in spans(rows):
        if (entry := _ENTRY.fullmatch(rows[first - 1])) is not None:
            why = "\n".join(row.removeprefix("  ") for row in rows[first:last]).strip("\n")
            found.append(PageEntry(entry[2] or "", active(entry[1]).strip(), why, first))
    return [one for one in found if one.text]


def strays_of(
    page: str,
    facts: Sequence[Fact],
    ids: Callable[[str], Collection[str]],
    settled: Collection[str],
    *,
    is_ours: bool = False,
) -> list[PageEntry]:
    """The entries of a page that the facts do not say: added by hand, or one of ours that was changed there. Those
    whose words are `settled` (kept somewhere, or dropped) are none. `ids` gives the whole ids that a printed one may
    be. `is_ours`: the page is as clew wrote it, so that only what it carried along counts.
    """
    below = page.partition(f"\n## {STRAY}\n")
    first = below[0].count("\n") + 1 if is_ours else 0
    if is_ours and not below[1]:
        return []
    said = {plain(wording) for one in facts for wording in one.wordings} | {shown(fact) for fact in facts}
    by_id = {fact.id: fact for fact in facts}
    found = []
    for one in entries_of(page):
        words = plain(one.text)
        if one.line <= first or words in said or words in settled:
            continue
        known = [name for name in (ids(one.id) if one.id else ()) if name in by_id]
        found.append(one._replace(id=known[0] if known else ""))
    return found


def _prefix(memory: OpenMemory) -> str:
    """Where the pages of a memory lie under its root."""
    return "" if memory.is_users else f"{PROJECT_FOLDER}/{FOLDER}"


def memory_views(memory: OpenMemory) -> list[ViewFile]:
    """The pages as they are to be. Without a fact there is none."""
    found = memory.facts()
    strays = strays_on(memory)
    shown = memory.at.ledger.shortest([one.id for one in found])
    pages = [ViewFile(_path(memory, INDEX), index_page(title_of(memory), found))] if found else []
    for topic, mine in by_topic(found).items():
        path = _path(memory, f"{topic}.md")
        pages.append(ViewFile(path, topic_page(topic, mine, shown, strays.get(path, ()))))
    return pages


def refresh(memory: OpenMemory) -> list[Wrote]:
    """Write the pages that differ; those of topics that are empty now are removed, unless somebody changed them."""
    wanted = memory_views(memory)
    kept = {one.path for one in wanted}
    there = names(Disk(memory.at.location.root), _prefix(memory), ending=".md", deep=False, limit=_PAGES_MAX)
    gone = [path for name in there if (path := name.lstrip("/")) not in kept]
    return views_at(memory.at.location).write(wanted, gone=gone, dry_run=memory.at.dry_run)


def title_of(memory: OpenMemory) -> str:
    """Whose memory it is, for its index."""
    return "of the user" if memory.is_users else memory.at.redact(memory.at.location.root.name)


def _path(memory: OpenMemory, name: str) -> str:
    return f"{_prefix(memory)}/{name}".lstrip("/")
