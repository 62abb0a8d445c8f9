"""Identity of items: 80 random-looking bits, shown as a kind letter and the shortest prefix that is unique."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from hashlib import blake2b

# Crockford's base 32 in lower case: no i, l, o, u, so that an id read aloud or off a screen cannot be misread.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
IDENTITY_CHARS = 16
PREFIX_CHARS_MIN = 4
_SESSION_CHARS = 8
_SHIFTS = tuple(range(75, -1, -5))


def identity(*parts: str) -> str:
    """Sixteen characters (80 bits) that stand for exactly these parts, in this order."""
    digest = blake2b(digest_size=10)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return drawn(digest.digest())


def drawn(chance: bytes) -> str:
    """Sixteen characters out of ten bytes of chance: the identity of something new."""
    assert len(chance) == 10
    bits = int.from_bytes(chance, "big")
    return "".join([_ALPHABET[bits >> shift & 31] for shift in _SHIFTS])


def ulid(time_ms: int, chance: bytes) -> str:
    """A ULID (github.com/ulid/spec): 48 bits of time in milliseconds since 1970, then ten bytes of chance.

    26 characters of Crockford's base 32 in upper case, as the specification wants; they sort by time.
    """
    assert len(chance) == 10
    bits = (time_ms & (1 << 48) - 1) << 80 | int.from_bytes(chance, "big")
    return "".join(_ALPHABET[bits >> shift & 31] for shift in range(125, -1, -5)).upper()


def canonical(prefix: str) -> str:
    """A beginning of an id in the case that ids have: `d-7K2Q` is `D-7k2q`."""
    return prefix[:1].upper() + prefix[1:].lower()


def short_session(session: str) -> str:
    """The beginning of a session's id by which people know it: eight characters, behind a prefix such as `ses_`."""
    return session[: session.find("_", 0, _SESSION_CHARS) + 1 + _SESSION_CHARS]


def shortest_sessions(sessions: Iterable[str]) -> dict[str, str]:
    """Each session's id with as much of it as no other begins with, and at least what `short_session` gives: ids that
    begin with the time are alike.
    """
    return _apart(sessions, lambda session: len(short_session(session)))


def shortest_prefixes(ids: Iterable[str], others: Iterable[str] = ()) -> dict[str, str]:
    """Each of `ids` (such as `D-7k2q…`) with its shortest prefix, of at least four characters, that no other of them
    and none of `others` shares.
    """
    return _apart(ids, _least, others)


def shortest_prefix(full: str, neighbours: Iterable[str]) -> str:
    """The shortest prefix of an id, of at least four characters, that none of `neighbours` shares: the ids before and
    behind it in the order of all.
    """
    return _prefix(full, neighbours, _least(full))


def _apart(ids: Iterable[str], least: Callable[[str], int], others: Iterable[str] = ()) -> dict[str, str]:
    """Only the neighbours of an id in the order of all decide about it."""
    asked = dict.fromkeys(ids)
    beside = ["", *sorted({*asked, *others}), ""]
    places = ((full, bisect_left(beside, full, 1, len(beside) - 1)) for full in asked)
    return {full: _prefix(full, (beside[at - 1], beside[at + 1]), least(full)) for full, at in places}


def _least(full: str) -> int:
    return full.find("-") + 1 + PREFIX_CHARS_MIN


def _prefix(full: str, neighbours: Iterable[str], chars: int) -> str:
    for neighbour in neighbours:
        if neighbour.startswith(full[:chars]):
            chars = _shared(full, neighbour) + 1
    return full[:chars]


def _shared(one: str, other: str) -> int:
    """Length of the common prefix."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
