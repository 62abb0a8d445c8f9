"""Gathering the facts that claims are proved against: one reading of the session's file, and a few questions to git."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.app.intake.capture import Gathered
from clew.app.proof.anchors import normal
from clew.app.proof.facts import Chosen, DiskFacts, Push, Ran, RecordFacts
from clew.app.proof.looking import Looking
from clew.app.proof.proper import names_in
from clew.app.proof.runs import words_of_part
from clew.app.proof.wording import sentences, told
from clew.clients.files import read_file
from clew.clients.port import Reader
from clew.core.errors import Unavailable
from clew.core.gate.shell import purposes
from clew.core.records.file_names import relative
from clew.core.records.transcript import (
    Plan,
    Prompt,
    Read,
    Record,
    Reply,
    Run,
    Summary,
)
from clew.core.state.draft import Claim
from clew.distill.session import Session, Step, build
from clew.distill.work import is_own, survey
from clew.workspace.disk import Disk, clean
from clew.workspace.git import Git

# A prompt of so many characters at most, after a question or an offer, is an answer to it.
_ANSWER_CHARS_MAX: Final = 80
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
    for batch in read_file(transcript, reader):
        for record in batch.records:
            looking.take(record)
        gathered.read(batch)
    cwd = gathered.cwd
    session = build(gathered.kept, client=reader.name, root=root_of(cwd) if cwd else "")
    return facts_in(session, looking)


def facts_in_records(records: Sequence[Record], claims: Sequence[Claim], *, client: str, root: str = "") -> RecordFacts:
    """The same of records that can be kept (`core.records`), in file order."""
    looking = Looking(claims, str)
    for record in records:
        looking.take(record)
    return facts_in(build(records, client=client, root=root), looking)


def facts_in(session: Session, looking: Looking) -> RecordFacts:
    """What a session says of itself: what tools did, and what the user said."""
    work = survey(session)
    user: list[str] = []
    agreed: list[str] = []
    ran: list[Ran] = []
    doings: dict[str, int] = {}
    read: set[str] = set()
    before = ""
    for index, event in enumerate(session.events):
        if isinstance(event, Prompt):
            user.append(normal(event.text))
            if before and len(event.text) <= _ANSWER_CHARS_MAX:
                agreed.append(normal(before))
        elif isinstance(event, Reply):
            before = event.text
        elif isinstance(event, Summary):
            user.append(normal(event.text))
        elif isinstance(event, Step):
            result, action = event.result, event.call.action
            if result is not None:
                user += [normal(text) for text in (result.reason, *(f"{q} {a}" for q, a in result.answers)) if text]
            if isinstance(action, Read) and (path := relative(action.path, session.root)):
                read.add(path)
            if isinstance(action, Plan) and event.done:
                agreed.append(normal(action.text))
            if isinstance(action, Run) and (event.done or event.failed) and not is_own(event):
                ran.append(_ran(index, action, event))
                if event.done:
                    doings.update(dict.fromkeys(_acts(action.command), index))
    return RecordFacts(
        True,
        looking.seen(),
        tuple(user),
        tuple(agreed),
        work.commits,
        max(work.pushed, work.even),
        work.checks,
        tuple(ran),
        {file.path: file.status for file in work.files},
        tuple((change.path, change.event) for change in work.edits),
        frozenset((*work.read, *read)),
        doings,
        tuple(Chosen(normal(one.answer), tuple(map(normal, one.others))) for one in work.answers if one.is_pick),
        bool(work.opened),
        _branches(ran),
        _pushes(ran),
        looking.written(),
        _asked(session),
        tuple(looking.texts),
        any(isinstance(event, Summary) for event in session.events[:_BEGINNING_EVENTS]),
    )


def _asked(session: Session) -> tuple[str, ...]:
    """The questions that the agent put in prose and that nobody answered."""
    questions: list[str] = []
    for event in session.events:
        if isinstance(event, Prompt):
            questions = []
        elif isinstance(event, Reply):
            questions += [one for one in sentences(normal(event.text)) if one.endswith("?")]
    return tuple(questions)


# Where an output went tells nothing of a command.
_SENT: Final = re.compile(r"(?:\s+(?:\d|&)?(?:>>?|<)(?:&\d|\s*[^\s\"'&|<>]+))+$")


def _ran(index: int, action: Run, step: Step) -> Ran:
    split = purposes.split(action.command)
    parts = tuple((normal(_SENT.sub("", part.text)), words_of_part(part)) for part in split)
    return Ran(action.command, parts, step.done, step.result.text if step.result else "", index)


_COMMITTED: Final = re.compile(r"(?m)^\[([^\s\]]+)(?: \([^)\n]*\))? ([0-9a-f]{6,40})\] ")
_SENT_REF: Final = re.compile(r"(?m)^.*?(\S+) -> (\S+)$")


def _branches(ran: Sequence[Ran]) -> dict[str, str]:
    """The branch of each commit whose making git told of."""
    return {id: branch for one in ran for branch, id in _COMMITTED.findall(one.text)}


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


# What commands did to the world outside of the work tree, by a word of theirs.
_ACTS: Final[Mapping[str, tuple[str, ...]]] = {
    "merged": ("git merge", "gh pr merge", "glab mr merge", "git pull"),
    "tagged": ("git tag", "gh release create", "npm version"),
    "released": ("gh release create", "npm publish", "twine upload", "cargo publish", "uv publish", "release"),
    "published": ("publish", "twine upload", "gh release create"),
    "deployed": ("deploy", "kubectl", "terraform apply", "helm", "fly ", "vercel", "wrangler", "ansible"),
    "rebased": ("git rebase", "git pull --rebase"),
    "reverted": ("git revert", "git checkout", "git restore", "git reset", "git stash"),
    "opened": ("gh pr create", "gh issue create", "glab mr create", "glab issue create"),
}


def _acts(command: str) -> list[str]:
    return [act for act, words in _ACTS.items() if any(word in command for word in words)]


def disk_facts(root: Path, claims: Sequence[Claim], *, environment: Mapping[str, str]) -> DiskFacts:
    """How the work tree at `root` stands, as far as the claims ask. Runs nothing of the repository, asks no remote."""
    wanted = {path for claim in claims for path in claim.files}
    disk = Disk(root)
    exists = frozenset(path for path in wanted if _is_there(disk, path))
    git = Git.at(root, environment=environment)
    if git is None:
        return DiskFacts(exists=exists)
    try:
        status = git.status()
        ever = git.period(0)
        commits = git.commits(ever, limit=_COMMITS_MAX)
        touched = git.touching(sorted(wanted), ever)
        names = {name for claim in claims for name in names_in(told(claim))}
        tree = "\n".join(git.files()).casefold() if names else ""
    except Unavailable:
        return DiskFacts(exists=exists)
    return DiskFacts(
        True,
        frozenset((*status.changed, *status.untracked)),
        status.head.branch,
        {commit.id: commit.subject for commit in commits},
        exists,
        {path: frozenset(commit.id for commit in found) for path, found in touched.items()},
        frozenset(name for name in names if name in tree),
    )


def _is_there(disk: Disk, path: str) -> bool:
    name = clean(path.rstrip("/"))
    place = disk.locate(name) if name else None
    return place is not None and os.path.lexists(place)
