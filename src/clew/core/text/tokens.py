"""How many o200k tokens a text has, estimated without a vocabulary: the count that budgets of documents use.

The estimate leans to the high side: documents must not outgrow their budget. How far it is off, on which kinds of
text, and where the numbers below come from: docs/reference/tokens.md.

A tokenizer of this family first cuts a text into pieces by a regular expression and then each piece into tokens.
`pieces` makes (nearly) the same cuts. Most pieces are one token, so only what the others cost has to be guessed: of
words from their pairs of letters (what is common in English and in code has long tokens), of punctuation from how
often the character changes, of other scripts by range. Costs are integers in thousandths of a token, so that sums are
exact in any order.
"""

import re
from collections.abc import Callable
from functools import cache
from operator import add, ne
from typing import Final, Literal, NamedTuple, TypeAlias

# Letters and marks of the alphabets in use, capital A to Z apart. What is not here or in the next line is a symbol.
_LOWER = r"a-z\xc0-\xd6\xd8-\xf6\xf8-\u11ff\u1e00-\u1fff"
_CJK = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"


def _cutting(*between: str) -> re.Pattern[str]:
    """What cuts a text into pieces; `between` are further sorts of them, tried before a single symbol."""
    sorts = (
        # A word takes one character before it along, and an English contraction after it.
        rf"[\x00-\t\x0b\f\x0e-/:-@\[-`{{-\x7f]?(?:[A-Z]*[{_LOWER}]+|[A-Z]+)(?:'(?:[smdt]|re|ve|ll))?",
        r"[0-9]{1,3}",
        r" ?[!-/:-@\[-`{-~]+[\r\n]*",
        r"[ \t\f\v\r\n]*[\r\n]",
        *between,
        r" ?[^\x00-\x7f]",
        r"[ \t\f\v]+(?![^ \t\f\v])",
        r"[ \t\f\v]+",
        r".",
    )
    return re.compile("|".join(sorts), re.DOTALL)


_PIECE: Final = _cutting()
# Bytes of UTF-8 that no character from U+3000 on begins with.
_COMMON_BYTES: Final = bytes(range(0xE3))


@cache
def _piece_with_cjk() -> re.Pattern[str]:
    """The same for any text: its large ranges take as long to compile as all that starts with the interpreter."""
    return _cutting(rf" ?[{_CJK}]+")


def pieces(text: str) -> list[str]:
    """`text` cut into pieces; joined they are the text."""
    if text.isascii() or not text.encode("utf-8", "surrogatepass").translate(None, _COMMON_BYTES):
        return _PIECE.findall(text)
    return _piece_with_cjk().findall(text)


# "plain" is counted as measured; the costs of the others were fitted. "capitals" are words with more than one.
Kind: TypeAlias = Literal["plain", "word", "capitals", "accents", "cyrillic", "script", "mark", "cjk"]


class PieceCost(NamedTuple):
    """What a piece of some kind costs: `base` thousandths, and `slope` times the size that `measure` found."""

    base: int
    slope: float


