"""Importing: what documents say, as items of a task. Anybody can have written a file, so what is taken from one is
nobody's word (`unattributed`), whoever imports it; and what is known already is not stated again.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final, Literal

from msgspec.structs import replace

from clew.app.importing.item_changes import ENDED, WORK, ItemChanges, Wish, forms_of, safe_entry, wish_of
from clew.app.importing.scraps import Scrap, joined, paragraphs, scraps_of
from clew.app.intake.source import SourceFile
from clew.app.project.lookup import FoundItem
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task
from clew.app.project.session import ProjectSession
from clew.app.project.tombstones import PLACEHOLDER
from clew.app.results import JsonResult, TaskRow
from clew.core.errors import ClewError
from clew.core.state.events import Event, Value, Visibility
from clew.core.state.extract import Extract
from clew.core.state.fold import Entities, fold, values
from clew.core.state.ids import PREFIX_CHARS_MIN, identity
from clew.core.state.items import LETTERS, Authority, Item, Kind
from clew.core.state.projection import NOWHERE, Known, source_of
from clew.core.text.cleaning import one_line, shorten
from clew.documents.entry import Entry, Lines, Parsed, ParsedNote
from clew.documents.grammar import entry_of
from clew.documents.pairing import normal
from clew.documents.parse import parse
from clew.documents.profiles import stage_of
from clew.documents.read_back import is_made
from clew.documents.reconcile import EntryChange, reconcile

_ANYBODY: Final = Authority("unattributed", "it is in a file that anybody may have written")
# There is one of them at a time: what a file says now takes the place of what the same file said before.
_SINGLE: Final[tuple[Kind, ...]] = ("goal", "next")
# What is done in each phase again: of these the same words twice are two items, of other kinds a repetition.
_REPEATED: Final[tuple[Kind, ...]] = ("step", "phase", "validation")
_LABEL_CHARS: Final = 60
# How far a step is: what a document tells counts if it is further on.
_FAR: Final = {"pending": 0, "": 0, "in progress": 1, "blocked": 1, "dropped": 2, "done": 2}

# person: it would change what only a person changes. redacted: its words were taken out here, and stay away.
Did = Literal["new", "changed", "known", "person", "redacted"]


class ImportedEntry(JsonResult, frozen=True):
    """What became of one entry, or of lines that are none and became a note (kind `note`): those from `line` to
    `last_line`.

    `status` is as the document has it. `said` tells what changed, or why nothing did, "" where that needs no words.
    `id` is the item ("" did "redacted"), `short_id` its short form. `command` is what a person types to have it so
    (did "person").
    """

    line: int
    last_line: int
    kind: Kind
    status: str
    text: str
    did: Did
    said: str = ""
    id: str = ""
    short_id: str = ""
    command: str = ""


class ImportedFile(JsonResult, frozen=True):
    """What became of one file: of a `bundle` its counts, or why it could not be read (`error`)."""

    file: str
    bundle: JsonResult | None = None
    error: ClewError | None = None


class ImportedDocument(ImportedFile, frozen=True, kw_only=True):
    """What became of one document: its `entries`, in the order of its lines. `file` and `encoding` are as in
    `SourceFile`, `format`, `title` and `date` as in `Parsed`. Of a session's record `format` is the reader's name, and
    `session` the session's id.
    """

    encoding: str
    format: str
    session: str = ""
    title: str = ""
    date: str
    entries: tuple[ImportedEntry, ...]


class ImportedFiles(JsonResult, frozen=True):
    """What became of several files, in the order given. `task` is the task of the items, None: they are of none.

    `spooled`: it waits in the spool. `dry_run`: nothing was recorded. `notes` are sentences for the person who asked.
    """

    dry_run: bool
    task: TaskRow | None
    spooled: bool
    files: tuple[ImportedFile, ...]
    notes: tuple[str, ...]

    @property
    def documents(self) -> tuple[ImportedDocument, ...]:
        """Those of them that are documents or sessions' records."""
        return tuple(one for one in self.files if isinstance(one, ImportedDocument))


