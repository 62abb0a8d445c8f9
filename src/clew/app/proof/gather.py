"""Gathering the facts that claims are proved against: one reading of the session's file, and a few questions to git."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.app.capture import Gathered
from clew.app.proof import acts, commit, quotation
from clew.app.proof.anchors import anchors_in, normal
from clew.app.proof.facts import Chosen, DiskFacts, Needle, Push, Ran, RecordFacts
from clew.app.proof.files import name_of
from clew.app.proof.push import PUSHED
from clew.app.proof.runs import words_of_part
from clew.app.proof.scan import Scan
from clew.app.proof.wording import content_stems, sentences, told
from clew.clients.files import read_file
from clew.clients.port import Reader
from clew.core.commandline import read as read_line
from clew.core.draft import Claim
from clew.core.errors import Unavailable
from clew.core.receipt import without_documents
from clew.core.records import (
    Action,
    Ask,
    Call,
    Delegate,
    Edit,
    Link,
    Other,
    Plan,
    Prompt,
    Read,
    Record,
    Reply,
    Result,
    Run,
    Running,
    Search,
    Summary,
    Thought,
    Todos,
)
from clew.distill import commands
from clew.distill.session import Session, Step, build
from clew.distill.tree import relative
from clew.distill.work import is_own, survey
from clew.workspace.disk import Disk, clean
from clew.workspace.git import Git

# A prompt of so many characters at most, after a question or an offer, is an answer to it.
_ANSWER_CHARS_MAX: Final = 80
# A text of the agent's that holds so many of a draft's claims, or this share of a short one's, is that draft.
_OWN_CLAIMS_MIN: Final = 4
_OWN_SHARE: Final = 0.5
_CLAIM_HEAD_CHARS: Final = 48
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
    scan = Scan(needles_of(claims))
    written = _Draft(claims)
    gathered = Gathered(redact)
    for text in also:
        scan.look(text, "summary")
    files = _Written()
    for batch in read_file(transcript, reader):
        for record in batch.records:
            _look(scan, written, record, gathered.safe.text)
            files.take(record)
        gathered.read(batch)
    cwd = gathered.cwd
    session = build(gathered.kept, client=reader.name, root=root_of(cwd) if cwd else "")
    return facts_in(session, scan, files.names)


def facts_in_records(records: Sequence[Record], claims: Sequence[Claim], *, client: str, root: str = "") -> RecordFacts:
    """The same of records that can be kept (`core.records`), in file order."""
    scan = Scan(needles_of(claims))
    written = _Draft(claims)
    files = _Written()
    for record in records:
        _look(scan, written, record, str)
        files.take(record)
    return facts_in(build(records, client=client, root=root), scan, files.names)


def needles_of(claims: Iterable[Claim]) -> frozenset[Needle]:
    """All that is to be looked for in the record for these claims."""
    needles: set[Needle] = {PUSHED}
    for claim in claims:
        needles |= acts.needles_in(told(claim)) | commit.needles_in(told(claim))
        for anchor in anchors_in(told(claim)):
            needles |= anchor.needles
            if anchor.kind == "quotation":  # one that is not exact may still be of the record's words
                needles.update(Needle(stem) for stem in content_stems(anchor.text))
                needles.update(filter(None, (quotation.in_line(anchor.text),)))
    return frozenset(needles)


_FILE: Final = re.compile(r"[\w@+./-]+\.\w+|[\w@+./-]*\w/(?=\s|$)")
# Git tells which files changed; so much of what it prints is looked at.
_OF_GIT: Final = re.compile(r"\bgit\b.*\b(?:status|commit|stash|add)\b")
_GIT_CHARS_MAX: Final = 64_000


class _Written:
    """The files that tools wrote, those that commands may have written, those that git told of; sub-agents' too."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._of_git: set[str] = set()

    def take(self, record: Record) -> None:
        """Look at what a call writes, and at git's answers."""
        if isinstance(record, Result) and record.call in self._of_git:
            self._add(record.text[:_GIT_CHARS_MAX])
        if not isinstance(record, Call):
            return
        action = record.action
        if isinstance(action, Edit):
            self.names.add(name_of(action.path))
        elif isinstance(action, Run):
            if _OF_GIT.search(action.command):
                self._of_git.add(record.id)
            line = read_line(action.command, "/")
            if line.understood and not any("*" in path for path, _ in line.writes):
                self.names.update(name_of(path) for path, _ in line.writes)
            else:
                self._add(action.command)

    def _add(self, text: str) -> None:
        self.names.update(name_of(path) for path in _FILE.findall(text))