# fmt: off
# --- printed by benchmarks/tokens/fit.py ---
COSTS: Final[dict[Kind, PieceCost]] = {
    "plain": PieceCost(1000, 1.0),
    "word": PieceCost(1000, 1.28),
    "capitals": PieceCost(1250, 1.16),
    "accents": PieceCost(1250, 1.18),
    "cyrillic": PieceCost(1250, 0.98),
    "script": PieceCost(1067, 1.08),
    "mark": PieceCost(1087, 0.97),
    "cjk": PieceCost(1000, 0.87),
}
ROWS: Final = (
    "ORNNTPTRTTSTRSVPVQPRSTQWYViewV",
    "9CA9EEGHGMHHEGGAQGBDKGDVLNK6WV",
    "TMONUOSPXQBQSPTOYUQRSLKXVKVVVV",
    "dcZScZdXdadZYaeViaVYbeYcniup-V",
    "ocaY+jcldihUaUzWuTdVdengcjeVVO",
    "bmnrcrtsgbubprTs-getcqtvjurVVO",
    "ftduaryYcqWeq-YttaoWasyymoeVVM",
    "eopkZpkwcosbjtemqnitgnrploqVeC",
    "egaZigZlknldfUnghTbekfUPkjjVVB",
    "dtsuhZqxSoqkpxZwsiokhruqmufVVO",
    "jputXvkZeo+psgfs-dknhrswttpVVJ",
    "gnrvYuutZswnpnXvukuYksqtoofVVI",
    "eUWWccawrhdbbTTRkaZXsdxmyagV-R",
    "gxspXsttoplxxqgxnuk-owsssvcVVR",
    "korsdqoleonpnjmrzulpiumwvueVVJ",
    "ahnbYnoratseqsXfwwihYktxVtkVVD",
    "YauqSsrucqtnhpZZnvmrjsstmrhVVJ",
    "fsaceiWmflfoqghowpbYijtsunjV-E",
    "lbeeqjcunmdcYSebrRgcZiXjnooVVP",
    "cqrhXurejxsXowafqasahtsyqwoVVK",
    "mtqv+-zts--fsxwtjrxtQ+rsx-VVVV",
    "auiiWjmocyiogeUqrmjgjspvbqdVVI",
    "iufvZdocezmnrvdckpUYbqhvbplVV9",
    "bugobloVZuoolscgxagddrosZqgVVC",
    "hWggejdyewoQVXrWwTYVnrrmvqhVVS",
    "atswVspvYvsxuvcrmqzxlrvqvpiVVR",
    "Zuuucsunaqv+tgUuximvsqksruiVVN",
    "mniropxtnwzqmrvlvuylupvmposVVK",
    "lqlvhqsujnusidimrnbhrqivtqmVVA",
    "hursdqzrkuoywpkvwwyuksqsjklVVQ",
    "olcpqotUnkqlngdpmkpuiknVRthVVV",
    "VVVVVVVVVVVVVVVVVVVVVVVVVVVcob",
    "VarVVVVVVVTXVZ--VvSiVqVVVamoh6",
)
# --- end ---
# fmt: on

# A row of `ROWS` belongs to what stands before a word (nothing, a space, "_", another character) or to a letter, a
# column to the next letter or the end of the word. Its characters are digits in base 64: steps above the least weight.
# The capitals are letters that are not a to z: Latin with accents, Cyrillic, all other alphabets.
STARTS: Final = "^ _/"
LETTERS: Final = "abcdefghijklmnopqrstuvwxyzLCG"
END: Final = "$"
DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-"
WEIGHT_STEP: Final = 30
WEIGHT_LEAST: Final = -900
PAIRS: Final = {
    before + after: WEIGHT_LEAST + WEIGHT_STEP * DIGITS.index(digit)
    for before, row in zip(STARTS + LETTERS, ROWS, strict=False)
    for after, digit in zip(LETTERS + END, row, strict=True)
}

# Typography, arrows and ticks that are one token, with a space before them or without.
_COMMON_SYMBOLS: Final = frozenset("—–…·•“”‘’«»→←↔⇒↓↑✓✅×÷≥≤≠±°§²³µ©®€£■●★、。，：；（）「」！？\u3000\ufe0f")
_RULES: Final = frozenset("-=*_#./~+")

_CACHE_MAX: Final = 50_000


