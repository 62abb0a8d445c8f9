"""Where each value stands in JSON as people keep it in settings: with comments and trailing commas. Pure.

Source: RFC 8259, and of what goes beyond it only `//` and `/* */` comments, a comma behind the last value, and a byte
order mark. Anything else (single quotes, bare keys) is refused: who guesses at a file that he cannot read destroys it.
"""

import json
import re
from typing import Any, Final, NamedTuple

BOM: Final = "\ufeff"
DEPTH_MAX: Final = 100
_NUMBER_CHARS_MAX: Final = 300
_SPACE: Final = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_BARE: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


class NotJson(ValueError):
    """The text is not JSON, not even with comments. `line` (from 1) is where that shows; `what` says how."""

    def __init__(self, text: str, at: int, what: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.what = what
        super().__init__(f"line {self.line}: {what}")


class Child(NamedTuple):
    """A member of an object, or with the key "" an element of an array. `start` is where its key or value begins;
    `comma` where the comma behind it stands, -1 for none."""

    key: str
    start: int
    value: "Node"
    comma: int


class Node(NamedTuple):
    """A value from `start` up to `end` (not with it). `sort` is "object", "array" or "plain"."""

    sort: str
    start: int
    end: int
    children: tuple[Child, ...] = ()

    def child(self, key: str) -> Child | None:
        """The member of this key; of several the last, which is the one that counts."""
        return next((child for child in reversed(self.children) if child.key == key), None)


def parse(text: str) -> Node | None:
    """The value that `text` holds; None if there is nothing but space and comments. Raises `NotJson`."""
    at = _skip(text, 1 if text.startswith(BOM) else 0)
    if at == len(text):
        return None
    node = _value(text, at, 0)
    if (end := _skip(text, node.end)) != len(text):
        raise NotJson(text, end, "there is something after the end of the value")
    return node


def plain(text: str, node: Node) -> Any:
    """The value as Python has it. Of two members with one key the last counts, as in every client."""
    if node.sort == "object":
        return {child.key: plain(text, child.value) for child in node.children}
    if node.sort == "array":
        return [plain(text, child.value) for child in node.children]
    return json.loads(text[node.start : node.end])


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    end = found.end() if found else at
    if text.startswith("/*", end):
        raise NotJson(text, end, "a comment does not end")
    return end


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEPTH_MAX:
        raise NotJson(text, at, f"values stand more than {DEPTH_MAX} deep in each other")
    if text.startswith("{", at) or text.startswith("[", at):
        return _container(text, at, depth)
    found = _STRING.match(text, at) or _BARE.match(text, at)
    if found is None:
        raise NotJson(text, at, "a value was expected" if at < len(text) else "the text ends too early")
    if text[at] != '"' and found.end() - at > _NUMBER_CHARS_MAX:
        raise NotJson(text, at, "a number is too long")
    return Node("plain", at, found.end())


def _container(text: str, start: int, depth: int) -> Node:
    sort, close = ("object", "}") if text[start] == "{" else ("array", "]")
    children: list[Child] = []
    at = _skip(text, start + 1)
    while not text.startswith(close, at):
        if children and children[-1].comma < 0:
            raise NotJson(text, at, "a comma was expected" if at < len(text) else "the text ends too early")
        begin, key = at, ""
        if sort == "object":
            key, at = _key(text, at)
        value = _value(text, at, depth + 1)
        at = _skip(text, value.end)
        comma = at if text.startswith(",", at) else -1
        children.append(Child(key, begin, value, comma))
        if comma >= 0:
            at = _skip(text, at + 1)
    return Node(sort, start, at + 1, tuple(children))


def _key(text: str, at: int) -> tuple[str, int]:
    """The key that stands at `at`, and where its value begins."""
    found = _STRING.match(text, at)
    if found is None:
        raise NotJson(text, at, "a key in double quotes was expected" if at < len(text) else "the text ends too early")
    colon = _skip(text, found.end())
    if not text.startswith(":", colon):
        raise NotJson(text, colon, "a colon was expected")
    return json.loads(found.group()), _skip(text, colon + 1)
