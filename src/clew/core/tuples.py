"""Named tuples that cost little to define: `typing.NamedTuple` for those who write and check them.

A start of clew defines a hundred to a hundred and sixty of them, and half a million instructions for each were a tenth
of it: `typing` looks at every annotation, and `collections` compiles a constructor for every class. Here constructors
of as many fields share one, under other names, and what a class can do is inherited. Of what `typing` gives only what
clew uses is there; `tests/core/test_tuples.py` holds both to the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple
    from types import FunctionType

    _FIELDS_MAX = 32
    _wide = namedtuple("_wide", [f"at_{number}" for number in range(_FIELDS_MAX)])
    # Of a place in a tuple, whatever the class.
    _GETTERS = [getattr(_wide, name) for name in _wide._fields]
    _new = tuple.__new__
    # Of most classes, by the number of fields. Those with more are compiled when such a class is defined, which takes
    # ten times as long.
    _made = (
        lambda _cls: _new(_cls, ()),
        lambda _cls, a: _new(_cls, (a,)),
        lambda _cls, a, b: _new(_cls, (a, b)),
        lambda _cls, a, b, c: _new(_cls, (a, b, c)),
        lambda _cls, a, b, c, d: _new(_cls, (a, b, c, d)),
        lambda _cls, a, b, c, d, e: _new(_cls, (a, b, c, d, e)),
        lambda _cls, a, b, c, d, e, f: _new(_cls, (a, b, c, d, e, f)),
        lambda _cls, a, b, c, d, e, f, g: _new(_cls, (a, b, c, d, e, f, g)),
        lambda _cls, a, b, c, d, e, f, g, h: _new(_cls, (a, b, c, d, e, f, g, h)),
        lambda _cls, a, b, c, d, e, f, g, h, i: _new(_cls, (a, b, c, d, e, f, g, h, i)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j: _new(_cls, (a, b, c, d, e, f, g, h, i, j)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m)),
    )
    _constructors = {len(made.__code__.co_varnames) - 1: made.__code__ for made in _made}

    def _constructor(name, fields, defaults):
        """A class's `__new__`, with a parameter for each of its fields."""
        code = _constructors.get(len(fields))
        if code is None:
            listed = "".join(f"_{number}, " for number in range(len(fields)))
            code = _constructors[len(fields)] = eval(f"lambda _cls, {listed}: _new(_cls, ({listed}))", {}).__code__
        own = code.replace(co_varnames=("_cls", *fields), co_name="__new__", co_qualname=f"{name}.__new__")
        return FunctionType(own, {"_new": _new}, "__new__", defaults)

    def _annotations(body):
        """The annotations of a class body. From Python 3.14 on a function makes them (PEP 649; 1: their values)."""
        make = body.get("__annotate_func__")
        return body.get("__annotations__", {}) if make is None else make(1)

    class _Named(tuple):
        """What named tuples can do."""

        __slots__ = ()

        @classmethod
        def _make(cls, values):
            made = _new(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **values):
            made = self._make(map(values.pop, self._fields, self))
            if values:
                raise ValueError(f"Got unexpected field names: {list(values)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            told = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({told})"

        def __getnewargs__(self):
            return tuple(self)

    class _Definition(type):
        """Makes a class of named tuples of a class body."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = tuple(_annotations(body))
            if len(fields) > _FIELDS_MAX:
                raise TypeError(f"{name}: more than {_FIELDS_MAX} fields")
            defaults = {field: body.pop(field) for field in fields if field in body}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one with a default")
            body.update(zip(fields, _GETTERS, strict=False))
            body["__slots__"] = ()
            body["__new__"] = _constructor(body["__qualname__"], fields, tuple(defaults.values()))
            body["_fields"] = body["__match_args__"] = fields
            body["_field_defaults"] = defaults
            return type(name, (_Named,), body)

    class NamedTuple(metaclass=_Definition):
        """See `typing.NamedTuple`."""