class _Draft:
    """The draft itself, as it stands in the record that it was written in: its words prove nothing."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        heads = (normal(claim.text)[:_CLAIM_HEAD_CHARS] for claim in claims)
        self._heads = [head for head in dict.fromkeys(heads) if len(head) > 8]
        self._enough = min(_OWN_CLAIMS_MIN, max(1, round(len(self._heads) * _OWN_SHARE)))

    def is_in(self, text: str) -> bool:
        """Whether a text of the agent's is a draft with these claims, or an earlier writing of it."""
        if not self._heads or len(text) < 60:
            return False
        flat = normal(text)
        found = 0
        for head in self._heads:
            found += head in flat
            if found >= self._enough:
                return len(self._heads) > 1 or len(flat) < 4 * len(self._heads[0])
        return False


def _look(scan: Scan, written: _Draft, record: Record, safe: Callable[[str], str]) -> None:
    """Look through what a record holds."""
    if isinstance(record, Prompt):
        said = without_documents(record.text)
        scan.look(safe(said), "agent" if record.agent else "user")
        if said != record.text:
            scan.look(safe(record.text), "summary")
    elif isinstance(record, (Reply, Thought)):
        text = safe(record.text)
        if not written.is_in(text):
            scan.look(text, "agent")
    elif isinstance(record, Summary):
        text = safe(record.text)
        if not written.is_in(text):
            scan.look(text, "summary")
    elif isinstance(record, Call):
        text = safe(_words_of(record.action))
        if not written.is_in(text):
            scan.look(text, "call")
    elif isinstance(record, Result):
        scan.look(safe(record.text), "tool")
        if not record.agent:
            scan.look(safe("\n".join((record.reason, *(answer for _, answer in record.answers)))), "user")
    elif isinstance(record, Running):
        scan.look(safe(record.text), "tool")
    elif isinstance(record, Link):
        scan.look(safe(f"{record.text}\n{record.url}"), "tool")


def _words_of(action: Action) -> str:
    """All that a call says."""
    if isinstance(action, Run):
        return action.command
    if isinstance(action, Edit):
        return f"{action.path}\n{action.removed}\n{action.added}"
    if isinstance(action, Read):
        return action.path
    if isinstance(action, Search):
        return f"{action.pattern}\n{action.path}"
    if isinstance(action, Plan):
        return action.text
    if isinstance(action, Todos):
        return "\n".join(entry.text for entry in action.entries)
    if isinstance(action, Ask):
        return "\n".join(f"{one.text}\n" + "\n".join(one.options) for one in action.questions)
    if isinstance(action, Delegate):
        return f"{action.title}\n{action.prompt}"
    return action.detail if isinstance(action, Other) else ""


def facts_in(session: Session, scan: Scan, written: Collection[str] = ()) -> RecordFacts:
    """What a session says of itself: what tools did, and what the user said. `written` are files that anybody wrote,
    sub-agents too.
    """
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
        scan.seen(),
        tuple(user),
        tuple(agreed),
        work.commits,
        work.pushed,
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
        frozenset(written),
        _asked(session),
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
    split = commands.split(action.command)
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
        words = [part.words for part in commands.split(one.command) if part.purpose == "push"] if one.ok else []
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
        commits = git.commits(git.period(0), limit=_COMMITS_MAX)
    except Unavailable:
        return DiskFacts(exists=exists)
    return DiskFacts(
        True,
        frozenset((*status.changed, *status.untracked)),
        status.head.branch,
        {commit.id: commit.subject for commit in commits},
        exists,
    )


def _is_there(disk: Disk, path: str) -> bool:
    name = clean(path.rstrip("/"))
    place = disk.locate(name) if name else None
    return place is not None and os.path.lexists(place)
