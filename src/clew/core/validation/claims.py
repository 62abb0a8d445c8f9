"""Whether a message claims that the work is done. By English words: of another language nobody can say."""

from __future__ import annotations

import re
from typing import Final

_PASS: Final = r"\b(?:all|the) (?:tests?|checks?|suite) (?:now )?(?:pass(?:es|ed)?|(?:is|are) green)\b"
_DONE: Final = re.compile(
    r"\b(?:all )?(?:done|finished|completed?|implemented|fixed|resolved|mended|ready to (?:merge|"
    rf"ship|review)|good to go)\b|{_PASS}|\beverything (?:works|passes|is in place)\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    r"\b(?:not|n't|isn't|wasn't|aren't|hasn't|haven't|cannot|can't|won't|without|unless|until|once|"
    r"when|if|before|almost|nearly|partly"
    r"|partially|half|still|yet|remaining|remains|todo|fails?|failing|failed|broken|blocked|stopped|except|but)\b",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")


def claims_pass(text: str) -> bool:
    """Whether a sentence of a message says that the checks pass."""
    sentences = (one for one in _SENTENCE.split(text) if re.search(_PASS, one, re.IGNORECASE))
    return any(not _NOT.search(one) for one in sentences)


def claims_done(text: str) -> bool:
    """Whether one of the sentences of a message says that it is done, and none that it is not, or asks something."""
    sentences = [one.strip() for one in _SENTENCE.split(text) if one.strip()]
    if not sentences or sentences[-1].endswith("?"):
        return False
    if any(
        re.search(r"\b(?:not (?:done|finished|complete)|fails?|failing|blocked)\b", one, re.IGNORECASE)
        for one in sentences
    ):
        return False
    return any(_DONE.search(one) and not _NOT.search(one) for one in sentences)
