"""A stack's file, `.clew/stacks/NAME.toml`: read, and written so that comments and order stay
(docs/reference/stacks.md).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_origin

import msgspec

from clew.app.project.location import PROJECT_FOLDER
from clew.app.project.settings import parse
from clew.app.results import JsonResult
from clew.core.errors import InputError, NotFound
from clew.core.text.cleaning import clean, one_line
from clew.secrets import scan
from clew.sources.port import Spec
from clew.sources.registry import source, spec_of
from clew.workspace.atomic import alone, replace
from clew.workspace.disk import Disk, read
from clew.workspace.disk import names as names_in

# The text of a stack's file, changed source by source: whatever else stands there stays to the byte. Pure.
#
# A source goes with the comment lines right above its `[[source]]` and with those right below its keys; comments that
# stand apart stay where they are. What comes out is read again: where it does not say what was meant, because the file
# is written in a way that is not known here, nothing is changed.

_ROW: Final = re.compile(r"[^\n]*\n|[^\n]+")
_HEADER: Final = re.compile(r"""[ \t]*\[\[[ \t]*(?:source|"source"|'source')[ \t]*\]\]""")


def appended(text: str, table: Mapping[str, Any]) -> str:
    """The text with a source at its end. Raises `InputError`."""
    import tomlkit  # here: who builds a stack does not write its file

    made = tomlkit.table()
    for key, value in table.items():
        multiline = isinstance(value, str) and "\n" in value
        made[key] = tomlkit.string(value, multiline=True) if multiline else value
    document = tomlkit.document()
    document["source"] = tomlkit.aot()
    document["source"].append(made)
    before = text if not text or text.endswith("\n") else f"{text}\n"
    return _meant(text, before + "\n" * bool(text.strip()) + tomlkit.dumps(document), [*_tables(text), dict(table)])


def removed(text: str, at: int) -> str:
    """The text without the source `at` (from 0). Raises `InputError`."""
    head, pieces = _cut(text)
    gap = pieces.pop(at)[1]
    rest = gap.lstrip("\r\n") if gap.strip() else ""
    if pieces and at:
        own, before = pieces[at - 1]
        pieces[at - 1] = (own, before + rest) if at < len(pieces) or rest else (own, before.rstrip("\r\n"))
    else:
        head = head + rest if pieces or rest else head.rstrip("\r\n") + "\n" * bool(head.strip())
    tables = _tables(text)
    after = head + "".join(own + gap for own, gap in pieces)
    return _meant(text, after, [*tables[:at], *tables[at + 1 :]])


def reordered(text: str, order: Sequence[int]) -> str:
    """The text with its sources in this `order` (of their places from 0, each once). What stands between two sources
    stays where it is. Raises `InputError`.
    """
    head, pieces = _cut(text)
    tables = _tables(text)
    own = [piece if piece.endswith("\n") else f"{piece}\n" for piece, _ in pieces]
    gaps = [gap for _, gap in pieces]
    return _meant(
        text, head + "".join(own[at] + gap for at, gap in zip(order, gaps, strict=True)), [tables[at] for at in order]
    )


def _cut(text: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands before the first source; of each source its own lines, and what stands between it and the next."""
    rows = _ROW.findall(text)
    heads = [number for number, row in enumerate(rows) if _HEADER.match(row)]
    starts = []
    for number in heads:
        while number and rows[number - 1].lstrip().startswith("#"):
            number -= 1  # noqa: PLW2901
        starts.append(number)
    pieces = []
    for start, header, end in zip(starts, heads, [*starts[1:], len(rows)], strict=True):
        last = max(n for n in range(header, end) if n == header or rows[n].split("#")[0].strip())
        while last + 1 < end and (rows[last + 1].strip() or not _is_whole("".join(rows[start : last + 1]))):
            last += 1
        pieces.append(("".join(rows[start : last + 1]), "".join(rows[last + 1 : end])))
    if len(pieces) != len(_tables(text)):
        raise _unknown()
    return "".join(rows[: starts[0]] if starts else rows), pieces


