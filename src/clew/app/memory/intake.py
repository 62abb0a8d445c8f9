"""Others' memory read as candidates, our own pages on disk, and what somebody added to them by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.memory.folder import (
    SUMMARY,
    FolderPiece,
    Form,
    MemoryFolder,
    read_folder,
    reworded,
    strays_of,
    with_changes,
)
from clew.app.memory.pages import INDEX, PageEntry, by_topic, heading, index_page, plain, topic_page
from clew.app.memory.store import FOLDER, OpenMemory, Scope, open_memory
from clew.app.memory.triage import item_id, read_item
from clew.app.project import PROJECT_FOLDER
from clew.app.project.opening import ProjectHandle
from clew.app.project.views import ViewFile, Wrote, views_at
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotFound
from clew.core.state.events import Event
from clew.core.state.facts import Fact, covered, facts, topic_order
from clew.core.state.fold import Entities, values
from clew.core.text.cleaning import shorten
from clew.documents.escaping import inert, safe
from clew.workspace.atomic import replace
from clew.workspace.disk import Disk, names

_LABEL_CHARS: Final = 120
_PAGES_MAX: Final = 500


class FolderImport(JsonResult, frozen=True):
    """What reading a folder did: how many pieces are new, known already (waiting, kept or dropped), and its form."""

    folder: Path
    form: str
    new: int
    known: int
    files: int


def import_folder(project: ProjectHandle, scope: Scope, path: Path, name: str = "") -> FolderImport:
    """Let every piece of the memory in a folder wait for triage, but for those that did before. `name` is how its files
    are called in sources ("" as they are). Nothing in the folder changes. Raises as `read_folder`.
    """
    with open_memory(project, scope, write=True) as memory:
        at = memory.at
        folder = read_folder(path)
        known = at.ledger.fold("").entities
        events: dict[str, Event] = {}
        for piece in folder.pieces:
            item = piece_id(piece)
            if item not in known and item not in events:
                source = f"{name}:{piece.source}" if name else piece.source
                heading = at.safe(shorten(piece.heading, _LABEL_CHARS))
                words = at.safe(piece.text), at.safe_lines(piece.why)
                events[item] = read_item(at, item, *words, source, heading)
        at.keep(list(events.values()))
    return FolderImport(path, folder.form, len(events), len(folder.pieces) - len(events), len(folder.texts))


def piece_id(piece: FolderPiece) -> str:
    """The id under which a piece waits: the same words in the same file are one, wherever they stand there."""
    return item_id(piece.file, piece.raw.strip())


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
    views, prefix = views_at(memory.at.location), prefix_of(memory)
    entities = memory.at.ledger.fold("").entities
    topics = by_topic(facts(entities))
    settled = settled_words(entities)
    everywhere = frozenset(plain(wording) for mine in topics.values() for one in mine for wording in one.wordings)
    found = {}
    ids = memory.at.ledger.ids
    for name in names(Disk(views.root), prefix, ending=".md", deep=False, limit=_PAGES_MAX):
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


_PREFIX: Final = f"{PROJECT_FOLDER}/{FOLDER}"


def prefix_of(memory: OpenMemory) -> str:
    """Where the pages of a memory lie under its root."""
    return "" if memory.is_users else _PREFIX


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
    there = names(Disk(memory.at.location.root), prefix_of(memory), ending=".md", deep=False, limit=_PAGES_MAX)
    gone = [path for name in there if (path := name.lstrip("/")) not in kept]
    return views_at(memory.at.location).write(wanted, gone=gone, dry_run=memory.at.dry_run)


def title_of(memory: OpenMemory) -> str:
    """Whose memory it is, for its index."""
    name = memory.at.location.root.name
    return "of the user" if memory.is_users else memory.at.redact(name)


def _path(memory: OpenMemory, name: str) -> str:
    prefix = prefix_of(memory)
    return f"{prefix}/{name}" if prefix else name


_PAGE: Final = "clew-{}.md"
_BEGINS: Final = "## Kept with clew"
_HOOK_CHARS: Final = 90
_DEED: Final = "write into a memory that sessions are given"


class PageChange(NamedTuple):
    """A file as it is and as it is to be: `before` is None where it is made."""

    path: Path
    before: str | None
    after: str


def planned(memory: OpenMemory, path: Path, form: Form | None = None) -> list[PageChange]:
    """What `export` would change in the folder at `path`, by file. `form` is for a folder that is not there or is
    empty.

    Raises `NotFound`, `InputError`.
    """
    try:
        folder = read_folder(path)
    except NotFound:
        if path.is_file():
            raise
        folder = MemoryFolder(path, form or "plain", {}, ())
    texts = dict(folder.texts)
    facts = memory.facts()
    for name, text in _back(memory, folder, facts).items():
        texts[name] = text
    there = {plain(piece.text) for piece in folder.pieces}
    of_folder = {piece_id(piece) for piece in folder.pieces}
    own = [
        one
        for one in facts
        if not any(plain(wording) in there for wording in one.wordings)
        and not any(source.name in of_folder for source in one.sources)
    ]
    _add(folder.form, texts, own)
    return [
        PageChange(path / name, folder.texts.get(name), text)
        for name, text in sorted(texts.items())
        if text != folder.texts.get(name)
    ]


def export(memory: OpenMemory, changes: Sequence[PageChange]) -> None:
    """Write what was planned. Only a person has it written; a file that changed meanwhile is an error. Raises
    `NotAllowed`, `InputError`.
    """
    if not changes:
        return
    memory.at.require_person(
        "memory folder", _DEED, "`clew memory show` prints what is kept; the person you work for can write it back."
    )
    for one in changes:
        if _text(one.path) != one.before:
            raise InputError(
                f"{one.path} was changed meanwhile",
                code="E-memory-folder",
                hint="Nothing more was written. Run it again: it reads the folder again.",
            )
        try:
            replace(one.path, one.after.encode("utf-8", "replace"), mode=0o600)
        except OSError as error:
            raise InputError(
                f"{one.path} cannot be written: {error.strerror or error}",
                code="E-memory-folder",
                hint="Fix its permissions, or name another folder.",
            ) from error


def _back(memory: OpenMemory, folder: MemoryFolder, facts: Sequence[Fact]) -> dict[str, str]:
    """The files of which something was reworded, merged elsewhere or dropped."""
    entities = memory.at.ledger.fold("").entities
    of_source = {source.name: (one, source) for one in facts for source in one.sources}
    changes: dict[str, dict[tuple[int, int], str | None]] = {}
    for piece in folder.pieces:
        item = piece_id(piece)
        fields = values(entities.get(item, ()))
        place = piece.first, piece.last
        mine = changes.setdefault(piece.file, {})
        if item in of_source:
            fact, source = of_source[item]
            said = {plain(fact.text), *(plain(row) for row in source.text.split("\n") if not fact.text)}
            is_merged = plain(piece.text) not in said and str(fields.get("outcome", "")).startswith("merged")
            if is_merged:
                mine[place] = None
            elif plain(piece.text) not in said and plain(memory.at.safe(piece.text)) not in said:
                mine[place] = reworded(piece, fact.text, piece.why)
        elif fields.get("retracted"):
            mine[place] = None
    return {name: with_changes(folder.texts[name], mine) for name, mine in changes.items() if mine}


def _add(form: Form, texts: dict[str, str], facts: Sequence[Fact]) -> None:
    """Put facts on pages of their own, in the folder's form, and make them known in its index."""
    topics = by_topic(facts)
    if form == "codex" and topics:
        rows = [
            row
            for topic in sorted(topics, key=topic_order)
            for row in ["", f"### {heading(topic)}", "", *_rows(topics[topic])]
        ]
        front = texts.get(INDEX, "").partition(f"\n{_BEGINS}")[0].rstrip("\n")
        texts[INDEX] = "\n".join([*([front, ""] if front else []), _BEGINS, *rows]) + "\n"
        if (
            SUMMARY in texts
            and (line := f"- Kept with clew: {', '.join(sorted(topics))} (see {INDEX})") not in texts[SUMMARY]
        ):
            texts[SUMMARY] = texts[SUMMARY].rstrip("\n") + f"\n{line}\n"
        return
    for topic in sorted(topics, key=topic_order):
        name, mine = _PAGE.format(topic), topics[topic]
        told = shorten(safe(mine[0].text), _HOOK_CHARS)
        matter = (
            ["---", f"name: {heading(topic)}", f"description: {told}", "type: project", "---", ""]
            if form == "claude"
            else []
        )
        page = texts.get(name, "\n".join([*matter, f"# {heading(topic)}", "", ""]))
        texts[name] = page.rstrip("\n") + "\n" + ("" if name in texts else "\n") + "\n".join(_rows(mine)) + "\n"
        index = texts.get(INDEX, "# Memory\n\n")
        if f"]({name})" not in index and (form == "claude" or INDEX in texts):
            texts[INDEX] = index.rstrip("\n") + f"\n- [{heading(topic)}]({name}) — {told}\n"


def _rows(facts: Sequence[Fact]) -> list[str]:
    rows = []
    for one in facts:
        rows.append(f"- {inert(safe(one.text))}")
        rows += [f"  {row}".rstrip() for row in one.why.split("\n") if one.why]
        for wording in one.wordings[1:]:
            more = [
                row
                for row in wording.split("\n")
                if plain(row) not in (plain(one.text), *map(plain, one.why.split("\n")))
            ]
            rows += [f"  {row}".rstrip() for row in more]
    return rows


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
