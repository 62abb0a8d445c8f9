"""What a script of the model calls, read off its text: JavaScript that was run by the client, and is not run here.

`tools.NAME(ARGUMENT)` is found outside of comments and texts. An argument counts if it is written out: texts (also
joined ones), numbers, lists, objects, and names that such a text was given to before. Sources: docs/clients/codex.md,
"Scripts".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

_CHARS_MAX: Final = 1 << 20
_DEPTH_MAX: Final = 24
_CALLS_MAX: Final = 500
# So far is looked for the end of a value that is not written out.
_VALUE_CHARS_MAX: Final = 2_000
# Comments and texts are passed over; a text that is not closed ends where no text can go on.
_TEXT: Final = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*(?:`|\Z)"
_SEEN: Final = re.compile(
    rf"//[^\n]*|/\*.*?(?:\*/|\Z)|{_TEXT}"
    r"|(?<![\w.$])tools\s*(?:\?\.|\.)\s*(?P<tool>\w+)\s*\(|\b(?:const|let|var)\s+(?P<name>[\w$]+)\s*=(?!=)",
    re.DOTALL,
)
_SPACE: Final = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_LITERAL: Final = re.compile(rf"(?:String\.raw)?(?:{_TEXT})", re.DOTALL)
_SIGN: Final = re.compile(rf"{_TEXT}|//[^\n]*|/\*.*?(?:\*/|\Z)|[\[\](){{}},]", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER: Final = re.compile(r"-?\d[\d_]*(?:\.\d+)?")
_ESCAPE: Final = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_PLAIN: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_WORDS: Final = {"true": True, "false": False, "null": None, "undefined": None}


class ToolCall(NamedTuple):
    """A call in a script. `argument` is None where it is not written out; fields that are not are left out of it."""

    tool: str
    argument: Any


class _Unknown(Exception):
    """What stands there is no value that is written out."""


def calls_in(script: str) -> list[ToolCall]:
    """The calls of tools in a script, in the order in which they stand. Never raises."""
    return list(islice(_calls(script[:_CHARS_MAX]), _CALLS_MAX))


def _calls(script: str) -> Iterator[ToolCall]:
    known: dict[str, str] = {}
    for seen in _SEEN.finditer(script):
        if seen["tool"]:
            yield ToolCall(seen["tool"], _value_at(script, seen.end(), known))
        elif seen["name"]:
            value = _value_at(script, seen.end(), known)
            if isinstance(value, str):
                known[seen["name"]] = value
            else:
                known.pop(seen["name"], None)


def _value_at(script: str, at: int, known: dict[str, str]) -> Any:
    try:
        return _Values(script, known).value(at, 0)[0]
    except _Unknown:
        return None


class _Values:
    """Reads values. Each method gives what stands at a place and where it ends, or raises `_Unknown`."""

    def __init__(self, script: str, known: dict[str, str]) -> None:
        self._script = script
        self._known = known

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        """A value with what is put behind it: `"a" + "b"`, `["a", "b"].join("\\n")`."""
        found, at = self._one(at, depth)
        while True:
            at = self._skip(at)
            if isinstance(found, list) and self._script.startswith(".join(", at):
                between, at = self._one(at + len(".join("), depth + 1)
                at = self._expect(")", at)
                if not (isinstance(between, str) and all(isinstance(one, str) for one in found)):
                    raise _Unknown
                found = between.join(found)
            elif isinstance(found, str) and self._script.startswith("+", at):
                more, at = self._one(at + 1, depth + 1)
                if not isinstance(more, str):
                    raise _Unknown
                found += more
            elif self._script.startswith((",", ")", "]", "}", ";"), at) or at == len(self._script):
                return found, at
            elif self._script.rfind("\n", 0, at) >= 0 and _WORD.match(self._script, at):
                return found, at  # a statement on the next line
            else:
                raise _Unknown

    def _one(self, at: int, depth: int) -> tuple[Any, int]:
        at = self._skip(at)
        if depth > _DEPTH_MAX or at >= len(self._script):
            raise _Unknown
        if found := _LITERAL.match(self._script, at):
            return _text(found[0]), found.end()
        first = self._script[at]
        if first == "{":
            return self._object(at + 1, depth + 1)
        if first == "[":
            return self._list(at + 1, depth + 1)
        if found := _NUMBER.match(self._script, at):
            digits = found[0].replace("_", "")
            return (float(digits) if "." in digits else int(digits[:18])), found.end()
        if found := _WORD.match(self._script, at):
            if found[0] in _WORDS:
                return _WORDS[found[0]], found.end()
            if found[0] in self._known:
                return self._known[found[0]], found.end()
        raise _Unknown

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        fields: dict[str, Any] = {}
        while not self._script.startswith("}", at := self._skip(at)):
            if found := _LITERAL.match(self._script, at):
                name = _text(found[0])
            elif found := _WORD.match(self._script, at):
                name = found[0]
            else:
                raise _Unknown
            at = self._skip(found.end())
            if self._script.startswith(":", at):
                try:
                    fields[name], at = self.value(at + 1, depth)
                except _Unknown:
                    if depth > 1:
                        raise
                    at = self._past(at)
            elif name in self._known:  # `{cmd}`
                fields[name] = self._known[name]
            at = self._comma(at, "}")
        return fields, at + 1

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        values: list[Any] = []
        while not self._script.startswith("]", at := self._skip(at)):
            value, at = self.value(at, depth)
            values.append(value)
            at = self._comma(at, "]")
        return values, at + 1

    def _past(self, at: int) -> int:
        """Where the value of a field ends that is not written out."""
        depth = 0
        for sign in _SIGN.finditer(self._script, at, at + _VALUE_CHARS_MAX):
            if sign[0] in ("(", "[", "{"):
                depth += 1
            elif depth and sign[0] in (")", "]", "}"):
                depth -= 1
            elif not depth and sign[0] in (",", "}"):
                return sign.start()
        raise _Unknown

    def _comma(self, at: int, closing: str) -> int:
        at = self._skip(at)
        if self._script.startswith(",", at):
            return at + 1
        if self._script.startswith(closing, at):
            return at
        raise _Unknown

    def _expect(self, sign: str, at: int) -> int:
        at = self._skip(at)
        if not self._script.startswith(sign, at):
            raise _Unknown
        return at + len(sign)

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._script, at)
        return found.end() if found is not None else at


def _text(literal: str) -> str:
    """What a text of JavaScript says; what is put into one between back-quotes (`${x}`) stays as it is written."""
    if literal.startswith("String.raw"):
        return literal[len("String.raw") + 1 : -1]
    return _ESCAPE.sub(_unescaped, literal[1:-1]) if "\\" in literal else literal[1:-1]


def _unescaped(found: re.Match[str]) -> str:
    escape = found[1]
    if escape[0] in "ux" and len(escape) > 1:
        number = int(escape.strip("ux{}"), 16)
        return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else "\ufffd"
    return _PLAIN.get(escape, escape)
