"""One verdict over a drift: whether what a session knew still holds. Pure; how old the session is does not count."""

from typing import Literal, NamedTuple

from clew.core.records.files import Drift, TreeState
from clew.core.text.cleaning import clean, one_line, shorten

Kind = Literal["current", "partly stale", "no longer fits"]

# More than half of the cited files changed or gone: what was said about the rest was said in another context. Below
# three files a share means little, except when all are gone.
SHARE_MAX = 0.5
FILES_MIN = 3
# So many commits by others without one in a cited file still are another tree around the same files (about a busy
# week); a guess that errs to the careful side.
FOREIGN_COMMITS_MAX = 20

_BRANCH_CHARS = 40


class Verdict(NamedTuple):
    """`reason` is one clause in lower case, without full stop: "2 of 6 files changed since; 3 commits by others"."""

    kind: Kind
    reason: str


def elsewhere(branch: str, tree: TreeState) -> str:
    """A clause that says that the tree is not on the session's `branch` ("" unknown); "" if it is, or nobody knows.

    Outside git a tree has no branch. Clients write "HEAD" for a detached one, git says "".
    """
    session = "" if branch == "HEAD" else branch
    if not branch or not tree.is_git or not tree.head or session == tree.branch:
        return ""
    return f"session on {_branch(session)}, this tree is on {_branch(tree.branch)}"


def _branch(name: str) -> str:
    return f"branch {shorten(one_line(clean(name)), _BRANCH_CHARS)}" if name else "no branch"


def verdict(drift: Drift, *, branch: str = "", missing: str = "") -> Verdict:
    """Judge by the share of cited files that changed, moved or are gone, and by others' commits since.

    Files that could not be compared count neither way, and are named. A file with the content that was seen is
    unchanged whatever commits it went through, so a session's own commits do not count against it. `branch` is the
    session's ("" unknown): another one here does not change the kind, but explains it and is named first. `missing` is
    the commit that work stood at and that this clone has not ("" it has).
    """
    known = [file for file in drift.files if file.status != "unknown"]
    changed = sum(file.status == "changed" for file in known)
    gone = sum(file.status == "gone" for file in known)
    moved = sum(file.status == "moved" for file in known)
    rewritten = changed + gone + sum(file.status == "moved" and file.added + file.removed > 0 for file in known)
    foreign = sum(not commit.mine for commit in drift.commits_since)

    kind: Kind = "current"
    if (len(known) >= FILES_MIN and rewritten > SHARE_MAX * len(known)) or (len(known) > 1 and gone == len(known)):
        kind = "no longer fits"
    elif changed or gone or moved or foreign >= FOREIGN_COMMITS_MAX or (foreign and not known) or missing:
        kind = "partly stale"
    reason = _reason(drift, changed=changed, gone=gone, moved=moved, known=len(known), foreign=foreign)
    away = f"commit {missing[:8]} is not in this clone (`git fetch`)" if missing else ""
    return Verdict(kind, "; ".join(filter(None, (elsewhere(branch, drift.tree), away, reason))))


def _reason(drift: Drift, *, changed: int, gone: int, moved: int, known: int, foreign: int) -> str:
    """The figures that the verdict rests on."""
    parts = [f"{number} {word}" for number, word in ((changed, "changed"), (gone, "gone"), (moved, "moved")) if number]
    clauses = []
    if parts:
        first, *others = parts
        number, _, word = first.partition(" ")
        clauses.append(", ".join([f"{number} of {_count(known, 'file')} {word} since", *others]))
    elif known:
        clauses.append(f"none of {known} files changed since" if known > 1 else "the one file cited is unchanged")
    elif not drift.files:
        clauses.append("no files cited")
    if unknown := len(drift.files) - known:
        clauses.append(f"{_count(unknown, 'file')} could not be compared")
    if foreign:
        clauses.append(f"{_count(foreign, 'commit')} by others")
    return "; ".join(clauses)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
