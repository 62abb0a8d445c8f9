"""The person at the terminal: questions, single keys, edited texts. All is put on stderr: a pipe reads stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

import click

from clew.core.errors import Unavailable
from clew.interfaces.cli.here import aside, text_of


def at_terminal() -> bool:
    """Whether somebody sits there who sees what is asked and can press keys."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


_waiting: list[str] = []


def pressed(question: str) -> str:
    """The key that the person presses behind a question (on stderr), which is shown; of several that came at once each
    in its turn. Raises `Abort` for Ctrl-C and the end of the input.
    """
    if not _waiting:
        _put(question)
        try:
            came = click.getchar()
        except (KeyboardInterrupt, EOFError):
            _put("\n")
            raise click.Abort from None
        # An arrow and its kin come as one sequence; else each character is a key. Return alone says nothing.
        keys = [came] if came.startswith("\x1b") else [key for key in came if key not in "\r\n"]
        _waiting.extend(keys or [""] * (came == ""))
        if not _waiting:
            return pressed("")
    key = _waiting.pop(0)
    if key in ("\x04", "\x03", ""):
        _put("\n")
        raise click.Abort
    _put(key if key.isdigit() else f"{key if key.isprintable() else ''}\n")
    return key


def ask_each(question: Callable[[], str], press: Callable[[str], str], keys: Mapping[str, tuple[str, str]]) -> bool:
    """Have the person press keys about one thing after the other; False if they leave before the end.

    `question` is put before each key. `press` says what the key meant: "done" and "quit" end it, "help" lists `keys`
    (each with what it means, and that in words), "" is told to mean nothing. Raises `Abort` as `pressed`.
    """
    while True:
        meant = press(pressed(question()))
        if meant in ("done", "quit"):
            return meant == "done"
        if meant == "help":
            aside("\n".join(f"  {name}  {words}" for name, (_, words) in keys.items()))
        elif not meant:
            aside("That key means nothing here; ? lists the keys.")


def typed(question: str, text: str) -> str:
    """A line that the person types in place of `text`; an empty one leaves it as it is."""
    _waiting.clear()
    _put(f"{question}\n  now: {text}\n  new: ")
    line = sys.stdin.readline() if sys.stdin is not None else ""
    return line.strip() or text


def edited(text: str, *, suffix: str = ".md") -> str | None:
    """`text` as it was saved in the person's editor (`VISUAL`, `EDITOR`); None where it was not saved. Raises
    `Unavailable` where no editor can be started.
    """
    try:
        return click.edit(text, extension=suffix, require_save=True, env=dict(os.environ))
    except click.ClickException as error:
        raise Unavailable(
            f"the editor cannot be used: {error.format_message()}",
            code="E-no-editor",
            hint="Set EDITOR to one that waits until the file is closed, such as `vim` or `code --wait`.",
        ) from error


def revise(text: str, source: str | None, *, command: str, suffix: str = ".md") -> str | None:
    """`text` as a person changed it: what stdin holds where `source` is "-", else what was saved in the editor. None
    where nothing was changed. `command` is named in what is wrong. Raises `click.UsageError`, `Unavailable`.
    """
    if source == "-":
        changed: str | None = text_of(("-",))
    elif source is not None:
        raise click.UsageError("it is edited in an editor, or comes from stdin: -")
    elif sys.stdin is None or not sys.stdin.isatty():
        raise click.UsageError(f"there is no terminal to edit in; give the text on stdin: {command} -")
    else:
        changed = edited(text, suffix=suffix)
    return None if changed == text else changed


def confirmed(question: str, *, default: bool = False) -> bool:
    """Whether the person says yes; nothing is the default. Raises `Abort` at the end of the input."""
    while True:
        _put(f"{question} [{'Y/n' if default else 'y/N'}]: ")
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            _put("\n")
            raise click.Abort
        answer = line.strip().lower()
        if answer in ("y", "yes"):
            return True
        if answer in ("", "n", "no"):
            return default and not answer
        _put("Please answer y or n.\n")


def hidden(question: str) -> str:
    """What the person types, unseen. Raises `Abort` at the end of the input."""
    from getpass import getpass

    if sys.stdin is None:
        raise click.Abort
    while True:
        try:
            answer = getpass(f"{question}: ", stream=sys.stderr)
        except EOFError:
            raise click.Abort from None
        if answer:
            return answer


def _put(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()
