"""Named tuples as `typing.NamedTuple` makes them, in a tenth of its time.

clew has hundreds, and making the classes was a fifth of what a session's start cost: `typing` compiles every annotation
and `collections` a function for each class. Here annotations stay the strings that they are, and classes with as many
fields share the code of one function. `class Point(NamedTuple)` is written, used and checked as with `typing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import _tuplegetter  # by which `collections.namedtuple` reads a field
    from functools import cache
    from types import FunctionType

    class _Fields(tuple):
        """What all named tuples have."""

        __slots__ = ()

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            told = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({told})"

        def __getnewargs__(self):
            return tuple(self)

    class _Maker(type):
        """Makes the class that `class Name(NamedTuple)` describes."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            if "__annotations__" not in body:
                raise TypeError(f"{name} has no fields, or stands in a module that evaluates annotations")
            fields = tuple(body["__annotations__"])
            defaults = {field: body[field] for field in fields if field in body}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default stands behind one with a default")
            code = _code(len(fields)).replace(
                co_varnames=("cls", *fields), co_name="__new__", co_qualname=f"{name}.__new__"
            )
            new = FunctionType(code, {"make": tuple.__new__}, "__new__", tuple(defaults.values()))
            body |= {field: _tuplegetter(at, None) for at, field in enumerate(fields)}
            body |= {"__slots__": (), "__new__": new, "__match_args__": fields}
            return type(name, (_Fields,), body | {"_fields": fields, "_field_defaults": defaults})

    @cache
    def _code(count):
        """The code of a `__new__` for so many fields."""
        names = "".join(f"f{number}, " for number in range(count))
        return eval(f"lambda cls, {names}: make(cls, ({names}))").__code__

    class NamedTuple(metaclass=_Maker):
        """See `typing.NamedTuple`."""
