"""Entries put into somebody's settings file and cut out again, every other character left as it is. Pure.

What is put in takes on the file's own manner: its indentation, its line ends, one line where the file has one. The
spans that were inserted are recorded, so that cutting them out gives the very file from before. If the file changed in
between, our entries are found by those exact texts, and else by what they are (`prune`).
The result of each step is parsed again and must differ by the entries alone, or it is refused: `Unfit`.
"""

import json
import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from clew.clients.jsonc import BOM, Child, Node, NotJson, parse, plain

# The rest of a line behind a value, as far as comments go: what is said there belongs to that value.
_REMARKS: Final = re.compile(r"(?:[ \t]*(?:/\*[^\r\n]*?\*/|//[^\r\n]*))+")
_BREAK: Final = re.compile(r"\r\n|\n|\r")

Path: TypeAlias = tuple[str, ...]
# Whether a value is one of our entries, by its path (elements of arrays have the key "") and what it holds.
Ours: TypeAlias = Callable[[Path, Any], bool]


class Unfit(ValueError):
    """The file cannot take the entries: what it holds in their place is something else."""


class SpliceEntry(NamedTuple):
    """What shall stand in the file: `value` as the member `key` of the object at `path`, or, with the key "", at the
    end of the array at `path`. Objects and arrays on the way are made when they are missing."""

    path: Path
    key: str
    value: Any


class SpliceSpan(NamedTuple):
    """Text that was inserted, and where it stands in the text after it (in characters)."""

    start: int
    text: str


class Spliced(NamedTuple):
    """A text with entries put in. `spans` in their order: cutting them out gives the text from before.

    `made` are the paths of objects and arrays that were made for the entries.
    """

    text: str
    spans: tuple[SpliceSpan, ...]
    made: tuple[Path, ...]


class _Manner(NamedTuple):
    """How the file is written: its line end, one step of indentation, what stands behind a comma and a colon, and
    whether it has lines at all."""

    line_end: str
    step: str
    gap: str
    lines: bool


def insert(text: str, entries: Sequence[SpliceEntry]) -> Spliced:
    """Put `entries` into `text`, each behind what is there. An empty text becomes an object.

    Raises `NotJson` if `text` cannot be parsed, `Unfit` where something else stands in an entry's place.
    """
    node = parse(text)
    expected = {} if node is None else plain(text, node)
    after, made = text, list[Path]()
    spans: tuple[SpliceSpan, ...] = ()
    for entry in entries:
        made += take_in(expected, entry)
        pieces = _pieces(after, parse(after), entry)
        for at, piece in sorted(pieces, reverse=True):
            after = after[:at] + piece + after[at:]
            spans = _with(spans, SpliceSpan(at, piece))
    _check(after, expected)
    if cut(after, spans) != text:
        raise Unfit("the entries could not be taken out again")
    return Spliced(after, spans, tuple(dict.fromkeys(made)))


def cut(text: str, spans: Sequence[SpliceSpan]) -> str:
    """`text` without the spans. Raises `Unfit` if they do not stand where they were put."""
    for span in sorted(spans, reverse=True):
        if not text.startswith(span.text, span.start):
            raise Unfit("the entries are not where they were put")
        text = text[: span.start] + text[span.start + len(span.text) :]
    return text


def found_again(text: str, spans: Sequence[SpliceSpan]) -> tuple[SpliceSpan, ...] | None:
    """The spans where they stand now, if the text of each is there exactly once and in the same order; else None."""
    spots = []
    for span in spans:
        if text.count(span.text) != 1:
            return None
        spots.append(SpliceSpan(text.index(span.text), span.text))
    apart = all(one.start + len(one.text) <= other.start for one, other in pairwise(spots))
    return tuple(spots) if apart else None


def holds(text: str, entries: Sequence[SpliceEntry], ours: Ours) -> bool:
    """Whether the entries stand in `text`, each once, and nothing else of ours. Raises `NotJson`."""
    node = parse(text)
    return stand_alone({} if node is None else plain(text, node), entries, ours)


