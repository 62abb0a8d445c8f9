"""Whether a document is closed: put away, or done. Nobody resumes from one that is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from clew.documents.lint.genre import Genre
from clew.documents.lint.phrases import alternatives

# archived: nothing is to be said of it. done: only what contradicts that.
Standing: TypeAlias = Literal["open", "done", "archived"]

_FOLDERS: Final = frozenset("archive archives archived completed done closed superseded obsolete attic".split())
_FRONT_LINES: Final = 25
_AWAY: Final = r"archived|superseded|obsolete|deprecated|withdrawn|abandoned|rejected"
_OVER: Final = alternatives("done | completed? | implemented | finished | closed | shipped | merged | released")
_BUT: Final = re.compile(
    r"\b(?:but|except|remaining|partial\w*|in progress|pending|not|ready for|until|once|after|when|if|\d+ ?%)\b",
    re.IGNORECASE,
)
_STATUS: Final = re.compile(r"\W{0,6}(?:overall )?(?:status|state)[\s*_\"'`]*[:：][\s*_\"'`\W]{0,8}(.*)", re.IGNORECASE)
_SAYS: Final = re.compile(
    rf"\W{{0,8}}(?:(?:this|the) (?:document|plan|file|page|hand-?off|note) (?:is|was|has been) (?:now )?)?(?:{_AWAY})\b"
    r"(?=\W*$| (?:by|on|in|and|since|—|–|-)\b|[:.(*])",
    re.IGNORECASE,
)
_TITLE: Final = re.compile(rf"[:(\[—–-]\W*(?P<word>{_AWAY}|{_OVER})\W*$", re.IGNORECASE)
# A session's hand-off is written when its work is done; it stands until the next one.
_CLOSE: Final[frozenset[Genre]] = frozenset(("plan", "log", "task", "decisions", "reference"))


def is_done(status: str) -> bool:
    """Whether what stands behind "Status:" says that all is done, with no but."""
    return bool(re.match(rf"(?:all \w+ )?{_OVER}\b", status, re.IGNORECASE)) and not _BUT.search(status)


def status_of(line: str) -> str:
    """What a line says behind "Status:", "" if it is no such line."""
    match = _STATUS.match(line)
    return match[1].strip() if match else ""


def standing_of(lines: Sequence[str], title: str, genre: Genre, path: str) -> Standing:
    """What the document's folder, its title and its front part say. `path` is its own, "" unknown."""
    if _FOLDERS.intersection(path.lower().split("/")[:-1]):
        return "archived"
    front = list(_front(lines))
    said = [status for status in map(status_of, front) if status]
    ends = _TITLE.search(title)
    if any(re.match(rf"(?:{_AWAY})\b", status, re.IGNORECASE) for status in said) or any(map(_SAYS.match, front)):
        return "archived"
    if ends and re.fullmatch(_AWAY, ends["word"], re.IGNORECASE):
        return "archived"
    if genre in _CLOSE and (ends or any(map(is_done, said))):
        return "done"
    return "open"


def _front(lines: Sequence[str]) -> Sequence[str]:
    """The lines up to the second heading."""
    heads = [at for at, line in enumerate(lines[:_FRONT_LINES]) if re.match(r"#{1,6} ", line)]
    return lines[: heads[1] if len(heads) > 1 else _FRONT_LINES]
