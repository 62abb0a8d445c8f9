"""A task and its issue brought to the same stand: what people did there taken in, what is known here written there.

Everything can be killed between any two requests: what is about to be written is kept before it is sent, what was taken
in is kept together with the body that it was taken from, and what would be made twice carries a mark.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from msgspec import structs

from clew.app.egress.guard import note_allowed, require_clean
from clew.app.issue import link as links
from clew.app.issue.authors import UNKNOWN, Author, IssueVersion
from clew.app.issue.body import LABEL, Body, HiddenBlock, block_of, marker, read, speaking
from clew.app.issue.content import Held, body_of, held, held_of, phase_comments, to_read
from clew.app.issue.link import IssueLink, LinkRow
from clew.app.issue.merging import Took, carried, plan
from clew.app.ports import Ports
from clew.app.project.session import ProjectSession
from clew.app.project.trust import project_at, trusted_logins
from clew.app.results import JsonResult, TaskRow
from clew.core.errors import ClewError, NotAllowed, Unavailable
from clew.core.state.fold import fold
from clew.core.state.tasks import Task
from clew.remotes.port import Issue, Revision, Tracker
from clew.workspace.git import Git

# Edits made while we write are imported, and the text is written again: at most this often.
_ROUNDS_MAX: Final = 4
_LABELLED: Final = "label"
_TAKE_OUT: Final = "`clew issue push --dry-run` shows the text: take the value out there or in the issue"


class Synced(JsonResult, frozen=True):
    """What became of a task's `issue`, which tells where it is. `took` is what was imported; `wrote` what was written
    there, in words ("opened", "body", "title", "label", "comment"), in order; `body` the text that it has now, or would
    have (`dry_run`). `left_out` items had no room. `queued` is why it waits, "" it does not.
    """

    dry_run: bool
    task: TaskRow
    issue: LinkRow
    took: tuple[Took, ...]
    wrote: tuple[str, ...]
    body: str
    left_out: int
    queued: str
    notes: tuple[str, ...]


@dataclass(slots=True)
class Syncing:
    """One task being brought in line with its issue. `number` is the issue, 0 to be opened; `allow` are digits of what
    looks like a secret and is none, `why` says so.
    """

    ports: Ports
    at: ProjectSession
    tracker: Tracker
    task: Task
    link: IssueLink
    inferred: bool = False
    allow: Collection[str] = ()
    dry_run: bool = False
    why: str = ""
    took: list[Took] = field(default_factory=list)
    wrote: list[str] = field(default_factory=list)
    body: str = ""
    left_out: int = 0

    def pull(self) -> Held:
        """Take in what people did in the issue."""
        issue = self._issue()
        return self._take_in(issue)[0] if issue is not None else self._held()

    def push(self) -> None:
        """Take that in, then write what is known here, and say what phases were done."""
        issue = self._find() if not self.link.is_linked else self._issue(fresh=True)
        now = self._open() if issue is None else self._write(issue)
        if not self.dry_run:
            self._comments(now)

    # Reading

    def _issue(self, *, fresh: bool = False) -> Issue | None:
        """The issue as it is; None where it is as we took it in last."""
        base = self.link.bases[-1] if self.link.bases and not fresh else None
        etag = base.etag if base is not None and base.pulled else ""
        found = self.tracker.issue(self.link.number, etag=etag)
        if found is not None:
            self._at_home(found)
        return found

    def _at_home(self, issue: Issue) -> None:
        """Note where an issue is that was moved."""
        if not self.link.is_linked or (issue.repository.key, issue.number) == (
            self.link.repository.key if self.link.repository else "",
            self.link.number,
        ):
            return
        self.at.note(f"{self.link.named} is {issue.repository}#{issue.number} now.")
        self._linked(issue, self.link.hid)

    def _linked(self, issue: Issue, hid: str) -> None:
        if not self.dry_run:
            self.at.append(links.linked_event(self.at, self.link, issue, hid=hid))
        self.link = replace(self.link, hid=hid, repository=issue.repository, number=issue.number, url=issue.url)
        if self.tracker.repository.key != issue.repository.key:
            self.tracker = self.tracker.elsewhere(issue.repository)

    def _find(self) -> Issue | None:
        """The issue that holds this task already, though nobody noted its number: we were killed, or the ledger is
        older than that.
        """
        # A day earlier, since the server's clock may differ.
        times = (datetime.fromisoformat(base.at) - timedelta(days=1) for base in self.link.bases if not base.pulled)
        since = next((time.strftime("%Y-%m-%dT%H:%M:%SZ") for time in times), "")
        found = self.tracker.find(marker(self.link.hid), label=LABEL, since=since)
        if found is not None:
            self._linked(found, self.link.hid)
        return found

    def _held(self) -> Held:
        return held(self.at, self.task, inferred=self.inferred)

    def _take_in(self, issue: Issue, *, missed_on: str | None = None) -> tuple[Held, Body]:
        """Record what people did since the body that this one was made from; what is held then, and their body. With
        `missed_on` it is an edit of that body which we have written over: the issue does not have it.
        """
        text = self.at.safe_lines(issue.body)
        theirs, now = read(text), self._held()
        # What stands around the lists is written again as it is; what must not leave is found there, and refuses it.
        verbatim = theirs if text == issue.body else replace(theirs, raws=read(issue.body).raws)
        if missed_on is not None:
            base = self.at.safe_lines(missed_on)
        else:
            known = links.base_for(self.link, theirs.block)
            base = known.text if known else ""
        if base.strip() == text.strip() and base:
            return now, verbatim
        if theirs.block is not None and theirs.block.hid != self.link.hid and missed_on is None:
            # Somebody took the block out, and somebody else put another one in: the issue's own word counts.
            self._linked(issue, theirs.block.hid)
        was = read(base)
        told = now if self.inferred or not _tells_inferred(was, now) else held(self.at, self.task, inferred=True)
        versions = self._versions(issue, base, theirs)
        seed, named = self.link.seed or self.link.hid, self.link.named
        made = plan(self.at, told, was, theirs, versions=versions, seed=seed, named=named)
        self.took += made.took
        if self.dry_run:
            after = fold(made.events, now.entities)
            rehearsed = held_of(now.task, after, now.extracts, private=frozenset(), inferred=self.inferred, at=self.at)
            return rehearsed, verbatim
        events = list(made.events)
        if missed_on is None:
            rev = theirs.block.rev if theirs.block else ""
            kept = (self.at, self.link)
            events.append(links.base_event(*kept, text=issue.body, rev=rev, pulled=True, issue=issue, done=made.done))
        self.at.append(events)
        self._again()
        return self._held(), verbatim

    def _again(self) -> None:
        self.link = links.link_of(self.at, self.task.id)

    def _versions(self, issue: Issue, base: str, theirs: Body) -> list[IssueVersion]:
        """The edits since `base`, by whom each was made, as far as the server tells. The last one is `theirs`."""
        told = self.tracker.revisions(issue.number)
        logins = trusted_logins(self.ports.trust_store, project_at(self.at.location.root), issue.repository.host)
        if told is None:
            self.at.note(f"{issue.repository.host} does not tell who edited the issue: it counts as nobody's word.")
            return [IssueVersion(UNKNOWN, theirs)]
        if not told:
            told = (Revision(issue.updated_at, issue.author, True, issue.body),)
        texts = [None if one.body is None else self.at.safe_lines(one.body).strip() for one in told]
        meant = self.at.safe_lines(issue.body).strip()
        last = max((at for at, text in enumerate(texts) if text == meant), default=-1)
        if last < 0:
            return [IssueVersion(UNKNOWN, theirs)]
        told, texts = told[: last + 1], texts[: last + 1]
        first = max((at for at, text in enumerate(texts) if text == base.strip()), default=-1) + 1
        if None in texts[first:]:
            self.at.note("Edits are missing in the issue's history: what came with them counts as nobody's word.")
        return list(_versions_of(told, texts, first, logins))

    # Writing

    def _block(self, now: Held, theirs: Body) -> HiddenBlock:
        """The block that the next body gets, but for what follows from its text."""
        git = _git(self.ports, self.at)
        commit = self.at.location.head.commit if self.at.location.head else ""
        seen = theirs.block.seen if theirs.block else ()
        rev = theirs.block.rev if theirs.block else ""
        files = to_read(self.at, git, self.task.id, now.state)
        at = "" if self.link.seed == self.link.place else self.link.seed
        return HiddenBlock(
            self.link.hid, at=at, seen=tuple(filter(None, (rev, *seen))), commit=commit, branch=self.at.location.branch,
            read=files,
        )  # fmt: skip

    def _composed(self, now: Held, theirs: Body) -> str:
        block, shown = self._block(now, theirs), self.at.short(self.task.id)
        carry = carried(now, theirs, self.link.seed or self.link.hid)
        if theirs.block is not None:
            # With nothing new it is the same text under the same revision, made from the same ones.
            unchanged = structs.replace(block, seen=theirs.block.seen)
            same, self.left_out = body_of(now, theirs, unchanged, task=shown, carry=carry)
            if block_of(same) == theirs.block:
                return same
        text, self.left_out = body_of(now, theirs, block, task=shown, carry=carry)
        return text

    def _open(self) -> Held:
        """Open the issue; what is held."""
        now, theirs = self._held(), Body((), (), (), None, untouched=False)
        self.body = self._composed(now, theirs)
        title = self.task.title
        self._require_clean(("the body", speaking(self.body)), ("the title", title))
        self.wrote.append("opened")
        if self.dry_run:
            return now
        self._intend(self.body, None, title=title)
        issue = self.tracker.create(title, self.body, label=LABEL, marker=marker(self.link.hid))
        self._linked(issue, self.link.hid)
        self._arrived(self.body, issue)
        if LABEL not in issue.labels:
            self.at.note(f"The issue has no label “{LABEL}”: the login may not set labels there.")
        return now

    def _write(self, issue: Issue) -> Held:
        """Write the body, until nobody's edit came in between; what is held then."""
        now, theirs = self._take_in(issue)
        for _ in range(_ROUNDS_MAX):
            self.body = self._composed(now, theirs)
            title = self._title(issue)
            is_new = self.body.strip() != issue.body.strip()
            if not is_new and title is None:
                if self.link.queued and not self.dry_run:
                    self._arrived(self.body, issue)
                return now
            self._require_clean(("the body", speaking(self.body)), ("the title", title or ""))
            self.wrote += [what for what, does in (("body", is_new), ("title", title is not None)) if does]
            if self.dry_run:
                return now
            self._label(issue, theirs)
            self._intend(self.body, replace(issue, title=title or issue.title))
            written = self.tracker.edit(issue.number, title=title, body=self.body if is_new else None)
            self._arrived(self.body, written)
            missed = self._missed(issue.body, self.body) if is_new else None
            if missed is None:
                return now
            # Somebody saved an edit after we had read: it is taken in as it was, and written again.
            now, theirs = self._take_in(replace(issue, body=missed.body or ""), missed_on=issue.body)
            issue = written
        self.at.note("The issue changes faster than it can be written: run `clew issue push` again.")
        return now

    def _require_clean(self, *texts: tuple[str, str]) -> None:
        key, deep = self.at.ledger.key, self.ports.deep_scan
        scanned = require_clean(texts, key, exit="issue", allow=self.allow, deep=deep, hint=_TAKE_OUT)
        if not self.dry_run:
            note_allowed(self.at, scanned, exit="issue", why=self.why, task=self.task.id)
        for note in scanned.notes:
            self.at.note(note)

    def _missed(self, before: str, after: str) -> Revision | None:
        """The edit that came between the body that we read and the one that we wrote over it, None if none did."""
        told = self.tracker.revisions(self.link.number)
        if not told:
            return None
        told = tuple(one for one in told if one.body is not None)
        texts = [(one.body or "").strip() for one in told]
        ours = max((at for at, text in enumerate(texts) if text == after.strip()), default=-1)
        if ours < 1 or texts[ours - 1] == before.strip():
            return None
        return told[ours - 1]

    def _title(self, issue: Issue) -> str | None:
        """The title to be written: the task was renamed here, and the issue was not."""
        last = next((base.title for base in reversed(self.link.bases) if base.title), "")
        is_its_own = bool(self.link.bases) and self.link.bases[0].pulled  # it had one before it was linked
        if not last or issue.title != last or self.task.title == last or is_its_own:
            return None
        return self.task.title

    def _label(self, issue: Issue, theirs: Body) -> None:
        """Put the label on an issue that we write for the first time; who takes it off later has a reason."""
        if theirs.block is not None or LABEL in issue.labels:
            return
        self.wrote.append(_LABELLED)
        try:
            self.tracker.add_label(issue.number, LABEL)
        except NotAllowed:
            self.at.note(f"The issue has no label “{LABEL}”: the login may not set labels there.")

    def _intend(self, text: str, issue: Issue | None, *, title: str = "") -> None:
        """Keep what is about to be sent."""
        block = block_of(text)
        rev = block.rev if block else ""
        event = links.base_event(self.at, self.link, text=text, rev=rev, pulled=False, issue=issue, title=title)
        self.at.append([event])
        self._again()

    def _arrived(self, text: str, issue: Issue) -> None:
        """Keep that it got there."""
        block = block_of(text)
        data = {"hid": self.link.hid, "rev": block.rev if block else "", "url": issue.url}
        self.at.append([self.at.event("issue.written", data, task=self.task.id)])
        self._again()

    def _comments(self, now: Held) -> None:
        """Say what phases are done, each once."""
        but = self.link.commented | self.link.known_done
        for one in phase_comments(now, self.link.hid, but=but):
            self._require_clean((f"the comment on {one.title}", one.text.replace(one.marker, "")))
            try:
                made = self.tracker.comment(self.link.number, one.text, marker=one.marker)
            except NotAllowed as problem:
                self.at.note(f"The comment on “{one.title}” was not taken and stays due: {problem.message}.")
                return
            data = {"hid": self.link.hid, "phase": one.phase, "url": made.url}
            self.at.append([self.at.event("issue.commented", data, task=self.task.id)])
            self.wrote.append("comment")
            self._again()


