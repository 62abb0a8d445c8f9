"""Claims about what became of the work: commits, what they hold, files that are edited or open, pushes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from clew.app.proof.anchors import anchors_of, content_stems, normal, share
from clew.app.proof.facts import ClaimPart, DiskFacts, Needle, RecordFacts
from clew.core.state.draft import Claim
from clew.documents.draft import NOT_PUSHED

# What stands right behind a hash in quotation marks or code, and is its message.
_MESSAGE: Final = r"[`)\]:,\s–—-]{0,6}[(\[]?(?:“([^“”]+)”|\"([^\"]+)\"|`([^`]+)`)"
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
# Not of a wish, a rule or a condition.
_PUSHED: Final = re.compile(r"(?<!\bbe )(?<!\bonce )(?<!\bwhen )(?<!\buntil )(?<!\bif )\bpushed\b", re.IGNORECASE)
PUSHED: Final = Needle("pushed")
# What package managers write by themselves.
_LOCKS: Final = (".lock", ".sum", "-lock.json", "-lock.yaml", ".lockb", "modules.txt")


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[ClaimPart]:
    """What the claim says of the work, against what git said in the session and says now."""
    hashes = [anchor.text for anchor in anchors_of(claim) if anchor.kind == "hash"]
    yield from (_named(short, claim, text, record, disk) for short in hashes)
    yield from _held(claim, text, record, disk) if not _NOT_COMMITTED.search(text) else ()
    if claim.kind == "step":
        yield from _given(claim, record, disk)
        if claim.status in ("committed", "uncommitted", "pushed"):
            yield from _status(claim, text, record, disk, has_hash=bool(hashes))
    if record.known and (claim.kind == "step" or hashes):
        yield from _pushed(text, hashes, record)


def is_subject(text: str, disk: DiskFacts) -> bool:
    """Whether words stand in the message of a commit that git knows."""
    wanted = normal(text)
    return any(wanted in normal(subject) for subject in disk.commits.values())


def same_file(path: str, known: Iterable[str]) -> str:
    """The one of the known paths that a claim's path names, "" if none: the same, or the end of it."""
    path = path.rstrip("/").removeprefix("./").casefold()
    each = {one: one.casefold() for one in known}
    ends = [one for one, name in each.items() if name.endswith(f"/{path}") or path.endswith(f"/{name}")]
    return next((one for one, name in each.items() if name == path), ends[0] if ends else "")


def name_of(path: str) -> str:
    """A file's own name, as it is compared."""
    return path.rstrip("/").rpartition("/")[2].casefold()


def _is_same(one: str, other: str) -> bool:
    """Whether two ids, one of them shortened, are of one commit."""
    return one.startswith(other) or other.startswith(one)


