"""A paragraph rule for markdown-it that asks the other rules only about lines that could begin something else.

It reads what the library's two rules read (paragraphs, titles with a line below), three times as fast, and differs in
two things: a list that is indented too far still ends a paragraph, and so does a label that is indented less.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock

# What can begin something in the midst of a paragraph: a heading, a quote, a fence, HTML, a list or a rule. A row of a
# table has a bar somewhere.
_SIGNS = frozenset("#>`~<-*+_0123456789")
_BEGINS = re.compile(r"#{1,6}(?:\s|$)|>|```|~~~|<[A-Za-z!/?]|[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|[-*_][-*_ \t]")
_LIST = re.compile(r"[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)")
# A label that stands further left than the entry of a list above it is no part of that: "NEXT:", "**Notes:** …".
_LABEL = re.compile(r"\*\*[^*\n]{1,60}(?::\*\*|\*\*:)|[A-Z][A-Z /_-]{2,40}:(?:\s|$)|[A-Z][\w /'-]{1,40}:\s*$")


def paragraph(state: StateBlock, start: int, _end: int, _silent: bool) -> bool:
    """Reads a paragraph, or a title with `===` or `---` below it, from line `start` on."""
    rules = state.md.block.ruler.getRules("paragraph")
    outer, state.parentType = state.parentType, "paragraph"
    end, source, at, level = state.lineMax, state.src, start + 1, 0
    while at < end:
        first, last = state.bMarks[at] + state.tShift[at], state.eMarks[at]
        if first >= last:
            break
        indent = state.sCount[at]
        sign = source[first]
        # Below zero: a line of a block quote that its rule has seen to.
        if indent >= 0:
            deep = indent - state.blkIndent > 3
            if sign in "-=" and not deep and indent >= state.blkIndent and not source[first:last].strip(sign).strip():
                level = 1 if sign == "=" else 2
                break
            if indent < state.blkIndent and _LABEL.match(source, first, last):
                break
            begins = sign in _SIGNS and (_LIST if deep else _BEGINS).match(source, first)
            if (begins or (not deep and source.find("|", first, last) >= 0)) and any(
                rule(state, at, end, True) for rule in rules
            ):
                break
        at += 1
    content = state.getLines(start, at, state.blkIndent, False).strip()
    state.line = at + bool(level)
    name, tag = ("heading", f"h{level}") if level else ("paragraph", "p")
    opening = state.push(f"{name}_open", tag, 1)
    opening.map, opening.markup = [start, state.line], "=-"[level - 1] if level else ""
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = content, [start, at], []
    state.push(f"{name}_close", tag, -1)
    state.parentType = outer
    return True
