"""`clew task`: tasks, and to which work tree and branch they are bound."""

from __future__ import annotations

import click

from clew.app.handoff.files import after_close
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.app.tasks import lifecycle as tasks
from clew.app.tasks.regroup import task_join, task_split
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import count, find_project, of_kind, present, recording, remark, say
from clew.interfaces.cli.options import json_option, recording_options, wants_json
from clew.interfaces.cli.screen import show_table

command = Group(
    "task",
    help="""Tasks: one goal pursued over any number of sessions.

The sessions of a work tree and branch form one automatically (docs/guide/05-tasks.md); `clew task new` opens one on
purpose. What you record goes to the task that this work tree and branch are bound to. T is the beginning of a task's
id,
or its title.
""",
)


@command.command("new", short_help="Open a task and bind it to this work tree and branch.")
@click.argument("title", metavar="TITLE…", nargs=-1, required=True)
@click.option("--type", "task_type", type=click.Choice(["feature", "refactor", "debug"]), help="What kind of work.")
@click.option("--goal", metavar="TEXT", default="", help="What it should achieve.")
@click.option("--no-bind", is_flag=True, help="Do not bind it.")
@click.option("--empty", is_flag=True, help="Leave what was recorded here for no task where it is.")
@recording
def new(
    project: ProjectHandle, title: tuple[str, ...], task_type: str | None, goal: str, no_bind: bool, empty: bool
) -> Outcome:
    """Open the task TITLE and bind it to this work tree and branch. Goals, next actions, steps and files that were
    recorded or imported here for no task move into it.
    """
    return tasks.task_new(project, " ".join(title), task_type=task_type or "", goal=goal, bind=not no_bind, empty=empty)


@command.command("list", short_help="List the open tasks.", doing="Reading the ledger")
@click.option("--all", "every", is_flag=True, help="Include closed and dropped tasks.")
@json_option()
def listing(every: bool) -> None:
    """List the open tasks, the last changed first; * is the one that this work tree and branch are bound to."""
    present(tasks.task_list(find_project(), every=every), _list)


def _list(found: tasks.TaskList) -> None:
    rows = []
    for task in found.tasks:
        outcome = f" ({task.outcome})" if task.outcome else ""
        name = one_line(clean(task.title + outcome))
        rows.append(("*" if task.bound else " ", task.short_id, task.status, task.changed_at[:10], name))
    show_table(("", "id", "status", "changed", "title"), rows, styles=("green", "bold", "", "dim"), spare=(3, 2))
    if not found.tasks:
        remark("note: No task is open; the next session that works here opens one, and so does `clew task new`.")
    elif found.hidden:
        remark(f"note: {count(found.hidden, 'other')} closed or dropped: `clew task list --all`.")


@command.command("show", short_help="Show a task.", doing="Reading the ledger")
@click.argument("task", metavar="[T]", required=False)
@json_option()
def show(task: str | None) -> None:
    """Show the task T, or the one that is bound here: places, items by kind, and sessions."""
    present(tasks.task_show(find_project(), task), _show)


def _show(found: tasks.TaskShown) -> None:
    one = found.task
    rows = [("id", one.id), ("title", one.title), ("status", one.status)]
    rows += [("type", one.type)] if one.type else []
    rows += [("outcome", one.outcome)] if one.outcome else []
    rows += [("opened", one.opened_at), ("changed", one.changed_at)]
    rows += [("bound to", f"{place.worktree} ({place.branch or 'any branch'})") for place in one.places]
    rows += [("items", ", ".join(of_kind(number, kind) for kind, number in found.counts.items()) or "none")]
    rows += [("session", f"{at.client} {at.session} {at.last_time[:10]}") for at in found.sessions]
    for name, text in rows:
        print(f"{name:<8} {one_line(clean(text))}")


@command.command("bind", short_help="Bind this work tree and branch to a task.")
@click.argument("task", metavar="T")
@click.option("--any-branch", is_flag=True, help="Whatever branch is checked out here.")
@recording
def bind(project: ProjectHandle, task: str, any_branch: bool) -> Outcome:
    """Bind this work tree and branch to the task T. To replace another one: `clew task switch`."""
    return tasks.task_bind(project, task, any_branch=any_branch)


@command.command("switch", short_help="Switch from the task that is bound here to another.")
@click.argument("task", metavar="T")
@click.option("--any-branch", is_flag=True, help="Whatever branch is checked out here.")
@recording
def switch(project: ProjectHandle, task: str, any_branch: bool) -> Outcome:
    """Bind this work tree and branch to the task T in place of the one before."""
    return tasks.task_bind(project, task, any_branch=any_branch, switch=True)


