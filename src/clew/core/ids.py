"""Identity of items: 80 random-looking bits, shown as a kind letter and the shortest prefix that is unique."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

# Crockford's base 32 in lower case: no i, l, o, u, so that an id read aloud or off a screen cannot be misread.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
IDENTITY_CHARS = 16
PREFIX_CHARS_MIN = 4


def identity(*parts: str) -> str:
    """Sixteen characters (80 bits) that stand for exactly these parts, in this order."""
    digest = blake2b(digest_size=10)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    bits = int.from_bytes(digest.digest(), "big")
    return "".join(_ALPHABET[bits >> shift & 31] for shift in range(75, -1, -5))


def shortest_prefixes(ids: Iterable[str]) -> dict[str, str]:
    """Each id (such as `D-7k2q…`) with its shortest prefix, of at least four characters, that no other id shares."""
    ordered = sorted(set(ids))
    shown: dict[str, str] = {}
    for index, full in enumerate(ordered):
        shared = 0
        for neighbour in ordered[max(0, index - 1) : index] + ordered[index + 1 : index + 2]:
            shared = max(shared, _shared(full, neighbour))
        letter = full.find("-") + 1
        shown[full] = full[: max(letter + PREFIX_CHARS_MIN, shared + 1)]
    return shown


def _shared(one: str, other: str) -> int:
    """Length of the common prefix."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
