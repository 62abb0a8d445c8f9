"""Fabricated text for tests.

Everything is computed from an alphabet, so that no secret-shaped string stands in this repository
where another scanner would find it. Knows nothing about rules.
"""

from functools import cache
from hashlib import blake2b

LOWER = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
HEX = "0123456789abcdef"
BASE32 = LOWER.upper() + "234567"
ALNUM = DIGITS + LOWER + LOWER.upper()


@cache
def _noise() -> bytes:
    """Some kilobytes that look random and are the same in every run."""
    return b"".join(blake2b(bytes([number]), digest_size=64).digest() for number in range(128))


@cache
def _table(alphabet: str) -> bytes:
    """What each of 256 byte values stands for: characters of the alphabet, all about as often."""
    return bytes(ord(alphabet[value % len(alphabet)]) for value in range(256))


def text(length: int, alphabet: str = ALNUM) -> str:
    """Return `length` characters that look random and are the same in every run.

    The last character is always alphanumeric, so that a word boundary follows it.
    """
    start = length * 37 % 1021
    made = _noise()[start : start + length].translate(_table(alphabet)).decode("ascii")
    return made if made[-1:].isalnum() or not made else made[:-1] + "a"


def hexed(length: int) -> str:
    """Return `length` lower-case hexadecimal digits."""
    return text(length, HEX)


def base64ish(length: int) -> str:
    """Return `length` characters of standard base64 without padding."""
    return text(length, ALNUM + "+/")


def uuid() -> str:
    """Return a fabricated UUID in its usual spelling."""
    return "-".join(text(size, HEX) for size in (8, 4, 4, 4, 12))
