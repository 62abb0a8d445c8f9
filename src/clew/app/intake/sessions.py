"""The session files of a project, as its ledger stands to them: which wait to be imported, and what each holds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from clew.app.intake.find import (
    found_in,
    holds,
    named,
    newest,
    no_session,
    project_at,
    ran_in,
    reader_at,
    reader_for,
    unreadable,
)
from clew.app.ports import Ports
from clew.app.project import runtime_dirs as live_places
from clew.app.project.opening import ProjectHandle
from clew.app.project.redaction import redacted_name
from clew.app.project.session import ProjectSession
from clew.app.project.tombstones import forgetting, obeyed, tombstones
from clew.app.record.checkpoint import CompactionMark
from clew.clients.port import Reader, Transcript
from clew.core.errors import InputError
from clew.core.records.transcript import Compaction, Context
from clew.core.runtime_dir import HEARD, session_folder
from clew.core.state.extract import Extract
from clew.core.state.fold import values
from clew.core.state.items import Item, Origin, State
from clew.core.state.tasks import TaskPlace, binding, bound, places
from clew.core.state.threads import is_idle
from clew.distill.version import RULES_VERSION
from clew.ledger.port import FOREIGN_RULES, SessionExtent
from clew.ledger.redaction import REDACTION, shorten_texts
from clew.sessions.cache import FOLDER_NAME, PassedOver, RecordsCache, SessionFacts, forget_all
from clew.sessions.capture import Captured, Gathered, Witness, captured, gather
from clew.sessions.redaction import around
from clew.workspace.repository import top_of

# Of the words at an item's place so much is kept in the ledger; the record has the rest.
QUOTE_CHARS: Final = 600
# So much of a session file tells whether a person sat there.
_HEAD_BYTES: Final = 64 << 10
# A session that somebody set aside (`clew fresh`).
ASIDE: Final = "session.set_aside"
# So many earlier sessions of a task are asked what files held.
_WITNESSES_MAX: Final = 5
# So many sessions are looked at for one that a new task begins with.
_LOOKED_AT_MAX: Final = 20


class SessionReading(NamedTuple):
    """One session, read: what the ledger is to keep of it, what was read, where its client dropped its context."""

    extract: Extract
    gathered: Gathered
    compactions: tuple[CompactionMark, ...]


class Sessions:
    """The session files of an open project, as its ledger stands to them. Nothing is written but the cache.

    `only` is one that was read, wherever it ran: then there are no others.
    """

    def __init__(self, ports: Ports, at: ProjectSession, *, only: tuple[Transcript, Gathered] | None = None) -> None:
        self._ports = ports
        self._at = at
        self._taken: dict[str, SessionExtent] = dict(at.ledger.taken())
        self._bindings = at.ledger.fold("").entities
        self.project = project_at(at.location.root, former=map(Path, places(self._bindings)))
        events = (recorded.event for recorded in at.ledger.events(kinds=(ASIDE,)))
        self.aside = {str(event.data.get("session", "")): event.said_at for event in events}
        self._look()
        where = " ".join([str(RULES_VERSION), *map(str, self.project.folders)]).encode("utf-8", "surrogateescape")
        stamp = blake2b(where, key=at.ledger.key, digest_size=16).hexdigest()
        self._passed = PassedOver(at.location.ledger.parent / FOLDER_NAME, stamp=stamp, key=at.ledger.key)
        # The session that was read last: work goes on from it, so that it is asked for again.
        self._last: tuple[Transcript, Gathered] | None = only
        self.files = _one_each([only[0]] if only is not None else found_in(ports.locators, self.project))

    def _look(self) -> None:
        """See what was redacted: all that is read from now on obeys it."""
        self._last = None
        ledger = self._at.ledger
        self.redacted_upto = ledger.position()
        self._stones = tombstones(ledger, self._at.location.peer_keys)
        self._redact = forgetting(self._ports.redactor(ledger.key), self._stones)
        self._memory = RecordsCache(
            self._at.location.ledger.parent / FOLDER_NAME,
            stamp=self._stones.stamp(ledger.key, RULES_VERSION),
            now_s=self._ports.now_ms() // 1000,
            writable=ledger.writable,
        )

    def look_again(self) -> bool:
        """Whether something was redacted meanwhile. Then the cache goes, in which it may stand by our own hand."""
        ledger = self._at.ledger
        if not any(ledger.events(kinds=(REDACTION,), after=self.redacted_upto)):
            return False
        if ledger.writable:
            forget_all(self._at.location.ledger.parent / FOLDER_NAME)
        self._look()
        return True

    @property
    def shrunk(self) -> tuple[str, ...]:
        """Sessions whose file is shorter than what was imported of it, the newest first."""
        known = ((item, self._taken.get(name)) for name, item in self.files.items())
        return tuple(one.session for one, taken in known if taken and taken.rules > 0 and one.size < taken.extent)

    @property
    def known(self) -> frozenset[str]:
        """The sessions that the ledger has."""
        return frozenset(self._taken)

    def waiting(self) -> list[Transcript]:
        """Session files that the ledger does not have at their present size and by the present rules: that of the
        session that asks, then the newest first.
        """
        files = (item for item in self.files.values() if item.size and item not in self._passed)
        asking = self._ports.asking_session
        return sorted(filter(self._is_waiting, files), key=lambda item: item.session != asking)

    def pass_over(self, item: Transcript) -> None:
        """Let a file that holds nothing wait no more, until it has another size (or the project another work tree)."""
        self._passed.add(item)

    def keep_passed_over(self) -> None:
        """Remember for the next process what was passed over."""
        if self._at.ledger.writable:
            self._passed.keep(self.files.values())

    def read(self, item: Transcript) -> SessionReading | None:
        """The session in a file; None if it did not run in this project or holds nothing. Raises `OSError`."""
        gathered = self.gather(item)
        if gathered is None:
            return None
        found = captured(gathered, client=item.client, root_of=top_of, session=item.session)
        if not found.state.items and item.session not in self._taken:
            return None  # of one that is known, how it ended counts all the same
        origin = found.state.origin
        origin = origin._replace(cwd=redacted_name(origin.cwd, self._redact))
        seat = redacted_name(self._seat(gathered), self._redact) or origin.cwd
        origin = origin._replace(branch=self._branch(item.session, origin, seat))
        items = obeyed(map(kept, found.state.items), self._stones)
        if not self._is_reported(item.session):
            items = tuple(one._replace(unheard=one.provenance == "human") for one in items)
        extract = Extract(
            origin,
            "",
            seat,
            RULES_VERSION,
            gathered.extent,
            blake2b(msgspec.json.encode(items), digest_size=16).hexdigest(),
            items,
        )
        dropped = (one for one in gathered.kept if isinstance(one, Compaction) and one.trigger != "micro")
        extract = extract._replace(task=self._task(item.session, extract))
        return SessionReading(
            extract, gathered, tuple(CompactionMark(item.session, one.at, one.time) for one in dropped)
        )

    def gather(self, item: Transcript) -> Gathered | None:
        """What a session file holds, of a grown one only what is new read; None if it is none of this project's.

        Raises `OSError`.
        """
        if self._last is not None and self._last[0] == item:
            return self._last[1]
        reader = self._known_reader(item)
        if reader is None:
            reader = self._ports.readers.of(item.path, client=item.client)  # what cannot be opened is told
            if reader is None or not ran_in(self.project, item.path, reader):
                return None
        while True:
            gathered = gather(item.path, reader, redact=self._redact, memory=self._memory, extent=item.size)
            if not self.look_again():
                self._last = item, gathered
                return gathered

    def facts(self, item: Transcript) -> SessionFacts | None:
        """The facts of a session file, without its records where it did not change; None if it is none of this
        project's. Raises `OSError`.
        """
        reader, is_last = self._known_reader(item), self._last is not None and self._last[0] == item
        if reader is not None and reader.grows and not is_last:
            found = self._memory.facts(item.path, reader.name)
            if found is not None and not self.look_again():
                return found
        gathered = self.gather(item)
        return gathered.facts() if gathered is not None else None

    def keep_facts(self, item: Transcript, facts: SessionFacts) -> None:
        """Keep facts of a session file of which more is known now."""
        self._memory.keep_facts(item.path, item.client, facts)

    def _known_reader(self, item: Transcript) -> Reader | None:
        """The reader of a session that was imported from here; None for any other."""
        taken = self._taken.get(item.session)
        return self._ports.readers.named(item.client) if taken is not None and taken.rules > 0 else None

    def witnesses(self, state: State) -> tuple[Witness, ...]:
        """What the records of earlier sessions prove of the files that `state` has from them, the newest first."""
        files = [item for item in state.items if item.kind == "file" and item.place.session != state.origin.session]
        names = dict.fromkeys(item.place.session for item in sorted(files, key=lambda item: item.time, reverse=True))
        found = []
        for item in [self.files[name] for name in names if name in self.files][:_WITNESSES_MAX]:
            reader = self._ports.readers.named(item.client)
            try:
                facts = self.facts(item)
            except OSError:
                continue
            if facts is not None and reader is not None and facts.records:
                root = top_of(next(iter(facts.folders), ""))
                found.append(Witness(item.path, reader, facts.evidence, root, facts.last))
        return tuple(found)

    def told_task(self, session: str) -> str | None:
        """The task that only a foreign extract gave a session; None for one that is known better, or not at all."""
        known = self._taken.get(session)
        return known.task if known is not None and known.rules <= FOREIGN_RULES else None

    def note(self, extract: Extract) -> None:
        """An extract that the ledger has now."""
        self._taken[extract.origin.session] = SessionExtent(extract.task, extract.rules, extract.extent)

    def ran_at(self, session: str, place: TaskPlace) -> bool:
        """Whether a session that was imported ran in this work tree and branch, with a person at it."""
        extracts = self._at.ledger.extracts(session=session)
        if not any((one.worktree, one.origin.branch) == place for one in extracts):
            return False
        return self.is_attended(session)

    def is_attended(self, session: str) -> bool:
        """Whether a person sat at a session, as far as the beginning of its record tells."""
        item = self.files.get(session)
        reader = reader_at(item.path, self._ports.readers, client=item.client) if item else None
        try:
            if item is None or reader is None:
                return True
            with reader.open(item.path) as file:
                return reader.attended(file.read(_HEAD_BYTES))
        except OSError:
            return True

    def see_bindings(self) -> None:
        """See what places are bound to now."""
        self._bindings = self._at.ledger.fold("").entities

    def begin_task(self) -> str:
        """Let the task that is bound here, if no session counts for it yet, begin with what was going on: the newest
        session of this work tree and branch that counts for none. The session; "" if there is none.
        """
        place, ledger = self._at.place, self._at.ledger
        task = bound(self._bindings, *place)
        if not task or any(one.task == task for one in self._taken.values()):
            return ""
        known = (name for name in self.files if name in self._taken and name not in self.aside)
        free = [name for name in known if not self._taken[name].task]
        for name in free[:_LOOKED_AT_MAX]:
            [extract] = ledger.extracts(session=name)
            here = (extract.worktree, extract.origin.branch) == place
            if here and not extract.task and not extract.is_foreign:  # somebody may have given it one just now
                ledger.assign(name, task)
                self.note(extract._replace(task=task))
                return name
        return ""

    def _is_reported(self, session: str) -> bool:
        """Whether its client itself told of a session by a hook, now or when it was imported earlier: anybody can write
        a file where clients keep theirs, and what it calls a prompt nobody need have typed
        (docs/reference/authority.md).
        """
        data = str(self._ports.trust_store.parent)
        folders = (session_folder(live, session) for live in live_places.live_folders(data, self._at.location))
        if any(folder and os.path.exists(f"{folder}/{HEARD}") for folder in folders):  # noqa: PTH110
            return True
        known = self._at.ledger.extracts(session=session) if session in self._taken else ()
        return any(one.is_persons for extract in known if not extract.is_foreign for one in extract.items)

    def _is_waiting(self, item: Transcript) -> bool:
        known = self._taken.get(item.session)
        if known is None or known.rules <= 0:  # what others' bundles tell of its size is nothing to go by
            return True
        return known.rules <= RULES_VERSION and item.size >= known.extent and known[1:] != (RULES_VERSION, item.size)

    def _seat(self, gathered: Gathered) -> str:
        """The work tree of the project in which a session stood last: it may have entered another one. "" unknown."""
        contexts = [one for one in gathered.kept if isinstance(one, Context) and one.cwd]
        for cwd in dict.fromkeys(one.cwd for one in reversed(contexts)):
            branch = next(one.branch for one in reversed(contexts) if one.cwd == cwd)
            if holds(self.project, cwd, branch):
                return top_of(cwd)
        return ""

    def _branch(self, session: str, origin: Origin, seat: str) -> str:
        """The branch of a session. Some clients record none: then it is the one that this work tree was on when the
        session was first taken in.
        """
        root, branch = self._at.place
        if origin.branch or seat != root:
            return origin.branch
        known = self._at.ledger.extracts(session=session) if session in self._taken else ()
        return next((one.origin.branch for one in known if not one.is_foreign), branch)

    def _task(self, session: str, extract: Extract) -> str:
        """The task that a session counts for: what it was assigned to, else what its work tree and branch are bound to.

        A session that ended before the binding is not of the task (but see `begin_task`), nor is one that was set aside
        after it. A thread has no sessions that hold nothing, and none that nobody sat at.
        """
        origin = extract.origin
        known = self._taken.get(session)
        if known is not None and known.task and known.rules > FOREIGN_RULES:
            return known.task
        task, bound_at = binding(self._bindings, TaskPlace(extract.worktree, origin.branch))
        if not task or not origin.last_time >= bound_at >= self.aside.get(session, ""):
            return ""
        is_thread = values(self._bindings[task]).get("thread") is True
        return "" if is_thread and (is_idle(extract) or not self.is_attended(session)) else task


def _one_each(found: Iterable[Transcript]) -> dict[str, Transcript]:
    """Of each session the file that holds most, the newest first: a project that was copied has its sessions twice."""
    files: dict[str, Transcript] = {}
    for item in found:
        other = files.get(item.session)
        if other is None or (item.size, item.modified_ns, item.path) > (other.size, other.modified_ns, other.path):
            files[item.session] = item
    ordered = sorted(files.values(), key=lambda item: (-item.modified_ns, str(item.path)))
    return {item.session: item for item in ordered}


def kept(item: Item) -> Item:
    """`item` with as much of its words and of those around it as the ledger keeps."""
    item = shorten_texts(item)
    quote = item.place.quote
    if len(quote) <= QUOTE_CHARS:
        return item
    return item._replace(place=item.place._replace(quote=around(quote, item.text, QUOTE_CHARS)))


_SESSIONS_TRIED_MAX = 5


def take_one_in(project: ProjectHandle, at: ProjectSession, transcript: Path | None) -> Sessions:
    """Take into the ledger of `at`, which is in memory, the session that `transcript` names (a file, or a session's
    id), else the newest one of the project of `folder` that holds anything; it is all the sessions that there are.

    Raises `NotFound` or `InputError`.
    """
    path, gathered, found = _named(project.ports, transcript) if transcript is not None else _newest(project)
    origin = found.state.origin
    safe = origin._replace(cwd=redacted_name(origin.cwd, project.ports.redact))
    at.ledger.take_in(Extract(safe, "", safe.cwd, RULES_VERSION, gathered.extent, "", found.state.items))
    return Sessions(
        project.ports, at, only=(Transcript(origin.client, origin.session, path, gathered.extent, 0), gathered)
    )


def _named(ports: Ports, transcript: Path) -> tuple[Path, Gathered, Captured]:
    path = named(transcript, ports.locators)
    gathered, found = _read(ports, path, reader_for(path, ports.readers))
    if not found.state.items:
        raise InputError(
            f"nothing in {path} is worth keeping",
            code="E-session-empty",
            hint=f"{found.facts.records} records and {found.facts.unreadable} unreadable lines were read"
            f"{', and a line that breaks off' if found.facts.is_torn else ''}: no request, no work, no result. "
            "Name another session file.",
        )
    return path, gathered, found


def _newest(project: ProjectHandle) -> tuple[Path, Gathered, Captured]:
    found_project = project_at(project.folder)
    sessions = newest(
        project.ports.locators, project.ports.readers, found_project, excluded=project.ports.asking_session
    )
    for item, reader in islice(sessions, _SESSIONS_TRIED_MAX):
        gathered, found = _read(project.ports, item.path, reader)
        if found.state.items:
            return item.path, gathered, found
    raise no_session(project.ports, found_project)


def _read(ports: Ports, path: Path, reader: Reader) -> tuple[Gathered, Captured]:
    try:
        gathered = gather(path, reader, redact=ports.redact)
    except OSError as error:
        raise unreadable(path, error) from error
    return gathered, captured(gathered, client=reader.name, root_of=top_of)
