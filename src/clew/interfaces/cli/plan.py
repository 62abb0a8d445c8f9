"""`clew plan`: a task's plan, from the first question to a person's approval."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from clew.app.intake.source import read_source
from clew.app.plan.exchange import plan_export, plan_import
from clew.app.plan.lifecycle import plan_approve, plan_drop, plan_new, plan_reopen, plan_write
from clew.app.plan.look import NameFound, PlanLinted, PlanShown, plan_lint, plan_prompt, plan_show, plan_tick
from clew.app.plan.writing import PlanQuestions
from clew.app.plan.writing import questions as open_ones
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.app.record.item import answer
from clew.app.results import PlanPhase
from clew.core.text.cleaning import clean, one_line
from clew.documents.plan.grammar import amount
from clew.interfaces.cli.asking import revise
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import (
    aside,
    count,
    find_project,
    here,
    present,
    print_lines,
    recording,
    remark,
    say,
    stdin_copy,
)
from clew.interfaces.cli.lint import rows as finding_rows
from clew.interfaces.cli.options import Decorator, json_option, recording_options
from clew.interfaces.cli.waiting import Waiting

EXIT_FOUND = 1
_MARKS = {"planned": " ", "started": ">", "done": "x", "stopped": "!"}

command = Group(
    "plan",
    help="""Plan first: what to do in which phases, approved by a person before the first edit.

