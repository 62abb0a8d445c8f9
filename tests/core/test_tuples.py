"""Our named tuples are those of `typing`, but cheap to define: whatever one does, the other does."""

from __future__ import annotations

import pickle
import typing
from typing import Any

import msgspec
import pytest

from clew.core import tuples


class Ours(tuples.NamedTuple):
    """A stop of a tram."""

    name: str
    line: int = 1
    doors: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.name} ({self.line})"


class Theirs(typing.NamedTuple):
    """A stop of a tram."""

    name: str
    line: int = 1
    doors: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.name} ({self.line})"


class OursEmpty(tuples.NamedTuple):
    """Nothing is known of it."""


class TheirsEmpty(typing.NamedTuple):
    """Nothing is known of it."""


def told(of: Any) -> str:
    """What it says, whichever of the two it is."""
    return repr(of).replace("Theirs", "Ours")


@pytest.mark.parametrize(
    "look",
    [
        lambda of: of("Quay"),
        lambda of: of("Quay", 2, doors=("left",)),
        lambda of: of(name="Quay", line=3),
        lambda of: tuple(of("Quay")),
        lambda of: of("Quay").title,
        lambda of: of("Quay").doors,
        lambda of: of("Quay")[-1],
        lambda of: of("Quay")._replace(line=4),
        lambda of: of("Quay")._asdict(),
        lambda of: of._make(["Quay", 5, ()]),
        lambda of: of._fields,
        lambda of: of._field_defaults,
        lambda of: of.__match_args__,
        lambda of: of.__doc__,
        lambda of: of.__slots__,
        lambda of: of.__module__,
        lambda of: of.__mro__[1:] and issubclass(of, tuple),
        lambda of: of("Quay") == of("Quay", 1, ()) == ("Quay", 1, ()),
        lambda of: of("Quay") < of("Yard"),
        lambda of: hash(of("Quay")) == hash(("Quay", 1, ())),
        lambda of: pickle.loads(pickle.dumps(of("Quay"))),
        typing.get_type_hints,
        lambda of: msgspec.json.encode(of("Quay")),
        lambda of: msgspec.json.decode(b'["Quay",2]', type=of),
        lambda of: msgspec.convert(["Quay"], of),
    ],
)
def test_both_do_the_same(look: Any) -> None:
    """Who writes one, reads about the other."""
    assert told(look(Ours)) == told(look(Theirs))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda of: of(),
        lambda of: of("Quay", 1, (), "more"),
        lambda of: of("Quay", colour="red"),
        lambda of: of("Quay")._replace(colour="red"),
        lambda of: of._make(["Quay"]),
        lambda of: setattr(of("Quay"), "line", 2),
        lambda of: msgspec.json.decode(b'["Quay","two"]', type=of),
    ],
)
def test_both_refuse_the_same_in_the_same_words(wrong: Any) -> None:
    """A wrong call is understood from its message."""
    with pytest.raises((TypeError, ValueError, AttributeError)) as ours:
        wrong(Ours)
    with pytest.raises((TypeError, ValueError, AttributeError)) as theirs:
        wrong(Theirs)
    assert (ours.type, told(str(ours.value))) == (theirs.type, told(str(theirs.value)))


def test_fields_of_a_body_that_makes_its_annotations_later() -> None:
    """As from Python 3.14 on."""
    body = {"__qualname__": "Stop", "__annotate_func__": lambda format_: {"name": str, "line": int}, "line": 1}
    stop: Any = type(tuples.NamedTuple)("Stop", (tuples.NamedTuple,), body)
    assert stop("Quay")._asdict() == {"name": "Quay", "line": 1}


def test_one_without_fields() -> None:
    """A kind of event may say nothing more."""
    assert told(OursEmpty()) == told(TheirsEmpty())
    assert OursEmpty() == TheirsEmpty() == ()


def test_parameters_do_not_run_into_those_of_other_classes() -> None:
    """Constructors of as many fields share their code."""

    class Other(tuples.NamedTuple):
        far: int
        near: int
        here: int = 0

    assert Other(near=2, far=1) == (1, 2, 0)
    assert Ours(line=2, name="Quay") == ("Quay", 2, ())


def test_a_definition_that_cannot_be_called_is_refused() -> None:
    """As by `typing`."""
    with pytest.raises(TypeError, match="a field without a default follows"):
        type(tuples.NamedTuple)("Wrong", (tuples.NamedTuple,), {"__annotations__": {"a": int, "b": int}, "a": 1})
    many = {f"field_{number}": int for number in range(33)}
    with pytest.raises(TypeError, match="more than 32 fields"):
        type(tuples.NamedTuple)("Long", (tuples.NamedTuple,), {"__annotations__": many})
