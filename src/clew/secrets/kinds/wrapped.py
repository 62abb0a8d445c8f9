"""Secrets in base64: whatever a scan finds in what a program is about to decode."""

import re

from clew.secrets.encoding import decoded, wrap
from clew.secrets.rules import HoldsSecret, Rule, Span
from clew.secrets.samples import base64ish, text

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"
_RUN_MIN, _RUN_MAX = 24, 6_000
_AFTER = re.compile(r"[\w\s.()<\"'`\\,:=-]{0,30}?[\"'\s(]([A-Za-z0-9+/_-]{24,6000}+={0,2})")


def _is_secret(run: str, holds_secret: HoldsSecret) -> bool:
    # What is no text in its beginning is an image or an archive.
    return bool(decoded(run[:40])) and holds_secret(decoded(run))


def _beside(match: re.Match[str], holds_secret: HoldsSecret) -> Span | None:
    """Look at the run of base64 in front of the word, and at the next one behind it."""
    source, at = match.string, match.start()
    # What may stand between: `" | base64`, `', 'base64')`.
    before = source[max(0, at - _RUN_MAX) : at].rstrip(" |\"'`,<\\")
    run = before[len(before.rstrip(_ALPHABET)) :]
    start = max(0, at - _RUN_MAX) + len(before) - len(run)
    if len(run) >= _RUN_MIN and _is_secret(run, holds_secret):
        return start, start + len(run)
    after = _AFTER.match(source, match.end())
    return after.span(1) if after and _is_secret(after[1], holds_secret) else None


def _pem(match: re.Match[str]) -> Span | None:
    return match.span() if "PRIVATE KEY-" in decoded(match[0][:80]) else None


def _block(title: str) -> str:
    return f"-----BEGIN {title}-----\n{base64ish(64)}\n{base64ish(40)}\n-----END {title}-----\n"


RULES = (
    Rule(
        "base64-secret",
        ("base64", 'atob("', "atob('", "atob(\\", "b64dec"),
        r"(?i:base64|atob\(|b64dec)",
        must=lambda: (
            "echo " + wrap("DB_PASSWORD=" + text(14) + "7Kq") + " | base64 -d > .env",
            'base64.b64decode("' + wrap("ghp_" + text(36)) + '")',
            'Buffer.from("' + wrap('{"api_key": "' + text(40) + '"}') + '", "base64")',
            'atob("' + wrap("ghp_" + text(36)) + '")',
        ),
        must_not=lambda: (
            "echo " + wrap("nothing but words in here, many of them") + " | base64 -d",
            'base64.b64decode("' + base64ish(64) + '")',
            "data:image/png;base64," + base64ish(400),
        ),
        locate=_beside,
        unwraps=True,
        generic=True,
    ),
    Rule(
        "base64-private-key",
        ("ls0tls1crudjti",),
        r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,20000}+={0,2}",
        must=lambda: (wrap(_block("PRIVATE KEY")), wrap(_block("RSA PRIVATE KEY"))),
        must_not=lambda: (wrap(_block("CERTIFICATE")), wrap(_block("PUBLIC KEY"))),
        locate=_pem,
    ),
)
