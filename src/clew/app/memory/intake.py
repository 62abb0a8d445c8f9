"""Others' memory read as candidates, our own pages on disk, and what somebody added to them by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from clew.app.memory.folder import FolderPiece, read_folder
from clew.app.memory.pages import INDEX, PageEntry, index_page, plain, strays_of, topic_page
from clew.app.memory.store import FOLDER, OpenMemory
from clew.app.memory.triage import item_id, read_item
from clew.app.project import PROJECT_FOLDER
from clew.app.project.views import ViewFile, Views, Wrote
from clew.core.state.events import Event
from clew.core.state.facts import Fact, covered, facts
from clew.core.state.fold import Entities, values
from clew.core.text.cleaning import shorten
from clew.workspace.disk import Disk
from clew.workspace.inside import names

_LABEL_CHARS: Final = 120
_PAGES_MAX: Final = 500


class FolderImport(NamedTuple):
    """What reading a folder did: how many pieces are new, known already (waiting, kept or dropped), and its form."""

    folder: Path
    form: str
    new: int
    known: int
    files: int


def import_folder(memory: OpenMemory, path: Path, name: str = "") -> FolderImport:
    """Let every piece of the memory in a folder wait for triage, but for those that did before. `name` is how its files
    are called in sources ("" as they are). Nothing in the folder changes. Raises as `read_folder`.
    """
    at = memory.at
    folder = read_folder(path)
    known = at.ledger.fold("").entities
    events: dict[str, Event] = {}
    for piece in folder.pieces:
        item = piece_id(piece)
        if item not in known and item not in events:
            source = f"{name}:{piece.source}" if name else piece.source
            events[item] = _waits(memory, item, piece, source)
    at.keep(list(events.values()))
    return FolderImport(path, folder.form, len(events), len(folder.pieces) - len(events), len(folder.texts))


def piece_id(piece: FolderPiece) -> str:
    """The id under which a piece waits: the same words in the same file are one, wherever they stand there."""
    return item_id(piece.file, piece.raw.strip())


def take_in_strays(memory: OpenMemory, views: Views, prefix: str) -> int:
    """Let what somebody added to or changed on a page of ours wait for triage; how much is new."""
    at = memory.at
    entities = at.ledger.fold("").entities
    events = {}
    for path, strays in strays_on(memory, views, prefix).items():
        for one in strays:
            item = item_id(path, one.text, one.why)
            if item not in entities:
                events[item] = read_item(at, item, at.safe(one.text), at.safe_lines(one.why), f"{path}:{one.line}", "")
    at.keep(list(events.values()))
    return len(events)


def strays_on(memory: OpenMemory, views: Views, prefix: str) -> dict[str, list[PageEntry]]:
    """The entries on the pages of a memory that its ledger does not have, by the page's path. `prefix` is where the
    pages lie under the root of `views`.
    """
    entities = memory.at.ledger.fold("").entities
    by_topic: dict[str, list[Fact]] = {}
    for one in facts(entities):
        by_topic.setdefault(one.topic, []).append(one)
    settled = settled_words(entities)
    everywhere = frozenset(plain(wording) for mine in by_topic.values() for one in mine for wording in one.wordings)
    found = {}
    ids = memory.at.ledger.ids
    for name in names(Disk(views.root), prefix, ending=".md", deep=False, limit=_PAGES_MAX):
        path = name.lstrip("/")
        file = path.rpartition("/")[2]
        text = views.text_of(path) if file != INDEX else None
        if text is None:
            continue
        mine = by_topic.get(file[:-3], [])
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


def _waits(memory: OpenMemory, item: str, piece: FolderPiece, source: str) -> Event:
    at = memory.at
    text, why = at.safe(piece.text), at.safe_lines(piece.why)
    return read_item(at, item, text, why, source, at.safe(shorten(piece.heading, _LABEL_CHARS)))


_PREFIX: Final = f"{PROJECT_FOLDER}/{FOLDER}"


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
