"""Questions to the person at the terminal. They are put on stderr: stdout is for what a pipe reads."""

from __future__ import annotations

import sys

from click import Abort as Aborted


def confirmed(question: str, *, default: bool = False) -> bool:
    """Whether the person says yes; nothing is the default. Raises `Aborted` at the end of the input."""
    while True:
        _put(f"{question} [{'Y/n' if default else 'y/N'}]: ")
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            _put("\n")
            raise Aborted
        answer = line.strip().lower()
        if answer in ("y", "yes"):
            return True
        if answer in ("", "n", "no"):
            return default and not answer
        _put("Please answer y or n.\n")


def hidden(question: str) -> str:
    """What the person types, unseen. Raises `Aborted` at the end of the input."""
    from getpass import getpass

    if sys.stdin is None:
        raise Aborted
    while True:
        try:
            answer = getpass(f"{question}: ", stream=sys.stderr)
        except EOFError:
            raise Aborted from None
        if answer:
            return answer


def _put(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()
