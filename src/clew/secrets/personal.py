"""Personal data in text: mail addresses, telephone numbers, IBANs, payment cards. It is warned of, not replaced.

A number counts when its own checksum says so (ISO 7064 for IBANs, Luhn for cards) or when it is written as one
(`+` and a country's code). Addresses that documentation and programs use are nobody's.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

Sort = Literal["mail", "phone", "iban", "card"]

# What may not stand before a number is asked behind its first signs: a pattern that begins with signs to look for is
# searched for several times as fast as one that begins with a look back.
_HOST: Final = re.compile(r"@((?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24})(?![\w@-]|\.\w)")
_MAILBOX: Final = re.compile(r"(?<![\w.+/@-])(?:(?<=mailto:)|(?<!:))([\w.+-]{1,64})\Z")
_MAILBOX_CHARS: Final = 64 + len("mailto:") + 1
_PHONE: Final = re.compile(r"\+(?<![\w+/=.-]\+)[1-9]\d{0,3}(?:[ ().-]{0,2}\d){6,12}(?![\w+/=-]|\.\d)")
_IBAN: Final = re.compile(
    r"[A-Z]{2}\d{2}(?<![A-Za-z0-9][A-Z]{2}\d{2})(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
# Visa, Mastercard, American Express, Discover, JCB, Diners, UnionPay, by what their numbers begin with.
_CARD: Final = re.compile(r"(?:4\d|5[1-5]|2[2-7]|3[04-8]|6[0245])(?<![\w.+/=-]\d\d)(?:[ -]?\d){11,17}(?![\w+/=-]|\.\d)")
# Digits and capitals as classes, without what may stand between those of one number: most texts hold neither the
# beginning of an IBAN nor thirteen digits in a row.
_CLASSES: Final = bytes(48 if 48 <= one < 58 else 65 if 65 <= one < 91 else 46 for one in range(256))
_CARD_LENGTHS: Final = {"3": (14, 15, 16), "4": (13, 16, 19), "5": (16,), "2": (16,), "6": (16, 17, 18, 19)}

# Countries of the IBAN registry with the length of theirs.
_IBAN_LENGTHS: Final = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU XK MN",
        21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip

_NOBODYS_NAMES: Final = frozenset(
    """noreply no-reply donotreply do-not-reply git user username you your-email name someone somebody me test
    example""".split()
)
# Reserved for documentation (RFC 2606, RFC 6761), or what a program writes where no mail is read.
_NOBODYS_PLACES: Final = (
    *("example.com", "example.org", "example.net", "example.edu", "domain.com", "email.com", "company.com"),
    *(".example", ".test", ".invalid", ".localhost", ".local", ".internal", "users.noreply.github.com"),
)
# What stands behind an `@` and is no host: a file, a version of a package, a decorator.
_NO_HOST: Final = frozenset("png jpg jpeg gif svg webp py js ts tsx css json md html txt yml yaml toml service".split())


class Personal(NamedTuple):
    """Personal data at `text[start:end]`, of a sort."""

    sort: Sort
    start: int
    end: int


def personal(text: str) -> list[Personal]:
    """The personal data in a text, by where it stands. The time is proportional to the length of the text."""
    classes = text.encode("ascii", "replace").translate(_CLASSES, b" -")
    found = {*_mails(text), *_phones(text)}
    if b"AA00" in classes:
        found.update(_ibans(text))
    if b"0" * 13 in classes:
        found.update(_cards(text))
    return sorted(found, key=lambda one: (one.start, one.end))


def _mails(text: str) -> Iterator[Personal]:
    if "@" not in text:
        return
    for match in _HOST.finditer(text):
        start = max(0, match.start() - _MAILBOX_CHARS)
        box = _MAILBOX.search(text[start : match.start()])
        if box is None:
            continue
        name, host = box[1].lower(), match[1].lower()
        if name in _NOBODYS_NAMES or "noreply" in name or host.rpartition(".")[2] in _NO_HOST:
            continue
        if not any(host == place.lstrip(".") or host.endswith(f".{place.lstrip('.')}") for place in _NOBODYS_PLACES):
            yield Personal("mail", start + box.start(1), match.end())


def _phones(text: str) -> Iterator[Personal]:
    if "+" not in text:
        return
    for match in _PHONE.finditer(text):
        digits = [char for char in match[0] if char.isdigit()]
        # 555 01xx is for fiction; a number of hardly any different digits is a sample or a sum.
        if 8 <= len(digits) <= 15 and len(set(digits)) > 3 and "55501" not in "".join(digits):
            yield Personal("phone", *match.span())


def _ibans(text: str) -> Iterator[Personal]:
    for match in _IBAN.finditer(text):
        iban = match[0].replace(" ", "")
        length = _IBAN_LENGTHS.get(iban[:2], 0)
        if not length or len(iban) < length or (len(iban) > length and " " not in match[0]):
            continue
        if int("".join(str(int(char, 36)) for char in iban[4:length] + iban[:4])) % 97 == 1:
            yield Personal("iban", *match.span())


def _cards(text: str) -> Iterator[Personal]:
    for match in _CARD.finditer(text):
        digits = [int(char) for char in match[0] if char.isdigit()]
        if len(digits) in _CARD_LENGTHS[str(digits[0])] and len(set(digits)) > 3 and _luhn(digits):
            yield Personal("card", *match.span())


def _luhn(digits: list[int]) -> bool:
    """Whether the check digit (ISO/IEC 7812-1) fits."""
    doubled = (digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
