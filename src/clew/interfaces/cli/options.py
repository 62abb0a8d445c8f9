"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import click

_JSON: Final = "clew.json"
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class TokenOption(click.ParamType):  # type: ignore[type-arg]
    """A number of tokens, from `least` to `most`: 80000, 80k, 1.5m."""

    name = "tokens"

    def __init__(self, least: int, most: int) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Raises `BadParameter`."""
        told = str(value).strip().lower().replace(",", "").replace("_", "")
        found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)\s*([km]?)", told)
        if not found:
            self.fail(f"{value!r} is not a number of tokens, such as 80k", param, ctx)
        number = round(float(found[1]) * {"": 1, "k": 1_000, "m": 1_000_000}[found[2]])
        if not self._least <= number <= self._most:
            self.fail(f"{value!r} is not between {self._least:,} and {self._most:,} tokens", param, ctx)
        return number


def session_option(text: str) -> Decorator:
    """`--from`, given to the command as `transcript`. Whether the file can be read is the use case's to say."""
    return click.option("--from", "transcript", metavar="FILE", type=click.Path(), callback=check_session, help=text)


def check_session(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """The session that was named. Raises `BadParameter` for what can name none."""
    if value == "":
        raise click.BadParameter("it is empty; name a session file or a session's id", ctx, param)
    if value == "-":
        raise click.BadParameter("a session cannot be read from a pipe; save it to a file and name that", ctx, param)
    return value


def json_option(text: str = "As JSON (docs/reference/json.md).") -> Decorator:
    """`--json`, not given to the command: `wants_json` tells it, and `present` goes by that."""
    return click.option("--json", "as_json", is_flag=True, expose_value=False, callback=_note_json, help=text)


def _note_json(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    ctx.meta[_JSON] = value or ctx.meta.get(_JSON, False)


def wants_json() -> bool:
    """Whether the command that runs was given `--json`."""
    return bool(click.get_current_context().meta.get(_JSON, False))


def recording_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--dry-run`, given to the command as `dry_run`, and `--json`."""
    dry_run = click.option("--dry-run", is_flag=True, help="Show what would be recorded; record nothing.")
    return dry_run(json_option()(command))


def allow_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--allow` and `--why`, given to the command as `allow` (digits of findings) and `why`: what leaves is scanned."""
    allow = click.option(
        "--allow", metavar="DIGITS", multiple=True, help="Let this finding pass (a person; repeatable; with --why)."
    )
    why = click.option("--why", metavar="TEXT", default="", help="Why --allow may let it pass; this is recorded.")
    return allow(why(command))
