"""Gathering the facts that claims are proved against: one reading of the session's file, and a few questions to git."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.app.ports import Ports
from clew.app.proof.anchors import anchors_of, normal, plain
from clew.app.proof.check import words_of_part
from clew.app.proof.facts import DiskFacts, Needle, Push, RecordFacts, ShellFact, Source
from clew.app.proof.prove import prove
from clew.app.proof.work import PUSHED, name_of
from clew.clients.port import Reader
from clew.core.errors import Unavailable
from clew.core.gate.shell import purposes
from clew.core.gate.shell.effects import read as read_line
from clew.core.records import transcript
from clew.core.records.transcript import Call, Edit, Link, Prompt, Record, Reply, Result, Run, Running, Summary, Thought
from clew.core.state.draft import Claim, JudgedClaim
from clew.core.text.cleaning import clean as clean_text
from clew.core.text.receipt import without_documents
from clew.distill.session import Session, ToolStep, build
from clew.distill.work import is_own, survey
from clew.documents.draft import claims_in
from clew.sessions.capture import Gathered
from clew.sessions.log import SessionLog
from clew.workspace import repository
from clew.workspace.disk import Disk, clean
from clew.workspace.git import Git

# A text of the agent's that holds so many of a draft's claims, or all of a short one's, is that draft.
_OWN_CLAIMS_MIN: Final = 4
_HEAD_CHARS: Final = 48
_SHORT_CHARS: Final = 8
# How clew's tools and commands that take a draft are called: their answers repeat what is wrong in it.
_DRAFTING: Final = re.compile(r"checkpoint|draft|handoff|hand-off")
_FILE: Final = re.compile(r"[\w@+./-]+\.\w+|[\w@+./-]*\w/(?=\s|$)")
# Git tells which files changed; so much of what it prints is looked at.
_OF_GIT: Final = re.compile(r"\bgit\b.*\b(?:status|commit|stash|add)\b")
_GIT_CHARS_MAX: Final = 64_000
# Texts of one source are looked through together once they have so many characters.
_BATCH_CHARS: Final = 1 << 18
_PARTING: Final = "\n\0\n"


class Looking:
    """All that a record holds, looked through for the claims of a draft, one record after the other; no text stays.

    The draft itself is left out, and so is what clew answered to it: neither is evidence.
    """

    def __init__(self, claims: Sequence[Claim], safe: Callable[[str], str]) -> None:
        self.written: set[str] = set()  # names of files that a tool or a command may have written; sub-agents' too
        self.texts: list[str] = []  # what the session was given, `normal`
        self._seen: dict[Needle, set[Source]] = {needle: set() for needle in needles_of(claims)}
        self._held: dict[Source, list[str]] = {}
        self._chars: dict[Source, int] = {}
        self._safe = safe
        self._place = ""  # the last branch and folder that the client told of
        self._of_git: set[str] = set()
        self._own: dict[str, bool] = {}  # calls of clew, and whether what they answer was known before
        texts = [text for text in dict.fromkeys(normal(claim.text) for claim in claims) if len(text) > _SHORT_CHARS]
        self._enough = min(_OWN_CLAIMS_MIN, len(texts))
        # Of few claims all words count: a command that one of them names would hold its beginning.
        self._heads = [text[:_HEAD_CHARS] for text in texts] if len(texts) > _OWN_CLAIMS_MIN else texts

    def given(self, text: str) -> None:
        """A text that the session was given."""
        self.texts.append(normal(self._safe(text)))
        self._look(text, "summary")

    def take(self, record: Record) -> None:
        """Look through one record."""
        if isinstance(record, Prompt):
            said = without_documents(record.text)
            self._look(said, "agent" if record.agent else "user")
            if said != record.text:
                self.given(record.text)
        elif isinstance(record, (Reply, Thought, Summary)):
            self._take_words(record.text, "summary" if isinstance(record, Summary) else "agent")
        elif isinstance(record, Call):
            self._take_call(record)
        elif isinstance(record, Result):
            self._take_result(record)
        elif isinstance(record, (Running, Link)):
            self._look("\n".join(strings(record)), "tool")
        elif isinstance(record, transcript.Context) and (place := f"{record.branch}\n{record.cwd}") != self._place:
            self._place = place
            self._look(place, "tool")

    def seen(self) -> dict[Needle, frozenset[Source]]:
        """What was found of the needles."""
        for source in list(self._held):
            self._look_through(source)
        return {needle: frozenset(sources) for needle, sources in self._seen.items() if sources}

    def _take_words(self, text: str, source: Source) -> None:
        """Look through words of the agent's, unless they are a draft with these claims, or an earlier writing of it."""
        flat = normal(self._safe(text))
        if not self._heads or sum(head in flat for head in self._heads) < self._enough:
            self._look(text, source)

    def _take_call(self, call: Call) -> None:
        action = call.action
        if isinstance(action, Edit):
            self.written.add(name_of(action.path))
        elif isinstance(action, Run):
            if _OF_GIT.search(action.command):
                self._of_git.add(call.id)
            line = read_line(action.command, "/")
            if line.understood and not any("*" in path for path, _ in line.writes):
                self.written.update(name_of(path) for path, _ in line.writes)
            else:
                self._add_files(action.command)
        words = "\n".join(strings(action))
        if is_own(ToolStep(call, None)):
            self._own[call.id] = not _DRAFTING.search(f"{call.tool} {words}")
        else:
            self._take_words(words, "call")

    def _take_result(self, result: Result) -> None:
        if result.call in self._of_git:
            self._add_files(result.text[:_GIT_CHARS_MAX])
        if result.call in self._own:
            if self._own[result.call]:
                self.given(result.text)
            return
        self._look(result.text, "tool")
        if not result.agent:
            self._look("\n".join((result.reason, *(answer for _, answer in result.answers))), "user")

    def _add_files(self, text: str) -> None:
        self.written.update(name_of(path) for path in _FILE.findall(text))

    def _look(self, text: str, source: Source) -> None:
        if text:
            self._held.setdefault(source, []).append(self._safe(text))
            self._chars[source] = self._chars.get(source, 0) + len(text)
            if self._chars[source] >= _BATCH_CHARS:
                self._look_through(source)

    def _look_through(self, source: Source) -> None:
        wanted = [needle for needle, sources in self._seen.items() if source not in sources]
        lines = plain(_PARTING.join(self._held.pop(source)))
        self._chars[source] = 0
        flat = " ".join(lines.split())
        for needle in wanted:
            if needle.text in flat if not needle.pattern else needle.text in lines and re.search(needle.pattern, lines):
                self._seen[needle].add(source)