def _is_whole(text: str) -> bool:
    """Whether no string is open at its end: what looks like a comment, or like nothing, may stand in one."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _values(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise _unknown() from None


def _tables(text: str) -> list[dict[str, Any]]:
    found = _values(text).get("source", [])
    assert isinstance(found, list)
    return found


def _meant(before: str, after: str, tables: Sequence[Mapping[str, Any]]) -> str:
    """The new text, if it says what it should: these sources, and all else as before."""
    old, new = _values(before), _values(after)
    old["source"] = list(tables)
    new.setdefault("source", [])
    if old != new:
        raise _unknown()
    return after


def _unknown() -> InputError:
    return InputError(
        "the file is written in a way in which its sources cannot be changed one by one",
        code="E-stack-file",
        hint="Write each source as a [[source]] of its own (docs/reference/stacks.md), or change it in an editor.",
    )


FOLDER: Final = f"{PROJECT_FOLDER}/stacks"
_BYTES_MAX: Final = 1 << 20
_FILES_MAX: Final = 500
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,63}\Z", re.ASCII)
_KEYS: Final = frozenset(("title", "budget", "source"))
_BEGUN: Final = """\
# A stack: what a session needs to know, in this order. `clew stack build {name}` puts it together.
# Each [[source]] may have a budget (tokens), a priority (the greater is served first) and a trim (head, tail, outline).
title = {title}
{budget}"""


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A `[[source]]`: what it says, checked, and the table as it stands. `name` is unique in its stack."""

    name: str
    spec: Spec
    table: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack as its file says. `budget` 0: the file says none."""

    name: str
    path: Path
    title: str
    budget: int
    entries: tuple[SourceEntry, ...]


def stack_names(root: Path) -> list[str]:
    """The stacks of the project whose top is `root`, sorted."""
    found = names_in(Disk(root), FOLDER, ending=".toml", deep=False, limit=_FILES_MAX)
    return [path.rpartition("/")[2].removesuffix(".toml") for path in found]


def checked_name(name: str) -> str:
    """A name that a stack can have. Raises `InputError`."""
    if not _NAME.match(name) or name.endswith((".toml", ".lock")):
        raise InputError(
            f"invalid stack name {one_line(clean(name))!r}",
            code="E-stack-name",
            hint="Letters, digits, dots, dashes and underscores, 64 at most.",
        )
    return name


def read_stack(root: Path, name: str) -> Stack:
    """The stack of this name. Raises `NotFound`, and `InputError` for a file that cannot be used."""
    return parsed(root, name, stack_text(root, name))


def parsed(root: Path, name: str, text: str) -> Stack:
    """What the text of a stack's file says. Raises `InputError`."""
    place = f"{FOLDER}/{name}.toml"
    try:
        values = parse(text, place)
    except InputError as error:
        raise InputError(error.message, code="E-stack-file", hint=error.hint) from None
    title, budget, tables = values.get("title", name), values.get("budget", 0), values.get("source", [])
    odd = sorted(set(values) - _KEYS)
    if odd or not isinstance(title, str) or not isinstance(budget, int) or isinstance(budget, bool) or budget < 0:
        why = f"{odd[0]!r} is none of title, budget and source" if odd else "title is a text, budget a number of tokens"
        raise _wrong(place, why)
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise _wrong(place, "[[source]] was expected there")
    entries: list[SourceEntry] = []
    for number, table in enumerate(tables, start=1):
        spec = spec_of(table, f"{place}, source {number}")
        taken = {entry.name for entry in entries}
        if spec.name and spec.name in taken:
            raise _wrong(place, f"two sources are called {spec.name!r}")
        entries.append(SourceEntry(spec.name or _fresh(_described(spec), taken), spec, table))
    return Stack(name, root / FOLDER / f"{name}.toml", title or name, budget, tuple(entries))


class NewStack(JsonResult, frozen=True):
    """A stack that was made; `budget` 0: the setting holds."""

    stack: str
    path: str
    title: str
    budget: int


class AddedSource(JsonResult, frozen=True):
    """A source that was added to a stack: its number there, and what its file says of it."""

    stack: str
    number: int
    source: str
    kind: str
    table: Mapping[str, Any]


def new_stack(root: Path, name: str, *, title: str, budget: int) -> Stack:
    """Create a stack. Raises `InputError` where there is one of this name."""
    path = root / FOLDER / f"{checked_name(name)}.toml"
    if path.exists():
        raise InputError(
            f"there is a stack {name} already", code="E-stack-name", hint=f"`clew stack show {name}` shows it."
        )
    import tomlkit  # here: as above

    told = f"budget = {budget}\n" if budget else ""
    text = _BEGUN.format(name=name, title=tomlkit.item(title or name).as_string(), budget=told)
    return written(root, name, text, before="")


