"""The output of a command, which a person trusted to the letter (docs/reference/trust.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.core.text.cleaning import clean, one_line, shorten_code
from clew.sources.port import Fetched, SourceContext, SourceError, SourceKind, Spec, decode_text, one_text
from clew.workspace.streaming import run_command

_TIMEOUT_S_MAX: Final = 3600
_SHOWN_CHARS: Final = 120


class ShellSource(Spec, frozen=True):
    """`run` is a line for the shell, run at the project's top for at most `timeout_s` seconds. With a code that is none
    of `codes` it failed.
    """

    run: str
    timeout_s: int = 60
    codes: tuple[int, ...] = (0,)


def fetch(spec: ShellSource, context: SourceContext, table: Mapping[str, Any]) -> Fetched:
    """What it wrote to stdout and stderr. Raises `SourceError`: nobody trusts it, it failed, or took too long."""
    shown = shorten_code(one_line(clean(spec.run)), _SHOWN_CHARS)
    if not context.trusted(table):
        raise SourceError(
            f"nobody trusts the command {shown}",
            code="E-source-untrusted",
            hint="Look at it and trust it: `clew trust`. Any change of its table asks again.",
        )
    if not 0 < spec.timeout_s <= _TIMEOUT_S_MAX:
        raise SourceError(
            f"the command {shown} cannot run for {spec.timeout_s} s",
            code="E-source-failed",
            hint=f"timeout_s is 1 to {_TIMEOUT_S_MAX}.",
        )
    try:
        ended = run_command(
            spec.run,
            folder=context.root,
            environment=context.environment,
            timeout_s=float(spec.timeout_s),
            stopped=context.stopped,
        )
    except OSError as error:
        raise SourceError(
            f"the command {shown} cannot be started: {error.strerror}",
            code="E-source-failed",
            hint="Try it in a shell.",
        ) from error
    if ended.timed_out or ended.code not in spec.codes:
        why = f"was ended after {spec.timeout_s} s" if ended.timed_out else f"ended with {ended.code}"
        raise SourceError(
            f"the command {shown} {why}",
            code="E-source-failed",
            hint="Try it in a shell; `codes` says which exit codes are no failure, `timeout_s` how long it may take.",
        )
    return one_text(decode_text(ended.output), f"output of `{shown}`, which ended with {ended.code}")


SOURCE: Final = SourceKind("command", "the output of a command that you trust", ShellSource, "run", fetch)
