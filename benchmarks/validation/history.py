"""False alarms on real commits: `python -m benchmarks.validation.history REPOSITORY [--last N] [--show]`.

Every commit (no merge) of the repository's history is looked at as `clew phase done` would look at it. Bar: in 5 % of
them at most something is found. Each is counted as a false alarm unless a person judged it to be true: what `--show`
prints is for that, and `--true FILE` names a file of commit ids that weakened something in truth.
"""

from __future__ import annotations

import argparse
import subprocess
from collections import Counter
from pathlib import Path

from clew.core.validation.changes import FileChange
from clew.core.validation.weakened import weakened

BAR = 0.05


def git(repository: str, *arguments: str) -> bytes:
    """What git answers."""
    return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=True).stdout


def changes_of(repository: str, commit: str) -> list[FileChange]:
    """The files of a commit, before and after."""
    fields = iter(git(repository, "diff-tree", "-r", "-z", "-M", "--root", "--no-commit-id", commit).split(b"\0"))
    found = []
    for field in fields:
        words = field.decode().split()
        if len(words) < 5:
            continue
        name = was = next(fields).decode("utf-8", "replace")
        if words[4][:1] in "RC":
            name = next(fields).decode("utf-8", "replace")
        before, after = (
            None if not blob.strip("0") or mode.startswith("160") else blob
            for blob, mode in zip(words[2:4], (words[0].lstrip(":"), words[1]), strict=True)
        )
        texts = [None if blob is None else git(repository, "cat-file", "blob", blob) for blob in (before, after)]
        if any(text is not None and b"\0" in text[:8000] for text in texts):
            continue
        one, other = (None if text is None else text.decode("utf-8", "replace") for text in texts)
        found.append(FileChange(name, one, other, was if was != name else ""))
    return found


def main() -> int:
    """Score a history; 1 above the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository")
    parser.add_argument("--last", type=int, default=400)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--true", dest="known", default="")
    given = parser.parse_args()
    known = set(Path(given.known).read_text("utf-8").split()) if given.known else set()
    commits = git(given.repository, "rev-list", "--no-merges", f"-n{given.last}", "HEAD").decode().split()
    alarms, told, rules = 0, 0, Counter[str]()
    for commit in commits:
        found = weakened(changes_of(given.repository, commit))
        told += bool(found.untold)
        if not found.findings:
            continue
        rules.update({one.rule for one in found.findings})
        alarms += commit[:10] not in known
        if given.show:
            print(commit[:10], *(f"\n    {one.rule}: {one.path}:{one.line} {one.what}" for one in found.findings[:6]))
    share = alarms / len(commits)
    print(
        f"false alarms: {alarms} of {len(commits)} commits ({share:.1%}); bar {BAR:.0%}; something not judged in {told}"
    )
    print("by rule:", ", ".join(f"{rule} {number}" for rule, number in rules.most_common()) or "none")
    return share > BAR


if __name__ == "__main__":
    raise SystemExit(main())