def stand_alone(value: Any, entries: Sequence[SpliceEntry], ours: Ours) -> bool:
    """Whether the entries stand in what a file says, each once, and nothing else of ours."""
    wanted = [((*entry.path, entry.key), entry.value) for entry in entries]
    return sorted(map(_said, ours_in(value, (), ours))) == sorted(map(_said, wanted))


def without(text: str, spans: Sequence[SpliceSpan], made: Collection[Path], ours: Ours) -> str:
    """`text` without our entries, whatever happened to it since: cut out where the spans stand, at their old places or
    at new ones, else taken out by what the entries are. Raises `NotJson`, `Unfit`."""
    node = parse(text)
    if node is None:
        return text
    expected = pruned(plain(text, node), (), ours, made)
    for spots in (tuple(spans), found_again(text, spans)):
        try:
            if spots and _holds(shorter := cut(text, spots), expected):
                return shorter
        except (Unfit, NotJson):
            pass  # they stand elsewhere, or something was built on them
    return prune(text, ours, made)


def prune(text: str, ours: Ours, made: Collection[Path] = ()) -> str:
    """`text` without every value that is `ours` and then without the objects and arrays at the paths `made` that are
    empty. Raises `NotJson`, `Unfit`.
    """
    node = parse(text)
    if node is None:
        return text
    expected = pruned(plain(text, node), (), ours, made)
    shorter = _cut_out(text, ours)
    for path in sorted(made, key=len, reverse=True):
        shorter = _cut_out(shorter, partial(_is_empty, path))
    _check(shorter, expected)
    return shorter


# What is put in, and how it looks


def take_in(value: Any, entry: SpliceEntry) -> list[Path]:
    """Put the entry into the plain `value`; the paths that had to be made. Raises `Unfit`."""
    made = []
    for depth, key in enumerate(entry.path, 1):
        inner: Any = [] if depth == len(entry.path) and not entry.key else {}
        if not isinstance(value, dict):
            raise Unfit(f"{_named(entry.path[: depth - 1])} is not an object")
        if key not in value:
            value[key] = inner
            made.append(entry.path[:depth])
        value = value[key]
    if not entry.key and isinstance(value, list):
        value.append(entry.value)
    elif not entry.key or not isinstance(value, dict):
        raise Unfit(f"{_named(entry.path)} is no {'object' if entry.key else 'array'}")
    elif entry.key in value:
        raise Unfit(f"{_named((*entry.path, entry.key))} exists already")
    else:
        value[entry.key] = entry.value
    return made


def _named(path: Path) -> str:
    return "`" + ".".join(path) + "`" if path else "what it holds"


def _pieces(text: str, node: Node | None, entry: SpliceEntry) -> list[tuple[int, str]]:
    """What to insert where, so that the entry stands in the text. `take_in` has checked that it can."""
    manner = _manner(text, node)
    rest: Any = entry.value if entry.key else [entry.value]
    keys = [*entry.path, entry.key] if entry.key else list(entry.path)
    spot = node
    for depth, key in enumerate(keys):
        child = spot.child(key) if spot else None
        if child is None:
            for outer in reversed(keys[depth + 1 :]):
                rest = {outer: rest}
            break
        spot = child.value
    else:
        assert spot is not None
        return _behind(text, spot, "", entry.value, manner)
    if spot is None:
        lead = "" if not text or text == BOM or text.endswith(("\n", "\r")) else manner.line_end
        return [(len(text), lead + _shown({key: rest}, manner, "") + manner.line_end)]
    return _behind(text, spot, key, rest, manner)


