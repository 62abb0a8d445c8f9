"""Bytes of a text file to text, whichever encoding it is in.

Where no mark says it and it is not UTF-8, each encoding that could be meant is tried: those that fail are out, and of
the others the one counts whose characters are likeliest to stand side by side. That tells encodings of Chinese,
Japanese, Korean and Cyrillic from each other and from the Latin ones in a few words; two of one script (Windows-1252
and 1250) it tells by signs that stand within words. Ranges of usual characters are those of the standards: level 1 of
JIS X 0208, GB 2312 and Big5, the Hangul of KS X 1001.
"""

from __future__ import annotations

import codecs
from typing import Final, NamedTuple

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_REPLACED: Final = "\ufffd"
_SAMPLE_BYTES: Final = 64 << 10
_SAMPLE_CHARS: Final = 4_000
_SURE: Final = 0.45


class _Charset(NamedTuple):
    """`usual` are the first bytes of the characters in everyday use, of an encoding with two bytes a character, as
    `plain` has them: the standard without what was added to it ("" itself).
    """

    codec: str
    name: str
    usual: tuple[int, int] = (0, 0)
    plain: str = ""


_WIDE: Final = (
    _Charset("cp932", "Shift-JIS", (0x88, 0x98)),
    _Charset("cp949", "EUC-KR", (0xB0, 0xC8), "euc_kr"),
    _Charset("gb18030", "GBK", (0xB0, 0xD7), "gb2312"),
    _Charset("big5", "Big5", (0xA4, 0xC6)),
    _Charset("euc_jp", "EUC-JP", (0xB0, 0xCF)),
)
_NARROW: Final = (
    _Charset("cp1252", "Latin-1"),
    _Charset("cp1250", "Windows-1250"),
    _Charset("cp1251", "Windows-1251"),
    _Charset("koi8_r", "KOI8-R"),
)


class Decoded(NamedTuple):
    """`encoding` is what the bytes were read as. `replaced`: for so many signs, which are no text, "\\ufffd" stands."""

    text: str
    encoding: str
    replaced: int = 0


def decode(data: bytes) -> Decoded:
    """The text of `data`. Never fails: what is in no encoding that can be told is read as UTF-8 with replaced signs."""
    for bom, codec, name in _BOMS:
        if data.startswith(bom):
            text = data.decode(codec, "replace")
            return Decoded(text, name, text.count(_REPLACED))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return _unmarked(data) or Decoded(text, "UTF-8") if "\0" in text else Decoded(text, "UTF-8")
    text = data.decode("utf-8", "replace")
    replaced = text.count(_REPLACED)
    wide = sum(char > "\x7f" for char in text) - replaced
    if wide > 4 * replaced:  # UTF-8 with a broken place
        return Decoded(text, "UTF-8", replaced)
    found = _unmarked(data) if b"\0" in data else _likeliest(data)
    return found or Decoded(text, "UTF-8", replaced)


def _unmarked(data: bytes) -> Decoded | None:
    """UTF-16 without its mark: of most characters one byte is 0, always the same one."""
    half = data[:_SAMPLE_BYTES]
    zeros = (half[::2].count(0), half[1::2].count(0))
    for codec, many, few in (("utf-16-le", zeros[1], zeros[0]), ("utf-16-be", zeros[0], zeros[1])):
        if many * 4 > len(half) and few * 20 < many:
            try:
                return Decoded(data.decode(codec), "UTF-16")
            except UnicodeDecodeError:
                return None
    return None


def _likeliest(data: bytes) -> Decoded | None:
    best, least = None, _SURE
    sample = _sample(data)
    for one in (*_WIDE, *_NARROW):
        try:
            score = _score(sample.decode(one.codec), one)
            if score > least:
                best, least = Decoded(data.decode(one.codec), one.name), score
        except UnicodeDecodeError:
            continue
    return best


def _sample(data: bytes) -> bytes:
    """Lines from the first byte on that is not ASCII; whole ones, as no character goes over the end of a line."""
    first = next((at for at, byte in enumerate(data) if byte > 0x7F), 0)
    begin = data.rfind(b"\n", 0, first) + 1
    if len(data) - begin <= _SAMPLE_BYTES:
        return data[begin:]
    end = data.rfind(b"\n", begin, begin + _SAMPLE_BYTES)
    return data[begin:end] if end > first else data[begin:]


def _score(text: str, charset: _Charset) -> float:
    """How likely the characters beyond ASCII are to be meant, 0 to 1."""
    told, total, before = 0, 0.0, " "
    for at, char in enumerate(text):
        if char > "\x7f":
            after = text[at + 1] if at + 1 < len(text) else " "
            if charset.usual[0]:  # one alone is rather a sign of a Latin encoding with the letter behind it
                total += _wide(char, charset) * (1.0 if max(before, after) > "\x7f" else 0.3)
            else:
                total += _narrow(before, char, after, charset)
            told += 1
            if told >= _SAMPLE_CHARS:
                break
        before = char
    return total / told if told else 0.0


def _wide(char: str, charset: _Charset) -> float:
    if "\u3040" <= char <= "\u30ff":
        return 1.0 if charset.codec in ("cp932", "euc_jp") else 0.1
    if "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff5e":
        return 0.7
    try:
        is_usual = charset.usual[0] <= char.encode(charset.plain or charset.codec)[0] <= charset.usual[1]
    except UnicodeEncodeError:
        is_usual = False
    if "\uac00" <= char <= "\ud7a3":
        return 1.0 if is_usual else 0.1
    if "\u4e00" <= char <= "\u9fff":
        # Hanja are rare; the same bytes are Chinese as well, and Japanese has kana beside.
        usual = {"cp949": 0.1, "euc_jp": 0.75}.get(charset.codec, 0.9)
        return usual if is_usual else 0.2
    return 0.1  # also katakana of half width, which anything reads as in Shift-JIS


def _narrow(before: str, char: str, after: str, charset: _Charset) -> float:
    is_within = before.isalpha() or after.isalpha()
    if "\u0400" <= char <= "\u04ff":
        if any(one.isascii() and one.isalpha() for one in (before, after)):
            return 0.05
        is_usual = "\u0410" <= char <= "\u044f" or char in "ЁёІіЇїЄєҐґЎў"
        if char.isupper() and before.isalpha():
            return 0.1 if before.islower() else 0.5
        return 0.8 if is_usual else 0.3
    if charset.codec in ("cp1251", "koi8_r"):
        return 0.05 if is_within else 0.4
    if char.isalpha():
        latin = 0.8 if charset.codec == "cp1252" else 0.75
        is_odd = char.isupper() and before.islower()
        is_alone = not any(one.isascii() and one.isalpha() for one in (before, after))
        return 0.1 if is_odd else 0.3 if is_alone else latin
    if char in "¿¡" and charset.codec == "cp1252" and after.isalpha() and not before.isalpha():
        return 0.8
    is_sign = char.isprintable() or char == "\xa0"
    return 0.0 if not is_sign else 0.1 if before.isalpha() and after.isalpha() and char not in "’·-" else 0.5
