"""Values that have a name: assignments in any language, passwords in addresses, and what stands at one remove from its
name: below it in a table, in a list after it, in a manifest of secrets.

Knows where a value stands and what it is called, nothing about whether it is secret. Every reading
looks at a bounded stretch of text. `READERS` tells which word leads to which reading.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

Span = tuple[int, int]

# One quote, which JSON inside JSON writes with one backslash or three.
QUOTE = r"""(?:\\{0,3}["'`])"""

_WORD_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_NAME_CHARS = _WORD_CHARS + "_-."
_NAME_BEFORE_MAX = 48


# How people call a password, a key or a token in other languages, and for short.
SPOKEN_AS_PASSWORD = frozenset(
    "pw,kata sandi,chave,chiave,sleutel,schlüssel,clé,ключ,токен,密钥,令牌,apiキー,api 키,clave"
    ",passwort,kennwort,wachtwoord,senha,salasana,adgangskode,heslo,haslo,parola,mot de passe,contrasena"
    ",contraseña,hasło,lösenord,şifre,jelszó,пароль,密码,密碼,パスワード,비밀번호".split(",")
)


class Value(NamedTuple):
    """`text[start:end]`, called `name`.

    The name is in lower case without `-`, `_`, `.`; an address's is its scheme with `://`.
    `about` is what the name says after the word that drew attention (`_file` in `token_file`).
    `sign` is what joins them: `=`, `:`, …, a space where nothing does, "" in an address. `is_flag`: something in front
    says that the value follows: the dashes of a flag, or a word as in `setx NAME VALUE`.
    """

    name: str
    about: str
    sign: str
    is_flag: bool
    is_quoted: bool
    start: int
    end: int


# What may stand between two things on two lines: the marks of a diff, a quotation or a numbered listing, too.
GAP = r"(?:\\n|[\s,;+>]|-(?!-)|\d{1,6}→)"

# The same in front of a value on a line of its own.
_MARKS = r"(?<=\s)(?:[+>-]\s{0,2}|\s{0,6}\d{1,6}→\s?){1,3}+"

# The value of the name in another field: `"name": "X_KEY", "value": "…"`, `--name X --value …`, `set X --body …`.
_PAIR = (
    rf"(?:{GAP}{{1,20}}+(?:\\{{0,3}}[\"'`]|--)?(?i:parameter)?(?i:value)(?:\\{{0,3}}[\"'`])?(?:\s{{0,4}}[:=]\s{{0,4}}|\s)"
    r"|\s{1,3}(?:--body|-b|--plaintext)[\s=]{1,3})"
)
# What is taken where the name has no value: `process.env.X || "…"`, `${X:-…}`, `.unwrap_or("…")`, `default="…"`.
_FALLBACK = (
    r"\)?\s{0,4}(?:\|\||\?\?=?|\?:|\bor\b)\s{0,4}(?=\\{0,3}[\"'`])"
    r"|:-"
    r"|\)\s?\{\s{0,3}(?=\\{0,3}[\"'])"
    r"|\)\s{0,4}\.(?:unwrap_or(?:_else)?|or_else|orElse|getOrElse|withDefault)\((?:\|\w{0,8}\|\s?)?"
    rf"|\s?\{{{GAP}{{1,20}}(?:(?:type|description|sensitive)\s{{0,9}}=[^\n\\]{{0,80}}{GAP}{{1,20}}){{0,3}}default\s{{0,9}}=\s?"
    r"|,\s{0,4}default\s?=\s?(?=\\{0,3}[\"'])"
)
# What a value is handed to before it is kept.
_WRAPPER = r"(?:[\w.]{0,20}\.)?(?:Field|field|Secret\w{0,10}|String|Some|Optional)\((?:default\s?=\s?)?(?=\\{0,3}[\"'])"
# How a person says it, in a few languages: `the password for staging is …`, `I set the key to …`, `password → …`.
_VERB = (
    r"\s{1,3}(?:(?:for|of|to|on|in|für|von|del?|para|pour)(?:\s[\w./-]{1,40}+){1,3}?\s)?"
    r"(?:(?:is|was|will be|ist|lautet|es|est|è|é|это)(?!\w):?(?:\s(?:now|still|just|currently))?|to|[-–—=]>?|→)\s{1,3}+"
    r"|\s(?:от|для)(?:\s\w{1,40}+){1,2}?\s{1,3}(?:[:=—-]\s)?(?=\S*\d)"
    r"|\s?[是为]\s?[:\uff1a]?\s?"
)

# After the word, which is no part of a longer one: the rest of the name, its closing quote, a sign,
# and the value. Between name and `=` a type may stand; a call has `"name", "value"` or
# `name("value")`; XML has `>`; Kubernetes has the value on its own line; a table has it in the next
# cell; a person writes `the password is …`, also `the password for staging is …`.
# A value without a digit is never taken (see `clew.secrets.judge`), and asking for one here ends
# most readings early; so do the atomic groups, since nearly every word that draws attention is no
# assignment. A bare value before `(`, `[` or `{` is code.
_ASSIGNMENT = (
    r"(?![a-z])(?P<about>[A-Za-z0-9_.-]{0,32}+)"
    r"(?>\\{0,3}[\"'`]|\*{1,2})?+\]?+"
    rf"(?>(?:\s?:\s?[&'\w.\[\]|?]{{1,30}}+)?\s{{0,4}}+(?P<sign>=(?:==?|>)?|:=|\?=|<<<)\s{{0,4}}+(?:{_WRAPPER})?"
    r"|\s{0,4}+(?P<other>[:\uff1a](?![:-])|!==?)\*{0,2}(?:\s|\\n){0,4}+"
    rf"(?:[|>][+-]?(?:\n|\\n){GAP}{{0,12}}+)?+"
    rf"(?:{_MARKS})?(?:```\w{{0,10}}(?:\s|\\n)(?:{_MARKS})?)?+(?:[\w.@-]{{2,40}}\s/\s)?+"
    rf"|(?P<pair>{_PAIR})|(?P<fallback>{_FALLBACK})"
    r"|(?P<call>,\s{0,3}+|\(\s?)(?=\\{0,3}[\"'`])"
    rf"|(?P<xml>(?:</\w{{1,10}}>{GAP}{{0,20}}<\w{{1,10}}(?:\s[^<>]{{0,80}})?)?>)"
    r"|(?P<cell>\s{0,40}\|\s{0,40}(?=\S))"
    rf"|(?P<verb>{_VERB})"
    r"|(?P<space>\s{1,4}+))"
    rf"(?>{QUOTE}?(?:[Bb]earer|[Bb]asic|[Tt]oken|[Bb]ot)\s{{1,2}})?+"
    r"(?:\\{0,3}[\"'`](?P<quoted>(?=[^\s\"'`\\\d]{0,80}+\d)[^\s\"'`\\]{6,2048}+)(?=\\{0,3}[\"'`])"
    # A person says the whole word, whatever signs it has.
    r"|(?P<bare>(?(verb)(?=[^\s\"'`\\\d]{0,80}+\d)[^\s\"'`\\]{6,200}+"
    r"|[&|(]?(?=[^\s\"'`\\,;()\[\]{}<>&|\d]{0,80}+\d)[^\s\"'`\\,;()\[\]{}<>&|]{6,2048}+(?:\|[\w.+/=-]{16,512}+)?+))"
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
        return None
    is_quoted = match["quoted"] is not None
    start, end = match.span("quoted" if is_quoted else "bare")
    before = text[max(0, at - _NAME_BEFORE_MAX) : at]
    rest = before.rstrip(_NAME_CHARS)
    if rest.endswith("::") or (rest.endswith(":") and match["other"]):
        return None  # A part of `arn:aws:secretsmanager:…:secret:name` or `AWS::IAM::AccessKey`.
    name = before[len(rest) :] or _word_before(rest)
    spoken = _spoken(name, word, match["about"])
    if not is_quoted:
        # A sentence ends with a full stop, and so may the value in it.
        end = start + len(text[start:end].rstrip(".:,;!?)"))
    signs = match.group("sign", "other", "call", "xml", "cell", "verb")
    sign = "=" if match["pair"] or match["fallback"] else next(filter(None, signs), "").strip()
    is_flag = name.startswith("-") or (not sign and bool(compiled(_SETTER).search(rest[-60:])))
    return Value(spoken, match["about"], sign or " ", is_flag, is_quoted, start, end)


# What gives a value to the name behind it, which the value follows: `setx X …`, `npm config set //host/:X …`.
_SETTER = (
    r"(?:(?<![\w./])|(?<=\\n))(?:setx?|setenv|SetEnv|ENV|add|put|env|define|\#define|config(?:ure)?|proxy_set_header|header_up)"
    r"(?:\s{1,3}-{1,2}[\w-]{1,20}){0,3}\s{1,4}(?:\\{0,3}[\"'(])?[\w./:-]{0,50}\Z"
)

# A word of a sentence that may be a value, and the quotes, brackets and stops around it.
_SAID = (
    r"[\"'`(\[{<]{0,3}((?=[^\d]{0,40}\d)(?=[^A-Z]{0,40}[A-Z])(?=[^a-z]{0,40}[a-z])[A-Za-z0-9!@#$%^&*+=?~-]{10,128}+)"
    r"[\"'`)\]}>,;:.]{0,4}\Z"
)
_NEAR_MAX = 100
# What follows a name in a sentence.
_SENTENCE = frozenset(" \n,:;*\"'`)]")


def read_near(text: str, at: int, word: str) -> Value | None:
    """Read the value that stands in the sentence behind the word at `at`: `I pasted my token (9fe8…q7Rk) there`."""
    end = at + len(word) + (text[at + len(word) : at + len(word) + 1] == "s")
    if text[end : end + 1] not in _SENTENCE:
        return None
    line = text[end : end + _NEAR_MAX].partition("\\")[0]
    said_all, _, rest = line.partition("\n")
    # What is alone on its line speaks of the next one.
    words = said_all.split() if any(map(str.isalpha, said_all)) or not rest else line.split()
    for said in words:
        if len(said) >= 10 and not said.islower() and not said.isalpha() and (match := compiled(_SAID).match(said)):
            start = end + line.index(said) + match.start(1)
            rest = text[max(0, at - _NAME_BEFORE_MAX) : at]
            name = _spoken(rest[len(rest.rstrip(_NAME_CHARS)) :] or _word_before(rest), word, "")
            return Value(name, "", "near", False, False, start, start + len(match[1]))
    return None


def _spoken(name: str, word: str, about: str) -> str:
    """A name as rules know it; `word` drew attention, `name` stands in front of it and `about` behind."""
    spoken = (name + ("password" if word.lower() in SPOKEN_AS_PASSWORD else word) + about).lower()
    for char in "-_.":
        spoken = spoken.replace(char, "")
    return spoken


# What a person says of a key that stands in front: `the 9fe8….q7Rk key`, `the 9fe8….q7Rk API key`.
_BETWEEN = frozenset(("api", "access", "secret", "auth", "bearer"))
_NEVER_SAID = frozenset("\"'`(){}[]<>|,;=\\")
_ARTICLES = frozenset(("the", "my", "your", "its", "a", "an"))
# The value field in front of the name's: `"value": "…", "name": "X_KEY"`.
_VALUE_BEFORE = (
    r"(?i:value)\\{0,3}[\"']\s?:\s?\\{0,3}[\"']([^\s\"'\\]{8,512}+)\\{0,3}[\"']\s?,\s?"
    r"\\{0,3}[\"'](?i:name|key)\\{0,3}[\"']\s?:\s?\\{0,3}[\"'][\w.-]*\Z"
)
_BEFORE_MAX = 160


def read_before(text: str, at: int, word: str) -> Value | None:
    """Read the value in front of the word at `at`: `the 9fe8…q7Rk API key`, `9fe8…q7Rk as the token`, or its field."""
    start = max(0, at - _BEFORE_MAX)
    if text[at - 1 : at] not in (" ", "\n"):
        before = text[start:at]
        return _read_field_before(before, start, word) if "alue" in before else None
    if word not in ("key", "token", "secret", "password"):
        return None
    before = text[start:at]
    words = before.rsplit(None, 4)
    if words and words[-1].lower() in _BETWEEN:
        words.pop()
    is_as = len(words) > 2 and words[-2] == "as" and words[-1] in _ARTICLES
    said = (words[:-2] if is_as else words)[-1:]
    value = said[0].strip("\"'`(") if said else ""
    if not (8 if is_as else 16) <= len(value) <= 128 or value.isalpha() or not set(value).isdisjoint(_NEVER_SAID):
        return None
    place = start + before.rindex(value)
    if "  " in before[place - start :]:
        return None
    return Value(f"said{word}", "", "as" if is_as else "the", False, False, place, place + len(value))


def _read_field_before(before: str, start: int, word: str) -> Value | None:
    match = compiled(_VALUE_BEFORE).search(before)
    if match is None:
        return None
    name = before[match.end(1) :].rpartition('"')[2].replace("_", "").replace("-", "").lower()
    return Value(name + word, "", ":", False, True, start + match.start(1), start + match.end(1))


def _word_before(rest: str) -> str:
    """The first word of a name of two ("api" of "api key"); "" where no word stands directly in front."""
    match = compiled(r"(?<!\w)([A-Za-z]{2,16}) \Z").search(rest[-18:])
    return match[1] if match else ""


# User and password in the "userinfo" part of an address (RFC 3986, 3.2.1). A password may hold an
# unescaped `@`: the last one before a host counts.
_USERINFO = (
    r"://[\w.~!$&'()*+,;=%-]{0,80}+:(\|?[^\s\"'`\\/:<>|{}\[\]]{3,200}?)"
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


_WINDOW = 400
_ROWS_MAX = 20
_ITEMS_MAX = 20

# What stands around the name of a column: the rest of its cell.
_HEAD = r"(?P<about>[\w.-]{0,32}+)[\"'`*]{0,2}[ ]{0,40}(?:[|,\t;]|\\t|\r?\n|\\n)"
_MARK = r"\s{0,8}(?:\d{1,6}→)?[+>-]?\s?"
_RULE = rf"{_MARK}\|?[\s:|-]{{3,}}\|?\s*\Z"
# A head without bars: names and nothing else.
_NAMES = rf"{_MARK}[\w .()*-]{{1,40}}+(?:(?:[,;\t]|\\t)[\w .()*-]{{1,40}}+){{1,30}}\s?\Z"


def read_column(text: str, at: int, word: str) -> Iterator[Value]:
    """Read the cells below the head cell with `word` in it: Markdown with its line of dashes, commas or tabs."""
    head = compiled(_HEAD).match(text, at + len(word))
    if head is None:
        return
    newline = "\n" if "\n" in text[at : at + _WINDOW] else "\\n"
    start = max(at - _WINDOW, text.rfind(newline, max(0, at - _WINDOW), at) + len(newline))
    if newline != "\n":  # a string of JSON, which begins with its quote
        start = max(start, text.rfind('"', start, at) + 1)
    first = text.find(newline, at, at + _WINDOW)
    if first < 0:
        return
    title = text[start:first]
    mark = next((mark for mark in ("|", "\t", "\\t", ",", ";") if mark in title), "")
    if not mark:
        return
    cells = title.split(mark)
    number = text.count(mark, start, at)
    row = first + len(newline)
    if mark == "|":
        rule = text[row : text.find(newline, row, row + _WINDOW)]
        if not re.match(_RULE, rule):
            return
        row += len(rule) + len(newline)
    elif not compiled(_NAMES).match(title):
        return
    name = (cells[number] if number < len(cells) else word).lower()
    for char in "-_. *`\"'":
        name = name.replace(char, "")
    for place, end in _cells(text, row, newline, mark, len(cells), number):
        yield Value(name, head["about"], "|", False, True, place, end)


def _cells(text: str, row: int, newline: str, mark: str, width: int, number: int) -> Iterator[tuple[int, int]]:
    """Where the cells of one column stand, without the spaces and quotes around them, row by row."""
    for _ in range(_ROWS_MAX):
        end = text.find(newline, row, row + _WINDOW)
        line = text[row : end if end >= 0 else row + _WINDOW]
        if newline != "\n":
            line = line.partition('"')[0]
        cells = line.split(mark)
        if len(cells) != width:
            return
        cell = cells[number]
        left = len(cell) - len(cell.lstrip(" `\"'*\t"))
        start = row + sum(map(len, cells[:number])) + len(mark) * number + left
        bare = cell.strip(" `\"'*\t\r")
        if " " not in bare and "\\" not in bare:
            yield start, start + len(bare)
        if end < 0:
            return
        row = end + len(newline)


# `API_KEYS = ["…", "…"]`, and in YAML one a line.
_LIST = (
    rf"(?i:s?)(?P<about>[\w.-]{{0,32}}+){QUOTE}?\]?\s{{0,3}}(?::\s?[\w\[\], ]{{1,30}}?)?[:=]"
    rf"(?:\s{{0,3}}[\[({{]|(?=\s{{0,2}}(?:\n|\\n){GAP}{{0,20}}-\s))"
)
_ITEM = rf"{GAP}{{0,30}}+{QUOTE}?([^\s\"'`\\,\[\](){{}}]{{12,512}}+){QUOTE}?"


def read_list(text: str, at: int, word: str) -> Iterator[Value]:
    """Read the items of the list whose name has `word` in it."""
    head = compiled(_LIST).match(text, at + len(word))
    if head is None:
        return
    before = text[max(0, at - 48) : at]
    name = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")) :] + word
    for char in "-_.":
        name = name.replace(char, "")
    place = head.end()
    for _ in range(_ITEMS_MAX):
        item = compiled(_ITEM).match(text, place)
        if item is None:
            return
        yield Value(name.lower(), head["about"], "[", False, True, *item.span(1))
        place = item.end()


# `"…" + "…"`, and one literal after the other on the next line.
_JOINT = r"(?:\\n|\s|(?<=\n)[+>-]|\d{1,6}→){1,30}+"
_MORE = rf"{QUOTE}\s{{0,3}}(?:[+.]|\\)?{_JOINT}(?:[+.]\s)?{QUOTE}([^\s\"'`\\]{{8,512}}+)(?={QUOTE})"


def read_rest(text: str, value: Value) -> Iterator[Value]:
    """Read the other pieces of a quoted value that is put together from several."""
    place = value.end
    for _ in range(_ITEMS_MAX):
        piece = compiled(_MORE).match(text, place)
        if piece is None:
            return
        yield value._replace(start=piece.start(1), end=piece.end(1))
        place = piece.end()


MANIFEST = "kubernetes-secret"
_DATA = rf"(?:(?<![A-Za-z])|(?<=\\n))data{QUOTE}?\s?:(?:\s|\\n){{0,10}}\{{?"
_ENTRY = (
    rf"(?:{GAP}|\{{){{0,20}}+{QUOTE}?([\w.-]{{1,60}}){QUOTE}?\s?:\s?"
    rf"{QUOTE}?([A-Za-z0-9+/]{{4,4000}}+={{0,2}}){QUOTE}?"
)
_MANIFEST_MAX = 2_000


def read_manifest(text: str, at: int, _word: str) -> Iterator[Value]:
    """Read the `data` of the Kubernetes secret whose `kind` is at `at`: each value, under the name `MANIFEST`."""
    start = max(0, at - _MANIFEST_MAX)
    data = compiled(_DATA).search(text, at, at + _MANIFEST_MAX) or compiled(_DATA).search(text, start, at)
    if data is None:
        return
    place = data.end() - 1
    for _ in range(_ITEMS_MAX):
        entry = compiled(_ENTRY).match(text, place)
        if entry is None or entry[1] in ("kind", "type", "metadata", "apiVersion"):
            return
        yield Value(MANIFEST, "", ":", False, True, *entry.span(2))
        place = entry.end()


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
