"""What a claim says beside what was proved: a reader takes a tick for the whole of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clew.app.proof.anchors import normal
from clew.core.state.draft import Claim

# Words that say nothing by themselves. A denial is none of them, nor is "only" or "all".
_LITTLE: Final = frozenset(
    "a an and are as at be been by for has have in into is it its now of on onto that the this to was were with".split()
)
# By a claim's kind, the words that say no more than that a thing is of this kind. How a check went is not among them.
_STATE: Final = frozenset(
    "branch change changes commit commits committed edits file files git hash here local locally message origin push "
    "pushed remote session state status work".split()
)
_CHECKS: Final = frozenset(
    "after all assertions before change changes check checks code command edit edits error errors exit exited exits "
    "failures final last latest most my our problems ran recent rerun result results run runs since skipped spec specs "
    "suites test tests total warning warnings".split()
)
_QUOTED: Final = frozenset("user users user's said asked goal last request verbatim".split())
_OF_KIND: Final = {
    "step": _STATE,
    "file": _STATE,
    "validation": _CHECKS,
    "constraint": _QUOTED,
    "goal": _QUOTED,
    "decision": _QUOTED,
}
_TOKEN: Final = re.compile(r"\w(?:[\w./:@'-]*\w)?")


def is_all(claim: Claim, text: str, covers: Iterable[str]) -> bool:
    """Whether each word of a claim's `text` stands in `covers`, the words that the proofs account for, or says nothing
    more. False for kinds of which only their writer knows.
    """
    closed = _OF_KIND.get(claim.kind)
    if closed is None:
        return False
    known = {*_LITTLE, *closed}.union(*map(words_of, covers))
    return all(_is_known(word, known) for word in words_of(text))


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared; a path or a number with its unit is one."""
    return _TOKEN.findall(normal(text))


def _is_known(word: str, known: set[str]) -> bool:
    return word in known or ("/" in word and all(part in known for part in word.split("/")))