def _named(short: str, claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> ClaimPart:
    known = {**disk.commits, **{commit.id: commit.subject for commit in record.commits if commit.id}}
    subject = next((subject for id, subject in known.items() if _is_same(id, short)), None)
    if subject is None:
        whose = record.whose(Needle(short[:7]))
        if whose - {"agent", "call"}:
            return ClaimPart("anchored", f"{short} occurs in the record")
        if whose and any(one.text == short for one in claim.evidence):
            return ClaimPart("unsupported", f"no tool reported {short}")
        if whose:
            return ClaimPart("anchored", f"{short} is only the agent's word: no tool reported it", doubtful=True)
        return record.absent(f"no commit {short} in the record{' or in git' if disk.known else ''}")
    if _is_anothers(short, subject, text):
        return ClaimPart("contradicted", f"commit {short} says “{subject}”")
    if claim.kind == "step" and claim.status == "uncommitted" and not claim.files:
        return ClaimPart("contradicted", f"commit {short} “{subject}” stands")
    branches = " ".join(branch for id, branch in record.branches.items() if _is_same(id, short))
    return ClaimPart("proved", f"commit {short} “{subject}”", covers=f"{short} {subject} {branches}")


def _is_anothers(short: str, subject: str, text: str) -> bool:
    """Whether a quotation right behind a hash is not its message."""
    found = re.search(re.escape(short) + _MESSAGE, text)
    words = next(filter(None, found.groups()), "") if found else ""
    said, message = normal(words).strip(" ."), normal(subject).strip(" .")
    is_message = said.removesuffix("...").strip() in message or message in said
    return not is_message and share(content_stems(words), message) < _ALIKE and not re.fullmatch(r"[\w./-]+", said)


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
    made = next((one for one in record.commits if one.id and _is_same(one.id, short)), None)
    touched = any(_is_same(id, short) for id in disk.touched.get(path, ()))
    if touched or (made is not None and same_file(path, made.files)):
        return True
    subject = next((subject for id, subject in disk.commits.items() if _is_same(id, short)), None)
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
    return False if not was_edited and (known or _never_written(path, record, disk)) else None


def _given(claim: Claim, record: RecordFacts, disk: DiskFacts) -> Iterator[ClaimPart]:
    """A file that is given alone as evidence of how the work stands was written in the session."""
    given = [one for one in claim.evidence if one.kind != "check"]
    if record.known and all(one.kind == "file" for one in given):
        for path in (one.text for one in given):
            if not same_file(path, record.files) and _never_written(path, record, disk):
                yield record.absent(f"{path} was never edited")


def _never_written(path: str, record: RecordFacts, disk: DiskFacts) -> bool:
    """Whether no tool and no command can have written a file, and git told of no change of it either."""
    name = name_of(path)
    return "." in name and not name.endswith(_LOCKS) and name not in record.written and not disk.is_dirty(path)


def _status(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts, *, has_hash: bool) -> Iterator[ClaimPart]:
    """Files that are said to be committed or not; without files, that something was committed, or nothing is left.
    Beside a commit some of the files may be its.
    """
    is_open = claim.status == "uncommitted"
    for path in claim.files:
        how = _stands(path, record, disk)
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
    elif claim.files or has_hash or not record.known or disk.known:
        return
    elif is_open and record.commits and record.files and not edited:
        yield ClaimPart("contradicted", "all edits of the record are committed")
    elif claim.status == "committed" and not record.commits:
        yield record.absent("no commit in the record")


def _stands(path: str, record: RecordFacts, disk: DiskFacts) -> str:
    """How an edited file stands: "open" (uncommitted), "committed", "" neither, or not known."""
    known = same_file(path, record.files)
    status = record.files.get(known, "") if known else ""
    if disk.known and (status or path in disk.exists):
        if disk.is_dirty(path) or (known and disk.is_dirty(known)):
            return "open"
        is_in_git = status == "committed" or (status == "edited" and bool(disk.touched.get(path)))
        return "committed" if is_in_git else ""
    return {"edited": "open", "committed": "committed"}.get(status, "")


def _pushed(text: str, hashes: Sequence[str], record: RecordFacts) -> Iterator[ClaimPart]:
    """What the claim says of pushes, against the last push that the record has of the branch of its commits."""
    denied = NOT_PUSHED.search(text) is not None
    if denied == bool(_PUSHED.search(NOT_PUSHED.sub(" ", text))):
        return  # nothing is said of it, or of one thing this and of another that
    made = [commit for commit in record.commits if commit.id and any(_is_same(commit.id, name) for name in hashes)]
    made = made or list(record.commits)
    wanted = max((commit.event for commit in made), default=-1)
    branches = {record.branches[commit.id] for commit in made if commit.id in record.branches}
    branches |= {f"origin/{branch}" for branch in branches}
    pushes = [push for push in record.pushes if not branches or not push.branches or push.branches & branches]
    last = max((push.event for push in pushes), default=-1)
    last = last if branches else max(last, record.pushed)
    if denied and 0 <= last >= wanted:
        yield ClaimPart("contradicted", "the record has a push after it")
    elif denied:
        covers = " ".join(found[0] for found in NOT_PUSHED.finditer(text))
        yield ClaimPart("anchored" if record.goes_on else "proved", "no push of it in the record", covers=covers)
    elif last < 0:
        said = record.whose(PUSHED) & {"user", "summary"}
        yield ClaimPart("anchored", "it is told of") if said else record.absent("no push of it in the record")
    elif last < wanted:
        yield ClaimPart("contradicted", "the last push came before the commit")
    else:
        covers = " ".join(branch for push in pushes if push.event >= wanted for branch in sorted(push.branches))
        yield ClaimPart("proved", "pushed", covers=covers)
