"""Terms: the words by which a text is found. Pure.

People remember `saveTask` as "save task", and search for `save_task` where the code says `saveTask`. So beside its
words as they stand a text has the parts of its names. Chinese, Japanese and Korean put no space where a word ends, and
none around a name of the code: of a run of their characters the overlapping pairs count as words, which finds each
word of two characters or more.
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
# Han, kana, Bopomofo and Hangul.
_DENSE: Final = re.compile(
    "[\u1100-\u11ff\u3005-\u3007\u3040-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f\U00020000-\U0003ffff]+"
)


def parts(text: str) -> str:
    """The parts of the names in `text` that are written in humps (`saveTask`: "save Task"), in order, blank-separated.
    What stands between underscores, dots, slashes and hyphens is a word of its own anyhow. Behind them, of each word
    with characters of Chinese, Japanese or Korean the pairs and the rest; the last character of a run stands alone, so
    that each character begins a term.
    """
    found: list[str] = []
    for name in _NAME.findall(text):
        pieces = _PART.findall(name)
        if len(pieces) > 1:
            found += pieces
    if not text.isascii() and is_dense(text):
        for word in filter(is_dense, _WORD.findall(text)):
            for run in _runs(word):
                found += [*_pairs(run), run[-1]] if is_dense(run) else [run]
    return " ".join(found)


def is_dense(text: str) -> bool:
    """Whether there are characters in it of a script that puts no space between words."""
    return _DENSE.search(text) is not None


def _runs(word: str) -> list[str]:
    """A word parted where the script changes."""
    at, found = 0, []
    for run in _DENSE.finditer(word):
        found += [word[at : run.start()], run[0]]
        at = run.end()
    return [one for one in (*found, word[at:]) if one]


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def terms(question: str) -> tuple[str, ...]:
    """What `question` asks for, in order, each once and in lower case: its words and the parts of its names, without
    those that stand everywhere. At most `TERMS_MAX`; () where it holds no word.
    """
    words: dict[str, None] = {}
    for word in _WORD.findall(question):
        if not word.isascii() and is_dense(word):
            for run in _runs(word):
                words.update(dict.fromkeys((_pairs(run) or [run]) if is_dense(run) else [run.lower()]))
            continue
        words[word.lower()] = None
        pieces = _PART.findall(word) if word.isascii() else []
        if len(pieces) > 1:
            words.update(dict.fromkeys(piece.lower() for piece in pieces))
    told = [word for word in words if word not in _COMMON] or list(words)
    return tuple(told[:TERMS_MAX])
