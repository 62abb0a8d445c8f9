"""Where functions, classes and the like are defined in a work tree: by `tree-sitter` where the extra `outline` is
installed and knows the language, else by the words in front of a name. Reads files; runs nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from clew.workspace.disk import Disk, clean

# What is larger was made by a program, or is no source.
_FILE_BYTES_MAX: Final = 1 << 20
_TOTAL_BYTES_MAX: Final = 200 << 20
_PLACES_MAX: Final = 5
_SOURCES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("py", "pyi"), "python"),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    "tsx": "tsx",
    "go": "go",
    "rs": "rust",
    "java": "java",
}
# Others are read by words alone.
_OTHERS: Final = frozenset(
    """c h cc cpp cxx hpp cs kt kts swift scala rb php lua sh bash zsh ex exs erl zig jl dart vue svelte sql
    proto""".split()
)
# What stands in front of a name where it is defined.
_WORDS: Final = (
    rb"(?:def|class|func|fn|function|fun|interface|struct|enum|trait|type|module|const|let|var|val|impl|object|record|"
    rb"macro_rules!|sub|message|service|proc|defp|defmodule|create\s+table(?:\s+if\s+not\s+exists)?)"
)


class SymbolPlace(NamedTuple):
    """A file, relative to the root, and the line in it, from 1."""

    path: str
    line: int


class Symbol(NamedTuple):
    """What the tree says of a name: where it is defined, at most a few places, and a place where it only occurs (None
    nowhere). `complete`: every source file was looked at.
    """

    defined: tuple[SymbolPlace, ...]
    occurs: SymbolPlace | None
    complete: bool


def symbols(root: Path, files: Iterable[str], names: Collection[str]) -> dict[str, Symbol]:
    """What the source files (paths relative to `root`) say of each of `names`, which may be dotted: then the last part
    counts, in a file that has the one before it, too.
    """
    disk = Disk(root)
    lasts = {name: re.split(r"\.|::|#", name) for name in names}
    wanted = {parts[-1].encode() for parts in lasts.values()}
    defined: dict[bytes, list[tuple[SymbolPlace, bytes]]] = {}
    occurs: dict[bytes, SymbolPlace] = {}
    left, complete = _TOTAL_BYTES_MAX, True
    if wanted:
        look = re.compile(rb"\b(?:" + b"|".join(map(re.escape, sorted(wanted))) + rb")\b")
        for path in files:
            ending = path.rpartition(".")[2].lower()
            if ending not in _SOURCES and ending not in _OTHERS:
                continue
            data = _read(disk, path)
            left -= len(data or b"")
            if data is None or left < 0:
                complete = False
                continue
            there = set(look.findall(data))
            if there:
                _take(path, ending, data, there, defined, occurs)
    return {name: _symbol(parts, defined, occurs, complete) for name, parts in lasts.items()}


def outline(path: str, data: bytes) -> tuple[int, ...] | None:
    """The lines, from 1, on which a file defines something that others can use, in their order; None where the extra
    `outline` is not installed or does not know its language. What a function defines inside of it is its own.
    """
    language = _SOURCES.get(path.rpartition(".")[2].lower(), "")
    parse = _parser(language) if language else None
    if parse is None:
        return None
    found: set[int] = set()
    waiting = [parse(data).root_node]
    while waiting:
        node = waiting.pop()
        if node.type in _DEFINING or node.type in _OWNING or (node.type == "assignment" and _is_outside(node)):
            found.add(node.start_point[0] + 1)
        if node.type not in _CLOSED:
            waiting += node.children
    return tuple(sorted(found))


def _take(
    path: str,
    ending: str,
    data: bytes,
    there: set[bytes],
    defined: dict[bytes, list[tuple[SymbolPlace, bytes]]],
    occurs: dict[bytes, SymbolPlace],
) -> None:
    for name, line in _definitions(_SOURCES.get(ending, ""), data, there):
        defined.setdefault(name, []).append((SymbolPlace(path, line), data))
    for name in there:
        if name not in occurs:
            at = re.search(rb"\b" + re.escape(name) + rb"\b", data)
            occurs[name] = SymbolPlace(path, data.count(b"\n", 0, at.start() if at else 0) + 1)


def _symbol(
    parts: list[str],
    defined: Mapping[bytes, list[tuple[SymbolPlace, bytes]]],
    occurs: Mapping[bytes, SymbolPlace],
    complete: bool,
) -> Symbol:
    last = parts[-1].encode()
    found = defined.get(last, [])
    if len(parts) > 1:
        owner = parts[-2].encode()
        found = [one for one in found if owner in one[1] or owner == Path(one[0].path).stem.encode()]
    return Symbol(tuple(place for place, _ in found[:_PLACES_MAX]), occurs.get(last), complete)


def _read(disk: Disk, path: str) -> bytes | None:
    """The bytes of a file; None where it is too large, is no plain file, or is outside the root."""
    relative = clean(path)
    place = disk.locate(relative) if relative else None
    if place is None or Path(place).is_symlink():
        return None
    try:
        with open(place, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
            data = file.read(_FILE_BYTES_MAX + 1)
    except OSError:
        return b""  # gone: git lists it still
    return data if len(data) <= _FILE_BYTES_MAX else None


def _definitions(language: str, data: bytes, names: set[bytes]) -> list[tuple[bytes, int]]:
    """The names that are defined in a file, with their lines."""
    parse = _parser(language) if language else None
    return _by_tree(parse(data), names) if parse is not None else _by_words(data, names)


def _by_words(data: bytes, names: set[bytes]) -> list[tuple[bytes, int]]:
    either = b"|".join(map(re.escape, sorted(names)))
    # What is repeated stays in its line: over a file of words alone it would cost the square of its length.
    forms = (
        # `func (s *Store) Get`, `def self.x`
        _WORDS + rb"\s+(?:\([^)\n]{0,80}\)\s*)?(?:[\w.:]+[.:])?(" + either + rb")\b",
        rb"^[ \t]*(?:export[ \t]+)?(?:(?:async|static|public|private|protected)[ \t]+)*(" + either
        + rb")\s*(?:=\s*(?:async\s*)?\(|\([^;\n]*\)\s*(?::[^={\n]+)?\{)",  # a method; an arrow function
        rb"^(" + either + rb")\s*(?::[^=\n]+)?=[^=]",  # a constant of a module
        rb"^[ \t]*(?:[\w:<>*&]+[ \t]+)+\*?(" + either + rb")\s*\([^;\n]*\)\s*(?:const\s*)?\{",  # of C and its kin
    )  # fmt: skip
    found = {}
    for form in forms:
        for match in re.finditer(form, data, re.MULTILINE):
            found[match.start(1)] = match[1]
    return [(name, data.count(b"\n", 0, at) + 1) for at, name in sorted(found.items())]


_DEFINING: Final = frozenset(
    """abstract_class_declaration class_declaration class_definition const_item const_spec constructor_declaration
    enum_declaration enum_item field_declaration function_declaration function_definition function_item
    function_signature_item generator_function_declaration interface_declaration macro_definition method_declaration
    method_definition mod_item public_field_definition record_declaration static_item struct_item trait_item
    type_alias_declaration type_item type_spec var_spec variable_declarator""".split()
)


# What has definitions in it and no name of its own.
_OWNING: Final = frozenset(("impl_item",))
# Inside of these nothing is defined for others.
_CLOSED: Final = frozenset(
    """constructor_declaration function_declaration function_definition function_item generator_function_declaration
    method_declaration method_definition variable_declarator""".split()
)


def _by_tree(tree: Any, names: set[bytes]) -> list[tuple[bytes, int]]:
    found, waiting = [], [tree.root_node]
    while waiting:
        node = waiting.pop()
        named = node.child_by_field_name("name") if node.type in _DEFINING else None
        if node.type == "assignment" and _is_outside(node):
            named = node.child_by_field_name("left")
        if named is not None and named.text in names:
            found.append((bytes(named.text), named.start_point[0] + 1))
        waiting += node.children
    return sorted(found, key=lambda one: one[1])


def _is_outside(assignment: Any) -> bool:
    """Whether an assignment of Python's stands in a module or a class, and not in a function."""
    body = assignment.parent.parent if assignment.parent is not None else None
    owner = body.parent if body is not None and body.type == "block" else body
    return owner is not None and owner.type in ("module", "class_definition")


@cache
def _parser(language: str) -> Callable[[bytes], Any] | None:
    """What takes a file of this language apart; None where its grammar is not installed."""
    module = f"tree_sitter_{'typescript' if language == 'tsx' else language}"
    try:
        from tree_sitter import Language, Parser

        grammar = import_module(module)
    except ImportError:
        return None
    names = {"typescript": "language_typescript", "tsx": "language_tsx"}
    try:
        parser = Parser(Language(getattr(grammar, names.get(language, "language"))()))
    except (AttributeError, TypeError, ValueError):  # a grammar of another version
        return None
    parse: Callable[[bytes], Any] = parser.parse
    return parse