def estimate(text: str) -> int:
    """About how many o200k tokens `text` has, rather too many than too few; 0 for no text.

    Two texts joined by a newline never count more than one over their sum, so a selection of lines may just add up.
    """
    thousandths = sum(map(_costs.__getitem__, pieces(text)))
    if len(_costs) > _CACHE_MAX:
        _costs.clear()
    return -(-thousandths // 1000)


class _Costs(dict[str, int]):
    """Costs of the pieces met so far: texts repeat themselves."""

    def __missing__(self, piece: str) -> int:
        kind, size = measure(piece)
        base, slope = COSTS[kind]
        cost = self[piece] = base + int(slope * size)
        return cost


_costs: Final = _Costs()


def measure(piece: str) -> tuple[Kind, int]:
    """The kind of a piece that `pieces` cut out, and its size: about the thousandths of a token beyond the first."""
    last = piece[-1]
    if last.isascii():
        if last.isalpha():
            return _measure_word(piece)
        body = piece.strip(" \t\f\v\r\n")
        if not body:
            return "plain", _measure_space(piece)
        if last.isdigit():
            return "plain", 0
        return "mark", _measure_mark(piece, body)
    if ("\xc0" <= last <= "\u11ff" and last not in "×÷") or "\u1e00" <= last <= "\u1fff":
        return _measure_word(piece)
    if "\u4e00" <= last <= "\u9fff" or "\u3040" <= last <= "\u30ff" or "\uac00" <= last <= "\ud7af":
        return "cjk", 1000 * (len(piece.lstrip(" ")) - 1)
    return "plain", _measure_symbol(last)


def _measure_space(piece: str) -> int:
    """Long runs have tokens of their own: of spaces up to about 80, of newlines and tabs up to 16."""
    spaces = piece.count(" ")
    return 500 * _changes(piece) + 1000 * max(0, spaces - 64) // 64 + _measure_breaks(len(piece) - spaces)


def _measure_breaks(count: int) -> int:
    return 1000 * max(0, count - 4) // 12


def _measure_mark(piece: str, body: str) -> int:
    """Two characters are mostly one token, and so are repeated ones, of those that rules are drawn with for long.

    Newlines after it belong to its token.
    """
    changes = _changes(body)
    repeats = len(body) - 1 - changes
    return (
        1000 * max(0, changes - 1)
        + 1000 * (repeats // (16 if body[0] in _RULES else 3))
        + _measure_breaks(len(piece) - len(body))
    )


def _measure_symbol(symbol: str) -> int:
    """Most are as many tokens as their UTF-8 has bytes but one; the surrogates JSON can smuggle in count as three."""
    if symbol in _COMMON_SYMBOLS:
        return 0
    if symbol < "\u2300":
        return 1000
    return 2000 if symbol <= "\uffff" or "\U0001f000" <= symbol <= "\U0001fbff" else 3000


def _measure_word(piece: str) -> tuple[Kind, int]:
    spelling = spell(piece)
    size = max(0, sum(map(PAIRS.__getitem__, map(add, spelling, spelling[1:]))))
    if "G" in spelling:
        return "script", size
    if "C" in spelling:
        return "cyrillic", size
    if "L" in spelling:
        return "accents", size
    return ("capitals" if sum(map(str.isupper, piece)) > 1 else "word"), size


def spell(piece: str) -> str:
    """A word in the letters of the table of pairs, between its start and its end: ` Größe's` is ` grLLe$`."""
    start = "^"
    if piece[0] < "\xc0" and not piece[0].isalpha():
        start = piece[0] if piece[0] in " _" else "/"
        piece = piece[1:]
    word = piece.partition("'")[0].lower()
    return start + (word if word.isascii() else "".join(map(_letter, word))) + END


def _letter(character: str) -> str:
    if character.isascii():
        return character
    if character <= "\u024f" or "\u1e00" <= character <= "\u1eff":
        return "L"
    return "C" if "\u0400" <= character <= "\u052f" else "G"


def _changes(text: str) -> int:
    """How often a character differs from the one before it."""
    return sum(map(ne, text, text[1:]))


class TokenCounter(NamedTuple):
    """What counts tokens: exactly where a tokenizer is installed, else by the estimate. `name` says how it counts, as
    it is told; `count` takes clean text (no lone surrogates). Texts whose pieces are cut at a line's end add up: both
    kinds never count more for the whole than for its parts.
    """

    name: str
    count: Callable[[str], int]


ESTIMATED = TokenCounter("o200k, estimated", estimate)
EXACT_NAME = "o200k, exact"
