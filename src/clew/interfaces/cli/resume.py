"""`clew resume`: the payload for the next session, on stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from clew.core.errors import InputError
from clew.core.text.cleaning import clean, one_line
from clew.documents.profiles import PROFILES
from clew.interfaces.cli.group import Command
from clew.interfaces.cli.here import aside, check_named_task, here, remark, say_notes
from clew.interfaces.cli.options import allow_options, json_option, session_option
from clew.interfaces.cli.waiting import Waiting

if TYPE_CHECKING:
    from clew.app.egress.guard import Exit
    from clew.app.resume.payload import Resumption

# A payload of less tells little.
_OF_USE_TOKENS: Final = 200


@click.command("resume", cls=Command)
@click.argument("task", metavar="[TASK]", required=False)
@session_option("Go on from this session file, or from the session with this id.")
@click.option("--at", "checkpoint", metavar="CHECKPOINT", help="As it was then: a checkpoint's name or id, or `last`.")
@click.option("--budget", metavar="N", type=int, help="At most N tokens (estimated; the profile has a default).")
@click.option(
    "--profile", type=click.Choice(sorted(PROFILES)), default="rehydrate", show_default=True, help="Which document."
)
@click.option("--to", "receiver", metavar="NAME", default="", help="To whom it goes: the text says from whom, too.")
@click.option("--ids", is_flag=True, help="Tell the id of every entry, so that it is known again when edited.")
@json_option("Text, items, drift and usage as JSON (docs/reference/json.md).")
@click.option("--copy", is_flag=True, help="Put the text on the clipboard instead of printing it.")
@click.option(
    "--ask", metavar="CLIENT", help="Have this client write the last session's hand-off first (`clew draft --ask`)."
)
@click.option("--yes", is_flag=True, help="With --ask: without a question.")
@click.option("--launch", metavar="CLIENT", help="Start this client here, with the text before its model.")
@click.option("--no-stack", is_flag=True, help="Without the task's stack (`clew stack use`) before it.")
@allow_options
def command(
    task: str | None,
    transcript: str | None,
    checkpoint: str | None,
    budget: int | None,
    profile: str,
    receiver: str,
    ids: bool,
    as_json: bool,
    copy: bool,
    ask: str | None,
    yes: bool,
    launch: str | None,
    no_stack: bool,
    allow: tuple[str, ...],
    why: str,
) -> None:
    """Print the text that lets the next session go on where the last one stopped.

    Where a ledger is kept (`clew init`): the state of TASK (its id, a beginning of it, or its title), else of the task
    that is bound here, after taking in what its sessions left. Without one, or with none bound: the newest session that
    a client recorded in this repository (all its work trees). The text is made from the client's own record, so it is
    there also when the agent was killed. A stack that the task names stands before it, within one budget.

    TASK may also be an issue (24, owner/name#24, a URL): then it is what the issue says, checked against the files
    here; that works in a clone that keeps no ledger (docs/guide/09-issues.md).
    """
    import clew

    if yes and ask is None:
        raise click.UsageError("--yes goes with --ask")
    _check_place(task, checkpoint, transcript, asks=ask is not None)
    _check_way(launch, as_json=as_json, copy=copy, allows=bool(allow or why))
    if ask is not None:
        from clew.interfaces.cli.drafting import written

        written(ask, yes=yes)
    if task is not None and (issue := issue_meant(task)):
        _from_issue(issue, budget, profile, as_json=as_json, copy=copy, launch=launch, allow=allow, why=why)
        return
    if task is None and checkpoint is None and transcript is None:
        check_named_task()
    is_state = not (checkpoint or transcript or receiver or ids or profile != "rehydrate")

    def resumed(most: int | None) -> Resumption:
        with Waiting("Taking in what sessions left"):
            return clew.resume(
                task=task,
                at=checkpoint,
                transcript=transcript,
                budget_tokens=most,
                profile=profile,
                receiver=receiver,
                with_ids=ids,
            )

    found = resumed(budget)
    stack = found.task.stack if found.task is not None and is_state and not no_stack else ""
    if stack and budget is not None:
        found = resumed(_payload_share(budget))
    for note in found.notes:
        remark(f"note: {one_line(clean(note))}")
    if stack:
        exit: Exit = "launch" if launch is not None else "clipboard" if copy else "stdout"
        found = _behind_stack(stack, found, budget, exit, allow, why)
    named = found.task.id if found.task is not None and is_state and budget is None and not stack else ""
    _give(found, launch, named, as_json=as_json, copy=copy, allow=allow, why=why)


def _give(
    found: Resumption,
    launch: str | None,
    task: str,
    *,
    as_json: bool,
    copy: bool,
    allow: tuple[str, ...],
    why: str,
) -> None:
    """Let the text out by the way that was asked for. Hooks bring that of `task` themselves ("" they do not)."""
    document = found.document
    if launch is not None:
        _check_leaving(document.text, "launch", allow, why)
        start_client(launch, text=document.text, tokens=document.tokens, task=task)
    elif as_json:
        from clew.interfaces.cli.encode import encoded

        print(encoded("resume", found))
    elif copy:
        copy_text(document.text, allow, why)
        aside(f"Copied: {document.tokens} tokens (estimated), {len(document.shown)} items.")
    else:
        print(document.text, end="")


def _payload_share(budget: int) -> int:
    """What of a joint budget the payload may have: as much as it has alone, but no more than half, unless that is of
    no use.
    """
    from clew import wiring
    from clew.app.project import locate

    alone = wiring.ports().settings(locate(here()).root).number("resume.budget_tokens")
    return max(min(alone, budget // 2), min(budget, _OF_USE_TOKENS))


def _behind_stack(
    name: str, found: Resumption, budget: int | None, exit: Exit, allow: tuple[str, ...], why: str
) -> Resumption:
    """What was found, with the stack `name` before its text, both within `budget`."""
    from clew import wiring
    from clew.app.stack.of_task import before_payload

    document = found.document
    with Waiting("Building the stack:") as waiting:
        before = before_payload(
            wiring.ports(),
            wiring.stacks(),
            here(),
            name,
            document.text,
            budget=budget or 0,
            exit=exit,
            allow=allow,
            why=why,
            at=waiting.at,
        )
    say_notes(before.notes)
    if before.text:
        remark(f"note: The stack {name} stands before it: {before.tokens:,} tokens ({before.counter}).")
    joint = document._replace(text=before.text + document.text, tokens=before.tokens + document.tokens)
    return found._replace(document=joint)


def issue_meant(task: str) -> str:
    """`task`, if it names an issue, and no task of the ledger that is kept here; else ""."""
    from clew.remotes.place import reference

    found = reference(task)
    if found is None or found.number == 0:
        return ""
    if not (task.isdecimal() or task.startswith("#")):
        return task
    from clew import wiring
    from clew.app.project import locate
    from clew.app.tasks.lifecycle import task_show
    from clew.core.errors import ClewError

    if locate(here()).has_ledger:
        try:
            task_show(wiring.ports(), task, folder=here())
        except ClewError as problem:
            return "" if problem.code == "E-id-ambiguous" else task
        return ""
    return task


def _check_place(task: str | None, checkpoint: str | None, transcript: str | None, *, asks: bool) -> None:
    """Raises `UsageError`: what is gone on with is named twice, or by nothing."""
    if transcript is not None and (task is not None or checkpoint is not None):
        raise click.UsageError("--from names one session; it goes neither with TASK nor with --at")
    if task is not None and checkpoint is not None:
        raise click.UsageError("a checkpoint is of one task; --at does not go with TASK")
    if asks and (task is not None or checkpoint is not None or transcript is not None):
        raise click.UsageError("--ask goes on from the last session; it goes with neither TASK nor --at nor --from")
    if "" in (task, checkpoint):
        raise click.UsageError("the name of a task or a checkpoint is not empty")


def _check_way(launch: str | None, *, as_json: bool, copy: bool, allows: bool) -> None:
    """Raises `UsageError`: the text goes two ways. Raises `InputError` for a client that nobody knows, before anything
    is read for it.
    """
    if as_json + copy + (launch is not None) > 1:
        raise click.UsageError("--json, --copy and --launch exclude each other")
    if allows and not copy and launch is None:
        raise click.UsageError("--allow and --why go with --copy and --launch: what is printed is redacted")
    if launch is not None:
        from clew import wiring
        from clew.app.launching.launch import known_launcher

        known_launcher(wiring.launchers(), launch)


def _from_issue(
    issue: str,
    budget: int | None,
    profile: str,
    *,
    as_json: bool,
    copy: bool,
    launch: str | None,
    allow: tuple[str, ...],
    why: str,
) -> None:
    """The same from an issue. Where a ledger is kept it is a task there from then on."""
    from clew.interfaces.cli.issue import print_resumed, resumed

    found = resumed(issue, budget=budget, profile=profile)
    if launch is not None:
        _check_leaving(found.text, "launch", allow, why)
        start_client(launch, text=found.text, tokens=found.document.tokens, task="")
    elif copy:
        copy_text(found.text, allow, why)
        aside(f"Copied: {found.document.tokens} tokens (estimated), {len(found.document.shown)} items.")
    else:
        print_resumed(found, as_json=as_json)


def _check_leaving(text: str, exit: Exit, allow: tuple[str, ...], why: str) -> None:
    """Scan what leaves, and tell what is to be known of it. Raises `NotAllowed`."""
    from clew import wiring
    from clew.app.egress.allowing import leaving

    say_notes(leaving(wiring.ports(), here(), [("the text", text)], exit=exit, allow=allow, why=why).notes)


def start_client(name: str, *, text: str, tokens: int, task: str, counted: str = "estimated") -> None:
    """Become the client `name` with a text for its model, or the task whose text hooks bring."""
    import os
    import shutil
    import subprocess
    import sys

    from clew import wiring
    from clew.app.launching.launch import known_launcher, launch

    launcher = known_launcher(wiring.launchers(), name)
    name = launcher.client
    client = next(one for one in wiring.configurations() if one.name == name)
    plan = launch(
        wiring.ports(), wiring.machine(), launcher, client, here(), task=task, text=text, find_program=shutil.which
    )
    way = "its hooks bring the text" if plan.by_hook else "the text is its first prompt"
    model = f" with {plan.route.model} ({plan.route.why})" if plan.route.model else ""
    aside(one_line(clean(f"Starting {name}{model}: {way} ({tokens:,} tokens, {counted}).")))
    command, environment = [plan.program, *plan.arguments], {**os.environ, **dict(plan.environment)}
    if os.name == "posix":
        sys.stdout.flush()
        try:
            os.execve(plan.program, command, environment)
        except OSError as error:  # a text can be longer than the system takes in one argument
            raise InputError(
                f"{name} cannot be started: {error.strerror or error}",
                code="E-client-start",
                hint="Give it less (`--budget`), or put the text before it by hand: `clew resume --copy`.",
            ) from error
    raise SystemExit(subprocess.run(command, env=environment, check=False).returncode)  # elsewhere exec leaves at once


def copy_text(text: str, allow: tuple[str, ...], why: str) -> None:
    """Put a text on the clipboard, if it may leave. Raises `NotAllowed`, `Unavailable`."""
    _check_leaving(text, "clipboard", allow, why)
    to_clipboard(text)


def to_clipboard(text: str) -> None:
    """Put a text that may leave on the clipboard. Raises `Unavailable`."""
    import pyperclip

    from clew.core.errors import Unavailable

    try:
        pyperclip.copy(text)
    except pyperclip.PyperclipException as error:
        raise Unavailable(
            "there is no clipboard that clew can reach",
            code="E-no-clipboard",
            hint="Install xclip, xsel or wl-clipboard, or run without --copy and redirect the output.",
        ) from error
