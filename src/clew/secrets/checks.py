"""What a pattern cannot decide about a secret: blocks of keys, base64, arguments of commands, and values that only
their name or place gives away. The rows of the table say which check is asked.

The checks of names cost the most false positives, so they ask `clew.secrets.judge` about every value.
"""

import re
from base64 import b64decode, urlsafe_b64decode
from binascii import Error
from collections.abc import Callable
from typing import Final

from clew.secrets.judge import UUID, is_basic_auth, is_example_password, is_password, is_random, is_wordy, stands_out
from clew.secrets.values import Span, Value, compiled

# Whether a scan of a text finds something. What is unwrapped is shorter than what held it, so scans within scans end.
HoldsSecret = Callable[[str], bool]

# One line of a key's base64, with whatever may stand before it in a transcript: indentation, line
# numbers, diff marks, quotes, the `\n` of escaped text.
_LINE = r"(?:\\{1,4}[nrt]|(?<=\n)[+-]|\d{1,6}(?=[→:|\t])|[^A-Za-z0-9+/=\\-]|\\){0,40}+([A-Za-z0-9+/]{16,}+={0,2})"
_LAST_LINE = (
    r"(?:\\{1,4}[nrt]|(?<=\n)[+-]|(?<=\n)[+-]|[^A-Za-z0-9+/=\\-]){0,12}+[A-Za-z0-9+/]{1,15}+={0,2}(?![A-Za-z0-9])"
)
_HEADERS = r"(?:(?:\\{1,4}[nr]|\s){0,8}+(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\]{0,200}+){1,6}"
_DASHES = "-----"
# The shortest real body, an Ed25519 key in PKCS#8, has 64 characters; people shorten examples.
_BODY_MIN = 50


def _find_key_block(match: re.Match[str]) -> Span | None:
    """Return the whole block; without its END line, as many lines as still look like base64.

    No key contains five dashes, so whatever comes next with five dashes ends the block, and the
    work of a text full of BEGIN lines stays proportional to its length.
    """
    source, at = match.string, match.end()
    if headers := compiled(_HEADERS).match(source, at):
        at = headers.end()
    body = 0
    line_of = compiled(_LINE).match
    while line := line_of(source, at):
        at = line.end()
        body += at - line.start(1)
    if body < _BODY_MIN:
        return None
    if last := compiled(_LAST_LINE).match(source, at):
        at = last.end()
    dashes = source.find(_DASHES, at, at + 200)
    if dashes >= 0 and source.startswith("END ", dashes + 5):
        closing = source.find(_DASHES, dashes + 9, dashes + 60)
        if closing >= 0:
            at = closing + 5
    return match.start(), at


# The same lines from behind, each with what stands in front of it in the text, now behind it.
_ENIL = r"(?:[nrt]\\{1,4}|[+-](?=\n)|[→:|\t]\d{1,6}|[^A-Za-z0-9+/=\\-]|\\){0,40}+(={0,2}[A-Za-z0-9+/]{1,100})"
_TAIL_MAX = 8_000
_TAIL_LINE_MIN = 40


def _find_key_tail(match: re.Match[str]) -> Span | None:
    """Return what an END line closes, back to where the text begins to hold something else than base64."""
    at = match.start()
    source = match.string[max(0, at - _TAIL_MAX) : at][::-1]
    place = body = 0
    line_of = compiled(_ENIL).match
    while line := line_of(source, place):
        size = line.end() - line.start(1)
        if body and size < _TAIL_LINE_MIN:
            break
        place = line.end()
        body += size
    if body < _BODY_MIN or not any(map(str.isdigit, source[:place])):
        return None
    return at - place, match.end()


_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"
_RUN_MIN, _RUN_MAX = 24, 6_000
_AFTER = re.compile(r"[\w\s.()<\"'`\\,:=-]{0,30}?[\"'\s(]([A-Za-z0-9+/_-]{24,6000}+={0,2})")


def _is_secret_text(run: str, holds_secret: HoldsSecret) -> bool:
    # What is no text in its beginning is an image or an archive.
    return bool(decode(run[:40])) and holds_secret(decode(run))


def _find_base64(match: re.Match[str], holds_secret: HoldsSecret) -> Span | None:
    """Look at the run of base64 in front of the word, and at the next one behind it."""
    source, at = match.string, match.start()
    # What may stand between: `" | base64`, `', 'base64')`.
    before = source[max(0, at - _RUN_MAX) : at].rstrip(" |\"'`,<\\")
    run = before[len(before.rstrip(_ALPHABET)) :]
    start = max(0, at - _RUN_MAX) + len(before) - len(run)
    if len(run) >= _RUN_MIN and _is_secret_text(run, holds_secret):
        return start, start + len(run)
    after = _AFTER.match(source, match.end())
    return after.span(1) if after and _is_secret_text(after[1], holds_secret) else None


def _find_base64_key(match: re.Match[str]) -> Span | None:
    return match.span() if "PRIVATE KEY-" in decode(match[0][:80]) else None