def _behind(text: str, node: Node, key: str, value: Any, manner: _Manner) -> list[tuple[int, str]]:
    """The pieces that put a value behind the last one of a container."""
    head = f"{json.dumps(key)}:{manner.gap}" if key else ""
    if not node.children:
        return [_first(text, node, head, value, manner)]
    first, last = node.children[0], node.children[-1]
    trailing = last.comma >= 0
    at = last.comma + 1 if trailing else last.value.end
    if _BREAK.search(text, node.start, first.start) is None:
        behind, before = (",", "") if trailing else ("", ",")
        return [(at, before + manner.gap + head + _shown(value, manner, None) + behind)]
    indent = _indent(text, last.start if _leads(text, last.start) else first.start)
    line = manner.line_end + indent + head + _shown(value, manner, indent)
    remarks = _REMARKS.match(text, at)
    if trailing:
        return [(remarks.end() if remarks else at, line + ",")]
    return [(at, ","), (remarks.end(), line)] if remarks else [(at, "," + line)]


def _first(text: str, node: Node, head: str, value: Any, manner: _Manner) -> tuple[int, str]:
    """The piece that puts the first value into an empty container, behind the comments that stand in it."""
    inside = text[node.start + 1 : node.end - 1]
    at = node.start + 1 + len(inside.rstrip(" \t\r\n"))
    if not manner.lines:
        return at, head + _shown(value, manner, None)
    outer = _indent(text, node.start)
    indent = outer + manner.step
    closing = "" if _BREAK.search(text, at, node.end) else manner.line_end + outer
    return at, manner.line_end + indent + head + _shown(value, manner, indent) + closing


def _shown(value: Any, manner: _Manner, indent: str | None) -> str:
    """The value as JSON: on one line, or from `indent` on over lines, the first of which is indented already. An array
    of plain values stays on one."""
    if indent is None:
        return json.dumps(value, separators=("," + manner.gap, ":" + manner.gap))
    inner = indent + manner.step
    if isinstance(value, dict) and value:
        rows = [f"{json.dumps(key)}: {_shown(one, manner, inner)}" for key, one in value.items()]
    elif isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        rows = [_shown(one, manner, inner) for one in value]
    else:
        return json.dumps(value)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = ("," + manner.line_end).join(inner + row for row in rows)
    return opening + manner.line_end + lines + manner.line_end + indent + closing


def _manner(text: str, node: Node | None) -> _Manner:
    found = _BREAK.search(text)
    line_end = found.group() if found else "\n"
    if node is None or not node.children:
        return _Manner(line_end, "  ", " ", True)
    lines = _BREAK.search(text, node.start, node.end) is not None
    first = node.children[0]
    key_end = text.find(":", text.index('"', first.start) + len(first.key) + 1) if node.sort == "object" else -1
    spaced = lines or text[key_end + 1 : key_end + 2].isspace()
    return _Manner(line_end, _step(text, node) or "  ", " " if spaced else "", lines)


def _step(text: str, node: Node) -> str:
    """One step of indentation, read off the first value that stands deeper than what holds it; "" for none."""
    outer = _indent(text, node.start)
    for child in node.children:
        if _leads(text, child.start):
            indent = _indent(text, child.start)
            if len(indent) > len(outer) and indent.startswith(outer):
                return indent[len(outer) :]
        if deeper := _step(text, child.value):
            return deeper
    return ""


def _line_start(text: str, at: int) -> int:
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return start + 1 if start == 0 and text.startswith(BOM) and at > 0 else start


def _indent(text: str, at: int) -> str:
    """The white space that the line of `at` begins with."""
    start = _line_start(text, at)
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _leads(text: str, at: int) -> bool:
    """Whether nothing but space stands before `at` in its line."""
    return not text[_line_start(text, at) : at].strip(" \t")


def _with(spans: Sequence[SpliceSpan], new: SpliceSpan) -> tuple[SpliceSpan, ...]:
    """The spans after one more insertion: what stands behind it moves, what it falls into or touches grows."""
    found, joined = [], new
    for span in spans:
        if span.start + len(span.text) < new.start:
            found.append(span)
        elif span.start > new.start:
            found.append(SpliceSpan(span.start + len(new.text), span.text))
        else:
            cut_at = new.start - span.start
            joined = SpliceSpan(span.start, span.text[:cut_at] + new.text + span.text[cut_at:])
    found.append(joined)
    return tuple(sorted(found))


