"""A piece of a passage, word for word as it stands there, with marks around what was asked for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, takewhile
from typing import Final

from clew.core.text.terms import is_dense, parts

OPEN: Final = "\x02"
CLOSE: Final = "\x03"
_CHARS: Final = 160
_BEFORE_CHARS: Final = 40
# So many places are looked at as the beginning of an excerpt.
_MATCHES_MAX: Final = 300

# The words of a text: where each begins and ends in its UTF-8, and its stem.
Stem = Callable[[str], list[tuple[int, int, str]]]


def excerpt(texts: Sequence[str], asked: Sequence[str], stem: Stem) -> str:
    """The piece of one of `texts` that holds most of the terms `asked`, of equal ones the first; the beginning of the
    first that is not empty where none holds any.
    """
    wanted = {root for term in asked if not is_dense(term) for _, _, root in stem(term)}
    dense = [term for term in asked if is_dense(term)]
    whole = len(wanted) + len(dense)
    best: tuple[int, str, int, list[tuple[int, int, str]]] | None = None
    for text in texts:
        found = _matches(text, wanted, dense, stem)
        for at, (start, _, _) in enumerate(found[:_MATCHES_MAX]):
            end = start + _CHARS - _BEFORE_CHARS
            held = {term for _, _, term in takewhile(lambda one: one[0] < end, islice(found, at, None))}  # noqa: B023
            if best is None or len(held) > best[0]:
                best = (len(held), text, start, found)
            if len(held) == whole:
                break
    if best is None:
        return _piece(next((text for text in texts if text.strip()), ""), 0, [])
    return _piece(best[1], best[2], best[3])


def _matches(text: str, wanted: set[str], dense: Sequence[str], stem: Stem) -> list[tuple[int, int, str]]:
    """Where in `text` (in characters) what of it stands that was asked for, in order."""
    found: list[tuple[int, int, str]] = []
    data = text.encode()
    parts_of: dict[bytes, str] = {}
    at = place = 0
    for start, end, root in stem(text):
        hit = root if root in wanted else parts_of.get(data[start:end])
        if hit is None:
            word = data[start:end]
            hit = parts_of[word] = _part_in(word.decode("utf-8", "replace"), wanted, stem)
        if hit:
            place += len(data[at:start].decode("utf-8", "replace"))
            at = start
            found.append((place, place + len(data[start:end].decode("utf-8", "replace")), hit))
    for term in dense:
        begin = text.find(term)
        while begin >= 0:
            found.append((begin, begin + len(term), term))
            begin = text.find(term, begin + 1)
    return sorted(found)


def _part_in(word: str, wanted: set[str], stem: Stem) -> str:
    """The part of a name that was asked for: of `saveTide`, or of one that stands without a space in other words."""
    made = "" if word.isascii() and (word.islower() or word.istitle()) else parts(word)
    return next((root for _, _, root in stem(made) if root in wanted), "") if made else ""


def _piece(text: str, match: int, found: Sequence[tuple[int, int, str]]) -> str:
    begin = max(0, match - _BEFORE_CHARS)
    space = text.find(" ", begin, match) if begin else -1
    begin = space + 1 if space >= 0 else begin
    end = min(len(text), begin + _CHARS)
    space = text.rfind(" ", begin + _CHARS // 2, end) if end < len(text) else -1
    end = space if space >= 0 else end
    rows, at = [], begin
    for start, stop, _ in found:
        if begin <= start < end and stop > at:
            rows += [text[at : max(start, at)], OPEN, text[max(start, at) : min(stop, end)], CLOSE]
            at = min(stop, end)
    rows.append(text[at:end])
    told = "".join(rows).replace(f"{CLOSE}{OPEN}", "")
    return f"{'…' * (begin > 0)}{told}{'…' * (end < len(text))}"
