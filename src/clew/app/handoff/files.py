"""The files beside the work: hand-offs, a page a session, summaries, the state as JSON, journal and memory. All of
them are views of the ledger: deleted, they are written again as they were (docs/reference/handoffs.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from clew.app.handoff.made import LATEST, Handoff, Use, handoffs, uses
from clew.app.journal.pages import journal_views, known_days
from clew.app.memory.candidates import candidates
from clew.app.memory.store import OpenMemory, project_folder
from clew.app.memory.views import memory_views
from clew.app.ports import Ports
from clew.app.project.location import PROJECT_FOLDER
from clew.app.project.lookup import live_state
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import ProjectSession
from clew.app.project.views import ViewFile, Views, Wrote, views_at
from clew.app.results import JsonResult
from clew.core.state.extract import Extract
from clew.core.state.facts import topic_name
from clew.core.state.ids import short_session
from clew.core.state.items import Item, Kind, State
from clew.core.state.tasks import Task
from clew.core.text.cleaning import one_line, shorten
from clew.documents.escaping import claimed, safe
from clew.documents.profiles import HANDOFF, SUMMARY, stage_of
from clew.documents.render import View as Shown
from clew.documents.render import render
from clew.workspace.disk import Disk, names

HANDOFFS_MAX: Final = 10
# Of `state.json`: its fields are documented in docs/reference/handoffs.md; they are added to, never renamed.
STATE_VERSION: Final = 1
SESSIONS_MAX: Final = 200
_SESSION_LOG: Final = f"{PROJECT_FOLDER}/session-log.md"
_ID_CHARS: Final = 8
_GOAL_CHARS: Final = 120
_MERGED: Final = "goes on as:"
_FILES_MAX: Final = 2_000
# What git may see of it, by the setting `documents.share`.
_SHARED: Final = {
    "documents": ("HANDOFF.md", "handoffs", "sessions", "summaries", "journal", "stacks", "snippets", "session-log.md"),
    "all": ("memory", "state*.json"),
}
_IGNORE: Final = f"{PROJECT_FOLDER}/.gitignore"
_ATTRIBUTES: Final = f"{PROJECT_FOLDER}/.gitattributes"


def refresh(ports: Ports, at: ProjectSession, *, session: str = "", since: str = "") -> list[Wrote]:
    """Write what differs after something was handed over: the hand-offs, the page of `session`, the state, and the
    journal from the day `since` on (today where it is not said). Raises `InputError`.
    """
    views = views_at(at.location)
    day = since or max((one.time for one in handoffs(at)), default="")[:10]
    wanted = [*_sharing(ports, at), *_handoff_views(at), *_state_views(at), *_session_log(at)]
    wanted += _session_views(at, only=session) if session else []
    wanted += journal_views(at, views, since=day)
    return views.write(wanted, gone=_old_handoffs(at, views), dry_run=at.dry_run)


def rebuild(ports: Ports, at: ProjectSession, *, only_there: bool = False) -> list[Wrote]:
    """Write all views as the ledger has them now, or of those that are `only_there` the new text; those that it has no
    more are removed. Raises `InputError`.
    """
    views = views_at(at.location)
    wanted = all_views(ports, at, views)
    if only_there:
        wanted = [one for one in wanted if (at.location.root / one.path).is_file()]
    kept = {one.path for one in wanted}
    gone = [path for path in _there(views) if path not in kept]
    return views.write(wanted, gone=gone, dry_run=at.dry_run)


class Rebuild(JsonResult, frozen=True):
    """What became of the files in `.clew`, or would."""

    dry_run: bool
    files: tuple[Wrote, ...]


def rebuilt(project: ProjectHandle) -> list[Wrote]:
    """Write every view of the work tree that `folder` is in. Raises as `open_project`, and `InputError`."""
    with project.open(write=False) as at:
        at.dry_run = project.dry_run
        return rebuild(project.ports, at)


def after_close(project: ProjectHandle) -> tuple[list[Wrote], int]:
    """Write the summary of a task that was just closed and today's journal; the files, and how many learnings wait for
    triage. Raises as `rebuilt`.
    """
    with project.open(write=False) as at:
        views = views_at(at.location)
        newest = max((one.changed_at for one in at.tasks()), default="")
        placed = views.write([*summary_views(at), *journal_views(at, views, since=newest[:10])])
        return placed, len(candidates(OpenMemory(at, project_folder(at.location.root), False)))


def all_views(ports: Ports, at: ProjectSession, views: Views) -> list[ViewFile]:
    """Every view of this work tree."""
    memory = OpenMemory(at, project_folder(at.location.root), False)
    return [
        *_sharing(ports, at),
        *_handoff_views(at),
        *_session_views(at),
        *_session_log(at),
        *_state_views(at),
        *summary_views(at),
        *journal_views(at, views),
        *memory_views(memory),
    ]


def summary_views(at: ProjectSession) -> list[ViewFile]:
    """A page for each task that was finished."""
    made = []
    for task in at.tasks():
        if task.status == "closed" and not task.outcome.startswith(_MERGED):
            state = live_state(at, task.id)
            if state.items:
                made.append(ViewFile(_summary_path(task), _summary(at, task, state)))
    return made


def handoff_path(made: Handoff) -> str:
    """Where a hand-off is archived: its name tells when and by whom, and no two people's collide."""
    stamp = made.time[:16].replace("T", "-").replace(":", "")
    return f"{PROJECT_FOLDER}/handoffs/{stamp}-{_author(made.by)}-{made.id[2 : 2 + _ID_CHARS]}.md"


