"""What goes wrong on the way to GitHub, as errors of clew: which of it passes by itself, and what to do next."""

from __future__ import annotations

from typing import Final

import msgspec

from clew.core.errors import ClewError, InputError, NotAllowed, NotFound, Unavailable
from clew.core.text.cleaning import clean, one_line, shorten
from clew.remotes.github.wire import Problem

_SAID_CHARS: Final = 200
_LATER: Final = "Nothing is lost: run it again later."


def unreachable(host: str, why: str) -> Unavailable:
    """The server gave no answer, or none that helps."""
    return Unavailable(f"{host} cannot be reached: {why}", code="E-issue-unreachable", hint=_LATER)


def limited(host: str, seconds: int) -> Unavailable:
    """Too many requests; it is said for how long none is taken."""
    minutes = max(1, -(-seconds // 60))
    return Unavailable(
        f"{host} takes no more requests for {minutes} minute{'s' * (minutes > 1)}", code="E-issue-limit", hint=_LATER
    )


def refused(host: str, status: int, content: bytes, what: str) -> ClewError:
    """A status of 400 and above that is no limit. `what` is the thing that was asked for."""
    said = _said(content)
    told = f": {said}" if said else ""
    if status == 401:
        hint = f"Log in anew: `gh auth login --hostname {host}`, or set another token."
        return Unavailable(f"{host} does not take the login{told}", code="E-issue-access", hint=hint)
    if status == 403:
        hint = "The login needs the right to write issues there; an issue may also be locked."
        return NotAllowed(f"{host} does not allow it for {what}{told}", code="E-issue-forbidden", hint=hint)
    if status in (404, 410):
        gone = "was deleted" if status == 410 else "is not there, or the login may not see it"
        hint = "See that number and repository are right, and that the repository has issues."
        return NotFound(f"{what} {gone}", code="E-issue-missing", hint=hint)
    if status >= 500:
        return unreachable(host, f"it answers {status}{told}")
    hint = "If it goes on, `clew issue push --dry-run` shows what would be sent."
    return InputError(f"{host} refuses {what} ({status}){told}", code="E-issue-refused", hint=hint)


def _said(content: bytes) -> str:
    try:
        problem = msgspec.json.decode(content, type=Problem)
    except (ValueError, RecursionError):
        return ""
    details = b" ".join(bytes(one) for one in problem.errors).decode("utf-8", "replace")
    return shorten(one_line(clean(" ".join(filter(None, (problem.message, details))))), _SAID_CHARS)
