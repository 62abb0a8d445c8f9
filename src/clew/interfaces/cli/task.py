"""`clew task`: tasks, and to which work tree and branch they are bound."""

from __future__ import annotations

import click

from clew.app.handoff.files import after_close
from clew.app.tasks import lifecycle as tasks
from clew.app.tasks.regroup import task_join, task_split
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.encode import encoded, json_of
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import count, find_project, of_kind, remark, say
from clew.interfaces.cli.options import json_option, recording_options
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
@recording_options
def new(
    title: tuple[str, ...], task_type: str | None, goal: str, no_bind: bool, empty: bool, dry_run: bool, as_json: bool
) -> None:
    """Open the task TITLE and bind it to this work tree and branch. Goals, next actions, steps and files that were
    recorded or imported here for no task move into it.
    """
    done = tasks.task_new(
        find_project(dry_run=dry_run),
        " ".join(title),
        task_type=task_type or "",
        goal=goal,
        bind=not no_bind,
        empty=empty,
    )
    say(done, as_json=as_json)


@command.command("list", short_help="List the open tasks.", doing="Reading the ledger")
@click.option("--all", "every", is_flag=True, help="Include closed and dropped tasks.")
@json_option()
def listing(every: bool, as_json: bool) -> None:
    """List the open tasks, the last changed first; * is the one that this work tree and branch are bound to."""
    found = tasks.task_list(find_project(), every=every)
    if as_json:
        print(encoded("tasks", found))
        return
    rows = []
    for task, shown in zip(found.tasks, found.ids, strict=True):
        mark = "*" if task.id == found.bound else " "
        outcome = f" ({task.outcome})" if task.outcome else ""
        rows.append((mark, shown, task.status, task.changed_at[:10], one_line(clean(task.title + outcome))))
    plain = [f"{mark} {shown}  {status:<7}  {date}  {name}" for mark, shown, status, date, name in rows]
    show_table(("", "id", "status", "changed", "title"), rows, plain, styles=("green", "bold", "", "dim"), spare=(3, 2))
    if not found.tasks:
        remark("note: No task is open; the next session that works here opens one, and so does `clew task new`.")
    elif found.hidden:
        remark(f"note: {count(found.hidden, 'other')} closed or dropped: `clew task list --all`.")


@command.command("show", short_help="Show a task.", doing="Reading the ledger")
@click.argument("task", metavar="[T]", required=False)
@json_option()
def show(task: str | None, as_json: bool) -> None:
    """Show the task T, or the one that is bound here: places, items by kind, and sessions."""
    found = tasks.task_show(find_project(), task)
    if as_json:
        print(encoded("task", found))
        return
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
@recording_options
def bind(task: str, any_branch: bool, dry_run: bool, as_json: bool) -> None:
    """Bind this work tree and branch to the task T. To replace another one: `clew task switch`."""
    _bind(task, any_branch=any_branch, switch=False, dry_run=dry_run, as_json=as_json)


@command.command("switch", short_help="Switch from the task that is bound here to another.")
@click.argument("task", metavar="T")
@click.option("--any-branch", is_flag=True, help="Whatever branch is checked out here.")
@recording_options
def switch(task: str, any_branch: bool, dry_run: bool, as_json: bool) -> None:
    """Bind this work tree and branch to the task T in place of the one before."""
    _bind(task, any_branch=any_branch, switch=True, dry_run=dry_run, as_json=as_json)


def _bind(task: str, *, any_branch: bool, switch: bool, dry_run: bool, as_json: bool) -> None:
    done = tasks.task_bind(find_project(dry_run=dry_run), task, any_branch=any_branch, switch=switch)
    say(done, as_json=as_json)


@command.command("unbind", short_help="Bind this work tree and branch to no task.")
@recording_options
def unbind(dry_run: bool, as_json: bool) -> None:
    """Bind this work tree and branch to no task."""
    say(tasks.task_unbind(find_project(dry_run=dry_run)), as_json=as_json)


