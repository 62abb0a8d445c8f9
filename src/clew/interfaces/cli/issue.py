"""`clew issue`: a task's state in an issue, and what people make of it there (docs/guide/09-issues.md)."""

from __future__ import annotations

from functools import partial

import click

from clew import wiring
from clew.app.issue import run
from clew.app.issue.merging import Took
from clew.app.issue.resume import IssuePayload, resume_issue
from clew.app.issue.sync import Synced
from clew.app.project.location import locate
from clew.core.text.cleaning import clean, in_columns, one_line, shorten
from clew.interfaces.cli.delivery import Delivery
from clew.interfaces.cli.group import Group
from clew.interfaces.cli.here import aside, count, find_project, here, present, remark, say_notes
from clew.interfaces.cli.options import allow_options, json_option, recording_options, wants_json
from clew.interfaces.cli.waiting import Waiting
from clew.remotes.port import Connect

_TEXT_CHARS = 100
_DID = {
    "added": "added",
    "removed": "deleted",
    "reworded": "reworded",
    "ticked": "ticked or unticked",
    "moved": "moved",
    "marked": "marked",
    "note": "words",
    "asked": "for you to decide",
}

command = Group(
    "issue",
    help="""Keep a task's state in a GitHub issue that people can edit.

`push` imports what people changed, then writes the task's state into the issue; `pull` only imports; `resume` continues
from an issue, even in a clone without `clew init`. N is a number, owner/name#24, or a URL.
Each needs a login: that of `gh`, or GITHUB_TOKEN (docs/guide/09-issues.md).
""",
)


@command.command("push", short_help="Write a task's state into its issue.")
@click.argument("issue", metavar="[N]", required=False, default="")
@click.option("--task", metavar="T", default="", help="Another task than the one that is bound here.")
@click.option(
    "--repo", metavar="OWNER/NAME", default="", help="Where to open the issue (default: the repository of `origin`)."
)
@click.option(
    "--inferred", is_flag=True, help="Include what rules extract from your sessions; it may quote your prompts."
)
@allow_options
@recording_options
def push(issue: str, task: str, repo: str, inferred: bool, allow: tuple[str, ...], why: str, dry_run: bool) -> None:
    """Import what people changed in the task's issue, then write the task's state into it; open an issue if there is
    none. If nothing is new, nothing is written. N links the task to that issue first.

    It contains what was recorded on purpose, and the plan. Each finished phase gets one comment. Possible secrets are
    not sent. If the server cannot be reached, the next push sends it.
    """
    with Waiting("Asking the server"):
        done = run.push(
            find_project(dry_run=dry_run),
            _connect(),
            issue=issue,
            task=task,
            repo=repo,
            inferred=inferred,
            allow=allow,
            why=why,
        )
    present(done, partial(_say, pushed=True))


@command.command("pull", short_help="Import what people changed in a task's issue.")
@click.argument("issue", metavar="[N]", required=False, default="")
@click.option("--task", metavar="T", default="", help="Another task than the one that is bound here.")
@recording_options
def pull(issue: str, task: str, dry_run: bool) -> None:
    """Import what people changed in the task's issue: ticks, wording, new and deleted lines. What was changed here as
    well, or comes from a person here, becomes a question with both texts. N links the task to that issue first.
    """
    with Waiting("Asking the server"):
        done = run.pull(find_project(dry_run=dry_run), _connect(), issue=issue, task=task)
    present(done, partial(_say, pushed=False))


@command.command("resume", short_help="Print what a session needs to continue from an issue.")
@click.argument("issue", metavar="N")
@click.option("--budget", metavar="N", type=int, help="At most N tokens (estimated).")
@json_option("Text, items and drift as JSON (docs/reference/json.md).")
def resume(issue: str, budget: int | None) -> None:
    """Pick up the task of issue N and print what a session needs to continue it: what the issue says, and how the files
    it names have changed since. Without `clew init`, nothing is written.
    """
    print_resumed(resumed(issue, budget=budget), Delivery())


@command.command("link", short_help="Link the task to an existing issue.")
@click.argument("issue", metavar="N")
@click.option("--task", metavar="T", default="", help="Another task than the one that is bound here.")
@json_option()
def link(issue: str, task: str) -> None:
    """Link the task to issue N. Nothing is imported or sent yet: `pull` and `push` do that."""
    with Waiting("Asking the server"):
        done = run.link_issue(find_project(), _connect(), issue, task=task)
    present(done, _link)


