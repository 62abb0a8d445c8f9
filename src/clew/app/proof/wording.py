"""How alike two texts say something: by the stems of the words that carry meaning, and by what they deny. Pure."""

from __future__ import annotations

import re
from typing import Final

from clew.app.proof.anchors import normal
from clew.core.state.draft import Claim

_WORD: Final = re.compile(r"[^\W_][\w.'/-]*[^\W_]|[^\W\d_]")
_STEM_CHARS: Final = 5
_COMMON: Final = frozenset(
    """about above after again all also although always and any are asked asks because been before being below between
    both but can could decided decision did does doing done down each either else even every for from further get given
    gets got had has have having her here him his how into its itself just keep kept let like made make makes may might
    more most much must need needs nor not now off once one only onto other our out over own per pick picked rather said
    same say says see shall she should since some still such take taken than that the their them then there these they
    thing things this those through too two under until upon use used user user's users using very want wanted wants was
    way well were what when where whether which while who whole why will wish with within without would yes yet you your
    never none nothing don don't doesn't didn't isn't wasn't it's that's there's i'm i've we've let's instead avoid
    prefer prefers told tells explicitly verbatim request requested requests approved approval confirmed rule
    constraint an as at be by if in is it of on or so to we""".split()
)
_LITTLE: Final = frozenset("the a to of and is it in for that this on be with not no don't do please".split())
_LITTLE_SHARE: Final = 0.08
_DENIAL: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|without|avoid|forbid|forbids|forbidden|refuse[ds]?|reject(?:ed|s)?|neither|nor|"
    r"stop|skip|leave out|instead of|rather than|cannot)\b|n't\b"
)
_KEEPING: Final = re.compile(
    r"\b(?:keep|keeps|kept|stays?|preserve[sd]?|leave|left|unchanged|untouched|remains?|as is)\b"
)
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\s-\s|, (?:but|and|so) ")


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(
        word[:_STEM_CHARS] for word in _WORD.findall(normal(text)) if len(word) > 1 and word not in _COMMON
    )


def has_number(number: str, text: str, unit: str = "") -> bool:
    """Whether a text holds a number by itself, with a unit that begins so if one is given."""
    behind = rf"\s?{re.escape(unit)}" if unit else ""
    return re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d){behind}", text) is not None


def is_english(text: str) -> bool:
    """Whether a `normal` text has the little words that English has, so that English words can be looked for in it."""
    words = text.split()
    return sum(word in _LITTLE for word in words) >= _LITTLE_SHARE * len(words)


def share(stems: frozenset[str], text: str) -> float:
    """How much of `stems` a `normal` text holds, from 0 to 1; 1 without stems."""
    return sum(stem in text for stem in stems) / len(stems) if stems else 1.0


def best_share(stems: frozenset[str], texts: tuple[str, ...]) -> float:
    """The most that one of the texts holds."""
    return max((share(stems, text) for text in texts), default=0.0)


def denies(text: str) -> bool:
    """Whether a `normal` text denies or forbids something."""
    return _DENIAL.search(text) is not None


def keeps(text: str) -> bool:
    """Whether a `normal` text says that something stays as it is: that can be said with a denial, and without."""
    return _KEEPING.search(text) is not None


def sentences(text: str) -> list[str]:
    """The clauses of a `normal` text."""
    return [one for one in _SENTENCE.split(text) if one]


def told(claim: Claim) -> str:
    """All that a claim says, as one text."""
    return f"{claim.text} — {claim.why}" if claim.why else claim.text
