"""Deltas between two JSON values: what to add to the older one to have the newer one. Pure.

Made for a state that is saved again and again and mostly grows at its end: a delta of `{"messages": […]}` with two more
messages holds those two. Three shapes, by what the first element says:

    ["=", value]                       the whole value
    ["+", n, [item, …]]                of a list, the first n items stay and these follow
    ["*", {name: delta, …}, [name, …]] of an object, these members change or are new, and those go
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

Json: TypeAlias = Any
Delta: TypeAlias = list[Any]

_WHOLE: Final = "="
_LONGER: Final = "+"
_MEMBERS: Final = "*"
_DEPTH_MAX: Final = 8


def delta(old: Json, new: Json, depth: int = 0) -> Delta:
    """What makes `new` out of `old`, both JSON values: `patched(old, …)` is `new`, but for the order of members."""
    if isinstance(old, dict) and isinstance(new, dict) and depth < _DEPTH_MAX:
        changed = {
            name: delta(old[name], value, depth + 1) if name in old else [_WHOLE, value]
            for name, value in new.items()
            if name not in old or not same(old[name], value)
        }
        return [_MEMBERS, changed, [name for name in old if name not in new]]
    if isinstance(old, list) and isinstance(new, list):
        kept = next(
            (index for index, pair in enumerate(zip(old, new, strict=False)) if not same(*pair)),
            min(len(old), len(new)),
        )
        if kept:
            return [_LONGER, kept, new[kept:]]
    return [_WHOLE, new]


def patch(old: Json, change: Delta) -> Json:
    """The newer value. `old` is not changed. Raises `ValueError` if `change` is no delta of such a value."""
    match change:
        case ["=", value]:
            return value
        case ["+", int(kept), list(items)] if isinstance(old, list) and 0 <= kept <= len(old):
            return [*old[:kept], *items]
        case ["*", dict(changed), list(gone)] if isinstance(old, dict):
            left = {name: value for name, value in old.items() if name not in gone}
            return left | {name: patch(old.get(name), part) for name, part in changed.items()}
    raise ValueError("no delta of this value")


def same(one: Json, other: Json) -> bool:
    """Whether two JSON values are the same: 1 is neither 1.0 nor true, whatever Python says, and 0.0 is not -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(name in other and same(part, other[name]) for name, part in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)
