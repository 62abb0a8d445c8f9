"""How results become JSON: by rows that say field by field what is read off a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

import msgspec

from clew.app.results import JsonResult

Read = Callable[[Any], Any]
Fields = Mapping[str, Read]


def written(shape: Any, *, indent: int = 2) -> str:
    """A shape as a JSON document; with `indent` -1 on one line."""
    text = msgspec.json.encode(shape)
    return (msgspec.json.format(text, indent=indent) if indent >= 0 else text).decode()


class As(NamedTuple):
    """A value that is told by a row of its own here, and not by that of its type."""

    value: Any
    fields: Fields


class Encoder:
    """Makes of results what JSON can say. `names` are the short ids of what has one, by id; `values` are the rows by
    which values within results are told, by the names of their types.
    """

    def __init__(self, names: Mapping[str, str], values: Mapping[str, Fields]) -> None:
        self._names = names
        self._values = values

    def told(self, found: Any, fields: Fields, more: Mapping[str, Any]) -> dict[str, Any]:
        """One result by its row of the table; a field "*a" stands for all that `a` is told by."""
        shape: dict[str, Any] = {}
        for name, read in fields.items():
            known = name.removeprefix("*")
            value = self.value(more[known] if known in more else read(found))
            if known != name:
                shape |= value or {}
            else:
                shape[name] = self._names.get(value, value) if name == "short_id" else value
        return shape

    def value(self, value: Any) -> Any:
        """Any value. Texts that are no UTF-8, as paths may be, are said with replacement characters."""
        if isinstance(value, (str, PurePath)):
            text = str(value)
            return text if text.isascii() else text.encode("utf-8", "replace").decode()
        if isinstance(value, Mapping):
            return {name: self.value(one) for name, one in value.items()}
        if isinstance(value, As):
            return self.told(value.value, value.fields, {})
        if isinstance(value, JsonResult):
            return {name: self.value(getattr(value, name)) for name in value.__struct_fields__}
        row = self._values.get(type(value).__name__)
        if row is not None:
            return self.told(value, row, {})
        if hasattr(value, "_asdict"):
            return self.value(value._asdict())
        return [self.value(one) for one in value] if isinstance(value, (list, tuple)) else value


def fields(words: str, **more: Read) -> Fields:
    """A row of the table: words in the order of JSON. `a` is the attribute of that name, `a=b.c` one further in ("" if
    there is none on the way), `a=b?` has "" in place of None. What is in `more` is read by a function.
    """
    row: dict[str, Read] = {}
    for word in words.split():
        name, _, path = word.partition("=")
        row[name] = more.get(name.lstrip("*")) or reading(path or name.lstrip("*"))
    return row


def reading(path: str) -> Read:
    """What reads the attribute at a path of names; "" where there is none on the way, with "?" also for None."""
    names = path.removesuffix("?").split(".")

    def read(found: Any) -> Any:
        for place, name in enumerate(names):
            if found is None and place:
                return ""
            found = getattr(found, name)
        return "" if found is None and path.endswith("?") else found

    return read


def each(path: str, words: str, **more: Read) -> Read:
    """The values of a field, each told by `words`."""
    read, row = reading(path), fields(words, **more)
    return lambda found: [As(one, row) for one in read(found)]


def one_of(path: str, words: str) -> Read:
    """The value of a field, told by `words`; None stays None."""
    read, row = reading(path), fields(words)
    return lambda found: None if (value := read(found)) is None else As(value, row)


def beside(several: str, ids: str) -> Callable[[Any], Mapping[str, str]]:
    """Short ids of the values in one field, which stand in another, in the same order."""
    read = reading(several)
    return lambda found: {one.id: shown for one, shown in zip(read(found), getattr(found, ids), strict=True)}
