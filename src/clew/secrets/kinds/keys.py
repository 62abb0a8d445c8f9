"""Keys in files: PEM and its relatives, JSON web tokens, password files, cluster credentials."""

import re

from clew.secrets.judge import is_basic_auth, is_example_password
from clew.secrets.rules import ASSIGN, LEFT, Rule, Span, named, token
from clew.secrets.samples import BASE32, base64ish, text
from clew.secrets.values import GAP, QUOTE, compiled

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


def _key_block(match: re.Match[str]) -> Span | None:
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


def _key_tail(match: re.Match[str]) -> Span | None:
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


def _pem(title: str) -> str:
    return f"-----BEGIN {title}-----\n{base64ish(64)}\n{base64ish(40)}\n-----END {title}-----"


_TITLES = ("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY")

BLOCKS = (
    Rule(
        "private-key",
        ("-----begin ",),
        r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY-----",
        must=lambda: (
            *map(_pem, _TITLES),
            '{"private_key": "' + _pem("PRIVATE KEY").replace("\n", "\\n") + '\\n"}',
            _pem("RSA PRIVATE KEY").rpartition("\n")[0],
        ),
        must_not=lambda: (
            _DASHES + "BEGIN PRIVATE KEY" + _DASHES + "\n...\n" + _DASHES + "END PRIVATE KEY" + _DASHES,
            _pem("PUBLIC KEY"),
            _pem("CERTIFICATE"),
            _DASHES + "BEGIN PRIVATE KEY" + _DASHES + " is how a key starts, and the rest is base64.",
        ),
        locate=_key_block,
    ),
    Rule(
        "private-key-tail",
        ("-----end ",),
        r"-----END (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
        must=lambda: tuple(
            block.partition("\n")[2].replace("\n", mark)
            for block in map(_pem, _TITLES)
            for mark in ("\n", "\\n", "\r\n")
        ),
        must_not=lambda: (
            _DASHES + "END PRIVATE KEY" + _DASHES,
            _pem("CERTIFICATE").partition("\n")[2],
            "it ends with\n" + _DASHES + "END PRIVATE KEY" + _DASHES,
        ),
        locate=_key_tail,
    ),
    Rule(
        "pgp-private-key",
        ("-----begin pgp",),
        r"-----BEGIN PGP PRIVATE KEY BLOCK-----",
        must=lambda: (_pem("PGP PRIVATE KEY BLOCK"),),
        must_not=lambda: (_pem("PGP PUBLIC KEY BLOCK"), _pem("PGP SIGNATURE")),
        locate=_key_block,
    ),
    Rule(
        "ssh2-private-key",
        ("---- begin ssh2 encrypted",),
        r"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
        must=lambda: ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n" + base64ish(70) + "\n" + base64ish(70),),
        must_not=lambda: ("---- BEGIN SSH2 PUBLIC KEY ----\n" + base64ish(70),),
        locate=_key_block,
    ),
    Rule(
        "putty-private-key",
        ("private-lines:",),
        r"(?i:private-lines): \d{1,3}",
        must=lambda: ("Private-Lines: 8\n" + base64ish(64) + "\n" + base64ish(64),),
        must_not=lambda: ("Private-Lines: 8", "Public-Lines: 6\n" + base64ish(64)),
        locate=_key_block,
    ),
    token("age-secret-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}", lambda: text(58, BASE32)),
    named(
        "wireguard-private-key",
        ("privatekey", "presharedkey"),
        r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=",
        lambda: base64ish(42) + "A=",
        entropy_min=3.5,
        must_not=lambda: ("PublicKey = " + base64ish(42) + "A=",),
    ),
)

# A JSON web token's first part is `{"alg":`, `{"typ":`, `{"kid":` … in base64.
_JWT_HEADS = ("eyJhbGci", "eyJ0eXAi", "eyJraWQi", "eyJlbmMi", "eyJjdHki", "eyJ4NXQi", "eyJ0eXBl")

