"""Base64: what it stands for, and whether that holds a secret."""

from base64 import b64decode, b64encode
from binascii import Error


def wrap(inner: str) -> str:
    """Return the base64 of a text."""
    return b64encode(inner.encode()).decode()


def decoded(run: str) -> str:
    """Return the text that base64 (of either alphabet) stands for; "" where it stands for none."""
    run = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return b64decode(run[: len(run) - (len(run) % 4 == 1)] + "=" * (-len(run) % 4)).decode()
    except (Error, ValueError):
        return ""