def typed_table(kind: str, words: Sequence[str], keys: Mapping[str, str]) -> dict[str, Any]:
    """A `[[source]]` out of what somebody typed: `words` fill the key that its kind takes them for, `keys` are others;
    a list has commas. Raises `InputError`.
    """
    known = source(kind)
    if words and not known.words:
        raise InputError(f"{kind} takes no words", code="E-stack-file", hint="Say --key NAME=VALUE.")
    lists = {field.name for field in msgspec.structs.fields(known.spec) if get_origin(field.type) is tuple}
    typed: dict[str, Any] = {"kind": kind}
    if words:
        typed[known.words] = list(words) if known.words in lists else " ".join(words)
    for key, value in keys.items():
        typed[key] = [one for one in value.split(",") if one] if key in lists else value
    spec = spec_of(typed, "the source", typed=True)
    values = {key: getattr(spec, key) for key in typed}
    for key, value in values.items():
        _check_storable(kind, key, value if isinstance(value, tuple) else (value,))
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _check_storable(kind: str, key: str, values: Sequence[object]) -> None:
    """Raise `InputError` for a value with what looks like a secret: the file stays, and may be shared."""
    found = next((one for value in values if isinstance(value, str) for one in scan(value)), None)
    if found is not None:
        raise InputError(
            f"the source ({kind}): its {key} holds what looks like a secret ({found.rule})",
            code="E-stack-secret",
            hint="Nothing was written. Take it out, or name a file that git ignores instead of the words in it.",
        )


def add_source(
    root: Path, name: str, kind: str, words: Sequence[str], keys: Mapping[str, str]
) -> tuple[Stack, SourceEntry]:
    """Put a source at the end, as `typed_table` makes it. Raises `InputError`, `NotFound`."""
    text = stack_text(root, name)
    parsed(root, name, text)
    stack = written(root, name, appended(text, typed_table(kind, words, keys)), before=text)
    return stack, stack.entries[-1]


def remove_source(root: Path, name: str, which: str) -> tuple[Stack, SourceEntry]:
    """Take the source with this number or name out. Raises `NotFound`, `InputError`."""
    text = stack_text(root, name)
    stack = parsed(root, name, text)
    numbers = [at for at, one in enumerate(stack.entries) if which in (one.name, str(at + 1))]
    if not numbers:
        raise NotFound(
            f"the stack {name} has no source {one_line(clean(which))}",
            code="E-stack-source",
            hint=f"`clew stack show {name}` lists them with their numbers.",
        )
    return written(root, name, removed(text, numbers[0]), before=text), stack.entries[numbers[0]]


def order_sources(root: Path, name: str, order: Sequence[int]) -> Stack:
    """Put the sources into this order of their numbers (from 1), each once. Raises `NotFound`, `InputError`."""
    text = stack_text(root, name)
    if sorted(order) != list(range(1, len(parsed(root, name, text).entries) + 1)):
        raise InputError(
            f"the order does not name each source of the stack {name} once",
            code="E-stack-source",
            hint=f"`clew stack show {name}` lists them with their numbers.",
        )
    return written(root, name, reordered(text, [number - 1 for number in order]), before=text)


def _described(spec: Spec) -> str:
    """What a source is called that has no name: its kind, and what it names if that is short."""
    words = source(spec.kind).words
    value = getattr(spec, words) if words and spec.kind != "text" else ""
    told = one_line(clean(", ".join(value) if isinstance(value, tuple) else str(value)))
    return f"{spec.kind} {told}".strip() if len(told) <= 60 else f"{spec.kind} {told[:59]}…"


def _fresh(name: str, taken: set[str]) -> str:
    return next(one for at in range(1, len(taken) + 2) if (one := name if at == 1 else f"{name} ({at})") not in taken)


def stack_text(root: Path, name: str) -> str:
    """What its file holds. Raises `NotFound`, and `InputError` for one that cannot be read."""
    looked = read(Disk(root), f"{FOLDER}/{checked_name(name)}.toml", limit_bytes=_BYTES_MAX)
    if looked.data is None:
        known = ", ".join(stack_names(root)) or "none yet"
        if looked.problem:
            raise _wrong(f"{FOLDER}/{name}.toml", looked.problem)
        raise NotFound(
            f"there is no stack {name}",
            code="E-stack-missing",
            hint=f"Stacks here: {known}. `clew stack new {name}` creates one.",
        )
    return looked.data.decode("utf-8-sig", "replace")


def written(root: Path, name: str, text: str, *, before: str) -> Stack:
    """Write the file, if what it then says can be used, and it still says what it did `before` ("" there was none).
    Raises `InputError`.
    """
    stack = parsed(root, name, text)
    try:
        with alone(stack.path):
            if (stack_text(root, name) if stack.path.exists() else "") != before:
                raise InputError(
                    f"{FOLDER}/{name}.toml was changed by somebody else meanwhile",
                    code="E-stack-changed",
                    hint="Nothing was written over it. Look at it, then do it again.",
                )
            replace(stack.path, text.encode(), mode=0o644)
    except OSError as error:
        raise InputError(
            f"{stack.path} cannot be written ({error.strerror})", code="E-stack-write", hint="Fix its permissions."
        ) from error
    return stack


def _wrong(place: str, why: str) -> InputError:
    return InputError(
        f"{place} cannot be used: {why}",
        code="E-stack-file",
        hint="docs/reference/stacks.md lists what is allowed there.",
    )
