"""What a commit holds, and whether it still stands: its files, how many, and what is said to have undone it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.anchors import normal
from clew.app.proof.beside import words_of
from clew.app.proof.facts import DiskFacts, Part, RecordFacts
from clew.app.proof.files import same_file
from clew.core.state.draft import Claim
from clew.distill.commits import CommitDone

_CLAUSE: Final = re.compile(r"[;,]\s|\.\s|\b(?:but|while|then)\b")
# Words that tie the files of a clause to its commit, and words that tell of others.
_HOLDING: Final = re.compile(
    r"\b(?:in|of|with|has|holds?|contain(?:s|ing)?|includ(?:es|ing)|touch(?:es|ed|ing)?|chang(?:es|ed|ing)|"
    r"modif(?:ies|ied))\b|[:(]",
    re.IGNORECASE,
)
_TIES: Final = "contains holds has includes touches touched changes changed modifies modified"
_OTHERS: Final = re.compile(
    r"\b(?:un\w+|not|never|no|dirty|open|before|after|since|remain\w*|still|next|left|without|except|see|from|than|"
    r"later|failed)\b|n't\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"\b(\d{1,5}) (file|insertion|deletion)s?(?: changed)?\b", re.IGNORECASE)
# A commit said to be none, or undone: behind it or in front, with nothing of weight between, and nothing else named.
_GONE: Final = (
    r"(?:(?:not|never|\w+n't)(?: (?:yet|been|even))* committed|un-?committed|reverted|undone|rolled back|taken back|"
    r"discarded|dropped|thrown away|missing|lost|gone|(?:does|did) not exist|does n.t exist)"
)
_SAID_GONE: Final = re.compile(
    rf"¤(?:[\s,:()-]|\b(?:is|was|has|have|been|got|now|later|since|and|then|but|again|it|committed|pushed|commit|the|of)\b)*"
    rf"{_GONE}(?: (?:yet|again|later|since|now))?\s*(?:$|[.;,)]| - )"
    rf"|\b(?:{_GONE}|no(?: such)? commit)\s*:?\s*(?:the )?(?:commit )?¤"
)


def files_of(short: str, claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[Part]:
    """Whether the files that a claim tells as in the commit `short` are in it."""
    for clause in _CLAUSE.split(text):
        if short not in clause or _OTHERS.search(clause) or not _HOLDING.search(clause):
            continue
        for path in claim.files:
            if path not in clause:
                continue
            held = _holds(short, path, record, disk)
            if held:
                yield Part("anchored", f"{path} is in {short}", covers=f"{path} {_TIES}")
            elif held is False:
                yield Part("contradicted", f"{path} is not in commit {short}")


def counts_of(short: str, text: str, record: RecordFacts) -> Iterator[Part]:
    """Whether git counted in the commit `short` what a claim counts."""
    printed = _printed(short, record)
    told = {unit: number for number, unit in _COUNTED.findall(printed)}
    if "file" not in told:
        return
    for clause in _CLAUSE.split(text):
        if _OTHERS.search(clause):
            continue
        for said in _COUNTED.finditer(clause):
            number = told.get(said[2].lower(), "0")
            if int(number) == int(said[1]):
                yield Part("anchored", f"git counts {said[0]}", covers=said[0])
            else:
                yield Part("contradicted", f"“{said[0]}”: git says {number}")


def is_denied(short: str, subject: str, text: str, record: RecordFacts, disk: DiskFacts) -> bool:
    """Whether a claim says of a commit that stands that it was not made, or was undone."""
    told = normal(text).replace(normal(subject), " ").replace(short, "¤")
    own = set(words_of(subject)) - set(
        words_of("not never been committed reverted undone dropped discarded missing lost gone does exist no commit")
    )
    words = [
        word for word in re.findall(r"¤|\w(?:[\w./'-]*\w)?|[^\w\s]", told) if word not in own and word not in "()'"
    ]
    if not _SAID_GONE.search(" ".join(words)):
        return False
    made = made_as(short, record)
    if record.acts.get("reverted", -1) > (made.event if made else -1):
        return False
    subjects = [*disk.commits.values(), *(commit.subject for commit in record.commits)]
    if any(one.startswith(f'Revert "{subject}') for one in subjects):
        return False
    return not disk.known or any(id.startswith(short) for id in disk.commits)


def made_as(short: str, record: RecordFacts) -> CommitDone | None:
    """The commit of the session with this id, if it made one."""
    same = (one for one in record.commits if one.id and (one.id.startswith(short) or short.startswith(one.id)))
    return next(same, None)


def _printed(short: str, record: RecordFacts) -> str:
    """What git printed as it made the commit, "" if that is not known."""
    made = made_as(short, record)
    ran = next((one for one in record.ran if made is not None and one.event == made.event), None)
    if ran is None:
        return ""
    _, _, behind = ran.text.partition(made.id if made else short)
    return behind.partition("\n[")[0]


def _holds(short: str, path: str, record: RecordFacts, disk: DiskFacts) -> bool | None:
    """Whether the commit changed a file; None if nobody knows all that it changed."""
    made = made_as(short, record)
    if made is not None and same_file(path, made.files):
        return True
    if any(id.startswith(short) for id in disk.touched.get(path, ())):
        return True
    subject = next((subject for id, subject in disk.commits.items() if id.startswith(short)), None)
    if subject is not None and path in disk.exists:
        return None if subject.startswith("Merge") else False
    counted = re.search(r"(\d+) files? changed", _printed(short, record))
    return False if made is not None and counted and int(counted[1]) == len(made.files) else None