def _link(done: Synced) -> None:
    print(in_columns(f"{done.task.short_id} is linked to {done.issue.named}", done.issue.url))
    say_notes(done.notes)
    remark("next: clew issue pull")


@command.command("status", short_help="Show which task has which issue, and what is waiting.")
@json_option()
def status() -> None:
    """List the tasks that have an issue: when it was last read or written, how many entries changed here since, and
    whether a push waits. The server is not asked.
    """
    present(run.status(find_project()), _list)


def _list(found: run.IssueList) -> None:
    for one in found.issues:
        issue = one.issue
        parts = [one.task.short_id, *((issue.named, issue.url) if issue.is_linked else ("no issue yet",))]
        parts += [f"last synced {issue.synced_at[:16].replace('T', ' ')} UTC"] if issue.synced_at else []
        parts += [f"{count(one.ahead, 'change')} here since"] if one.ahead else []
        waits = f"a push waits since {issue.queued_at[:16].replace('T', ' ')} UTC: {issue.queued}"
        parts += [waits] if issue.queued else []
        print(in_columns(*parts))
    if not found.issues:
        remark("note: No task has an issue; `clew issue push` opens one.")
    say_notes(found.notes)


@command.command("template", short_help="Write the template of an issue with the fixed sections.")
@click.option("--print", "only_print", is_flag=True, help="Print it, and write nothing.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--dry-run", is_flag=True, help="Show which file would be written.")
def template(only_print: bool, force: bool, dry_run: bool) -> None:
    """Write `.github/ISSUE_TEMPLATE/agent-task.md`: an issue that somebody fills in without clew is read like one that
    `clew issue push` opened.
    """
    if only_print:
        print(run.template_text(), end="")
        return
    made = run.write_template(locate(here()).root, dry_run=dry_run, force=force)
    verb = ("Would write" if dry_run else "Wrote") if made.is_new else "It exists already:"
    print(f"{verb} {made.file}")


def resumed(issue: str, *, budget: int | None, profile: str = "rehydrate") -> IssuePayload:
    """The payload of an issue; its notes are told."""
    with Waiting("Asking the server"):
        found = resume_issue(find_project(), _connect(), issue, budget_tokens=budget, profile=profile)
    say_notes(found.notes)
    return found


def print_resumed(found: IssuePayload, to: Delivery) -> None:
    """Let it out."""
    to.give(found, about=f", {found.shown} items")
    if found.task is not None and to.exit == "stdout" and not wants_json():
        remark(f"note: It is the task {found.task.short_id} here: {one_line(clean(found.task.title))}")


def _connect() -> Connect:
    return wiring.trackers(locate(here()).root)


def _say(done: Synced, *, pushed: bool) -> None:
    if done.dry_run and pushed:
        print(clean(done.body), end="")
        aside(f"Dry run, nothing was sent. It would be: {', '.join(done.wrote) or 'nothing new'}.")
    for one in done.took:
        print(_told(one))
    if done.queued:
        print(one_line(clean(f"It waits: {done.queued}. `clew issue push` sends it.")))
    elif not done.dry_run or not pushed:
        print(_said(done, pushed=pushed))
    if done.left_out:
        aside(f"{count(done.left_out, 'item')} had no room in the issue.")
    say_notes(done.notes)


def _told(one: Took) -> str:
    by = f" ({one.by})" if one.by else ""
    text = one_line(clean(f"{shorten(one.text, _TEXT_CHARS)}{by}"))
    return f"{_DID[one.did]:<18} {one.kind:<10} {text}"


def _said(done: Synced, *, pushed: bool) -> str:
    where = (done.issue.named, done.issue.url) if done.issue.is_linked else (done.task.short_id,)
    taken = f"imported {count(len(done.took), 'change')}" if done.took else ""
    if not pushed:
        return f"{in_columns(*where)}: {taken or 'nothing new'}"
    comments = done.wrote.count("comment")
    wrote = [one for one in dict.fromkeys(done.wrote) if one not in ("comment", "opened")]
    wrote += [count(comments, "comment")] if comments else []
    opened = "opened" if "opened" in done.wrote else ""
    parts = [opened, taken, f"wrote {', '.join(wrote)}" if wrote else ""]
    return f"{in_columns(*where)}: {'; '.join(filter(None, parts)) or 'nothing new'}"
