"""Claims about files: edited or not touched, committed or open, there or not; and how the record knows a path. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from clew.app.proof.facts import ClaimPart, DiskFacts, RecordFacts
from clew.core.state.draft import Claim

_VERBS: Final = (
    r"(?:edited|changed|modified|rewrote|rewritten|created|updated|deleted|removed|patched|refactored|extended|"
    r"written|fixed)"
)
# What was done to a path: in front of it, other paths between, or behind it.
_BETWEEN: Final = r"(?:[\s:`,(]+(?:the|in|of|files?|and|also|both|to|[\w./-]{1,80}\.\w{1,8})){0,6}[\s:`,(]+"
_DONE: Final = (
    r"(?<!not )(?<!be )\b({verbs})\b{between}{path}(?![\w/])|{path}`?:? ?\(?(?:is |was |are |now |got )?({verbs})\b"
)
_TELLING: Final = frozenset(("step", "file", "finding", "decision"))


def stands(path: str, record: RecordFacts, disk: DiskFacts) -> str:
    """How an edited file stands: "open" (uncommitted), "committed", "" neither, or not known."""
    known = same_file(path, record.files)
    status = record.files.get(known, "") if known else ""
    if disk.known and (status or path in disk.exists):
        if disk.is_dirty(path) or (known and disk.is_dirty(known)):
            return "open"
        is_in_git = status == "committed" or (status == "edited" and bool(disk.touched.get(path)))
        return "committed" if is_in_git else ""
    return {"edited": "open", "committed": "committed"}.get(status, "")


def same_file(path: str, known: Iterable[str]) -> str:
    """The one of the known paths that a claim's path names, "" if none: the same, or the end of it."""
    path = path.rstrip("/").removeprefix("./").casefold()
    each = {one: one.casefold() for one in known}
    ends = [one for one, name in each.items() if name.endswith(f"/{path}") or path.endswith(f"/{name}")]
    return next((one for one, name in each.items() if name == path), ends[0] if ends else "")


def parts(claim: Claim, text: str, record: RecordFacts, disk: DiskFacts) -> Iterator[ClaimPart]:
    """What a claim says was done to the files it names."""
    if claim.kind not in _TELLING or not claim.files:
        return
    yield from _given(claim, record, disk)
    for path in claim.files:
        known = same_file(path, record.files)
        done = re.search(_DONE.format(verbs=_VERBS, between=_BETWEEN, path=re.escape(path)), text, re.IGNORECASE)
        verb = (done[1] or done[2] or "").lower() if done else ""
        if known and verb in ("deleted", "removed"):
            if record.files[known] == "removed":
                yield ClaimPart("proved", f"{path} was removed", covers=f"{path} deleted removed")
        elif known and verb and record.files[known] in ("edited", "committed"):
            yield ClaimPart("proved", f"{path} was edited", covers=f"{path} edited changed modified updated")
        elif verb and not known and record.known and never_written(path, record, disk):
            yield ClaimPart("contradicted", f"{path} was never edited")


def _given(claim: Claim, record: RecordFacts, disk: DiskFacts) -> Iterator[ClaimPart]:
    """A file that is given alone as evidence of how the work stands was written in the session."""
    given = [one for one in claim.evidence if one.kind != "check"]
    if claim.kind == "step" and record.known and all(one.kind == "file" for one in given):
        for path in (one.text for one in given):
            if not same_file(path, record.files) and never_written(path, record, disk):
                yield record.absent(f"{path} was never edited")


def name_of(path: str) -> str:
    """A file's own name, as it is compared."""
    return path.rstrip("/").rpartition("/")[2].casefold()


# What package managers write by themselves.
_LOCKS: Final = (".lock", ".sum", "-lock.json", "-lock.yaml", ".lockb", "modules.txt")


def never_written(path: str, record: RecordFacts, disk: DiskFacts) -> bool:
    """Whether no tool and no command can have written a file, and git told of no change of it either."""
    name = name_of(path)
    is_known = "." in name and not name.endswith(_LOCKS)
    return is_known and name not in record.written and not disk.is_dirty(path)