def _handoff_views(at: ProjectSession) -> list[ViewFile]:
    """The latest hand-off of this work tree, and the last ten. One that a session picked up says so in its first
    line.
    """
    found: list[Handoff] = []
    for one in handoffs(at, worktree=at.place.worktree):
        found.append(one)
        if len(found) == HANDOFFS_MAX:
            break
    used = uses(at)
    ended = {one.id: one for one in at.tasks() if one.status != "open"}
    made = [ViewFile(handoff_path(one), one.text) for one in found]
    if found:
        made.append(ViewFile(LATEST, _marked(found[0], used.get(found[0].id), ended.get(found[0].task))))
    return made


def _marked(made: Handoff, use: Use | None, ended: Task | None) -> str:
    """The latest hand-off, with a line that says since when it is history."""
    if use is not None:
        session = f"session {short_session(use.session)}"
        note = f"Stale: {session} picked it up on {use.time[:10]}."
    elif ended is not None and ended.changed_at > made.time:
        note = f"Stale: its task was {ended.status} on {ended.changed_at[:10]}."
    else:
        return made.text
    archive = handoff_path(made).removeprefix(f"{PROJECT_FOLDER}/")
    return f"> {note} Archived as {archive}; `clew handoff` makes a new one.\n\n{made.text}"


def _session_views(at: ProjectSession, *, only: str = "") -> list[ViewFile]:
    """A page for each session of this work tree, or for one: what it was asked, did and left, read off its record."""
    mine = [one for one in at.ledger.extracts(session=only or None) if one.worktree == at.place.worktree and one.items]
    made = []
    for one in mine[-SESSIONS_MAX:]:
        name = f"{one.origin.first_time[:10] or 'undated'}-{_author(at.speaker.actor)}-{one.origin.session[:_ID_CHARS]}"
        page = render(Shown(State(one.origin, one.items), None, None), HANDOFF, HANDOFF.budget_tokens).text
        made.append(ViewFile(f"{PROJECT_FOLDER}/sessions/{name}.md", page))
    return made


def _session_log(at: ProjectSession) -> list[ViewFile]:
    """All sessions of this work tree, a line each."""
    mine = [one for one in at.ledger.extracts() if one.worktree == at.place.worktree and one.items]
    if not mine:
        return []
    titles = {one.id: one.title for one in at.tasks()}
    rows = ["# Sessions", "", *(_log_row(one, titles.get(one.task, "")) for one in mine)]
    return [ViewFile(_SESSION_LOG, "\n".join(rows) + "\n")]


def _log_row(one: Extract, title: str) -> str:
    origin = one.origin
    goal = next((item.text for item in one.items if item.kind == "goal"), "no request on record")
    when = f"{origin.first_time[:16].replace('T', ' ')} to {origin.last_time[11:16]} UTC"
    where = f", branch {origin.branch}" if origin.branch else ""
    task = f", task {title}" if title and title != goal else ""
    ended = "" if origin.ended else ", stopped in mid-turn"
    asked = shorten(one_line(goal), _GOAL_CHARS)
    words = f"{when}, {origin.client} {short_session(origin.session)}{where}{task}: {asked}{ended}"
    return f"- {claimed(safe(words))}"


def _state_views(at: ProjectSession) -> list[ViewFile]:
    """Where the task that is bound here stands, and each further open one that anything is known of."""
    bound = at.task()
    made = []
    for task in [at.task_of(bound), *(one for one in at.tasks() if one.status == "open" and one.id != bound)]:
        state = live_state(at, task.id if task else "")
        if not state.items:
            continue
        ids = at.ledger.shortest([item.id for item in state.items])
        name = "state.json" if task is None or task.id == bound else f"state-{task.id[2 : 2 + _ID_CHARS]}.json"
        made.append(ViewFile(f"{PROJECT_FOLDER}/{name}", state_json(task, state, ids.__getitem__)))
    return made


def _summary(at: ProjectSession, task: Task, state: State) -> str:
    ids = at.ledger.shortest([item.id for item in state.items])
    text = render(Shown(state, None, None, ids), SUMMARY, SUMMARY.budget_tokens).text
    outcome = f": {claimed(safe(task.outcome))}" if task.outcome else ""
    return f"{text}\nThe task was closed on {task.changed_at[:10]}{outcome}.\n"


