"""Secrets told by the name they are given: assignments, headers, flags, whatever the vendor.

These rules cost the most false positives, so they ask `clew.secrets.judge` about every value.
"""

import re
from collections.abc import Callable

from clew.secrets.columns import MANIFEST
from clew.secrets.encoding import decoded, wrap
from clew.secrets.judge import UUID, is_basic_auth, is_example_password, is_password, is_random, stands_out
from clew.secrets.rules import HoldsSecret, Rule, Span
from clew.secrets.samples import hexed, text
from clew.secrets.values import QUOTE, Value

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


def _password(value: Value, content: str) -> bool:
    is_named = bool(re.search(_PASSWORD_NAME, value.name))
    return is_named and _is_assigned(value, content, near_min=10) and is_password(content)


def _secret(value: Value, content: str) -> bool:
    strong = is_random(content, length_min=12)
    return _is_assigned(value, content) and (strong or (len(content) >= 10 and is_password(content)))


def _key(value: Value, content: str) -> bool:
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


def _token(value: Value, content: str) -> bool:
    """A UUID called a token is as often an id; what is called a secret or key stays one."""
    if not _is_assigned(value, content) or re.search(_TOKEN_OF_NOTHING, value.name):
        return False
    return is_random(content) and not re.match(UUID, content)


def _assignment(
    id: str,
    names: tuple[str, ...],
    judge: Callable[[Value, str], bool],
    sample: str,
    word: str,
) -> Rule:
    return Rule(
        id,
        (),
        r"[^\s]{6,512}",
        names=names,
        judge=judge,
        must=lambda: (
            f"{word.upper()}={sample}",
            f'{word} = "{sample}"',
            f"{word}: {sample}",
            f'{{"{word}": "{sample}"}}',
            f'{{\\"{word}\\": \\"{sample}\\", \\"n\\": 1}}\\n',
            f'set("{word}", "{sample}")',
            f"<{word}>{sample}</{word}>",
            f"const {word}: string = '{sample}';",
            f"tool --{word.replace('_', '-')} {sample} --yes",
            f"- name: {word.upper()}\n  value: {sample}",
            f"The {word} is {sample}, use it.",
        ),
        must_not=lambda: (
            f"{word} = get_{word}()",
            f"{word}: string",
            f"{word}: Optional[str] = None",
            f"{word} = self.config.{word}_2",
            f'{word} = os.environ["{word.upper()}"]',
            f"{word}: $" + "{{ secrets.DEPLOY_2 }}",
            f"{word.upper()}=$" + "{DEPLOY_2}",
            f"{word}_file: /run/secrets/{word}-1",
            f'{word}: "your-{word}-here-123"',
            f"{word}: <{word}>",
            f"{word}=" + "*" * 16,
            f"{word}_count = 123456789012",
            f"the {word} is kept in the vault, see docs/{word}.md",
            f"if {word} == {sample}:",
        ),
        generic=True,
    )


def _cookie(match: re.Match[str]) -> Span | None:
    """A session is a secret in a cookie; elsewhere it is more often an id."""
    before = match.string[max(0, match.start() - 400) : match.start()].rpartition("\n")[2]
    return match.span(1) if "ookie" in before and is_random(match[1]) else None


def _curl_user(match: re.Match[str]) -> Span | None:
    """`-u` means a user only to a few commands; look for one of them on the same line."""
    before = match.string[max(0, match.start() - 300) : match.start()]
    line = before.rpartition("\n")[2]
    value = match[1]
    is_known = re.search(r"\b(?:curl|http|https|wget|xh)\b", line) or stands_out(value)
    if not is_known or is_example_password(value):
        return None
    return match.span(1) if len(set(value)) > 3 else None


def _credential(match: re.Match[str]) -> Span | None:
    value = match[2].rstrip(".,:")
    if value.startswith("eyJ"):
        return None  # A JSON web token is judged by its own rule.
    span = match.start(2), match.start(2) + len(value)
    if match[1].lower() == "basic":
        return span if is_basic_auth(value) else None
    return span if is_random(value) else None


def _bearer(match: re.Match[str]) -> Span | None:
    value = match[1].rstrip(".,:")
    return (match.start(1), match.start(1) + len(value)) if not value.startswith("eyJ") and is_random(value) else None


def _is_manifest(_value: Value, content: str, holds_secret: HoldsSecret) -> bool:
    """Kubernetes keeps a secret's values in base64; names of users stand there, too."""
    inner = decoded(content)
    return is_password(inner) or is_random(inner) or holds_secret(inner)


_ENV_PASSWORDS = tuple(name + sign for name in ("password", "passwd", "pwd", "pass") for sign in ("=", ":"))


