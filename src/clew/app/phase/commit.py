"""A phase's work as one commit: what changed since it began, and nothing else, with trailers that name it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.app.validate.tree import Ground
from clew.core.errors import InputError, Unavailable
from clew.core.text.cleaning import clean, one_line, shorten
from clew.workspace.git_act import environment_of
from clew.workspace.process import LimitExceeded, run

TASK: Final = "Clew-Task"
PHASE: Final = "Clew-Phase"
_SUBJECT_CHARS: Final = 72
_TIMEOUT_S: Final = 300.0
_SAID_CHARS: Final = 300
_LOCKED_S: Final = 10.0
_LOCKED_PAUSE_S: Final = 0.1


def message(outcome: str, *, task: str, phase: str, number: int, title: str) -> str:
    """The commit's message: the outcome as its subject, which phase it is, the trailers."""
    subject = shorten(one_line(outcome), _SUBJECT_CHARS)
    body = [one_line(outcome), ""] if subject != one_line(outcome) else []
    return "\n".join(
        [subject, "", *body, f"Phase {number}: {one_line(title)}", "", f"{TASK}: {task}", f"{PHASE}: {phase}", ""]
    )


def commit(here: Ground, paths: Sequence[str], text: str, environment: Mapping[str, str]) -> str:
    """Commit exactly `paths`, as they are in the work tree; the id of the commit, "" where there is nothing to commit.

    The user's own hooks run, as they do for a commit that is typed: to leave them out would be to pass by a check.
    Raises `InputError` where git refuses.
    """
    if here.git is None:
        raise Unavailable("this folder is in no git repository", code="E-no-repository", hint="Leave --commit out.")
    program = here.git.program
    paths = _known(program, here.root, environment, paths)
    if not paths:
        return ""
    added = _git(program, here.root, environment, "add", "--all", "--", *paths)
    if added[0]:
        raise _refused(added[1])
    differs = _git(program, here.root, environment, "status", "--porcelain", "--untracked-files=no", "--", *paths)
    if not differs[0] and not differs[1].strip():
        return ""
    done = _git(program, here.root, environment, "commit", "--quiet", "-m", text, "--only", "--", *paths)
    if done[0]:
        raise _refused(done[1])
    code, out = _git(program, here.root, environment, "rev-parse", "HEAD")
    return "" if code else out.strip()


def committed(here: Ground, phase: str, since: str, environment: Mapping[str, str]) -> str:
    """The commit since the commit `since` whose trailer names the phase: it was made before whoever made it was killed.
    "" for none.
    """
    if here.git is None or not since:
        return ""
    trailer = f"--grep=^{PHASE}: {phase}$"
    code, out = _git(here.git.program, here.root, environment, "log", "-1", "--format=%H", trailer, f"{since}..HEAD")
    return "" if code else out.strip()


def _known(program: str, root: Path, environment: Mapping[str, str], paths: Sequence[str]) -> list[str]:
    """Those of `paths` that git can add or take out: a file that is gone and was never added is nothing to it."""
    gone = [path for path in paths if not os.path.lexists(root / path)]
    if not gone:
        return list(paths)
    code, out = _git(program, root, environment, "ls-files", "-z", "--", *gone)
    tracked = frozenset(out.split("\0")) if not code else frozenset[str]()
    return [path for path in paths if path not in gone or path in tracked]


def _git(program: str, root: Path, environment: Mapping[str, str], *arguments: str) -> tuple[int, str]:
    told = {**environment_of(environment), "GIT_LITERAL_PATHSPECS": "1"}
    limit = time.monotonic() + _LOCKED_S
    while True:
        try:
            ended = run((program, "-C", str(root), *arguments), environment=told, timeout_s=_TIMEOUT_S)
        except LimitExceeded as error:
            return 1, str(error)
        except OSError as error:
            raise Unavailable(f"git cannot be started: {error}", code="E-no-git") from error
        # Another git is at it, such as one whose run was killed: it comes to its end.
        if not (ended.code and b".lock'" in ended.err and time.monotonic() < limit):
            return ended.code, (ended.out + (ended.err if ended.code else b"")).decode("utf-8", "replace")
        time.sleep(_LOCKED_PAUSE_S)


def _refused(said: str) -> InputError:
    why = shorten(one_line(clean(said)), _SAID_CHARS) or "it said nothing"
    return InputError(
        f"git did not commit: {why}",
        code="E-phase-commit",
        hint="The phase is still under way; mend what git says, and run `clew phase done` again.",
    )
