"""Values at one remove from their name: below it in a table, in a list after it, in a manifest of secrets.

Knows where such values stand, nothing about whether they are secret. Every reading looks at a bounded stretch of text.
"""

import re
from collections.abc import Iterator

from clew.secrets.values import GAP, QUOTE, Value, compiled

_WINDOW = 400
_ROWS_MAX = 20
_ITEMS_MAX = 20

# What stands around the name of a column: the rest of its cell.
_HEAD = r"(?P<about>[\w.-]{0,32}+)[\"'`*]{0,2}[ ]{0,40}(?:[|,\t;]|\\t|\r?\n|\\n)"
_MARK = r"\s{0,8}(?:\d{1,6}→)?[+>-]?\s?"
_RULE = rf"{_MARK}\|?[\s:|-]{{3,}}\|?\s*\Z"
# A head without bars: names and nothing else.
_NAMES = rf"{_MARK}[\w .()*-]{{1,40}}+(?:(?:[,;\t]|\\t)[\w .()*-]{{1,40}}+){{1,30}}\s?\Z"


def read_column(text: str, at: int, word: str) -> Iterator[Value]:
    """Read the cells below the head cell with `word` in it: Markdown with its line of dashes, commas or tabs."""
    head = compiled(_HEAD).match(text, at + len(word))
    if head is None:
        return
    newline = "\n" if "\n" in text[at : at + _WINDOW] else "\\n"
    start = max(at - _WINDOW, text.rfind(newline, max(0, at - _WINDOW), at) + len(newline))
    if newline != "\n":  # a string of JSON, which begins with its quote
        start = max(start, text.rfind('"', start, at) + 1)
    first = text.find(newline, at, at + _WINDOW)
    if first < 0:
        return
    title = text[start:first]
    mark = next((mark for mark in ("|", "\t", "\\t", ",", ";") if mark in title), "")
    if not mark:
        return
    cells = title.split(mark)
    number = text.count(mark, start, at)
    row = first + len(newline)
    if mark == "|":
        rule = text[row : text.find(newline, row, row + _WINDOW)]
        if not re.match(_RULE, rule):
            return
        row += len(rule) + len(newline)
    elif not compiled(_NAMES).match(title):
        return
    name = (cells[number] if number < len(cells) else word).lower()
    for char in "-_. *`\"'":
        name = name.replace(char, "")
    for place, end in _cells(text, row, newline, mark, len(cells), number):
        yield Value(name, head["about"], "|", False, True, place, end)


def _cells(text: str, row: int, newline: str, mark: str, width: int, number: int) -> Iterator[tuple[int, int]]:
    """Where the cells of one column stand, without the spaces and quotes around them, row by row."""
    for _ in range(_ROWS_MAX):
        end = text.find(newline, row, row + _WINDOW)
        line = text[row : end if end >= 0 else row + _WINDOW]
        if newline != "\n":
            line = line.partition('"')[0]
        cells = line.split(mark)
        if len(cells) != width:
            return
        cell = cells[number]
        left = len(cell) - len(cell.lstrip(" `\"'*\t"))
        start = row + sum(map(len, cells[:number])) + len(mark) * number + left
        bare = cell.strip(" `\"'*\t\r")
        if " " not in bare and "\\" not in bare:
            yield start, start + len(bare)
        if end < 0:
            return
        row = end + len(newline)


# `API_KEYS = ["…", "…"]`, and in YAML one a line.
_LIST = (
    rf"(?i:s?)(?P<about>[\w.-]{{0,32}}+){QUOTE}?\]?\s{{0,3}}(?::\s?[\w\[\], ]{{1,30}}?)?[:=]"
    rf"(?:\s{{0,3}}[\[({{]|(?=\s{{0,2}}(?:\n|\\n){GAP}{{0,20}}-\s))"
)
_ITEM = rf"{GAP}{{0,30}}+{QUOTE}?([^\s\"'`\\,\[\](){{}}]{{12,512}}+){QUOTE}?"


def read_list(text: str, at: int, word: str) -> Iterator[Value]:
    """Read the items of the list whose name has `word` in it."""
    head = compiled(_LIST).match(text, at + len(word))
    if head is None:
        return
    before = text[max(0, at - 48) : at]
    name = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")) :] + word
    for char in "-_.":
        name = name.replace(char, "")
    place = head.end()
    for _ in range(_ITEMS_MAX):
        item = compiled(_ITEM).match(text, place)
        if item is None:
            return
        yield Value(name.lower(), head["about"], "[", False, True, *item.span(1))
        place = item.end()


# `"…" + "…"`, and one literal after the other on the next line.
_JOINT = r"(?:\\n|\s|(?<=\n)[+>-]|\d{1,6}→){1,30}+"
_MORE = rf"{QUOTE}\s{{0,3}}(?:[+.]|\\)?{_JOINT}(?:[+.]\s)?{QUOTE}([^\s\"'`\\]{{8,512}}+)(?={QUOTE})"


def read_rest(text: str, value: Value) -> Iterator[Value]:
    """Read the other pieces of a quoted value that is put together from several."""
    place = value.end
    for _ in range(_ITEMS_MAX):
        piece = compiled(_MORE).match(text, place)
        if piece is None:
            return
        yield value._replace(start=piece.start(1), end=piece.end(1))
        place = piece.end()


MANIFEST = "kubernetes-secret"
_DATA = rf"(?:(?<![A-Za-z])|(?<=\\n))data{QUOTE}?\s?:(?:\s|\\n){{0,10}}\{{?"
_ENTRY = (
    rf"(?:{GAP}|\{{){{0,20}}+{QUOTE}?([\w.-]{{1,60}}){QUOTE}?\s?:\s?"
    rf"{QUOTE}?([A-Za-z0-9+/]{{4,4000}}+={{0,2}}){QUOTE}?"
)
_MANIFEST_MAX = 2_000


def read_manifest(text: str, at: int, _word: str) -> Iterator[Value]:
    """Read the `data` of the Kubernetes secret whose `kind` is at `at`: each value, under the name `MANIFEST`."""
    start = max(0, at - _MANIFEST_MAX)
    data = compiled(_DATA).search(text, at, at + _MANIFEST_MAX) or compiled(_DATA).search(text, start, at)
    if data is None:
        return
    place = data.end() - 1
    for _ in range(_ITEMS_MAX):
        entry = compiled(_ENTRY).match(text, place)
        if entry is None or entry[1] in ("kind", "type", "metadata", "apiVersion"):
            return
        yield Value(MANIFEST, "", ":", False, True, *entry.span(2))
        place = entry.end()
