"""`clew resume`: the payload for the next session, on stdout."""

from __future__ import annotations

from typing import Any, Final

import click

import clew
from clew import wiring
from clew.app.project.location import locate
from clew.app.resume.payload import Resumption
from clew.app.tasks.lifecycle import task_show
from clew.core.errors import ClewError
from clew.documents.profiles import PROFILES
from clew.interfaces.cli.delivery import Delivery, delivery_options
from clew.interfaces.cli.group import CliCommand
from clew.interfaces.cli.here import check_named_task, find_project, here, remark, say_notes
from clew.interfaces.cli.options import session_option, wants_json
from clew.interfaces.cli.waiting import Waiting

# A payload of less tells little.
_OF_USE_TOKENS: Final = 200
# With no other option of a payload it is the state of a task as hooks bring it.
_AS_HOOKS: Final = {"task", "budget_tokens"}


@click.command("resume", cls=CliCommand)
@click.argument("task", metavar="[TASK]", required=False)
@session_option("Continue from this session file, or the session with this id.")
@click.option("--at", metavar="CHECKPOINT", help="As it was then: a checkpoint's name or id, or `last`.")
@click.option(
    "--budget", "budget_tokens", metavar="N", type=int, help="At most N tokens (estimated; the profile has a default)."
)
@click.option("--profile", type=click.Choice(sorted(PROFILES)), default="rehydrate", help="Which document.")
@click.option("--to", "receiver", metavar="NAME", default="", help="Who it is for: the text says who it is from, too.")
@click.option("--ids", "with_ids", is_flag=True, help="Print the id of every entry, so that edits can be matched.")
@click.option("--no-stack", is_flag=True, help="Without the task's stack (`clew stack use`) before it.")
@delivery_options(json="Text, items, drift and usage as JSON (docs/reference/json.md).")
def command(to: Delivery, no_stack: bool, **wanted: Any) -> None:
    """Print the text that lets the next session continue where the last one stopped.

    Where a ledger is kept (`clew init`): the state of TASK (its id, a beginning of it, or its title), else of the task
    that is bound here, after importing its new sessions. Without one, or with none bound: the newest session that
    a client recorded in this repository (all its work trees). The text is made from the client's own record, so it is
    there also when the agent was killed. A stack that the task names comes first, within the same budget.

    If somebody handed a task over to you (`clew handoff --to`), it is gone on with here, and until a session has, the
    text is the `team` document: what is locked, who is to answer what, what is a stub, how this tree differs.

    TASK may also be an issue (24, owner/name#24, a URL): then it is what the issue says, checked against the files
    here; that works in a clone without `clew init` (docs/guide/09-issues.md).
    """
    task, budget = wanted["task"], wanted["budget_tokens"]
    _check_place(task, wanted["at"], wanted["transcript"])
    if (to.allow or to.why) and to.exit == "stdout":
        raise click.UsageError("--allow and --why go with --copy and --launch: what is printed is redacted")
    if task is not None and (issue := _issue_meant(task)):
        from clew.interfaces.cli.issue import print_resumed, resumed  # it asks the network

        print_resumed(resumed(issue, budget=budget, profile=wanted["profile"]), to)
        return
    if task is wanted["at"] is wanted["transcript"] is None:
        check_named_task()
    wanted["part"] = not wants_json()
    found = _resume(wanted)
    is_state = found.task is not None and found.profile == wanted["profile"] and not _chosen(wanted) - _AS_HOOKS
    stack = found.task.stack if found.task is not None and is_state and not no_stack else ""
    if stack and budget is not None:
        found = _resume({**wanted, "budget_tokens": _payload_share(budget)})
    say_notes(found.notes)
    if stack:
        found = _behind_stack(stack, found, budget, to)
    hooked = found.task.id if found.task is not None and is_state and budget is None and not stack else ""
    to.give(found.result(), about=f", {len(found.document.shown)} items", task=hooked)


def _resume(wanted: dict[str, Any]) -> Resumption:
    with Waiting("Taking in what sessions left"):
        if _chosen(wanted) or not locate(here()).has_ledger:
            return clew.resume(**wanted)
        from clew.app.handoff.takeover import resume_received  # here: of one named session nothing is handed over

        return resume_received(find_project(), **wanted)


def _chosen(wanted: dict[str, Any]) -> set[str]:
    """The options of a payload that have not their default."""
    ctx = click.get_current_context()
    return {
        str(one.name) for one in ctx.command.params if wanted.get(str(one.name)) not in (None, one.get_default(ctx))
    }


def _payload_share(budget: int) -> int:
    """What of a joint budget the payload may have: as much as it has alone, but no more than half, unless that is of
    no use.
    """
    alone = wiring.ports().settings(locate(here()).root).number("resume.budget_tokens")
    return max(min(alone, budget // 2), min(budget, _OF_USE_TOKENS))


def _behind_stack(name: str, found: Resumption, budget: int | None, to: Delivery) -> Resumption:
    """What was found, with the stack `name` before its text, both within `budget`."""
    from clew.app.stack.build import before_payload  # few tasks have one

    document = found.document
    with Waiting("Building the stack:") as waiting:
        before = before_payload(
            find_project(),
            wiring.stacks(),
            name,
            document.text,
            budget=budget or 0,
            exit=to.exit,
            allow=to.allow,
            why=to.why,
            at=waiting.at,
        )
    say_notes(before.notes)
    if before.text:
        remark(f"note: The stack {name} stands before it: {before.tokens:,} tokens ({before.counter}).")
    joint = document._replace(text=before.text + document.text, tokens=before.tokens + document.tokens)
    return found._replace(document=joint)


def _issue_meant(task: str) -> str:
    """`task`, if it names an issue, and no task of the ledger that is kept here; else ""."""
    from clew.remotes.place import reference  # here: most name no issue

    found = reference(task)
    if found is None or found.number == 0:
        return ""
    if (task.isdecimal() or task.startswith("#")) and locate(here()).has_ledger:
        try:
            task_show(find_project(), task)
        except ClewError as problem:
            return "" if problem.code == "E-id-ambiguous" else task
        return ""
    return task


def _check_place(task: str | None, checkpoint: str | None, transcript: str | None) -> None:
    """Raises `UsageError`: what is gone on with is named twice, or by nothing."""
    if transcript is not None and (task is not None or checkpoint is not None):
        raise click.UsageError("--from names one session; it cannot be combined with TASK or --at")
    if task is not None and checkpoint is not None:
        raise click.UsageError("a checkpoint is of one task; --at cannot be combined with TASK")
    if "" in (task, checkpoint):
        raise click.UsageError("the name of a task or a checkpoint is not empty")
