"""Identifiers: the words of a session that carry facts and survive any shortening (names, paths, flags, numbers)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import lru_cache

_TOKEN = re.compile(r"[\w./~@-]+")
_QUOTED = re.compile(r"`([^`\n]{2,80})`")
_TRIVIAL = frozenset({"e.g", "i.e", "etc", "json", "readme", "todo"})
_MARKS = {ord(mark): " " for mark in '`*_.,:;!?()[]{}<>"“”‘/\\|=+–—→#@~\n\t'} | {ord("’"): "'"}


@lru_cache(maxsize=8192)  # a text is asked about by several modules
def identifiers(text: str) -> frozenset[str]:
    """The identifiers of `text`, in lower case: tokens that are no plain words, and what stands in back-quotes, whole.

    A plain word is letters only, with no capital inside; so a name with an inner mark (snake_case, dotted, path,
    kebab-case, camelCase), a flag, an acronym and anything with a digit count.
    """
    found: set[str] = set()
    # Plain words are the usual case.
    odd = {word for word in text.split() if not (word.isalpha() and word.islower())}
    for token in set(_TOKEN.findall(" ".join(odd))):
        name = token.strip("./~@").rstrip("-")
        if name.isalpha() and (name.islower() or name[1:].islower()):
            continue
        if len(name) > 1 and name.lower() not in _TRIVIAL:
            found.add(name.lower())
    if "`" in text:
        found.update(quoted.strip().lower() for quoted in _QUOTED.findall(text))
    return frozenset(found)


def vocabulary(texts: Iterable[str]) -> set[str]:
    """All identifiers of some texts."""
    return set().union(*map(identifiers, texts))


@lru_cache(maxsize=1024)  # several modules ask for the same text one after the other
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, in order. Hyphens and apostrophes stay in them."""
    words = text.lower().translate(_MARKS).split()
    return tuple(word for word in words if word[0].isalnum() or word[-1].isalnum())


# Words too common to tell two sentences apart.
_STOP_WORDS = frozenset(
    """about after again all also and any are because been before being both but can could did does doing done
    for from get had has have here how into its just let like make more most need needs new not now off only
    other our out over own same should since some such than that the their them then there these they this
    those through too under until use used using very was way well were what when where which while who why
    will with without would yes you your file files code line lines change changes changed test tests""".split()
)


def content_words(words: AbstractSet[str] | Iterable[str]) -> set[str]:
    """Those of some lower-case words that carry meaning by themselves: three letters or more, and not too common."""
    return {word for word in words if len(word) > 2 and word not in _STOP_WORDS}
