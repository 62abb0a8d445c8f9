"""Claims about files: edited or not touched, committed or open, there or not; and how the record knows a path. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.app.proof.facts import DiskFacts, Part, RecordFacts
from clew.core.state.draft import Claim

_VERBS: Final = (
    r"(?:edited|changed|modified|rewrote|rewritten|created|updated|deleted|removed|patched|refactored|extended|"
    r"written|fixed)"
)
# Of these, what any edit is.
_EDITED: Final = "edited changed modified updated"
# What was done to a path: in front of it, other paths between, or behind it.
_BETWEEN: Final = r"(?:[\s:`,(]+(?:the|in|of|files?|and|also|both|to|[\w./-]{1,80}\.\w{1,8})){0,6}[\s:`,(]+"
_DONE: Final = (
    r"(?<!not )(?<!be )\b({verbs})\b{between}{path}(?![\w/])|{path}`?:? ?\(?(?:is |was |are |now |got )?({verbs})\b"
)
_UNTOUCHED: Final = re.compile(
    r"\b(?:not|never|n.t)(?: been| yet)? (?:edit|chang|modif|touch)\w*|\buntouched\b|\bunchanged\b"
    r"|\bleft (?:alone|as)\b",
    re.IGNORECASE,
)
_TELLING: Final = frozenset(("step", "file", "finding", "decision"))


def stands(path: str, record: RecordFacts, disk: DiskFacts) -> str:
    """How an edited file stands: "open" (uncommitted), "committed", "gone" (reverted or removed), "" not known."""
    known = same_file(path, record.files)
    status = record.files.get(known, "") if known else ""
    if disk.known and (status or path in disk.exists):
        if disk.is_dirty(path) or (known and disk.is_dirty(known)):
            return "open"
        is_in_git = status == "committed" or (status == "edited" and bool(disk.touched.get(path)))
        return "committed" if is_in_git else ""
    return {"edited": "open", "committed": "committed", "reverted": "gone", "removed": "gone"}.get(status, "")


def same_file(path: str, known: object) -> str:
    """The one of the known paths that a claim's path names, "" if none: the same, or the end of it."""
    paths = list(known)  # type: ignore[call-overload]
    path = path.rstrip("/").removeprefix("./").casefold()
    for one in paths:
        if one.casefold() == path:
            return str(one)
    return next(
        (str(one) for one in paths if one.casefold().endswith("/" + path) or path.endswith("/" + one.casefold())), ""
    )


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[Part]:
    """What a claim says was done to the files it names."""
    if claim.kind not in _TELLING or not claim.files:
        return
    untouched = _UNTOUCHED.search(text) is not None
    told = _UNTOUCHED.sub(" ", text)
    for path in claim.files:
        edited = same_file(path, record.files)
        done = re.search(_DONE.format(verbs=_VERBS, between=_BETWEEN, path=re.escape(path)), told, re.IGNORECASE)
        verb = (done[1] or done[2] or "").lower() if done else ""
        if edited and untouched and not verb and len(claim.files) == 1:
            yield Part("contradicted", f"{path} was edited")
        elif edited and verb in ("deleted", "removed"):
            if record.files[edited] == "removed":
                yield Part("proved", f"{path} was removed", covers=f"{path} deleted removed")
        elif edited and verb:
            stays = record.files[edited] in ("edited", "committed")
            yield Part(
                "proved" if stays else "anchored", f"{path} was edited", covers=f"{path} {_EDITED}" if stays else ""
            )
        elif verb and record.known and not untouched and _was_never_written(path, record, disk):
            was_read = same_file(path, record.read)
            yield Part("contradicted", f"{path} was {'read and ' if was_read else ''}never edited")


def name_of(path: str) -> str:
    """A file's own name, as it is compared."""
    return path.rstrip("/").rpartition("/")[2].casefold()


# What package managers write by themselves.
_LOCKS: Final = (".lock", ".sum", "-lock.json", "-lock.yaml", ".lockb", "modules.txt")


def _was_never_written(path: str, record: RecordFacts, disk: DiskFacts) -> bool:
    """Whether no tool and no command can have written a file, and git told of no change of it either."""
    name = name_of(path)
    is_known = "." in name and not name.endswith(_LOCKS)
    return is_known and name not in record.written and not disk.is_dirty(path)
