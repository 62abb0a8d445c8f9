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


def nested(inner: str) -> bool:
    """Whether a scan of the inner text finds something. It is shorter than what held it, so this ends."""
    from clew.secrets.scanner import scan  # the scanner knows the rules, and these ask it

    return bool(inner) and bool(scan(inner))