def queue(at: ProjectSession, link: IssueLink, problem: ClewError) -> None:
    """Note that a push waits, and why."""
    if not link.queued:
        data = {"hid": link.hid, "reason": problem.message}
        at.append([at.event("issue.queued", data, task=link.task)])


def _tells_inferred(was: Body, now: Held) -> bool:
    """Whether a body told what rules read off sessions, which a push tells only when it is asked to."""
    ids = {entry.id for entry in was.entries} - now.items.keys()
    return any(name in now.known and not now.known[name].stated for name in ids)


def _versions_of(
    told: Sequence[Revision], texts: Sequence[str | None], first: int, logins: Collection[str]
) -> Iterator[IssueVersion]:
    """The versions from the place `first` on. What is new behind a gap may be anybody's: that one has no author."""
    for place in range(first, len(told)):
        one, text = told[place], texts[place]
        if text is not None:
            body = read(text)
            is_behind = place > 0 and texts[place - 1] is None
            is_trusted = one.is_person and not body.untouched and one.login.lower() in logins
            yield IssueVersion(UNKNOWN if is_behind else Author(one.login, is_trusted), body)


def _git(ports: Ports, at: ProjectSession) -> Git | None:
    try:
        return Git.at(at.location.root, environment=ports.environment) if at.location.repository else None
    except Unavailable:
        return None
