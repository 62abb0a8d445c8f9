"""`clew issue push`, `pull`, `link`, `status` and `template`: which task and which issue are meant, and what becomes of
them.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from clew.app.egress.guard import permitted
from clew.app.issue import link as links
from clew.app.issue.body import ASKED, LABEL, read
from clew.app.issue.content import held
from clew.app.issue.link import IssueLink, LinkRow
from clew.app.issue.sync import Synced, Syncing, queue
from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation
from clew.app.project.opening import ProjectHandle
from clew.app.project.reading import find_task
from clew.app.project.redaction import safe_errors
from clew.app.project.session import ProjectSession
from clew.app.results import JsonResult, TaskRow
from clew.app.tasks.lifecycle import binding, checked_title, new_identity
from clew.core.errors import ClewError, InputError, NotFound
from clew.core.state.ids import identity
from clew.core.state.tasks import Task
from clew.core.text.cleaning import clean, one_line, shorten
from clew.documents.profiles import ISSUE
from clew.documents.reconcile import reconcile
from clew.remotes.place import RemoteRepository, issue_named, no_repository, remote_of, repository_named
from clew.remotes.port import Connect, Issue, passes
from clew.workspace import atomic
from clew.workspace.git import Git

_TITLE_CHARS_MAX = 180
TEMPLATE: Final = ".github/ISSUE_TEMPLATE/agent-task.md"


class IssueStanding(JsonResult, frozen=True):
    """How a task and its issue stand, as far as the ledger knows; nothing is asked of the server. `ahead`: so many
    entries were changed here since the issue was last read or written.
    """

    task: TaskRow
    issue: LinkRow
    ahead: int


class IssueList(JsonResult, frozen=True):
    """The tasks that have an issue, and what to say about that."""

    issues: tuple[IssueStanding, ...]
    notes: tuple[str, ...]


def repository_here(ports: Ports, location: ProjectLocation) -> RemoteRepository | None:
    """Whose issues are meant in a clone, by git's configuration; None where it names no server."""
    if location.repository is None:
        return None
    git = Git.at(location.root, environment=ports.environment)
    return remote_of(git.settings()) if git is not None else None


def push(
    project: ProjectHandle,
    connect: Connect,
    *,
    issue: str = "",
    task: str = "",
    repo: str = "",
    inferred: bool = False,
    allow: Collection[str] = (),
    why: str = "",
) -> Synced:
    """Write where a task stands into its issue, after importing what people did there; open one if it has none.

    `issue` names one that the task is linked to with that. Where the server cannot be reached it waits, and the next
    call sends it. Raises as `Tracker`, and `NotFound` (E-no-task, E-no-ledger), `NotAllowed` (E-egress-secret).
    """
    permitted(project.ports, allow, why)
    with project.open(write=True, spool=False) as at:
        meant, link, repository = _meant(project.ports, at, task=task, issue=issue, repo=repo)
        made = Syncing(project.ports, at, connect(repository), meant, link, inferred, allow, project.dry_run, why)
        queued = ""
        try:
            if issue and not link.is_linked:
                made.link = _linked(at, made, issue)
            made.push()
        except ClewError as problem:
            if not passes(problem) or project.dry_run:
                raise
            queue(at, links.link_of(at, meant.id), problem)
            queued = problem.message
        return _synced(at, made, queued)


def pull(project: ProjectHandle, connect: Connect, *, issue: str = "", task: str = "") -> Synced:
    """Take in what people did in a task's issue. `issue` names one whose task is meant, or with which the task that is
    bound here is linked.
    """
    with project.open(write=True, spool=False) as at:
        meant, link, repository = _meant(project.ports, at, task=task, issue=issue)
        if not (link.is_linked or issue):
            raise NotFound(
                f"{at.short(meant.id)} ({shorten(one_line(clean(meant.title)), 60)}) has no issue",
                code="E-issue-none",
                hint="`clew issue push` opens one; `clew issue link N` takes one that is there.",
            )
        made = Syncing(project.ports, at, connect(repository), meant, link, dry_run=project.dry_run)
        if not link.is_linked:
            made.link = _linked(at, made, issue)
        made.pull()
        return _synced(at, made, "")


def link_issue(project: ProjectHandle, connect: Connect, issue: str, *, task: str = "") -> Synced:
    """Link the task to an existing issue. Nothing of it is imported or written yet."""
    with project.open(write=True, spool=False) as at:
        meant, link, repository = _meant(project.ports, at, task=task, issue=issue)
        made = Syncing(project.ports, at, connect(repository), meant, link)
        if not link.is_linked:
            made.link = _linked(at, made, issue)
        return _synced(at, made, "")


def status(project: ProjectHandle) -> IssueList:
    """How the tasks and their issues stand."""
    with safe_errors(project.ports.redact), project.open(write=False) as at:
        found = []
        for link in links.links(at):
            task = at.task_of(link.task)
            if task is not None:
                row = TaskRow.of(task, short_id=at.short(task.id))
                base = next((one for one in reversed(link.bases) if one.pulled or one.arrived), None)
                there = read(base.text if base else "").entries
                ahead = len(reconcile(there, there, held(at, task, inferred=False).ours).changes)
                found.append(IssueStanding(row, LinkRow.of(link), ahead))
        return IssueList(tuple(found), at.notes)


