"""What commits add, each for itself: all that whoever gets them can read in them."""

from collections.abc import Iterator
from typing import Final

from clew.core.errors import Unavailable
from clew.workspace.git import Git

_PIECE_COMMITS: Final = 64
# A push sends what was replaced (`git replace`), not what stands in for it.
_REAL: Final = "--no-replace-objects"
_FORM: Final = (
    "--format=commit %H%n%w(0,4,4)%an%n%B", "--patch", "--text", "--unified=0", "--inter-hunk-context=0", "-m",
    "--root", "--submodule=short", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=myers",
    "--no-color", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--encoding=UTF-8",
)  # fmt: skip


def additions(git: Git, *revisions: str) -> Iterator[tuple[str, str]]:
    """Of every commit that `git rev-list REVISIONS` names its id, and its message with all that it adds to any file,
    whatever attributes say of that file; of a merge once for each parent. Read in pieces. Raises `Unavailable`.
    """
    commits = git.ask(_REAL, "rev-list", *revisions, "--").decode("ascii").split()
    waiting = [commits[at : at + _PIECE_COMMITS] for at in range(0, len(commits), _PIECE_COMMITS)][::-1]
    while waiting:
        piece = waiting.pop()
        try:
            out = git.ask(_REAL, "log", "--no-walk=unsorted", *_FORM, *piece, "--")
        except Unavailable as error:
            if error.code != "E-git-slow" or len(piece) == 1:
                raise
            half = len(piece) // 2
            waiting += [piece[half:], piece[:half]]
            continue
        yield from _parsed(out.decode("utf-8", "replace"))


def _parsed(out: str) -> Iterator[tuple[str, str]]:
    """Commits with their texts, without what they take away and what stands around it."""
    commit, lines = "", list[str]()
    for line in out.split("\n"):
        # Lines of messages are indented, and those of files have a sign: no other line begins so.
        if line.startswith("commit "):
            if commit:
                yield commit, "\n".join(lines)
            commit, lines = line[7:], []
        elif line.startswith(("-", "@@ ")):
            lines.append("")
        else:
            lines.append(line.removeprefix("+"))
    if commit:
        yield commit, "\n".join(lines)