def take_in(
    project: ProjectHandle,
    sources: Sequence[SourceFile],
    *,
    task: str | None = None,
    progress: Callable[[str], None] | None = None,
    visibility: Visibility = "team",
) -> ImportedFiles:
    """Make items of what documents say: of the task with this id or title (None: of the one bound here, "" of none).

    Each document is recorded as a whole or not at all, and later ones know what earlier ones said. What the task has
    already is not stated again; what the document says has become of it is recorded, unless only a person may say so.
    `progress` is told the name of each before it is read. `visibility`: whether what is recorded may leave the machine.
    Raises `NotFound` for an unknown task or where no ledger is kept, `LedgerError`.
    """
    with project.open(write=True) as at:
        at.speaker = at.speaker.by(_ANYBODY)
        named = task_meant(at, task)
        extracts = at.ledger.extracts(task=named)
        entities = at.stated(named, extracts=extracts)
        files: list[ImportedDocument] = []
        events: list[Event] = []
        for source in sources:
            if progress is not None:
                progress(source.name)
            text = at.safe_lines(source.text)
            parsed = _at_its_lines(parse(text, name=source.name), source.text, text)
            plan = _ImportPlan(at, named, source.name, entities, extracts)
            plan.entries(parsed)
            plan.notes(parsed)
            plan.replace_single()
            new = [one._replace(visibility=visibility) for one in plan.events]
            at.keep(new)
            events += new
            entities = fold(new, entities)
            shown = at.ledger.shortest([one.id for one in plan.placed if one.id])
            entries = sorted(plan.placed, key=lambda one: (one.line, one.last_line))
            document = ImportedDocument(
                source.name,
                encoding=source.encoding,
                format=parsed.format,
                title=parsed.title,
                date=parsed.date,
                entries=tuple(replace(one, short_id=shown.get(one.id, "")) for one in entries),
            )
            files.append(document)
        done = at.outcome("", events=events)
        return ImportedFiles(project.dry_run, at.task_row(named), done.spooled, tuple(files), done.notes)


def task_meant(at: ProjectSession, wanted: str | None) -> str:
    """The task that what is imported is of: the one with the id or title `wanted`, "" for none; None: the one that is
    bound here. Notes it if that is none although there are some. Raises `NotFound` for an unknown one.
    """
    if wanted is not None:
        return find_task(at, wanted).id if wanted else ""
    bound = at.task()
    if not bound and at.chosen is None and any(task.status == "open" for task in at.tasks()):
        at.note("It belongs to no task: none is bound to this work tree and branch (`clew task bind`, or --task).")
    return bound