def _summary_path(task: Task) -> str:
    slug = topic_name(task.title) or "task"
    return f"{PROJECT_FOLDER}/summaries/{task.changed_at[:10]}-{slug}-{task.id[2:6]}.md"


def _sharing(ports: Ports, at: ProjectSession) -> list[ViewFile]:
    """What tells git which of the files it may see, where the project shares any."""
    share = ports.settings(at.location.root).text("documents.share")
    if share == "none" or at.location.repository is None:
        there = views_at(at.location).text_of(_IGNORE)
        return [ViewFile(_IGNORE, "*\n")] if there and there.startswith("*\n!") else []
    names_of = [*_SHARED["documents"], *(_SHARED["all"] if share == "all" else ())]
    rows = ["*", "!.gitignore", "!.gitattributes"]
    for name in names_of:
        rows += [f"!{name}"] if "." in name else [f"!{name}/", f"!{name}/**"]
    return [ViewFile(_IGNORE, "\n".join(rows) + "\n"), ViewFile(_ATTRIBUTES, "journal/*.md merge=union\n")]


def _old_handoffs(at: ProjectSession, views: Views) -> list[str]:
    """Archived hand-offs beyond the last ten."""
    kept = {one.path for one in _handoff_views(at)}
    folder = f"{PROJECT_FOLDER}/handoffs"
    found = names(Disk(views.root), folder, ending=".md", deep=False, limit=_FILES_MAX)
    return [path for name in found if (path := name.lstrip("/")) not in kept]


def _there(views: Views) -> Sequence[str]:
    """The files that are there of those that are views."""
    disk = Disk(views.root)
    found = [
        name.lstrip("/")
        for folder in ("handoffs", "sessions", "summaries", "memory")
        for name in names(disk, f"{PROJECT_FOLDER}/{folder}", ending=".md", deep=False, limit=_FILES_MAX)
    ]
    found += [f"{PROJECT_FOLDER}/journal/{day}.md" for day in known_days(views)]
    found += [name.lstrip("/") for name in names(disk, PROJECT_FOLDER, ending=".json", deep=False, limit=50)]
    found += [LATEST, _SESSION_LOG]
    return [path for path in found if not path.endswith("/config.json")]


def state_json(task: Task | None, state: State, shown: Callable[[str], str]) -> str:
    """The state of a task (None: of what belongs to none) as JSON, indented, ending with a newline."""
    items = state.items
    goal = next((item.text for item in items if item.kind == "goal"), task.title if task else "")
    steps = [item for item in items if item.kind in ("step", "phase")]
    under_way = [item for item in steps if stage_of(item) == "in progress"]
    current = max(under_way, key=lambda item: (item.kind == "step", item.time), default=None)
    upcoming = next((item for item in items if item.kind == "next"), None)

    def told(kinds: Iterable[Kind], *fields: str) -> list[dict[str, Any]]:
        return [_item_json(item, shown(item.id), fields) for item in items if item.kind in kinds]

    shape: dict[str, Any] = {
        "v": STATE_VERSION,
        "task": {"id": task.id, "title": task.title, "type": task.type, "status": task.status} if task else None,
        "session": {"client": state.origin.client, "id": state.origin.session, "ended": state.origin.ended},
        "branch": state.origin.branch,
        "updated": max([state.origin.last_time, *(item.time for item in items)], default=""),
        "goal": goal,
        "current": _item_json(current, shown(current.id), ("kind",)) if current else None,
        "next": _item_json(upcoming, shown(upcoming.id), ("files",)) if upcoming else None,
        "steps": [{**_item_json(one, shown(one.id), ("kind",)), "status": stage_of(one)} for one in steps],
        "checks": told(("validation",), "status"),
        "decisions": told(("decision",), "why", "locked"),
        "constraints": told(("constraint",), "why"),
        "failed": told(("failed",), "why"),
        "deferred": told(("deferral",), "why"),
        "findings": told(("finding", "assumption"), "files"),
        "questions": told(("question",), "owner", "blocking", "answer"),
        "risks": told(("risk", "blocker"), "kind", "owner"),
        "reminders": told(("reminder",)),
        "files": [{"path": one.text, "status": one.status, "note": one.why} for one in items if one.kind == "file"],
    }
    return json.dumps(shape, ensure_ascii=False, indent=1) + "\n"


def _item_json(item: Item, shown: str, fields: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"id": shown, "text": item.text, "by": item.provenance}
    for name in fields:
        value = getattr(item, name)
        found[name] = list(value) if isinstance(value, tuple) else value
    return found


def _author(name: str) -> str:
    """A name as it may stand in a file's name."""
    return topic_name(name) or "somebody"
