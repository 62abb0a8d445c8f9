"""Replace the secrets of a text by placeholders that say what stood there."""

from collections.abc import Collection
from hashlib import blake2b

from clew.secrets.scanner import PLACEHOLDER_OPEN, scan

# Redacting changes what stands beside the rest, so another look may find more. Each look leaves
# less text outside placeholders; in practice the second finds nothing.
LOOKS_MAX = 16

_HASH_LENGTH = 6


class Redactor:
    """Redacts texts with one key.

    With a `key` (at most 64 bytes), a placeholder is `[redacted:RULE:abc123]`: the last part is
    the start of the value's keyed BLAKE2b, so that equal secrets stay recognisable as equal, and
    nobody without the key can test a guess. Without a key it is `[redacted:RULE]`.

    `allow` holds what is to be left alone: values, or the six-digit hashes from placeholders, which
    are how a person who sees only redacted text can name a value. Hashes need the same key.
    """

    def __init__(self, key: bytes | None, allow: Collection[str] = ()) -> None:
        self._key = key
        self._allow = frozenset(allow)

    def placeholder(self, rule: str, value: str) -> str:
        """Return what stands for this value of this rule."""
        tail = "" if self._key is None else ":" + self.fingerprint(value)
        return f"{PLACEHOLDER_OPEN}{rule}{tail}]"

    def fingerprint(self, value: str) -> str:
        """Return the hash that stands in the value's placeholder; without a key, nothing."""
        if self._key is None:
            return ""
        data = value.encode("utf-8", "surrogatepass")
        return blake2b(data, key=self._key, digest_size=16).hexdigest()[:_HASH_LENGTH]

    def redact(self, text: str) -> str:
        """Return the text with every secret replaced. Redacting twice is redacting once."""
        for _ in range(LOOKS_MAX):
            redacted = self.replace(text)
            if redacted == text:
                break
            text = redacted
        return text

    def replace(self, text: str) -> str:
        """Return the text with what one look finds replaced; without a finding, the very text."""
        parts: list[str] = []
        done = 0
        for rule, start, end in scan(text):
            value = text[start:end]
            if self._is_allowed(value):
                continue
            parts += (text[done:start], self.placeholder(rule, value))
            done = end
        return "".join((*parts, text[done:])) if parts else text

    def _is_allowed(self, value: str) -> bool:
        if not self._allow:
            return False
        return value in self._allow or (self._key is not None and self.fingerprint(value) in self._allow)