def decode(run: str) -> str:
    """Return the text that base64 (of either alphabet) stands for; "" where it stands for none."""
    run = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return b64decode(run[: len(run) - (len(run) % 4 == 1)] + "=" * (-len(run) % 4)).decode()
    except (Error, ValueError):
        return ""


def _find_discord_token(match: re.Match[str]) -> Span | None:
    """A Discord token opens with its bot's number in base64: those bytes are digits."""
    first = match[1].split(".", 1)[0]
    try:
        first_bytes = urlsafe_b64decode(first + "=" * (-len(first) % 4))
    except (Error, ValueError):
        return None
    return match.span(1) if first_bytes.isdigit() or len(first) >= 24 else None


def _find_bare_discord_token(match: re.Match[str]) -> Span | None:
    before = match.string[max(0, match.start() - 30) : match.start()]
    first = re.search(r"(?<![\w-])[MNO][\w-]{23,27}\Z", before)
    return (match.start() - len(first[0]), match.end()) if first else None


def _find_stage_token(match: re.Match[str]) -> Span | None:
    """A token that tells which stage it is for (`xy_live_…`), its own word in front. What is published says so."""
    before = match.string[max(0, match.start() - 16) : match.start()]
    word = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyz0123456789")) :]
    body = match[1]
    if not 2 <= len(word) <= 12 or not word[0].isalpha() or word.startswith(("pk", "pub")):
        return None
    digits = sum(map(str.isdigit, body))
    is_mixed = body.lower() != body and body.upper() != body
    if digits < 2 or digits == len(body) or not (is_mixed or len(body) >= 48) or is_wordy(body):
        return None
    return match.start() - len(word), match.end()


def _is_argument(value: str) -> bool:
    """The place names the value as well as a name would, so it is judged as a password or token is."""
    return not is_example_password(value) and (is_password(value) or is_random(value))


def _is_among_words(value: str) -> bool:
    return len(value) >= 12 and stands_out(value)


def _is_no_example(value: str) -> bool:
    return not is_example_password(value)


def _is_no_words(value: str) -> bool:
    """Of what begins as a token does: no identifier."""
    return any(map(str.isdigit, value)) and not is_wordy(value)


def _find_dsn_password(match: re.Match[str]) -> Span | None:
    """`user:password@tcp(` in front of a Go driver's host."""
    start = max(0, match.start() - 240)
    pattern = r"(?<![A-Za-z0-9_.])[\w.-]{1,60}:([^\s\"'`\\{}<>]{4,90})@tcp\([\w.-]{1,80}\Z"
    found = re.search(pattern, match.string[start : match.start()])
    if found is None or is_example_password(found[1]):
        return None
    return start + found.start(1), start + found.end(1)


_PASSWORD_NAME = r"pass(?:wo?r?d|phrase|wd|code|$)|pwd|(?:db|user|root|admin|mail)pass"

# A key is a secret when its name says what it opens. `key` alone, and the key of a cache, a table,
# an object, a public key or a sort order, is none.
_KEY_NAME = (
    r"(?:api|access|secret|private|encrypt(?:ion)?|(?<!user)signing|sign|auth|master|account|license"
    r"|storage|subscription|service|app|application|admin|hmac|jwt|ssh|shared|client|write|ingest"
    r"|integration|consumer|session|cipher|aes|deploy|webhook|bot|server|production|prod)key"
    r"|^x?[a-z0-9]{3,20}apikey"
)
# Any other `…_KEY` may be one, if what it holds looks like a key whatever its name; these are the keys of other things.
_KEY_OF_NOTHING = (
    r"(?:cache|primary|foreign|sort|partition|hash|range|object|public|pub|row|col(?:umn)?|index|lookup|map|dict|idempotency"
    r"|dedup\w{0,12}|group|event|unique|shard|route|routing|message|item|file|s3|blob|bucket|storage|sitekey|site|translation"
    r"|i18n|lock|queue|react|node|query|order|search|field|resume|etag|build|layer|restore|config|registry|host|hostkey|known"
    r"|finger\w{0,6}|keyring|key|said|the|a|this|that|each|every|with|by|of|for|no|new|old|same|first|second|last)key\Z"
)

# Where a list goes on, which request this is, which assembly signed it: tokens that open nothing.
_TOKEN_OF_NOTHING = (
    r"(?:next|page|paging|pagination|continuation|marker|cursor|sync|resume|starting|change|update"
    r"|lock|idempotency|request|publickey|output|input|eos|bos|pad|stop|start|end|sep|mask|unk)token"
)


# Names of two words, or with a dash, after which people put the key itself: "API-Key 9fe8…".
_SPOKEN_NAME = r"(?:api|access|secret|auth)(?:key|token)\Z"


def _is_assigned(value: Value, content: str, *, near_min: int = 20) -> bool:
    """Tell `name = value`, and a value that stands out in the name's sentence, from a comparison, a call with a
    variable, and two words in a row.
    """
    if value.sign == "near":
        return len(content) >= near_min and stands_out(content)
    if value.sign == " ":
        return value.is_flag
    if value.sign == "the":
        return False  # of what stands in front only a key is taken
    return value.is_quoted or value.sign not in ("==", "===", "!=", "!==", ",", "(")


