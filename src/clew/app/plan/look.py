"""A plan looked at: how it stands, what is wrong with it, what it names that is not there, and prompts made of it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from clew.app.plan.where import phase_named, plan_here, recorded, task_here
from clew.app.plan.writing import answered, open_questions, still_asked
from clew.app.ports import Ports
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome, ProjectSession
from clew.app.results import ItemRow, JsonResult, PlanPhase
from clew.core.errors import InputError, Unavailable
from clew.core.plan.phase_machine import Tick
from clew.core.plan.plan import Mode, Phase, Plan
from clew.core.state.items import Item, Kind
from clew.core.text.receipt import as_prompt
from clew.documents.lint.page import LintFinding
from clew.documents.plan.grammar import parse, render
from clew.documents.plan.lint import Named, lint_plan, named
from clew.documents.plan.prompts import execution_prompt, planning_prompt
from clew.workspace.git import Git
from clew.workspace.symbols import Symbol, symbols

# verified: one thing has this name. missing: nothing has, and the plan does not say that it is to be made. ambiguous:
# several have. uncheckable: it is still to come, or is used and nowhere defined, or the tree could not be read.
Standing = Literal["verified", "missing", "ambiguous", "uncheckable"]
NAMES_MAX: Final = 200
_PLACES_MAX: Final = 3
_FILES_MAX: Final = 50_000


class NameFound(JsonResult, frozen=True):
    """A name of a plan with how it stands. `places` are where it was found (PATH or PATH:LINE), `why` is a clause."""

    name: str
    kind: str
    line: int
    standing: Standing
    why: str
    places: tuple[str, ...]


def names_checked(ports: Ports, at: ProjectSession, plan: Plan) -> tuple[NameFound, ...]:
    """What the plan names, in its order, each with how it stands in the work tree as it is now."""
    found = named(plan)[:NAMES_MAX]
    if not found:
        return ()
    root = at.location.root
    try:
        git = Git.at(root, environment=ports.environment)
        files = [path for path in git.files() if (root / path).exists()] if git else _listed(root)
    except Unavailable:
        return tuple(_stands(one, "uncheckable", "git does not answer") for one in found)
    wanted = {one.name for one in found if one.kind == "symbol"}
    known = symbols(root, files, wanted) if wanted else {}
    folders = {str(folder) for path in files for folder in PurePosixPath(path).parents}
    return tuple(
        _symbol(one, known[one.name]) if one.kind == "symbol" else _file(one, root, files, folders) for one in found
    )


def _stands(one: Named, standing: Standing, why: str, places: tuple[str, ...] = ()) -> NameFound:
    return NameFound.of(one, standing=standing, why=why, places=places)


def _file(one: Named, root: Path, files: list[str], folders: set[str]) -> NameFound:
    path = one.name.removeprefix("./").rstrip("/")
    if any(sign in path for sign in "*?["):
        return _stands(one, "uncheckable", "it is a pattern")
    if path in folders or path in files:
        return _stands(one, "verified", "it is there", (path,))
    if ".." in path.split("/") or path.startswith("/"):
        return _stands(one, "uncheckable", "it is outside the work tree")
    same = [name for name in files if name.endswith(f"/{path}")]
    if len(same) == 1:
        return _stands(one, "verified", f"it is {same[0]}", (same[0],))
    if same:
        return _stands(one, "ambiguous", f"{len(same)} files end so", tuple(same[:_PLACES_MAX]))
    if one.is_ahead:
        return _stands(one, "uncheckable", "it is to be made")
    if (root / path).exists():
        return _stands(one, "verified", "it is there, and git ignores it", (path,))
    base = path.rpartition("/")[2]
    moved = [name for name in files if name.rpartition("/")[2] == base]
    why = f"no such file; {moved[0]} has its name" if len(moved) == 1 else "no such file"
    return _stands(one, "missing", why, tuple(moved[:_PLACES_MAX]))


def _symbol(one: Named, found: Symbol) -> NameFound:
    places = tuple(f"{place.path}:{place.line}" for place in found.defined)
    if len(places) == 1:
        return _stands(one, "verified", "it is defined", places)
    if places:
        return _stands(one, "ambiguous", f"it is defined in {len(places)} places", places[:_PLACES_MAX])
    if found.occurs is not None:
        place = f"{found.occurs.path}:{found.occurs.line}"
        return _stands(one, "uncheckable", "it is used, and its definition was not found", (place,))
    if one.is_ahead or not found.complete:
        return _stands(one, "uncheckable", "it is to be made" if one.is_ahead else "not all files could be read")
    return _stands(one, "missing", "no source file has this name")


def _listed(root: Path) -> list[str]:
    """The files below a folder that is no repository; hidden folders are left out."""
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in names]
        if len(found) > _FILES_MAX:
            break
    return found


_LINES_MAX: Final = 20


class PlanShown(JsonResult, frozen=True):
    """The plan of a task as it stands (`core.plan.plan.Plan`). `text` is its Markdown with the ticks of now;
    `questions` are open, `names` what it names that is not as it says.
    """

    task: str
    title: str
    mode: Mode
    source: str
    changed_at: str
    digest: str
    approved: str
    text: str
    phases: tuple[PlanPhase, ...]
    questions: tuple[ItemRow, ...]
    names: tuple[NameFound, ...]


class PlanLinted(JsonResult, frozen=True):
    """What is wrong with a plan: by its words, and by what it names."""

    findings: tuple[LintFinding, ...]
    names: tuple[NameFound, ...]


def plan_show(project: ProjectHandle, *, task: str | None = None, with_names: bool = False) -> PlanShown:
    """The plan here. `with_names`: what it names is looked for in the tree. Raises `InputError` where there is none."""
    with project.open(write=False) as at:
        where, plan = plan_here(at, task)
        found = open_questions(at, where)
        ids = at.ledger.shortest([entry.item.id for entry in found])
        return PlanShown.of(
            plan,
            task=where,
            text=render(plan),
            phases=tuple(map(PlanPhase.of, plan.phases)),
            questions=tuple(ItemRow.of(entry.item, short_id=ids[entry.item.id]) for entry in found),
            names=names_checked(project.ports, at, plan) if with_names else (),
        )


def plan_lint(project: ProjectHandle, *, task: str | None = None, text: str | None = None) -> PlanLinted:
    """What is wrong with the plan here, or with a `text` that is to become one."""
    with project.open(write=False) as at:
        if text is None:
            where, plan = plan_here(at, task)
            plan = still_asked(at, where, plan)
        else:
            plan = parse(text)
        return PlanLinted(lint_plan(plan), names_checked(project.ports, at, plan))


def plan_prompt(project: ProjectHandle, *, phase: str = "", goal: str = "", task: str | None = None) -> str:
    """The prompt to plan (`goal`, else what the task is about), or with a `phase` to carry that one out."""
    with project.open(write=False) as at:
        where = task_here(at, task)
        plan = at.plan(where)
        if phase:
            plan = plan_here(at, task)[1]
            return as_prompt(phase_prompt(at, where, plan, phase_named(plan, phase)))
        live = _live(at, where)
        opened = open_questions(at, where)
        shown = at.ledger.shortest([entry.item.id for entry in opened])
        about = goal or plan.title or next((item.text for item in live if item.kind == "goal"), "")
        if not about:
            raise InputError(
                "what is to be planned is not said", code="E-plan-text", hint='`clew plan prompt --goal "…"` says it.'
            )
        return planning_prompt(
            about,
            known=_lines(live, ("constraint", "decision", "failed")),
            open_questions=[(shown[entry.item.id], entry.item.text) for entry in opened],
            answered=answered(at, where),
            plan=plan,
        )


def phase_prompt(at: ProjectSession, task: str, plan: Plan, phase: Phase, *, unattended: bool = False) -> str:
    """The prompt to carry out one phase, with what binds and what failed in the task. `unattended`: by a run."""
    live = _live(at, task)
    return execution_prompt(
        plan,
        phase,
        constraints=_lines(live, ("constraint",)),
        dead_ends=_lines(live, ("failed",)),
        decisions=_lines(live, ("decision",)),
        unattended=unattended,
    )


def plan_tick(project: ProjectHandle, wanted: str, *, done: bool = True, task: str | None = None) -> Outcome:
    """Tick a step, named `PHASE.STEP` by their numbers, or take its tick off."""
    with project.open(write=True) as at:
        where, plan = plan_here(at, task)
        number, _, place = wanted.partition(".")
        phase = phase_named(plan, number)
        if not place.isdecimal() or not 0 < int(place) <= len(phase.steps):
            raise InputError(
                f"phase {phase.number} has {len(phase.steps)} steps, and none is called {wanted[:20]}",
                code="E-phase-no-step",
                hint=f"Name one as {phase.number}.1: `clew plan show` lists them, `clew plan edit` adds one.",
            )
        step = phase.steps[int(place) - 1]
        events = recorded(at, plan, Tick(phase.id, step.id, done), task=where)
        what = "done" if done else "not done"
        said = f"Step {phase.number}.{place} is {what}{'' if events else ' already'}: {step.text}"
        return at.outcome(said, events=events)


def _live(at: ProjectSession, task: str) -> list[Item]:
    entries = (entry.item for entry in at.known(task).values() if entry.standing == "live")
    return sorted(entries, key=lambda item: (not item.pinned, item.rank))


def _lines(items: Iterable[Item], kinds: tuple[Kind, ...]) -> list[str]:
    found = [f"{item.text} — {item.why}" if item.why else item.text for item in items if item.kind in kinds]
    return found[:_LINES_MAX]
