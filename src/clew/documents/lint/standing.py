"""Whether a document is closed: put away, or done. Nobody resumes from one that is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clew.documents.lint.genre import Genre

_FOLDERS: Final = frozenset("archive archives archived completed done closed superseded obsolete attic".split())
_FRONT_LINES: Final = 25
_AWAY: Final = r"(?:archived|superseded|obsolete|deprecated|withdrawn|abandoned|rejected)"
_OVER: Final = r"(?:done|completed?|implemented|finished|closed|shipped|merged|released)"
_IS_AWAY: Final = re.compile(
    rf"\W{{0,8}}(?:(?:this|the) (?:document|plan|file|page|hand-?off|note) (?:is|was|has been) (?:now )?|"
    rf"status\W+)?{_AWAY}\b(?=\W*$| (?:by|on|in|and|since|—|–|-)\b|[:.(*])|.*[:(\[—–-]\W{{0,3}}{_AWAY}\W*$",
    re.IGNORECASE,
)
_IS_OVER: Final = re.compile(
    rf"\W{{0,6}}status\W+(?:all \w+ )?{_OVER}\b(?!.*\b(?:but|except|remaining|partial|in progress|pending|not|ready "
    rf"for|until|once|after|when|if|\d+ ?%)\b)|.*[:(\[—–-]\W{{0,3}}{_OVER}\W*$",
    re.IGNORECASE,
)
# A session's hand-off is written when its work is done; it stands until the next one.
_CLOSE: Final[frozenset[Genre]] = frozenset(("plan", "log", "task", "decisions", "reference"))


def is_closed(lines: Sequence[str], title: str, genre: Genre, path: str) -> bool:
    """What the document's folder, its title and its front part say. `path` is its own, "" unknown."""
    front = [line[:300] for line in lines[:_FRONT_LINES]]
    heads = [at for at, line in enumerate(front) if line.startswith("#")]
    told = [
        title[-300:],
        *(line for line in front[: heads[1] if len(heads) > 1 else _FRONT_LINES] if line[:1] not in ("#", "-")),
    ]
    is_away = bool(_FOLDERS.intersection(path.lower().split("/")[:-1])) or any(map(_IS_AWAY.match, told))
    return is_away or (genre in _CLOSE and any(map(_IS_OVER.match, told)))