While planning is open, agents' sessions may only read (docs/reference/gates.md). docs/guide/06-plans.md has an example.
N.M is step M of phase N.
""",
)


def _task_option() -> Decorator:
    return click.option("--task", metavar="T", help="The task (default: the one bound here).")


@command.command("new", short_help="Start planning.")
@click.argument("title", metavar="TITLE…", nargs=-1, required=True)
@click.option("--template", type=click.Choice(["plain", "phased"]), default="plain", help="The plan's template.")
@_task_option()
@recording
def new(project: ProjectHandle, title: tuple[str, ...], template: str, task: str | None) -> Outcome:
    """Start planning TITLE. If no task is bound here, a task with this title is opened.

    The template `phased` has analysis, implementation, testing and review, each with a budget.
    """
    return plan_new(project, " ".join(title), template_name=template, task=task)


@command.command("show", short_help="Show the plan and its progress.")
@click.option("--names", is_flag=True, help="Look for the files and symbols that it names.")
@_task_option()
@json_option()
def show(names: bool, task: str | None) -> None:
    """Show the plan: its phases and steps, what proves them, and which questions are open."""
    with Waiting("Looking for") as waiting:
        waiting.at("what the plan names")
        found = plan_show(find_project(), task=task, with_names=names)
    present(found, _show)


def _show(found: PlanShown) -> None:
    print_lines(_rows(found))


def _rows(plan: PlanShown) -> list[str]:
    """The plan in lines: its head, its phases, its questions, what its names lead to."""
    done = sum(one.status == "done" for one in plan.phases)
    told = [f"{plan.title}  ({plan.mode}; {done} of {count(len(plan.phases), 'phase')} done)"]
    if plan.source:
        told.append(f"from {plan.source}")
    for phase in plan.phases:
        told += ["", *_phase_rows(phase)]
    if plan.questions:
        told += ["", "Open questions:", *(f"  {one.short_id}  {one.text}" for one in plan.questions)]
    if odd := [one for one in plan.names if one.standing != "verified"]:
        told += ["", "Names:", *(f"  {row}" for row in name_rows(odd))]
    return told


def _phase_rows(phase: PlanPhase) -> list[str]:
    about = [phase.status] + ([f"attempt {phase.attempt}"] if phase.attempt > 1 else [])
    about += [f"{amount(phase.budget_tokens)} tokens"] if phase.budget_tokens else []
    about += [phase.tier] if phase.tier else []
    about += [f"after {', '.join(map(str, phase.depends))}"] if phase.depends else []
    found = [f"[{_MARKS[phase.status]}] {phase.number}. {phase.title}  ({', '.join(about)})"]
    found += [
        f"    [{'x' if step.ticked else ' '}] {phase.number}.{place} {step.text}"
        for place, step in enumerate(phase.steps, 1)
    ]
    found += [f"    validate: {one}" for one in phase.validate]
    found += [f"    files: {', '.join(phase.files)}"] if phase.files else []
    said = phase.outcome or (f"stopped: {phase.cause}" if phase.cause else "")
    return found + ([f"    → {said}"] if said else [])


def name_rows(names: list[NameFound]) -> list[str]:
    """A line for each name: how it stands, where it is named, where it is."""
    return [
        f"{one.standing:<11} {one.name}  (line {one.line}): {one.why}"
        + (f": {', '.join(one.places)}" if one.places and one.standing != "missing" else "")
        for one in names
    ]


@command.command("edit", short_help="Write the plan, in your editor or from stdin.")
@click.argument("text", metavar="[-]", required=False)
@_task_option()
@recording_options
def edit(text: str | None, task: str | None, dry_run: bool) -> None:
    """Open the plan in $VISUAL or $EDITOR and keep what is saved. With - the new text is read from stdin.

    Questions below "## Questions" are asked of a person; `→ …` behind one answers it.
    """
    before = plan_show(find_project(), task=task).text if text is None else ""
    words = revise(before, text, command="clew plan edit")
    if words is None:
        remark("note: Nothing was changed.")
        return
    say(plan_write(find_project(dry_run=dry_run), words, task=task))


@command.command("lint", short_help="Report what cannot be acted on, proved or found.")
@click.argument("file", metavar="[FILE]", type=click.Path(), required=False)
@_task_option()
@json_option()
def lint(file: str | None, task: str | None) -> None:
    """Check the plan, or a FILE (- is stdin) that should become one, by the rules of docs/guide/06-plans.md.

    Exits with 1 if something was found.
    """
    with ExitStack() as stack, Waiting("Looking for") as waiting:
        waiting.at("what the plan names")
        source = stdin_copy(stack) if file == "-" else Path(here(), file) if file else None
        text = read_source(source, name=file or "").text if source else None
        found = plan_lint(find_project(), task=task, text=text)
    odd = [one for one in found.names if one.standing in ("missing", "ambiguous")]

    def tell(found: PlanLinted) -> None:
        for row in (*finding_rows(file or "plan", found.findings), *map(clean, name_rows(odd))):
            print(row)
        if found.findings or odd:
            aside(f"{count(len(found.findings), 'remark')}; {count(len(odd), 'name')} not found as written.")

    present(found, tell)
    if found.findings or odd:
        raise SystemExit(EXIT_FOUND)


@command.command("questions", short_help="Ask the open questions, at most five at a time.")
@_task_option()
@json_option()
def questions(task: str | None) -> None:
    """Ask the questions that block work, at most five at a time; at a terminal you can answer each at once."""
    present(open_ones(find_project(), task=task), _ask)


def _ask(found: PlanQuestions) -> None:
    for one in found.questions:
        print(f"{one.short_id}  {one_line(clean(one.text))}")
        if one.proposed:
            print(f"  the plan says: {one_line(clean(one.proposed))}")
        ask = f"  answer (Enter: {'as the plan says' if one.proposed else 'later'})"
        if _can_ask() and (said := click.prompt(ask, default="", show_default=False, err=True)):
            say(answer(find_project(), one.id, said, seen=one.text))
    left = found.open - len(found.questions)
    if not found.questions:
        remark("note: No question waits for an answer.")
    elif left:
        remark(f"note: {count(left, 'more question')} after these.")
    elif not _can_ask():
        remark('next: clew answer Q-… "…"')


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


@command.command("approve", short_help="Approve the plan, so that work can begin (a person).")
@_task_option()
@recording
def approve(project: ProjectHandle, task: str | None) -> Outcome:
    """Approve the plan as it is now: phases can be started, and edits are allowed again. Only a person can, and sees
    the plan and the remarks of `clew plan lint` first.

    Refused while a blocking question is open. If the plan's wording changes later, it needs another approval; ticks do
    not count as changes.
    """
    return plan_approve(project, task=task)


@command.command("reopen", short_help="Reopen planning.")
@click.option("--why", metavar="TEXT", default="", help="The reason.")
@_task_option()
@recording
def reopen(project: ProjectHandle, why: str, task: str | None) -> Outcome:
    """Reopen planning. Agents may only read until a person approves the plan; what was done stays done."""
    return plan_reopen(project, why=why, task=task)


@command.command("drop", short_help="Give up the plan (a person).")
@click.option("--why", metavar="TEXT", default="", help="The reason.")
@_task_option()
@recording
def drop(project: ProjectHandle, why: str, task: str | None) -> Outcome:
    """Give up the plan and work without one. Only a person can."""
    return plan_drop(project, why=why, task=task)


@command.command("tick", short_help="Tick a step, or untick it.")
@click.argument("step", metavar="N.M")
@click.option("--undo", is_flag=True, help="Untick it.")
@_task_option()
@recording
def tick(project: ProjectHandle, step: str, undo: bool, task: str | None) -> Outcome:
    """Tick step M of phase N. A tick proves nothing: a phase is done when its checks pass."""
    return plan_tick(project, step, done=not undo, task=task)


@command.command("import", short_help="Import a plan from a file or a session.")
@click.argument("file", metavar="[FILE]", type=click.Path(), required=False)
@_task_option()
@recording
def import_(project: ProjectHandle, file: str | None, task: str | None) -> Outcome:
    """Import FILE (- is stdin): a plan, a checklist, spec-kit's tasks.md, a task of Backlog.md, a client's to-dos as
    JSON. Without FILE: the last plan of the newest session here.
    """
    with ExitStack() as stack:
        source: Any = stdin_copy(stack) if file == "-" else Path(here(), file) if file else None
        name = "stdin" if file == "-" else ""
        return plan_import(project, source, name=name, task=task)


@command.command("export", short_help="Print the plan, or set the boxes of a file.")
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--back", is_flag=True, help="Write to the file that it came from.")
@_task_option()
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
def export(file: str | None, back: bool, task: str | None, dry_run: bool) -> None:
    """Print the plan as Markdown with its current ticks. With FILE or --back only the boxes in that file are set,
    nothing else changes; a FILE that does not exist is written.
    """
    found = plan_export(find_project(dry_run=dry_run), file, task=task, back=back)
    if found.written:
        say(found.outcome)
    else:
        print(clean(found.text), end="")


@command.command("prompt", short_help="Print the prompt for planning, or for a phase.")
@click.argument("phase", metavar="[N]", required=False)
@click.option("--goal", metavar="TEXT", default="", help="What to plan (default: the plan's title).")
@_task_option()
def prompt(phase: str | None, goal: str, task: str | None) -> None:
    """Print the prompt for planning; with N, the prompt for phase N alone."""
    print(plan_prompt(find_project(), phase=phase or "", goal=goal, task=task), end="")
