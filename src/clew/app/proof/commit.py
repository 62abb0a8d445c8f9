"""Claims about commits: one with a hash, with a message, files that are committed or not. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from clew.app.proof.anchors import anchors_in, normal
from clew.app.proof.facts import DiskFacts, Needle, Part, RecordFacts
from clew.app.proof.files import stands
from clew.app.proof.wording import content_stems, share
from clew.core.draft import Claim

# What stands right behind a hash, and may be its message.
_MESSAGE: Final = r"[`)\]:,\s–—-]{{0,6}}[(\[]?(?:“([^“”]+)”|\"([^\"]+)\"|`([^`]+)`)"
_ALIKE: Final = 0.5
_SAYS_COMMITTED: Final = re.compile(r"\bcommitted\b|\bin commits?\b", re.IGNORECASE)


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[Part]:
    """What the claim says of commits, against what git said in the session and says now."""
    hashes = [anchor.text for anchor in anchors_in(text) if anchor.kind == "hash"]
    for short in hashes:
        yield _named(short, text, record, disk)
    if claim.kind == "step" and claim.status in ("committed", "uncommitted", "pushed"):
        yield from _status(claim, text, record, disk, has_hash=bool(hashes))


def subject_of(short: str, record: RecordFacts, disk: DiskFacts) -> str | None:
    """The first line of the message of a commit, None if neither the record nor git knows it."""
    return next((subject for id, subject in _known(record, disk).items() if _same(id, short)), None)


def is_subject(text: str, disk: DiskFacts) -> bool:
    """Whether words stand in the message of a commit that git knows."""
    wanted = normal(text)
    return any(wanted in normal(subject) for subject in disk.commits.values())


def event_of(short: str, record: RecordFacts) -> int:
    """When a commit was made in the session, -1 if it was not."""
    return next((commit.event for commit in record.commits if commit.id and _same(commit.id, short)), -1)


def _known(record: RecordFacts, disk: DiskFacts) -> Mapping[str, str]:
    return {**disk.commits, **{commit.id: commit.subject for commit in record.commits if commit.id}}


def _same(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _named(short: str, text: str, record: RecordFacts, disk: DiskFacts) -> Part:
    subject = subject_of(short, record, disk)
    if subject is None:
        whose = record.whose(Needle(short[:7]))
        if whose - {"agent", "call"}:
            return Part("anchored", f"{short} occurs in the record")
        if whose:
            return Part("unsupported", f"no tool ever told of {short}")
        return Part("unsupported", f"no commit {short} in the record" + (" or in git" if disk.known else ""))
    message = _message_behind(short, text)
    if message and not _is_alike(message, subject):
        return Part("contradicted", f"commit {short} says “{subject}”")
    return Part("proved", f"commit {short} “{subject}”")


def _message_behind(short: str, text: str) -> str:
    found = re.search(re.escape(short) + _MESSAGE.format(), text)
    return next((group for group in found.groups() if group), "") if found else ""


def _is_alike(message: str, subject: str) -> bool:
    one, other = normal(message).strip(" ."), normal(subject).strip(" .")
    head = one.removesuffix("...").strip()
    if head in other or other in head:
        return True
    return share(content_stems(message), other) >= _ALIKE or bool(re.fullmatch(r"[\w./-]+", one))


def _status(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts, *, has_hash: bool) -> Iterator[Part]:
    """Files that are said to be committed or not; without files, that something was committed, or nothing is left."""
    if claim.status == "uncommitted":
        yield from _uncommitted(claim, record, disk)
        return
    for path in claim.files if not has_hash else ():
        how = stands(path, record, disk)
        if how == "open" and _SAYS_COMMITTED.search(text):
            yield Part("contradicted", f"{path} was edited after the last commit of it")
        elif how == "committed":
            yield Part("proved", f"{path} is committed")
    if re.search(r"\b(?:nothing|no\w*) uncommitted|\bclean\b|uncommitted:? (?:none|nothing|no\b)", text, re.IGNORECASE):
        yield _clean(record, disk)
    elif not has_hash and claim.status == "committed" and not claim.files:
        if record.commits:
            yield Part("proved", f"commit “{record.commits[-1].subject}”")
        elif not disk.commits:
            yield Part("contradicted", "no commit in the record")


def _uncommitted(claim: Claim, record: RecordFacts, disk: DiskFacts) -> Iterator[Part]:
    for path in claim.files:
        how = stands(path, record, disk)
        if how == "open":
            yield Part("proved", f"{path} is uncommitted")
        elif how == "committed":
            yield Part("contradicted", f"{path} is committed")


def _clean(record: RecordFacts, disk: DiskFacts) -> Part:
    left = sorted(path for path, status in record.files.items() if status == "edited")
    if disk.known:
        changed = sorted(path for path in disk.dirty if not path.endswith("/"))
        if changed:
            return Part("contradicted", f"{changed[0]} differs from the last commit")
        return Part("proved", "git says that nothing is uncommitted")
    if left:
        return Part("contradicted", f"{left[0]} was edited and not committed")
    return Part("anchored", "no edit is left uncommitted in the record")