# What is taken out


def ours_in(value: Any, path: Path, ours: Ours) -> list[tuple[Path, Any]]:
    """What is ours in the plain `value`, by its path; nothing of what stands inside of it."""
    if not isinstance(value, (dict, list)):
        return []
    found: list[tuple[Path, Any]] = []
    for key, one in value.items() if isinstance(value, dict) else (("", one) for one in value):
        at = (*path, key)
        found += [(at, one)] if ours(at, one) else ours_in(one, at, ours)
    return found


def pruned(value: Any, path: Path, ours: Ours, made: Collection[Path]) -> Any:
    """The plain `value` without what is ours, and without what was made for it and is empty."""

    def kept(at: Path, inner: Any) -> list[Any]:
        if ours(at, inner):
            return []
        shorter = pruned(inner, at, ours, made)
        return [] if at in made and shorter in ({}, []) else [shorter]

    if isinstance(value, dict):
        return {key: inner[0] for key, whole in value.items() if (inner := kept((*path, key), whole))}
    if isinstance(value, list):
        return [inner for whole in value for inner in kept((*path, ""), whole)]
    return value


def _cut_out(text: str, ours: Ours) -> str:
    node = parse(text)
    if node is None:
        return text
    for start, end in sorted(_cuts(text, node, (), ours), reverse=True):
        text = text[:start] + text[end:]
    return text


def _cuts(text: str, node: Node, path: Path, ours: Ours) -> list[tuple[int, int]]:
    """The stretches of a container that go, with the commas and the space that belong to them; none overlap."""
    gone = [ours((*path, child.key), plain(text, child.value)) for child in node.children]
    cuts = []
    for child, goes in zip(node.children, gone, strict=True):
        if goes:
            cuts.append(_cut_of(text, node, child))
        else:
            cuts += _cuts(text, child.value, (*path, child.key), ours)
    if not any(gone):
        return cuts
    kept = [child for child, goes in zip(node.children, gone, strict=True) if not goes]
    if kept and gone[-1] and node.children[-1].comma < 0:
        cuts.append((kept[-1].comma, kept[-1].comma + 1))
    inside = "".join(text[start:end] for start, end in _gaps(node.start + 1, node.end - 1, cuts))
    if not kept and not inside.strip(" \t\r\n"):
        return [(node.start + 1, node.end - 1)]
    return cuts


def _cut_of(text: str, node: Node, child: Child) -> tuple[int, int]:
    """A value with the comma behind it, and the space that is its own: that of its line, or that before it."""
    end = child.comma + 1 if child.comma >= 0 else child.value.end
    before = text[node.start + 1 : child.start]
    start = node.start + 1 + len(before.rstrip(" \t\r\n"))
    alone = _BREAK.search(text, start, child.start) is None or re.match(r"[ \t]*[\r\n]", text[end : node.end])
    if alone and start < child.start:
        return start, end
    # Something else stands in its line: that moves to where it stood (and not behind a remark of the line before).
    return child.start, end + len(text[end : node.end]) - len(text[end : node.end].lstrip(" \t"))


def _is_empty(path: Path, at: Path, value: Any) -> bool:
    return at == path and value in ({}, [])


def _gaps(start: int, end: int, cuts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """What is left between `start` and `end` without the cuts."""
    left = []
    for cut_start, cut_end in sorted(cuts):
        left.append((start, cut_start))
        start = cut_end
    return [*left, (start, end)]


def _check(text: str, expected: Any) -> None:
    if not _holds(text, expected):
        raise Unfit("more than the entries would change")


def _holds(text: str, expected: Any) -> bool:
    node = parse(text)
    return _same({} if node is None else plain(text, node), expected)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: 1 and true are not, and the order of members counts."""
    return json.dumps(one) == json.dumps(other)


def _said(spot: tuple[Path, Any]) -> str:
    return json.dumps(spot, sort_keys=True)
