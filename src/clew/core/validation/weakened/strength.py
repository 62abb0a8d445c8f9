"""How much an assertion asks: 3 for this very value, 2 for some of a kind, 1 for anything that is there, 0 nothing."""

from __future__ import annotations

import re
from typing import Final

_EXACT: Final = re.compile(
    r"(?<![<>!=])==(?!=)|===|!==?|\bassert(?:Equals?|Is|ListEqual|DictEqual|TupleEqual|SetEqual|"
    r"CountEqual|MultiLineEqual|NotEqual|Same|"
    r"ArrayEquals|Throws|JsonEqual)\b|\bto(?:Be|Equal|StrictEqual|HaveLength|HaveBeenCalledWith|"
    r"HaveBeenCalledTimes|HaveBeenNthCalledWith|"
    r"MatchInlineSnapshot|MatchObject|ThrowError|Throw)\(|"
    r"\b(?:not)?(?:[dD]eep)?(?:[sS]trict)?[eE]qual\(|\bassert_(?:eq|ne)!|"
    r"\bassert_(?:called_once_with|called_with|has_calls)\b|\b(?:assert|require)\.(?:Equal|"
    r"EqualValues|ElementsMatch|JSONEq|Len)\(|"
    r"\bpytest\.raises\(|\bassertRaises\w*\(| is (?!not None|None\b)| is None\b|\btoBeNull\(|"
    r"\btoBeUndefined\(|\bassertIsNone\(|\bassertNull\("
)
_KIND: Final = re.compile(
    r" (?:not )?in |<=?|>=?|\bassert(?:In|NotIn|Regex|Greater|Less|AlmostEqual|AlmostEquals|Contains|"
    r"That)\w*\(|\bapprox\(|\bisclose\(|"
    r"\bto(?:Contain|Match|BeCloseTo|BeGreaterThan|BeLessThan|HaveProperty|HaveBeenCalled|"
    r"MatchSnapshot)\w*\(|\bstartswith\(|\bendswith\(|"
    r"\b(?:assert|require)\.(?:Contains|InDelta|Greater|Less|Regexp|ErrorContains|ErrorIs)\w*\(|"
    r"\bmatches!|\.contains\(|\bre\.\w+\(|"
    r"\ball\(|\bany\(|\bassert_called_once\b|\bexpect\.objectContaining|\bmatch\("
)
_ANYTHING: Final = re.compile(
    r"\bis not None\b|!==? (?:undefined|null|nil)\b|\bisinstance\(|\bcallable\(|\bhasattr\(|"
    r"\btoBe(?:Truthy|Falsy|Defined|InstanceOf)\(|\bassert(?:True|False|IsNotNone|NotNull|"
    r"IsInstance)\(|\bexpect\.any(?:thing)?\(|\b(?:assert|require)\.(?:NotNil|NoError|True|"
    r"NotEmpty)\(|\bnot\.toThrow\(|\bassert_called\b|\blen\([^)]*\) *>= *0"
)
_BROAD: Final = re.compile(
    r"(?:raises|assertRaises\w*)\(\s*(?:Base)?Exception\s*[,)]|toThrow\(\)|assertThrows\((?:Exception|Throwable)\.class"
)
_NUMBER: Final = re.compile(
    r"(?:abs|rel|delta|atol|rtol|places|tolerance|epsilon|abs_tol|rel_tol) *= *([\d.e+-]+)|"
    r"toBeCloseTo\([^,]+, *(\d+)|InDelta\([^,]+,[^,]+,[^,]+, *([\d.e+-]+)"
)


def strength(assertion: str) -> int:
    """What an assertion asks, by its words."""
    if re.search(r"\bexpect\.any(?:thing)?\(|\bmock\.ANY\b|\bANY\b", assertion):
        return 1
    if _ANYTHING.search(assertion) and not re.search(r"assertTrue\(.+(?:==| in )|is not None and ", assertion):
        return 1
    if _KIND.search(_unquoted(assertion)) and not _EXACT.search(_unquoted(assertion)):
        return 2
    if re.search(r"\bapprox\(|assertAlmostEqual|toBeCloseTo|isclose\(", assertion):
        return 2
    if _EXACT.search(_unquoted(assertion)):
        return 3
    return 1


def is_broad(assertion: str) -> bool:
    """Whether it takes any exception."""
    return bool(_BROAD.search(assertion))


def tolerance(assertion: str) -> tuple[str, float] | None:
    """How far off a value may be, with the word for it; of `places` and digits more is stricter."""
    found = _NUMBER.search(assertion)
    if not found:
        return None
    number = next(group for group in found.groups() if group)
    try:
        return ("digits" if "places" in found[0] or "toBeCloseTo" in found[0] else "off"), float(number)
    except ValueError:
        return None


def _unquoted(text: str) -> str:
    """Without what stands in quotes: a message may say anything."""
    return re.sub(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", "''", text)