@command.command("unbind", short_help="Bind this work tree and branch to no task.")
@recording
def unbind(project: ProjectHandle) -> Outcome:
    """Bind this work tree and branch to no task."""
    return tasks.task_unbind(project)


@command.command("rename", short_help="Give a task another title.")
@click.argument("task", metavar="T")
@click.argument("title", metavar="TITLE…", nargs=-1, required=True)
@recording
def rename(project: ProjectHandle, task: str, title: tuple[str, ...]) -> Outcome:
    """Rename the task T to TITLE."""
    return tasks.task_rename(project, task, " ".join(title))


@command.command("close", short_help="Close a task: it is done.")
@click.argument("task", metavar="[T]", required=False)
@click.option("--outcome", metavar="TEXT", default="", help="What came of it.")
@recording_options
def close(task: str | None, outcome: str, dry_run: bool) -> None:
    """Close the task T, or the one that is bound here. What is known of it stays."""
    done = tasks.task_end(find_project(dry_run=dry_run), task, change="close", outcome=outcome)
    say(done)
    if not (dry_run or done.spooled or wants_json()):
        _wind_up()


@command.command("drop", short_help="Drop a task: it is not going to be done.")
@click.argument("task", metavar="[T]", required=False)
@click.option("--why", metavar="TEXT", default="", help="The reason.")
@recording
def drop(project: ProjectHandle, task: str | None, why: str) -> Outcome:
    """Drop the task T, or the one that is bound here. What is known of it stays."""
    return tasks.task_end(project, task, change="drop", outcome=why)


@command.command("reopen", short_help="Open a closed or dropped task again.")
@click.argument("task", metavar="T")
@recording
def reopen(project: ProjectHandle, task: str) -> Outcome:
    """Open the task T again."""
    return tasks.task_end(project, task, change="reopen")


@command.command("share", short_help="Let a task go to others, or keep it here (a person).")
@click.argument("task", metavar="[T]", required=False)
@click.option("--private", is_flag=True, help="Keep it on this machine; it must not have gone yet.")
@recording_options
def share(task: str | None, private: bool, dry_run: bool) -> None:
    """Let the task T, or the one that is bound here, go to the places that `clew sync` exchanges with: one that was
    there before a hub was joined stays here until then. With --private it stays here.
    """
    from clew.app.team.sync import share_task  # here: it speaks to other machines, and no other command does

    say(share_task(find_project(dry_run=dry_run), task, private=private))


@command.command("adopt", short_help="Assign a session to a task, or list those that belong to none.")
@click.argument("session", metavar="[SESSION]", required=False)
@click.option("--task", metavar="T", help="The task (default: the one bound here).")
@recording_options
def adopt(session: str | None, task: str | None, dry_run: bool) -> None:
    """Assign SESSION (the id of an imported session, or its beginning) to a task.

    Without SESSION: list the sessions that belong to no task, newest first.
    """
    if session is None:
        present(tasks.free_sessions(find_project()), _list_free)
        return
    done = tasks.task_adopt(find_project(dry_run=dry_run), session, wanted=task)
    say(done)


@command.command("split", short_help="Move sessions that were about something else into a new task.")
@click.argument("session", metavar="SESSION…", nargs=-1, required=True)
@click.option("--title", metavar="TEXT", default="", help="The new task's title (default: its goal).")
@recording
def split(project: ProjectHandle, session: list[str], title: str) -> Outcome:
    """Open a new task for sessions that were about something other than the task they belong to. If the last session of
    a work tree and branch is among them, that place is bound to the new task.
    """
    return task_split(project, session, title=title)


@command.command("join", short_help="Merge other tasks into one.")
@click.argument("task", metavar="T")
@click.argument("others", metavar="T…", nargs=-1, required=True)
@recording
def join(project: ProjectHandle, task: str, others: list[str]) -> Outcome:
    """Merge other tasks into the first one: their sessions and items move to it, and they are closed."""
    return task_join(project, task, others)


def _list_free(found: tasks.FreeSessions) -> None:
    rows = [(one.session, one.last_time[:16].replace("T", " "), one.about) for one in found.sessions]
    show_table(("session", "last active", "about"), rows)
    if found.sessions:
        remark("next: clew task adopt SESSION")
    else:
        remark("note: No session that was imported counts for no task.")


def _wind_up() -> None:
    """Write the summary of the task that was just closed, and tell how much it left to be triaged."""
    placed, waiting = after_close(find_project())
    written = [one.path for one in placed if one.did != "same" and "/summaries/" in one.path]
    if written:
        remark(f"note: Its summary is in {written[-1]}.")
    if waiting:
        remark(f"note: {count(waiting, 'learning')} may matter elsewhere: `clew memory triage`.")
