"""Claims about commits: one with a hash, with a message, files that are committed or not. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from clew.app.proof import within
from clew.app.proof.anchors import anchors_in, normal
from clew.app.proof.beside import words_of
from clew.app.proof.facts import DiskFacts, Needle, Part, RecordFacts
from clew.app.proof.files import stands
from clew.app.proof.wording import content_stems, share
from clew.core.state.draft import Claim

# What stands right behind a hash, and may be its message: a quotation, else the words up to the next mark.
_MESSAGE: Final = r"[`)\]:,\s–—-]{0,6}[(\[]?(?:“([^“”]+)”|\"([^\"]+)\"|`([^`]+)`)"
_BRACKETS: Final = r"`? ?\(([^()“\"`]{6,90})\)"
_HOW_MANY: Final = re.compile(
    r"\b(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten) (?:new |local )?commits?\b(?! (?:ahead|behind))",
    re.IGNORECASE,
)
_NUMBERS: Final = "zero one two three four five six seven eight nine ten".split()
_SAYS_MESSAGE: Final = re.compile(r"\bcommit(?:ted)?\b[^“\"`;.]{0,24}(?:“([^“”]+)”|\"([^\"]+)\")", re.IGNORECASE)
_ALIKE: Final = 0.5
_NOTHING: Final = re.compile(r"\bnothing (?:is |was |has been )?committed\b|\bno commits?\b", re.IGNORECASE)
_ALL_COMMITTED: Final = re.compile(
    r"\b(?:everything|all (?:changes|work|edits|of it|files)) (?:is |are |was |were )?(?:now )?committed\b"
    r"|\b(?:nothing|no\w*) uncommitted|\bclean\b|uncommitted:? (?:none|nothing|no\b)",
    re.IGNORECASE,
)
_ALL_WORDS: Final = "everything all nothing no none uncommitted clean tree working worktree"
_SAYS_COMMITTED: Final = re.compile(r"\bcommitted\b|\bin commits?\b", re.IGNORECASE)


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[Part]:
    """What the claim says of commits, against what git said in the session and says now."""
    hashes = [anchor.text for anchor in anchors_in(text) if anchor.kind == "hash"]
    for short in hashes:
        part = _named(short, text, record, disk)
        yield part
        if part.verdict == "proved":
            yield from within.files_of(short, claim, text, record, disk)
    if len(hashes) == 1:
        yield from within.counts_of(hashes[0], text, record)
    if claim.kind == "step" and record.known:
        if not hashes and (said := _SAYS_MESSAGE.search(text)) and (record.commits or disk.commits):
            yield _with_message(said[1] or said[2], record, disk)
        yield from _how_many(text, record)
    if claim.kind == "step" and claim.status in ("committed", "uncommitted", "pushed"):
        yield from _status(claim, text, record, disk, has_hash=bool(hashes))


def subject_of(short: str, record: RecordFacts, disk: DiskFacts) -> str | None:
    """The first line of the message of a commit, None if neither the record nor git knows it."""
    return next((subject for id, subject in _known(record, disk).items() if is_same(id, short)), None)


def is_subject(text: str, disk: DiskFacts) -> bool:
    """Whether words stand in the message of a commit that git knows."""
    wanted = normal(text)
    return any(wanted in normal(subject) for subject in disk.commits.values())


def _known(record: RecordFacts, disk: DiskFacts) -> Mapping[str, str]:
    return {**disk.commits, **{commit.id: commit.subject for commit in record.commits if commit.id}}


def is_same(one: str, other: str) -> bool:
    """Whether two ids, one of them shortened, are of one commit."""
    return one.startswith(other) or other.startswith(one)


def _named(short: str, text: str, record: RecordFacts, disk: DiskFacts) -> Part:
    subject = subject_of(short, record, disk)
    if subject is None:
        whose = record.whose(Needle(short[:7]))
        if whose - {"agent", "call"}:
            return Part("anchored", f"{short} occurs in the record")
        if whose:
            return Part("unsupported", f"no tool ever told of {short}")
        return record.absent(f"no commit {short} in the record{' or in git' if disk.known else ''}")
    if _is_anothers(short, subject, text, record):
        return Part("contradicted", f"commit {short} says “{subject}”")
    if within.is_denied(short, subject, text, record, disk):
        return Part("contradicted", f"commit {short} “{subject}” stands")
    branches = " ".join(branch for id, branch in record.branches.items() if is_same(id, short))
    return Part("proved", f"commit {short} “{subject}”", covers=f"{short} {subject} {branches}")


def _is_anothers(short: str, subject: str, text: str, record: RecordFacts) -> bool:
    """Whether a quotation behind a hash is not its message, or the words in brackets there are none of what the commit
    and its making told.
    """
    quoted = re.search(re.escape(short) + _MESSAGE, text)
    if quoted:
        return not _is_alike(next(group for group in quoted.groups() if group), subject)
    words = re.search(re.escape(short) + _BRACKETS, text)
    stems = content_stems(words[1]) if words else frozenset()
    commit = within.made_as(short, record)
    ran = next((one for one in record.ran if commit is not None and one.event == commit.event), None)
    if len(stems) < 2 or commit is None or ran is None:
        return False
    told = normal(" ".join((subject, *commit.files, ran.command, ran.text)))
    return share(stems, told) == 0


def _with_message(message: str, record: RecordFacts, disk: DiskFacts) -> Part:
    subjects = (*(commit.subject for commit in record.commits), *disk.commits.values())
    alike = next((subject for subject in subjects if _is_alike(message, subject)), None)
    if alike is not None:
        return Part("proved", f"there is a commit “{alike}”", covers=alike)
    return record.absent(f"no commit says “{message}”")


def _how_many(text: str, record: RecordFacts) -> Iterator[Part]:
    """A number of commits that is neither that of the session nor told by git."""
    for said in _HOW_MANY.finditer(text):
        number = int(said[1]) if said[1].isdigit() else _NUMBERS.index(said[1].lower())
        if number not in (len(record.commits), 1) and not record.whose(commits_needle(number)):
            yield Part("contradicted", f"the record has {len(record.commits)} commits, not {number}")
        elif number == len(record.commits):
            yield Part("anchored", f"the record has {number} commits", covers=said[0])


def commits_needle(number: int) -> Needle:
    """What is looked for where commits are counted."""
    return Needle(f"{number} commit")


def needles_in(text: str) -> frozenset[Needle]:
    """What a claim's number of commits needs in the record."""
    found = (said[1] for said in _HOW_MANY.finditer(text))
    return frozenset(commits_needle(int(one) if one.isdigit() else _NUMBERS.index(one.lower())) for one in found)


