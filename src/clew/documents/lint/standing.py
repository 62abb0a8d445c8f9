"""Whether a document is closed: put away, or done. Nobody resumes from one that is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from clew.documents.lint.genre import Genre

Standing: TypeAlias = Literal["open", "closed"]

_FOLDERS: Final = frozenset("archive archives archived completed done closed superseded obsolete attic".split())
_FRONT_LINES: Final = 25
_AWAY: Final = r"(?:archived|superseded|obsolete|deprecated|withdrawn|abandoned|rejected)"
_OVER: Final = r"(?:done|completed?|implemented|finished|closed|shipped|merged|released)"
_BUT: Final = re.compile(
    r"\b(?:but|except|remaining|partial\w*|in progress|pending|not|ready for|until|once|after|when|if|\d+ ?%)\b",
    re.IGNORECASE,
)
_STATUS: Final = re.compile(r"\W{0,6}(?:overall )?(?:status|state)[\s*_\"'`]*[:：]\W{0,8}(.*)", re.IGNORECASE)
_SAYS: Final = re.compile(
    rf"\W{{0,8}}(?:(?:this|the) (?:document|plan|file|page|hand-?off|note) (?:is|was|has been) (?:now )?)?{_AWAY}\b"
    r"(?=\W*$| (?:by|on|in|and|since|—|–|-)\b|[:.(*])",
    re.IGNORECASE,
)
_TITLE: Final = re.compile(rf"[:(\[—–-]\W*(?:(?P<away>{_AWAY})|{_OVER})\W*$", re.IGNORECASE)
# A session's hand-off is written when its work is done; it stands until the next one.
_CLOSE: Final[frozenset[Genre]] = frozenset(("plan", "log", "task", "decisions", "reference"))


def standing_of(lines: Sequence[str], title: str, genre: Genre, path: str) -> Standing:
    """What the document's folder, its title and its front part say. `path` is its own, "" unknown."""
    heads = [at for at, line in enumerate(lines[:_FRONT_LINES]) if re.match(r"#{1,6} ", line)]
    front = [line[:300] for line in lines[: heads[1] if len(heads) > 1 else _FRONT_LINES]]
    said = [match[1].strip() for match in map(_STATUS.match, front) if match]
    ends = _TITLE.search(title[-60:])
    is_away = (
        bool(_FOLDERS.intersection(path.lower().split("/")[:-1]))
        or any(re.match(rf"{_AWAY}\b", one, re.IGNORECASE) for one in said)
        or any(map(_SAYS.match, front))
        or bool(ends and ends["away"])
    )
    return "closed" if is_away or (genre in _CLOSE and (ends or any(map(_is_done, said)))) else "open"


def _is_done(told: str) -> bool:
    """Whether what stands behind "Status:" says that all is done, with no but."""
    return bool(re.match(rf"(?:all \w+ )?{_OVER}\b", told, re.IGNORECASE)) and not _BUT.search(told)
