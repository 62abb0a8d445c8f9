"""Is this value a secret, when only the name before it says so?

Rules of thumb for values without a shape of their own. They lean towards "no": a secret in a place
that names it is random, and a word, a path or an expression in such a place is code or prose.

The patterns are texts, compiled by `re` when first used and kept in its cache.
"""

import re
from base64 import b64decode
from binascii import Error
from collections import Counter
from math import log2

# Words people write where the secret should go, and names of types and variables. A random value
# of 40 letters and digits contains a given four-letter word once in about 25,000 times, one of all
# these once in about 500; that is what their precision costs.
PLACEHOLDER = (
    r"(?i:example|sample|placeholder|change.?(?:me|this|it)|your|xxxx|\*\*\*|\.\.\.|…|dummy|fake"
    r"|redacted|insert|todo|fixme|foobar|foo_|bar_|goes.?here|replace|secret|passw|token|api.?key"
    r"|key.?id|environ|getenv|process\.|config|settings|123456|abcdef|qwerty|0{8}|invalid|undefined"
    r"|default|^test|test$|^mock|^some|^my[_-]|^none|^null|^true|^false|^not[_-])"
    r"|\{[\w.]*\}"  # A field of a template.
)

# The same in names of types and variables; in a long value of letters and several digits they are chance.
_NAMED = r"Key|Cred"

# What an expression, a template, a path, an address or a digest starts with.
NOT_A_VALUE = r"""(?x)
    [$%{<\[(@*&~!?|\\^] | \.{1,2}/ | /(?:\w+[/.])+ | [a-zA-Z][a-zA-Z0-9+.]*:// | [A-Za-z]:[\\/]
    | (?:sha\d{1,3}|md5|blake\w{1,3}|crc32|urn|data|arn|vault|op|ref|env|file|spki)[-:] | --
    """

# With what a password may begin, and code, templates, variables and versions do as well.
SIGNS = "!@$%^&*~?(|"

# What code and templates have in them, hashes of passwords, versions, and YAML's own words.
_EXPRESSION = (
    r"[!@$%^&*~?(|]+(?:[{<\[]|\d{0,3}\Z|\d+(?:\.\d+)+[\w.-]*\Z|/)|\$\(|\$(?:\d\w?|argon2\w{1,2}|scrypt|pbkdf2[\w-]*)\$"
    r"|.*(?:\{\{|\$\{|->|=>|\(\)|[A-Za-z_.]{3}\d?\()|%\w*%\Z|%[A-Z_]+\d?%|&\#?\w+;|[!$&*@]+[A-Za-z_]{3,20}[.:][A-Za-z_]\w*\Z|!(?:Ref|Sub|GetAtt|vault|reference)\b"
)


def is_expression(value: str) -> bool:
    """Tell what code writes after a sign (`$NAME`, `%NAME%`, `&anchor`, `@decorator(…)`, `^1.2.3`) from a password that
    begins with one: that has a digit, and a piece that is no word, or signs between its pieces.
    """
    if re.match(_EXPRESSION, value):
        return True
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)) or len(set(value)) < 6:
        return True
    first, *rest = pieces = [piece for piece in re.split(r"[\W_]+", value) if piece]
    if len(first) > 2 and is_wordy(first) and value[0] in "$@&%*" and not any(map(_is_mixed, rest)):
        return True
    # Between words stand dots, dashes and slashes; a password has others.
    signs = sum(char in "!@#$%^&*+?~|" for char in value[1:])
    return not any(map(_is_mixed, pieces)) and signs < 2


def _is_mixed(piece: str) -> bool:
    """Whether a piece is no word: digits among its letters, or two words of it are one by chance."""
    return len(piece) > 2 and any(map(str.isdigit, piece)) and not piece.isdecimal() and not is_wordy(piece)


# How names end that hold something about a secret: its length, place, kind or holder.
ABOUT = tuple(
    "count type name uri url file path dir id hash digest length len size limit s ttl -at _at policy field header"
    " prefix suffix pattern regex version format label ref budget usage index position pos class func fn column col"
    " table rule kind status store manager provider endpoint email hint min max list set map cache validator checksum"
    " fingerprint arn scope algorithm alg context schema source model test strategy generator required enabled input"
    " output used total bucket prompt error message handler factory helper service command selector placeholder title"
    " text description".split()
)

UUID = r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z"

# A piece of an identifier, a version or a file name.
WORD = r"(?:[a-z]++|[A-Z]{2,}+|[A-Z][a-z]{2,}+)++\d{0,4}\Z|v?\d{0,8}\Z|[A-Za-z]?\d?\Z"
PIECES = r"[-_./:@,#+=]|(?<=[a-z])(?=[A-Z][a-z])"


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters, in bits a character."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values())


