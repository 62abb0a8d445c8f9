"""Claims about commits: that one is there, what it holds, files that are committed or not. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import anchors_of, content_stems, normal, share
from clew.app.proof.facts import ClaimPart, DiskFacts, Needle, RecordFacts
from clew.app.proof.files import never_written, same_file, stands
from clew.core.state.draft import Claim
from clew.distill.commits import CommitDone

# What stands right behind a hash, and may be its message: words in brackets (the first group), else a quotation.
_MESSAGE: Final = r"(?:`? ?\(([^()“\"`]{6,90})\)|[`)\]:,\s–—-]{0,6}[(\[]?(?:“([^“”]+)”|\"([^\"]+)\"|`([^`]+)`))"
_ALIKE: Final = 0.5
_NOT_COMMITTED: Final = re.compile(r"\bun-?committed\b|\bn(?:ot|othing)(?: \w+){0,2} committed\b", re.IGNORECASE)
_NOTHING: Final = re.compile(r"\bnothing (?:is |was |has been )?committed\b|\bno commits?\b", re.IGNORECASE)
_ALL_COMMITTED: Final = re.compile(
    r"\b(?:everything|all (?:changes|work|edits|of it|files)) (?:is |are |was |were )?(?:now )?committed\b"
    r"|\b(?:nothing|no\w*) uncommitted|\bclean\b|uncommitted:? (?:none|nothing|no\b)",
    re.IGNORECASE,
)
_IN_COMMIT: Final = re.compile(r"(?<!not )\bin (?:commit )?`?([0-9a-f]{7,40})\b")
_ALL_WORDS: Final = "everything all nothing no none uncommitted clean tree working worktree"


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[ClaimPart]:
    """What the claim says of commits, against what git said in the session and says now."""
    hashes = [anchor.text for anchor in anchors_of(claim) if anchor.kind == "hash"]
    yield from (_named(short, claim, text, record, disk) for short in hashes)
    yield from _held(claim, text, record, disk) if not _NOT_COMMITTED.search(text) else ()
    if claim.kind == "step" and claim.status in ("committed", "uncommitted", "pushed"):
        yield from _status(claim, text, record, disk, has_hash=bool(hashes))


def is_subject(text: str, disk: DiskFacts) -> bool:
    """Whether words stand in the message of a commit that git knows."""
    wanted = normal(text)
    return any(wanted in normal(subject) for subject in disk.commits.values())


def is_same(one: str, other: str) -> bool:
    """Whether two ids, one of them shortened, are of one commit."""
    return one.startswith(other) or other.startswith(one)


def _made_as(short: str, record: RecordFacts) -> CommitDone | None:
    """The commit of the session with this id, if it made one."""
    return next((one for one in record.commits if one.id and is_same(one.id, short)), None)


def _named(short: str, claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> ClaimPart:
    known = {**disk.commits, **{commit.id: commit.subject for commit in record.commits if commit.id}}
    subject = next((subject for id, subject in known.items() if is_same(id, short)), None)
    if subject is None:
        whose = record.whose(Needle(short[:7]))
        if whose - {"agent", "call"}:
            return ClaimPart("anchored", f"{short} occurs in the record")
        if whose and any(one.text == short for one in claim.evidence):
            return ClaimPart("unsupported", f"no tool reported {short}")
        if whose:
            return ClaimPart("anchored", f"{short} is only the agent's word: no tool reported it", doubtful=True)
        return record.absent(f"no commit {short} in the record{' or in git' if disk.known else ''}")
    if _is_anothers(short, subject, text, record):
        return ClaimPart("contradicted", f"commit {short} says “{subject}”")
    if claim.kind == "step" and claim.status == "uncommitted" and not claim.files:
        return ClaimPart("contradicted", f"commit {short} “{subject}” stands")
    branches = " ".join(branch for id, branch in record.branches.items() if is_same(id, short))
    return ClaimPart("proved", f"commit {short} “{subject}”", covers=f"{short} {subject} {branches}")


def _is_anothers(short: str, subject: str, text: str, record: RecordFacts) -> bool:
    """Whether a quotation right behind a hash is not its message, or words in brackets there are none of what the
    commit and its making told.
    """
    found = re.search(re.escape(short) + _MESSAGE, text)
    words = next((group for group in found.groups() if group), "") if found else ""
    stems, said, message = content_stems(words), normal(words).strip(" ."), normal(subject).strip(" .")
    if found is None or said.removesuffix("...").strip() in message or message in said:
        return False
    if found[1] is None:
        return share(stems, message) < _ALIKE and not re.fullmatch(r"[\w./-]+", said)
    made = _made_as(short, record)
    ran = [f"{one.command} {one.text}" for one in record.ran if made is not None and one.event == made.event]
    known = normal(" ".join((subject, *(made.files if made else ()), *ran)))
    return len(stems) > 1 and bool(ran) and share(stems, known) == 0


def _held(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[ClaimPart]:
    """Whether one of the commits that a claim gives as its evidence changed each of the files that it gives; or the
    commit that something is told to be in those that are told.
    """
    ids, paths = ([one.text for one in claim.evidence if one.kind == kind] for kind in ("commit", "file"))
    if not claim.evidence:
        ids, paths = _IN_COMMIT.findall(text), list(claim.files)
    for path in paths if ids else ():
        held = [_holds(short, path, record, disk) for short in ids]
        if True in held:
            yield ClaimPart("proved", f"{path} is in {ids[held.index(True)]}", covers=path)
        elif None not in held:
            yield ClaimPart("contradicted", f"{path} is not in commit {', '.join(ids)}")


def _holds(short: str, path: str, record: RecordFacts, disk: DiskFacts) -> bool | None:
    """Whether the commit changed a file; None if nobody knows all that it changed."""
    made = _made_as(short, record)
    touched = any(is_same(id, short) for id in disk.touched.get(path, ()))
    if touched or (made is not None and same_file(path, made.files)):
        return True
    subject = next((subject for id, subject in disk.commits.items() if is_same(id, short)), None)
    if subject is not None and path in disk.exists:
        return None if subject.startswith("Merge") else False
    if made is None:
        return None
    printed = next((one.text for one in record.ran if one.event == made.event), "")
    counted = re.search(r"(\d+) files? changed", printed.partition(short)[2])
    if counted and int(counted[1]) == len(made.files):
        return False
    # What was not written since the commit before that holds it is in no later one.
    earlier = [one.event for one in record.commits if one.event < made.event and same_file(path, one.files)]
    known = same_file(path, record.files)
    was_edited = any(max(earlier, default=-1) < event < made.event for one, event in record.edits if one == known)
    return False if not was_edited and (known or never_written(path, record, disk)) else None


def _status(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts, *, has_hash: bool) -> Iterator[ClaimPart]:
    """Files that are said to be committed or not; without files, that something was committed, or nothing is left.
    Beside a commit some of the files may be its.
    """
    is_open = claim.status == "uncommitted"
    for path in claim.files:
        how = stands(path, record, disk)
        if how == "open" and is_open:
            yield ClaimPart("proved", f"{path} is uncommitted", covers=f"{path} uncommitted not yet dirty unstaged")
        elif how == "committed" and not has_hash:
            yield ClaimPart("contradicted" if is_open else "proved", f"{path} is committed", covers=path)
        elif how == "open" and not has_hash:
            yield ClaimPart("contradicted", f"{path} was edited after the last commit of it")
    edited = sorted(path for path, status in record.files.items() if status == "edited")
    left = sorted(path for path in disk.dirty if not path.endswith("/")) if disk.known else edited
    if record.commits and _NOTHING.search(text):
        yield ClaimPart("contradicted", f"commit “{record.commits[-1].subject}” was made")
    elif not is_open and _ALL_COMMITTED.search(text):
        said = ClaimPart("proved" if disk.known else "anchored", "no edit is left uncommitted", covers=_ALL_WORDS)
        yield ClaimPart("contradicted", f"{left[0]} differs from the last commit") if left else said
    elif claim.files or has_hash or not record.known:
        return
    elif is_open and not disk.known and edited:
        yield ClaimPart("proved", "edits are in no commit", covers="uncommitted not yet")
    elif is_open and not disk.known and record.commits and record.files:
        yield ClaimPart("contradicted", "all edits of the record are committed")
    elif claim.status == "committed" and not record.commits and not disk.commits:
        yield record.absent("no commit in the record")
