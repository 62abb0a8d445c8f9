"""How far a step is, by the marks of status that people use: boxes, words in a column or behind "Status:", a line
through it. Colours are none: they tell a priority as often as a state. Knows nothing of documents.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.documents.parse.vocabulary import DOING, DONE, DROPPED, PENDING, STATUSES

_BOXES: Final = {"x": DONE, "X": DONE, "✓": DONE, "✔": DONE, "-": DROPPED, "~": DOING, "/": DOING, ">": PENDING}
# Signs that stand for a box.
SIGNS: Final = {"✅": DONE, "☑": DONE, "✔": DONE, "✓": DONE, "⬜": PENDING, "☐": PENDING, "🔲": PENDING, "🚧": DOING,
                 "🔄": DOING, "⏳": PENDING}  # fmt: skip
_SIGN: Final = "".join(SIGNS)
_PARTLY: Final = re.compile(
    r"(?<!\d)(?!100)\d{1,3} ?%|\b(?:not|n['’]t|never|partly|partial(?:ly)?|almost|nearly|mostly|half|un|in|until|"
    r"when|once|if|before|to be|except|but)\b",
    re.IGNORECASE,
)
_FIRST: Final = re.compile(r"[\W\d_]*([^\W\d_]+(?:[ _'-][^\W\d_]+)?)")
_FRONT: Final = re.compile(rf"([{_SIGN}])\ufe0f?[ \t]*(?=\S)|[\[(]([A-Za-z][A-Za-z _-]{{2,18}})[\])][ \t:—–-]*(?=\S)")
_BACK: Final = re.compile(
    rf"[ \t]*(?:[—–:]|[-]{{1,2}}(?=[ \t*(\[{_SIGN}])|(?=[(\[*{_SIGN}]))[ \t(\[*]*(?P<sign>[{_SIGN}]?)\ufe0f?[ \t*]*"
    r"(?P<word>[A-Za-z][A-Za-z' _-]{1,18})?[)\]*.! \t:]*$"
)
# A tick in front of these allows something, and tells nothing that was done.
_ALLOWS: Final = re.compile(
    r"\W*(?:do|use|always|allow(?:ed)?|good|yes|prefer|should|can|may|must|keep|correct|right)\b", re.IGNORECASE
)
_STRUCK: Final = re.compile(r"~~(.+?)~~(.*)", re.DOTALL)
_TAIL_CHARS: Final = 60


class Marked(NamedTuple):
    """A text without the marks that say how far it is. `struck`: there was a line through it."""

    text: str
    status: str
    struck: bool = False


def of_box(box: str) -> str:
    """The status of a check box by what stands between its brackets; anything unknown is open."""
    return _BOXES.get(box, PENDING)


def of_word(text: str) -> str:
    """The status that a cell, a field or what stands behind "Status:" tells, "" if it tells none.

    It is its first word or two; "80 % complete", "not yet" and the like are no "done".
    """
    text = text.strip().strip("*_`[]()\"'").strip()
    if not text:
        return ""
    if text in _BOXES:
        return _BOXES[text]
    if found := STATUSES.get(_key(text)):
        return found
    first = _FIRST.match(text[:_TAIL_CHARS])
    words = _key(first[1]) if first else ""
    found = STATUSES.get(words) or STATUSES.get(words.partition(" ")[0], "") or SIGNS.get(text[0], "")
    if found == DONE and _PARTLY.search(text[:_TAIL_CHARS]):
        return DOING
    return found


def marked(text: str) -> Marked:
    """An entry's or a heading's text and its status, by the marks in front of it, behind it, or through it."""
    if text.startswith(("~~", "**~~")) and (match := _STRUCK.match(text.removeprefix("**"))):
        tail = match[2].strip(" \t—–:-*.()")
        return Marked(f"{match[1]}{match[2]}", of_word(tail) if of_word(tail) in (DONE, DROPPED) else DROPPED, True)
    front = _FRONT.match(text)
    if front and front[1] and not _ALLOWS.match(text, front.end()):
        return Marked(text[front.end() :], SIGNS[front[1]])
    if front and front[2] and (status := STATUSES.get(_key(front[2]))):
        return Marked(text[front.end() :], status)
    at = max(0, len(text) - _TAIL_CHARS)
    back = _BACK.search(text, at)
    if back is None or back.start() == 0 or not (back["sign"] or back["word"]):
        return Marked(text, "")
    word = back["word"] or ""
    is_told = word.isupper() or back["sign"] or back[0].lstrip(" \t—–:-")[:1] in "([*" or text[back.start()] in ":"
    status = STATUSES.get(_key(word), "") if word and is_told else "" if word else SIGNS[back["sign"]]
    if not status or (status == DONE and _PARTLY.search(text[at:])):
        return Marked(text, "")
    return Marked(text[: back.start()].rstrip(), status)


def _key(word: str) -> str:
    """A word or phrase as it is looked up: "NOT-STARTED" is "not started"."""
    return " ".join(word.lower().replace("-", " ").replace("_", " ").split())