def is_masked(value: str) -> bool:
    """Tell a mask (`xxxx`, `****`, `0000`) from a value, whatever prefix it has.

    Of the last twelve characters, at least ten are one and the same mask character.
    """
    tail = value[-12:]
    return any(tail.count(char) >= 10 for char in "xX*0.•-_#")


def is_wordy(value: str) -> bool:
    """Tell an identifier, path, version or hyphenated name: every piece of it is a word."""
    return all(re.match(WORD, piece) for piece in re.split(PIECES, value))


def is_about(rest: str) -> bool:
    """Tell the name of something about a secret, by what it says (`rest`) after the word that names the secret."""
    rest = rest.lower()
    return rest.endswith(ABOUT) or "expir" in rest.replace("-", ".").rpartition(".")[2]


def is_placeholder(value: str) -> bool:
    """Tell what people write where the secret should go, and names of types and variables."""
    if re.search(PLACEHOLDER, value):
        return True
    is_long = len(value) >= 32 and value.isalnum() and sum(map(str.isdigit, value)) >= 4
    return not is_long and bool(re.search(_NAMED, value))


def is_random(value: str, *, length_min: int = 16) -> bool:
    """Tell a key or token from the words and expressions found in the same places."""
    # Base64 may begin as a path does, and no path ends as base64 does.
    is_padded = value.startswith("/") and value.endswith("=") and len(value) % 4 == 0
    if len(value) < length_min or (re.match(NOT_A_VALUE, value) and not is_padded) or is_placeholder(value):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    # Of 16 random letters and digits, all but one in 16 have a digit; of 32, all but one in 250.
    if not digits or letters < 2:
        return False
    # Random hexadecimal has up to 4 bits, 32 digits of it about 3.6; English words 2.5 to 3.2.
    return entropy(value) >= 3.0 and not is_wordy(value)


def is_password(value: str) -> bool:
    """Tell a password somebody chose from the types, names and placeholders in its place.

    Of digits, small letters, capitals and signs it has three kinds, or digits among ten characters
    that are not all words. Words alone are never taken, though people do use them.
    """
    if len(value) < 8 or is_placeholder(value):
        return False
    if value[0] in SIGNS:
        return not is_expression(value)
    if re.match(NOT_A_VALUE, value):
        return False
    if len(set(value)) < 6 or not any(map(str.isalpha, value)):
        return False
    has_digit = any(map(str.isdigit, value))
    has_sign = any(char in "!@#$%^&*+=?~" for char in value)
    if has_sign and has_digit:
        return True
    if not has_digit or not value.isascii():
        return False
    mixed = value.lower() != value and value.upper() != value
    return (mixed and value.isalnum()) or (len(value) >= 10 and not is_wordy(value))


# Words, abbreviations and numbers in a name, and what no password has that stands among words.
_CHUNK = r"[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{4,}|\d{4,}"
_UNSAID = frozenset("/:@.()_,;<>[]{}")


def stands_out(value: str) -> bool:
    """Tell a random value that stands among words, where nothing but the words names it: of both cases, with a digit,
    no piece of code or of a link, and a third of it or more is no word.
    """
    if value.lower() == value or value.upper() == value or not any(map(str.isdigit, value)):
        return False
    chance = len(re.sub(_CHUNK, "", value))
    return chance * 3 >= len(value) and _UNSAID.isdisjoint(value) and not is_placeholder(value)


# What documentation writes where the password goes. A real password may be as weak, but then
# everybody who tries passwords has it already.
_EXAMPLE_PASSWORD = (
    r"(?i)(?:my|db|the|a|user|root|admin|database|postgres|mysql|mongo|redis|rabbit|basic|proxy|url"
    r"|super|some|your|very|top)?[_.-]?"
    r"(?:pass(?:w(?:or)?d|phrase|wd)?\d{0,3}|pwd|pw|secret\d{0,3}|token|user(?:name)?|postgres"
    r"|root|admin|guest|mysql|mongo(?:db)?|redis|test(?:ing)?|key|api[_-]?key|credentials?|x+|p+"
    r"|dev|local|foo|bar|baz|hunter2|oauth2?|pat|\d{1,6}|[a-z]{1,3})\Z"
)


def is_example_password(password: str) -> bool:
    """Tell what is written in place of a password beside a user's name."""
    if not password or password[0] in "{<[." or re.match(_EXAMPLE_PASSWORD, password):
        return True
    if password[0] in "$%(*":
        return is_expression(password)
    return not any(map(str.isdigit, password)) and is_placeholder(password)


def is_basic_auth(value: str) -> bool:
    """Tell the base64 of `user:password` from any other base64 or word."""
    try:
        decoded = b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (Error, ValueError):
        return False
    _user, _colon, password = decoded.partition(":")
    return len(password) >= 4 and decoded.isprintable() and not is_example_password(password)
