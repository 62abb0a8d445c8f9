"""Terms: the words by which a text is found. Pure.

People remember `saveTask` as "save task", and search for `save_task` where the code says `saveTask`. So beside its
words as they stand a text has the parts of its names.
"""

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Words that stand in nearly every text. A question that holds nothing else is asked with them.
_COMMON: Final = frozenset(
    """a an and are as at be by did do does for from had has have how i if in into is it no not of on or our out so than
    that the then there this to up was we were what when where which who why with you your""".split()
)
TERMS_MAX: Final = 32


def parts(text: str) -> str:
    """The parts of the names in `text` that are written in humps (`saveTask`: "save Task"), in order, blank-separated.
    What stands between underscores, dots, slashes and hyphens is a word of its own anyhow.
    """
    found: list[str] = []
    for name in _NAME.findall(text):
        pieces = _PART.findall(name)
        if len(pieces) > 1:
            found += pieces
    return " ".join(found)


def terms(question: str) -> tuple[str, ...]:
    """What `question` asks for, in order, each once and in lower case: its words and the parts of its names, without
    those that stand everywhere. At most `TERMS_MAX`; () where it holds no word.
    """
    words: dict[str, None] = {}
    for word in _WORD.findall(question):
        words[word.lower()] = None
        pieces = _PART.findall(word) if word.isascii() else []
        if len(pieces) > 1:
            words.update(dict.fromkeys(piece.lower() for piece in pieces))
    told = [word for word in words if word not in _COMMON] or list(words)
    return tuple(told[:TERMS_MAX])
