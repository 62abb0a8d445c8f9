"""Manner: what a person's message or an agent's reply is, by its words. Pure; docs/reference/pressure.md.

Rules on prose miss some and are wrong on some. English, and a little German, French, Spanish and Portuguese.
"""

import re
from typing import Final

# A correction comes first: what is pasted behind is often an error text, or somebody else's review.
_HEAD_CHARS: Final = 220
_VAGUE_WORDS_MAX: Final = 5


def _any(*ways: str) -> str:
    return f"(?:{'|'.join(ways)})"


# What people say before they come to it.
_FILLER: Final = (
    r"(?:(?:h+m+|u+h*m+|u+h+|oh|ok(?:ay)?|well|k|so|but|and|also|yeah?|sorry|please|ähm?|euh|eh)\b[\s,.!…-]*)*"
)
_IT: Final = "(?:that|this|it|these|those)"
_OPENERS: Final = (
    r"no(?:pe)?\b(?! (?:problem|worries|need|rush|hurry|findings|changes))",
    r"(?:wrong|stop|wait)\b",
    r"actually[,\s]",
    r"you(?:'re| are)? (?:los|miss|forg|ignor|brok|misunder|wrong)",
    r"what are you\b",
    r"yes (?:there|it|you|we|they) (?:is|does|do|are|can|has|have)\b",
    r"why (?:did|are|would|do|didn'?t|don'?t) you\b",
    r"why (?:not|ignore|remove|delete|change)\b",
    rf"{_IT}(?:'s| is| are| was)? (?:not|wrong|still|incorrect|broken)\b",
    rf"{_IT} (?:does|do|did|is|are|was)(?:n'?t| not)\b",
    r"(?:don'?t|do not)\b",
    r"not (?:what|like|that|there)\b",
    r"(?:nein|falsch|nicht (?:so|das))\b",
    r"das (?:ist|war|stimmt) (?:nicht|falsch)\b",
    r"warum (?:hast|machst)\b",
    r"(?:non|ce n'est pas|c'est faux|pas (?:ça|comme)|pourquoi (?:as-tu|tu))\b",
    r"(?:eso no|está mal|incorrecto|por qué (?:has|no))\b",
    r"(?:não|errado|isso não)\b",
)
_WITHIN_WORDS: Final = (
    r"\byou(?:'re| are)? (?:los(?:t|ing)|miss(?:ed|ing)|forgot|ignored|broke|misunderst\w+|changed the wrong)",
    r"\b(?:seems?|feels?|looks?|is|are|was) (?:a bit |way |still |all )?(?:wrong\w*|too \w+|off\b|minimal|like ?it do)",
    r"\b(?:does|do|did|is|are)(?:n'?t| not) (?:seem|look|work|what i|how i|right|correct)",
    r"\bnot working\b",
    r"\bi (?:said|asked|meant|told you)\b",
    r"\bbut you said\b",
    r"\b(?:redo|undo|revert) (?:this|that|it)\b",
    r"\b(?:we|i) (?:don'?t|do not) want\b",
    r"\bdon'?t we not\b",
    r"\bwe have a problem\b",
    r"\bthat'?s no good\b",
    r"^(?:i (?:feel|think)[^.?!]{0,40}|the [^.?!]{0,60}|it |this |that )\bshould(?:n'?t| not)?\b",
)
_OPENS: Final = re.compile(rf"\s*{_FILLER}{_any(*_OPENERS)}", re.IGNORECASE)
_WITHIN: Final = re.compile(_any(*_WITHIN_WORDS), re.IGNORECASE)
# Words that a short answer may hold without telling anything.
_EMPTY: Final = frozenset(
    "done good ok okay great sure fine all set fixed finished complete completed ready it that this is now looks works "
    "work perfect yes working as expected everything should be alright right got fertig erledigt gut fait terminé "
    "listo hecho pronto feito".split()
)
_WORD: Final = re.compile(r"[^\W\d_]+")


def corrects(text: str) -> bool:
    """Whether a message says that what was done or said before is not as it should be."""
    head = text.strip()[:_HEAD_CHARS]
    return bool(_OPENS.match(head) or _WITHIN.search(head))


def is_vague(text: str) -> bool:
    """Whether a reply tells nothing: a few words, none of which names anything."""
    words = _WORD.findall(text.lower())
    plain = "`" not in text and not any(mark.isdigit() for mark in text)
    return bool(words) and plain and len(words) <= _VAGUE_WORDS_MAX and _EMPTY.issuperset(words)
