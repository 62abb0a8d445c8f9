"""A web page as plain text with a little Markdown: what a reader would see of it, without its furniture.

It is read in a process of its own, `python -m clew.sources.html_text`: folders within folders, a million of them, take
every parser of HTML hours, since the standard has it look at all that are open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from clew.sources.apart import read_apart, serve
from clew.sources.port import encodable

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_TIMEOUT_S: Final = 20.0
_SILENT: Final = frozenset(
    ("script", "style", "noscript", "template", "svg", "iframe", "object", "nav", "footer", "form", "button", "select")
)
_BLOCKS: Final = frozenset(
    "p div section article main header aside dl dt dd table figure figcaption address details summary hr".split()
)
_APART: Final = frozenset("p table section article hr".split())
_HEADINGS: Final = {f"h{n}": "#" * n + " " for n in range(1, 7)}
_TEXT: Final = "-text"
_DEPTH_MAX: Final = 12
_SPACE: Final = re.compile(r"[ \t\r\f\v\n\u00a0]+")


def read_html(html: str, name: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """The title, and the text: headings, lists, quotations, tables by row, code as it stands. Links are told by their
    words alone. `name` is what messages call the page. Raises `SourceError`: it takes too long to read.
    """
    title, text = read_apart(
        __name__, encodable(html).encode(), needs="selectolax", extra="html", name=name, environment=environment,
        timeout_s=_TIMEOUT_S,
    )  # fmt: skip
    return title, text


def text_of_html(html: str) -> tuple[str, str]:
    """As `read_html`, in this process and without a bound."""
    from selectolax.lexbor import LexborHTMLParser

    reader, title = _Reader(), ""
    root = LexborHTMLParser(html).root
    for node, is_end in _walk(root) if root is not None else ():
        tag = node.tag or ""
        if tag == "title":
            title = title or node.text()
        elif tag == _TEXT:
            reader.add(node.text_content or "")
        elif is_end:
            reader.leave(tag)
        else:
            reader.enter(tag)
    return _SPACE.sub(" ", title).strip(), reader.text()


def _walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Every node that is seen, where it begins and where it ends; a text, and the title, once."""
    node: LexborNode = root
    while True:
        tag = node.tag or ""
        inner = None
        if tag not in _SILENT:
            yield node, False
            inner = node.first_child if tag not in (_TEXT, "title") else None
        if inner is not None:
            node = inner
            continue
        if tag not in _SILENT and tag not in (_TEXT, "title"):
            yield node, True
        while node.next is None:
            if node.parent is None or node == root:
                return
            node = node.parent
            yield node, True
        node = node.next


class _Reader:
    """Blocks of text as they come, from elements that begin and end."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._line: list[str] = []
        self._front = ""
        self._lists: list[list[int]] = []  # of each list that is open the number of its last entry, [-1] unordered
        self._pre = self._quote = 0

    def text(self) -> str:
        self._end_block()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._blocks)).strip() + "\n"

    def add(self, text: str) -> None:
        self._line.append(text if self._pre else _SPACE.sub(" ", text))

    def enter(self, tag: str) -> None:
        if tag == "br":
            self._line.append("\n")
        elif tag in ("td", "th"):
            self._line.append(" | " if any(map(str.strip, self._line)) else "")
        elif tag == "code" and not self._pre:
            self._line.append("`")
        elif tag in _HEADINGS:
            self._gap()
            self._front = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._end_block() if self._lists else self._gap()
            self._lists.append([0 if tag == "ol" else -1])
        elif tag == "li":
            self._end_block()
            self._front = self._entry()
        elif tag in ("pre", "blockquote"):
            self._gap()
            self._pre += tag == "pre"
            self._quote += tag == "blockquote"
        elif tag == "tr":
            self._end_block()
        elif tag in _BLOCKS:
            self._gap() if tag in _APART and not self._lists else self._end_block()

    def _entry(self) -> str:
        number = self._lists[-1] if self._lists else [-1]
        number[0] += 1 if number[0] >= 0 else 0
        return "  " * (min(len(self._lists), _DEPTH_MAX) - 1) + (f"{number[0]}. " if number[0] > 0 else "- ")

    def leave(self, tag: str) -> None:
        if tag == "code" and not self._pre:
            self._line.append("`")
        elif tag in ("ul", "ol"):
            self._lists.pop()
            self._end_block() if self._lists else self._gap()
        elif tag in ("pre", "blockquote"):
            self._end_block()
            self._pre -= tag == "pre"
            self._quote -= tag == "blockquote"
        elif tag in _HEADINGS or (tag == "p" and not self._lists):
            self._gap()
            self._front = ""
        elif tag in _BLOCKS or tag in ("li", "tr"):
            self._end_block()

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


def _read(data: bytes, _: object) -> Any:
    return text_of_html(data.decode("utf-8", "replace"))


if __name__ == "__main__":
    serve(_read)
