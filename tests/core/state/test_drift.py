"""The verdict at the head of a payload: one of three kinds, and the figures it rests on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.records.files import Drift, FileCommit, FileDrift, FileStatus, TreeState
from clew.core.state.drift import elsewhere, verdict

TREE = TreeState("/p", "main", "0" * 40, "subject", (), True)


def drift(statuses: str, *, others: int = 0, mine: int = 0, lines: int = 0) -> Drift:
    """A drift in short: a letter a file (u unchanged, c changed, g gone, m moved, ? unknown)."""
    names: dict[str, FileStatus] = {"u": "unchanged", "c": "changed", "g": "gone", "m": "moved", "?": "unknown"}
    files = tuple(FileDrift(f"f{n}", names[letter], lines, 0, "", ()) for n, letter in enumerate(statuses))
    commits = tuple(FileCommit(str(n), "s", "a", "", n < mine) for n in range(mine + others))
    return Drift(TREE, files, commits)


@pytest.mark.parametrize(
    ("statuses", "others", "kind", "reason"),
    [
        ("uuu", 0, "current", "none of 3 files changed since"),
        ("u", 3, "current", "the one file cited is unchanged; 3 commits by others"),
        ("uuu", 20, "partly stale", "none of 3 files changed since; 20 commits by others"),
        ("", 0, "current", "no files cited"),
        ("", 1, "partly stale", "no files cited; 1 commit by others"),
        ("ccuuuu", 3, "partly stale", "2 of 6 files changed since; 3 commits by others"),
        ("ccuu", 0, "partly stale", "2 of 4 files changed since"),
        ("cccuu", 0, "no longer fits", "3 of 5 files changed since"),
        ("cgmuuu", 0, "partly stale", "1 of 6 files changed since, 1 gone, 1 moved"),
        ("mmm", 0, "partly stale", "3 of 3 files moved since"),
        ("c", 0, "partly stale", "1 of 1 file changed since"),
        ("g", 0, "partly stale", "1 of 1 file gone since"),
        ("gg", 0, "no longer fits", "2 of 2 files gone since"),
        ("cc", 0, "partly stale", "2 of 2 files changed since"),
        ("u?", 0, "current", "the one file cited is unchanged; 1 file could not be compared"),
        ("??", 2, "partly stale", "2 files could not be compared; 2 commits by others"),
    ],
)
def test_verdicts(statuses: str, others: int, kind: str, reason: str):
    """Each row is a promise of docs/reference/drift.md."""
    assert verdict(drift(statuses, others=others)) == (kind, reason)


def test_own_commits_are_not_commits_by_others():
    """A session that commits its work must not call its own payload stale."""
    assert verdict(drift("uuu", mine=40)) == ("current", "none of 3 files changed since")


def test_files_that_moved_and_were_edited_count_as_changed():
    """A file that was moved and rewritten fits no better than one rewritten in place."""
    assert verdict(drift("mmmu", lines=5)).kind == "no longer fits"


@pytest.mark.parametrize(
    ("branch", "tree", "clause"),
    [
        ("main", "main", ""),
        ("", "main", ""),
        ("HEAD", "", ""),
        ("topic", "main", "session on branch topic, this tree is on branch main"),
        ("topic", "", "session on branch topic, this tree is on no branch"),
        ("HEAD", "main", "session on no branch, this tree is on branch main"),
    ],
)
def test_another_branch_is_named_before_the_figures(branch: str, tree: str, clause: str):
    """Changed files without a word of the branch send people looking for who did it: `git checkout -` would do."""
    found = drift("cccuu")._replace(tree=TREE._replace(branch=tree))
    judged = verdict(found, branch=branch)
    assert elsewhere(branch, found.tree) == clause
    assert judged.kind == "no longer fits"
    assert judged.reason == "; ".join(filter(None, (clause, "3 of 5 files changed since")))


def test_outside_git_there_is_no_branch_to_be_on():
    """A plain folder is not "on no branch"."""
    assert elsewhere("main", TreeState("/p", "", "", "", (), False)) == ""


SEVERITY = ["current", "partly stale", "no longer fits"]


@given(st.text("ucgm?", max_size=12), st.integers(0, 30))
def test_more_change_is_never_a_better_verdict(statuses: str, others: int):
    """Each further changed file, and each further commit by others, leaves the verdict or makes it worse."""
    now = SEVERITY.index(verdict(drift(statuses, others=others)).kind)
    assert SEVERITY.index(verdict(drift(statuses, others=others + 1)).kind) >= now
    for place, letter in enumerate(statuses):
        if letter == "u":
            worse = statuses[:place] + "c" + statuses[place + 1 :]
            assert SEVERITY.index(verdict(drift(worse, others=others)).kind) >= now


@given(st.text("ucgm?", max_size=12), st.integers(0, 30))
def test_a_reason_is_one_line_and_never_empty(statuses: str, others: int):
    """It stands in a payload's first lines."""
    reason = verdict(drift(statuses, others=others)).reason
    assert reason and "\n" not in reason and not reason.endswith(".")
