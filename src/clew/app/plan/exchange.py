"""Plans from elsewhere taken in, and written back: files that people have, and what a client's session planned."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from clew.app.egress.guard import require_clean
from clew.app.intake.find import newest, project_at
from clew.app.intake.source import read_source
from clew.app.plan.lifecycle import told_of
from clew.app.plan.where import plan_here, task_here
from clew.app.plan.writing import still_asked, written
from clew.app.project.location import PROJECT_FOLDER
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome, ProjectSession
from clew.clients.port import Reader
from clew.core.errors import InputError, NotFound
from clew.core.records.todos import TodoList
from clew.core.records.transcript import Call, Plan, Reply
from clew.documents.plan.grammar import parse, proposed, render, written_back
from clew.documents.plan.todos import plan_text, text_of_todos
from clew.sessions.log import SessionLog
from clew.workspace.atomic import replace

_SESSIONS_MAX: Final = 3
_ENDINGS: Final = (".md", ".markdown", ".mdx", ".txt")
_PROPOSED: Final = "<proposed_plan>"
_NAMED_MAX: Final = 3
# Of a new document; what is there keeps its own.
_MODE: Final = 0o644


class PlanExport(NamedTuple):
    """A plan as text, and where it was written ("" nowhere)."""

    text: str
    written: str
    outcome: Outcome


def plan_import(project: ProjectHandle, file: Path | None, *, name: str = "", task: str | None = None) -> Outcome:
    """Make what a file holds the plan here: a plan, a checklist, spec-kit's tasks, a task of Backlog.md, a client's
    to-dos as JSON. Without a file: what the newest session of this project planned last. `name` is what it is called
    where `file` is a copy of stdin. Ticks are taken over, and none is taken off.
    """
    with project.open(write=True) as at:
        where = task_here(at, task)
        if file is None:
            text, source = _planned(project)
        else:
            found = read_source(file, name=name, root=at.location.root)
            text, source = text_of_todos(found.text) or found.text, found.name
        if not parse(proposed(text)).phases:
            raise InputError(
                f"{source} holds no plan: no phase and no step was found",
                code="E-plan-text",
                hint="A plan has headings `## Phase 1: …` or boxes `- [ ] …`; documents go in with `clew import`.",
            )
        before = at.plan(where)
        new = written(at, where, text, source=source, client=at.speaker.actor)
        at.keep(new.events)
        if not new.events:
            return at.outcome(f"The plan is that of {source} already: nothing to change", "clew plan show")
        said, then = told_of(at, before, still_asked(at, where, new.plan))
        return at.outcome(f"{said}, from {source}", then, events=new.events)


def plan_export(
    project: ProjectHandle, target: str | None, *, task: str | None = None, back: bool = False
) -> PlanExport:
    """The plan here as Markdown, its boxes as they stand. With a `target` (a file of the work tree, relative to
    `folder`), or `back` where it came from: a file that is there gets its boxes set and stays as it is otherwise, a new
    one is written. Raises `InputError` for a file that is no document of this work tree, or holds another plan.
    """
    with project.open(write=False) as at:
        _, plan = plan_here(at, task)
        text = render(plan)
        if target is None and not back:
            return PlanExport(text, "", at.outcome(""))
        if target is None and not plan.source:
            raise InputError(
                "the plan came from no file", code="E-plan-file", hint="Name one: `clew plan export PLAN.md`."
            )
        file = _document(at, project.folder / target if target is not None else at.location.root / plan.source)
        shown = file.relative_to(at.location.root).as_posix()
        deep = project.ports.deep_scan
        for note in require_clean([("the plan", text)], at.ledger.key, exit="file", allow=None, deep=deep).notes:
            at.note(note)
        would = project.dry_run
        if not file.exists():
            if not would:
                replace(file, text.encode("utf-8"), mode=_MODE)
            return PlanExport(text, shown, at.outcome(f"{'Would write' if would else 'Wrote'} the plan to {shown}"))
        source = read_source(file, root=at.location.root)
        if source.text.encode("utf-8") != file.read_bytes():
            raise InputError(f"{shown} is not in UTF-8", code="E-plan-file", hint="Save it as UTF-8 without a mark.")
        result = written_back(source.text, plan)
        mine, theirs = (
            {step.text for phase in parse(one).phases for step in phase.steps} for one in (source.text, text)
        )
        if not parse(source.text).phases or (result.missing and not mine & theirs):
            raise InputError(
                f"{shown} holds another plan",
                code="E-plan-file",
                hint="Name a file that is not there yet, or take that plan in: `clew plan import`.",
            )
        if result.missing:
            named = "; ".join(result.missing[:_NAMED_MAX])
            at.note(f"Steps that are done and have no box in {shown}: {named}.")
        if not result.boxes:
            return PlanExport(result.text, shown, at.outcome(f"{shown} is as it should be"))
        if not would:
            replace(file, result.text.encode("utf-8"), mode=stat.S_IMODE(file.stat().st_mode))
        boxes = f"{result.boxes} {'box' if result.boxes == 1 else 'boxes'}"
        return PlanExport(result.text, shown, at.outcome(f"{'Would set' if would else 'Set'} {boxes} in {shown}"))


def _document(at: ProjectSession, file: Path) -> Path:
    """The file, if a plan may be written there. Raises `InputError`."""
    root, place = at.location.root.resolve(), file.resolve()
    inside = place.relative_to(root).parts if place.is_relative_to(root) else ()
    if not inside or inside[0] in (".git", PROJECT_FOLDER) or place.suffix.lower() not in _ENDINGS or place.is_dir():
        raise InputError(
            f"a plan is not written to {file.name}",
            code="E-plan-file",
            hint=f"Name a document of this work tree ({', '.join(_ENDINGS)}).",
        )
    return place


def _planned(project: ProjectHandle) -> tuple[str, str]:
    """What the newest session that planned anything planned last, and whose it is: a plan before a to-do list."""
    found = newest(project.ports.locators, project.ports.readers, project_at(project.folder), excluded="")
    for item, reader in islice(found, _SESSIONS_MAX):
        plan, todos = "", ""
        for text, is_plan in _found(item.path, reader):
            plan, todos = (text, todos) if is_plan else (plan, text)
        if plan or todos:
            return project.ports.redact(plan or todos), f"{item.client} session {item.session}"
    raise NotFound(
        "no session here planned anything", code="E-no-plan", hint="Name a file: `clew plan import PLAN.md`."
    )


def _found(path: Path, reader: Reader) -> Iterator[tuple[str, bool]]:
    """The plans (True) and to-do lists (False) of a session, in order, as Markdown."""
    todos = TodoList()
    for record in SessionLog(path, reader):
        if todos.take([record]):
            yield plan_text(todos.entries, "To do"), False
        if record.agent:
            continue
        if isinstance(record, Reply) and _PROPOSED in record.text:
            yield proposed(record.text), True
        elif isinstance(record, Call) and isinstance(record.action, Plan) and record.action.text.strip():
            yield record.action.text, True
