"""Gathering the facts that claims are proved against: one reading of the session's file, and a few questions to git."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.app.ports import Ports
from clew.app.proof.anchors import normal
from clew.app.proof.check import words_of_part
from clew.app.proof.facts import DiskFacts, Push, Ran, RecordFacts
from clew.app.proof.looking import Looking, strings
from clew.app.proof.prove import prove
from clew.clients.port import Reader
from clew.core.errors import Unavailable
from clew.core.gate.shell import purposes
from clew.core.records.transcript import Plan, Prompt, Reply, Run, Summary
from clew.core.state.draft import Claim, Judged
from clew.core.text.cleaning import clean as clean_text
from clew.distill.session import Session, Step, build
from clew.distill.work import is_own, survey
from clew.documents.draft import claims_in
from clew.sessions.capture import Gathered
from clew.sessions.log import SessionLog
from clew.workspace import repository
from clew.workspace.disk import Disk, clean
from clew.workspace.git import Git

# A prompt of so many characters at most, or one that begins with a choice, after a question or an offer, answers it.
_ANSWER_CHARS_MAX: Final = 80
_PICK: Final = re.compile(r"\W*(?:(?:option )?[a-z]|\d{1,2}|yes|yep|ok|okay|sure)[.,:;)!]", re.IGNORECASE)
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
    agreed: list[str] = []
    refused: list[str] = []
    ran: list[Ran] = []
    endless: list[tuple[str, int]] = []
    before = ""
    for index, event in enumerate(session.events):
        if isinstance(event, Prompt):
            user.append(normal(event.text))
            if before and (len(event.text) <= _ANSWER_CHARS_MAX or _PICK.match(event.text)):
                agreed.append(normal(before))
        elif isinstance(event, Reply):
            before = event.text
        elif isinstance(event, Summary):
            user.append(normal(event.text))
        elif isinstance(event, Step):
            result, action = event.result, event.call.action
            if result is not None:
                user += [normal(text) for text in (result.reason, *(f"{q} {a}" for q, a in result.answers)) if text]
            if isinstance(action, Plan) and event.done:
                agreed.append(normal(action.text))
            if result is not None and result.outcome == "rejected":
                refused.append(normal("\n".join(strings(action))))
            elif isinstance(action, Run) and (event.done or event.failed) and not is_own(event):
                ran.append(_ran(index, action, event))
            elif isinstance(action, Run) and not event.is_denied:
                endless.append((normal(action.command), index))
    return RecordFacts(
        True, looking.seen(), tuple(user), tuple(agreed), tuple(work.commits), max(work.pushed, work.even), tuple(ran),
        {file.path: file.status for file in work.files},
        tuple((change.path, change.event) for change in work.edits),
        frozenset(work.read),
        {id: branch for one in ran for branch, id in _COMMITTED.findall(one.text)},
        _pushes(ran),
        frozenset(looking.written), tuple(looking.texts),
        any(isinstance(event, Summary) for event in session.events[:_BEGINNING_EVENTS]),
        tuple(refused), tuple(endless),
    )  # fmt: skip


# Where an output went tells nothing of a command.
_SENT: Final = re.compile(r"(?:\s+(?:\d|&)?(?:>>?|<)(?:&\d|\s*[^\s\"'&|<>]+))+$")


def _ran(index: int, action: Run, step: Step) -> Ran:
    split = purposes.split(action.command)
    parts = tuple((normal(_SENT.sub("", part.text)), words_of_part(part)) for part in split)
    return Ran(action.command, parts, step.done, step.result.text if step.result else "", index)


# The branch of a commit, as git tells of its making; where a branch was pushed to.
_COMMITTED: Final = re.compile(r"(?m)^\[([^\s\]]+)(?: \([^)\n]*\))? ([0-9a-f]{6,40})\] ")
_SENT_REF: Final = re.compile(r"(?m)^.*?(\S+) -> (\S+)$")


def _pushes(ran: Sequence[Ran]) -> tuple[Push, ...]:
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
) -> tuple[Judged, ...]:
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