def take_up(at: ProjectSession, issue: Issue) -> tuple[Task, IssueLink]:
    """The task that an issue is of: the one linked to it, else a new one, which this place is bound to if it is bound
    to none. Records it.
    """
    for link in links.links(at):
        if _is_at(link, issue.repository, issue.number) and (task := at.task_of(link.task)):
            return task, link
    title = shorten(at.safe(issue.title), _TITLE_CHARS_MAX) or f"{issue.repository}#{issue.number}"
    if any(one.status == "open" and one.title.casefold() == title.casefold() for one in at.tasks()):
        title = f"{title} (#{issue.number})"
    name = checked_title(at, title)
    task_id = new_identity(at, name)
    events = [at.event("task.opened", {"task": task_id, "title": name}, task="", key=f"task:{task_id}")]
    bound = at.task_of(at.task())
    if bound is None or bound.thread:
        events += binding(at, task_id)
    else:
        at.note(f"This place stays bound to {at.short(bound.id)}: `clew task switch {task_id[:8]}` goes over to it.")
    link = IssueLink(task_id, hid_of(issue))
    at.append([*events, *links.linked_event(at, replace(link, hid=""), issue, hid=link.hid, seed=_seed(issue))])
    task = at.task_of(task_id)
    assert task is not None
    return task, links.link_of(at, task_id)


def hid_of(issue: Issue) -> str:
    """The hidden id of an issue: as its block tells, else one that follows from where it is, for everybody the same."""
    block = read(issue.body).block
    return block.hid if block else identity("issue-at", issue.repository.key, str(issue.number))


def _seed(issue: Issue) -> str:
    """Where an issue was when somebody linked it first, "" where it still is there."""
    block = read(issue.body).block
    return block.at if block else ""


def _meant(
    ports: Ports, at: ProjectSession, *, task: str, issue: str, repo: str = ""
) -> tuple[Task, IssueLink, RemoteRepository]:
    """The task, what is known of its issue, and whose issues are meant."""
    here = repository_here(ports, at.location)
    named = issue_named(issue, here) if issue else None
    found = _task(at, task, named)
    link = links.link_of(at, found.id)
    if link.is_linked and link.repository is not None:
        if named is not None and not _is_at(link, *named):
            raise InputError(
                f"{at.short(found.id)} is linked to {link.named}",
                code="E-issue-linked",
                hint=f"Name another task (--task), or open one for it: `clew issue resume {issue}`.",
            )
        return found, link, link.repository
    repository = named[0] if named else repository_named(repo, here) if repo else here
    if repository is None:
        raise no_repository()
    return found, link, repository


def _task(at: ProjectSession, wanted: str, named: tuple[RemoteRepository, int] | None) -> Task:
    """The task that was named, else the one that is linked to that issue, else the one that is bound here."""
    if wanted:
        return find_task(at, wanted)
    for link in links.links(at) if named else ():
        if named is not None and _is_at(link, *named) and (task := at.task_of(link.task)):
            return task
    bound = at.task_of(at.task())
    if bound is None:
        raise NotFound(
            "this place is bound to no task",
            code="E-no-task",
            hint="Name one (--task), bind one (`clew task bind`), or take up an issue: `clew issue resume N`.",
        )
    return bound


def _is_at(link: IssueLink, repository: RemoteRepository, number: int) -> bool:
    return link.repository is not None and (link.repository.key, link.number) == (repository.key, number)


def _linked(at: ProjectSession, made: Syncing, named: str) -> IssueLink:
    """The task linked to the issue that is called so. Raises `InputError` if another task is."""
    issue = made.tracker.issue(issue_named(named, made.tracker.repository)[1])
    assert issue is not None, "it was asked for without an etag"
    for other in links.links(at):
        if other.task != made.task.id and _is_at(other, issue.repository, issue.number):
            raise InputError(
                f"{issue.repository}#{issue.number} is linked to {at.short(other.task)}",
                code="E-issue-linked",
                hint=f"`clew issue push --task {at.short(other.task)}` writes that task there.",
            )
    link = replace(made.link, hid=hid_of(issue), repository=issue.repository, number=issue.number, url=issue.url)
    if not made.dry_run:
        at.append(links.linked_event(at, made.link, issue, hid=link.hid, seed=_seed(issue)))
        link = links.link_of(at, made.task.id)
    return link


def _synced(at: ProjectSession, made: Syncing, queued: str) -> Synced:
    return Synced.of(
        made,
        task=TaskRow.of(made.task, short_id=at.short(made.task.id)),
        issue=LinkRow.of(made.link),
        took=tuple(made.took),
        wrote=tuple(made.wrote),
        queued=queued,
        notes=(*at.notes, *at.passed_over()),
    )


@dataclass(frozen=True, slots=True)
class Template:
    """The file with the template. `is_new`: it was not there so before."""

    file: Path
    text: str
    is_new: bool


def template_text() -> str:
    """The template."""
    head = (
        "---\n"
        "name: Task for a coding agent\n"
        "about: Goal, status, decisions and risks of a task that several sessions work on\n"
        'title: ""\n'
        f"labels: {LABEL}\n"
        "---\n"
    )
    sections = [section.heading for section in ISSUE.sections if section.heading in ASKED]
    return head + "".join(f"\n## {heading}\n\n{ASKED[heading]}\n" for heading in sections)


def write_template(root: Path, *, dry_run: bool = False, force: bool = False) -> Template:
    """Write the template into the project whose top is `root`. Another file in its place is replaced with `force` only.
    Raises `InputError` (E-issue-template).
    """
    file, text = root / TEMPLATE, template_text()
    there = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    if there == text:
        return Template(file, text, is_new=False)
    if os.path.lexists(file) and not force:
        raise InputError(
            f"{file} is there, and is another one", code="E-issue-template", hint="Use --force to replace it."
        )
    if not dry_run:
        try:
            atomic.make_folder(file.parent)
            atomic.replace(file, text.encode(), mode=0o644)
        except OSError as error:
            raise InputError(
                f"{file} cannot be written: {error.strerror}",
                code="E-issue-template",
                hint="`clew issue template --print` prints it.",
            ) from error
    return Template(file, text, is_new=True)