def needles_of(claims: Iterable[Claim]) -> frozenset[Needle]:
    """All that is to be looked for in the record for these claims."""
    needles: set[Needle] = {PUSHED}
    for claim in claims:
        needles.update(Needle(normal(f"`{one.text}`")) for one in claim.evidence if one.kind == "check")
        for anchor in anchors_of(claim):
            needles.update(needle for way in anchor.ways for needle in way)
    return frozenset(needles)


def strings(value: object) -> Iterator[str]:
    """All texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from strings(one)


# A summary among so many events at the beginning is of another session's record.
_BEGINNING_EVENTS: Final = 3
_COMMITS_MAX: Final = 300


def facts_of(
    transcript: Path,
    reader: Reader,
    claims: Sequence[Claim],
    *,
    redact: Callable[[str], str],
    root_of: Callable[[str], str],
    also: Iterable[str] = (),
) -> RecordFacts:
    """What the session at `transcript` says, as far as `claims` ask. `also` are texts that it was given and no record
    holds (a payload). What a tool printed is looked through and dropped. Raises `OSError` if it cannot be read.
    """
    gathered = Gathered(redact)
    looking = Looking(claims, gathered.safe.text)
    for text in also:
        looking.given(text)
    for batch in SessionLog(transcript, reader).batches():
        for record in batch.records:
            looking.take(record)
        gathered.read(batch)
    root = root_of(gathered.cwd) if gathered.cwd else ""
    return facts_in(build(gathered.kept, client=reader.name, root=root), looking)


def facts_in(session: Session, looking: Looking) -> RecordFacts:
    """What a session says of itself: what tools did, and what the user said."""
    work = survey(session)
    user: list[str] = []
    ran: list[ShellFact] = []
    for index, event in enumerate(session.events):
        if isinstance(event, (Prompt, Summary)):
            user.append(normal(event.text))
        elif isinstance(event, ToolStep):
            result, action = event.result, event.call.action
            if result is not None:
                user += [normal(text) for text in (result.reason, *(f"{q} {a}" for q, a in result.answers)) if text]
            if isinstance(action, Run) and not (event.is_denied or is_own(event)):
                split = purposes.split(action.command)
                commands = tuple((normal(_SENT.sub("", one.text)), words_of_part(one)) for one in split)
                text, ended = result.text if result is not None else "", event.done or event.failed
                ran.append(ShellFact(action.command, commands, event.done, text, index, ended))
    return RecordFacts(
        True, looking.seen(), tuple(user), tuple(work.commits), max(work.pushed, work.even), tuple(ran),
        {file.path: file.status for file in work.files},
        tuple((change.path, change.event) for change in work.edits),
        frozenset(work.read),
        {id: branch for one in ran for branch, id in _COMMITTED.findall(one.text)},
        _pushes(ran),
        frozenset(looking.written), tuple(looking.texts),
        any(isinstance(event, Summary) for event in session.events[:_BEGINNING_EVENTS]),
    )  # fmt: skip


# Where an output went tells nothing of a command.
_SENT: Final = re.compile(r"(?:\s+(?:\d|&)?(?:>>?|<)(?:&\d|\s*[^\s\"'&|<>]+))+$")


# The branch of a commit, as git tells of its making; where a branch was pushed to.
_COMMITTED: Final = re.compile(r"(?m)^\[([^\s\]]+)(?: \([^)\n]*\))? ([0-9a-f]{6,40})\] ")
_SENT_REF: Final = re.compile(r"(?m)^.*?(\S+) -> (\S+)$")


def _pushes(ran: Sequence[ShellFact]) -> tuple[Push, ...]:
    """The pushes that went through, each with the branches that it named or that git told of, if any."""
    found = []
    for one in ran:
        words = [part.words for part in purposes.split(one.command) if part.purpose == "push"] if one.ok else []
        if words and not any("--dry-run" in some for some in words):
            told = {ref for pair in _SENT_REF.findall(one.text) for ref in pair}
            named = [word for some in words for word in some[2:] if not word.startswith("-")]
            told.update(ref for word in named[1:] for ref in word.lstrip("+").split(":") if ref != "HEAD")
            found.append(Push(one.event, frozenset(told)))
    return tuple(found)


def disk_facts(root: Path, claims: Sequence[Claim], *, environment: Mapping[str, str]) -> DiskFacts:
    """How the work tree at `root` stands, as far as the claims ask. Runs nothing of the repository, asks no remote."""
    wanted = {path for claim in claims for path in claim.files}
    disk, names = Disk(root), {path: clean(path.rstrip("/")) for path in wanted}
    places = {path: disk.locate(name) if name else None for path, name in names.items()}
    exists = frozenset(path for path, place in places.items() if place is not None and os.path.lexists(place))
    git = Git.at(root, environment=environment)
    if git is None:
        return DiskFacts(exists=exists)
    try:
        status = git.status()
        ever = git.period(0)
        commits = git.commits(ever, limit=_COMMITS_MAX)
        touched = git.touching(sorted(wanted), ever)
    except Unavailable:
        return DiskFacts(exists=exists)
    return DiskFacts(
        True,
        frozenset((*status.changed, *status.untracked)),
        status.head.branch,
        {commit.id: commit.subject for commit in commits},
        exists,
        {path: frozenset(commit.id for commit in found) for path, found in touched.items()},
    )


def judge(
    ports: Ports, *, text: str, transcript: Path | None, reader: Reader | None, root: Path, also: Iterable[str] = ()
) -> tuple[JudgedClaim, ...]:
    """The claims of the draft `text`, in its order, each with its verdict; () for a text without any.

    `transcript` is the session's file (an address that `reader` opens); None, or no reader: the record is not known.
    `root` is the top of the project. `also` are texts that the session was given and no record holds (a payload at its
    start): what they say is anchored. The text is cleaned and redacted first, as the record is, so that placeholders
    agree. Raises `OSError` if the transcript cannot be read.
    """
    claims = claims_in(ports.redact(clean_text(text)))
    if not claims:
        return ()
    disk = disk_facts(root, claims, environment=ports.environment)
    if transcript is None or reader is None:
        return prove(claims, RecordFacts(), disk)
    record = facts_of(
        transcript, reader, claims, redact=ports.redact, root_of=lambda folder: _top(folder, root), also=also
    )
    return prove(claims, record, disk)


def _top(folder: str, root: Path) -> str:
    """What paths are shown relative to: the project, if the session ran in it, else where it ran."""
    if Path(folder) == root or root in Path(folder).parents:
        return str(root)
    found = repository.find(Path(folder))
    return str(found.top) if found is not None else folder
