"""What commands share: the folder we stand in, and how notes are said."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from clew import wiring
from clew.app.ports import TASK_VARIABLE
from clew.app.project.location import locate
from clew.app.project.opening import ProjectHandle
from clew.app.project.session import Outcome
from clew.app.results import JsonResult, to_json
from clew.core.errors import ClewError, InputError
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.options import recording_options, wants_json

# Longer, a text is no note; what is noted is cut off nowhere, so it is refused (app/record/verbs.py).
_STDIN_CHARS_MAX = 100_000


R = TypeVar("R", bound=JsonResult)


def present(found: R, show: Callable[[R], object]) -> None:
    """A result on stdout: with `--json` as JSON (docs/reference/json.md), else as `show` prints it for a person."""
    if wants_json():
        print(to_json(found))
    else:
        show(found)


def say(outcome: Outcome) -> None:
    """What changed, on stdout; notes and what to run next on stderr."""
    present(outcome, _say)


def _say(outcome: Outcome) -> None:
    said = one_line(clean(outcome.said))
    would = outcome.dry_run and outcome.changed
    print(f"Dry run, nothing was recorded. It would say: {said}" if would else said)
    say_notes(outcome.notes)
    if outcome.next and not outcome.dry_run:
        remark(f"next: {one_line(clean(outcome.next))}")


def recording(command: Callable[..., Outcome]) -> Callable[..., None]:
    """A command that records: `command` is called with the project, and what it gives back is said. Adds `--dry-run`
    and `--json`.
    """

    @wraps(command)
    def run(*, dry_run: bool, **given: Any) -> None:
        say(command(find_project(dry_run=dry_run), **given))

    return recording_options(run)


def text_of(words: tuple[str, ...]) -> str:
    """The words of a command line as one text; what stdin holds, if they are a single "-"."""
    if words != ("-",):
        return " ".join(words)
    stream: Any = sys.stdin
    if stream is None:
        raise click.UsageError("there is no stdin to read the text from")
    raw: bytes | str = getattr(stream, "buffer", stream).read(4 * _STDIN_CHARS_MAX)
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    if "\0" in text:
        raise click.UsageError("what stdin holds is not text")
    return text


def here() -> Path:
    """The folder that we stand in, absolute. Raises `InputError` if it does not exist any more."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise InputError(
            "the current folder does not exist any more", code="E-folder-gone", hint="Change to one that does."
        ) from None


def find_project(*, dry_run: bool = False) -> ProjectHandle:
    """The project that we stand in."""
    return ProjectHandle(wiring.ports(), here(), dry_run)


def check_named_task() -> None:
    """Raises `ClewError` if `CLEW_TASK` names no task of the project that we stand in: hooks would give its sessions
    nothing, and say so where few look.
    """
    from clew.app.tasks.lifecycle import task_show

    named = os.environ.get(TASK_VARIABLE, "").strip()
    if not named:
        return
    if locate(here()).has_ledger:
        try:
            task_show(find_project(), named)
        except ClewError as error:
            raise InputError(f"{TASK_VARIABLE} is wrong: {error.message}", code=error.code, hint=error.hint) from None


def stdin_copy(stack: ExitStack) -> Path:
    """What comes by stdin as a file named `stdin`, which goes with `stack`: it can be read more than once."""
    if sys.stdin is None:
        raise click.UsageError("there is no stdin to read from")
    import shutil  # here: as above
    import tempfile

    copy = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clew-")), "stdin")
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return copy


def aside(text: str) -> None:
    """A line for the person, on stderr: what a pipe reads is on stdout."""
    if sys.stderr is not None:  # else `print` would write to stdout
        print(text, file=sys.stderr)


def remark(text: str) -> None:
    """A line for the person, on stderr, that can be missed: nothing with `clew -q`."""
    context = click.get_current_context(silent=True)
    if context is None or not context.find_root().params.get("quiet"):
        aside(text)


def say_notes(notes: Iterable[str]) -> None:
    """Sentences for the person, on stderr."""
    for note in notes:
        remark(f"note: {one_line(clean(note))}")


def print_lines(lines: Iterable[str]) -> None:
    """Lines on stdout, in which nothing acts; each keeps its indentation."""
    for line in lines:
        print(" " * (len(line) - len(line.lstrip(" "))) + one_line(clean(line)))


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def of_kind(number: int, kind: str) -> str:
    """`1 decision`, `2 hypotheses`, `3 failed approaches`: so many items of a kind."""
    one, more = _KINDS.get(kind, (kind, f"{kind}s"))
    return f"{number:,} {one if number == 1 else more}"


_KINDS = {
    "failed": ("failed approach", "failed approaches"),
    "hypothesis": ("hypothesis", "hypotheses"),
    "next": ("next action", "next actions"),
}
