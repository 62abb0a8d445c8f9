"""Values that have a name: assignments in any language, and passwords in addresses.

Knows where a value stands and what it is called, nothing about whether it is secret. Every reading
looks at a bounded stretch of text.
"""

import re
from collections.abc import Callable
from functools import cache

from clew.core.tuples import NamedTuple

# One quote, which JSON inside JSON writes with one backslash or three.
QUOTE = r"""(?:\\{0,3}["'`])"""

_WORD_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_NAME_CHARS = _WORD_CHARS + "_-."
_NAME_BEFORE_MAX = 48


class Value(NamedTuple):
    """`text[start:end]`, called `name`.

    The name is in lower case without `-`, `_`, `.`; an address's is its scheme with `://`.
    `about` is what the name says after the word that drew attention (`_file` in `token_file`).
    `sign` is what joins them: `=`, `:`, …, a space for a flag's value, "" in an address.
    """

    name: str
    about: str
    sign: str
    is_flag: bool
    is_quoted: bool
    start: int
    end: int


# After the word, which is no part of a longer one: the rest of the name, its closing quote, a sign,
# and the value. Between name and `=` a type may stand; a call has `"name", "value"` or
# `name("value")`; XML has `>`; Kubernetes has the value on its own line; a table has it in the next
# cell; a person writes `the password is …`, also `the password for staging is …`.
# A value without a digit is never taken (see `clew.secrets.judge`), and asking for one here ends
# most readings early; so do the atomic groups, since nearly every word that draws attention is no
# assignment. A bare value before `(`, `[` or `{` is code.
_ASSIGNMENT = (
    r"(?![a-z])(?P<about>[\w.-]{0,32}+)"
    r"(?>\\{0,3}[\"'`])?+\]?+"
    r"(?>(?:\s?:\s?[&'\w.\[\]|?]{1,30}+)?\s{0,4}+(?P<sign>=(?:==?|>)?|:=|\?=)\s{0,4}+"
    r"|\s{0,4}+(?P<other>:(?!:)|!==?)\s{0,4}+"
    r"|(?P<call>,\s{0,3}+|\(\s?)(?=\\{0,3}[\"'`])"
    r"|(?P<xml>>)"
    r"|(?P<pair>(?:\\n|\s){1,20}+value\s?[:=]\s?+)"
    r"|(?P<cell>\s{0,40}\|\s{0,40}(?=\S))"
    r"|(?P<verb>\s{1,3}(?:(?:for|of|to|on|in)(?:\s[\w./-]{1,40}+){1,3}?\s)?is:?\s{1,3}+)"
    r"|(?P<space>\s{1,4}+))"
    r"(?>(?:[Bb]earer|[Bb]asic|[Tt]oken|[Bb]ot)\s{1,2})?+"
    r"(?:\\{0,3}[\"'`](?P<quoted>(?=[^\s\"'`\\\d]{0,80}+\d)[^\s\"'`\\]{6,2048}+)(?=\\{0,3}[\"'`])"
    r"|(?P<bare>(?=[^\s\"'`\\,;()\[\]{}<>&|\d]{0,80}+\d)[^\s\"'`\\,;()\[\]{}<>&|]{6,2048}+)"
    r"(?=[\s\"'`\\,;)\]}<&|]|$))"
)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile at first use: a process that never scans should not pay for it at import."""
    return re.compile(pattern)


def read_assignment(text: str, at: int, word: str) -> Value | None:
    """Read the assignment whose name has `word` at `at`."""
    match = compiled(_ASSIGNMENT).match(text, at + len(word))
    if match is None:
        return _read_before(text, at, word)
    is_quoted = match["quoted"] is not None
    start, end = match.span("quoted" if is_quoted else "bare")
    before = text[max(0, at - _NAME_BEFORE_MAX) : at]
    rest = before.rstrip(_NAME_CHARS)
    if rest.endswith("::") or (rest.endswith(":") and match["other"]):
        return None  # A part of `arn:aws:secretsmanager:…:secret:name` or `AWS::IAM::AccessKey`.
    name = before[len(rest) :] or _word_before(rest)
    spoken = (name + word + match["about"]).lower()
    for char in "-_.":
        spoken = spoken.replace(char, "")
    # A sentence ends with a full stop, and so may the value in it.
    if not is_quoted:
        end = start + len(text[start:end].rstrip(".:"))
    sign = next(filter(None, match.group("sign", "other", "call", "xml", "pair", "cell", "verb")), "").strip()
    return Value(spoken, match["about"], sign or " ", "--" in name, is_quoted, start, end)


# What a person says of a key that stands in front: `the 9fe8….q7Rk key`, `the 9fe8….q7Rk API key`.
_BEFORE = r"(?:^|[\s(])[\"'`]?([^\s\"'`(){}\[\]<>|,;=]{16,128}+)[\"'`]?\s(?:(?i:api|access|secret|auth|bearer)\s)?\Z"
_BEFORE_MAX = 160


def _read_before(text: str, at: int, word: str) -> Value | None:
    """Read the value in front of the word at `at`, where nothing behind it is one."""
    if word not in ("key", "token", "secret", "password") or text[at - 1 : at] not in (" ", "\n"):
        return None
    start = max(0, at - _BEFORE_MAX)
    match = compiled(_BEFORE).search(text[start:at])
    if match is None:
        return None
    return Value(f"said{word}", "", "the", False, False, start + match.start(1), start + match.end(1))


def _word_before(rest: str) -> str:
    """The first word of a name of two ("api" of "api key"); "" where no word stands directly in front."""
    match = compiled(r"(?<![\w-])([A-Za-z]{2,16}) \Z").search(rest[-18:])
    return match[1] if match else ""


# User and password in the "userinfo" part of an address (RFC 3986, 3.2.1). A password may hold an
# unescaped `@`: the last one before a host counts.
_USERINFO = (
    r"://[\w.~!$&'()*+,;=%-]{0,80}+:([^\s\"'`\\/:<>|{}\[\]]{3,200}?)"
    r"@(?=[\w.-]{1,100}+(?:[:/?\s\"'`\\),;\]}#]|$))"
)
_SCHEME_CHARS = _WORD_CHARS + "+-."


def read_address(text: str, at: int, _word: str) -> Value | None:
    """Read the password of the address whose `://` is at `at`."""
    match = compiled(_USERINFO).match(text, at)
    if match is None:
        return None
    before = text[max(0, at - 24) : at]
    scheme = before[len(before.rstrip(_SCHEME_CHARS)) :].lower().partition("+")[0]
    return Value(scheme + "://", "", "", False, False, *match.span(1))


def _read_pat(text: str, at: int, _word: str) -> Value | None:
    return read_assignment(text, at, "_pat")


# Keyword -> how to read a named value where it stands. Names without any of these words are told
# by a vendor's prefix or not at all. A "pat", a personal access token, is the start of too many
# other words to be looked for by itself.
READERS: dict[str, Callable[[str, int, str], Value | None]] = {
    "://": read_address,
    **dict.fromkeys(("_pat=", '_pat"', "_pat:", "_pat\\", "_pat "), _read_pat),
    **dict.fromkeys(
        ("key", "token", "secret", "credential", "password", "passwd", "passphrase", "passcode", "pass", "pwd"),
        read_assignment,
    ),
}