class _ImportPlan:
    """What is to be recorded of one document (`events`), and what becomes of each of its parts (`placed`)."""

    def __init__(
        self, at: ProjectSession, task: str, source: str, entities: Entities, extracts: tuple[Extract, ...]
    ) -> None:
        self.placed: list[ImportedEntry] = []
        self._at = at
        self._task = task
        self._source = at.safe(source)
        self._changes = ItemChanges(at, task, entities, extracts)
        self._items = self._changes.items
        self._times: dict[tuple[Kind, str], int] = {}
        self._overlong: list[ParsedNote] = []
        # The paragraphs that notes hold.
        self._noted: dict[str, str] = {}
        for name, there in self._items.items():
            if there.item.kind == "note":
                self._noted |= dict.fromkeys(paragraphs(there.item.text, there.item.why), name)

    @property
    def events(self) -> list[Event]:
        return self._changes.events

    def entries(self, parsed: Parsed) -> None:
        """Take the entries of the document."""
        told = [safe_entry(self._at, entry) for entry in parsed.entries]
        ours = _entries_of(self._items)
        found = reconcile(None, [entry for _, entry in ours], [_with_our_id(entry, self._items) for entry in told])
        changes: dict[int, list[EntryChange]] = defaultdict(list)
        for change in found.changes:
            changes[change.at].append(change)
        above: dict[tuple[Kind, str], str] = {}
        task = self._at.task_of(self._task) if parsed.format == "clew" else None
        title = normal(task.title) if task is not None else ""
        for index, entry in enumerate(told):
            words = (entry.kind, normal(entry.text))
            if _is_redacted(entry.text):
                self._put(entry, "redacted", said="its words were redacted here")
                continue
            if index in found.pairs:
                self._known(entry, ours[found.pairs[index]][0], changes[index])
            elif entry.kind == "note" and (item := self._noted.get(one_line(entry.text))):
                self._put(entry, "known", item, self._standing(item))
            elif words in above and entry.kind not in _REPEATED:
                self._put(entry, "known", above[words], "said above")
            elif title and words == ("goal", title):
                self._put(entry, "known", said="the title of the task")
            else:
                self._new(entry, words)
            above.setdefault(words, self.placed[-1].id)

    def notes(self, parsed: Parsed) -> None:
        """Take what is no entry, but for the lines that clew sets around the entries of its own documents."""
        kept = [one for one in parsed.notes if parsed.format != "clew" or not is_made(one, parsed)]
        new: list[Scrap] = []
        for scrap in scraps_of(one._replace(text=self._at.safe_lines(one.text)) for one in (*kept, *self._overlong)):
            entry = Entry("note", scrap.parts[0], lines=scrap.lines)
            if _is_redacted(scrap.text):
                self._put(entry, "redacted", said="its words were redacted here")
            elif item := self._noted.get(one_line(scrap.text)):
                self._put(entry, "known", item, self._standing(item))
            else:
                new.append(scrap)
        for scrap in joined(new):
            first, rest = scrap.parts
            item, entry = self._id("note", scrap.text), Entry("note", first, lines=scrap.lines)
            if item in self._items:
                self._put(entry, "known", item, self._standing(item))
                continue
            more = {"why": rest, "label": shorten(one_line(scrap.under), _LABEL_CHARS)}
            self._state(item, entry, {name: value for name, value in more.items() if value})
            self._put(entry, "new", item)

    def replace_single(self) -> None:
        """Let a new goal or next action take the place of the one that the same file told before."""
        for kind in _SINGLE:
            at = next((at for at, one in enumerate(self.placed) if (one.kind, one.did) == (kind, "new")), -1)
            if at < 0:
                continue
            told = {one.id for one in self.placed}
            wish = Wish("supersede", {"by": self.placed[at].id, "reason": ""})
            before = [name for name in self._items if name not in told and self._is_own(name, kind)]
            shown = self._changes.shown
            gone = [shown[name] for name in before if not self._changes.record(self._changes.find(name), wish)]
            if gone:
                self.placed[at] = replace(self.placed[at], said=f"in place of {', '.join(gone)}")

    def _is_own(self, name: str, kind: Kind) -> bool:
        """Whether this is a live item of that kind that this file told, and that only it vouches for."""
        entry = self._items[name]
        source = source_of(entry).rpartition(":")[0]
        stands = (entry.item.kind, entry.item.provenance, entry.standing)
        return stands == (kind, "unattributed", "live") and source == self._source

    def _new(self, entry: Entry, words: tuple[Kind, str]) -> None:
        """State an item, once for these words, or for each time that they stand there."""
        time = self._times[words] = self._times.get(words, -1) + 1
        item = self._id(entry.kind, words[1], str(time))
        if item in self._items:  # it has been reworded since
            self._put(entry, "known", item, self._standing(item))
            return
        more: dict[str, Value] = {}
        if (label := _label(entry)) and entry.kind != "file":
            more["label"] = label
        if entry.kind == "file" and self._is_file(entry.text):
            more["files"] = [entry.text]
        ended, rest = self._state(item, entry, more)
        if rest:
            self._overlong.append(ParsedNote(rest, shorten(one_line(entry.text), _LABEL_CHARS), entry.lines))
        self._put(entry, "new", item, ended)

    def _state(self, item: str, entry: Entry, more: Mapping[str, Value]) -> tuple[str, str]:
        more = {**more, "source": f"{self._source}:{entry.lines.first}"}
        return self._changes.state(item, entry, key=f"import:{item}", more=more)

    def _known(self, entry: Entry, name: str, changes: Sequence[EntryChange]) -> None:
        """Record what the document says has become of an item. What is over here stays so."""
        found = self._changes.find(name)
        done: list[str] = []
        refused: list[tuple[str, Wish]] = []
        for change in changes if found.entry.standing == "live" else ():
            if (wish := _news(change, found, by_id=bool(entry.id) and name.startswith(entry.id))) is None:
                continue
            why = self._changes.record(found, wish)
            if why:
                refused.append((why, wish))
            else:
                done.append(wish.said)
        if refused:
            said = "; ".join([*done, *(f"{wish.said}: {why}" for why, wish in refused)])
            self._put(entry, "person", name, said, " && ".join(wish.command for _, wish in refused))
        elif done:
            self._put(entry, "changed", name, "; ".join(done))
        else:
            self._put(entry, "known", name, self._standing(name) or self._stays(entry, name))

    def _standing(self, name: str) -> str:
        standing = self._items[name].standing
        return "" if standing == "live" else f"{standing} here"

    def _stays(self, entry: Entry, name: str) -> str:
        """What the item is where the document says otherwise and is not followed: an old copy unticks nothing."""
        told = entry_of(self._items[name].item)
        if entry.kind != told.kind:
            return f"stays a {told.kind}"
        if entry.kind in ("step", "phase", "hypothesis") and entry.status != told.status:
            return f"stays {told.status or 'without a status'}"
        return ""

    def _id(self, kind: Kind, *words: str) -> str:
        """The id follows from the words, under the ledger's key, so that two imports at once make one item."""
        return f"{LETTERS[kind]}-{identity('import', self._at.ledger.key.hex(), self._task, kind, *words)}"

    def _is_file(self, path: str) -> bool:
        root = self._at.location.root
        return ".." not in path.split("/") and not path.startswith("/") and len(path) < 1000 and (root / path).is_file()

    def _put(self, entry: Entry, did: Did, item: str = "", said: str = "", command: str = "") -> None:
        told = (*entry.lines, entry.kind, entry.status, entry.text, did, said, item)
        self.placed.append(ImportedEntry(*told, command=command))


