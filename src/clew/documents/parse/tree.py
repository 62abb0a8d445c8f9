"""JSON as trees that know their lines. Knows nothing of what keys mean."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Final

from clew.core.tuples import NamedTuple

# Deeper trees are read as text: nothing that people keep state in is nested like that.
DEPTH_MAX: Final = 60
_TOKEN: Final = re.compile(r'[{}\[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}\[\],:"]+', re.DOTALL)


class Node(NamedTuple):
    """A value and its lines, from 1. One of `pairs` (of a map), `items` (of a list), and `scalar` (numbers and booleans
    in JSON's words) is not None.
    """

    first: int
    last: int
    scalar: str | None = None
    items: tuple[Node, ...] | None = None
    pairs: tuple[tuple[str, Node], ...] | None = None
    is_text: bool = True


class _Open(NamedTuple):
    first: int
    is_map: bool
    items: list[Node]
    keys: list[str]


def read_json(text: str, first: int = 1) -> Node | None:
    """The tree of a JSON text that begins in line `first`; None if it is none, or nested too deep."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    ends = [match.start() for match in re.finditer("\n", text)]
    stack: list[_Open] = []
    pending: str | None = None
    root: Node | None = None
    for match in _TOKEN.finditer(text):
        token, line = match[0], first + bisect_right(ends, match.start() - 1)
        if token in "{[":
            if len(stack) >= DEPTH_MAX:
                return None
            if pending is not None:
                stack[-1].keys.append(pending)
                pending = None
            stack.append(_Open(line, token == "{", [], []))
            continue
        if token in ",:":
            continue
        if token in "}]":
            node = _closed(stack.pop(), line)
        elif token[0] == '"':
            value = str(json.loads(token))
            if stack and stack[-1].is_map and pending is None and len(stack[-1].keys) == len(stack[-1].items):
                pending = value
                continue
            node = Node(line, line, scalar=value)
        else:
            node = Node(line, line, scalar=token, is_text=False)
        if pending is not None:
            stack[-1].keys.append(pending)
            pending = None
        if stack:
            stack[-1].items.append(node)
        else:
            root = node
    return root


def _closed(part: _Open, last: int) -> Node:
    if part.is_map:
        return Node(part.first, last, pairs=tuple(zip(part.keys, part.items, strict=True)))
    return Node(part.first, last, items=tuple(part.items))