FILES = (
    Rule(
        "jwt",
        tuple(head.lower() for head in _JWT_HEADS),
        r"(?:(?<![\w-])|(?<=\\[nrt])|(?<=_))"
        rf"(?:{'|'.join(_JWT_HEADS)})[\w-]{{6,1000}}+\.eyJ[\w-]{{17,8000}}+(?:\.[\w-]{{10,2000}}+)",
        must=lambda: (
            "eyJhbGci" + text(28) + ".eyJ" + text(60) + "." + text(43),
            '{"jwt": "' + "eyJ0eXAi" + text(20) + ".eyJ" + text(60) + "." + text(43) + '"}',
        ),
        must_not=lambda: ("eyJhbGci" + text(28), "eyJhbGci" + text(28) + ".eyJ" + text(60)),
    ),
    Rule(
        "htpasswd-hash",
        (":$apr1$", ":$2y$", ":$2a$", ":$2b$", ":{sha}"),
        r"(?<=[\w.@-]):(\$apr1\$[\w./]{1,8}\$[\w./]{22}|\$2[aby]\$\d\d\$[\w./]{53}"
        r"|\{SHA\}[\w+/]{27}=)",
        secret_group=1,
        must=lambda: (
            "admin:$apr1$" + text(8) + "$" + text(22),
            "admin:$2y$10$" + text(53),
            "admin:{SHA}" + text(27) + "=",
        ),
        must_not=lambda: ("admin:$apr1$", 'hash = "$2b$12$' + text(53) + '"', "admin:{SHA}"),
    ),
    Rule(
        "shadow-hash",
        (":$6$", ":$5$", ":$y$"),
        r"(?<=[\w.-]):(\$(?:[56]\$(?:rounds=\d{1,9}\$)?[\w./]{1,16}\$[\w./]{43,86}"
        r"|y\$[\w./]{1,8}\$[\w./]{4,86}\$[\w./]{43}))",
        secret_group=1,
        must=lambda: ("root:$6$" + text(16) + "$" + text(86) + ":19000:0:99999:7:::",),
        must_not=lambda: ("root:$6$", "root:!:19000:0"),
    ),
    Rule(
        "kubeconfig-client-key",
        ("client-key-data", "token-data"),
        rf"(?:client-key-data|token-data){ASSIGN}([A-Za-z0-9+/]{{80,8000}}+={{0,2}})",
        secret_group=1,
        entropy_min=4.0,
        must=lambda: ("    client-key-data: " + base64ish(400) + "==",),
        must_not=lambda: (
            "    client-certificate-data: " + base64ish(400),
            "    client-key-data: DATA+OMITTED",
        ),
    ),
    Rule(
        "registry-auth",
        ('auths"', "auths\\", ":_auth", "_auth=", "_auth ="),
        rf"(?:auths{QUOTE}\s{{0,3}}:[^$]{{0,300}}?auth|:?_auth){ASSIGN}([A-Za-z0-9+/]{{12,400}}+={{0,2}})",
        secret_group=1,
        must=lambda: (
            '{"auths": {"x": {"auth": "' + "bWFyeTpoYWQtYS1saXR0bGUtbGFtYg==" + '"}}}',
            '{\\"auths\\": {\\"x\\": {\\"auth\\": \\"' + "bWFyeTpoYWQtYS1saXR0bGUtbGFtYg==",
            "//registry/:_auth=" + "bWFyeTpoYWQtYS1saXR0bGUtbGFtYg==",
        ),
        must_not=lambda: (
            '"auths": {"x": {"auth": "' + "bm90LWEtcGFpci1hdC1hbGw=" + '"}}',
            '"auths": {"x": {"auth": "required"}}',
        ),
        locate=lambda match: match.span(1) if is_basic_auth(match[1]) else None,
    ),
    Rule(
        "netrc-password",
        ("login ",),
        rf"{LEFT}login\s{{1,4}}(\S{{1,80}}){GAP}{{1,12}}password\s{{1,4}}([^\s\"'`\\<${{%][^\s\"'`\\]{{3,127}})",
        secret_group=2,
        entropy_min=2.0,
        locate=lambda match: None if is_example_password(match[2]) else match.span(2),
        must=lambda: ("machine api.host login robot password " + text(12),),
        must_not=lambda: ("the login page and password field", "login robot password $PASSWORD"),
    ),
    Rule(
        "pgpass-line",
        (":5432:", ":5433:", ":6432:", ":6543:", ":26257:", ":*:"),
        r"(?<=[\w*]):(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*.@-]{1,60}:([^\s\"'`\\:$<{]{6,100})(?=[\s\"'\\]|$)",
        secret_group=1,
        entropy_min=2.5,
        must=lambda: ("db.internal:5432:shop:robot:" + text(14), "*:*:*:robot:" + text(14)),
        must_not=lambda: ("localhost:5432:5432", '"5432:5432"', "db:5432:shop:robot:short"),
    ),
)

RULES = (*BLOCKS, *FILES)