def _is_alike(message: str, subject: str) -> bool:
    one, other = normal(message).strip(" ."), normal(subject).strip(" .")
    head = one.removesuffix("...").strip()
    if head in other or other in head:
        return True
    return share(content_stems(message), other) >= _ALIKE or bool(re.fullmatch(r"[\w./-]+", one))


def _status(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts, *, has_hash: bool) -> Iterator[Part]:
    """Files that are said to be committed or not; without files, that something was committed, or nothing is left."""
    if claim.status == "uncommitted":
        yield from _uncommitted(claim, text, record, disk, has_hash=has_hash)
        return
    for path in claim.files if not has_hash else ():
        how = stands(path, record, disk)
        if how == "open" and _SAYS_COMMITTED.search(text):
            yield Part("contradicted", f"{path} was edited after the last commit of it")
        elif how == "committed":
            yield Part("proved", f"{path} is committed", covers=path)
    if _ALL_COMMITTED.search(text):
        yield _clean(record, disk)
    elif not has_hash and claim.status == "committed" and not claim.files:
        if record.commits:
            said = set(words_of(text))
            nearest = max(reversed(record.commits), key=lambda commit: len(said & set(words_of(commit.subject))))
            yield Part("proved", f"commit “{nearest.subject}”", covers=nearest.subject)
        elif not disk.commits:
            yield record.absent("no commit in the record")


def _uncommitted(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts, *, has_hash: bool) -> Iterator[Part]:
    """Files, or all edits, that are said to be in no commit; beside a commit some of the files may be its."""
    if record.commits and _NOTHING.search(text):
        yield Part("contradicted", f"commit “{record.commits[-1].subject}” was made")
    elif record.known and not claim.files and not disk.known and not has_hash:
        if "edited" in record.files.values():
            yield Part("proved", "edits are in no commit", covers="uncommitted not yet")
        elif record.commits and record.files:
            yield Part("contradicted", "all edits of the record are committed")
    for path in claim.files:
        how = stands(path, record, disk)
        if how == "open":
            yield Part(
                "proved", f"{path} is uncommitted", covers=f"{path} uncommitted un-committed not yet dirty unstaged"
            )
        elif how == "committed" and not has_hash:
            yield Part("contradicted", f"{path} is committed")


def _clean(record: RecordFacts, disk: DiskFacts) -> Part:
    left = sorted(path for path, status in record.files.items() if status == "edited")
    if disk.known:
        changed = sorted(path for path in disk.dirty if not path.endswith("/"))
        if changed:
            return Part("contradicted", f"{changed[0]} differs from the last commit")
        return Part("proved", "git says that nothing is uncommitted", covers=_ALL_WORDS)
    if left:
        return Part("contradicted", f"{left[0]} was edited and not committed")
    return Part("anchored", "no edit is left uncommitted in the record")
