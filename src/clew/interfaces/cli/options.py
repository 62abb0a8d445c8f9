"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def session_option(text: str) -> Callable[[Any], Any]:
    """`--from`, given to the command as `transcript`. Whether the file can be read is the use case's to say."""
    kind = click.Path(readable=False)  # shells complete files after it
    return click.option("--from", "transcript", metavar="FILE", type=kind, callback=_checked, help=text)


def _checked(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001
    if value == "":
        raise click.BadParameter("it is empty; name a session file or a session's id", param=param)
    if value == "-":
        raise click.BadParameter("a session cannot be read from a pipe; save it to a file and name that", param=param)
    return value
