"""Which word leads to which reading: every keyword after which a value may stand that has a name."""

from collections.abc import Callable, Iterable

from clew.secrets.columns import read_column, read_list, read_manifest, read_rest
from clew.secrets.values import (
    SPOKEN_AS_PASSWORD,
    Value,
    compiled,
    read_address,
    read_assignment,
    read_before,
    read_near,
)

Reader = Callable[[str, int, str], Iterable[Value]]


# The rest of a name and the quote or emphasis that closes it. What comes then tells what may follow.
_NAME_END = r"[\w.-]{0,32}+(?:\\{0,3}[\"'`]|\*{1,2})?+\]?[ ]{0,40}+"


def _named(text: str, at: int, word: str) -> Iterable[Value]:
    """Read what the name with `word` at `at` stands for: beside it, in front of it, in its column or list."""
    end = at + len(word)
    if "a" <= text[end : end + 1] <= "z" and text[end : end + 1] != "s":
        return ()  # a longer word: `keyboard`, `passenger`
    value = read_assignment(text, at, word)
    if value is not None and (value.sign != " " or value.is_flag):
        return (value, *read_rest(text, value)) if value.is_quoted else (value,)
    found = [value] if value else []  # two words in a row, which only some names take for a value
    found += filter(None, (read_before(text, at, word), read_near(text, at, word)))
    closed = compiled(_NAME_END).match(text, end)
    mark = text[closed.end() : closed.end() + 1] if closed else ""
    if mark in ("|", ",", ";", "\t", "\n", "\r", "\\"):
        found += read_column(text, at, word)
    elif mark in ("=", ":"):
        found += read_list(text, at, word)
    return found


def _short(word: str) -> Reader:
    """Read after a word that is looked for with what follows it, since it is the start of too many other words."""
    return lambda text, at, _found: _named(text, at, word)


def _address(text: str, at: int, word: str) -> Iterable[Value]:
    value = read_address(text, at, word)
    return () if value is None else (value,)


# Names without any of these words are told by a vendor's prefix or not at all.
READERS: dict[str, Reader] = {
    "://": _address,
    **dict.fromkeys(("_pat=", '_pat"', "_pat:", "_pat\\", "_pat "), _short("_pat")),
    "pat is": _short("pat"),
    **dict.fromkeys(("pw:", "pw=", "pw is", "pw ="), _short("pw")),
    **dict.fromkeys(
        ("kind: secret", 'kind": "secret', 'kind":"secret', 'kind\\":\\"secret', 'kind\\": \\"secret'), read_manifest
    ),
    **dict.fromkeys(
        (
            "key",
            "token",
            "secret",
            "credential",
            "credentials",
            "creds",
            "authorization",
            "password",
            "passwd",
            "passphrase",
            "passcode",
            "pass",
            "pwd",
        ),
        _named,
    ),
    **dict.fromkeys((word for word in SPOKEN_AS_PASSWORD if word.isascii() and word != "pw"), _named),
}

# The same for words that no ASCII text can hold, in the spellings people use.
FOREIGN: dict[str, Reader] = {
    spelling: _named
    for word in SPOKEN_AS_PASSWORD
    if not word.isascii()
    for spelling in dict.fromkeys((word, word.capitalize(), word.upper()))
}
