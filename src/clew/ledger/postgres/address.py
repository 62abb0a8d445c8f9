"""Where a project's ledger is on a server: a private file in the place where the file of a ledger would be.

It is `ledger.toml`: `address` (what libpq takes, perhaps with a password), `project` (the ULID) and `key` (of the
ledger, in hex): what is recorded while the server is away waits under its seal.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Final, NamedTuple

from clew.core.errors import LedgerError

_SCHEMES: Final = ("postgres", "postgresql")
_BYTES_MAX: Final = 64 << 10


class Address(NamedTuple):
    """Which ledger of which server. `key` is b"" until the ledger was first opened."""

    address: str
    project: str
    key: bytes = b""


def is_address(text: str) -> bool:
    """Whether `text` is the address of a PostgreSQL database."""
    scheme, _, rest = text.partition("://")
    return scheme in _SCHEMES and bool(rest) and text.isprintable()


def shown(address: str) -> str:
    """An address as people may see it: without password and options."""
    scheme, _, rest = address.partition("://")
    place = rest.partition("?")[0]
    if "@" in rest and "@" not in place:  # a password that is not percent-encoded, perhaps
        return f"{scheme}://…"
    user, at, host = place.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{at}{host}"


def read_address(path: Path) -> Address:
    """What the file at `path` says. Raises `LedgerError` where it cannot be used."""
    try:
        with path.open("rb") as file:
            said = tomllib.loads(file.read(_BYTES_MAX).decode())
        found = Address(said["address"], said["project"], bytes.fromhex(said.get("key", "")))
        if not (is_address(found.address) and isinstance(found.project, str)):
            raise TypeError(path)
        return found
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise LedgerError(
            f"{path} does not say where the ledger is",
            code="E-ledger-address",
            hint="It was left as it is. `clew init --ledger postgres://…` writes it anew.",
        ) from None


def address_file(address: Address) -> bytes:
    """What the file holds that `read_address` reads."""
    values = {"address": address.address, "project": address.project, "key": address.key.hex()}
    # A string of JSON is one of TOML: `is_address` lets no control character through.
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items()).encode()
