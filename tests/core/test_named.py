"""Named tuples made in short: used, compared, copied and refused as those of `typing`."""

from __future__ import annotations

import copy
import pickle
from typing import NamedTuple as Typed

import pytest

from clew.core.named import NamedTuple


class Place(NamedTuple):
    """Where something stands."""

    path: str
    line: int = 1
    column: int = 0

    @property
    def told(self) -> str:
        return f"{self.path}:{self.line}"

    def fields(self) -> int:
        return super().__len__()


class TypedPlace(Typed):
    path: str
    line: int = 1
    column: int = 0


def test_it_is_the_tuple_that_typing_makes() -> None:
    """Another shape than `typing`'s would break whoever unpacks, compares, writes or matches one."""
    place = Place("a.py", column=4)
    typed = TypedPlace("a.py", column=4)
    assert place == typed == ("a.py", 1, 4) and hash(place) == hash(typed)
    assert (place.path, place.line, place.column) == (typed.path, typed.line, typed.column)
    assert repr(place) == repr(typed).replace("TypedPlace", "Place")
    assert place._asdict() == typed._asdict()
    assert place._replace(line=9) == typed._replace(line=9) and type(place._replace(line=9)) is Place
    assert Place._make(["b.py", 2, 3]) == TypedPlace._make(["b.py", 2, 3])
    assert Place._fields == TypedPlace._fields and Place._field_defaults == TypedPlace._field_defaults
    assert Place.__annotations__ == {"path": "str", "line": "int", "column": "int"}
    assert (Place.__doc__, Place.__module__, Place.__qualname__) == ("Where something stands.", __name__, "Place")
    match place:
        case Place(path, line):
            assert (path, line) == ("a.py", 1)


def test_what_a_class_adds_works_as_in_any_class() -> None:
    """Methods that were lost, or a `super()` that does not find its class, would fail where they are used only."""
    place = Place("a.py")
    assert place.told == "a.py:1" and place.fields() == 3
    assert pickle.loads(pickle.dumps(place)) == place and type(copy.deepcopy(place)) is Place


def test_what_does_not_fit_is_refused() -> None:
    """A field that is forgotten, misspelt or set would go on as wrong data."""
    with pytest.raises(TypeError, match="path"):
        Place()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Place("a.py", 1, 2, 3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="row"):
        Place("a.py", row=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="row"):
        Place("a.py")._replace(row=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="3"):
        Place._make(["a.py"])
    with pytest.raises(AttributeError):
        Place("a.py").path = "b.py"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Place("a.py").row = 1  # type: ignore[attr-defined]


def test_a_class_that_cannot_be_made_is_told_when_it_is_defined() -> None:
    """A field with a default in front of one without would take the wrong default."""
    with pytest.raises(TypeError, match="default"):

        class Wrong(NamedTuple):
            first: int = 1
            second: int  # type: ignore[misc]

    with pytest.raises(TypeError, match="no fields"):

        class Empty(NamedTuple):
            pass
