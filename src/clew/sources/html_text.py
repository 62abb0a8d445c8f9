"""A web page as plain text with a little Markdown: what a reader would see of it, without its furniture. Pure."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

_SILENT: Final = frozenset(
    ("script", "style", "noscript", "template", "svg", "iframe", "object", "nav", "footer", "form", "button", "select")
)
_BLOCKS: Final = frozenset(
    "p div section article main header aside dl dt dd table figure figcaption address details summary hr".split()
)
_HEADINGS: Final = {f"h{n}": "#" * n + " " for n in range(1, 7)}
# They have no end, so nothing inside of them can be silent for ever.
_VOID: Final = frozenset(("br", "img", "hr", "input", "meta", "link", "source", "wbr", "area", "base", "col", "embed"))
_DEPTH_MAX: Final = 12
_SPACE: Final = re.compile(r"[ \t\r\f\v\n\u00a0]+")


def text_of_html(html: str) -> tuple[str, str]:
    """The title, and the text: headings, lists, quotations, tables by row, code as it stands. Links are told by their
    words alone. No markup makes it fail.
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.title(), reader.text()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._blocks: list[str] = []
        self._line: list[str] = []
        self._title: list[str] = []
        self._front = ""
        self._silent: list[str] = []
        self._lists: list[list[int]] = []  # of each list that is open the number of its last entry, [-1] unordered
        self._pre = self._quote = 0
        self._in_title = False

    def title(self) -> str:
        return _SPACE.sub(" ", "".join(self._title)).strip()

    def text(self) -> str:
        self._end_block()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._blocks)).strip() + "\n"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.append(tag)
            return
        if tag in _SILENT:
            self._silent.append(tag)
        elif tag == "title":
            self._in_title = True
        elif tag == "br":
            self._line.append("\n")
        elif tag in ("td", "th"):
            self._line.append(" | " if "".join(self._line).strip() else "")
        elif tag == "code" and not self._pre:
            self._line.append("`")
        else:
            self._open_block(tag)

    def _open_block(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._gap()
            self._front = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._end_block() if self._lists else self._gap()
            self._lists.append([0 if tag == "ol" else -1])
        elif tag == "li":
            self._end_block()
            depth = min(len(self._lists), _DEPTH_MAX)
            number = self._lists[-1] if self._lists else [-1]
            number[0] += 1 if number[0] >= 0 else 0
            self._front = "  " * max(0, depth - 1) + (f"{number[0]}. " if number[0] > 0 else "- ")
        elif tag == "pre":
            self._gap()
            self._pre += 1
        elif tag == "blockquote":
            self._gap()
            self._quote += 1
        elif tag == "tr":
            self._end_block()
        elif tag in _BLOCKS:
            is_apart = tag in ("p", "table", "section", "article", "hr") and not self._lists
            self._gap() if is_apart else self._end_block()

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.pop()
            return
        if tag == "title":
            self._in_title = False
        elif tag == "code" and not self._pre:
            self._line.append("`")
        elif tag in ("ul", "ol"):
            self._lists = self._lists[:-1]
            self._end_block() if self._lists else self._gap()
        elif tag == "pre":
            self._end_block()
            self._pre = max(0, self._pre - 1)
        elif tag == "blockquote":
            self._end_block()
            self._quote = max(0, self._quote - 1)
        elif tag in _HEADINGS or (tag == "p" and not self._lists):
            self._gap()
            self._front = ""
        elif tag in _BLOCKS or tag in ("li", "tr"):
            self._end_block()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self._in_title and not self._silent:
            self._title.append(data)
        elif not self._silent:
            self._line.append(data if self._pre else _SPACE.sub(" ", data))

    def _gap(self) -> None:
        self._end_block()
        if self._blocks and self._blocks[-1]:
            self._blocks.append("")

    def _end_block(self) -> None:
        told, self._line = "".join(self._line), []
        front, self._front = self._front, ""
        quote = "> " * min(self._quote, _DEPTH_MAX)
        if self._pre and told.strip():
            self._blocks += [f"{quote}```", *(quote + row for row in told.strip("\n").split("\n")), f"{quote}```"]
            return
        rows = [_SPACE.sub(" ", row).strip() for row in told.split("\n")]
        rows = [row for row in rows if row]
        if rows:
            indent = " " * len(front) if not front.startswith("#") else ""
            self._blocks += [f"{quote}{front}{rows[0]}", *(f"{quote}{indent}{row}" for row in rows[1:])]
        else:
            self._front = front  # the words of an entry may come with a block inside of it
