"""What recording commands share: text from stdin, and how an outcome is said."""

from __future__ import annotations

import sys
from typing import Any

import click

from clew.app.project import Outcome
from clew.core.text.cleaning import clean, one_line
from clew.interfaces.cli.encode import encoded
from clew.interfaces.cli.here import remark, say_notes

# Longer, a text is no note; what is noted is cut off nowhere, so it is refused (app/record/fields.py).
_STDIN_CHARS_MAX = 100_000


def say(outcome: Outcome, *, as_json: bool) -> None:
    """What changed, on stdout; notes and what to run next on stderr."""
    if as_json:
        print(encoded("recorded", outcome))
        return
    said = one_line(clean(outcome.said))
    would = outcome.dry_run and outcome.changed
    print(f"Dry run, nothing was recorded. It would say: {said}" if would else said)
    say_notes(outcome.notes)
    if outcome.then and not outcome.dry_run:
        remark(f"next: {one_line(clean(outcome.then))}")


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
        raise click.UsageError("what stdin holds is no text")
    return text
