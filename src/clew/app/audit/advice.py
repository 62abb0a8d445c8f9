"""What is advised, kept with the session that it was said of, and checked at the next one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from clew.app.project.newest import newest_first
from clew.app.project.opening import ProjectHandle
from clew.core.errors import ClewError
from clew.core.state.events import Data

AUDITED: Final = "session.audited"
# An advice came about where what it was about takes half of the share that it took, or less.
_CAME: Final = 0.5
_LOOKED_AT_MAX: Final = 50


class Remedy(NamedTuple):
    """What a measure is called, and what to do about it."""

    what: str
    do: str


ADVICE: Final[Mapping[str, Remedy]] = {
    "reread": Remedy(
        "files read again that stood in the context unchanged",
        "Say in the rules file that what was read once is not read again; give the payload (`clew resume`) at a start.",
    ),
    "retried": Remedy(
        "calls repeated after they failed, with nothing changed in between",
        "Say in the rules file how the command is run right, and that a failure is read before it is tried again.",
    ),
    "failed": Remedy(
        "calls that failed",
        "Put the commands that work into the rules file (`clew rules init` proposes them).",
    ),
    "scan": Remedy(
        "searches and listings before the first edit",
        "Name the files in the prompt or in a plan's phase, so that nothing has to be looked for.",
    ),
    "unused": Remedy(
        "large results of which nothing was used later",
        "Have a sub-agent look and answer in a few lines, or ask for less (a range of lines, `| tail -40`, `-q`).",
    ),
    "outside": Remedy(
        "files read in folders in which nothing was edited",
        "Narrow the scope: say in the prompt which folder the work is in, and what the others offer.",
    ),
    "output": Remedy(
        "the command whose output took most",
        "Let it print less: only failures, only names, or into a file of which the end is read.",
    ),
    "rules": Remedy("rules files", "Shorten them: `clew audit rules` says what is dead, double or in the wrong place."),
    "skills": Remedy("skills", "Remove skills that this project does not use; their list is sent with every response."),
    "tools": Remedy("schemas and lists of tools", "Switch off the servers and apps that this project does not use."),
    "hooks-others": Remedy("what other hooks gave", "Take hooks out that say at each session what nobody needs."),
    "hooks-clew": Remedy("what clew's own hooks gave", "`clew cost --self` tells how often."),
    "images": Remedy("images and documents", "Describe or crop pictures; each stays in the context to its end."),
    "agents": Remedy("sub-agents", "Give a sub-agent one question and a bound for its answer."),
}  # fmt: skip


class CheckedAdvice(NamedTuple):
    """An advice of an earlier audit: the share of the input that it was about, then and now, and whether it came about.
    `session` is the one that it was said of.
    """

    kind: str
    what: str
    session: str
    before: float
    now: float
    came: bool


def checked(project: ProjectHandle, session: str, began: str, shares: Mapping[str, float]) -> tuple[CheckedAdvice, ...]:
    """What became of the advice on the last session before this one, if it was given before this one `began`. `shares`
    are this one's.
    """
    with project.open(write=False) as at:
        for number, recorded in enumerate(newest_first(at.ledger, (AUDITED,))):
            data = recorded.event.data
            earlier, kinds = str(data.get("session", "")), data.get("advised")
            is_later = bool(began) and max(str(data.get("began", "")), recorded.event.recorded_at) >= began
            if earlier == session or is_later or not isinstance(kinds, list):
                if number >= _LOOKED_AT_MAX:
                    break
                continue
            then = _shares(data.get("shares"))
            told = [kind for kind in kinds if kind in ADVICE and kind in then and kind in shares]
            return tuple(
                CheckedAdvice(
                    kind, ADVICE[kind].what, earlier, then[kind], shares[kind], shares[kind] <= _CAME * then[kind]
                )
                for kind in told
            )
    return ()


def keep(
    project: ProjectHandle, client: str, session: str, began: str, shares: Mapping[str, float], advised: Sequence[str]
) -> str:
    """Note what was advised. A note for the person where that was not possible, "" else. Telemetry: it may be lost."""
    told = json.dumps({kind: round(share, 4) for kind, share in shares.items() if share}, separators=(",", ":"))
    data: Data = {"client": client, "session": session, "began": began, "shares": told, "advised": list(advised)}
    try:
        with project.open(write=True) as at:
            # The same audit again is no news.
            last = next((one.event.data for one in newest_first(at.ledger, (AUDITED,))), None)
            if last != data and at.ledger.writable:
                at.append([at.event(AUDITED, data, task="", visibility="private")])
    except ClewError as error:
        return f"The advice could not be kept, so it cannot be checked later: {error.message}."
    return ""


def _shares(told: object) -> dict[str, float]:
    try:
        found = json.loads(told) if isinstance(told, str) else {}
    except ValueError:
        return {}
    return {kind: value for kind, value in found.items() if isinstance(value, float)} if isinstance(found, dict) else {}
