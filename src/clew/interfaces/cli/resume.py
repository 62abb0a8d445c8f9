"""`clew resume`: the payload for the next session, on stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.core.errors import InputError
from clew.core.text import clean, one_line
from clew.documents.profile import PROFILES
from clew.interfaces.cli.here import aside
from clew.interfaces.cli.options import json_option, session_option
from clew.interfaces.cli.parser import Command, Parser, UsageError

if TYPE_CHECKING:
    from clew.app.resume import Resumption


def _arguments(parser: Parser) -> None:
    parser.add_argument("task", nargs="?", metavar="[TASK]")
    session_option(parser, "Go on from this session file, or from the session with this id.")
    parser.add_argument(
        "--at", dest="checkpoint", metavar="CHECKPOINT", help="As it was then: a checkpoint's name or id, or `last`."
    )
    parser.add_argument(
        "--budget", metavar="N", type=int, help="At most N tokens (estimated; the profile has a default)."
    )
    parser.add_argument(
        "--profile", choices=sorted(PROFILES), default="rehydrate", help="Which document. [default: %(default)s]"
    )
    parser.add_argument(
        "--to", dest="receiver", metavar="NAME", default="", help="To whom it goes: the text says from whom, too."
    )
    parser.add_argument(
        "--ids", action="store_true", help="Tell the id of every entry, so that it is known again when edited."
    )
    json_option(parser, "Text, items, drift and usage as JSON (docs/json.md).")
    parser.add_argument("--copy", action="store_true", help="Put the text on the clipboard instead of printing it.")
    parser.add_argument(
        "--ask", metavar="CLIENT", help="Have this client write the last session's hand-off first (`clew draft --ask`)."
    )
    parser.add_argument("--yes", action="store_true", help="With --ask: without a question.")
    parser.add_argument("--launch", metavar="CLIENT", help="Start this client here, with the text before its model.")


def run(
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
) -> None:
    """Print the text that lets the next session go on where the last one stopped.

    Where a ledger is kept (`clew init`): the state of TASK (its id, a beginning of it, or its title), else of the task
    that is bound here, after taking in what its sessions left. Without one, or with none bound: the newest session that
    a client recorded in this repository (all its work trees). The text is made from the client's own record, so it is
    there also when the agent was killed.
    """
    import clew

    if as_json + copy + (launch is not None) > 1:
        raise UsageError("--json, --copy and --launch exclude each other")
    if transcript is not None and (task is not None or checkpoint is not None):
        raise UsageError("--from names one session; it goes neither with TASK nor with --at")
    if task is not None and checkpoint is not None:
        raise UsageError("a checkpoint is of one task; --at does not go with TASK")
    if ask is not None and (task is not None or checkpoint is not None or transcript is not None):
        raise UsageError("--ask goes on from the last session; it goes with neither TASK nor --at nor --from")
    if yes and ask is None:
        raise UsageError("--yes goes with --ask")
    if "" in (task, checkpoint):
        raise UsageError("the name of a task or a checkpoint is not empty")
    if ask is not None:
        from clew.interfaces.cli.drafting import written

        written(ask, yes=yes)
    found = clew.resume(
        task=task,
        at=checkpoint,
        transcript=transcript,
        budget_tokens=budget,
        profile=profile,
        receiver=receiver,
        with_ids=ids,
    )
    for note in found.notes:
        aside(f"note: {one_line(clean(note))}")
    if launch is not None:
        is_plain = not (checkpoint or transcript or receiver or ids or budget is not None or profile != "rehydrate")
        _launch(launch, found, task=found.task.id if found.task is not None and is_plain else "")
    elif as_json:
        from clew.interfaces.cli.shapes.session import resumption

        print(resumption(found))
    elif copy:
        _copy(found.document.text)
        aside(f"Copied: {found.document.tokens} tokens (estimated), {len(found.document.shown)} items.")
    else:
        print(found.document.text, end="")


def _launch(name: str, found: Resumption, *, task: str) -> None:
    """Become the client `name`, which begins where `found` stands. Comes back only with an error."""
    import os
    import shutil
    import subprocess
    import sys

    from clew import wiring
    from clew.app.launch import known_launcher, launch
    from clew.interfaces.cli.here import here

    launcher = known_launcher(wiring.launchers(), name)
    client = next(one for one in wiring.configurations() if one.name == name)
    text = found.document.text
    plan = launch(
        wiring.ports(), wiring.machine(), launcher, client, here(), task=task, text=text, find_program=shutil.which
    )
    way = "its hooks bring the text" if plan.by_hook else "the text is its first prompt"
    aside(f"Starting {name}: {way} ({found.document.tokens} tokens, estimated).")
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


def _copy(text: str) -> None:
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


command = Command("Print what the next session needs to go on.", run, _arguments)
