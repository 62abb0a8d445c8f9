"""The lock of a stack, `.clew/stacks/NAME.lock` (JSON): what its last text was made of. The text itself is kept by
content, in pieces, beside the ledger (without one, among the user's data); so that it can be given again to the byte.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from clew.app.ports import Ports
from clew.app.project.location import ProjectLocation
from clew.app.stack.stack_file import FOLDER, checked_name
from clew.core.errors import InputError, NotFound
from clew.documents.stack import document
from clew.workspace.atomic import replace
from clew.workspace.disk import Disk, names, read
from clew.workspace.objects import DamagedObject, Objects

STORE: Final = "stacks"
VERSION: Final = 1
_BYTES_MAX: Final = 32 << 20
_LOCKS_MAX: Final = 500
_LEVEL: Final = 3
# What no lock of this work tree names may be a lock's of another one: it is kept for so long.
_KEPT_S: Final = 90 * 24 * 3600


class Locked(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """One source. `sha256` stands for what it gave, `parts` for its parts by name (the beginning of a hash each);
    `tokens` are those in the text, `whole_tokens` those of all that it gave. `told` says what was trimmed.
    """

    name: str
    kind: str
    provenance: str
    sha256: str
    tokens: int
    whole_tokens: int
    told: str
    is_in: bool
    parts: dict[str, str]


class Lock(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """`sha256` is the text's. `own` and `pieces` are the objects that it is made of (`documents.stack.document`)."""

    version: int
    made_at: str
    title: str
    counter: str
    budget: int
    tokens: int
    sha256: str
    sources: tuple[Locked, ...]
    missing: tuple[str, ...]
    own: tuple[str, ...]
    pieces: tuple[str, ...]


def store_of(ports: Ports, location: ProjectLocation) -> Objects:
    """Where the texts of a project's stacks are kept."""
    folder = location.ledger.parent if location.has_ledger else ports.trust_store.parent
    return Objects(folder / STORE, level=_LEVEL)


def read_lock(root: Path, name: str) -> Lock:
    """The lock of a stack. Raises `NotFound`, and `InputError` for one that cannot be used."""
    path = f"{FOLDER}/{checked_name(name)}.lock"
    looked = read(Disk(root), path, limit_bytes=_BYTES_MAX)
    if looked.data is None and not looked.problem:
        raise NotFound(
            f"the stack {name} was never built here",
            code="E-stack-lock",
            hint=f"`clew stack build {name}` builds it and writes the lock.",
        )
    why = looked.problem
    try:
        if looked.data is not None:
            found = msgspec.json.decode(looked.data, type=Lock)
            if found.version == VERSION:
                return found
            why = "another version of clew wrote it"
    except (ValueError, RecursionError):
        why = "it is damaged"
    raise InputError(
        f"{path} cannot be used: {why}", code="E-stack-lock", hint=f"`clew stack build {name}` writes it again."
    )


def write_lock(location: ProjectLocation, name: str, lock: Lock) -> Path:
    """Put the lock beside the stack. Raises `InputError`."""
    path = location.root / FOLDER / f"{name}.lock"
    try:
        replace(path, msgspec.json.format(msgspec.json.encode(lock), indent=1) + b"\n", mode=0o644)
    except OSError as error:
        raise _unwritten(path, error) from error
    return path


def keep(store: Objects, texts: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Keep texts, which come in pieces; their names. Raises `InputError`."""
    try:
        return tuple(store.keep(piece.encode("utf-8", "replace") for piece in text)[0] for text in texts)
    except OSError as error:
        raise _unwritten(Path(error.filename or STORE), error) from error


def text_of(store: Objects, lock: Lock, name: str) -> str:
    """The text as it was. Raises `NotFound` where it is not kept here, `InputError` where it is not what it was."""
    try:
        own, pieces = (
            [b"".join(store.content(digest)).decode() for digest in digests] for digests in (lock.own, lock.pieces)
        )
    except FileNotFoundError:
        raise NotFound(
            f"the contents of the stack {name} are not kept on this machine",
            code="E-stack-contents",
            hint=f"A lock travels with the repository, contents do not; `clew stack diff {name}` shows what changed, "
            f"`clew stack build {name}` rebuilds it.",
        ) from None
    except (DamagedObject, UnicodeDecodeError):
        raise _damaged(name) from None
    whole = document(own, pieces)
    if sha256_of(whole) != lock.sha256:
        raise _damaged(name)
    return "".join(whole)


def sha256_of(pieces: Iterable[str]) -> str:
    """The hash of a text that comes in pieces."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece.encode("utf-8", "replace"))
    return digest.hexdigest()


def tidy(store: Objects, root: Path) -> None:
    """Let go of contents that are old and no lock here names. What cannot be read or deleted stays."""
    named: set[str] = set()
    for path in names(Disk(root), FOLDER, ending=".lock", deep=False, limit=_LOCKS_MAX):
        with suppress(NotFound, InputError):
            lock = read_lock(root, path.rpartition("/")[2].removesuffix(".lock"))
            named.update((*lock.own, *lock.pieces))
    oldest = time.time() - _KEPT_S
    for digest in [one for one in store.digests() if one not in named]:
        with suppress(OSError):
            if store.path(digest).stat().st_mtime < oldest:
                store.drop(digest)


def _damaged(name: str) -> InputError:
    return InputError(
        f"the contents of the stack {name} are not what its lock says",
        code="E-stack-contents",
        hint=f"They are not used; `clew stack build {name}` rebuilds it.",
    )


def _unwritten(path: Path, error: OSError) -> InputError:
    return InputError(
        f"{path} cannot be written ({error.strerror})",
        code="E-stack-write",
        hint="Fix its permissions, or free some room.",
    )