def _is_password(value: Value, content: str) -> bool:
    is_named = bool(re.search(_PASSWORD_NAME, value.name))
    return is_named and _is_assigned(value, content, near_min=10) and is_password(content)


def _is_secret(value: Value, content: str) -> bool:
    strong = is_random(content, length_min=12)
    return _is_assigned(value, content) and (strong or (len(content) >= 10 and is_password(content)))


def _is_key(value: Value, content: str) -> bool:
    if value.sign in (" ", "the", "as") and not value.is_flag:
        named = value.sign != " " or re.search(_SPOKEN_NAME, value.name)
        return bool(named) and _is_key_itself(content)
    if value.name == "key":  # as a person writes it; of a cache, a row or an object in code it is no secret
        said = value.sign in (":", "is", "near") and not value.is_quoted
        return (said or value.is_flag) and _is_key_itself(content)
    if not _is_assigned(value, content):
        return False
    if re.search(_KEY_NAME, value.name):
        return is_random(content)
    if not value.name.endswith("key") or re.search(_KEY_OF_NOTHING, value.name):
        return False
    return _is_key_itself(content) or (bool(re.match(_PAIR, content)) and is_random(content))


# Who, and the secret of whom: `{uuid}:{32 hex}`, `prod:shop|{token}`, `12|{token}`.
_PAIR = r"(?:[\w:.-]{1,60}\||[0-9a-f-]{36}:)[\w+/=.-]{24,512}\Z"


def _is_key_itself(content: str) -> bool:
    """Whether a value looks like a key whatever it is called: long, random, of capitals, small letters and digits."""
    mixed = content.lower() != content and content.upper() != content
    return mixed and is_random(content, length_min=20) and not any(char in content for char in "/:@")


def _is_token(value: Value, content: str) -> bool:
    """A UUID called a token is as often an id; what is called a secret or key stays one."""
    if not _is_assigned(value, content) or re.search(_TOKEN_OF_NOTHING, value.name):
        return False
    return is_random(content) and not re.match(UUID, content)


def _find_cookie(match: re.Match[str]) -> Span | None:
    """A session is a secret in a cookie; elsewhere it is more often an id."""
    before = match.string[max(0, match.start() - 400) : match.start()].rpartition("\n")[2]
    return match.span(1) if "ookie" in before and is_random(match[1]) else None


def _find_curl_password(match: re.Match[str]) -> Span | None:
    """`-u` means a user only to a few commands; look for one of them on the same line."""
    before = match.string[max(0, match.start() - 300) : match.start()]
    line = before.rpartition("\n")[2]
    value = match[1]
    is_known = re.search(r"\b(?:curl|http|https|wget|xh)\b", line) or stands_out(value)
    if not is_known or is_example_password(value):
        return None
    return match.span(1) if len(set(value)) > 3 else None


def _find_credential(match: re.Match[str]) -> Span | None:
    """What stands behind the scheme of an `Authorization`. A JSON web token is judged by its own rule."""
    scheme, value = match[1].lower(), match[2].rstrip(".,:")
    is_secret = is_basic_auth if scheme == "basic" else is_random
    is_found = not value.startswith("eyJ") and is_secret(value)
    return (match.start(2), match.start(2) + len(value)) if is_found else None


def _is_manifest(_value: Value, content: str, holds_secret: HoldsSecret) -> bool:
    """Kubernetes keeps a secret's values in base64; names of users stand there, too."""
    inner = decode(content)
    return is_password(inner) or is_random(inner) or holds_secret(inner)


def _find_env_password(match: re.Match[str]) -> Span | None:
    """A line of an environment file, a shell or YAML: the value goes on to the next blank, whatever signs it has."""
    before = match.string[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
    value = match[1].rstrip(".,")
    if not re.fullmatch(r"(?:\S{0,12}[+\-→|]?\s{0,8})?(?:export\s+|set\s+|ENV\s+|-e\s+)?[A-Za-z0-9_.]*", before):
        return None
    return (match.start(1), match.start(1) + len(value)) if is_password(value) else None


# Of what stands at a keyword: the secret's span, or None.
OF_MATCHES: Final[dict[str, Callable[..., Span | None]]] = {
    "key-block": _find_key_block,
    "key-tail": _find_key_tail,
    "base64": _find_base64,
    "base64-key": _find_base64_key,
    "discord-token": _find_discord_token,
    "bare-discord-token": _find_bare_discord_token,
    "stage-token": _find_stage_token,
    "dsn-password": _find_dsn_password,
    "cookie": _find_cookie,
    "curl-password": _find_curl_password,
    "credential": _find_credential,
    "env-password": _find_env_password,
}

# Of a value with a name.
OF_NAMED: Final[dict[str, Callable[..., bool]]] = {
    "password": _is_password,
    "secret": _is_secret,
    "key": _is_key,
    "token": _is_token,
    "manifest": _is_manifest,
}

# Of a value alone, under a name or behind a keyword.
OF_VALUES: Final[dict[str, Callable[[str], bool]]] = {
    "argument": _is_argument,
    "among-words": _is_among_words,
    "no-example": _is_no_example,
    "basic-auth": is_basic_auth,
    "no-words": _is_no_words,
}
