"""Where a text goes: onto stdout, the clipboard, into a file, or to a client that is started with it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clew import wiring
from clew.app.results import to_json
from clew.core.errors import InputError, Unavailable
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.here import aside, find_project, here, say_notes
from clew.interfaces.cli.options import Decorator, allow_options, json_option, wants_json
from clew.workspace.atomic import replace

if TYPE_CHECKING:
    from clew.app.egress.guard import Exit
    from clew.app.issue.resume import IssuePayload
    from clew.app.resume.payload import ResumeResult
    from clew.app.stack.build import StackBuild, StackReplay


class Delivery(NamedTuple):
    """By which way a text leaves, and which findings (`allow`, their digits) a person lets leave, `why`. `client` is
    the one to start, None for none.
    """

    copy: bool = False
    client: str | None = None
    file: Path | None = None
    allow: tuple[str, ...] = ()
    why: str = ""

    @property
    def exit(self) -> Exit:
        """The way, as what leaves is scanned for."""
        return "clipboard" if self.copy else "file" if self.file else "launch" if self.client is not None else "stdout"

    def give(
        self,
        found: ResumeResult | IssuePayload | StackBuild | StackReplay,
        *,
        counted: str = "estimated",
        about: str = "",
        task: str = "",
        scans: bool = True,
    ) -> None:
        """Let the text of a result out, or print the result as JSON; `scans`: nobody has looked through it for secrets
        yet. Hooks bring that of `task` themselves ("" they do not); `about` is said of what was copied. Raises
        `NotAllowed`, `Unavailable`.
        """
        if wants_json():
            print(to_json(found))
            if not self.file:
                return
        text, tokens = found.text, found.tokens
        if scans and self.exit != "stdout":
            from clew.app.egress.guard import leaving  # here: most texts are printed, which needs none of this

            texts = [("the text", text)]
            done = leaving(find_project(), texts, exit=self.exit, allow=self.allow, why=self.why)
            say_notes(done.notes)
        if self.file:
            self._write(text)
        elif self.copy:
            _to_clipboard(text)
            aside(f"Copied: {tokens:,} tokens ({counted}){about}.")
        elif self.client is not None:
            _start_client(self.client, text=text, tokens=tokens, task=task, counted=counted)
        else:
            print(text, end="")

    def _write(self, text: str) -> None:
        assert self.file is not None
        try:
            replace(here() / self.file.expanduser(), text.encode(), mode=0o600)
        except OSError as error:
            raise InputError(
                f"{self.file} cannot be written: {error.strerror}",
                code="E-stack-write",
                hint="Name a file that you may write.",
            ) from error
        aside(f"Wrote {self.file}.")


def delivery_options(*, file: bool = False, json: str = "") -> Decorator:
    """`--copy`, `--launch`, `--json`, `--allow`, `--why`, with `file` also `-o`, given to the command as `to`.

    Raises `UsageError` for a text that goes two ways, and `InputError` for a client that nobody knows, before anything
    is read for it.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(*, copy: bool, launch: str | None, allow: tuple[str, ...], why: str, **given: Any) -> object:
            to = Delivery(copy, launch, given.pop("output", None), allow, why)
            if copy + (launch is not None) + (to.file is not None) + (wants_json() and not to.file) > 1:
                ways = "--copy, -o, --launch and --json (without -o)" if file else "--json, --copy and --launch"
                raise click.UsageError(f"{ways} exclude each other")
            if launch is not None:
                from clew.app.launching.launch import known_launcher  # here: as above

                known_launcher(wiring.launchers(), launch)
            return command(to=to, **given)

        done = allow_options(run)
        started = click.option(
            "--launch", metavar="CLIENT", help="Start this client here, with the text before its model."
        )
        done = started(done)
        if file:
            kind = click.Path(path_type=Path)
            done = click.option("-o", "--output", metavar="FILE", type=kind, help="Write to this file.")(done)
        done = click.option("--copy", is_flag=True, help="Put the text on the clipboard instead of printing it.")(done)
        return (json_option(json) if json else json_option())(done)

    return add


def _start_client(name: str, *, text: str, tokens: int, task: str, counted: str) -> None:
    """Become the client `name` with a text for its model, or the task whose text hooks bring."""
    import shutil
    import subprocess  # here: as above

    from clew.app.launching.launch import known_launcher, launch

    launcher = known_launcher(wiring.launchers(), name)
    name = launcher.client
    client = next(one for one in wiring.configurations() if one.name == name)
    plan = launch(find_project(), wiring.machine(), launcher, client, task=task, text=text, find_program=shutil.which)
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


def _to_clipboard(text: str) -> None:
    import pyperclip  # brings subprocess with every command else

    try:
        pyperclip.copy(text)
    except pyperclip.PyperclipException as error:
        raise Unavailable(
            "there is no clipboard that clew can reach",
            code="E-no-clipboard",
            hint="Install xclip, xsel or wl-clipboard, or run without --copy and redirect the output.",
        ) from error