def _env_password(match: re.Match[str]) -> Span | None:
    """A line of an environment file, a shell or YAML: the value goes on to the next blank, whatever signs it has."""
    before = match.string[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
    value = match[1].rstrip(".,")
    if not re.fullmatch(r"(?:\S{0,12}[+\-→|]?\s{0,8})?(?:export\s+|set\s+|ENV\s+|-e\s+)?[A-Za-z0-9_.]*", before):
        return None
    return (match.start(1), match.start(1) + len(value)) if is_password(value) else None


RULES = (
    Rule(
        "env-password",
        _ENV_PASSWORDS,
        r"(?i:pass(?:wor)?d?|passwd|pwd)(?:=|:[ ]{1,8}(?=\S{8,200}(?:[ ]{0,8}(?:$|\n)|[ ]\#|\\n|\\r)))"
        r"(?![\"'<{\[])([^\s\\]{8,200}+)",
        secret_group=1,
        entropy_min=2.5,
        must=lambda: (
            "DB_PASSWORD=a1B2" + "c3|D4e5F6",
            "PASSWORD=Zk8'" + "fe93Qp",
            "export PGPASSWORD=k4-Horse7Q" + ",Bx9tery9",
        ),
        must_not=lambda: (
            "PASSWORD=$" + "DB_PASSWORD2",
            "connect(user=x, password=get_password2())",
            "password=your-password-here-1",
        ),
        locate=_env_password,
        generic=True,
    ),
    _assignment("generic-password", ("pass", "pwd"), _password, "kQ7" + text(9) + "2!", "password"),
    _assignment("generic-secret", ("secret", "cred"), _secret, text(32), "client_secret"),
    _assignment("generic-api-key", ("key",), _key, text(40), "api_key"),
    Rule(
        "kubernetes-secret-data",
        (),
        r"[A-Za-z0-9+/]{8,4000}={0,2}",
        names=(MANIFEST,),
        judge=_is_manifest,
        unwraps=True,
        must=lambda: (
            "kind: Secret\ndata:\n  pgsql: " + wrap(text(14) + "7Kq"),
            "data:\n  user: " + wrap("robot") + "\n  pgsql: " + wrap(text(14) + "7Kq") + "\nkind: Secret",
            '{"kind": "Secret", "data": {"pgsql": "' + wrap(text(14) + "7Kq") + '"}}',
        ),
        must_not=lambda: (
            "kind: Secret\ndata:\n  user: " + wrap("robot"),
            "kind: ConfigMap\ndata:\n  pgsql: " + wrap(text(14) + "7Kq"),
            "kind: SecretStore\nspec:\n  pgsql: " + wrap(text(14) + "7Kq"),
        ),
        generic=True,
    ),
    _assignment("generic-token", ("token", "pat", "authorization"), _token, text(36), "auth_token"),
    Rule(
        "authorization-header",
        ("authorization",),
        rf"(?i:authorization){QUOTE}?\]?\s{{0,3}}[:=,\s]\s{{0,3}}{QUOTE}?f?{QUOTE}?"
        r"(?i:(bearer|basic|token|bot|apikey|key|digest|ssws|genie-?key)\s{1,3})"
        r"(?:token=)?([A-Za-z0-9._~+/=:-]{12,2000}+)",
        secret_group=2,
        entropy_min=2.8,
        must=lambda: (
            "Authorization: Bearer " + text(40),
            'curl -H "Authorization: token ' + text(40) + '"',
            '{\\"Authorization\\": \\"Basic ' + "bWFyeTpoYWQtYS1saXR0bGUtbGFtYg==" + '\\"}',
        ),
        must_not=lambda: (
            "Authorization: Bearer $" + "TOKEN",
            "Authorization: Bearer <token>",
            'headers["Authorization"] = f"Bearer {token}"',
            "Authorization: Bearer your-api-token-here",
            "authorization: required by every route",
        ),
        locate=_credential,
        generic=True,
    ),
    Rule(
        "bearer-token",
        ("bearer ",),
        r"(?i:bearer)\s{1,3}(?:\\{0,3}[\"'`])?(?:token\s)?([A-Za-z0-9._~+/=-]{20,2000}+)",
        secret_group=1,
        entropy_min=3.0,
        must=lambda: ("auth header: Bearer " + text(40), "sent with bearer " + text(24) + "."),
        must_not=lambda: (
            "Bearer $" + "TOKEN",
            "the bearer of this-letter-2-you-and-others",
            "Bearer <token-of-20-signs-1>",
        ),
        locate=_bearer,
        generic=True,
    ),
    Rule(
        "basic-user-password",
        ("-u", "--user "),
        r"(?:-u\s{0,3}|--user\s{1,3})(?:\\{0,3}[\"'])?[\w.@+-]{1,80}:([^\s\"'`\\]{4,128}+)",
        secret_group=1,
        must=lambda: (
            "curl " + "-u robot:" + text(12) + " https://host/",
            "curl " + '--user "robot:' + text(9) + '!" x',
        ),
        must_not=lambda: (
            "docker run -u 1000:1000 image",
            "curl -u $" + "USER:$" + "PASS https://host/",
            "git push -u origin main:main",
        ),
        locate=_curl_user,
    ),
    Rule(
        "session-cookie",
        tuple(
            f"{name}="
            for name in ("session", "sessionid", "session_id", "sessid", "sid", "session-token", "session_token")
        ),
        r"(?i:sess[a-z_-]{0,12}|sid)=([\w.%+/=-]{16,1000}+)",
        secret_group=1,
        entropy_min=3.0,
        must=lambda: ("Cookie: sessionid=" + hexed(32), "Set-Cookie: connect.sid=" + text(40) + "; Path=/"),
        must_not=lambda: ("Cookie: theme=dark; lang=en", "cookie: session=<id>", "session=" + hexed(32)),
        locate=_cookie,
        generic=True,
    ),
)
