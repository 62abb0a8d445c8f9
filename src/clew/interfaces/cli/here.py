"""What commands that need no session share: the folder we stand in, and how notes are said."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from clew.core.errors import InputError
from clew.core.text import clean, one_line


def here() -> Path:
    """The folder that we stand in, absolute. Raises `InputError` if it does not exist any more."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise InputError(
            "the current folder does not exist any more", code="E-folder-gone", hint="Change to one that does."
        ) from None


def say_notes(notes: Iterable[str]) -> None:
    """Sentences for the person, on stderr."""
    for note in notes:
        click.echo(f"note: {one_line(clean(note))}", err=True)


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
