"""JSON as trees that know their lines. Knows nothing of what keys mean."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Final, NamedTuple

# Deeper trees are read as text: nothing that people keep state in is nested like that.
DEPTH_MAX: Final = 60
_TOKEN: Final = re.compile(r'[{}\[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}\[\],:"]+', re.DOTALL)


class Node(NamedTuple):
    """A value and its lines, from 1. One of `pairs` (of a map), `items` (of a list), and `scalar` (numbers and
    booleans in JSON's words) is not None.
    """

    first: int
    last: int
    scalar: str | None = None
    items: tuple[Node, ...] | None = None
    pairs: tuple[tuple[str, Node], ...] | None = None
    is_text: bool = True


def read_json(text: str, first: int = 1) -> Node | None:
    """The tree of a JSON text that begins in line `first`; None if it is none, or nested too deep."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    ends = [match.start() for match in re.finditer("\n", text)]
    # Of each map or list that is open: its first line, its keys (None: a list), its values.
    stack: list[tuple[int, list[str] | None, list[Node]]] = []
    root: Node | None = None
    for match in _TOKEN.finditer(text):
        token, line = match[0], first + bisect_right(ends, match.start() - 1)
        if token in ",:":
            continue
        if token in "{[":
            if len(stack) >= DEPTH_MAX:
                return None
            stack.append((line, [] if token == "{" else None, []))
            continue
        if token in "}]":
            start, keys, values = stack.pop()
            pairs = tuple(zip(keys, values, strict=True)) if keys is not None else None
            node = Node(start, line, items=None if pairs is not None else tuple(values), pairs=pairs)
        elif token[0] == '"':
            value = str(json.loads(token))
            if stack and (keys := stack[-1][1]) is not None and len(keys) == len(stack[-1][2]):
                keys.append(value)
                continue
            node = Node(line, line, scalar=value)
        else:
            node = Node(line, line, scalar=token, is_text=False)
        if stack:
            stack[-1][2].append(node)
        else:
            root = node
    return root
