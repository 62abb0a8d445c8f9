"""A line's marks taken off: bold, italics, escapes, labels, paths; and what tells how far a step is: boxes, words in a
column or behind "Status:", a line through it. Text is data: what stays is the source's own words."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from clew.core.state.headings import DOING, DONE, DROPPED, PENDING, STATUSES
from clew.core.text.cleaning import clean, one_line

# What stands in back-quotes stays, and so do names as `__init__`; else marks of bold, italics and of a line through
# it where they pair, escapes, and line breaks.
_MARKS: Final = re.compile(
    r"`[^`\n]{1,400}`|(?<!\w)__[a-z][a-z_]*__(?!\w)|\*\*/|/\*\*|(?P<mark>\*{1,3}|_{1,3}|~~)|(?P<break><br\s{0,3}/?>)|"
    r"\\(?P<escaped>[\\`*_{}\[\]()#+\-.!|<>~])",
    re.IGNORECASE,
)
_BOLD_LABEL: Final = re.compile(
    r"(?:\*\*|__)(?P<name>[^*_\n][^*\n]{0,119}?)(?:\*\*|__)(?P<aside>[ \t]{0,3}\([^()\n]{0,80}\))?[ "
    r"\t]{0,3}(?P<mark>[:：]|[—–-]{1,2} )?"
)
_PLAIN_LABEL: Final = re.compile(r"(?P<name>[^\W\d_][^:：\n`*|<>\"]{0,60})[:：](?=\s|$)")
_WORDS_MAX: Final = 9


class TextLabel(NamedTuple):
    """`name` in front of `value`. `bold`: it was printed bold."""

    name: str
    value: str
    bold: bool


def plain(text: str) -> str:
    """`text` on one line without bold, italics and escapes; what stands in back-quotes stays, and lone marks do."""
    if not text.isascii() and ("\ufe0f" in text or "\u200d" in text):
        text = clean(text)
    if not any(sign in text for sign in ("*", "_", "~~", "\\", "<br", "<BR")):
        return one_line(text)
    parts, taken, opened = [], 0, dict[str, int]()
    for found in _MARKS.finditer(text):
        before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        parts += [text[taken : found.start()], found[0]]
        taken = found.end()
        mark = found["mark"]
        if not mark:
            parts[-1] = found["escaped"] or (" " if found["break"] else found[0])
        elif mark in opened and before.strip() and not (after.isalnum() and len(mark) == 1):
            parts[opened.pop(mark)] = parts[-1] = ""
        elif after.strip() and not before.isalnum() and before != "/":
            opened[mark] = len(parts) - 1
    return one_line("".join((*parts, text[taken:])))


def label(text: str) -> TextLabel | None:
    """The label in front of a text, bold (`**Why:** …`, `**Why** — …`) or plain (`Why: …`); None without one."""
    if text.startswith(("**", "__")):
        match = _BOLD_LABEL.match(text)
        if match is None:
            return None
        name, rest = match["name"].strip(), text[match.end() :].strip()
        if match["mark"] or name.endswith((":", "：", "?")) or not rest:
            return TextLabel(name.rstrip(":： ") + (match["aside"] or ""), rest, True)
        if (inner := _PLAIN_LABEL.match(name)) and inner.end() < len(name):  # "**Goal: ship it** by May"
            return TextLabel(inner["name"].strip(), f"{name[inner.end() :]}{match['aside'] or ''} {rest}".strip(), True)
        return None
    match = _PLAIN_LABEL.match(text)
    if match is None or match["name"].count(" ") >= _WORDS_MAX:
        return None
    return TextLabel(match["name"].strip(), text[match.end() :].strip(), False)


_PATH: Final = re.compile(
    r"`(?P<code>[^`\n]{1,200})`|\[(?P<link>[^\]\n]{1,200})\]\([^)\n]{0,400}\)|(?P<bare>[\w.@~+-]*[/.][\w./@+*\[\]-]*[\w/*])"
)
_IS_PATH: Final = re.compile(r"(?:[A-Za-z]:)?[\w@.+\-*{}\[\]<>$~/\\]+(?::[\d,-]+)?(?:::[\w.:]+)?")
_BETWEEN: Final = " \t:—–-|,"
# Words in front of a path that say what was done with it.
_DEEDS: Final = frozenset(
    "create created modify modified test new update updated delete deleted add added remove removed edit edited".split()
)


def is_path(text: str) -> bool:
    """Whether all of it looks like a path: a slash, or a name with an ending."""
    if not text or len(text) > 200 or "://" in text or not _IS_PATH.fullmatch(text) or not re.search(r"\w", text):
        return False
    return "/" in text or re.search(r"\w\.[A-Za-z]\w{0,9}$", text.partition(":")[0]) is not None


def file_of(text: str) -> tuple[str, str] | None:
    """The path that a text begins with, perhaps behind a word such as "Create:", and what it says of it."""
    named = label(text)
    deed = named.name if named and named.name.lower() in _DEEDS else ""
    rest = named.value if named and deed else text.lstrip("*_ ")
    match = _PATH.match(rest)
    path = (match["code"] or match["link"] or match["bare"] or "").strip("` ") if match else ""
    if match is None or not is_path(path):
        return None
    note = plain(rest[match.end() :].lstrip("*_")).strip(_BETWEEN)
    return path, ": ".join(part for part in (deed, note) if part)


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


def status_of_box(box: str) -> str:
    """The status of a check box by what stands between its brackets; anything unknown is open."""
    return _BOXES.get(box, PENDING)


def status_of(text: str) -> str:
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


def read_mark(text: str) -> Marked:
    """An entry's or a heading's text and its status, by the marks in front of it, behind it, or through it."""
    if text.startswith(("~~", "**~~")) and (match := _STRUCK.match(text.removeprefix("**"))):
        tail = match[2].strip(" \t—–:-*.()")
        return Marked(f"{match[1]}{match[2]}", status_of(tail) if status_of(tail) in (DONE, DROPPED) else DROPPED, True)
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