def _entries_of(items: Mapping[str, Known]) -> list[tuple[str, Entry]]:
    """Items as entries, those that count before those that do not, and behind them the other words that stand for each:
    what a session was asked first is the goal of its task, or a request.
    """
    order = sorted(items.values(), key=lambda one: one.standing != "live")
    found = [(one.item.id, entry_of(one.item)._replace(id=one.item.id)) for one in order]
    for item in (one.item for one in order):
        kinds: tuple[Kind, ...] = ("goal", "step") if item.kind == "goal" and item.place.at != NOWHERE else (item.kind,)
        found += [(item.id, Entry(kind, text)) for text in forms_of(item).values() for kind in kinds]
    return found


def _with_our_id(entry: Entry, items: Mapping[str, Known]) -> Entry:
    """The entry without an id of somebody else's: that says nothing here."""
    is_ours = len(entry.id) >= PREFIX_CHARS_MIN + 2 and any(name.startswith(entry.id) for name in items)
    return entry if is_ours else entry._replace(id="")


def _news(change: EntryChange, found: FoundItem, *, by_id: bool) -> Wish | None:
    """What a change says that is not so here. Who reworded a line left its id there: without one (`by_id`) other words
    would be another item. A file brings work on, and takes nothing back: it may be an old copy.
    """
    item, after = found.entry.item, change.after
    if after is None or change.before is None:
        return None
    if change.did == "reworded":
        if by_id and not _says_the_same(after, item):
            after = after._replace(why=after.why or change.before.why)
        elif after.why and not item.why and not after.cut and item.provenance in ("agent", "unattributed"):
            after = after._replace(text=item.text)
        else:
            return None
        return wish_of(change._replace(after=after), item, found.shown)
    if change.did != "ticked" or not _is_further(after, item, found):
        return None
    return wish_of(change, item, found.shown)


def _is_further(entry: Entry, item: Item, found: FoundItem) -> bool:
    """Whether the status or answer is news."""
    now = stage_of(item)
    if item.kind == "question":
        known_answers = (str(values(found.entry.heard).get("answer", "")), item.answer, entry_of(item).answer)
        return normal(entry.answer) not in map(normal, known_answers)
    if item.kind == "hypothesis":
        return entry.status == "eliminated" != now
    if item.kind not in WORK:
        return entry.status in ENDED
    is_allowed = entry.status in ENDED or not item.is_persons  # a request is the user's own
    return is_allowed and _FAR.get(entry.status, 0) > _FAR.get(now, 0)


def _says_the_same(entry: Entry, item: Item) -> bool:
    """Whether the words are those of the item, however much of them stands in the reason; of a cut one the front."""
    text, forms = normal(entry.text), forms_of(item)
    if entry.cut:
        return any(form.startswith(text) for form in forms)
    whole = _words(entry.text, entry.why)
    if whole in (_words(item.text, item.why), _words(item.text)):
        return True
    return text in forms and (not entry.why or normal(entry.why) in (normal(item.why), normal(entry_of(item).why)))


def _words(*texts: str) -> list[str]:
    return re.findall(r"\w+", " ".join(texts).casefold())


def _is_redacted(text: str) -> bool:
    """Whether nothing is left but what stands for words that a person took out."""
    return PLACEHOLDER in text and not any(map(str.isalnum, text.replace(PLACEHOLDER, "")))


def _label(entry: Entry) -> str:
    """The heading that an entry stands under, "" where its own words hold it."""
    return "" if normal(entry.label) in normal(entry.text) else shorten(one_line(entry.label), _LABEL_CHARS)


def _at_its_lines(parsed: Parsed, before: str, after: str) -> Parsed:
    """`parsed` with the lines that its parts have in the file, where redaction put one line for several."""
    old, new = (text.replace("\r\n", "\n").replace("\r", "\n").split("\n") for text in (before, after))
    if len(old) == len(new):
        return parsed
    number = list(range(len(new) + 1))
    for _, old_at, old_end, new_at, new_end in SequenceMatcher(None, old, new).get_opcodes():
        for at in range(new_at, new_end):
            number[at + 1] = min(old_at + at - new_at, max(old_end - 1, old_at)) + 1

    def moved(lines: Lines) -> Lines:
        return Lines(number[lines.first], number[lines.last])

    return parsed._replace(
        entries=tuple(one._replace(lines=moved(one.lines)) for one in parsed.entries),
        notes=tuple(one._replace(lines=moved(one.lines)) for one in parsed.notes),
        headings=tuple(one._replace(lines=moved(one.lines)) for one in parsed.headings),
    )
