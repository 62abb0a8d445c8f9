"""A phase's work as one commit: what changed since it began, and nothing else, with trailers that name it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from clew.app.validate.tree import Ground
from clew.core.errors import InputError, Unavailable
from clew.core.text.cleaning import one_line, shorten
from clew.workspace.git import fields_of
from clew.workspace.git_act import Acted, GitAct

TASK: Final = "Clew-Task"
PHASE: Final = "Clew-Phase"
_SUBJECT_CHARS: Final = 72
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
        raise Unavailable("this folder is in no git repository", code="E-no-repository", hint="Leave out --commit.")
    act = _Act(here.root, environment)
    act.check_top()
    paths = _known(act, here.root, paths)
    if not paths:
        return ""
    added = act.run("add", "--all", "--", *paths)
    if added.code:
        raise _refused(added.said)
    differs = act.run("status", "--porcelain", "--untracked-files=no", "--", *paths)
    if not differs.code and not differs.out.strip():
        return ""
    done = act.run("commit", "--quiet", "-m", text, "--only", "--", *paths)
    if done.code:
        raise _refused(done.said)
    return _told(act.run("rev-parse", "HEAD"))


def committed(here: Ground, phase: str, since: str, environment: Mapping[str, str]) -> str:
    """The commit since the commit `since` whose trailer names the phase: it was made before whoever made it was killed.
    "" for none.
    """
    if here.git is None or not since:
        return ""
    trailer = f"--grep=^{PHASE}: {phase}$"
    return _told(_Act(here.root, environment).run("log", "-1", "--format=%H", trailer, f"{since}..HEAD"))


def _told(done: Acted) -> str:
    return "" if done.code else done.out.decode("ascii", "replace").strip()


def _known(act: GitAct, root: Path, paths: Sequence[str]) -> list[str]:
    """Those of `paths` that git can add or take out: a file that is gone and was never added is nothing to it."""
    gone = [path for path in paths if not os.path.lexists(root / path)]
    if not gone:
        return list(paths)
    done = act.run("ls-files", "-z", "--", *gone)
    tracked = frozenset(fields_of(done.out)) if not done.code else frozenset[str]()
    return [path for path in paths if path not in gone or path in tracked]


class _Act(GitAct):
    """Git with paths taken as they stand, which waits for another git that is at it, such as one whose run was killed:
    it comes to its end.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        super().__init__(folder, environment, GIT_LITERAL_PATHSPECS="1")

    def run(self, *arguments: str) -> Acted:
        limit = time.monotonic() + _LOCKED_S
        while True:
            done = super().run(*arguments)
            if not (done.code and b".lock'" in done.err and time.monotonic() < limit):
                return done
            time.sleep(_LOCKED_PAUSE_S)


def _refused(why: str) -> InputError:
    return InputError(
        f"git did not commit: {why}",
        code="E-phase-commit",
        hint="The phase is still under way; fix what git says, and run `clew phase done` again.",
    )
