"""JSON and YAML as trees that know their lines. Knows nothing of what keys mean."""

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from clew.core.tuples import NamedTuple

if TYPE_CHECKING:
    import yaml

# Deeper trees are read as text: nothing that people keep state in is nested like that.
DEPTH_MAX = 60
# Aliases are not followed a second time, and no more nodes than these are read.
_NODES_MAX = 200_000


class Node(NamedTuple):
    """A value and its lines, from 1. One of `pairs` (of a map), `items` (of a list), and `scalar` (text, as written in
    YAML; numbers and booleans of JSON in JSON's words) is not None.
    """

    first: int
    last: int
    scalar: str | None = None
    items: "tuple[Node, ...] | None" = None
    pairs: "tuple[tuple[str, Node], ...] | None" = None
    is_text: bool = True


_TOKEN = re.compile(r'[{}\[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}\[\],:"]+', re.DOTALL)


class _Open(NamedTuple):
    first: int
    is_map: bool
    items: "list[Node]"
    keys: list[str]


def read_json(text: str, first: int = 1) -> "Node | None":
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


def _closed(part: _Open, last: int) -> "Node":
    if part.is_map:
        return Node(part.first, last, pairs=tuple(zip(part.keys, part.items, strict=True)))
    return Node(part.first, last, items=tuple(part.items))


_LEADS = re.compile(r"(?:[ \t]*[-?:] )+")


def read_yaml(text: str) -> "list[Node]":
    """The trees of a YAML text, one a document; empty if it is not YAML, or too deep or large to be read safely."""
    if not _is_shallow(text):
        return []
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    budget = [_NODES_MAX]
    try:
        return [_node(root, set(), budget, 0) for root in yaml.compose_all(text, Loader=loader) if root is not None]
    except (yaml.YAMLError, ValueError, RecursionError, UnicodeError):
        return []


def _is_shallow(text: str) -> bool:
    """Whether it is nested little enough that no loader can run out of stack."""
    depth = deepest = 0
    for line in text.split("\n"):
        lead = _LEADS.match(line)
        if (lead and len(re.findall(r"[-?:] ", lead[0])) > 8) or len(line) - len(line.lstrip(" ")) > 4 * DEPTH_MAX:
            return False
        for sign in re.findall(r"[\[\]{}]", line):
            depth += 1 if sign in "[{" else -1
            deepest = max(deepest, depth)
            if deepest > DEPTH_MAX:
                return False
    return True


def _node(part: "yaml.Node", seen: set[int], budget: list[int], depth: int) -> "Node":
    import yaml

    first, end = part.start_mark.line + 1, part.end_mark
    # A block's end is where the next thing begins: column 0 of a later line.
    last = max(first, end.line + 1 if end.column > 0 and isinstance(part, yaml.ScalarNode) else end.line)
    if isinstance(part, yaml.ScalarNode) and part.style not in ("|", ">"):
        last = max(first, end.line + 1) if end.column else last
    elif getattr(part, "flow_style", False):
        last = end.line + 1
    budget[0] -= 1
    if isinstance(part, yaml.ScalarNode) or id(part) in seen or budget[0] < 0 or depth > DEPTH_MAX:
        value = str(part.value) if isinstance(part, yaml.ScalarNode) else ""
        is_text = part.tag == "tag:yaml.org,2002:str"
        return Node(first, last, scalar=value, is_text=is_text)
    seen.add(id(part))
    flow = bool(getattr(part, "flow_style", False))
    if isinstance(part, yaml.SequenceNode):
        items = tuple(_node(item, seen, budget, depth + 1) for item in part.value)
        return Node(first, max(last, items[-1].last if items and not flow else 0), items=items)
    pairs = tuple(
        (str(key.value) if isinstance(key.value, str) else "", _node(value, seen, budget, depth + 1))
        for key, value in part.value
    )
    return Node(first, max(last, pairs[-1][1].last if pairs and not flow else 0), pairs=pairs)
