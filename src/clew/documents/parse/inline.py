"""A line's marks taken off: bold, italics, escapes, labels, paths. Text is data: what stays is the source's own
words.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

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


class Label(NamedTuple):
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


def label(text: str) -> Label | None:
    """The label in front of a text, bold (`**Why:** …`, `**Why** — …`) or plain (`Why: …`); None without one."""
    if text.startswith(("**", "__")):
        match = _BOLD_LABEL.match(text)
        if match is None:
            return None
        name, rest = match["name"].strip(), text[match.end() :].strip()
        if match["mark"] or name.endswith((":", "：", "?")) or not rest:
            return Label(name.rstrip(":： ") + (match["aside"] or ""), rest, True)
        if (inner := _PLAIN_LABEL.match(name)) and inner.end() < len(name):  # "**Goal: ship it** by May"
            return Label(inner["name"].strip(), f"{name[inner.end() :]}{match['aside'] or ''} {rest}".strip(), True)
        return None
    match = _PLAIN_LABEL.match(text)
    if match is None or match["name"].count(" ") >= _WORDS_MAX:
        return None
    return Label(match["name"].strip(), text[match.end() :].strip(), False)


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