@command.command("rename", short_help="Give a task another title.")
@click.argument("task", metavar="T")
@click.argument("title", metavar="TITLE…", nargs=-1, required=True)
@recording_options
def rename(task: str, title: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Rename the task T to TITLE."""
    done = tasks.task_rename(find_project(dry_run=dry_run), task, " ".join(title))
    say(done, as_json=as_json)


@command.command("close", short_help="Close a task: it is done.")
@click.argument("task", metavar="[T]", required=False)
@click.option("--outcome", metavar="TEXT", default="", help="What came of it.")
@recording_options
def close(task: str | None, outcome: str, dry_run: bool, as_json: bool) -> None:
    """Close the task T, or the one that is bound here. What is known of it stays."""
    done = tasks.task_end(find_project(dry_run=dry_run), task, change="close", outcome=outcome)
    say(done, as_json=as_json)
    if not (dry_run or done.spooled or as_json):
        _wind_up()


@command.command("drop", short_help="Drop a task: it is not going to be done.")
@click.argument("task", metavar="[T]", required=False)
@click.option("--why", metavar="TEXT", default="", help="The reason.")
@recording_options
def drop(task: str | None, why: str, dry_run: bool, as_json: bool) -> None:
    """Drop the task T, or the one that is bound here. What is known of it stays."""
    done = tasks.task_end(find_project(dry_run=dry_run), task, change="drop", outcome=why)
    say(done, as_json=as_json)


@command.command("reopen", short_help="Open a closed or dropped task again.")
@click.argument("task", metavar="T")
@recording_options
def reopen(task: str, dry_run: bool, as_json: bool) -> None:
    """Open the task T again."""
    done = tasks.task_end(find_project(dry_run=dry_run), task, change="reopen")
    say(done, as_json=as_json)


@command.command("share", short_help="Let a task go to others, or keep it here (a person).")
@click.argument("task", metavar="[T]", required=False)
@click.option("--private", is_flag=True, help="Keep it on this machine; it must not have gone yet.")
@recording_options
def share(task: str | None, private: bool, dry_run: bool, as_json: bool) -> None:
    """Let the task T, or the one that is bound here, go to the places that `clew sync` exchanges with: one that was
    there before a hub was joined stays here until then. With --private it stays here.
    """
    say(tasks.task_share(find_project(dry_run=dry_run), task, private=private), as_json=as_json)


@command.command("adopt", short_help="Assign a session to a task, or list those that belong to none.")
@click.argument("session", metavar="[SESSION]", required=False)
@click.option("--task", metavar="T", help="The task (default: the one bound here).")
@recording_options
def adopt(session: str | None, task: str | None, dry_run: bool, as_json: bool) -> None:
    """Assign SESSION (the id of an imported session, or its beginning) to a task.

    Without SESSION: list the sessions that belong to no task, newest first.
    """
    if session is None:
        _list_free(as_json=as_json)
        return
    done = tasks.task_adopt(find_project(dry_run=dry_run), session, wanted=task)
    say(done, as_json=as_json)


@command.command("split", short_help="Move sessions that were about something else into a new task.")
@click.argument("session", metavar="SESSION…", nargs=-1, required=True)
@click.option("--title", metavar="TEXT", default="", help="The new task's title (default: its goal).")
@recording_options
def split(session: list[str], title: str, dry_run: bool, as_json: bool) -> None:
    """Open a new task for sessions that were about something other than the task they belong to. If the last session of
    a work tree and branch is among them, that place is bound to the new task.
    """
    say(task_split(find_project(dry_run=dry_run), session, title=title), as_json=as_json)


@command.command("join", short_help="Merge other tasks into one.")
@click.argument("task", metavar="T")
@click.argument("others", metavar="T…", nargs=-1, required=True)
@recording_options
def join(task: str, others: list[str], dry_run: bool, as_json: bool) -> None:
    """Merge other tasks into the first one: their sessions and items move to it, and they are closed."""
    say(task_join(find_project(dry_run=dry_run), task, others), as_json=as_json)


def _list_free(*, as_json: bool) -> None:
    found = tasks.free_sessions(find_project())
    if as_json:
        print(json_of({"sessions": found}))
        return
    width = max((len(one.origin.session) for one in found), default=0)
    for one in found:
        moment = one.origin.last_time[:16].replace("T", " ")
        print(f"{one_line(clean(one.origin.session)):<{width}}  {clean(moment):<16}  {one_line(clean(one.about))}")
    if found:
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
